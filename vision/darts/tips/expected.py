"""What the board would look like without darts, from the picture itself: ten light and ten dark sectors repeat."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.pose import Plane

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ExpectedLimits:
    """How the board is unrolled and folded.

    Attributes
    ----------
    step_mm
        Radial step of the unrolled board.
    columns
        Columns a sector has in it: at the double ring 0.74 mm each.
    rim_mm
        How far out the board is unrolled: to the outer wire of the double ring and a little more.
    rounds
        Times the light is estimated anew, with what darts cover left out.
    light_sigma
        Width over which light varies, in sectors and in units of 10 mm of radius.
    """

    step_mm: float = 0.5
    columns: int = 72
    rim_mm: float = 225.0
    rounds: int = 2
    light_sigma: float = 1.2


LIMITS = ExpectedLimits()

_SECTORS = 20
_FIRST = -9.0
"""Degrees clockwise from 20 at which the first column begins: the wire between 5 and 20."""


def expected_picture(picture: Picture, plane: Plane, limits: ExpectedLimits = LIMITS) -> Picture:
    """Give the picture with the board's darts taken away, as far as the board repeats itself.

    Every place of a sector has nine like it on the board; their median is what the place should look like, wires
    and rings included, and darts cover few of the ten. Light that falls unevenly is put back afterwards.

    Parameters
    ----------
    picture
        (H, W, 3) BGR.
    plane
        Board to picture.
    limits
        How the board is unrolled.

    Returns
    -------
    (H, W, 3) BGR; outside the board as it was.
    """
    unrolled = _unroll(picture, plane, limits)
    rebuilt = _fold(unrolled, limits)
    return _roll_up(picture, rebuilt, plane, limits)


def _unroll(picture: Picture, plane: Plane, limits: ExpectedLimits) -> Map:
    rows, columns = int(limits.rim_mm / limits.step_mm), _SECTORS * limits.columns
    radius = (np.arange(rows) + 0.5) * limits.step_mm
    angle = np.radians(_FIRST + (np.arange(columns) + 0.5) * 360.0 / columns)
    xy = np.stack([radius[:, None] * np.sin(angle), radius[:, None] * np.cos(angle)], axis=-1)
    px = plane.to_px(xy.reshape(-1, 2)).reshape(rows, columns, 2).astype(np.float32)
    seen = cv2.remap(picture, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32)


def _fold(unrolled: Map, limits: ExpectedLimits) -> Map:
    """Replace each pair of sectors by the median of all ten pairs, each in its own light."""
    light = np.ones_like(unrolled)
    rebuilt = unrolled
    for _ in range(limits.rounds + 1):
        even = (unrolled / light).reshape(len(unrolled), _SECTORS // 2, 2 * limits.columns, 3)
        usual = np.tile(np.median(even, axis=1), (1, _SECTORS // 2, 1))
        residual = np.abs(unrolled - usual * light).max(axis=2)
        agrees = (residual < 3 * max(2.0, 1.48 * float(np.median(residual)))).astype(np.float32)[..., None] + 1e-3
        light = np.clip(_smooth(unrolled * agrees, limits) / (_smooth(usual * agrees, limits) + 1e-2), 0.25, 4.0)
        rebuilt = usual * light
    return np.asarray(rebuilt, np.float32)


def _smooth(unrolled: Map, limits: ExpectedLimits) -> Map:
    """Blur over sectors (around the circle) and radius, at an eighth of the size."""
    rows, columns = unrolled.shape[:2]
    wrap = columns // 4
    around = np.concatenate([unrolled[:, -wrap:], unrolled, unrolled[:, :wrap]], axis=1)
    small = cv2.resize(around, (around.shape[1] // 8, rows // 8), interpolation=cv2.INTER_AREA)
    across, along = limits.light_sigma * limits.columns / 8, limits.light_sigma * 10 / limits.step_mm / 8
    small = cv2.GaussianBlur(small, (0, 0), sigmaX=across, sigmaY=along)
    large = cv2.resize(small, (around.shape[1], rows), interpolation=cv2.INTER_LINEAR)
    return np.asarray(large[:, wrap:-wrap], np.float32)


def _roll_up(picture: Picture, unrolled: Map, plane: Plane, limits: ExpectedLimits) -> Picture:
    height, width = picture.shape[:2]
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    rim = plane.to_px(limits.rim_mm * np.column_stack([np.cos(turn), np.sin(turn)]))
    x0, y0 = np.clip(np.floor(rim.min(axis=0)), 0, [width - 1, height - 1]).astype(int)
    x1, y1 = np.clip(np.ceil(rim.max(axis=0)) + 1, [x0 + 1, y0 + 1], [width, height]).astype(int)
    ys, xs = np.mgrid[y0:y1, x0:x1]
    xy = plane.to_board(np.column_stack([xs.ravel(), ys.ravel()]).astype(np.float64))
    radius = np.hypot(xy[:, 0], xy[:, 1]).reshape(ys.shape)
    turned = (np.degrees(np.arctan2(xy[:, 0], xy[:, 1])) - _FIRST) % 360.0
    columns = _SECTORS * limits.columns
    column = (turned * columns / 360.0 - 0.5).reshape(ys.shape).astype(np.float32)
    row = (radius / limits.step_mm - 0.5).astype(np.float32)
    closed = np.concatenate([unrolled, unrolled[:, :1]], axis=1)
    drawn = cv2.remap(closed, column % columns, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    out = picture.copy()
    inside = radius < limits.rim_mm
    out[y0:y1, x0:x1][inside] = np.clip(np.round(drawn[inside]), 0, 255).astype(np.uint8)
    return out
