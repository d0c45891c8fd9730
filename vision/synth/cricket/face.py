"""The face of a dartboard as one texture: fields, rings, wires, numbers, words, wear; height in A.

Drawn in board mm at `PX_PER_MM`; the middle of the texture is the bull, up is 20.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import SECTORS
from vision.synth.cricket.look import BoardLook
from vision.synth.scene import Bytes, Colour, Floats, Texture
from vision.synth.textures import grain

SIZE = 2048
SHIFT = 4  # cv2 draws with 1/16 px
FIELD_HEIGHT = 110
WIRE_HEIGHT = 250
WIRE_LEVEL = 0.75
Glyph = tuple[Bytes, tuple[float, float]]


def px_per_mm(look: BoardLook) -> float:
    """Scale of the texture: the whole board with a small rim."""
    return SIZE / (2 * look.radius_mm + 4)


def face(look: BoardLook) -> Texture:
    """Draw the face of a board."""
    canvas = np.zeros((SIZE, SIZE, 3), np.uint8)
    height = np.full((SIZE, SIZE), FIELD_HEIGHT, np.uint8)
    scale = px_per_mm(look)
    _disc(canvas, look.radius_mm * scale, look.number_ring)
    _fields(canvas, look, scale)
    _weather(canvas, height, look, scale)
    _words(canvas, look, scale)
    if look.number_style != "wire":
        _numbers(canvas, None, look, scale)
    if look.soft_tip:
        _holes(canvas, height, look, scale)
    _wires(canvas, height, look, scale)
    if look.number_style == "wire":
        _numbers(canvas, height, look, scale)
    return Texture(np.asarray(cv2.merge([*cv2.split(canvas), height]), np.uint8))


def _bytes(colour: Colour) -> tuple[int, int, int]:
    r, g, b = (round(255 * c) for c in colour)
    return (r, g, b)


def _disc(canvas: Bytes, radius_px: float, colour: Colour) -> None:
    middle = int((SIZE / 2 - 0.5) * 2**SHIFT)
    cv2.circle(canvas, (middle, middle), int(radius_px * 2**SHIFT), _bytes(colour), -1, cv2.LINE_AA, SHIFT)


def _fields(canvas: Bytes, look: BoardLook, scale: float) -> None:
    rings = look.rings
    bands = (
        (rings.double_outer, look.dark_ring, look.light_ring),
        (rings.double_inner, look.dark, look.light),
        (rings.treble_outer, look.dark_ring, look.light_ring),
        (rings.treble_inner, look.dark, look.light),
    )
    for radius, dark, light in bands:
        for i in range(20):
            wedge = _wedge(radius * scale, i)
            cv2.fillPoly(canvas, [wedge], _bytes(dark if i % 2 == 0 else light), cv2.LINE_AA, SHIFT)
    _disc(canvas, rings.outer_bull * scale, look.outer_bull)
    _disc(canvas, rings.bull * scale, look.inner_bull)


def _wedge(radius_px: float, sector: int) -> NDArray[np.int32]:
    angle = np.radians(sector * 18 + np.linspace(-9.02, 9.02, 13))
    rim = np.stack([np.sin(angle), -np.cos(angle)], 1) * radius_px
    points = np.vstack([[(0, 0)], rim]) + SIZE / 2 - 0.5
    return np.asarray(np.round(points * 2**SHIFT), np.int32)


def _wires(canvas: Bytes, height: Bytes, look: BoardLook, scale: float) -> None:
    if look.wire_mm <= 0:
        return
    thick = max(1, round(look.wire_mm * scale))
    middle = int((SIZE / 2 - 0.5) * 2**SHIFT)
    top = WIRE_HEIGHT if look.steel else 185
    for radius in look.rings.radii():
        for target, colour in ((canvas, _bytes(look.wire)), (height, (top, top, top))):
            cv2.circle(target, (middle, middle), int(radius * scale * 2**SHIFT), colour, thick, cv2.LINE_AA, SHIFT)
    reach = look.rings.double_outer + (6 if look.steel else 2)
    for i in range(20):
        angle = np.radians(i * 18 + 9)
        way = np.array([np.sin(angle), -np.cos(angle)]) * scale
        ends = [(SIZE / 2 - 0.5 + way * r) * 2**SHIFT for r in (look.rings.outer_bull, reach)]
        a, b = (tuple(int(v) for v in end) for end in ends)
        for target, colour in ((canvas, _bytes(look.wire)), (height, (top, top, top))):
            cv2.line(target, a, b, colour, thick, cv2.LINE_AA, SHIFT)


def _numbers(canvas: Bytes, height: Bytes | None, look: BoardLook, scale: float) -> None:
    middle_mm = (look.rings.double_outer + look.radius_mm) / 2
    for i, number in enumerate(SECTORS):
        turn = -np.radians(i * 18)
        glyph = drawn(str(number), look.number_style, look.number_mm * scale)
        _stamp(canvas, height, glyph, (middle_mm * scale, turn), look)
    if look.number_style == "wire":
        at = int((SIZE / 2 - 0.5) * 2**SHIFT)
        radius_px = (look.radius_mm - 3.5) * scale
        cv2.circle(canvas, (at, at), int(radius_px * 2**SHIFT), _bytes(look.number), 5, cv2.LINE_AA, SHIFT)


def drawn(text: str, style: str, height_px: float) -> Glyph:
    """Draw a short text: mask (h, w) 0…255 and the point of it that is its middle."""
    font = cv2.FONT_HERSHEY_SIMPLEX if style != "serif" else cv2.FONT_HERSHEY_COMPLEX
    scale = height_px / 21.0
    share = {"wire": 0.09, "printed": 0.15, "bold": 0.22}.get(style, 0.15)
    thick = max(1, round(height_px * share))
    (width, tall), _ = cv2.getTextSize(text, font, scale, thick)
    pad = thick + 4
    mask = np.zeros((tall + 2 * pad, width + 2 * pad), np.uint8)
    cv2.putText(mask, text, (pad, pad + tall), font, scale, 255, thick, cv2.LINE_AA)
    return mask, (mask.shape[1] / 2, mask.shape[0] / 2)


def _stamp(
    canvas: Bytes,
    height: Bytes | None,
    glyph: Glyph,
    place: tuple[float, float],
    look: BoardLook,
) -> None:
    """Put a glyph on the texture at (distance from the bull in px, turn in radians); its up is out."""
    (mask, centre), (radius_px, turn) = glyph, place
    c, s = np.cos(turn), np.sin(turn)
    at = np.array([-np.sin(turn), -np.cos(turn)]) * radius_px + SIZE / 2 - 0.5
    half = int(np.hypot(*mask.shape) / 2) + 2
    low = np.floor(at).astype(int) - half
    spot = at - low
    move = np.array([[c, s, 0], [-s, c, 0]])
    move[:, 2] = spot - move[:, :2] @ np.asarray(centre)
    patch = cv2.warpAffine(mask, move, (2 * half, 2 * half), flags=cv2.INTER_LINEAR)
    y0, x0 = max(0, low[1]), max(0, low[0])
    y1, x1 = min(SIZE, low[1] + 2 * half), min(SIZE, low[0] + 2 * half)
    part = patch[y0 - low[1] : y1 - low[1], x0 - low[0] : x1 - low[0]]
    region, inked = canvas[y0:y1, x0:x1], cv2.merge([part] * 3)
    ink = cv2.merge([cv2.convertScaleAbs(part, alpha=tone / 255) for tone in _bytes(look.number)])
    region[:] = cv2.add(cv2.multiply(region, 255 - inked, scale=1 / 255), ink)
    if height is not None:
        top = 175
        region = height[y0:y1, x0:x1]
        region[:] = cv2.max(region, cv2.convertScaleAbs(part, alpha=top / 255))


def _words(canvas: Bytes, look: BoardLook, scale: float) -> None:
    """Print the words between two numbers each, small enough to leave them legible."""
    rng = np.random.default_rng((look.seed, 2))
    band = look.radius_mm - look.rings.double_outer
    radius = (look.rings.double_outer + band * rng.uniform(0.35, 0.65)) * scale
    places = rng.permutation(20)
    for word, at in zip(look.words, places, strict=False):
        tall = min(0.3 * band * scale, np.radians(10.5) * radius / (0.8 * len(word)))
        step = 0.8 * tall / radius
        start = -np.radians(at * 18 + 9) + step * (len(word) - 1) / 2
        for i, letter in enumerate(word):
            _stamp(canvas, None, drawn(letter, "bold", tall), (radius, start - i * step), look)


def _holes(canvas: Bytes, height: Bytes, look: BoardLook, scale: float) -> None:
    """Darken the hexagonal grid of holes of a soft-tip board."""
    pitch = 3.6 * scale
    at = np.arange(SIZE, dtype=np.float32) - SIZE / 2
    k = 2 * np.pi / pitch
    # cos kx and two such waves turned by 60 degrees each way, whose sum is a product of one in x and one in y
    wave = np.cos(k * at) + 2 * np.outer(np.cos(k * 0.8660254 * at), np.cos(k * at / 2))
    inside = np.add.outer(at**2, at**2) < (look.rings.double_outer * scale) ** 2
    hole = ((wave > 1.1) & inside).view(np.uint8)
    cv2.copyTo(cv2.convertScaleAbs(canvas, alpha=1 / 3), hole, canvas)
    cv2.copyTo(np.full_like(height, 40), hole, height)


def _weather(canvas: Bytes, height: Bytes, look: BoardLook, scale: float) -> None:
    """Put grain of the fibre, stains, and the holes and fading of use on the fields."""
    fibre = grain(SIZE, 2.2, look.seed % 3)
    patch = grain(SIZE, 90, look.seed % 4 + 20)
    blotch = grain(SIZE, 17, look.seed % 3 + 50)
    rough = 0.02 if look.soft_tip else 0.05 + 0.05 * look.wear
    stain = cv2.addWeighted(patch, 0.02 + 0.05 * look.wear, blotch, 0.05 * look.wear, 1.0)
    shade = cv2.addWeighted(fibre, 128 * rough, stain, 128, 0, dtype=cv2.CV_8U)
    cv2.multiply(canvas, cv2.merge([shade] * 3), dst=canvas, scale=1 / 128)
    deep = 22 + 20 * look.wear
    height[:] = np.minimum(cv2.addWeighted(fibre, deep, fibre, 0, FIELD_HEIGHT, dtype=cv2.CV_8U), 170)
    if not look.soft_tip:
        _pricks(canvas, height, look, scale)


def _pricks(canvas: Bytes, height: Bytes, look: BoardLook, scale: float) -> None:
    rng = np.random.default_rng((look.seed, 3))
    count = int(2500 * look.wear**1.5)
    for (x, y), size, dark in zip(
        _used(rng, count), rng.uniform(0.3, 0.9, count), rng.uniform(0.35, 0.8, count), strict=True
    ):
        at = (int((SIZE / 2 + x * scale) * 16), int((SIZE / 2 - y * scale) * 16))
        px = min(max(at[1] // 16, 0), SIZE - 1), min(max(at[0] // 16, 0), SIZE - 1)
        tone = tuple(int(v * dark) for v in canvas[px])
        cv2.circle(canvas, at, int(size * scale * 16), tone, -1, cv2.LINE_AA, SHIFT)
        cv2.circle(height, at, int(size * scale * 16), 30, -1, cv2.LINE_AA, SHIFT)


def _used(rng: np.random.Generator, count: int) -> Floats:
    """Where darts went in over the years: around treble 20, 19, the bull, and everywhere (mm)."""
    centres = np.array([(0, 103), (0, 103), (-32, -98), (0, 0), (0, 60), (0, 0)], float)
    spread = np.array([18, 30, 25, 25, 70, 110], float)
    which = rng.integers(0, len(centres), count)
    return np.asarray(centres[which] + rng.standard_normal((count, 2)) * spread[which, None])
