"""Candidates moved and turned to where most speaks for them, all together, by steps that shrink."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.finn.looks import unlike
from vision.finn.outlines import AZIMUTH, COLUMNS, DROP, ROLL, X, Y
from vision.finn.weighing import LEANING, LYING, UPRIGHT, Ints, Scene, judged

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
    places, scores = _fitted(scene, kinds, rows)
    lying = np.flatnonzero((kinds == LYING) & (scores >= TUNING.turn_from))
    if len(lying):
        _turned(scene, lying, places, scores)
    upright = np.flatnonzero(kinds == UPRIGHT)
    if len(upright):
        _looked(scene, upright, places, scores)
    return places, scores


def _fitted(scene: Scene, kinds: Ints, rows: Array, *, near: bool = False) -> tuple[Array, Array]:
    return climbed(lambda which, at: judged(scene, kinds[which], at), kinds, rows, near=near)


def climbed(worth: Worth, kinds: Ints, rows: Array, *, near: bool = False) -> tuple[Array, Array]:
    """Move bodies step by step to where they are worth most: each way alone, and all that were better together.

    `near`: they are about there already.
    """
    best, score = rows.copy(), worth(np.arange(len(rows)), rows)
    for step in TUNING.steps_cm[1:] if near else TUNING.steps_cm:
        active = np.arange(len(rows))
        for _ in range(TUNING.tries):
            if not len(active):
                break
            ways = _ways(kinds[active], best[active], step)
            each = worth(np.repeat(active, ways.shape[1]), ways.reshape(-1, COLUMNS)).reshape(len(active), -1)
            options, values = _with_joined(worth, active, best[active], ways, each, score[active])
            first = values.argmax(axis=1)
            lines = np.arange(len(active))
            gains = values[lines, first] > score[active]
            active = active[gains]
            best[active] = options[lines, first][gains]
            score[active] = values[lines, first][gains]
    return best, score


def _with_joined(  # noqa: PLR0917
    worth: Worth, active: Ints, now: Array, ways: Array, each: Array, score: Array
) -> tuple[Array, Array]:
    """Add to the ways, (N, 2 D, COLUMNS), the one that joins the better of each two that are better than now."""
    pairs = each.reshape(len(active), -1, 2)
    which = pairs.argmax(axis=2)
    better = pairs.max(axis=2) > score[:, None]
    steps = (ways - now[:, None]).reshape(len(active), -1, 2, COLUMNS)
    chosen = np.take_along_axis(steps, which[..., None, None], axis=2)[:, :, 0] * better[..., None]
    joined = now + chosen.sum(axis=1)
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


def _turned(scene: Scene, lying: Ints, places: Array, scores: Array) -> None:
    """Turn lying pins to where the bevel of their heads fits best, if it fits better than none."""
    turns = np.repeat(places[lying, None], 8, axis=1)
    turns[..., AZIMUTH] += np.repeat([0.0, np.pi], 4)
    turns[..., ROLL] = np.tile(np.arange(4) * np.pi / 2, 2)
    turns[..., DROP] = TUNING.drop * scene.body.radius_cm
    every = turns.reshape(-1, COLUMNS)
    values = judged(scene, np.full(len(every), LYING), every).reshape(len(lying), 8)
    likely = np.argsort(-values, axis=1, kind="stable")[:, : TUNING.ways]
    starts = np.take_along_axis(turns, likely[..., None], axis=1).reshape(-1, COLUMNS)
    ends, worth = _fitted(scene, np.full(len(starts), LYING), starts, near=True)
    worth = worth.reshape(len(lying), -1)
    first = worth.argmax(axis=1)
    for k, place in enumerate(lying):
        if worth[k, first[k]] > scores[place]:
            places[place] = ends.reshape(len(lying), -1, COLUMNS)[k, first[k]]
            scores[place] = worth[k, first[k]]


def _looked(scene: Scene, upright: Ints, places: Array, scores: Array) -> None:
    """Count whether standing bodies look like one of the pins, and move them to where they do most."""
    if len(scene.looks):
        rows = places[upright]
        look = _likest(scene, rows[:, X : Y + 1])
        kinds = np.full(len(upright), UPRIGHT)

        def worth(which: Ints, at: Array) -> Array:
            cost = unlike(scene.looks, look[which], scene.log, at[:, X : Y + 1], scene.camera, scene.hidden)
            return judged(scene, kinds[which], at) + _likeness(cost)

        places[upright], scores[upright] = climbed(worth, kinds, rows, near=True)


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
