"""Zip files that are there whole or not at all."""

import zipfile
from collections.abc import Mapping
from pathlib import Path


def write_new(target: Path, folder: str, parts: Mapping[str, bytes | str]) -> None:
    """Write parts by name, within `folder`, to a zip file that does not exist yet.

    Raises
    ------
    FileExistsError
        If it does; it is left as it is.
    OSError
        If it cannot be written; nothing of it is left.
    """
    try:
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as bundle:
            for name, data in parts.items():
                bundle.writestr(f"{folder}/{name}", data)
    except FileExistsError:
        raise
    except OSError:
        target.unlink(missing_ok=True)
        raise
