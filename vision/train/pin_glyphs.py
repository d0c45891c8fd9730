"""Numbers 1 to 12 as people put them on pins: printed, stencilled, burnt and bent, as masks to draw with.

Fonts are OpenCV's own and whatever the system of the machine has; none of them is kept. Glyphs are drawn anew
from their number whenever they are wanted.
"""

import subprocess
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.train.numbers import WIRE

Mask = NDArray[np.uint8]
Rng = np.random.Generator

HIGH: Final = 64
"""Height of a glyph's mask without its margin, px."""

MARGIN: Final = 24
"""Room around it: underlines and dots lie there."""

_STROKES: Final = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_COMPLEX_SMALL,
)
_MOST_FONTS: Final = 60
_OWN: Final = ("sans", "italic")
"""Faces that come with OpenCV."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Glyph:
    """A number's mask.

    Attributes
    ----------
    mask
        (H, W), 255 where there is ink; the number fills it but for `MARGIN`.
    """

    mask: Mask

    @property
    def wide(self) -> int:
        """Width of the number itself, px."""
        return int(self.mask.shape[1]) - 2 * MARGIN


def glyph(text: str, rng: Rng) -> Glyph:
    """Draw a number (or letters) in a style drawn at random, cut to its ink and `HIGH` px high."""
    kind = rng.random()
    if kind < 0.2:
        drawn = _hershey(text, rng)
    elif kind < 0.4:
        drawn = _bent(text, rng)
    else:
        drawn = _print(text, rng)
    rows, columns = np.flatnonzero(drawn.max(axis=1) > 60), np.flatnonzero(drawn.max(axis=0) > 60)
    if not len(rows):
        return glyph(text, rng)
    cut = drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    wide = max(4, round(cut.shape[1] * HIGH / cut.shape[0] * float(np.exp(rng.normal(0, 0.1)))))
    return Glyph(mask=np.pad(np.asarray(cv2.resize(cut, (wide, HIGH), interpolation=cv2.INTER_AREA)), MARGIN))


def marked(one: Glyph, rng: Rng, kind: str) -> Glyph:
    """Underline a number (`line`), or put a `dot` behind its foot."""
    mask = one.mask.copy()
    foot, right = MARGIN + HIGH, MARGIN + one.wide
    if kind == "line":
        y = foot + round(rng.uniform(5, 14))
        grow = round(rng.uniform(-0.1, 0.15) * one.wide)
        thick = round(rng.uniform(3, 9))
        cv2.line(mask, (MARGIN - grow, y), (right + grow, y), (255,), thick, cv2.LINE_AA)
    else:
        size = round(rng.uniform(4, 8))
        spot = (right + size + round(rng.uniform(0, 8)), foot - size + round(rng.uniform(-2, 6)))
        cv2.circle(mask, spot, size, (255,), -1, cv2.LINE_AA)
    return Glyph(mask=mask)


def _hershey(text: str, rng: Rng) -> Mask:
    font, scale = int(rng.choice(_STROKES)), 3.0
    thick = round(rng.uniform(2, 14))
    (wide, tall), low = cv2.getTextSize(text, font, scale, thick)
    canvas = np.zeros((tall + low + 60, wide + 60), np.uint8)
    cv2.putText(canvas, text, (30, tall + 30), font, scale, (255,), thick, cv2.LINE_AA)
    return canvas


def _bent(text: str, rng: Rng) -> Mask:
    """Draw with a pen or an iron: strokes that no two times are the same."""
    high, wide, gap = 90.0, 90 * rng.uniform(0.4, 0.75), 90 * rng.uniform(0.12, 0.35)
    thick = round(rng.uniform(5, 20))
    wobble = rng.uniform(0.0, 0.05)
    canvas = np.zeros((160, 320), np.uint8)
    left = 40.0
    for digit in text:
        own = wide * (float(rng.uniform(0.2, 0.6)) if digit == "1" else 1.0)
        strokes = WIRE[digit]
        if digit == "1" and rng.random() < 0.7:
            flag = float(rng.uniform(0.12, 0.38))
            strokes = (((0.0, flag), (1.0, 0.0), (1.0, 1.0)),)
            strokes = (*strokes, ((0.4, 1.0), (1.6, 1.0))) if rng.random() < 0.15 else strokes
        elif digit == "7" and rng.random() < 0.25:
            strokes = (*strokes, ((0.3, 0.5), (0.85, 0.5)))
        for stroke in strokes:
            points = (np.array(stroke) + rng.normal(0, wobble, (len(stroke), 2))) * (own, high) + (left, 35.0)
            cv2.polylines(canvas, [np.round(points * 8).astype(np.int32)], False, (255,), thick, cv2.LINE_AA, 3)
        left += own + gap
    return canvas


def _print(text: str, rng: Rng) -> Mask:
    faces = system_fonts()
    own = not faces or rng.random() < 0.15
    face = _face(str(rng.choice(_OWN)) if own else str(rng.choice(faces)))
    canvas = np.zeros((160, 360), np.uint8)
    weight = int(rng.integers(200, 900)) if own else 0
    cv2.putText(canvas, text, (40, 120), (255,), face, 100, weight)
    thick = round(rng.normal(0, 3))
    if thick > 1:
        canvas = np.asarray(cv2.dilate(canvas, np.ones((thick, thick), np.uint8)))
    return canvas


@cache
def _face(name: str) -> cv2.FontFace:
    return cv2.FontFace(name)


@cache
def system_fonts() -> tuple[str, ...]:
    """Give the files of some Latin fonts of this machine, or none."""
    try:
        listed = subprocess.run(
            ["fc-list", ":lang=en", "file"], capture_output=True, text=True, check=True, timeout=20
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    files = sorted({line.split(":")[0].strip() for line in listed.splitlines() if line.strip()})
    files = [
        name for name in files if name.endswith((".ttf", ".otf")) and "Math" not in name and "Thin" not in name
    ]
    step = max(1, -(-len(files) // _MOST_FONTS))
    return tuple(files[::step])
