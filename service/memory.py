"""How the C library keeps memory: what pictures took is kept for the next ones instead of being given back.

Working on pictures means making and dropping arrays of some megabytes. By default glibc asks the system for each
of them anew and gives it back at once; then every page of it is fetched again, which costs more than what is done
with it: a quarter of the time of a comparison of two pictures.
"""

import ctypes
from contextlib import suppress
from typing import Final

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of malloc.h

KEPT_BYTES: Final = 256 << 20
"""So much that is free stays with the process: one scene of the largest pictures, and no more."""

LARGE_BYTES: Final = 32 << 20
"""Larger arrays are still asked of the system one by one; glibc takes no more than this."""


def keep_freed_memory() -> bool:
    """Ask the C library to keep what is freed; False where it is none that knows how (it then does as it does)."""
    with suppress(OSError, AttributeError, TypeError):
        tune = ctypes.CDLL(None).mallopt
        return bool(tune(_MMAP_THRESHOLD, LARGE_BYTES)) and bool(tune(_TRIM_THRESHOLD, KEPT_BYTES))
    return False
