"""How large the board is and how it tilts in depth: a first homography from the fan of the sectors.

Along a sector the board's radius r is seen at `s r / (1 + r (a cos t + b sin t))` from the bull, with three
unknowns for the whole board. Single areas are lighter or darker than both neighbours, the treble and double
rings are not (or the other way round, on boards of two colours), and outside the double ring nothing takes
turns any more: that pattern along the radius is what the three numbers are searched for with. Colours play no
part.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.find.pencil import ALTERNATING, Pencil
from vision.geometry import facing

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_EDGE_MM = 170.0
_ANGLES = np.radians(18.0 * np.arange(20))


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTuning:
    """The search for size and tilt; radii in mm on a regulation board, with room for boards that are not.

    Attributes
    ----------
    single_mm, ring_mm, outside_mm
        Where sectors take turns, where they do not or the other way round, and where nothing does.
    rough_single_mm
        Fewer, farther from the rings, for the coarse grid.
    tilt_step, tilt_most
        Grid of (a, b), per 170 mm; 0.65 shows the near edge of the board five times as large as the far one.
    least_px, size_step
        Grid of s (px at 170 mm in the middle of the view), in logarithms.
    starts
        Distinct places of the coarse grid that are refined; on real pictures the right one was among the first
        three.
    as_good
        Starts whose score is this near to the best are looked at too, if it comes to that: flights and glare moved
        scores by 0.1.
    """

    single_mm: tuple[float, ...] = (35, 50, 65, 80, 93, 113, 125, 137, 148, 157)
    rough_single_mm: tuple[float, ...] = (35, 52, 70, 86, 122, 135, 150)
    ring_mm: tuple[float, ...] = (102.5, 166)
    outside_mm: tuple[float, ...] = (178, 190)
    tilt_step: float = 0.1
    tilt_most: float = 0.65
    least_px: float = 40.0
    size_step: float = 0.04
    starts: int = 8
    as_good: float = 0.2


START = StartTuning()
_LOG_STEP = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Start:
    """A first board.

    Attributes
    ----------
    homography
        (3, 3), board mm (y toward the middle of the first, light sector) to px.
    score
        1.5 where all sectors take turns as they should, 1.0 in glare and among darts, below 0.6 where there is no
        board.
    """

    homography: Array
    score: float


def first_boards(luma: NDArray[np.uint8], pencil: Pencil, tuning: StartTuning = START) -> list[Start]:
    """Find sizes and tilts of the board around a fan of sectors in a luma picture (H, W), the best first."""
    smooth = np.asarray(cv2.blur(luma, (3, 3)), dtype=np.uint8)
    found = [_refined(smooth, pencil, rough, tuning) for rough in _rough_starts(smooth, pencil, tuning)]
    found.sort(key=lambda refined: -refined[1])
    chosen: list[tuple[Array, float]] = []
    for start, score in found:
        if score > found[0][1] - tuning.as_good and all(_apart(start, other, 0.03, 0.06) for other, _ in chosen):
            chosen.append((start, score))
    return [Start(homography=_homography(pencil, start), score=score) for start, score in chosen]


def _apart(start: Array, other: Array, size: float, tilt: float) -> bool:
    return bool(abs(np.log(start[2] / other[2])) > size or np.hypot(*(start - other)[:2]) > tilt)


def _rough_starts(luma: NDArray[np.uint8], pencil: Pencil, tuning: StartTuning) -> list[Array]:
    contrast, seen = _contrast_along_sectors(luma, pencil)
    shifts, tilts = _rough_shifts(tuning)
    last, rows = contrast.shape[1] - 1, np.arange(20, dtype=np.int32)[None, :, None] * contrast.shape[1]
    sizes = np.arange(np.log(tuning.least_px), np.log(0.9 * max(luma.shape)), tuning.size_step)
    scores = np.empty((len(sizes), len(tilts)), dtype=np.float32)
    flat, flat_seen = contrast.ravel(), seen.ravel()
    for place, size in enumerate(sizes):
        cells = np.clip(shifts + round(float(size) / _LOG_STEP), 0, last) + rows
        turns = flat[cells].sum(axis=1) / np.maximum(flat_seen[cells].sum(axis=1), 8)
        single, ring, outside = turns[:, :-2], turns[:, -2], turns[:, -1]
        scores[place] = single.mean(axis=1) + 0.3 * single.min(axis=1)
        scores[place] -= 0.5 * np.maximum(ring, 0) + 0.5 * np.abs(outside)
    return _distinct(scores, sizes, tilts, tuning.starts)


def _distinct(scores: Floats, sizes: Array, tilts: Array, most: int) -> list[Array]:
    chosen: list[Array] = []
    for flat in np.argsort(-scores, axis=None, kind="stable")[:600]:
        place, tilt = divmod(int(flat), len(tilts))
        start = np.array([*tilts[tilt], np.exp(sizes[place])])
        if all(_apart(start, other, 0.07, 0.15) for other in chosen):
            chosen.append(start)
        if len(chosen) == most:
            break
    return chosen


def _contrast_along_sectors(luma: NDArray[np.uint8], pencil: Pencil) -> tuple[Floats, Floats]:
    """Compare each sector with its neighbours along the radius (in logarithms): (20, R) contrast and view."""
    height, width = luma.shape
    logs = np.arange(np.log(6), np.log(1.3 * max(height, width)), _LOG_STEP)
    total = np.zeros((20, len(logs)))
    inside = np.ones((20, len(logs)), dtype=bool)
    for aside in np.radians([-4.0, 0.0, 4.0]):
        points = pencil.centre + pencil.direction(_ANGLES + aside)[:, None, :] * np.exp(logs)[:, None]
        x, y = points[..., 0], points[..., 1]
        inside &= (x >= 0) & (y >= 0) & (x < width - 1) & (y < height - 1)
        rows, columns = np.clip(y, 0, height - 1).astype(np.intp), np.clip(x, 0, width - 1).astype(np.intp)
        total += luma[rows, columns]
    return _turns(total / 3, inside, axis=0, signs=ALTERNATING[:, None])


def _turns(values: Array, inside: NDArray[np.bool_], axis: int, signs: Array) -> tuple[Floats, Floats]:
    """Give how much lighter (dark sectors: darker) than both neighbours, -1 … 1, and where all are seen."""
    beside = (np.roll(values, 1, axis) + np.roll(values, -1, axis)) / 2
    seen = inside & np.roll(inside, 1, axis) & np.roll(inside, -1, axis)
    contrast = np.clip(2 * (values - beside) / (values + beside + 15), -1, 1) * signs * seen
    return contrast.astype(np.float32), seen.astype(np.float32)


@cache
def _rough_shifts(tuning: StartTuning) -> tuple[NDArray[np.int32], Array]:
    steps = np.arange(-6, 7) * tuning.tilt_step
    tilts = np.stack([part.ravel() for part in np.meshgrid(steps, steps, indexing="ij")], axis=1)
    tilts = tilts[np.hypot(tilts[:, 0], tilts[:, 1]) < tuning.tilt_most]
    radii = np.array([*tuning.rough_single_mm, tuning.ring_mm[1], 184.0]) / _EDGE_MM
    depth = 1 + radii * (tilts @ np.stack([np.cos(_ANGLES), np.sin(_ANGLES)]))[:, :, None]
    logs = np.log(radii) - np.log(np.maximum(depth, 0.05)) - np.log(6)
    return np.round(logs / _LOG_STEP).astype(np.int32), tilts


def _refined(luma: NDArray[np.uint8], pencil: Pencil, start: Array, tuning: StartTuning) -> tuple[Array, float]:
    score, spread = -np.inf, tuning.tilt_step
    for stage in range(4):
        spread *= 0.55
        steps = spread * np.arange(-2, 3)
        sizes = start[2] * np.exp(np.linspace(-0.05, 0.05, 7) * 0.6**stage)
        grid = np.meshgrid(start[0] + steps, start[1] + steps, sizes, indexing="ij")
        near = np.stack([part.ravel() for part in grid], axis=1)
        scores = _scores(luma, pencil, near, tuning)
        start, score = near[int(np.argmax(scores))], float(np.max(scores))
    return start, score


def _scores(luma: NDArray[np.uint8], pencil: Pencil, starts: Array, tuning: StartTuning) -> Array:
    """Score (S, 3) starts of tilt (a, b) and size."""
    radii = np.array([*tuning.single_mm, *tuning.ring_mm, *tuning.outside_mm]) / _EDGE_MM
    depth = starts[:, :2] @ np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
    reach = starts[:, 2, None, None] * radii / np.maximum(1 + radii * depth[:, :, None], 0.05)
    direction = pencil.direction(_ANGLES)
    x = pencil.centre[0] + direction[:, 0, None] * reach
    y = pencil.centre[1] + direction[:, 1, None] * reach
    return area_scores(luma, x, y, ALTERNATING, tuning)


def area_scores(luma: NDArray[np.uint8], x: Array, y: Array, signs: Array, tuning: StartTuning = START) -> Array:
    """Score how light and dark take turns at points of a board.

    Parameters
    ----------
    luma
        (H, W).
    x, y
        (S, 20, R) px: for S views, the 20 sectors at the radii of `tuning`, single areas first.
    signs
        (20,) 1 for light sectors, -1 for dark.

    Returns
    -------
    NDArray
        (S,), as `Start.score`.
    """
    height, width = luma.shape
    inside = (x >= 0) & (x < width - 1) & (y >= 0) & (y < height - 1)
    rows, columns = np.clip(y, 0, height - 1).astype(np.intp), np.clip(x, 0, width - 1).astype(np.intp)
    values = luma[rows, columns].astype(np.float64)
    contrast, seen = _turns(values, inside, axis=1, signs=signs[None, :, None])
    turns = contrast.sum(axis=1) / np.maximum(seen.sum(axis=1), 8)
    single, rings, outside = np.split(turns, [len(tuning.single_mm), -len(tuning.outside_mm)], axis=1)
    score = single.mean(axis=1) + 0.5 * single.min(axis=1)
    score -= 0.7 * np.maximum(rings, 0).sum(axis=1) + 0.6 * np.abs(outside).mean(axis=1)
    return np.asarray(score, dtype=np.float64)


def _homography(pencil: Pencil, start: Array) -> Array:
    tilt_x, tilt_y, size = start[1] / _EDGE_MM, start[0] / _EDGE_MM, start[2] / _EDGE_MM
    # Board x is toward 90 degrees clockwise from the first sector, board y toward the sector itself.
    columns = pencil.direction(np.array([np.pi / 2, 0.0])).T * size
    tilt = np.array([tilt_x, tilt_y])
    homography = np.eye(3)
    homography[:2, :2] = columns + np.outer(pencil.centre, tilt)
    homography[:2, 2] = pencil.centre
    homography[2, :2] = tilt
    return facing(homography, (0, 0))
