"""What the tip finder learns from: pairs of synthetic pictures redrawn in board coordinates, kept in shards.

A shard is a pure function of its number, so that making them can stop, go on and be shared out; a finished shard
is never made twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.canvas import Canvas, Picture, redraw
from vision.darts.learned import FIND, PATCH_MM_PER_PX
from vision.geometry import PlaneMap
from vision.synth.cricket.pairs import Shot, shots

SCENES_PER_SHARD = 8
STORED_PATCH = 160
"""Side of a stored patch: the network's 96 px and room to shift and turn it."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look at a board.

    Attributes
    ----------
    after, before
        JPEG bytes of the whole board in `FIND` coordinates; `before` is empty where there is none.
    tips_mm
        (N, 2) tips that are to be found.
    patches
        For each tip and some places that are none: JPEG bytes after, before, where the tip lies from the patch's
        centre in mm (nan where there is none), share of the tip that can be seen.
    """

    after: bytes
    before: bytes
    tips_mm: Array
    patches: list[tuple[bytes, bytes, Array, float]]


def make_shard(number: int, folder: Path) -> Path:
    """Make shard `number` if it is not there; gives its path."""
    path = folder / f"tips-{number:05d}.npz"
    if not path.exists():
        rng = np.random.default_rng((number, 401))
        samples = [
            sample
            for scene in range(number * SCENES_PER_SHARD, (number + 1) * SCENES_PER_SHARD)
            for sample in _scene_samples(scene, rng)
        ]
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, samples=np.array(samples, dtype=object))
        part.rename(path)
    return path


def load_shard(path: Path) -> list[Sample]:
    """Read a shard that `make_shard` wrote (pickled values: only ever one's own)."""
    with np.load(path, allow_pickle=True) as stored:
        return list(stored["samples"])


def _scene_samples(seed: int, rng: np.random.Generator) -> Iterator[Sample]:
    for shot in shots(seed):
        yield sample_of(shot, rng)


def sample_of(shot: Shot, rng: np.random.Generator) -> Sample:
    """Redraw a synthetic shot as the networks will see it, with the errors that calibration makes."""
    plane = _misplaced(shot.plane.turned(18.0 * float(rng.integers(0, 20))), rng)
    tips = plane.to_board(shot.plane.to_px(shot.tips_mm)) if len(shot.tips_mm) else np.zeros((0, 2))
    canvas = FIND
    before_plane = _misplaced(plane, rng, shift_mm=0.5, bend_mm=0.0)
    before = None if shot.before is None else redraw(shot.before, before_plane, canvas)
    centres = [tip + rng.normal(0, 3.0, 2) for tip in tips] + _elsewhere(tips, shot, plane, rng)
    patches = []
    for centre in centres:
        window = Canvas(
            centre_mm=(float(centre[0]), float(centre[1])), mm_per_px=PATCH_MM_PER_PX, size=STORED_PATCH
        )
        gaps = np.linalg.norm(tips - centre, axis=1) if len(tips) else np.array([np.inf])
        near = int(np.argmin(gaps))
        offset = tips[near] - centre if gaps[near] < 12 else np.full(2, np.nan)
        share = float(shot.visible[near]) if gaps[near] < 12 else 0.0
        patches.append(
            (
                _jpeg(redraw(shot.after, plane, window)),
                b"" if shot.before is None else _jpeg(redraw(shot.before, before_plane, window)),
                offset,
                share,
            )
        )
    return Sample(
        after=_jpeg(redraw(shot.after, plane, canvas)),
        before=b"" if before is None else _jpeg(before),
        tips_mm=tips,
        patches=patches,
    )


def _misplaced(plane: PlaneMap, rng: np.random.Generator, shift_mm: float = 0.8, bend_mm: float = 0.6) -> PlaneMap:
    """Give a plane that is off as a fitted one is: shifted, and bent by moving four far points."""
    corners = np.array([[170.0, 0], [0, 170], [-170, 0], [0, -170]])
    moved = corners + rng.normal(0, shift_mm, 2) + rng.normal(0, max(bend_mm, 1e-9), (4, 2))
    error = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    return PlaneMap(homography=plane.homography @ error, lens=plane.lens)


def _elsewhere(tips: Array, shot: Shot, plane: PlaneMap, rng: np.random.Generator) -> list[Array]:
    """Give places that could be taken for tips: along the darts, earlier tips, anywhere on the board."""
    places = [rng.normal(0, 80, 2)]
    known = np.reshape(shot.known_mm, (-1, 2))
    if len(known):
        places.append(plane.to_board(shot.plane.to_px(known))[int(rng.integers(len(known)))])
    for tip, end_px in zip(tips, shot.flights_px, strict=True):
        end = plane.to_board(np.reshape(end_px, (1, 2)))[0]
        places.append(tip + (end - tip) * rng.uniform(0.15, 0.9))
    return [place for place in places if not len(tips) or np.linalg.norm(tips - place, axis=1).min() > 14]


def _jpeg(picture: Picture) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 94])[1].tobytes()
