"""Pictures beside the store: files named by what is in them, written whole or not at all.

A name is 64 hexadecimal digits and nothing else, so no request can name a path.
"""

import hashlib
import os
import re
from pathlib import Path

from service.store.database import sync_folder

_NAME = re.compile(r"[0-9a-f]{64}")


class Media:
    """The media folder of a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, data: bytes) -> str:
        """Keep bytes and give their name; the same bytes are kept once."""
        name = hashlib.sha256(data).hexdigest()
        target = self._path(name)
        if target.exists():
            return name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".part{os.getpid()}")
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        sync_folder(target.parent)
        return name

    def find(self, name: str) -> Path | None:
        """Give the file of a name, or None where there is none or the name is none."""
        if not _NAME.fullmatch(name):
            return None
        path = self._path(name)
        return path if path.is_file() else None

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name}.jpg"
