"""JSON from people and foreign programs: whatever is wrong with it, or with its file, is one kind of error."""

import json
from pathlib import Path
from typing import Any, Final

MOST: Final = 2**63
"""Whole numbers beyond it measure nothing here, and cannot all become a float."""


def read_json(path: Path) -> Any:  # noqa: ANN401 - what it holds is for the caller to check
    """Read a JSON file, with or without a byte order mark.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is no UTF-8, no JSON, or `path` is no name that a file can have.
    """
    return parse_json(path.read_text(encoding="utf-8-sig"))


def why(error: Exception) -> str:
    """Give what was wrong with a file, for a sentence that names it already: without number and path."""
    return str(getattr(error, "strerror", None) or error)


def parse_json(text: str) -> Any:  # noqa: ANN401 - what it holds is for the caller to check
    """Read JSON.

    Raises
    ------
    ValueError
        If it is none, is nested too deep, or holds a whole number of 64 bits or more.
    """
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _whole(digits: str) -> int:
    if len(digits) > len(str(-MOST)) or abs(int(digits)) >= MOST:
        raise ValueError(f"a whole number of {len(digits)} digits")
    return int(digits)
