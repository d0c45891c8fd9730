"""A shot of Astrolabe while it goes on: since when nothing moves, what was told of it, what was seen meanwhile."""

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.reading import AstrolabeReading
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLimits:
    """When a shot begins and ends.

    Attributes
    ----------
    hand_cm
        A hand fills a square of this side, a ball does not.
    look_ms
        While nothing seems to move the table is looked at closely this often: a slow dark ball may be coming.
    check_ms
        While a shot is open, this often.
    told_ms
        Nothing moved for so long, nor did it creep: the shot is told.
    shown, crept
        A ball on the open slope may only turn round there. It rests if it shows, by this share of its place, and
        of that not more than this has changed in three looks: 0.2 cm. A ball that turns round moves by more, in
        0.3 s, on any slope of more than a degree and a half.
    still_ms
        Nothing moved for so long: the shot is over. What moves before that goes on with it.
    interrupted_ms
        If a hand comes in earlier than that, the shot was over if nothing had moved for so long.
    moved_cm2
        A piece of change as large as this is a ball that moved, by half a centimetre or more.
    hand_cm2
        One as large as this is a hand.
    foul_frames, foul_ms
        A body over the Play Line in so many frames, or for so long where frames are few, is a foul.
    struck_frames
        A table that moved in so many frames was struck, or lifted: once may be a frame that is torn.
    """

    hand_cm: float = 8.0
    look_ms: int = 500
    check_ms: int = 100
    told_ms: int = 200
    still_ms: int = 600
    shown: float = 0.6
    crept: float = 0.05
    interrupted_ms: int = 300
    moved_cm2: float = 0.8
    hand_cm2: float = 12.0
    foul_frames: int = 3
    foul_ms: int = 150
    struck_frames: int = 2


LIMITS: Final = WatchLimits()

LOOKS: Final = 4
"""Looks that are kept: one that showed something move, and three that did not."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Told:
    """A shot that was told: the event as it stands in its last revision, what it was read as, in which frame."""

    event: Event
    reading: AstrolabeReading
    read: Frame


@dataclass(slots=True, kw_only=True)
class OpenShot:
    """Something that has begun and is not over.

    Attributes
    ----------
    began
        Index and time, ms, of the frame where it began to show.
    looks, looked_ms
        The table seen flat at the last close looks, from the last one that showed something move on; when the
        newest was.
    hands
        Hands were in it.
    still, ahead
        The frame since which nothing has moved, or None; what it was read as, once it was.
    in_vain
        Something moved after such a frame had been read: the next one is read when it has rested for a look.
    rest
        The last frame of that stillness.
    weighed
        It is known of this stillness whether the shot can be told already.
    told
        What was told of it while it is awaited that all stays as it is.
    crossed
        Index and time of the frame in which a ball came over the Play Line.
    over, over_ms
        Frames in which a body was over the line, and when the first of them was.
    struck, struck_cm, camera_rests
        Frames in which the table had moved, how far at most, and whether the camera is known to have stood still.
    """

    began: tuple[int, int]
    looks: deque[Picture]
    looked_ms: int
    hands: bool = False
    still: Frame | None = None
    rest: Frame | None = None
    ahead: AstrolabeReading | Failure | None = None
    in_vain: bool = False
    weighed: bool = False
    told: Told | None = None
    crossed: tuple[int, int] | None = None
    over: int = 0
    over_ms: tuple[int, int] = (0, 0)
    struck: int = 0
    struck_cm: float = 0.0
    camera_rests: bool = False

    @classmethod
    def at(cls, frame: Frame, flat: Picture) -> "OpenShot":
        """Begin with a frame, in which the table seen flat is (h, w, 3) BGR."""
        return cls(began=(frame.index, frame.t_ms), looks=deque([flat], maxlen=LOOKS), looked_ms=frame.t_ms)

    @property
    def flat(self) -> Picture:
        """The table at the last close look."""
        return self.looks[-1]

    @property
    def over_line(self) -> bool:
        """Whether a body was over the Play Line."""
        return self.over >= LIMITS.foul_frames or (
            self.over > 1 and self.over_ms[1] - self.over_ms[0] >= LIMITS.foul_ms
        )

    @property
    def was_struck(self) -> bool:
        """Whether the table was struck."""
        return self.struck >= LIMITS.struck_frames

    @property
    def is_told(self) -> bool:
        """Whether it was told as it lies now."""
        return self.told is not None and self.told.read is self.still

    @property
    def rested_ms(self) -> int:
        """For how long nothing has moved."""
        return 0 if self.still is None or self.rest is None else self.rest.t_ms - self.still.t_ms

    def rests(self, frame: Frame, flat: Picture) -> None:
        """Take note of a look at a frame, (h, w, 3) BGR seen flat, that showed nothing move."""
        self.looks.append(flat)
        self.looked_ms = frame.t_ms
        self.still = self.still or frame
        self.rest = frame

    def moves(self, frame: Frame, flat: Picture) -> None:
        """Take note of a look at a frame, (h, w, 3) BGR seen flat, that showed something move."""
        self.looks.clear()
        self.looks.append(flat)
        self.looked_ms = frame.t_ms
        self.in_vain |= self.ahead is not None
        self.still = self.rest = self.ahead = None
        self.weighed = False
