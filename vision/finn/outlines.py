"""Outlines of many bodies at once, as arrays: a search that asks for one at a time spends its time asking.

A body is a row of `COLUMNS` numbers, as `rows_of` gives it; its size is that of its kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.pins import Axis

Array = NDArray[np.float64]

X, Y, Z, AZIMUTH, TILT, ROLL, DROP = range(7)
COLUMNS: Final = 7
"""As the fields of `Axis`, in their order."""

POINTS: Final = 36
"""Along an outline: about every fourth pixel of a pin of the usual size."""

_TURN: Final = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_CIRCLE: Final = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
_SIDES: Final = 24
_WAYS: Final = np.stack(
    [np.cos(np.arange(_SIDES) * 2 * np.pi / _SIDES), np.sin(np.arange(_SIDES) * 2 * np.pi / _SIDES)]
)
_AT: Final = (np.arange(POINTS) + 0.5) / POINTS


def rows_of(axes: Sequence[Axis]) -> Array:
    """Give (N, COLUMNS)."""
    rows = [(one.x_cm, one.y_cm, one.z_cm, one.azimuth, one.tilt, one.roll, one.drop_cm) for one in axes]
    return np.array(rows, np.float64).reshape(-1, COLUMNS)


def axis_of(row: Array) -> Axis:
    """Give the body of one row."""
    x, y, z, azimuth, tilt, roll, drop = (float(value) for value in row)
    return Axis(x_cm=x, y_cm=y, z_cm=z, azimuth=azimuth, tilt=tilt, roll=roll, drop_cm=drop)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outlines:
    """Outlines of N bodies.

    Attributes
    ----------
    ring_px
        (N, POINTS, 2), evenly along each.
    normals
        (N, POINTS, 2), outward.
    middle_px
        (N, 2).
    """

    ring_px: Array
    normals: Array
    middle_px: Array


def outlines(rows: Array, radius_cm: Array, height_cm: Array, camera: Camera) -> Outlines:
    """Give the outlines of bodies, (N, COLUMNS), of these sizes, (N,), as the camera sees them."""
    seen = _hulls(_ends_px(rows, radius_cm, height_cm, camera))
    sides = np.roll(seen, -1, axis=1) - seen
    lengths = np.hypot(sides[..., 0], sides[..., 1])
    far = np.cumsum(lengths, axis=1)
    wanted = far[:, -1:] * _AT
    which = np.minimum((far[:, None] <= wanted[..., None]).sum(axis=2), _SIDES - 1)
    lines = np.arange(len(rows))[:, None]
    length = np.maximum(lengths[lines, which], 1e-9)
    part = 1 - (far[lines, which] - wanted) / length
    side = sides[lines, which]
    ring = seen[lines, which] + part[..., None] * side
    normals = np.stack([side[..., 1], -side[..., 0]], axis=2) / length[..., None]
    return Outlines(ring_px=ring, normals=normals, middle_px=ring.mean(axis=1))


def _ends_px(rows: Array, radius_cm: Array, height_cm: Array, camera: Camera) -> Array:
    """Give where points around both ends of each body are seen, (N, 32, 2)."""
    lies, stands = np.sin(rows[:, TILT]), np.cos(rows[:, TILT])
    x, y = np.cos(rows[:, AZIMUTH]), np.sin(rows[:, AZIMUTH])
    along = np.stack([lies * x, lies * y, stands], axis=1)
    side = np.stack([stands * x, stands * y, -lies], axis=1)
    other = np.stack([-y, x, np.zeros(len(rows))], axis=1)
    turn, across = np.cos(rows[:, ROLL, None]), np.sin(rows[:, ROLL, None])
    low_side, beside = turn * side + across * other, turn * other - across * side
    ring = _CIRCLE[:, :1] * low_side[:, None] + _CIRCLE[:, 1:] * beside[:, None]
    foot = rows[:, :3] - 0.5 * height_cm[:, None] * along
    low = foot[:, None] + radius_cm[:, None, None] * ring
    heights = height_cm[:, None] - rows[:, DROP, None] * (1 + _CIRCLE[:, 0]) / 2
    points = np.concatenate([low, low + heights[..., None] * along[:, None]], axis=1)
    return camera.to_px(points.reshape(-1, 3)).reshape(len(rows), -1, 2)


def _hulls(points: Array) -> Array:
    """Give the convex hull of each of N sets of points, (N, P, 2), by the farthest one in every direction."""
    farthest = np.argmax(points @ _WAYS, axis=1)
    return np.asarray(np.take_along_axis(points, farthest[..., None], axis=1))
