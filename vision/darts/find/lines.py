"""Where the lines of a board lie in a picture: every ring and sector edge, measured across at many places.

The model gives points on its rings and sector edges with their normals; across each, the picture is sampled and
the steepest place taken to a fraction of a pixel. Between two sectors the sign of the step is known; across a
ring any step of any colour counts.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import Rings, on_board
from vision.geometry import PlaneMap

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

RINGS = 6
_SAMPLES = 21
_REACH = 0.6
"""Width of the bell that prefers steps near the model, in half windows: a far ring must be 4 times as steep."""

_FLOOR = 0.25
"""Share of the steepest place below which a slope is no side of a wire."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelLines:
    """Points on the lines of a board.

    Attributes
    ----------
    xy_mm, normal
        (N, 2) mm and unit normals: outward for rings, clockwise for sector edges.
    line
        (N,) 0 … 5 for the rings from the bull outward, 6 … 25 for the sector edges.
    sign
        (N,) 0 for rings; 1 where it turns dark to light clockwise, -1 the other way.
    """

    xy_mm: Array
    normal: Array
    line: NDArray[np.intp]
    sign: Array

    @property
    def on_ring(self) -> Mask:
        """(N,) whether the point is one of a ring's."""
        return np.asarray(self.line < RINGS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """What was found across the points of `ModelLines`.

    Attributes
    ----------
    lines
        The points.
    normal_px
        (N, 2) unit normals in the picture.
    offset_px
        (N,) px from the model to the step along the normal.
    px_per_mm
        (N,) scale across the line.
    strength
        (N,) steepness of the step in grey values a pixel.
    usable
        (N,) inside the picture, and the steepest place is no end of the window.
    """

    lines: ModelLines
    normal_px: Array
    offset_px: Array
    px_per_mm: Array
    strength: Array
    usable: Mask


@lru_cache(maxsize=8)
def model_lines(rings: Rings) -> ModelLines:
    """Spread points over rings (between the sector edges) and sector edges (between the rings)."""
    radii = rings.radii()
    parts = [_ring(place, radius) for place, radius in enumerate(radii)]
    reach = np.concatenate([np.arange(24, radii[2] - 3, 6), np.arange(radii[3] + 4, radii[4] - 3, 6)])
    parts += [_sector_edge(edge, reach) for edge in range(20)]
    return ModelLines(
        xy_mm=np.concatenate([part.xy_mm for part in parts]),
        normal=np.concatenate([part.normal for part in parts]),
        line=np.concatenate([part.line for part in parts]),
        sign=np.concatenate([part.sign for part in parts]),
    )


def _ring(place: int, radius: float) -> ModelLines:
    aside = np.array([-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0])
    angles = (18.0 * np.arange(20)[:, None] + aside).ravel() if place > 1 else np.arange(0.0, 360.0, 6.0)
    normal = on_board(1.0, angles)
    count = len(angles)
    return ModelLines(
        xy_mm=normal * radius, normal=normal, line=np.full(count, place, dtype=np.intp), sign=np.zeros(count)
    )


def _sector_edge(edge: int, reach: Array) -> ModelLines:
    angle = 18.0 * edge + 9.0
    return ModelLines(
        xy_mm=on_board(reach, angle),
        normal=np.repeat(on_board(1.0, angle + 90.0), len(reach), axis=0),
        line=np.full(len(reach), RINGS + edge, dtype=np.intp),
        sign=np.full(len(reach), -1.0 if edge % 2 == 0 else 1.0),
    )


def measure(bgr: NDArray[np.uint8], plane: PlaneMap, lines: ModelLines, half_mm: tuple[float, float]) -> Measured:
    """Find the steps of a picture (H, W, 3) within `half_mm` of the rings and of the sector edges (or 1.5 px)."""
    centre = plane.to_px(lines.xy_mm)
    jacobian = plane.jacobian(lines.xy_mm)
    across = np.squeeze(jacobian @ lines.normal[:, :, None], 2)
    along = np.squeeze(jacobian @ np.stack([-lines.normal[:, 1], lines.normal[:, 0]], axis=1)[:, :, None], 2)
    along /= np.linalg.norm(along, axis=1, keepdims=True) + 1e-12
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    normal *= np.sign(np.sum(normal * across, axis=1, keepdims=True))
    scale = np.sum(normal * across, axis=1)
    half_px = np.maximum(np.where(lines.on_ring, half_mm[0], _narrowed(lines, half_mm[1])) * scale, 1.5)
    places = np.linspace(-1, 1, _SAMPLES)
    points = centre[:, None] + normal[:, None] * (half_px[:, None] * places)[:, :, None]
    steps = _steps(bgr, points, lines)
    peak, height, interior = _peaks(steps, places[1:-1])
    peak = np.where(lines.on_ring, _middles(steps, places[1:-1]), peak)
    size = np.array([bgr.shape[1] - 2, bgr.shape[0] - 2])
    inside = np.all((points >= 1) & (points < size), axis=(1, 2))
    return Measured(
        lines=lines,
        normal_px=normal,
        offset_px=peak * half_px,
        px_per_mm=scale,
        strength=height / (half_px * (places[1] - places[0])),
        usable=inside & interior,
    )


def _steps(bgr: NDArray[np.uint8], points: Array, lines: ModelLines) -> Array:
    """Give (N, S - 2) how steep the picture is across each line, with the sign that the line should have."""
    x, y = points[..., 0].astype(np.float32), points[..., 1].astype(np.float32)
    seen = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    slope = (seen[:, 2:] - seen[:, :-2]) / 2
    luma = slope @ np.array([0.114, 0.587, 0.299])
    return np.asarray(np.where(lines.on_ring[:, None], np.abs(slope).sum(axis=2) / 2, luma * lines.sign[:, None]))


def _peaks(steps: Array, places: Array) -> tuple[Array, Array, Mask]:
    """Give the place (in half windows) and height of each row's peak near the middle, and whether it is no end."""
    top = np.argmax(steps * np.exp(-0.5 * (places / _REACH) ** 2), axis=1)
    interior = (top > 0) & (top < steps.shape[1] - 1)
    top = np.clip(top, 1, steps.shape[1] - 2)
    row = np.arange(len(top))
    before, height, after = steps[row, top - 1], steps[row, top], steps[row, top + 1]
    bend = before - 2 * height + after
    fraction = np.divide(0.5 * (before - after), bend, out=np.zeros_like(bend), where=np.abs(bend) > 1e-6)
    spacing = places[1] - places[0]
    return places[top] + np.clip(fraction, -0.5, 0.5) * spacing, height, interior


def _middles(steps: Array, places: Array) -> Array:
    """Give the middle of each row's steps: of both sides of a wire or frame, else of the one step."""
    steep = steps * np.exp(-0.5 * (places / _REACH) ** 2)
    steep = np.maximum(steep - _FLOOR * steep.max(axis=1, keepdims=True), 0) + 1e-9
    return np.asarray((steep @ places) / steep.sum(axis=1))


def _narrowed(lines: ModelLines, half_mm: float) -> Array:
    """Keep the window of a sector edge off its neighbours near the bull."""
    return np.asarray(np.minimum(half_mm, 0.12 * np.linalg.norm(lines.xy_mm, axis=1)))
