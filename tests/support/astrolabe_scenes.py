"""Draws tables of Astrolabe: board, gutters, combs, balls with light and shade, as a camera sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]
Colour = tuple[float, float, float]

BLUE: Colour = (170, 80, 40)
RED: Colour = (40, 40, 190)
GREEN: Colour = (60, 150, 50)
WHITE: Colour = (225, 230, 232)
BLACK: Colour = (26, 24, 24)
FELT: Colour = (85, 125, 70)
WOOD: Colour = (105, 145, 185)
PALE: Colour = (205, 210, 212)
BRASS: Colour = (70, 150, 180)
SKIN: Colour = (140, 165, 215)

RADIUS = 1.25
ROWS_CM = (55.0, 80.0, 105.0)
SIZE = (960, 540)
GUTTER_CM = 3.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A table, its colours and the camera; `light` multiplies the channels, `noise` is in levels."""

    board: Colour = FELT
    comb: Colour = BRASS
    balls: tuple[Colour, Colour] = (BLUE, RED)
    eye_cm: tuple[float, float, float] = (30.0, 50.0, 125.0)
    focal_px: float = 885.0
    light: Colour = (1.0, 1.0, 1.0)
    noise: float = 2.0
    seed: int = 1
    grain: float = 4.0


Ball = tuple[int, tuple[float, float]]
"""Side (2: another thing of ball size, grey-violet), and (x, y) cm."""


def slot_cm(position: int, slot: int) -> tuple[float, float]:
    """Give the centre of a slot, both counted from 1."""
    return 21.0 + 4.5 * (slot - 1), ROWS_CM[position - 1]


def setup_json(look: Look, taps: Sequence[Ball]) -> dict[str, Any]:
    """Give the SETUP of a drawn table, its colours taught by tapping the given balls."""
    corners = [[0.0, 0.0], [60.0, 0.0], [60.0, 120.0], [0.0, 120.0]]
    camera = _Camera(look)
    gutter = [[0.0, 0.0], [GUTTER_CM, 0.0], [GUTTER_CM, 120.0], [0.0, 120.0]]
    tapped: dict[str, Any] = {"0": [], "1": []}
    for side, xy in taps:
        tapped[str(side)].append(camera.to_px(np.array([[*xy, RADIUS]]))[0].round(1).tolist())
    return {
        "game": "astrolabe",
        "image_size": list(SIZE),
        "board_px": camera.to_px(np.array([[*xy, 0.0] for xy in corners])).round(2).tolist(),
        "board_cm": corners,
        "lens": None,
        "positions": [{"y": y, "x0": 21.0, "pitch": 4.5, "slots": 5} for y in ROWS_CM],
        "gutters_cm": [gutter, [[60.0 - x, y] for x, y in gutter]],
        "colours": tapped,
    }


def draw(look: Look, balls: Sequence[Ball], *, hand_to_cm: tuple[float, float] | None = None) -> Picture:
    """Draw a table; an arm reaches from the player's end to `hand_to_cm`, if given."""
    camera = _Camera(look)
    rng = np.random.default_rng(look.seed)
    picture = np.full((SIZE[1], SIZE[0], 3), (96.0, 88.0, 90.0))
    _fill(picture, camera, [(-2, -2), (62, -2), (62, 122), (-2, 122)], (60, 85, 120))
    _fill(picture, camera, [(0, 0), (60, 0), (60, 120), (0, 120)], look.board)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (68, 120)), (0, 0), 1.5)
    grain = cv2.resize(grain / grain.std(), SIZE, interpolation=cv2.INTER_CUBIC)[..., None]
    picture += look.grain * grain
    for x in (0.0, 60 - GUTTER_CM):
        _fill(picture, camera, [(x, 0), (x + GUTTER_CM, 0), (x + GUTTER_CM, 120), (x, 120)], (48, 46, 45))
    _fill(picture, camera, [(3.6, 19.8), (56.4, 19.8), (56.4, 20.2), (3.6, 20.2)], (50, 50, 190))
    for _, xy in balls:
        _shadow(picture, camera, xy)
    things: list[tuple[float, Any]] = []
    for y in ROWS_CM:
        boxes = [(18.5, 41.3, y - 2.1, y - 1.5)]
        boxes += [(18.75 + 4.5 * k - 0.3, 18.75 + 4.5 * k + 0.3, y - 1.5, y + 1.9) for k in range(6)]
        things += [(camera.far((box[0] + box[1]) / 2, (box[2] + box[3]) / 2), box) for box in boxes]
    things += [(camera.far(*xy), (side, xy)) for side, xy in balls]
    for _, thing in sorted(things, key=lambda one: -one[0]):
        if len(thing) == 4:
            _box(picture, camera, thing, look.comb)
        else:
            side, xy = thing
            _ball(picture, camera, xy, (*look.balls, (120.0, 90.0, 110.0))[side])
    if hand_to_cm is not None:
        ends = camera.to_px(np.array([[hand_to_cm[0], -12.0, 4.0], [*hand_to_cm, 4.0]]))
        width = round(8 * camera.scale)
        start, end = (tuple(int(v) for v in point) for point in ends)
        cv2.line(picture, start, end, SKIN, width)
    lit = cv2.GaussianBlur(picture, (0, 0), 0.7) * np.array(look.light) + rng.normal(0, look.noise, picture.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


class _Camera:
    def __init__(self, look: Look) -> None:
        self.eye = np.array(look.eye_cm)
        forward = np.array([30.0, 58.0, 0.0]) - self.eye
        forward /= np.linalg.norm(forward)
        right = np.array([0.0, 1.0, 0.0]) - forward[1] * forward
        right /= np.linalg.norm(right)
        self._turn = np.array([right, np.cross(forward, right), forward])
        self._focal = look.focal_px
        self.scale = look.focal_px / float(np.linalg.norm(self.eye - (30, 10, 0)))

    def to_px(self, xyz: Array) -> Array:
        seen = (xyz - self.eye) @ self._turn.T
        return np.asarray(seen[:, :2] / seen[:, 2:] * self._focal + [(SIZE[0] - 1) / 2, (SIZE[1] - 1) / 2])

    def rays(self, columns: Array, rows: Array) -> Array:
        x, y = (columns - (SIZE[0] - 1) / 2) / self._focal, (rows - (SIZE[1] - 1) / 2) / self._focal
        ways = np.stack([x, y, np.ones_like(x)], axis=-1) @ self._turn
        return np.asarray(ways / np.linalg.norm(ways, axis=-1, keepdims=True))

    def far(self, x: float, y: float) -> float:
        return float(np.linalg.norm(self.eye - (x, y, 1.0)))


def _fill(picture: Array, camera: _Camera, xy: Sequence[tuple[float, float]], colour: Colour) -> None:
    _polygon(picture, camera.to_px(np.array([[*point, 0.0] for point in xy])), colour)


def _polygon(picture: Array, px: Array, colour: Colour) -> None:
    cv2.fillPoly(picture, [np.round(px * 16).astype(np.int32)], colour, lineType=cv2.LINE_8, shift=4)


def _box(picture: Array, camera: _Camera, box: tuple[float, float, float, float], colour: Colour) -> None:
    x0, x1, y0, y1 = box
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    sides = [(corners[k], corners[(k + 1) % 4]) for k in range(4)]
    sides.sort(key=lambda side: -camera.far((side[0][0] + side[1][0]) / 2, (side[0][1] + side[1][1]) / 2))
    dark = (colour[0] * 0.6, colour[1] * 0.6, colour[2] * 0.6)
    for a, b in sides:
        wall = np.array([[*a, 0.0], [*b, 0.0], [*b, 1.5], [*a, 1.5]])
        _polygon(picture, camera.to_px(wall), dark)
    _polygon(picture, camera.to_px(np.array([[*point, 1.5] for point in corners])), colour)


def _shadow(picture: Array, camera: _Camera, xy: tuple[float, float]) -> None:
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.column_stack([xy[0] + 0.5 + 1.4 * np.cos(turn), xy[1] + 0.6 + 1.4 * np.sin(turn), np.zeros(24)])
    mask = np.zeros(picture.shape[:2], np.float32)
    cv2.fillPoly(mask, [np.round(camera.to_px(ring)).astype(np.int32)], (1.0,))
    picture *= 1 - 0.45 * cv2.GaussianBlur(mask, (0, 0), 3)[..., None]


def _ball(picture: Array, camera: _Camera, xy: tuple[float, float], colour: Colour) -> None:
    centre = np.array([*xy, RADIUS])
    middle = camera.to_px(centre[None])[0]
    reach = int(RADIUS * camera.scale * 1.6) + 3
    left, top = (int(v) - reach for v in middle)
    rows, columns = np.mgrid[top : top + 2 * reach, left : left + 2 * reach]
    ways = camera.rays(columns.astype(np.float64), rows.astype(np.float64))
    toward = centre - camera.eye
    along = ways @ toward
    beside = (toward @ toward) - along**2
    hit = beside < RADIUS**2
    depth = along - np.sqrt(np.maximum(RADIUS**2 - beside, 0))
    normal = (camera.eye + ways * depth[..., None] - centre) / RADIUS
    lamp = np.array([-0.35, -0.4, 0.85])
    bright = 0.35 + 0.75 * np.maximum(normal @ lamp, 0)
    mirror = ways - 2 * np.sum(ways * normal, axis=-1, keepdims=True) * normal
    shine = 190 * np.maximum(mirror @ lamp, 0) ** 60
    shaded = np.array(colour) * bright[..., None] + shine[..., None]
    part = picture[top : top + 2 * reach, left : left + 2 * reach]
    part[hit] = shaded[hit]
