"""Scoresheets as files: read with every fault named by file and line, written whole or not at all."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from engine import Scoresheet, ScoresheetError, format_sheet, parse_sheet

STDIN: Final = "-"
MOST_BYTES: Final = 256 * 1024 * 1024
"""A longer file is no scoresheet: a match of a whole day has under a megabyte. It also ends reading a device."""


class SheetFileError(Exception):
    """A file that cannot be read as a scoresheet; the text names the file, the line, and what is wrong."""


def read_sheet(path: str) -> Scoresheet:
    """Give the scoresheet of a file, `-` for standard input. Raises `SheetFileError`."""
    named = path.encode(errors="replace").decode()  # a name that is not UTF-8 can be printed too
    try:
        if path == STDIN:
            data = _read(sys.stdin.buffer)
        else:
            with Path(path).open("rb") as file:
                data = _read(file)
        return parse_sheet(data)
    except OSError as error:
        raise SheetFileError(f"{named}: {(error.strerror or 'cannot be read').lower()}") from None
    except ValueError as error:  # ScoresheetError, or a name with a zero in it
        raise SheetFileError(f"{named}: {error}") from None


def _read(file: BinaryIO) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ScoresheetError(data.count(b"\n") + 1, f"more than {MOST_BYTES} bytes, which no scoresheet has")
    return data


def write_sheet(path: Path, sheet: Scoresheet) -> None:
    """Write the canonical text beside the file, then put it in its place."""
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(format_sheet(sheet), encoding="utf-8", newline="\n")
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
