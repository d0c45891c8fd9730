"""Which pin is which: from where each stood, where the bodies that are left over lie, and what is read of them.

Every way to give each body one of the pins that moved is weighed; what is asked for is not only the likeliest way
but how likely it is that each pin has the state that it says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionTuning:
    """How far pins go.

    Attributes
    ----------
    standing_cm, lying_cm
        A pin that was pushed and still stands has moved about so far; one that fell rolls and flies farther.
    usual_far
        So many times that far and farther, a way costs no more than in proportion: what rolls may roll on.
    gone_cost
        Cost of being nowhere to be seen; that of a lying pin 25 cm from where it stood.
    trust
        Power of the weights: pins do not move independently of each other.
    """

    standing_cm: float = 4.0
    lying_cm: float = 15.0
    usual_far: float = 1.7
    gone_cost: float = 1.4
    trust: float = 0.45


TUNING: Final = MotionTuning()
GONE: Final = -1
"""In place of a body: the pin is nowhere to be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Who is who.

    Attributes
    ----------
    bodies
        Name to the place of its body in the list, or GONE; the likeliest way.
    chances
        Name to chances of each body, and of GONE last: (bodies + 1,).
    """

    bodies: Mapping[str, int]
    chances: Mapping[str, Array]


def travel_cost(start: tuple[float, float], end: tuple[float, float], *, stands: bool) -> float:
    """Give the cost (minus the logarithm of the odds) of a pin going from here to there, cm."""
    usual = TUNING.standing_cm if stands else TUNING.lying_cm
    far = float(np.hypot(start[0] - end[0], start[1] - end[1])) / usual
    most = TUNING.usual_far
    return far**2 / 2 if far < most else most * far - most**2 / 2


def assigned(names: Sequence[str], costs: Array) -> Assignment:
    """Give each body a name.

    Parameters
    ----------
    names
        Pins that are not where they stood.
    costs
        (N, M) cost of each name for each body, M at most N; every body is somebody.
    """
    count, bodies = costs.shape
    every = np.column_stack([costs, np.full(count, TUNING.gone_cost)])
    ways = _ways(every, bodies, count - bodies)
    best: dict[str, int] = {}
    left, spare = (1 << bodies) - 1, count - bodies
    for row in range(count):
        options = [
            (every[row, choice] + ways.least(row + 1, rest, spare_left), choice, rest, spare_left)
            for choice, rest, spare_left in _options(bodies, left, spare)
        ]
        _, choice, left, spare = min(options)
        best[names[row]] = GONE if choice == bodies else choice
    return Assignment(bodies=best, chances={name: ways.chances(row) for row, name in enumerate(names)})


def _options(bodies: int, left: int, spare: int) -> list[tuple[int, int, int]]:
    taken = [(choice, left & ~(1 << choice), spare) for choice in range(bodies) if left >> choice & 1]
    return [*taken, (bodies, left, spare - 1)] if spare else taken


@dataclass(frozen=True, slots=True)
class _Ways:
    """All ways, by what is left before each row: their least cost, their weight before and after."""

    costs: Array
    bodies: int
    best: Sequence[Mapping[tuple[int, int], float]]
    after: Sequence[Mapping[tuple[int, int], float]]
    before: Sequence[Mapping[tuple[int, int], float]]

    def least(self, row: int, left: int, spare: int) -> float:
        return self.best[row].get((left, spare), np.inf)

    def chances(self, row: int) -> Array:
        found = np.zeros(self.bodies + 1)
        for (left, spare), weight in self.before[row].items():
            for choice, rest, spare_left in _options(self.bodies, left, spare):
                own = np.exp(-TUNING.trust * self.costs[row, choice])
                found[choice] += weight * own * self.after[row + 1].get((rest, spare_left), 0.0)
        return np.asarray(found / max(float(found.sum()), 1e-300))


def _ways(costs: Array, bodies: int, spare: int) -> _Ways:
    rows = len(costs)
    weights = np.exp(-TUNING.trust * costs)
    before: list[dict[tuple[int, int], float]] = [{((1 << bodies) - 1, spare): 1.0}]
    for row in range(rows):
        following: dict[tuple[int, int], float] = {}
        for (left, spared), weight in before[row].items():
            for choice, rest, spare_left in _options(bodies, left, spared):
                key = (rest, spare_left)
                following[key] = following.get(key, 0.0) + weight * weights[row, choice]
        before.append(following)
    after: list[dict[tuple[int, int], float]] = [{} for _ in range(rows)] + [{(0, 0): 1.0}]
    best: list[dict[tuple[int, int], float]] = [{} for _ in range(rows)] + [{(0, 0): 0.0}]
    for row in reversed(range(rows)):
        for left, spared in before[row]:
            total, least = 0.0, np.inf
            for choice, rest, spare_left in _options(bodies, left, spared):
                key = (rest, spare_left)
                total += weights[row, choice] * after[row + 1].get(key, 0.0)
                least = min(least, costs[row, choice] + best[row + 1].get(key, np.inf))
            after[row][left, spared], best[row][left, spared] = total, least
    return _Ways(costs, bodies, best, after, before)
