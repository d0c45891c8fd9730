"""Labels on their way out: each as a picture with what is in it, or left out with why; and the list of all."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from service.labels.labels import Label
from service.labels.played import played_of
from service.matches import Matches
from vision.export.labels import Labelled
from vision.export.played import labelled_play
from vision.export.splits import split_of
from vision.failure import Failure

JSON: TypeAlias = Any

NO_PICTURE = "NO_PICTURE"
"""Why an example is left out whose picture is gone."""


class Exported:
    """Examples of matches, given one by one; `left_out` and `listed` are whole once all were given."""

    def __init__(self, matches: Matches, found: Sequence[Label], val_share: float) -> None:
        self._matches, self._found, self._val_share = matches, found, val_share
        self._rows: dict[int, dict[str, JSON]] = {}

    def labelled(self) -> Iterator[Labelled]:
        """Give each example that can be labelled whole."""
        self._rows = {one.id: self._row(one, NO_PICTURE) for one in self._found}
        for label, played in played_of(self._matches, self._found):
            known = labelled_play(played)
            self._rows[label.id] = self._row(label, known.code if isinstance(known, Failure) else None)
            if isinstance(known, Failure):
                continue
            data = known.picture.read_bytes()
            self._rows[label.id] |= {"name": known.name, "picture_sha256": hashlib.sha256(data).hexdigest()}
            yield known

    def _row(self, label: Label, left_out: str | None) -> dict[str, JSON]:
        split = split_of(label.match, self._val_share)
        return {**label.to_json(), "split": split, "left_out": left_out}

    @property
    def left_out(self) -> dict[str, int]:
        """How many were left out, by why."""
        return dict(Counter(row["left_out"] for row in self._rows.values() if row["left_out"]))

    def listed(self) -> str:
        """Give a JSON line for each example, those that were left out too."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self._rows.values())
