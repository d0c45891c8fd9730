"""Pins set up again: where each stands now, and what that says about the shot before.

Two pictures often cannot tell which of two fallen pins is which. When they stand again their heads show it, and
each is set up where it fell (FB-11), so that the shot can be named after all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.failure import Failure
from vision.finn.after import seen_after
from vision.finn.answer import PinsReading
from vision.finn.before import View
from vision.finn.focus import edges_of
from vision.finn.ground import Ground
from vision.finn.identity import GONE, assigned, travel_cost
from vision.finn.light import Picture, compared, still_of
from vision.finn.looks import seen_pins
from vision.finn.numbers import read_heads
from vision.finn.resting import Rest
from vision.finn.state import Place
from vision.finn.staying import marks_of, unchanged
from vision.finn.telling import head_likeness, number_costs


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingTuning:
    """How pins that were set up are named, and how near to where they fell they are set.

    Attributes
    ----------
    head_cost
        What it costs a name that a head is altogether unlike its own. Standing pins of one view: 0.9 to 0.98 alike
        for the same pin, 0.92 at most for others.
    set_cm
        Usual distance from where a pin fell to where it is set.
    far_cost
        A body is the pin's that stands there with odds that end here.
    back_x_cm
        Pins that left the board are set into the back zone: from here, with some room.
    sure
        Names of less chance are not certain.
    """

    head_cost: float = 30.0
    set_cm: float = 1.5
    far_cost: float = 12.0
    back_x_cm: float = 102.0
    sure: float = 0.97


TUNING: Final = SettingTuning()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """Where the pins stand before the next shot.

    Attributes
    ----------
    places
        Name to place, cm; a pin that is not seen standing keeps the place where it was last.
    standing
        Names that are seen standing.
    sure
        Every name is certain.
    """

    places: Mapping[str, Place]
    standing: frozenset[str]
    sure: bool


def set_up(ground: Ground, now: Picture, reading: PinsReading) -> SetUp | Failure:
    """Find where the pins stand after hands.

    Parameters
    ----------
    ground
        Before the last shot.
    now
        (H, W, 3) BGR.
    reading
        That shot.
    """
    view = ground.view
    seen = seen_after(ground, now, stands=True)
    if isinstance(seen, Failure):
        return seen
    places = {name: view.places[name] for name in seen.still}
    bodies = [(one.axis.x_cm, one.axis.y_cm) for one in seen.bodies if one.kind == "upright"]
    known = [view.places[name] for name in seen.moved]
    heads = head_likeness(view, seen, known, bodies)
    numbers = read_heads(seen.pair.after, bodies, view.body, view.camera)
    costs = TUNING.head_cost * (1 - heads) + number_costs(numbers, seen.moved)
    names = assigned(seen.moved, costs.reshape(len(known), len(bodies)))
    for name, body in names.bodies.items():
        fell = reading.pins[name].xy_cm
        places[name] = bodies[body] if body != GONE else (fell or view.places[name])
    stand = {name for name, body in names.bodies.items() if body != GONE}
    chances = [float(names.chances[name][names.bodies[name]]) for name in stand]
    return SetUp(
        places={name: places[name] for name in view.places},
        standing=frozenset(stand | set(seen.still)),
        sure=len(bodies) == len(seen.moved) and all(chance >= TUNING.sure for chance in chances),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A shot as setting up tells it.

    Attributes
    ----------
    states, places
        Name to state, and to where it stood or lay after the shot, cm; None: nowhere on the board.
    sure
        No two ways to say it are nearly as likely.
    """

    states: Mapping[str, str]
    places: Mapping[str, Place | None]
    sure: bool


def states_after(reading: PinsReading, view: View, settled: SetUp, line_x_cm: float) -> Told:
    """Say what each pin did in the shot, now that it is known which stands where.

    Parameters
    ----------
    reading, view
        The shot, and the places before it.
    settled
        How the pins stand now.
    line_x_cm
        The first line: pins short of it are set on it (FB-24).
    """
    moved = [name for name, pin in reading.pins.items() if pin.xy_cm != view.places[name]]
    costs = np.array([[_cost(settled.places[name], rest, line_x_cm) for rest in reading.rests] for name in moved])
    states = {name: pin.state for name, pin in reading.pins.items()}
    places = {name: pin.xy_cm for name, pin in reading.pins.items()}
    if len(reading.rests) > len(moved):
        return Told(states=states, places=places, sure=False)
    names = assigned(moved, costs.reshape(len(moved), len(reading.rests)))
    sure = True
    for name in moved:
        body = names.bodies[name]
        states[name] = "off_board" if body == GONE else reading.rests[body].state
        places[name] = None if body == GONE else reading.rests[body].xy_cm
        sure &= _chance(names.chances[name], states[name], reading.rests) >= TUNING.sure
    return Told(states=states, places=places, sure=sure)


def stood_already(view: View, after: Picture, now: Picture, settled: SetUp) -> frozenset[str]:
    """Name the pins that nobody has touched since the shot: what is seen of each has not changed, so it stood.

    Parameters
    ----------
    view
        The camera.
    after, now
        (H, W, 3) BGR: when the shot had come to rest, and now that all have been set up.
    settled
        How the pins stand now.
    """
    pair = compared(still_of(after), now)
    names = sorted(settled.standing)
    if isinstance(pair, Failure) or not names:
        return frozenset()
    places = [settled.places[name] for name in names]
    owner = seen_pins(places, view.body, view.camera, now.shape)
    same = unchanged(pair, marks_of(owner, edges_of(after), len(names)), alike=False)
    return frozenset(name for name, kept in zip(names, same, strict=True) if kept)


def _cost(place: Place, rest: Rest, line_x_cm: float) -> float:
    if rest.state == "off_board":
        return 0.0 if place[0] >= TUNING.back_x_cm else TUNING.far_cost
    goal = (line_x_cm, rest.xy_cm[1]) if rest.state == "line" else rest.xy_cm
    far = travel_cost(place, goal, stands=True) * (4.0 / TUNING.set_cm) ** 2
    return min(far, TUNING.far_cost)


def _chance(
    chances: np.ndarray[tuple[int, ...], np.dtype[np.float64]], state: str, rests: Sequence[Rest]
) -> float:
    same = sum(float(chances[k]) for k, rest in enumerate(rests) if rest.state == state)
    return same + (float(chances[-1]) if state == "off_board" else 0.0)
