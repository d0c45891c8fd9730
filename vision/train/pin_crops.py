"""Heads of pins as a camera sees them, drawn: what the number reader learns from.

Each crop shows what `vision.finn.numbers.cut` cuts out of a picture: the head of a standing pin, flat or bevelled,
turned any way, its number printed, painted or burnt, with whatever is around it; or no number at all.
"""

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.numbers import HALF, SIDE, normal
from vision.train.pin_glyphs import HIGH, MARGIN, Glyph, Mask, Rng, glyph, marked

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

FINE: Final = 2
"""Pixels of the drawing to a pixel of the crop."""

CANVAS: Final = SIDE * FINE
RADIUS: Final = CANVAS / 2 / HALF
"""Of a head in the drawing, px."""

LETTERS: Final = ("A", "K", "X", "S", "N", "?", "*", "H", "O", "0", "13", "20", "AB")
NUMBERS: Final = tuple(str(number) for number in range(1, 13))
NO_NUMBER: Final = 0.2
"""Share of crops without a number."""


def crop(rng: Rng) -> tuple[Mask, int, float]:
    """Draw a crop.

    Returns
    -------
    NDArray, int, float
        (SIDE, SIDE) grey as from a camera; the number, 0 for none; how far it is turned clockwise, degrees.
    """
    turn = float(rng.uniform(0, 360))
    kind = rng.random()
    levels = _levels(rng)
    picture = _behind(rng, levels)
    number = 0
    if kind < 0.06:
        return _seen(picture, rng), 0, 0.0
    shape, middle = _shape(rng)
    if kind < 0.12:
        away = rng.uniform(0, 2 * np.pi)
        middle = middle + np.array([np.cos(away), np.sin(away)]) * RADIUS * rng.uniform(0.75, 1.6)
    _head(picture, shape, middle, levels, rng)
    if kind < 0.12 or kind > NO_NUMBER:
        number = int(rng.integers(1, 13))
        # A number of whose circle not all is seen is a number still, but one far aside is another pin's.
        ink = _ink(NUMBERS[number - 1], shape, middle, turn, rng)
    elif kind < 0.16:
        ink = _ink(str(rng.choice(LETTERS)) if rng.random() < 0.3 else "8", shape, middle, turn, rng)
        ink = np.asarray(ink * 0) if rng.random() < 0.6 else _only_a_part(ink, rng)
    else:
        ink = np.zeros((CANVAS, CANVAS), np.float32)
    if kind < 0.12:
        number = 0
    picture += (levels["ink"] - picture) * ink * np.float32(levels["strength"])
    if rng.random() < 0.2 and number:
        hidden = _in_front(picture, levels, rng)
        if float((ink * hidden).sum()) > 0.3 * float(ink.sum()):
            number = 0
    return _seen(picture, rng), number, turn


def _levels(rng: Rng) -> dict[str, float]:
    """Draw how bright head, ink, side and board are."""
    head = rng.uniform(50, 250)
    ink = (
        head * rng.uniform(0.05, 0.52)
        if head > 90 and rng.random() < 0.75
        else min(255.0, head * rng.uniform(1.5, 3.0))
    )
    side = head if rng.random() < 0.5 else rng.uniform(40, 240)
    return {
        "head": head,
        "ink": ink,
        "side": side * rng.uniform(0.55, 1.0),
        "board": rng.uniform(25, 235),
        "strength": rng.uniform(0.65, 1.0),
    }


def _behind(rng: Rng, levels: dict[str, float]) -> Floats:
    """Draw the board, with lines, shadows and other pins on it."""
    picture = np.full((CANVAS, CANVAS), levels["board"], np.float32)
    picture *= 1 + np.float32(rng.uniform(0, 0.12)) * _clouds(rng, int(rng.integers(3, 12)))
    if rng.random() < 0.25:
        _bar(picture, rng.uniform(10, 240), rng, rng.uniform(2, 6))
    if rng.random() < 0.3:
        shade = np.zeros_like(picture)
        _bar(shade, 1.0, rng, rng.uniform(10, 40))
        picture *= 1 - np.float32(rng.uniform(0.1, 0.5)) * cv2.GaussianBlur(shade, (0, 0), rng.uniform(1, 5))
    for _ in range(int(rng.choice((0, 1, 2, 3), p=(0.45, 0.3, 0.15, 0.1)))):
        shape, _ = _shape(rng)
        away, far = rng.uniform(0, 2 * np.pi), RADIUS * rng.uniform(1.4, 2.6)
        middle = np.full(2, CANVAS / 2) + far * np.array([np.cos(away), np.sin(away)])
        _head(picture, shape, middle, levels, rng)
        ink = _ink(str(rng.choice(NUMBERS)), shape, middle, float(rng.uniform(0, 360)), rng)
        picture += (levels["ink"] - picture) * ink * np.float32(levels["strength"])
    return picture


def _bar(picture: Floats, level: float, rng: Rng, thick: float) -> None:
    ends = rng.uniform(-0.5, 1.5, (2, 2)) * CANVAS
    first, second = [(round(float(x)), round(float(y))) for x, y in ends]
    cv2.line(picture, first, second, level, max(1, round(thick)), cv2.LINE_AA)


def _clouds(rng: Rng, cells: int) -> Floats:
    coarse = rng.standard_normal((cells, int(rng.integers(2, 12))), dtype=np.float32)
    return np.asarray(cv2.resize(coarse, (CANVAS, CANVAS), interpolation=cv2.INTER_CUBIC), np.float32)


def _shape(rng: Rng) -> tuple[Array, Array]:
    """Draw how a head is seen: (2, 2) its circle to the drawing, and its middle, px."""
    axis, stretch = rng.uniform(0, np.pi), rng.normal(0, 0.26)
    turn = np.array([[np.cos(axis), -np.sin(axis)], [np.sin(axis), np.cos(axis)]])
    wide = np.exp(np.clip(stretch, -0.65, 0.65) / 2)
    shape = turn @ np.diag([wide, 1 / wide]) @ turn.T * float(np.exp(rng.normal(0, 0.07)))
    aside = np.clip(rng.normal(0, 0.13, 2), -0.35, 0.35) * RADIUS
    return shape, np.full(2, (CANVAS - 1) / 2) + aside


def _head(picture: Floats, shape: Array, middle: Array, levels: dict[str, float], rng: Rng) -> None:
    """Draw a pin: its side, away from its head to anywhere, and its head."""
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    rim = np.column_stack([np.cos(angle), np.sin(angle)]) @ shape.T * RADIUS * rng.uniform(0.97, 1.03)
    away, far = rng.uniform(0, 2 * np.pi), RADIUS * rng.uniform(0, 4)
    foot = rim + far * np.array([np.cos(away), np.sin(away)])
    side = cv2.convexHull((np.concatenate([rim, foot]) + middle).astype(np.float32))[:, 0].astype(np.float64)
    _fill(picture, side, levels["side"] * rng.uniform(0.8, 1.15))
    if rng.random() < 0.4:
        _fill(picture, rim * 1.04 + middle, levels["head"] * rng.uniform(0.6, 1.3))
        rim = rim * rng.uniform(0.86, 0.98)
    _fill(picture, rim + middle, levels["head"])
    if rng.random() < 0.5:
        grain = _clouds(rng, int(rng.integers(6, 30)))
        picture *= 1 + np.float32(rng.uniform(0, 0.05)) * grain


def _fill(picture: Floats, outline: NDArray[np.floating[Any]], level: float) -> None:
    points = np.round(outline * 16).astype(np.int32)
    cv2.fillConvexPoly(picture, points, (level,), cv2.LINE_AA, 4)


def _ink(text: str, shape: Array, middle: Array, turn: float, rng: Rng) -> Floats:
    """Draw a number on a head: (CANVAS, CANVAS), 1 where there is ink."""
    one = glyph(text, rng) if text.isdigit() else _letters(text, rng)
    if text in ("6", "9"):
        how = rng.random()
        one = one if how < 0.45 else marked(one, rng, "line" if how < 0.75 else "dot")
    elif rng.random() < 0.04:
        one = marked(one, rng, "line" if rng.random() < 0.5 else "dot")
    mask = _worn(one.mask, rng) if rng.random() < 0.3 else one.mask
    high = 2 * RADIUS * rng.uniform(0.36, 0.68)
    high = min(high, 1.65 * RADIUS * HIGH / max(one.wide, 1), 1.5 * RADIUS)
    radians = np.radians(turn)
    turning = np.array([[np.cos(radians), -np.sin(radians)], [np.sin(radians), np.cos(radians)]])
    slant = np.array([[1.0, rng.normal(0, 0.06)], [0, 1.0]])
    linear = shape @ turning @ slant * (high / HIGH)
    centre = np.array([mask.shape[1] - 1, mask.shape[0] - 1]) / 2
    offset = middle + shape @ rng.normal(0, 0.04 * RADIUS, 2) - linear @ centre
    matrix = np.column_stack([linear, offset])
    smooth = np.asarray(cv2.GaussianBlur(mask, (0, 0), max(0.6, 0.45 * HIGH / high)), np.uint8)
    drawn = cv2.warpAffine(smooth, matrix, (CANVAS, CANVAS), flags=cv2.INTER_LINEAR)
    return np.asarray(drawn.astype(np.float32) / 255, np.float32)


def _letters(text: str, rng: Rng) -> Glyph:
    canvas = np.zeros((HIGH + 2 * MARGIN, 3 * HIGH), np.uint8)
    cv2.putText(
        canvas, text, (MARGIN, MARGIN + HIGH), cv2.FONT_HERSHEY_DUPLEX, 2.6, (255,), round(rng.uniform(3, 9))
    )
    return Glyph(mask=canvas[:, : MARGIN * 2 + round(55 * len(text))])


def _only_a_part(ink: Floats, rng: Rng) -> Floats:
    hidden = np.ones((CANVAS, CANVAS), np.float32)
    _bar(hidden, 0.0, rng, 60)
    return np.asarray(ink * hidden, np.float32)


def _worn(mask: Mask, rng: Rng) -> Mask:
    """Wear a number down: its holes run full, or bits of it are gone."""
    if rng.random() < 0.35:
        size = int(rng.integers(9, 22))
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((size, size), np.uint8)))
    worn = mask.copy()
    for _ in range(int(rng.integers(1, 4))):
        spot = (int(rng.integers(MARGIN, mask.shape[1] - MARGIN + 1)), int(rng.integers(MARGIN, MARGIN + HIGH)))
        cv2.circle(worn, spot, int(rng.integers(4, 11)), (0,), -1)
    return worn


def _in_front(picture: Floats, levels: dict[str, float], rng: Rng) -> Floats:
    """Put another pin before the head: (CANVAS, CANVAS), 1 where it hides what is behind."""
    before = np.zeros_like(picture)
    away, far = rng.uniform(0, 2 * np.pi), RADIUS * rng.uniform(0.9, 1.9)
    way = np.array([np.cos(away), np.sin(away)])
    start, end = [np.full(2, CANVAS / 2) + way * reach for reach in (far + RADIUS, far + 3 * RADIUS)]
    points = [(round(float(x)), round(float(y))) for x, y in (start, end)]
    cv2.line(before, points[0], points[1], 1.0, round(2 * RADIUS * rng.uniform(0.8, 1.2)), cv2.LINE_AA)
    np.copyto(picture, np.float32(levels["side"] * rng.uniform(0.7, 1.2)), where=before > 0.5)
    return before


def _seen(picture: Floats, rng: Rng) -> Mask:
    """Let a camera see a drawing: light, few pixels, blur, noise, JPEG; then as `cut` cuts it."""
    slope = rng.normal(0, 0.12, 2)
    across = np.linspace(-1, 1, CANVAS, dtype=np.float32)
    lit = picture * (1 + np.float32(slope[0]) * across[None] + np.float32(slope[1]) * across[:, None])
    if rng.random() < 0.12:
        glare = np.zeros_like(lit)
        spot = rng.uniform(0.25, 0.75, 2) * CANVAS
        cv2.circle(glare, (round(spot[0]), round(spot[1])), round(rng.uniform(3, 14)), rng.uniform(20, 140), -1)
        lit = lit + cv2.GaussianBlur(glare, (0, 0), rng.uniform(2, 8))
    across_px = float(np.clip(np.exp(rng.normal(np.log(29), 0.4)), 14, 80))
    side = max(16, round(across_px * HALF))
    small = cv2.resize(lit, (side, side), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.25, 0.5) + rng.gamma(1.5, 0.18)))
    if rng.random() < 0.25:
        small = small + rng.uniform(0.3, 1.0) * (small - cv2.GaussianBlur(small, (0, 0), 1.0))
    small = small * rng.uniform(0.5, 1.15) + rng.normal(0, rng.gamma(1.5, 1.3), small.shape)
    shown = np.asarray(np.clip(small, 0, 255), np.uint8)
    if rng.random() < 0.8:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 97))]
        shown = np.asarray(cv2.imdecode(cv2.imencode(".jpg", shown, quality)[1], cv2.IMREAD_GRAYSCALE), np.uint8)
    return np.asarray(cv2.resize(shown, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR), np.uint8)


def as_seen(crops: Mask) -> Floats:
    """Give (N, 1, SIDE, SIDE) as the network takes them, from (N, SIDE, SIDE) grey."""
    return normal(np.log(crops.astype(np.float32) + 16))
