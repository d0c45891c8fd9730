"""A synthetic shot of Finn Billiards as the pin finder learns from it, and the shards that hold such."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bytes = NDArray[np.uint8]

BARE, UPRIGHT, LYING, LEANING, DISC = range(5)
"""What a pixel shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One shot, redrawn as `vision.finn.bird` does.

    Attributes
    ----------
    before, after
        (H, W, 3) BGR.
    known
        (H, W) where the pins stood before.
    shows
        (H, W) what each pixel shows: `BARE` …
    owner
        (H, W) which row of `axes` is seen there, plus 1; 0 for none.
    axes
        (N, 2, 2) px: where foot and head of each body are seen.
    eye_cm
        (3,).
    """

    before: Bytes
    after: Bytes
    known: Bytes
    shows: Bytes
    owner: Bytes
    axes: Array
    eye_cm: Array


def load_shard(path: Path) -> list[Sample]:
    """Read a shard."""
    with np.load(path) as parts:
        seeds = sorted({key.split("_")[0] for key in parts.files})
        return [_loaded({name: parts[f"{seed}_{name}"] for name in _PARTS}) for seed in seeds]


_PARTS: Final = ("before", "after", "known", "shows", "owner", "axes", "eye")


def _loaded(parts: dict[str, NDArray[np.generic]]) -> Sample:
    pictures = {name: cv2.imdecode(np.asarray(parts[name], np.uint8), cv2.IMREAD_UNCHANGED) for name in _PARTS[:5]}
    return Sample(**pictures, axes=parts["axes"], eye_cm=parts["eye"])  # type: ignore[arg-type]
