"""The set of candidates that explains most: two bodies cannot be in one place, and there are only so many pins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.pins import Axis, Body, drawn, outline_px
from vision.finn.weighing import Candidate, Scene

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingTuning:
    """What a set of bodies is worth.

    Attributes
    ----------
    price, price_disc
        What a pin of a set has to be worth, lest two stand for one, and a disc: pins that are seen nowhere are
        rarer.
    overlap, overlap_standing
        Bodies whose axes come nearer than this share of the sum of their radii are in one place; places of
        standing ones are better known.
    overlap_stay
        The same of what lies against what stays: one that leans on it or lies around it comes near.
    cover_weight
        What covering one pin's area of new pixels counts.
    rounds
        Exchanges that are tried.
    """

    price: float = 0.3
    price_disc: float = 0.6
    overlap: float = 0.62
    overlap_standing: float = 0.7
    overlap_stay: float = 0.4
    cover_weight: float = 1.0
    rounds: int = 12


TUNING: Final = ChoosingTuning()


def chosen(
    found: Sequence[Candidate], pins: int, taken: Sequence[tuple[Axis, Body]], scene: Scene
) -> list[Candidate]:
    """Choose at most so many pins and one disc that explain most and are in nobody's way.

    Parameters
    ----------
    found
        Candidates.
    pins
        How many pins there can be.
    taken
        Bodies that are known to stand.
    scene
        What they are judged by.
    """
    free = [one for one in found if not any(_within(one, scene, *other) for other in taken)]
    if not free:
        return []
    puzzle = _Puzzle(free, pins, scene)
    starts = [puzzle.grown([])] + [puzzle.grown([place]) for place in range(len(free))]
    best = max(starts, key=puzzle.worth)
    for _ in range(TUNING.rounds):
        better = puzzle.improved(best)
        if better is None:
            break
        best = better
    return [free[place] for place in sorted(best)]


class _Puzzle:
    """Sets of candidates, and what a set is worth: what is new and covered, once, and what speaks for each."""

    def __init__(self, free: Sequence[Candidate], pins: int, scene: Scene) -> None:
        self._free, self._pins = free, pins
        half = cv2.resize(scene.weights * (1 - scene.hidden), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        masks = [
            drawn(outline_px(one.axis, scene.sizes(one.kind), scene.camera) / 2, half.shape).ravel()
            for one in free
        ]
        covers = np.array(masks, bool).reshape(len(free), -1)
        used = covers.any(axis=0)
        self._covers, self._weights = covers[:, used], half.ravel()[used]
        self._size = max(1.0, float(covers.sum(axis=1).mean()))
        self._own = np.array(
            [one.score - (TUNING.price_disc if one.kind == "disc" else TUNING.price) for one in free]
        )
        self._clash = np.eye(len(free), dtype=bool)
        for a, one in enumerate(free):
            for b in range(a):
                other = free[b]
                meet = _meet(one.axis, scene.sizes(one.kind), other.axis, scene.sizes(other.kind))
                self._clash[a, b] = self._clash[b, a] = meet

    def worth(self, picked: Sequence[int]) -> float:
        """Say what a set is worth."""
        if not picked:
            return 0.0
        covered = self._covers[list(picked)].any(axis=0)
        return float(
            self._own[list(picked)].sum() + TUNING.cover_weight * self._weights[covered].sum() / self._size
        )

    def allowed(self, picked: Sequence[int]) -> bool:
        """Say whether a set can be: not two in one place, not too many."""
        discs = sum(self._free[place].kind == "disc" for place in picked)
        if discs > 1 or len(picked) - discs > self._pins:
            return False
        return not any(self._clash[a, b] for k, a in enumerate(picked) for b in picked[:k])

    def grown(self, picked: Sequence[int]) -> list[int]:
        """Add what is worth most until nothing is."""
        best = list(picked)
        if not self.allowed(best):
            return []
        while True:
            options = [[*best, place] for place in range(len(self._free)) if place not in best]
            worths = [(self.worth(one), -k) for k, one in enumerate(options) if self.allowed(one)]
            if not worths or max(worths)[0] <= self.worth(best) + 0.02:
                return best
            best = options[-max(worths)[1]]

    def improved(self, picked: Sequence[int]) -> list[int] | None:
        """Put one candidate in place of those it clashes with, and perhaps one more, if that is worth more."""
        now = self.worth(picked)
        for place in range(len(self._free)):
            if place in picked:
                continue
            kept = [other for other in picked if not self._clash[place, other]]
            for rest in [kept, *([other for other in kept if other != less] for less in kept)]:
                option = self.grown([*rest, place])
                if self.worth(option) > now + 0.02:
                    return option
        return None


def _meet(one: Axis, first: Body, other: Axis, second: Body) -> bool:
    """Say whether two bodies would be in one place."""
    gap = _distance(one, first, other, second)
    both = abs(np.cos(one.tilt)) > 0.99 and abs(np.cos(other.tilt)) > 0.99
    return bool(gap < (TUNING.overlap_standing if both else TUNING.overlap) * (first.radius_cm + second.radius_cm))


def _within(one: Candidate, scene: Scene, axis: Axis, body: Body) -> bool:
    """Say whether a candidate would be where something is that stays: whatever touches that is near it."""
    if one.kind == "upright":
        return _meet(one.axis, scene.sizes(one.kind), axis, body)
    size = scene.sizes(one.kind)
    return _distance(one.axis, size, axis, body) < TUNING.overlap_stay * (size.radius_cm + body.radius_cm)


def _distance(one: Axis, first: Body, other: Axis, second: Body) -> float:
    """Give how near the axes come, cm, without the rounding of the ends."""
    p = _line(one, first)
    q = _line(other, second)
    return float(np.linalg.norm(p[:, None] - q[None], axis=2).min())


def _line(axis: Axis, body: Body) -> Array:
    half = max(0.0, body.height_cm / 2 - 0.5 * body.radius_cm)
    return axis.middle + np.linspace(-half, half, 9)[:, None] * axis.along
