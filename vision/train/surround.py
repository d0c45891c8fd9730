"""Number rings painted over printed ones: bent wire on a ring with clips, names of makers, ends of the spider.

Drawn boards carry flat numbers; most steel boards carry a wire ring that stands off the board, and what is bright
and thin there looks like the point of a dart. Painted in the board's own coordinates, as `vision.train.painted`.
"""

import string
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.darts.board import SECTORS
from vision.darts.canvas import Canvas, Picture

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

INNER_MM = 173.0
OUTER_MM = 224.0
TURNS = 720  # parts of a turn for which light is found
STAMP = 96  # side of the picture that a number or letter is written into, in its pixels
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_PLAIN,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX_SMALL,
    cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
)
_LETTERS = list(string.ascii_letters)
NOTHING = 6  # a pixel darker than this lies where the camera saw nothing


def paint_surround(
    picture: Picture, mask: Picture, eye_mm: Array, canvas: Canvas, rng: np.random.Generator
) -> None:
    """Paint another number ring into a picture (H, W, 3), in place, but not over darts (mask (H, W))."""
    ring = _ring_of(canvas)
    under = picture.reshape(-1, 3)[ring.pixels]
    wires, letters = (np.zeros(mask.shape, np.uint8) for _ in range(2))
    height = float(rng.uniform(1.0, 9.0))
    _numbers(wires, eye_mm, height, canvas, rng)
    _wire(wires, eye_mm, height, canvas, rng)
    _spider(wires, canvas, rng)
    _names(letters, canvas, rng)
    soft = float(rng.uniform(0.0, 1.3))
    if soft > 0.35:
        wires, letters = (np.asarray(cv2.GaussianBlur(one, (0, 0), soft), np.uint8) for one in (wires, letters))
    art = _bare(picture, ring, canvas, rng)
    printed = rng.uniform(40, 255, 3) if rng.random() < 0.6 else np.full(3, rng.uniform(90, 255))
    _lay(art, letters.ravel()[ring.pixels], printed)
    if rng.random() < 0.8:
        art *= 1 - _shadow(wires, rng).ravel()[ring.pixels, None] * np.float32(rng.uniform(0.2, 0.7) / 255)
    metal = np.full(3, rng.uniform(110, 255)) * rng.uniform(0.9, 1.0, 3)
    _lay(art, wires.ravel()[ring.pixels], metal * _glints(rng)[ring.turns, None])
    darts = cv2.dilate(mask, np.ones((3, 3), np.uint8)).ravel()[ring.pixels]
    free = (1 - darts.astype(np.float32) / 255) * (under.max(axis=1) >= NOTHING)
    mixed = under + free[:, None] * (art - under)
    picture.reshape(-1, 3)[ring.pixels] = np.clip(mixed, 0, 255).astype(np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ring:
    """The pixels of the ring (N,), counted row by row, and which of `TURNS` parts of a turn each lies in (N,)."""

    pixels: NDArray[np.intp]
    turns: NDArray[np.intp]


@lru_cache(maxsize=2)
def _ring_of(canvas: Canvas) -> _Ring:
    middle = (canvas.size - 1) / 2
    across = (np.arange(canvas.size) - middle) * canvas.mm_per_px
    x, y = across[None, :], -across[:, None]
    radius, angle = np.hypot(x, y), np.arctan2(x, y)
    pixels = np.flatnonzero((radius > INNER_MM) & (radius < OUTER_MM))
    turns = (angle.ravel()[pixels] + np.pi) / (2 * np.pi) * TURNS
    return _Ring(pixels=pixels, turns=np.minimum(turns.astype(np.intp), TURNS - 1))


def _bare(picture: Picture, ring: _Ring, canvas: Canvas, rng: np.random.Generator) -> Floats:
    """Give (N, 3) the ring in one colour, as the light falls just outside the doubles."""
    angles = (np.arange(TURNS) + 0.5) / TURNS * 2 * np.pi - np.pi
    rim = np.array([172.5, 174.0, 175.5])
    points = np.stack([np.sin(angles)[:, None] * rim, np.cos(angles)[:, None] * rim], axis=-1)
    px = canvas.to_px(points.reshape(-1, 2)).reshape(TURNS, len(rim), 2).astype(np.float32)
    row = np.median(cv2.remap(picture, px[..., 0], px[..., 1], cv2.INTER_LINEAR), axis=1).astype(np.uint8)
    # A median along the turn takes out what sticks into the rim; it is laid out twice for its two ends.
    looped = np.concatenate([row, row, row])[None]
    light = cv2.medianBlur(np.ascontiguousarray(looped), 31)[0, TURNS : 2 * TURNS].astype(np.float32)
    if rng.random() < 0.3:
        light = np.tile(light.mean(axis=0) * np.float32(rng.uniform(0.5, 1.8)) + rng.uniform(0, 25), (TURNS, 1))
    rough = rng.standard_normal(1 << 14, dtype=np.float32) * np.float32(rng.uniform(0.5, 7.0))
    first = int(rng.integers(len(rough)))
    return np.asarray(light[ring.turns] + np.resize(np.roll(rough, first), len(ring.pixels))[:, None], np.float32)


def _numbers(wires: Picture, eye_mm: Array, height: float, canvas: Canvas, rng: np.random.Generator) -> None:
    font, thick = int(rng.choice(FONTS)), int(rng.integers(1, 6))
    radius, tall = rng.uniform(190, 207), rng.uniform(13, 32)
    wide = tall * rng.uniform(0.8, 1.4)
    turned = rng.random() < 0.4  # the lower half is written to be read from below
    for place, number in enumerate(SECTORS):
        angle = place * np.pi / 10 + rng.normal(0, 0.012)
        flip = turned and np.cos(angle) < -0.1
        at = _raised(radius * np.array([np.sin(angle), np.cos(angle)]), height, eye_mm)
        shape = wide * (1.0 if number > 9 else 0.5), tall
        _stamp(wires, _written(str(number), font, thick), at, shape, angle + np.pi * flip, canvas)


def _wire(wires: Picture, eye_mm: Array, height: float, canvas: Canvas, rng: np.random.Generator) -> None:
    if rng.random() < 0.25:
        return
    radius = rng.uniform(205, 222)
    angles = np.linspace(0, 2 * np.pi, 121)
    around = _raised(radius * np.stack([np.sin(angles), np.cos(angles)], axis=1), height, eye_mm)
    cv2.polylines(wires, [_fine(around, canvas)], False, 255.0, int(rng.integers(1, 3)), cv2.LINE_AA, 4)
    first = rng.uniform(0, 2 * np.pi)
    for k in range(int(rng.integers(0, 9))):
        angle = first + k * np.pi / 4
        at = canvas.to_px(_raised(radius * np.array([[np.sin(angle), np.cos(angle)]]), height, eye_mm))[0]
        size = rng.uniform(3, 10, 2) / canvas.mm_per_px
        cv2.ellipse(wires, (tuple(map(float, at)), tuple(map(float, size)), float(np.degrees(angle))), 255.0, -1)


def _spider(wires: Picture, canvas: Canvas, rng: np.random.Generator) -> None:
    """Draw the ends of the wires between sectors, which reach past the doubles on most boards."""
    if rng.random() < 0.4:
        return
    reach = rng.uniform(2, 12)
    for place in range(20):
        if rng.random() < 0.9:
            angle = (place + 0.5) * np.pi / 10
            ends = np.array([[INNER_MM - 2], [INNER_MM + reach * rng.uniform(0.7, 1.2)]])
            line = ends * np.array([[np.sin(angle), np.cos(angle)]])
            cv2.polylines(wires, [_fine(line, canvas)], False, 255.0, 1, cv2.LINE_AA, 4)


def _names(letters: Picture, canvas: Canvas, rng: np.random.Generator) -> None:
    """Write a maker's name along the ring."""
    for _ in range(int(rng.integers(0, 3))):
        font, thick = int(rng.choice(FONTS)), int(rng.integers(2, 9))
        radius, tall = rng.uniform(180, 216), rng.uniform(5, 22)
        first, flip = rng.uniform(-np.pi, np.pi), rng.random() < 0.5
        for k in range(int(rng.integers(3, 12))):
            angle = first + (-k if flip else k) * tall * rng.uniform(0.75, 0.9) / radius
            at = radius * np.array([np.sin(angle), np.cos(angle)])
            letter = _written(str(rng.choice(_LETTERS)), font, thick)
            _stamp(letters, letter, at, (tall * 0.7, tall), angle + np.pi * flip, canvas)


def _written(text: str, font: int, thick: int) -> Picture:
    """Write a text so that it fills (STAMP, STAMP)."""
    (wide, tall), below = cv2.getTextSize(text, font, 2.0, thick)
    page = np.zeros((tall + below + 2 * thick + 4, wide + 2 * thick + 4), np.uint8)
    cv2.putText(page, text, (thick + 2, tall + thick + 2), font, 2.0, 255.0, thick, cv2.LINE_AA)
    x, y, wide, tall = cv2.boundingRect(page)
    return np.asarray(cv2.resize(page[y : y + tall, x : x + wide], (STAMP, STAMP)), np.uint8)


def _stamp(  # noqa: PLR0917 - one call, each name beside its value
    onto: Picture, written: Picture, at_mm: Array, size_mm: tuple[float, float], angle: float, canvas: Canvas
) -> None:
    """Lay a stamp, its top outward from the bull at `angle`, onto a picture, in place."""
    x, y = canvas.to_px(np.reshape(at_mm, (1, 2)))[0]
    wide, tall = (size / canvas.mm_per_px / STAMP for size in size_mm)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c * wide, -s * tall], [s * wide, c * tall]])
    reach = int(np.ceil(np.hypot(*size_mm) / canvas.mm_per_px / 2)) + 2
    x0, y0 = int(x) - reach, int(y) - reach
    shift = np.array([x - x0, y - y0]) - turn @ np.full(2, (STAMP - 1) / 2)
    stamp = cv2.warpAffine(written, np.column_stack([turn, shift]), (2 * reach, 2 * reach), flags=cv2.INTER_AREA)
    top, left = max(y0, 0), max(x0, 0)
    there = onto[top : y0 + 2 * reach, left : x0 + 2 * reach]
    np.maximum(there, stamp[top - y0 :, left - x0 :][: there.shape[0], : there.shape[1]], out=there)


def _raised(points_mm: Array, height: float, eye_mm: Array) -> Array:
    """Give where points above the board are seen on it."""
    return np.asarray(eye_mm[:2] + (points_mm - eye_mm[:2]) * eye_mm[2] / max(eye_mm[2] - height, 1.0))


def _fine(points_mm: Array, canvas: Canvas) -> NDArray[np.int32]:
    return np.asarray(np.round(canvas.to_px(points_mm) * 16), np.int32)


def _shadow(wires: Picture, rng: np.random.Generator) -> Picture:
    """Give where the wires keep a lamp off the board."""
    shift = np.array([[1, 0, rng.normal(0, 5)], [0, 1, rng.normal(3, 5)]])
    dark = cv2.warpAffine(wires, shift, wires.shape[::-1])
    return np.asarray(cv2.GaussianBlur(dark, (0, 0), float(rng.uniform(0.5, 2.0))), np.uint8)


def _glints(rng: np.random.Generator) -> Floats:
    """Give (TURNS,) how bright metal is: it shines towards a lamp and is dull elsewhere."""
    angles = np.arange(TURNS) / TURNS * 2 * np.pi
    waves = sum(rng.uniform(0, 0.3) * np.cos(k * angles + rng.uniform(0, 2 * np.pi)) for k in (1, 2, 5))
    return np.asarray(np.clip(0.8 + waves, 0.15, 1.2), np.float32)


def _lay(art: Floats, alpha: Picture, colour: ArrayLike) -> None:
    share = alpha.astype(np.float32)[:, None] / np.float32(255)
    art += share * (np.asarray(colour, np.float32) - art)
