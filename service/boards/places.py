"""Where a board's pictures come from, as people may name it and may see it."""

import re
from pathlib import Path
from typing import Final

HIDDEN: Final = "•••"
"""Stands for the password of a camera wherever its address is shown."""

_SECRET: Final = re.compile(r"^(\w+://)[^/@]*@")


def masked(source: str) -> str:
    """Give a source as people may see it: without the password of a camera."""
    return _SECRET.sub(rf"\1{HIDDEN}@", source)


def same_place(one: str, other: str) -> bool:
    """Say whether two sources are one: of a device it may be one of several names."""
    if one == other:
        return True
    if not (one.startswith("/dev/") and other.startswith("/dev/")):
        return False
    return Path(one).resolve() == Path(other).resolve()


__all__ = ["HIDDEN", "masked", "same_place"]
