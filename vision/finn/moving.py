"""Candidates moved and turned to where most speaks for them, all together, by steps that shrink."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.finn.looks import unlike
from vision.finn.outlines import AZIMUTH, COLUMNS, DROP, ROLL, X, Y
from vision.finn.weighing import LEANING, LYING, NONE, UPRIGHT, Ints, Scene, judged

Array = NDArray[np.float64]
Worth = Callable[[Ints, Array], Array]
"""What speaks for bodies (which of them, and where they would be)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingTuning:
    """How candidates are moved.

    Attributes
    ----------
    steps_cm
        Steps, the largest first: the network places bodies to about half a centimetre. Those that have been moved
        once and are judged otherwise now make only the others.
    tries
        Times that a step is tried.
    turn
        Radians a centimetre of a step: the end of a lying pin moves about as far as its middle.
    turn_from
        Lying pins from this score on are turned to find where their head is.
    drop
        Bevelled heads are lower on one side by so many radii, about.
    ways
        The best ways to turn each are followed.
    looks
        So many pins that a standing body looks like are compared with it closely.
    look_weight, look_level
        What it counts that a standing body looks like one of the pins before, and how unlike (0 to 1) is neither.
    strange_weight, strange
        What it takes off besides to be more unlike all of them than that: of 97 that stood on 160 shots of the
        twin two were, of 12 that did not stand eight.
    """

    steps_cm: tuple[float, ...] = (0.5, 0.2, 0.1)
    tries: int = 4
    turn: float = 0.25
    turn_from: float = 0.4
    drop: float = 1.6
    ways: int = 2
    looks: int = 3
    look_weight: float = 1.5
    look_level: float = 0.6
    strange_weight: float = 3.0
    strange: float = 0.68


TUNING: Final = MovingTuning()


def moved(scene: Scene, kinds: Ints, rows: Array) -> tuple[Array, Array]:
    """Move bodies of these kinds, (N,), in these places, (N, COLUMNS), to where most speaks for them.

    Returns
    -------
    tuple
        (N, COLUMNS) where, and (N,) how much. Lying pins are turned end for end and around themselves too,
        standing ones are held against the looks of the pins.
    """
    places, scores = climbed(lambda which, at: judged(scene, kinds[which], at), kinds, rows)
    lying = np.flatnonzero((kinds == LYING) & (scores >= TUNING.turn_from))
    upright = np.flatnonzero((kinds == UPRIGHT) & (scores > NONE)) if len(scene.looks) else lying[:0]
    if not len(lying) and not len(upright):
        return places, scores
    starts = _turned(scene, places[lying]) if len(lying) else np.zeros((0, COLUMNS))
    ways = len(starts)
    again = np.repeat([LYING, UPRIGHT], [ways, len(upright)])
    ends, worth = climbed(
        _liked(scene, again, places[upright]), again, np.concatenate([starts, places[upright]]), near=True
    )
    places[upright], scores[upright] = ends[ways:], worth[ways:]
    if len(lying):
        ends, worth = ends[:ways].reshape(len(lying), -1, COLUMNS), worth[:ways].reshape(len(lying), -1)
        lines, first = np.arange(len(lying)), worth.argmax(axis=1)
        better = worth[lines, first] > scores[lying]
        places[lying[better]] = ends[lines, first][better]
        scores[lying[better]] = worth[lines, first][better]
    return places, scores


def climbed(worth: Worth, kinds: Ints, rows: Array, *, near: bool = False) -> tuple[Array, Array]:
    """Move bodies step by step to where they are worth most: each way alone, and all that were better together.

    `near`: they are about there already.
    """
    best, score = rows.copy(), np.zeros(0)
    for step in TUNING.steps_cm[1:] if near else TUNING.steps_cm:
        # What cannot be where it was found, nor near there, is not moved.
        active = np.flatnonzero(score > NONE) if len(score) and not near else np.arange(len(rows))
        for _ in range(TUNING.tries):
            if not len(active):
                break
            ways = _ways(kinds[active], best[active], step)
            which, tried = np.repeat(active, ways.shape[1]), ways.reshape(-1, COLUMNS)
            if len(score):
                each = worth(which, tried).reshape(len(active), -1)
            else:  # at first where they are is asked with where they may go
                first = worth(np.concatenate([active, which]), np.concatenate([best, tried]))
                score, each = first[: len(active)], first[len(active) :].reshape(len(active), -1)
            options, values = _with_joined(worth, active, best[active], ways, each, score[active])
            way = values.argmax(axis=1)
            lines = np.arange(len(active))
            gains = values[lines, way] > score[active]
            active = active[gains]
            best[active] = options[lines, way][gains]
            score[active] = values[lines, way][gains]
    return best, score


def _with_joined(  # noqa: PLR0917
    worth: Worth, active: Ints, now: Array, ways: Array, each: Array, score: Array
) -> tuple[Array, Array]:
    """Add to the ways, (N, 2 D, COLUMNS), the one that joins the better of each two that are better than now."""
    lines, pairs = np.arange(len(active))[:, None], each.reshape(len(active), -1, 2)
    which = pairs.argmax(axis=2)
    better = pairs.max(axis=2) > score[:, None]
    steps = ways[lines, 2 * np.arange(pairs.shape[1]) + which] - now[:, None]
    joined = now + (steps * better[..., None]).sum(axis=1)
    several = np.flatnonzero(better.sum(axis=1) > 1)
    values = np.full(len(active), -np.inf)
    if len(several):
        values[several] = worth(active[several], joined[several])
    return np.concatenate([ways, joined[:, None]], axis=1), np.column_stack([each, values])


def _ways(kinds: Ints, rows: Array, step: float) -> Array:
    """Give the places a step away, (N, 6, COLUMNS): along and across what lies, and turned; along x and y else.

    Where nothing lies there are four, (N, 4, COLUMNS).
    """
    lies = (kinds == LYING) | (kinds == LEANING)
    angle = np.where(lies, rows[:, AZIMUTH], 0.0)
    along, across = step * np.cos(angle), step * np.sin(angle)
    ways = np.repeat(rows[:, None], 6 if lies.any() else 4, axis=1)
    for place, (dx, dy) in enumerate(((along, across), (-along, -across), (-across, along), (across, -along))):
        ways[:, place, X] += dx
        ways[:, place, Y] += dy
    if lies.any():
        ways[lies, 4, AZIMUTH] += step * TUNING.turn
        ways[lies, 5, AZIMUTH] -= step * TUNING.turn
    return ways


def _turned(scene: Scene, places: Array) -> Array:
    """Give the likeliest ways, (N * ways, COLUMNS), in which the heads of lying pins, (N, COLUMNS), may be cut."""
    turns = np.repeat(places[:, None], 8, axis=1)
    turns[..., AZIMUTH] += np.repeat([0.0, np.pi], 4)
    turns[..., ROLL] = np.tile(np.arange(4) * np.pi / 2, 2)
    turns[..., DROP] = TUNING.drop * scene.body.radius_cm
    every = turns.reshape(-1, COLUMNS)
    values = judged(scene, np.full(len(every), LYING), every).reshape(len(places), 8)
    ways = np.argsort(-values, axis=1, kind="stable")[:, : TUNING.ways]
    return np.asarray(turns[np.arange(len(places))[:, None], ways].reshape(-1, COLUMNS))


def _liked(scene: Scene, kinds: Ints, upright: Array) -> Worth:
    """Say what speaks for bodies, those that stand (the last ones) held against the looks of the pins too."""
    lie = len(kinds) - len(upright)
    look = _likest(scene, upright[:, X : Y + 1]) if len(upright) else kinds[:0]

    def worth(which: Ints, at: Array) -> Array:
        value = judged(scene, kinds[which], at)
        stand = np.flatnonzero(which >= lie)
        if len(stand):
            mine, xy = look[which[stand] - lie], at[stand, X : Y + 1]
            value[stand] += _likeness(unlike(scene.looks, mine, scene.log, xy, scene.camera, scene.hidden))
        return value

    return worth


def _likeness(cost: Array) -> Array:
    """Say what it counts how unlike standing bodies look the pins they look most like."""
    strange = np.maximum(cost - TUNING.strange, 0)
    return np.asarray(TUNING.look_weight * (TUNING.look_level - cost) - TUNING.strange_weight * strange)


def likeness(scene: Scene, places: Array) -> Array:
    """Say what it counts that standing bodies at places, (N, 2) cm, look like one of the pins: (N,)."""
    count = len(scene.looks)
    every = np.tile(np.arange(count), len(places))
    costs = unlike(scene.looks, every, scene.log, places.repeat(count, axis=0), scene.camera, scene.hidden)
    return _likeness(costs.reshape(-1, count).min(axis=1))


_SHIFTS: Final = np.array([(0.0, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.0, -0.3)])


def _likest(scene: Scene, places: Array) -> Ints:
    """Give which of the pins before looks most like what stands at about these places, (N, 2) cm: (N,)."""
    count = len(scene.looks)
    every = np.tile(np.arange(count), len(places))
    costs = unlike(scene.looks, every, scene.log, places.repeat(count, axis=0), scene.camera, scene.hidden)
    # Only the likeliest are looked at a little aside as well.
    likely = np.argsort(costs.reshape(len(places), count), axis=1, kind="stable")[:, : TUNING.looks]
    around = (places[:, None, None] + _SHIFTS).repeat(likely.shape[1], axis=1).reshape(-1, 2)
    which = likely.ravel().repeat(len(_SHIFTS))
    costs = unlike(scene.looks, which, scene.log, around, scene.camera, scene.hidden)
    first = costs.reshape(len(places), likely.shape[1], -1).min(axis=2).argmin(axis=1)
    return np.asarray(likely[np.arange(len(places)), first], np.intp)
