"""Heads of standing pins compared, whatever way they are turned: the number that one shows names it again.

The pins of a game are their own examples: what each head showed when its name was known is compared with what a
head shows now, at every turn.
"""

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
    return np.stack([_patch(log, xy, body, camera, level, float(angle)) for angle in angles])


def shifted_heads(log: Floats, xy: Place, body: Body, camera: Camera, level: tuple[float, float]) -> Floats:
    """Give what the head of a pin at about `xy` cm shows: (shifts, points), each of mean 0 and length 1."""
    places = [
        (xy[0] + dx * body.radius_cm, xy[1] + dy * body.radius_cm) for dx in TUNING.shifts for dy in TUNING.shifts
    ]
    return np.stack([_patch(log, place, body, camera, level, 0.0) for place in places])


def _patch(log: Floats, xy: Place, body: Body, camera: Camera, level: tuple[float, float], turn: float) -> Floats:  # noqa: PLR0917
    turning = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    flat = _GRID @ turning * body.radius_cm + xy
    below, slope = level
    heights = body.height_cm - below * body.radius_cm + slope * (flat[:, 0] - xy[0])
    points = camera.to_px(np.column_stack([flat, heights])).astype(np.float32)
    seen = cv2.remap(log, points[:, :1], points[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    grey = seen.reshape(-1, 3).mean(axis=1)
    grey = grey - grey.mean()
    return np.asarray(grey / max(float(np.linalg.norm(grey)), 1e-6), np.float32)


def alike(
    before: tuple[Floats, list[Place]], now: tuple[Floats, list[Place]], body: Body, camera: Camera
) -> Array:
    """Say how alike heads are, whatever way they are turned.

    Parameters
    ----------
    before, now
        Two pictures, (H, W, 3) logarithms, and N and M places of standing pins in them, cm.
    body, camera
        Sizes and view.

    Returns
    -------
    NDArray
        (N, M), 1 for the same.
    """
    best = np.full((len(before[1]), len(now[1])), -1.0)
    for level in TUNING.levels:
        mine = [turned_heads(before[0], xy, body, camera, level) for xy in before[1]]
        theirs = [shifted_heads(now[0], xy, body, camera, level) for xy in now[1]]
        for row, first in enumerate(mine):
            for column, second in enumerate(theirs):
                best[row, column] = max(best[row, column], float((first @ second.T).max()))
    return best
