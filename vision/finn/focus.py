"""Which of the cameras that see the board's points also sees pins of known place rise as they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera, refocused
from vision.finn.outlines import COLUMNS, X, Y, Z, outlines
from vision.finn.pins import Body
from vision.setup import Setup

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusTuning:
    """How edges of pins and points of the board are weighed.

    Attributes
    ----------
    corner_px
        How exactly points are marked, px at 1280.
    edge_weight
        What an outline that meets edges all around is worth, against squared errors of the points. Twelve pins
        meet edges about twice as well with the true focal length as with one 40 % off.
    full_edge
        Levels a pixel of a sharp edge; more counts no more.
    """

    corner_px: float = 0.5
    edge_weight: float = 12.0
    full_edge: float = 20.0


TUNING: Final = FocusTuning()


def fitted(cameras: Sequence[Camera], edges: Floats, places: Sequence[tuple[float, float]], body: Body) -> Camera:
    """Choose the camera that explains both the points and the pins.

    Parameters
    ----------
    cameras
        As `vision.finn.camera.cameras` gives them.
    edges
        (H, W, 2) slopes of a picture with the pins standing, as `edges_of` gives them.
    places
        Where they stand, cm; none: the points alone decide.
    body
        Their size.
    """
    if len(cameras) == 1:
        return cameras[0]
    support = np.array([edge_support(camera, edges, places, body) for camera in cameras])
    misfit = np.array([camera.residual_px for camera in cameras]) * 1280 / edges.shape[1] / TUNING.corner_px
    top = max(float(support.max()), 1e-6) if len(places) else 1.0
    return cameras[int(np.argmax(TUNING.edge_weight * support / top - misfit**2 / 2))]


def sharpened(
    camera: Camera, setup: Setup, edges: Floats, places: Sequence[tuple[float, float]], body: Body
) -> Camera:
    """Refine the focal length of the best camera between its neighbours, where the lens is not known."""
    if setup.lens is not None:
        return camera
    size = (edges.shape[1], edges.shape[0])
    for step in (0.02, 0.008):
        near = [refocused(camera, setup, size, camera.lens.f_px * (1 + k * step)) for k in (-2, -1, 0, 1, 2)]
        camera = fitted([one for one in near if one is not None] or [camera], edges, places, body)
    return camera


def edges_of(picture: Picture) -> Floats:
    """Give the slopes of a picture, levels a pixel: (H, W, 2), of the channel with the steepest.

    Which that is is told by exact numbers, so that one picture has the same slopes wherever it lies in memory.
    """
    smooth = cv2.GaussianBlur(picture, (0, 0), 1.0)
    found = [_slopes(np.asarray(channel, np.uint8)) for channel in cv2.split(smooth)]
    across, down, steepest = found[0]
    for other in found[1:]:
        steeper = cv2.compare(other[2], steepest, cv2.CMP_GT)
        for kept, better in zip((across, down, steepest), other, strict=True):
            cv2.copyTo(better, steeper, kept)
    return np.asarray(cv2.merge([across, down]), np.float32)


def _slopes(channel: Picture) -> tuple[Floats, Floats, Floats]:
    across = np.asarray(cv2.Sobel(channel, cv2.CV_32F, 1, 0, scale=1 / 8), np.float32)
    down = np.asarray(cv2.Sobel(channel, cv2.CV_32F, 0, 1, scale=1 / 8), np.float32)
    steep = cv2.add(cv2.multiply(across, across), cv2.multiply(down, down))
    return across, down, np.asarray(steep, np.float32)


def edge_support(camera: Camera, edges: Floats, places: Sequence[tuple[float, float]], body: Body) -> float:
    """Give how well outlines of standing pins meet edges, 0 to 1; 0 without pins."""
    return float(np.mean(outline_supports(places, body, camera, edges))) if len(places) else 0.0


def outline_supports(
    places: Sequence[tuple[float, float]] | Array, body: Body, camera: Camera, edges: Floats
) -> Array:
    """Give how well the outline of a body that stands at each place, (N, 2) cm, meets edges across it, 0 to 1."""
    rows = np.zeros((len(places), COLUMNS))
    rows[:, X : Y + 1], rows[:, Z] = places, body.height_cm / 2
    size = np.ones(len(rows))
    around = outlines(rows, body.radius_cm * size, body.height_cm * size, camera)
    height, width = edges.shape[:2]
    at = np.rint(around.ring_px).astype(np.intp)
    x, y = np.clip(at[0], 0, width - 1), np.clip(at[1], 0, height - 1)
    inside = (at[0] == x) & (at[1] == y)
    slopes = edges[y, x]
    steep = np.abs(slopes[..., 0] * around.normals[0] + slopes[..., 1] * around.normals[1])
    met = (np.minimum(steep, TUNING.full_edge) * inside).sum(axis=1) / TUNING.full_edge
    return np.asarray(met / np.maximum(inside.sum(axis=1), 1))
