"""Pins as bodies: cylinders of known height and diameter, standing or lying, and their outline in the picture."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

_TURN: Final = np.linspace(0, 2 * np.pi, 24, endpoint=False)
_CIRCLE: Final = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
_SHIFT: Final = 4
"""Fractional bits with which outlines are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Sizes of a pin or the disc, cm; the height is that of its highest point."""

    radius_cm: float
    height_cm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The axis of a pin in space.

    Attributes
    ----------
    x_cm, y_cm, z_cm
        Its middle.
    azimuth
        Direction of its head over the board, radians from x toward y.
    tilt
        Radians from upright: 0 stands, a quarter turn lies.
    roll
        Turn around itself, radians: where the low side of a bevelled head is.
    drop_cm
        By how much the head is lower on that side than on the other; 0 is a flat head.
    """

    x_cm: float
    y_cm: float
    z_cm: float
    azimuth: float = 0.0
    tilt: float = 0.0
    roll: float = 0.0
    drop_cm: float = 0.0

    @property
    def along(self) -> Array:
        """Unit vector from foot to head, (3,)."""
        lying = np.sin(self.tilt)
        return np.array([lying * np.cos(self.azimuth), lying * np.sin(self.azimuth), np.cos(self.tilt)])

    @property
    def middle(self) -> Array:
        """The middle, (3,) cm."""
        return np.array([self.x_cm, self.y_cm, self.z_cm])


def standing(xy_cm: tuple[float, float], body: Body) -> Axis:
    """Give the axis of a pin that stands here."""
    return Axis(x_cm=xy_cm[0], y_cm=xy_cm[1], z_cm=body.height_cm / 2)


def lying(xy_cm: tuple[float, float], azimuth: float, body: Body, lift_cm: float = 0.0) -> Axis:
    """Give the axis of a pin that lies here, on something `lift_cm` high."""
    return Axis(x_cm=xy_cm[0], y_cm=xy_cm[1], z_cm=body.radius_cm + lift_cm, azimuth=azimuth, tilt=np.pi / 2)


def frame_of(axis: Axis) -> Array:
    """Give (3, 3): two directions across the axis, the first toward the low side of the head, and along it."""
    lies, stands = np.sin(axis.tilt), np.cos(axis.tilt)
    x, y = np.cos(axis.azimuth), np.sin(axis.azimuth)
    side, other = np.array([stands * x, stands * y, -lies]), np.array([-y, x, 0.0])
    turn = np.cos(axis.roll), np.sin(axis.roll)
    return np.stack([turn[0] * side + turn[1] * other, turn[0] * other - turn[1] * side, axis.along])


def outline_px(axis: Axis, body: Body, camera: Camera) -> Array:
    """Give the outline of a pin as the camera sees it, (N, 2) px."""
    frame = frame_of(axis)
    circle = body.radius_cm * _CIRCLE @ frame[:2]
    foot = axis.middle - 0.5 * body.height_cm * frame[2]
    heights = body.height_cm - axis.drop_cm * (1 + _CIRCLE[:, :1]) / 2
    points = camera.to_px(np.concatenate([foot + circle, foot + circle + heights * frame[2]]))
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float64)


def drawn(outline: Array, shape: tuple[int, ...]) -> Mask:
    """Fill an outline, (N, 2) px, in a picture of this shape: (H, W) uint8, 1 inside."""
    mask = np.zeros(shape[:2], np.uint8)
    draw(mask, outline, 1)
    return mask


def draw(image: NDArray[np.uint8] | NDArray[np.int16], outline: Array, value: int) -> None:
    """Fill an outline, (N, 2) px, with a value; of one that goes far beyond the picture a part."""
    points = np.clip(outline, -4000, 8000) * (1 << _SHIFT)
    cv2.fillConvexPoly(image, np.round(points).astype(np.int32), (value,), cv2.LINE_8, _SHIFT)
