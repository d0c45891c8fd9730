"""How the twenty sectors fan out around the bull: the shape of the view, but for its size and its tilt in depth.

Seen from anywhere, the sector edges leave the bull in the directions `A d` for the directions `d` of the board,
with a 2 x 2 matrix A that only matters up to scale: how strongly the board is squeezed, along which axis, and
how it is turned. These three numbers are searched over a grid; light and dark sectors take turns, which edges
(by the side that is dark) and areas (by being lighter than their neighbours) both tell. Turned means: up to 36
degrees, since light and dark are told apart but not their numbers.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.find.rays import Edges, aimed_at

Array = NDArray[np.float64]

BINS = 720
"""Directions around the bull are counted in half degrees: sectors shrink to 5 degrees in the flattest views."""

ALTERNATING = np.where(np.arange(20) % 2 == 0, 1.0, -1.0)
"""Sectors are counted clockwise from a light one; edge k lies between sectors k and k + 1."""

_MIDDLES = np.radians(18.0 * np.arange(20))
_BORDERS = _MIDDLES + np.radians(9.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PencilTuning:
    """The grid of views and how directions are weighed.

    Attributes
    ----------
    squeezes
        Ratio of the axes; 3.6 is a camera 16 degrees above the board.
    axis_step, turn_step
        Degrees; refined threefold afterwards.
    inner, outer
        Where areas are compared: shares of the picture's longer side from the bull.
    circles
        Circles around the bull on which areas are compared.
    window
        Bins over which a direction is compared with its surroundings (50 degrees), so that glare does not matter.
    """

    squeezes: tuple[float, ...] = (1, 1.12, 1.25, 1.4, 1.6, 1.8, 2.05, 2.35, 2.7, 3.1, 3.6)
    axis_step: float = 7.5
    turn_step: float = 1.5
    inner: float = 0.025
    outer: float = 0.5
    circles: int = 48
    window: int = 101
    edge_blur_bins: float = 2.0


PENCIL = PencilTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pencil:
    """The fan of the sectors around a bull.

    Attributes
    ----------
    centre
        (2,) px, the bull.
    squeeze, axis, turn
        Ratio of the axes; direction of the long axis; direction of the middle of the first (light) sector before
        the squeeze; angles in radians, clockwise as seen, from the picture's x axis.
    score
        How well light and dark take turns: 0 by chance, about 0.4 where chance is lucky, above 1.5 on boards.
    """

    centre: Array
    squeeze: float
    axis: float
    turn: float
    score: float

    def direction(self, clockwise: Array) -> Array:
        """Give (…, 2) px directions, long axis 1, for radians clockwise from the first sector's middle."""
        turned = np.asarray(clockwise) + self.turn - self.axis
        along, across = np.cos(turned), np.sin(turned) / self.squeeze
        cos, sin = np.cos(self.axis), np.sin(self.axis)
        return np.stack([cos * along - sin * across, sin * along + cos * across], axis=-1)


def best_pencil(luma: NDArray[np.uint8], edges: Edges, centre: Array, tuning: PencilTuning = PENCIL) -> Pencil:
    """Find the fan around `centre` (2,) px that light and dark follow best in a luma picture (H, W)."""
    borders, areas = _edge_votes(edges, centre, tuning), _area_votes(luma, centre, tuning)

    def scores(views: Array) -> Array:
        at_borders = borders[_bins(views, _BORDERS)] @ ALTERNATING
        return np.asarray(at_borders / 20 + areas[_bins(views, _MIDDLES)] @ ALTERNATING / 40)

    coarse = borders[_grid_bins(tuning, True)] @ ALTERNATING / 20
    coarse += areas[_grid_bins(tuning, False)] @ ALTERNATING / 40
    view = _views(tuning)[int(np.argmax(coarse))]
    score = float(np.max(coarse))
    for fineness in (1.0, 0.5, 0.25):
        near = _near(view, fineness)
        values = scores(near)
        view, score = near[int(np.argmax(values))], float(np.max(values))
    return Pencil(centre=centre, squeeze=float(view[0]), axis=float(view[1]), turn=float(view[2]), score=score)


def _edge_votes(edges: Edges, centre: Array, tuning: PencilTuning) -> Array:
    """Count edge length by direction from the centre, plus where light turns dark clockwise; capped, -1 … 1."""
    aimed = aimed_at(edges, centre)
    away = edges.middle[aimed] - centre
    outward = np.sign(np.sum(away * edges.direction[aimed], axis=1))
    bins = np.floor(np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) * BINS).astype(np.intp) % BINS
    votes = np.bincount(bins, outward * edges.length[aimed], minlength=BINS)
    kernel = cv2.getGaussianKernel(13, tuning.edge_blur_bins).ravel()
    smooth = np.convolve(np.concatenate([votes[-6:], votes, votes[:6]]), kernel / kernel.max(), "valid")
    cap = 0.7 * float(np.percentile(np.abs(smooth), 99)) + 1e-9
    return np.clip(smooth / cap, -1, 1)


def _area_votes(luma: NDArray[np.uint8], centre: Array, tuning: PencilTuning) -> Array:
    """Say by direction how much lighter the picture is than beside, summed over circles around the centre."""
    height, width = luma.shape
    angle = np.arange(BINS) * (2 * np.pi / BINS)
    radius = np.geomspace(tuning.inner, tuning.outer, tuning.circles)[:, None] * max(height, width)
    x = (centre[0] + radius * np.cos(angle)).astype(np.float32)
    y = (centre[1] + radius * np.sin(angle)).astype(np.float32)
    polar = cv2.remap(luma, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    window = tuning.window
    wrapped = np.hstack([polar[:, -window:], polar, polar[:, :window]])
    mean = cv2.blur(wrapped, (window, 1))
    spread = np.sqrt(np.maximum(cv2.blur(wrapped * wrapped, (window, 1)) - mean * mean, 0))
    lighter = np.clip((wrapped - mean) / (spread + 8), -1, 1)[:, window:-window]
    lighter[(x < 0) | (y < 0) | (x >= width) | (y >= height)] = 0
    return np.asarray(lighter.sum(axis=0) / 8, dtype=np.float64)


def _bins(views: Array, clockwise: Array) -> NDArray[np.intp]:
    """Give (V, 20) direction bins of board angles (20,) under (V, 3) views of squeeze, axis and turn."""
    squeeze, axis, turn = views[:, :1], views[:, 1:2], views[:, 2:]
    turned = clockwise[None] + turn - axis
    seen = np.arctan2(np.sin(turned) / squeeze, np.cos(turned)) + axis
    return np.round(seen / (2 * np.pi) * BINS).astype(np.intp) % BINS


@cache
def _views(tuning: PencilTuning) -> Array:
    axes = np.radians(np.arange(0, 180, tuning.axis_step))
    turns = np.radians(np.arange(0, 36, tuning.turn_step))
    grid = np.meshgrid(np.array(tuning.squeezes, dtype=np.float64), axes, turns, indexing="ij")
    return np.stack([part.ravel() for part in grid], axis=1)


@cache
def _grid_bins(tuning: PencilTuning, borders: bool) -> NDArray[np.intp]:
    return _bins(_views(tuning), _BORDERS if borders else _MIDDLES)


def _near(view: Array, fineness: float) -> Array:
    squeezes = np.maximum(view[0] * (1 + 0.1 * fineness * np.array([-1, 0, 1])), 1)
    axes = view[1] + np.radians(5 * fineness) * np.array([-1, 0, 1])
    turns = view[2] + np.radians(1.2 * fineness) * np.arange(-2, 3)
    return np.stack([part.ravel() for part in np.meshgrid(squeezes, axes, turns, indexing="ij")], axis=1)
