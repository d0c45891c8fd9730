"""Maps of the flat picture in which balls are sought: how like a ball of either side each place is."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.ball_limits import LIMITS
from vision.astrolabe.likeness import bins_of, looked_up_at
from vision.astrolabe.looks import Looker
from vision.astrolabe.view import PX_PER_CM

Array = NDArray[np.float64]
Map = NDArray[np.float32]
Point = tuple[float, float]

HALF: Final = 2
MAP_PX: Final = PX_PER_CM / HALF
"""Pixels a centimetre of the maps: half as fine as the flat picture."""


def like_maps(looker: Looker) -> list[Map]:
    """Give, by side, how much likelier each pixel of the flat picture is a ball's than the table's."""
    bins, gutters = bins_of(looker.flat), looker.view.gutters
    maps = []
    for side in looker.sides:
        like = looked_up_at(looker.likeness.board[side], bins)
        like[gutters] = looked_up_at(looker.likeness.gutter[side], bins[gutters])
        maps.append(like)
    return maps


def ball_maps(like: list[Map], looker: Looker) -> tuple[list[Map], list[Map]]:
    """Give, by side, the mean likeness inside and around a ball, `MAP_PX` pixels a centimetre."""
    radius = looker.view.radius_cm * MAP_PX
    disc, ring = _disc(0.75 * radius), _disc(1.45 * radius)
    hole = _disc(1.1 * radius)
    ring -= np.pad(hole, (len(ring) - len(hole)) // 2)
    small = [_halved(one) for one in like]
    inside = [_filtered(one, disc / disc.sum()) for one in small]
    return inside, [_filtered(one, ring / ring.sum()) for one in small]


def without(score: Map, taken: Sequence[Point], near_cm: float) -> Map:
    """Leave out of a map, (h, w), all that is nearer to known balls, so that one that touches them has its peak.

    Exactly all: what is left at its rim could not be told from a ball beyond it, and would be passed over with it.
    """
    left = score.copy()
    for x, y in taken:
        rows, columns = span(y, near_cm, len(left)), span(x, near_cm, left.shape[1])
        across, along = np.meshgrid(
            *((np.arange(part.start, part.stop) + 0.5) / MAP_PX for part in (columns, rows))
        )
        left[rows, columns][np.hypot(across - x, along - y) < near_cm] = -LIMITS.nothing
    return left


def span(centre_cm: float, play_cm: float, size: int) -> slice:
    """Give the rows, or columns, of a map within ± `play` cm of a place."""
    first = int(np.floor((centre_cm - play_cm) * MAP_PX))
    last = int(np.ceil((centre_cm + play_cm) * MAP_PX))
    return slice(int(np.clip(first, 0, size - 1)), int(np.clip(last, 1, size)))


def span_cm(centre: Point, play: Point) -> list[Point]:
    """Give places all over a window of ± `play` cm."""
    across, along = np.linspace(-play[0], play[0], 5), np.linspace(-play[1], play[1], 3)
    return [(centre[0] + float(dx), centre[1] + float(dy)) for dx in across for dy in along]


def around(x: float, y: float, steps: Array) -> Array:
    """Give places around (x, y), every pair of steps: (n * n, 2)."""
    return np.array([(x + dx, y + dy) for dx in steps for dy in steps])


def to_cm(pixel: float) -> float:
    """Give where the middle of a row, or column, of a map is."""
    return (pixel + 0.5) / MAP_PX


def _disc(radius: float) -> NDArray[np.float32]:
    reach = int(np.ceil(radius))
    axis = np.arange(-reach, reach + 1)
    return (np.hypot(*np.meshgrid(axis, axis)) <= radius).astype(np.float32)


def _filtered(values: Map, kernel: Map) -> Map:
    return np.asarray(cv2.filter2D(values, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)


def _halved(values: Map) -> Map:
    size = (values.shape[1] // HALF, values.shape[0] // HALF)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)
