"""Sets of scenes that are kept: named by recipe and kind, made once, so that measuring again draws nothing again.

A set's folder carries a digest of the code that draws it. Another recipe has another folder, and old pictures are
never taken for new ones.
"""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent


@lru_cache(maxsize=1)
def recipe_digest() -> str:
    """Give twelve digits that change whenever any of the code that draws does."""
    total = hashlib.sha256()
    for path in sorted(HERE.rglob("*.py")):
        total.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:12]


def kept_in(game: str, kind: str, quality: str, home: Path | None = None) -> Path:
    """Give the folder of a set; scenes of any seed may lie in it, each under its seed.

    Parameters
    ----------
    home
        Where sets are kept: `tallycam/sets` in the user's cache (`XDG_CACHE_HOME`) if not given.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (home or cache / "tallycam" / "sets") / f"{game}-{kind}-{quality}-{recipe_digest()}"
