"""Results on disk, each under the hash of all that it depends on: what was done once is not done again."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from service.rescoring.work import Seen, Task
from vision.failure import Failure


def usual_folder() -> Path:
    """Give where results are kept: in the user's cache (`XDG_CACHE_HOME`)."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tallycam" / "rescored"


@dataclass(frozen=True, slots=True)
class Results:
    """Results in a folder; several programs may use it at the same time."""

    folder: Path

    def find(self, key: str) -> Seen | None:
        """Give the result of a task; None where there is none, or one that is not whole."""
        try:
            value = json.loads(self._path(key).read_text(encoding="utf-8"))
            broken = value["failure"]
            found = Seen(lines=tuple(value["events"]), failure=None if broken is None else Failure(*broken))
            return found if value["sha256"] == found.digest else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, task: Task, seen: Seen) -> None:
        """Keep a result, whole or not at all; raises `OSError`."""
        path = self._path(task.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        whole = {"task": task.inputs, **seen.to_json(), "sha256": seen.digest}
        part.write_text(json.dumps(whole, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(path)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
