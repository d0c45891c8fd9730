"""Number rings painted over printed ones: bent wire on a ring with clips, names of makers, ends of the spider.

Drawn boards carry flat numbers; most steel boards carry a wire ring that stands off the board, and what is bright
and thin there looks like the point of a dart. Painted in the board's own coordinates, as `vision.train.painted`.
"""

import string

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import SECTORS
from vision.darts.canvas import Canvas, Picture

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

INNER_MM = 173.0
OUTER_MM = 224.0
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
    free = (_band(canvas) & (picture.max(axis=2) >= NOTHING)).astype(np.float32)
    free *= 1 - cv2.dilate(mask, np.ones((3, 3), np.uint8)).astype(np.float32) / 255
    art = _bare(picture, canvas, rng)
    wires = np.zeros(mask.shape, np.uint8)
    letters = np.zeros(mask.shape, np.uint8)
    height = float(rng.uniform(1.0, 9.0))
    _numbers(wires, eye_mm, height, canvas, rng)
    _ring(wires, eye_mm, height, canvas, rng)
    _spider(wires, canvas, rng)
    _names(letters, canvas, rng)
    _lay(art, letters, rng.uniform(40, 255, 3) if rng.random() < 0.6 else np.full(3, rng.uniform(90, 255)))
    if rng.random() < 0.8:
        _cast(art, wires, rng)
    _lay(art, wires, np.full(3, rng.uniform(110, 255)) * rng.uniform(0.9, 1.0, 3), _glints(canvas, rng))
    soft = float(rng.uniform(0.0, 1.3))
    if soft > 0.35:
        art = np.asarray(cv2.GaussianBlur(art, (0, 0), soft), np.float32)
    share = free[..., None]
    picture[:] = np.clip(picture * (1 - share) + art * share, 0, 255).astype(np.uint8)


def _band(canvas: Canvas) -> NDArray[np.bool_]:
    radius, _ = _polar(canvas)
    return np.asarray((radius > INNER_MM) & (radius < OUTER_MM))


def _polar(canvas: Canvas) -> tuple[Array, Array]:
    """Give (H, W) distance from the bull in mm and angle clockwise from up, in radians."""
    middle = (canvas.size - 1) / 2
    across = (np.arange(canvas.size) - middle) * canvas.mm_per_px
    x, y = across[None, :], -across[:, None]
    return np.hypot(x, y), np.arctan2(x, y)


def _bare(picture: Picture, canvas: Canvas, rng: np.random.Generator) -> Floats:
    """Give (H, W, 3) the picture with its ring in one colour, as the light falls just outside the doubles."""
    steps = 180
    angles = np.linspace(-np.pi, np.pi, steps, endpoint=False)
    rim = np.array([172.5, 174.0, 175.5])
    points = np.stack([np.sin(angles)[:, None] * rim, np.cos(angles)[:, None] * rim], axis=-1)
    px = canvas.to_px(points.reshape(-1, 2)).reshape(steps, len(rim), 2)
    seen = cv2.remap(picture, px[..., 0].astype(np.float32), px[..., 1].astype(np.float32), cv2.INTER_LINEAR)
    row = np.median(seen, axis=1).astype(np.float32)
    wide = 15
    around = np.stack([np.roll(row, k, axis=0) for k in range(-wide, wide + 1)])
    light = np.median(around, axis=0)
    if rng.random() < 0.3:
        light = light.mean(axis=0) * rng.uniform(0.5, 1.8) * np.ones((steps, 1)) + rng.uniform(0, 25)
    _, angle = _polar(canvas)
    place = ((angle + np.pi) / (2 * np.pi) * steps).astype(np.float32)
    looped = np.concatenate([light, light[:1]]).astype(np.float32)[None]
    bare = cv2.remap(looped, place, np.zeros_like(place), cv2.INTER_LINEAR)
    rough = cv2.resize(rng.normal(0, rng.uniform(0.5, 7.0), (320, 320)).astype(np.float32), picture.shape[1::-1])
    return np.asarray(bare + rough[..., None], np.float32)


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


def _ring(wires: Picture, eye_mm: Array, height: float, canvas: Canvas, rng: np.random.Generator) -> None:
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


def _cast(art: Floats, wires: Picture, rng: np.random.Generator) -> None:
    """Let the wires keep a lamp off the board."""
    shift = np.array([[1, 0, rng.normal(0, 5)], [0, 1, rng.normal(3, 5)]])
    dark = cv2.warpAffine(wires, shift, wires.shape[::-1])
    dark = cv2.GaussianBlur(dark, (0, 0), float(rng.uniform(0.5, 2.0))).astype(np.float32)
    art *= 1 - (dark / 255 * float(rng.uniform(0.2, 0.7)))[..., None]


def _glints(canvas: Canvas, rng: np.random.Generator) -> Floats:
    """Give (H, W) how bright metal is: it shines towards a lamp and is dull elsewhere."""
    _, angle = _polar(canvas)
    waves = sum(rng.uniform(0, 0.3) * np.cos(k * angle + rng.uniform(0, 2 * np.pi)) for k in (1, 2, 5))
    return np.asarray(np.clip(0.8 + waves, 0.15, 1.2), np.float32)


def _lay(art: Floats, alpha: Picture, colour: Array, gain: Floats | None = None) -> None:
    share = (alpha.astype(np.float32) / 255)[..., None]
    tone = np.asarray(colour, np.float32) * (1.0 if gain is None else gain[..., None])
    art += share * (tone - art)
