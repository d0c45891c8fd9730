"""Watches the Play Line while something moves: a ball that crosses it, a body that reaches over it (AS-31)."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.view import PX_PER_CM, TableView, seen_by
from vision.changes import median

Picture = NDArray[np.uint8]
Planes = tuple[NDArray[np.float32], ...]
"""(h, w) of each channel: whole rows of one channel are worked on many times faster than threes of channels."""


@dataclass(frozen=True, slots=True)
class LineLimits:
    """What is a body over the line.

    Attributes
    ----------
    before_cm, beyond_cm
        The strip that is looked at: an arm reaches through all of the part before the line, a ball never does.
    over_cm
        So far beyond the line something counts as over it: a hand is some centimetres above the table and shows
        that much displaced.
    ball_cm2
        What is beyond the line, hangs together with nothing before it and covers this much is a ball.
    dark
        Levels added before the logarithm.
    hue, lighter, darker
        Differences of logarithms that no shadow makes: between channels, to the bright, to the dark.
    """

    before_cm: float = 12.0
    beyond_cm: float = 6.0
    over_cm: float = 1.0
    ball_cm2: float = 1.0
    dark: float = 12.0
    hue: float = 0.25
    lighter: float = 0.25
    darker: float = -1.3


LIMITS: Final = LineLimits()
_LOG: Final = np.log(np.arange(256, dtype=np.float32) + np.float32(LIMITS.dark))


@dataclass(frozen=True, slots=True)
class AtLine:
    """What one frame shows: a body over the line, a ball beyond it."""

    body: bool
    ball: bool


class Strip:
    """A part of a table seen flat, against what it looks like when nobody is there."""

    def __init__(self, map_px: NDArray[np.float32]) -> None:
        self._map_px = map_px
        self._rest: Planes | None = None

    def rest(self, part: Picture) -> None:
        """Take that part of a picture, (h, w, 3) BGR seen flat, as the one at rest."""
        self._rest = _logs(part)

    def seen(self, picture: Picture) -> Picture:
        """See that part of a picture, (H, W, 3) BGR: (h, w, 3)."""
        return seen_by(picture, self._map_px)

    def differs(self, part: Picture) -> Planes:
        """Give by how much the logarithms of that part of a picture differ from rest, light apart."""
        assert self._rest is not None
        differences = [now - then for now, then in zip(_logs(part), self._rest, strict=True)]
        return tuple(one - np.float32(median(one)) for one in differences)


def other_than(difference: Planes) -> NDArray[np.uint8]:
    """Give 1 where something else is there, (h, w), for differences of `Strip.differs`: no shadow, no speck."""
    blue, green, red = difference
    light = (blue + green + red) / np.float32(3)
    hue = cv2.max(cv2.max(blue, green), red) - cv2.min(cv2.min(blue, green), red)
    other = (hue > LIMITS.hue) | (light > LIMITS.lighter) | (light < LIMITS.darker)
    return np.asarray(cv2.morphologyEx(other.view(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))


class PlayLine:
    """The strip of a table around its Play Line."""

    def __init__(self, view: TableView) -> None:
        line = view.table.play_line_y_cm
        first = max(0, round((line - LIMITS.before_cm) * PX_PER_CM))
        last = round((line + LIMITS.beyond_cm) * PX_PER_CM)
        self._beyond = round((line + LIMITS.over_cm) * PX_PER_CM) - first
        self._rows = slice(first, last)
        self._strip = Strip(view.map_px[self._rows])
        self._open = (~view.gutters[self._rows]).astype(np.uint8)

    def rest(self, flat: Picture) -> None:
        """Take the strip of a picture seen flat, (h, w, 3) BGR, as what it looks like when nobody is there."""
        self._strip.rest(flat[self._rows])

    def look(self, picture: Picture) -> AtLine:
        """Look at the strip in a picture, (H, W, 3) BGR."""
        mask = other_than(self._strip.differs(self._strip.seen(picture))) & self._open
        _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        body = ball = False
        for x, y, width, height, area in stats[1:]:
            reaches = y <= 1 and bool(np.any(labels[0:2, x : x + width]))
            over = y + height > self._beyond
            body |= bool(reaches and over)
            ball |= bool(not reaches and over and area >= LIMITS.ball_cm2 * PX_PER_CM**2)
        return AtLine(body=body, ball=ball)


def _logs(part: Picture) -> Planes:
    planes = cv2.split(cv2.blur(part, (3, 3)))
    return tuple(np.asarray(cv2.LUT(plane, _LOG), np.float32) for plane in planes)
