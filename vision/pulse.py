"""Whether a camera still gives new pictures: gaps in time, and the very same picture again and again."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.changes import Region
from vision.frames import Frame, Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class PulseLimits:
    """When a camera counts as stalled or frozen.

    Attributes
    ----------
    stall_ms, stall_intervals
        A gap in time as long as this and as so many usual intervals: the camera stood still.
    frozen_ms, noisy_frames
        The very same picture for so long, from a camera that never gave the same twice in that many frames.
    """

    stall_ms: int = 1500
    stall_intervals: int = 5
    frozen_ms: int = 2000
    noisy_frames: int = 60


LIMITS: Final = PulseLimits()

_SKIP: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The camera gave no new picture for a while.

    Attributes
    ----------
    last, first
        The last frame before, and the first one after (for a frozen picture: the last of the equal ones so far).
    frozen
        True if pictures came, but always the same one.
    """

    last: tuple[int, int]
    first: tuple[int, int]
    frozen: bool


class Pulse:
    """Notices gaps between frames and pictures that never change."""

    def __init__(self, limits: PulseLimits = LIMITS) -> None:
        self._limits = limits
        self._last: Frame | None = None
        self._interval_ms = 0.0
        self._noisy = 0
        self._frozen_since: Frame | None = None
        self._told = False

    @property
    def usual_ms(self) -> float:
        """Usual time from one frame to the next; 0 while unknown."""
        return self._interval_ms

    @property
    def frozen(self) -> bool:
        """Whether the last frame was the very one before again, from a camera that never gives the same twice."""
        return self._frozen_since is not None

    def beat(self, frame: Frame, region: Region) -> Stall | None:
        """Take the next frame; say whether the camera stood still before it, or is frozen."""
        last, self._last = self._last, frame
        if last is None:
            return None
        gap = frame.t_ms - last.t_ms
        usual = self._interval_ms or gap
        if gap >= self._limits.stall_ms and gap >= self._limits.stall_intervals * usual:
            return Stall(last=(last.index, last.t_ms), first=(frame.index, frame.t_ms), frozen=False)
        self._interval_ms = usual + 0.1 * (gap - usual)
        return self._frozen(frame, last, _same(region.seen(frame), region.seen(last)))

    def _frozen(self, frame: Frame, last: Frame, same: bool) -> Stall | None:
        if not same:
            self._noisy += 1
            self._frozen_since, self._told = None, False
            return None
        if self._noisy < self._limits.noisy_frames:
            self._noisy = 0
            return None
        since = self._frozen_since = self._frozen_since or last
        if self._told or frame.t_ms - since.t_ms < self._limits.frozen_ms:
            return None
        self._told = True
        return Stall(last=(since.index, since.t_ms), first=(frame.index, frame.t_ms), frozen=True)


def _same(now: Picture, then: Picture) -> bool:
    """Say whether two pictures are equal; noise shows in the first rows that are looked at."""
    return np.array_equal(now[::_SKIP], then[::_SKIP]) and np.array_equal(now, then)
