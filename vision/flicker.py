"""Light that flickers: lamps that the camera's rate does not agree with, bands that wander, a lamp that dies.

Flicker leaves nothing in what is compared (see `vision.changes`), so nothing is scored by it; but pictures of one
board are then not alike, and readings are worse than they need be. Whoever sets the camera up can help it.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.changes import Region
from vision.frames import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickerLimits:
    """When light flickers.

    Attributes
    ----------
    strip
        Looked at is the middle 1 / strip of the region's rows: bands that wander show there as the light does.
    swing
        Least step between two turns, as a share of the brightness. Noise makes less than 0.005 of it, lamps on 50
        or 60 Hz 0.03 to 0.3 where exposures are short.
    turns, within_ms
        So many turns from brighter to darker or back within this time: hands wave slower.
    over_ms
        It is over when there was none for so long.
    """

    strip: int = 8
    swing: float = 0.03
    turns: int = 16
    within_ms: int = 2000
    over_ms: int = 2000


LIMITS: Final = FlickerLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flickering:
    """Light flickers.

    Attributes
    ----------
    since
        Index and time (ms) of the frame of the first turn.
    swing
        Median step between two turns, as a share of the brightness.
    """

    since: tuple[int, int]
    swing: float


class Flicker:
    """Follows the brightness of one region; feed it every frame that can be trusted."""

    def __init__(self, limits: FlickerLimits = LIMITS) -> None:
        self._limits = limits
        self._turns: deque[tuple[int, int, float]] = deque(maxlen=limits.turns)
        self._extreme = self._level = 0.0
        self._rising: bool | None = None
        self._told = False

    def look(self, frame: Frame, region: Region) -> Flickering | None:
        """Take the next frame; say once that the light flickers."""
        then, self._level = self._level, _level(region.seen(frame), self._limits.strip)
        if not then:
            self._extreme = self._level
            return None
        self._follow(frame)
        turns = self._turns
        if self._told:
            self._told = bool(turns) and frame.t_ms - turns[-1][1] < self._limits.over_ms
            return None
        if len(turns) < self._limits.turns or frame.t_ms - turns[0][1] > self._limits.within_ms:
            return None
        self._told = True
        return Flickering(since=turns[0][:2], swing=float(np.median([swing for _, _, swing in turns])))

    def _follow(self, frame: Frame) -> None:
        """Take note of a turn: the brightness goes back by a step from where it was farthest."""
        step = np.log(self._level / self._extreme)
        if self._rising is None or (step > 0) == self._rising:
            if self._rising is not None or abs(step) >= self._limits.swing:
                self._rising, self._extreme = bool(step > 0), self._level
            return
        if abs(step) >= self._limits.swing:
            self._turns.append((frame.index, frame.t_ms, float(abs(step))))
            self._rising, self._extreme = not self._rising, self._level


def _level(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], strip: int) -> float:
    """Give the mean brightness of the middle rows, levels; black counts as one."""
    rows = picture.shape[0]
    height = max(1, rows // strip)
    begin = (rows - height) // 2
    return max(1.0, cv2.mean(picture[begin : begin + height])[0])
