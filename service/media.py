"""Pictures and clips beside the store: files named by what is in them, written whole or not at all.

A name is 64 hexadecimal digits and nothing else, so no request can name a path.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from service.store.database import sync_folder

_NAME = re.compile(r"[0-9a-f]{64}")

SESSIONS = "sessions"
"""Folder beside the media folder: whole sessions of cameras, where the settings have them kept."""

KINDS = {".jpg": "image/jpeg", ".mp4": "video/mp4", ".webm": "video/webm", ".mkv": "video/x-matroska"}
"""What is kept, by the suffix of its file."""


class Media:
    """The media folder of a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, data: bytes, suffix: str = ".jpg", *, lasting: bool = True) -> str:
        """Keep bytes and give their name; the same bytes are kept once.

        What is not `lasting` yet is there for everybody and survives this process, not yet the loss of power:
        `make_lasting` sees to that. It takes tens of milliseconds, and an event that people wait for comes first.
        """
        name = hashlib.sha256(data).hexdigest()
        target = self._path(name, suffix)
        if target.exists() and target.stat().st_size == len(data):
            return name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".part{os.getpid()}")
        with part.open("wb") as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        part.replace(target)
        if lasting:
            sync_folder(target.parent)
        return name

    def make_lasting(self, names: Iterable[str]) -> None:
        """Have what was kept survive the loss of power too."""
        for path in filter(None, map(self.find, names)):
            with path.open("rb") as file:
                os.fsync(file.fileno())
            sync_folder(path.parent)

    def find(self, name: str) -> Path | None:
        """Give the file of a name, or None where there is none or the name is none."""
        if not _NAME.fullmatch(name):
            return None
        paths = (self._path(name, suffix) for suffix in KINDS)
        return next((path for path in paths if path.is_file()), None)

    def all(self) -> Iterator[Path]:
        """Give every file there is."""
        for suffix in KINDS:
            yield from self.folder.glob(f"[0-9a-f][0-9a-f]/*{suffix}")

    def unfinished(self) -> Iterator[Path]:
        """Give what a process that was killed had begun to write, or another writes right now."""
        yield from self.folder.glob("[0-9a-f][0-9a-f]/*.part*")

    def _path(self, name: str, suffix: str) -> Path:
        return self.folder / name[:2] / f"{name}{suffix}"
