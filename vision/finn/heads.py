"""Heads of standing pins compared, whatever way they are turned: the number that one shows names it again.

The pins of a game are their own examples: what each head showed when its name was known is compared with what a
head shows now, at every turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.light import Floats
from vision.finn.pins import Body
from vision.finn.state import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadTuning:
    """How heads are compared.

    Attributes
    ----------
    points
        Across a head.
    inner
        Share of its radius that is looked at: its rim says nothing.
    turns
        That are tried.
    shifts
        Radii by which a head may lie aside from where it is thought.
    levels
        Radii below the top of the pin where the middle of the head lies, and by how many radii a radius it falls
        toward the thrower: flat heads, and bevelled ones, which face the thrower.
    """

    points: int = 19
    inner: float = 0.8
    turns: int = 36
    shifts: tuple[float, ...] = (-0.2, 0.0, 0.2)
    levels: tuple[tuple[float, float], ...] = ((0.0, 0.0), (0.8, 0.8))


TUNING: Final = HeadTuning()


def _grid() -> Array:
    across = np.linspace(-TUNING.inner, TUNING.inner, TUNING.points)
    grid = np.stack(np.meshgrid(across, across), axis=2).reshape(-1, 2)
    return np.asarray(grid[np.hypot(grid[:, 0], grid[:, 1]) <= TUNING.inner])


_GRID: Final = _grid()


def turned_heads(log: Floats, xy: Place, body: Body, camera: Camera, level: tuple[float, float]) -> Floats:
    """Give what the head of a pin at `xy` cm shows at every turn: (turns, points), each of mean 0 and length 1."""
    angles = np.arange(TUNING.turns) * 2 * np.pi / TUNING.turns
    turning = np.array([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]]).transpose(2, 0, 1)
    return _patches(log, _GRID @ turning * body.radius_cm, xy, body, camera, level)


def shifted_heads(log: Floats, xy: Place, body: Body, camera: Camera, level: tuple[float, float]) -> Floats:
    """Give what the head of a pin at about `xy` cm shows: (shifts, points), each of mean 0 and length 1."""
    shifts = np.array([(dx, dy) for dx in TUNING.shifts for dy in TUNING.shifts])
    return _patches(log, (_GRID + shifts[:, None]) * body.radius_cm, xy, body, camera, level)


def _patches(  # noqa: PLR0917 - a picture, and what is looked at in it
    log: Floats, spots_cm: Array, xy: Place, body: Body, camera: Camera, level: tuple[float, float]
) -> Floats:
    """Look at (N, P, 2) spots about the middle of a head: (N, P), each row of mean 0 and length 1."""
    below, slope = level
    heights = body.height_cm - below * body.radius_cm + slope * spots_cm[..., :1]
    flat = np.concatenate([spots_cm + xy, heights], axis=2)
    points = camera.to_px(flat.reshape(-1, 3)).astype(np.float32).reshape(*spots_cm.shape)
    seen = cv2.remap(log, points[..., 0], points[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    grey = seen.mean(axis=2)
    grey -= grey.mean(axis=1, keepdims=True)
    return np.asarray(grey / np.maximum(np.linalg.norm(grey, axis=1, keepdims=True), 1e-6), np.float32)


def alike(
    before: tuple[Floats, list[Place]],
    now: tuple[Floats, list[Place]],
    body: Body,
    camera: Camera,
    levels: Sequence[tuple[float, float]] = TUNING.levels,
) -> Array:
    """Say how alike heads are, whatever way they are turned.

    Parameters
    ----------
    before, now
        Two pictures, (H, W, 3) logarithms, and N and M places of standing pins in them, cm.
    body, camera
        Sizes and view.
    levels
        How heads may be cut.

    Returns
    -------
    NDArray
        (N, M), 1 for the same.
    """
    best = np.full((len(before[1]), len(now[1])), -1.0)
    for level in levels:
        mine = [turned_heads(before[0], xy, body, camera, level) for xy in before[1]]
        theirs = [shifted_heads(now[0], xy, body, camera, level) for xy in now[1]]
        for row, first in enumerate(mine):
            for column, second in enumerate(theirs):
                best[row, column] = max(best[row, column], float((first @ second.T).max()))
    return best
