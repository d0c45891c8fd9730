"""Standing pins found in one picture, when nobody has said where they stand.

Every place of the board is tried: where a pin stands its outline meets edges all around. So do shadows, lines and
what else lies about; therefore more places are given than there are pins, and what is written on their heads
decides (`vision.finn.naming`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.focus import edges_of
from vision.finn.light import grey_of
from vision.finn.pins import Body, Mask, drawn
from vision.finn.state import Place

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTuning:
    """How places are tried.

    Attributes
    ----------
    step_cm
        Between places that are tried first.
    fine_cm
        And last.
    edge_cm
        Places are tried so far in from the ends and sides of the board.
    apart
        Diameters between two places that are kept.
    outlines, marks
        So many places are kept for their outlines, and for something small that stands out where a head would be.
    side_points
        Along each side of an outline.
    strong
        An edge as steep as this share of the board's pixels is a full one: pins of the board's own wood have
        weaker edges than painted ones, but still the strongest there are.
    slopes
        Levels a pixel that a full edge has at least and at most.
    mark
        Diameters of a pin that a number's strokes are thinner than.
    """

    step_cm: float = 0.8
    fine_cm: float = 0.2
    edge_cm: float = 0.8
    apart: float = 0.45
    outlines: int = 60
    marks: int = 30
    side_points: int = 7
    strong: float = 0.1
    slopes: tuple[float, float] = (2.0, 20.0)
    mark: float = 0.3


TUNING: Final = FindingTuning()
BOARD_CM: Final = (117.0, 49.0)
_TURN: Final = np.linspace(0, 2 * np.pi, 20, endpoint=False)
_CIRCLE: Final = np.column_stack([np.cos(_TURN), np.sin(_TURN), np.zeros(20)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edges:
    """Slopes of a picture, (H, W, 2) levels a pixel, and how steep a full edge is."""

    slopes: Floats
    full: float


def edges_over(picture: Picture, board: Mask) -> Edges:
    """Give the edges of a picture (H, W, 3) BGR, as strong as they are on its board, (H, W) 1 there."""
    slopes = edges_of(picture)
    steep = np.hypot(slopes[..., 0], slopes[..., 1])[board > 0]
    usual = float(np.quantile(steep, 1 - TUNING.strong)) if len(steep) else TUNING.slopes[1]
    return Edges(slopes=slopes, full=float(np.clip(usual, *TUNING.slopes)))


def board_of(camera: Camera, shape: tuple[int, ...]) -> Mask:
    """Give (H, W), 1 on the board."""
    long, wide = BOARD_CM
    corners = np.array([[0, 0, 0], [long, 0, 0], [long, wide, 0], [0, wide, 0]], np.float64)
    return drawn(camera.to_px(corners), shape)


def supports(places: Array, body: Body, camera: Camera, edges: Edges) -> Array:
    """Say how well outlines of pins at (N, 2) cm meet edges, rims of their heads included: (N,), 0 to 1."""
    feet = np.column_stack([places, np.zeros(len(places))])
    heads = np.column_stack([places, np.full(len(places), body.height_cm)])
    low, high = (_ring(base, body, camera) for base in (feet, heads))
    rise = camera.to_px(heads) - camera.to_px(feet)
    normals = _normals(high)
    outward = np.sum(normals * rise[:, None], axis=2)
    parts = [(np.where((outward > 0)[..., None], high, low), normals), (high, normals)]
    share = np.linspace(0.08, 0.92, TUNING.side_points)[None, :, None]
    across = np.column_stack([rise[:, 1], -rise[:, 0]])
    across /= np.maximum(np.linalg.norm(across, axis=1), 1e-6)[:, None]
    rows = np.arange(len(places))
    for sign in (1, -1):
        on_side = sign * np.sum(normals * across[:, None], axis=2) > 0
        at = np.argmin(np.where(on_side, np.abs(outward), np.inf), axis=1)
        line = low[rows, at][:, None] * (1 - share) + high[rows, at][:, None] * share
        parts.append((line, np.broadcast_to(across[:, None], line.shape)))
    points, ways = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return _met(points, ways, edges)


def _met(points: Array, ways: Array, edges: Edges) -> Array:
    """Give how steep edges across `ways` are at points, (N, M, 2) px, in shares of full ones: (N,)."""
    at = np.round(points).astype(np.intp)
    height, width = edges.slopes.shape[:2]
    inside = (at >= 0).all(axis=2) & (at[..., 0] < width) & (at[..., 1] < height)
    at[~inside] = 0
    steep = np.abs(np.sum(edges.slopes[at[..., 1], at[..., 0]] * ways, axis=2)) * inside
    return np.asarray(np.minimum(steep, edges.full).mean(axis=1) / edges.full)


def _ring(base: Array, body: Body, camera: Camera) -> Array:
    points = base[:, None] + body.radius_cm * _CIRCLE
    return camera.to_px(points.reshape(-1, 3)).reshape(len(base), len(_CIRCLE), 2)


def _normals(ring: Array) -> Array:
    along = np.roll(ring, -1, axis=1) - np.roll(ring, 1, axis=1)
    across = np.stack([along[..., 1], -along[..., 0]], axis=2)
    across *= np.sign(np.sum(across * (ring - ring.mean(axis=1, keepdims=True)), axis=2, keepdims=True))
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=2, keepdims=True), 1e-6))


def by_outline(body: Body, camera: Camera, edges: Edges) -> tuple[Array, Array]:
    """Give places, (N, 2) cm, whose outlines meet edges better than those beside, and how well, the best first."""
    edge = TUNING.edge_cm
    across = [np.arange(edge, size - edge + 1e-9, TUNING.step_cm) for size in BOARD_CM]
    grid = np.stack(np.meshgrid(*across, indexing="ij"), axis=2)
    scores = supports(grid.reshape(-1, 2), body, camera, edges).reshape(grid.shape[:2]).astype(np.float32)
    rows, columns = np.nonzero(scores >= cv2.dilate(scores, np.ones((3, 3), np.uint8)))
    best = np.argsort(-scores[rows, columns], kind="stable")[: 2 * TUNING.outlines]
    return kept_apart(*refined(grid[rows[best], columns[best]], body, camera, edges), body, TUNING.outlines)


def by_mark(log: Floats, body: Body, camera: Camera, where: Mask | None = None) -> Array:
    """Give places, (N, 2) cm, of pins on whose heads something small and of another brightness would be.

    `log` are logarithms, (H, W, 3); `where` is 1 where it is looked for, (H, W), everywhere if None.
    """
    grey = grey_of(log)
    side = 2 * body.radius_cm * camera.px_per_cm((BOARD_CM[0] / 2, BOARD_CM[1] / 2, body.height_cm))
    reach = max(3, round(TUNING.mark * side)) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    thin = [cv2.morphologyEx(grey, how, kernel) for how in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)]
    marks = np.max([cv2.GaussianBlur(one, (0, 0), 0.2 * side) for one in thin], axis=0)
    wide = max(3, round(0.7 * side)) | 1
    if where is not None:
        marks *= where
    rows, columns = np.nonzero((marks > 0) & (marks >= cv2.dilate(marks, np.ones((wide, wide), np.uint8))))
    middle = body.height_cm - 0.5 * body.radius_cm
    places = camera.to_plane(np.column_stack([columns, rows]), middle)
    # Rails keep pins that stand off the sides.
    low, high = np.array([0.0, 0.9 * body.radius_cm]), np.array(BOARD_CM) - (0.0, 0.9 * body.radius_cm)
    inside = ((places > low) & (places < high)).all(axis=1)
    best = np.argsort(-marks[rows[inside], columns[inside]], kind="stable")[: TUNING.marks]
    return np.asarray(places[inside][best])


def refined(places: Array | Sequence[Place], body: Body, camera: Camera, edges: Edges) -> tuple[Array, Array]:
    """Move places, (N, 2) cm, a little to where the outlines meet edges best; gives them and how well."""
    moved = np.asarray(places, np.float64).reshape(-1, 2)
    scores = np.zeros((len(moved), 1))
    for step in (3 * TUNING.fine_cm, TUNING.fine_cm):
        near = step * np.stack(np.meshgrid((-1, 0, 1), (-1, 0, 1)), axis=2).reshape(-1, 2)
        tried = moved[:, None] + near[None]
        scores = supports(tried.reshape(-1, 2), body, camera, edges).reshape(len(moved), -1)
        moved = tried[np.arange(len(moved)), scores.argmax(axis=1)]
    return moved, scores.max(axis=1)


def kept_apart(
    places: Array, scores: Array, body: Body, most: int, apart: float = TUNING.apart
) -> tuple[Array, Array]:
    """Keep of places, (N, 2) cm, that are nearer than `apart` diameters the best one, and `most` in all."""
    kept: list[int] = []
    for k in np.argsort(-scores, kind="stable"):
        near = np.linalg.norm(places[kept] - places[k], axis=1) < apart * 2 * body.radius_cm
        if not near.any():
            kept.append(int(k))
        if len(kept) == most:
            break
    return places[kept], scores[kept]
