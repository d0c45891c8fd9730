"""A service on a disk of its own that is as small as wanted: run in a namespace of its own, prints what it saw.

python -m support.small_disk full FOLDER
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from support.service import record, throw

from service.api import create_app
from service.matches import Matches
from service.store import StoreRefused, back_up, open_store

ROOM = "3m"


def mounted(folder: Path) -> None:
    """Put a small disk in the place of a folder, for this process and its children alone."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(folder)], check=True)


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Leave no byte free."""
    path = folder / "fill"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    try:
        yield
    finally:
        path.unlink()


class Board:
    """A match that goes on dart by dart, asked through the API."""

    def __init__(self, folder: Path) -> None:
        self.store = open_store(folder)
        self.client = TestClient(create_app(Matches(self.store)), base_url="http://localhost")
        new = {"game": "cricket", "sides": ["Ann", "Ben"]}
        self.match: str = self.client.post("/api/v1/matches", json=new).json()["id"]
        self.seq = 0

    def dart(self) -> tuple[int, str]:
        """Record a dart; gives the status and the code."""
        body = {"expected_seq": self.seq, "entry": record(throw(0, "MISS", self.seq))}
        answer = self.client.post(f"/api/v1/matches/{self.match}/entries", json=body)
        self.seq += answer.is_success
        return answer.status_code, "" if answer.is_success else answer.json()["code"]

    def kept(self) -> list[int]:
        """Give the ids of the entries that are kept."""
        found = self.client.get(f"/api/v1/matches/{self.match}").json()
        return [entry["id"] for entry in found["entries"]]


def full(folder: Path) -> dict[str, Any]:
    """Fill the disk under a running service, start on the full disk, make room again."""
    board = Board(folder / "data")
    told: dict[str, Any] = {"before": [board.dart() for _ in range(3)]}
    with filled(folder):
        refused = None
        for _ in range(200):  # what SQLite has room for in its log already is still taken
            refused = board.dart()
            if refused[0] >= 400:
                break
        told["full"], told["kept"] = refused, board.kept() == list(range(1, board.seq + 1))
        told["health"] = board.client.get("/api/v1/health").status_code
        told["backup"] = _backed_up(folder, "copy")
    told["after"] = board.dart()
    told["kept_after"] = board.kept() == list(range(1, board.seq + 1))
    told["entries"] = board.seq
    board.store.close()
    with filled(folder):
        told["start"] = [_started(folder / name) for name in ("data", "new")]
        told["cold backup"] = _backed_up(folder, "cold")
    return told


def read_only(folder: Path) -> dict[str, Any]:
    """Make the disk read-only under a running service, then start on it."""
    board = Board(folder / "data")
    board.dart()
    remount = ["mount", "-o", "remount,{}", str(folder)]
    board.store._writer.dispose()  # no file may be open for writing, or the system refuses
    board.store._readers.dispose()
    board.store._lock.close()
    board.store._files.clear()  # what is opened again is another log
    subprocess.run([part.format("ro") for part in remount], check=True)
    told: dict[str, Any] = {
        "running": board.dart(),
        "start": [_started(folder / name) for name in ("data", "new")],
    }
    told["backup"] = _backed_up(folder, "copy")
    subprocess.run([part.format("rw") for part in remount], check=True)
    told["after"], told["kept"] = board.dart(), board.kept()
    board.store.close()
    return told


def _backed_up(folder: Path, name: str) -> int | str:
    """Copy to another disk; gives the entries, or why not."""
    try:
        return back_up(folder / "data", folder.with_suffix(f".{name}")).entries
    except StoreRefused as error:
        return str(error)


def _started(folder: Path) -> list[Any]:
    """Start the program on a folder; gives its status and what it said."""
    call = [sys.executable, "-c", "from service.cli.main import main; main()", "serve", "--port", "0"]
    done = subprocess.run([*call, "--data", str(folder)], capture_output=True, text=True, timeout=120, check=False)
    return [done.returncode, done.stderr]


if __name__ == "__main__":
    place = Path(sys.argv[2])
    mounted(place)
    print(json.dumps({"full": full, "read_only": read_only}[sys.argv[1]](place)))  # noqa: T201
