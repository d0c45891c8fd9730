"""The board redrawn as from straight above: one size and direction for every camera, as the network takes it.

What stands leans away from the camera in such a picture, by how high it is; two maps say by how much where.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.pins import Body, draw
from vision.finn.state import Place

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]
Picture = NDArray[np.uint8]

PX_PER_CM: Final = 3.0
LOW_CM: Final = (-16.0, -18.0)
"""The corner with the least x and y that is redrawn: pins come to lie beside the board."""

SIZE: Final = (448, 256)
"""Width (along the board) and height of what is redrawn; multiples of 32 for the network."""

_FINE: Final = 4.5
"""Pictures with more pixels a cm are made smaller first, lest single pixels stand for many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bird:
    """Where each pixel of the redrawn board is looked up.

    Attributes
    ----------
    map_px
        (H, W, 2) float32, in the picture made smaller by `factor`.
    factor
        How much smaller.
    eye_cm
        (3,) where the camera is.
    """

    map_px: Floats
    factor: float
    eye_cm: Array

    def of(self, picture: Picture) -> Picture:
        """Redraw (H, W, 3) BGR: (256, 448, 3), x to the right, y down."""
        if self.factor < 1:
            size = (round(picture.shape[1] * self.factor), round(picture.shape[0] * self.factor))
            picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        return np.asarray(
            cv2.remap(
                picture, self.map_px[..., 0], self.map_px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
            ),
            np.uint8,
        )

    def slant(self) -> Floats:
        """Give (2, H, W): how far along x and y something 1 high leans away, in its height."""
        return slant_of(self.eye_cm)

    def shadow(self, xyz_cm: Array) -> Array:
        """Give where points (N, 3) cm are seen: (N, 2) px of the redrawn board."""
        xyz = np.asarray(xyz_cm, np.float64).reshape(-1, 3)
        part = self.eye_cm[2] / np.maximum(self.eye_cm[2] - xyz[:, 2:], 1e-3)
        return to_px(self.eye_cm[:2] + (xyz[:, :2] - self.eye_cm[:2]) * part)


def to_px(xy_cm: Array) -> Array:
    """Put (N, 2) cm of the board's plane on the redrawn board, px."""
    return np.asarray((np.asarray(xy_cm) - LOW_CM) * PX_PER_CM - 0.5)


def to_cm(xy_px: Array) -> Array:
    """Put (N, 2) px of the redrawn board on the board's plane, cm."""
    return np.asarray((np.asarray(xy_px) + 0.5) / PX_PER_CM + LOW_CM)


def _grid_cm() -> Array:
    xs, ys = np.meshgrid(np.arange(SIZE[0], dtype=np.float64), np.arange(SIZE[1], dtype=np.float64))
    return to_cm(np.stack([xs, ys], axis=2))


_CM: Final = _grid_cm()


def slant_of(eye_cm: Array, rows: slice = slice(None), columns: slice = slice(None)) -> Floats:
    """Give (2, H, W), or a part, for a camera at (3,) cm; see `Bird.slant`."""
    away = (_CM[rows, columns] - eye_cm[:2]) / max(float(eye_cm[2]), 10.0)
    return np.asarray(np.clip(away, -2, 2).transpose(2, 0, 1), np.float32)


def bird_of(camera: Camera) -> Bird:
    """Give how to redraw the board that a camera sees."""
    scale = camera.px_per_cm((58.5, 24.5, 0.0))
    factor = min(1.0, _FINE / scale)
    # The lens bends little from one pixel to the next: every eighth is computed.
    xs, ys = np.arange(0, SIZE[0] + 8, 8), np.arange(0, SIZE[1] + 8, 8)
    coarse = to_cm(np.stack(np.meshgrid(xs, ys), axis=2).reshape(-1, 2).astype(np.float64))
    px = camera.to_px(np.column_stack([coarse, np.zeros(len(coarse))]))
    px = (px + 0.5) * factor - 0.5
    nodes = px.reshape(len(ys), len(xs), 2).astype(np.float32)
    across = (np.arange(SIZE[0], dtype=np.float32) / 8)[None].repeat(SIZE[1], 0)
    down = (np.arange(SIZE[1], dtype=np.float32) / 8)[:, None].repeat(SIZE[0], 1)
    return Bird(
        map_px=np.asarray(cv2.remap(nodes, across, down, cv2.INTER_LINEAR), np.float32),
        factor=factor,
        eye_cm=camera.eye_cm,
    )


def known_pins(bird: Bird, places: list[Place], body: Body) -> Mask:
    """Give (256, 448), 1 where pins that stand at these places, cm, are seen on the redrawn board."""
    return np.asarray(seen_from_above(bird, places, body) >= 0, np.uint8)


def seen_from_above(bird: Bird, places: list[Place], body: Body) -> NDArray[np.int16]:
    """Give (256, 448) the place in the list of the standing pin that is seen at each pixel, -1 for none."""
    owner = np.full((SIZE[1], SIZE[0]), -1, np.int16)
    far = [-float(np.hypot(*(bird.eye_cm[:2] - xy))) for xy in places]
    for place in np.argsort(far, kind="stable"):
        draw(owner, bird_outline(bird, places[place], body), int(place))
    return owner


def bird_outline(bird: Bird, xy: Place, body: Body) -> Array:
    """Give the outline of a standing pin on the redrawn board, (N, 2) px."""
    ring = _RING * body.radius_cm + xy
    ends = [np.column_stack([ring, np.full(len(ring), z)]) for z in (0.0, body.height_cm)]
    points = bird.shadow(np.concatenate(ends)).astype(np.float32)
    return np.asarray(cv2.convexHull(points)[:, 0], np.float64)


_TURN: Final = np.linspace(0, 2 * np.pi, 20, endpoint=False)
_RING: Final = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
