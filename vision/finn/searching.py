"""Places where a body may be that nobody has told of: every place of the board is tried against what is new.

This is for the pin that is missing when all else is explained.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.pins import Axis, Body, drawn, lying, outline_px, standing
from vision.finn.weighing import Floats, Scene

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTuning:
    """How places are searched.

    Attributes
    ----------
    step_cm
        Grid of places; refined from there.
    turns
        Directions of lying pins that are tried, over half a turn: head and foot look alike from afar.
    most
        Places of a kind that are given.
    beyond_cm
        Pins that flew off are looked for so far around the board.
    """

    step_cm: float = 0.75
    turns: int = 12
    most: int = 5
    beyond_cm: float = 20.0


TUNING: Final = SearchTuning()


def starts(scene: Scene) -> list[tuple[str, Axis]]:
    """Give where pins may stand and lie that cover what is new and nothing hides, the best first of each kind."""
    weights = scene.weights * (1 - scene.hidden).astype(np.float32)
    found = [("upright", axis) for axis in _upright_starts(scene, scene.body, weights)]
    return found + [("lying", axis) for axis in _lying_starts(scene, weights)]


def _upright_starts(scene: Scene, body: Body, weights: Floats) -> list[Axis]:
    """Give places where a standing body would cover what is new: sampled at points of it and around it."""
    step = TUNING.step_cm * (1.0 if body is scene.body else 2.0)
    margin = 0.0 if body is scene.body else TUNING.beyond_cm
    xs, ys = np.arange(-margin, 117.01 + margin, step), np.arange(-margin, 49.01 + margin, step)
    places = np.stack(np.meshgrid(xs, ys), axis=2).reshape(-1, 2)
    top = np.column_stack([places, np.full(len(places), body.height_cm)])
    smooth = np.asarray(cv2.blur(np.maximum(weights, 0), (9, 9)), np.float32)
    likely = _sampled(smooth, scene.camera.to_px(top)) > 0.1
    if not likely.any():
        return []
    inner = _inner_points(scene, places[likely], body)
    value = _sampled(weights, inner).mean(axis=1)
    score = np.full(len(places), -1.0)
    score[likely] = value
    return [standing((float(x), float(y)), body) for x, y in _peaks(places, score.reshape(len(ys), len(xs)))]


def _inner_points(scene: Scene, places: Array, body: Body) -> Array:
    """Give (N, M, 2) px of points within the outline of a body that stands at (N, 2)."""
    toward = scene.camera.eye_cm[:2] - places
    toward /= np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-6)
    across = np.column_stack([-toward[:, 1], toward[:, 0]])
    points = []
    for part in (-0.8, 0.0, 0.8):
        side = places + 0.9 * body.radius_cm * (part * across + np.sqrt(1 - part**2) * toward)
        points += [
            np.column_stack([side, np.full(len(places), z)]) for z in np.linspace(0.05, 0.95, 5) * body.height_cm
        ]
    for turn in np.arange(6) * np.pi / 3:
        top = places + 0.75 * body.radius_cm * np.array([np.cos(turn), np.sin(turn)])
        points.append(np.column_stack([top, np.full(len(places), body.height_cm)]))
    stacked = np.stack(points, axis=1)
    return scene.camera.to_px(stacked.reshape(-1, 3)).reshape(len(places), -1, 2)


def _sampled(image: Floats, points: Array) -> Floats:
    height, width = image.shape
    at = np.round(points).astype(np.intp)
    inside = (at[..., 0] >= 0) & (at[..., 1] >= 0) & (at[..., 0] < width) & (at[..., 1] < height)
    values = image[np.clip(at[..., 1], 0, height - 1), np.clip(at[..., 0], 0, width - 1)]
    return np.where(inside, values, -1.0).astype(np.float32)


def _peaks(places: Array, score: Array) -> Array:
    """Give the places of the best local maxima of a grid of scores, (M, 2)."""
    near = cv2.dilate(score.astype(np.float32), np.ones((3, 3), np.uint8))
    flat = np.flatnonzero(((score >= near) & (score > 0.0)).ravel())
    order = flat[np.argsort(-score.ravel()[flat], kind="stable")][: TUNING.most]
    return places[order]


_PX_PER_CM: Final = 2.0


def _lying_starts(scene: Scene, weights: Floats) -> list[Axis]:
    """Give lying pins that would cover what is new: the plane of their axes is searched with their outline."""
    margin = TUNING.beyond_cm
    size = (int((117 + 2 * margin) * _PX_PER_CM), int((49 + 2 * margin) * _PX_PER_CM))
    corners_cm = np.array(
        [[-margin, -margin], [117 + margin, -margin], [117 + margin, 49 + margin], [-margin, 49 + margin]]
    )
    level = scene.body.radius_cm
    seen = scene.camera.to_px(np.column_stack([corners_cm, np.full(4, level)]))
    flat = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float64)
    matrix = cv2.getPerspectiveTransform(seen.astype(np.float32), flat.astype(np.float32))
    plane = np.asarray(
        cv2.warpPerspective(weights, matrix, size, flags=cv2.INTER_AREA, borderValue=(-0.5,)), np.float32
    )
    found: list[tuple[float, Axis]] = []
    left, top, width, height = cv2.boundingRect((plane > 0).astype(np.uint8))
    reach = round(scene.body.height_cm * _PX_PER_CM)
    left, top = max(0, left - reach), max(0, top - reach)
    plane = plane[top : top + height + 2 * reach, left : left + width + 2 * reach]
    if not plane.size:
        return []
    for turn in np.arange(TUNING.turns) * np.pi / TUNING.turns:
        answer = cv2.filter2D(plane, cv2.CV_32F, _kernel(scene, float(turn)), borderType=cv2.BORDER_REPLICATE)
        near = cv2.dilate(answer, np.ones((5, 5), np.uint8))
        ys, xs = np.nonzero((answer >= near) & (answer > 0.15))
        for x, y in zip(xs, ys, strict=True):
            xy = (float((x + left) / _PX_PER_CM - margin), float((y + top) / _PX_PER_CM - margin))
            found.append((float(answer[y, x]), lying(xy, float(turn), scene.body)))
    found.sort(key=lambda one: -one[0])
    kept: list[Axis] = []
    for _, axis in found:
        if all(_apart(axis, other) for other in kept):
            kept.append(axis)
        if len(kept) == TUNING.most:
            break
    return kept


def _apart(one: Axis, other: Axis) -> bool:
    far = np.hypot(one.x_cm - other.x_cm, one.y_cm - other.y_cm) > 1.2
    return bool(far) or abs(np.sin(one.azimuth - other.azimuth)) > 0.3


def _kernel(scene: Scene, turn: float) -> Floats:
    """Give the outline of a pin in the plane of its axis as a filter: 1 inside, less than 0 around it."""
    outline = outline_px(lying((85.0, 24.5), turn, scene.body), scene.body, scene.camera)
    flat = (scene.camera.to_plane(outline, scene.body.radius_cm) - (85.0, 24.5)) * _PX_PER_CM
    half = int(np.abs(flat).max()) + 4
    inside = drawn(flat + half, (2 * half + 1, 2 * half + 1))
    around = cv2.dilate(inside, np.ones((3, 3), np.uint8)) - inside
    kernel = inside / max(1, inside.sum()) - 0.3 * around / max(1, around.sum())
    return np.asarray(kernel, np.float32)
