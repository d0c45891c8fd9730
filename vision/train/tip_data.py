"""What the tip finder learns from: synthetic pictures redrawn in board coordinates, kept in shards.

A shard is a pure function of its number, so that making them can stop, go on and be shared out; a finished shard
is never made twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.canvas import Canvas, Picture, redraw
from vision.darts.learned import BOARD
from vision.geometry import PlaneMap
from vision.synth.cricket.pairs import Shot, shots
from vision.synth.cricket.singles import Single, singles

SCENES_PER_SHARD = 8
MASK = Canvas(centre_mm=(0.0, 0.0), mm_per_px=3.0, size=160)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look at a board.

    Attributes
    ----------
    picture
        JPEG bytes of the board as `BOARD` shows it.
    before
        The same of the picture from before the darts that are asked for; empty where all are.
    darts
        PNG bytes, as `MASK` shows it: how much of each pixel is a dart that is asked for.
    tips_mm
        (N, 2) their tips, in the frame of the picture.
    visible
        (N,) share of each tip that can be seen.
    eye_mm
        (3,) where the camera is, z from the board.
    """

    picture: bytes
    darts: bytes
    tips_mm: Array
    visible: Array
    eye_mm: Array
    before: bytes = b""


Kind: TypeAlias = Literal["tips", "pair"]
KINDS: Final[tuple[Kind, ...]] = ("tips", "pair")
"""Of shards: pictures alone; pictures with the one from before."""


def make_shard(number: int, folder: Path, kind: Kind = "tips") -> Path:
    """Make shard `number` of a kind if it is not there; gives its path."""
    path = folder / f"{kind}-{number:05d}.npz"
    if not path.exists():
        rng = np.random.default_rng((number, 401))
        scenes = range(number * SCENES_PER_SHARD, (number + 1) * SCENES_PER_SHARD)
        draw = singles if kind == "tips" else _pairs
        samples = [sample_of(drawn, rng) for scene in scenes for drawn in draw(scene)]
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, samples=np.array(samples, dtype=object))
        part.rename(path)
    return path


def load_shard(path: Path) -> list[Sample]:
    """Read a shard that `make_shard` wrote (pickled values: only ever one's own)."""
    with np.load(path, allow_pickle=True) as stored:
        return list(stored["samples"])


def _pairs(seed: int) -> Iterator[Shot]:
    return (shot for shot in shots(seed) if shot.before is not None)


def sample_of(drawn: Single | Shot, rng: np.random.Generator) -> Sample:
    """Redraw a synthetic picture as the networks will see it, with the errors that calibration makes."""
    plane = _misplaced(drawn.plane, rng)
    tips = plane.to_board(drawn.plane.to_px(drawn.tips_mm)) if len(drawn.tips_mm) else np.zeros((0, 2))
    mask = redraw(np.asarray(drawn.darts * 255, np.uint8), plane, MASK)
    before, after = (None, drawn.picture) if isinstance(drawn, Single) else (drawn.before, drawn.after)
    return Sample(
        picture=_photo(after, plane),
        before=b"" if before is None else _photo(before, plane),
        darts=_encoded(".png", mask, []),
        tips_mm=tips,
        visible=drawn.visible,
        eye_mm=drawn.eye_mm,
    )


def _photo(picture: Picture, plane: PlaneMap) -> bytes:
    return _encoded(".jpg", redraw(picture, plane, BOARD), [cv2.IMWRITE_JPEG_QUALITY, 93])


def _misplaced(plane: PlaneMap, rng: np.random.Generator, shift_mm: float = 0.8, bend_mm: float = 0.6) -> PlaneMap:
    """Give a plane that is off as a fitted one is: shifted, and bent by moving four far points."""
    corners = np.array([[170.0, 0], [0, 170], [-170, 0], [0, -170]])
    moved = corners + rng.normal(0, shift_mm, 2) + rng.normal(0, bend_mm, (4, 2))
    error = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    return PlaneMap(homography=plane.homography @ error, lens=plane.lens)


def _encoded(kind: str, picture: Picture, how: list[int]) -> bytes:
    return cv2.imencode(kind, picture, how)[1].tobytes()
