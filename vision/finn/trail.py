"""The way of a disc, out of all places of all frames of a shot where something of its colour was seen.

Hands, cues and projected lights may have its colour too. They hold still or come and go, and are seldom of its
size; the disc is in frame after frame, on a way that is nearly straight or turned back once. So no frame is judged
alone: the way that explains most frames is looked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.finn.state import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailLimits:
    """What a way is worth: each place on it 1, less what is odd about it.

    Attributes
    ----------
    size, most_off
        What it takes off that what is seen is larger or smaller than the disc, for each e times, at most so many.
    still, moves_cm
        Share of its worth that a place has where it stays; all from so far a frame on: arms mostly hold still.
    starts, starts_cm
        What it takes off that it goes so far in the first frames, when its speed is not known.
    turns, turns_cm
        What it takes off that it leaves its way, fully from so far aside; more by half of how far it goes.
    beside_cm
        What is so near to its way between two places, and a frame's way more, is it as well.
    unseen, most_unseen
        What each frame in which it is not seen takes off, and how many of them there may be in a row.
    """

    size: float = 0.8
    most_off: float = 1.5
    still: float = 0.15
    moves_cm: float = 1.0
    starts: float = 1.0
    starts_cm: float = 60.0
    turns: float = 1.0
    turns_cm: float = 8.0
    unseen: float = 0.15
    beside_cm: float = 1.0
    most_unseen: int = 5


LIMITS: Final = TrailLimits()


@dataclass(frozen=True, slots=True)
class Spots:
    """Where something of the disc's colour is seen in a frame, (N, 2) cm, and its area in areas of the disc."""

    xy_cm: Array
    share: Array


@dataclass(frozen=True, slots=True)
class _Spot:
    """A spot: its frame and place, and of all ways there the place before, the speed, cm a frame, and the worth.

    Ways that begin here have no place before, and nobody knows their speed (NaN).
    """

    frame: int
    xy_cm: Array
    before: Sequence["tuple[_Spot, int] | None"]
    speeds: Array
    worths: Array


class Trail:
    """All ways of a disc that waited at `start`, cm, through what has been seen so far."""

    def __init__(self, start: Place) -> None:
        self.frames: list[Spots] = []
        self._start = np.array(start)
        self._recent: list[_Spot] = []
        self._begun = 0
        self._best: tuple[float, _Spot | None, int] = (-np.inf, None, 0)

    def add(self, spots: Spots) -> None:
        """Take the next frame."""
        index = len(self.frames)
        self.frames.append(spots)
        if not len(spots.share):
            return
        if self._best[1] is None:
            self._begun = index
        self._recent = [one for one in self._recent if index - one.frame <= LIMITS.most_unseen + 1]
        own = 1 - LIMITS.size * np.minimum(np.abs(np.log(spots.share)), LIMITS.most_off)
        late = LIMITS.unseen * (index - self._begun)
        new = [
            _reached(index, xy, float(worth), self._recent, self._start, late)
            for xy, worth in zip(spots.xy_cm, own, strict=True)
        ]
        for one in new:
            way = int(one.worths.argmax())
            self._best = max(self._best, (float(one.worths[way]), one, way), key=lambda found: found[0])
        self._recent += new

    def places(self) -> list[Place | None]:
        """Give where the disc was in each frame, cm, None where it was not seen."""
        places: list[Place | None] = [None] * len(self.frames)
        _, at, way = self._best
        while at is not None:
            places[at.frame] = (float(at.xy_cm[0]), float(at.xy_cm[1]))
            before = at.before[way]
            at, way = (None, 0) if before is None else before
        return _filled(places, self.frames)


def followed(frames: Sequence[Spots], start: Place) -> list[Place | None]:
    """Give where a disc that waited at `start` was in each frame, None where it was not seen."""
    trail = Trail(start)
    for spots in frames:
        trail.add(spots)
    return trail.places()


def _reached(  # noqa: PLR0917 - a spot, and whence it may have been reached
    index: int, xy: Array, own: float, recent: Sequence[_Spot], start: Array, late: float
) -> _Spot:
    """Lead the best way there is from each spot before to one: what it turns depends on where it came from."""
    far = float(np.hypot(*(xy - start)))
    before: list[tuple[_Spot, int] | None] = [None]
    speeds, worths = [np.full(2, np.nan)], [_gain(own, far, 0.0) - _leaves(far) - late]
    for one in recent:
        frames = index - one.frame
        speed = (xy - one.xy_cm) / frames
        away = float(np.hypot(*speed))
        aside = np.hypot(*(one.speeds - speed).T) / (LIMITS.turns_cm + np.hypot(*one.speeds.T) / 2)
        turns = np.where(np.isnan(aside), 0.0, np.minimum(aside, 1))
        cost = np.where(np.isnan(aside), _leaves(away * frames), LIMITS.turns * turns)
        every = one.worths - cost + _gain(own, away, turns)
        way = int(every.argmax())
        before.append((one, way))
        speeds.append(speed)
        worths.append(float(every[way]) - LIMITS.unseen * (frames - 1))
    return _Spot(index, xy, before, np.array(speeds), np.array(worths))


def _gain(own: float, far_cm: float, turns: Any) -> Any:  # noqa: ANN401 - one turn or many
    """Give what a place adds to a way that comes so far in a frame, with so sharp a turn."""
    if own <= 0:
        return own
    moves = min(far_cm / LIMITS.moves_cm, 1) * (1 - turns)
    return own * (LIMITS.still + (1 - LIMITS.still) * moves)


def _leaves(far_cm: float) -> float:
    return LIMITS.starts * min(far_cm / LIMITS.starts_cm, 1)


def _filled(places: Sequence[Place | None], frames: Sequence[Spots]) -> list[Place | None]:
    """Add what was left out of a way though it lies on it: cameras show pictures twice, and the disc as still."""
    filled = list(places)
    seen = [index for index, place in enumerate(places) if place is not None]
    for first, last in pairwise(seen):
        begins, ends = np.array(places[first]), np.array(places[last])
        for index in range(first + 1, last):
            xy = frames[index].xy_cm
            along = begins + (ends - begins) * (index - first) / (last - first)
            aside = np.linalg.norm(xy - along, axis=1)
            if len(xy) and aside.min() < LIMITS.beside_cm + np.linalg.norm(ends - begins) / (last - first):
                near = xy[int(aside.argmin())]
                filled[index] = (float(near[0]), float(near[1]))
    return filled
