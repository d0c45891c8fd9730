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

_ROUND: Final = 16
_TURN: Final = np.linspace(0, 2 * np.pi, _ROUND, endpoint=False)
_ENDS: Final = np.tile(np.stack([np.cos(_TURN), np.sin(_TURN), np.zeros(_ROUND)]), (1, 2))
"""Points, (3, 32), around both ends of a body of radius 1, foot first; how far along it depends on its size."""

_SIDES: Final = 24
_ANGLES: Final = np.arange(_SIDES) * 2 * np.pi / _SIDES
_WAYS: Final = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_FOLLOWING: Final = np.roll(np.arange(_SIDES), -1)
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
    """Outlines of N bodies. What is across and what is down are apart: long rows are worked on faster.

    Attributes
    ----------
    ring_px
        (2, N, POINTS), evenly along each.
    normals
        (2, N, POINTS), outward.
    middle_px
        (2, N).
    """

    ring_px: Array
    normals: Array
    middle_px: Array


def outlines(rows: Array, radius_cm: Array, height_cm: Array, camera: Camera) -> Outlines:
    """Give the outlines of bodies, (N, COLUMNS), of these sizes, (N,), as the camera sees them."""
    count = len(rows)
    lines = np.arange(count)[:, None]
    points = _ends_px(rows, radius_cm, height_cm, camera)
    # The convex hull of each, by the farthest point in every direction.
    corners = (_WAYS @ points).argmax(axis=2)
    hull = np.empty((2, count, _SIDES))
    hull[0], hull[1] = points[:, 0][lines, corners], points[:, 1][lines, corners]
    sides = hull[:, :, _FOLLOWING] - hull
    lengths = np.sqrt(sides[0] ** 2 + sides[1] ** 2)
    far = lengths.cumsum(axis=1)
    wanted = far[:, -1:] * _AT
    # All outlines in one row, each as long as 1, for one search.
    ends, places = far / np.maximum(far[:, -1:], 1e-9) + 2 * lines, _AT + 2 * lines
    which = np.searchsorted(ends.ravel(), places.ravel(), side="right").reshape(places.shape)
    np.minimum(which, _SIDES * (lines + 1) - 1, out=which)
    length = np.maximum(lengths.ravel()[which], 1e-9)
    side = sides.reshape(2, -1)[:, which]
    side /= length
    ring = hull.reshape(2, -1)[:, which]
    ring += side * (length - far.ravel()[which] + wanted)
    normals = np.empty_like(side)
    normals[0] = side[1]
    np.negative(side[0], out=normals[1])
    return Outlines(ring_px=ring, normals=normals, middle_px=ring.sum(axis=2) / POINTS)


def _ends_px(rows: Array, radius_cm: Array, height_cm: Array, camera: Camera) -> Array:
    """Give where points around both ends of each body are seen, (N, 2, 32)."""
    sines, cosines = np.sin(rows[:, AZIMUTH:DROP]), np.cos(rows[:, AZIMUTH:DROP])
    (y, lies, across), (x, stands, turn) = sines.T, cosines.T
    # What is toward the low side of its head, beside that, and along it.
    frame = np.empty((len(rows), 3, 3))
    frame[:, 0, 0], frame[:, 0, 1] = turn * stands * x - across * y, -turn * y - across * stands * x
    frame[:, 1, 0], frame[:, 1, 1] = turn * stands * y + across * x, turn * x - across * stands * y
    frame[:, 2, 0], frame[:, 2, 1] = -turn * lies, across * lies
    frame[:, :, :2] *= radius_cm[:, None, None]
    frame[:, 0, 2], frame[:, 1, 2], frame[:, 2, 2] = lies * x, lies * y, stands
    own = np.empty((len(rows), 3, 2 * _ROUND))
    own[:] = _ENDS
    half = 0.5 * height_cm[:, None]
    own[:, 2, :_ROUND] = -half
    own[:, 2, _ROUND:] = half - rows[:, DROP, None] * _LOW
    middles = rows[:, :AZIMUTH] @ camera.rotation.T + camera.shift
    return camera.from_ahead(camera.rotation @ frame @ own + middles[:, :, None])


_LOW: Final = (1 + np.cos(_TURN)) / 2
