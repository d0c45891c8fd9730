"""What `tallycam read` says about a board of Finn Billiards: each pin's state and place, and what to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.after import Seen, seen_after
from vision.finn.before import View, viewed
from vision.finn.heads import alike
from vision.finn.identity import GONE, Assignment, assigned, travel_cost
from vision.finn.looks import unlike
from vision.finn.naming import Named, named
from vision.finn.numbers import habit, name_costs, read_heads
from vision.finn.resting import Rest, rest_of
from vision.finn.search import BOARD_CM, Candidate
from vision.finn.state import PINS, Place, parse_state
from vision.setup import Setup

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """When an answer may be accepted without a look, and when there is none.

    Attributes
    ----------
    sure_name
        A pin whose state follows from who it is with less chance than this asks.
    sure_body
        A body that is there and is what it is said to be with less chance than this asks.
    half, steep
        Score of a body that is as likely there as not, and how the odds grow with it.
    apart
        How the odds of its kind grow with what its score is above that of another kind in its place.
    unexplained
        New things of more than so many pins' areas that nothing explains ask; `hand` of them: somebody is in the
        way.
    head_cost
        What it costs a name that a standing pin's head is altogether unlike its own. Flat heads of one pin
        measured 0.9 to 0.98 alike, those of others mostly below 0.85; bevelled ones less.
    look_cost
        What it costs that the whole pin looks altogether unlike.
    unseen
        Chance that a pin nobody sees has left the board.
    """

    sure_name: float = 0.97
    sure_body: float = 0.8
    half: float = 0.55
    steep: float = 5.0
    apart: float = 10.0
    unexplained: float = 0.6
    hand: float = 5.0
    head_cost: float = 12.0
    look_cost: float = 5.0
    unseen: float = 0.9


LIMITS: Final = ReadingLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Something a person should look at.

    Attributes
    ----------
    code
        `WHICH_PIN`, `NUMBER_UNSURE`, `PIN_UNSURE`, `PIN_NOT_SEEN`, `LEANING_UNSURE`, `UNEXPLAINED_CHANGE`,
        `CAMERA_SHIFTED`, …
    pin
        Which, or None where it is about the whole picture.
    xy_cm
        Where on the board.
    """

    code: str
    pin: str | None = None
    xy_cm: Place | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the code and where."""
        where = {} if self.xy_cm is None else {"xy_cm": [round(v, 1) for v in self.xy_cm]}
        return {"code": self.code, **({} if self.pin is None else {"pin": self.pin}), **where}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPin:
    """One pin.

    Attributes
    ----------
    state
        `upright`, `fallen`, `leaning`, `off_board`, `line` or `unknown`.
    xy_cm
        The point of the board under its middle; None where it is not seen.
    tilt_deg
        From upright; None where it is not seen.
    confidence
        Chance that the state is right.
    """

    state: str
    xy_cm: Place | None
    tilt_deg: float | None
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Give the pin as `tallycam read` prints it."""
        return {
            "state": self.state,
            "xy_cm": None if self.xy_cm is None else [round(v, 2) for v in self.xy_cm],
            "tilt_deg": None if self.tilt_deg is None else round(self.tilt_deg, 1),
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PinsReading:
    """What a picture shows.

    Attributes
    ----------
    pins
        Name to pin.
    disc_cm
        Where the disc lies on the board, or None.
    confidence
        Chance that every state is right.
    review
        What a person should look at; empty: nothing.
    rests
        How each body rests that is not where a pin stood, whoever it is.
    """

    pins: Mapping[str, ReadPin]
    disc_cm: Place | None
    confidence: float
    review: tuple[Review, ...]
    rests: tuple[Rest, ...] = ()

    def action(self, *, t_ms: int = 0, cushions: int = 0) -> dict[str, Any]:
        """Give the shot as the scoresheet has it: every pin that does not stand."""
        states = {name: pin.state for name, pin in self.pins.items() if pin.state not in ("upright", "unknown")}
        return {"kind": "shot", "side": 0, "t_ms": t_ms, "pins": states, "cushions": cushions}

    def to_json(self) -> dict[str, Any]:
        """Give the answer as `tallycam read` prints it."""
        return {
            "pins": {name: pin.to_json() for name, pin in self.pins.items()},
            "disc": None if self.disc_cm is None else {"xy_cm": [round(v, 2) for v in self.disc_cm]},
            "action": self.action(),
            "confidence": round(self.confidence, 4),
            "review": [item.to_json() for item in self.review],
        }


def read_pins(
    setup: Setup, image: Picture, before: Picture | None = None, state: Mapping[str, Any] | None = None
) -> PinsReading | Failure:
    """Say what every pin does after a shot.

    Parameters
    ----------
    setup
        For finn.
    image, before
        (H, W, 3) BGR: after the shot and before it.
    state
        A STATE: where each pin stood before; without one the start layout is expected, or the numbers on the pins
        are read.

    Returns
    -------
    PinsReading or Failure
        `NO_BEFORE`, `NO_STATE`, `OTHER_SIZE`, `BAD_STATE`, `PINS_NOT_THERE`, `SCENE_CHANGED`, `HAND_IN_VIEW`.
    """
    if before is None:
        return Failure(
            "NO_BEFORE", "Pins are told by where they stood: give the picture from before the shot too."
        )
    if before.shape != image.shape:
        return Failure(
            "OTHER_SIZE", "The pictures before and after differ in size: one camera, one setting for both."
        )
    known = _named_before(setup, before, state)
    if isinstance(known, Failure):
        return known
    seen = seen_after(known.view, before, image)
    if isinstance(seen, Failure):
        return seen
    reading = reading_of(known.view, seen, setup)
    return reading if isinstance(reading, Failure) else _as_named(reading, known)


def _named_before(setup: Setup, before: Picture, state: Mapping[str, Any] | None) -> Named | Failure:
    if not state:
        return named(setup, before)
    places = parse_state(state)
    view = places if isinstance(places, Failure) else viewed(setup, before, places)
    return view if isinstance(view, Failure) else Named(view=view)


def _as_named(reading: PinsReading, known: Named) -> PinsReading:
    """Say which names are not certain of those that were read before the shot."""
    if not known.unsure and not known.missing:
        return reading
    lost = ReadPin(state="unknown", xy_cm=None, tilt_deg=None, confidence=0.0)
    pins = {name: reading.pins.get(name, lost) for name in PINS}
    doubts = [Review(code="NUMBER_UNSURE", pin=name, xy_cm=known.view.places[name]) for name in known.unsure]
    doubts += _not_found(known)
    chance = reading.confidence * known.chance
    return replace(reading, pins=pins, confidence=chance, review=(*doubts, *reading.review))


def names_in_doubt(known: Named, reading: PinsReading) -> list[Review]:
    """Say which pins of a shot have names that were read before it and are not certain; others matter not."""
    shot = [name for name in known.unsure if name in reading.pins and reading.pins[name].state != "upright"]
    return [*(Review(code="NUMBER_UNSURE", pin=name) for name in shot), *_not_found(known)]


def _not_found(known: Named) -> list[Review]:
    return [Review(code="PIN_NOT_FOUND", pin=name) for name in known.missing]


def reading_of(view: View, seen: Seen, setup: Setup) -> PinsReading | Failure:
    """Name what was seen: `HAND_IN_VIEW` if too much of it is no pin."""
    if seen.unexplained > LIMITS.hand:
        return Failure(
            "HAND_IN_VIEW", "Something large is over the board: take the picture when nobody is near it."
        )
    assert setup.finn is not None
    bodies = [one for one in seen.bodies if one.kind != "disc"]
    rests = [rest_of(one, view.camera, view.body, setup.finn) for one in bodies]
    names = assigned(seen.moved, _costs(view, seen, bodies, rests))
    pins = {
        name: ReadPin(state="upright", xy_cm=view.places[name], tilt_deg=0.0, confidence=0.998)
        for name in seen.still
    }
    review: list[Review] = []
    for name in seen.moved:
        pins[name] = _named(name, names, bodies, rests)
        review += _doubts(name, pins[name], names, bodies, rests)
    review += _whole(seen)
    chance = float(np.prod([pin.confidence for pin in pins.values()])) * (0.6 if _whole(seen) else 1.0)
    discs = [one.axis for one in seen.bodies if one.kind == "disc"]
    on_board = [(axis.x_cm, axis.y_cm) for axis in discs if _on_board((axis.x_cm, axis.y_cm))]
    return PinsReading(
        pins={name: pins[name] for name in PINS if name in pins},
        disc_cm=on_board[0] if on_board else None,
        confidence=chance,
        review=tuple(review),
        rests=tuple(rests),
    )


def _on_board(xy: Place) -> bool:
    return 0 <= xy[0] <= BOARD_CM[0] and 0 <= xy[1] <= BOARD_CM[1]


def _costs(view: View, seen: Seen, bodies: Sequence[Candidate], rests: Sequence[Rest]) -> Array:
    """Give (names, bodies) costs: how far it went, and whether it looks like itself where it stands."""
    known = [view.places[name] for name in seen.moved]
    places = [rest.xy_cm for rest in rests]
    stands = [body.kind == "upright" for body in bodies]
    costs = np.array([[travel_cost(a, b, stands=up) for b, up in zip(places, stands, strict=True)] for a in known])
    costs = costs.reshape(len(known), len(bodies))
    upright = [column for column, up in enumerate(stands) if up]
    heads = head_likeness(view, seen, known, [places[column] for column in upright])
    costs[:, upright] += LIMITS.head_cost * (1 - heads)
    costs[:, upright] += _number_costs(view, seen, [places[column] for column in upright])
    order = list(view.places)
    for row, name in enumerate(seen.moved):
        look = seen.scene.looks[order.index(name)]
        for column in upright:
            costs[row, column] += LIMITS.look_cost * unlike(look, seen.pair.after, places[column], view.camera)
    return costs


def _number_costs(view: View, seen: Seen, places: list[Place]) -> Array:
    """Give (names, N), what it costs each name that a pin standing there shows another number."""
    if not places or len(seen.moved) < 2:
        return np.zeros((len(seen.moved), len(places)))
    # How pins are turned in this picture tells 6 from 9: those that stand as they did show it too.
    every = [*places, *(view.places[name] for name in seen.still)]
    heads = read_heads(seen.pair.after, every, view.body, view.camera)
    costs = name_costs(heads, habit(heads))[[PINS.index(name) for name in seen.moved], : len(places)]
    return np.asarray(costs - costs.min(axis=0))


def head_likeness(view: View, seen: Seen, known: list[Place], places: list[Place]) -> Array:
    """Say how alike the heads of pins of `known` places before and at `places` after are, (N, M), at most 1."""
    return alike((seen.pair.before, known), (seen.pair.after, places), view.body, view.camera)


def _named(name: str, names: Assignment, bodies: Sequence[Candidate], rests: Sequence[Rest]) -> ReadPin:
    place, chances = names.bodies[name], names.chances[name]
    if place == GONE:
        same = [k for k, rest in enumerate(rests) if rest.state == "off_board"]
        chance = float(chances[-1] + chances[same].sum())
        return ReadPin(state="off_board", xy_cm=None, tilt_deg=None, confidence=chance * LIMITS.unseen)
    rest = rests[place]
    same = [k for k, other in enumerate(rests) if other.state == rest.state]
    chance = float(chances[same].sum()) + (float(chances[-1]) if rest.state == "off_board" else 0.0)
    return ReadPin(
        state=rest.state,
        xy_cm=rest.xy_cm,
        tilt_deg=rest.tilt_deg,
        confidence=min(1.0, chance) * _there(bodies[place]) * rest.confidence,
    )


def _there(body: Candidate) -> float:
    """Give the chance that a body is there, and is no other kind of body."""
    there = 1 / (1 + np.exp(-LIMITS.steep * (body.score - LIMITS.half)))
    kind = 1 / (1 + np.exp(-LIMITS.apart * (body.score - body.rival)))
    return float(there * kind)


def _doubts(
    name: str, pin: ReadPin, names: Assignment, bodies: Sequence[Candidate], rests: Sequence[Rest]
) -> list[Review]:
    place, chances = names.bodies[name], names.chances[name]
    if place == GONE:
        return [Review(code="PIN_NOT_SEEN", pin=name)]
    alike = [k for k, rest in enumerate(rests) if rest.state == pin.state]
    codes = []
    if chances[alike].sum() < LIMITS.sure_name:
        codes.append("WHICH_PIN")
    if _there(bodies[place]) < LIMITS.sure_body:
        codes.append("PIN_UNSURE")
    if rests[place].confidence < LIMITS.sure_body:
        codes.append("LEANING_UNSURE" if pin.state in ("leaning", "fallen") else "PLACE_UNSURE")
    return [Review(code=code, pin=name, xy_cm=pin.xy_cm) for code in codes]


def _whole(seen: Seen) -> list[Review]:
    review = []
    if seen.unexplained > LIMITS.unexplained:
        review.append(Review(code="UNEXPLAINED_CHANGE"))
    if max(map(abs, seen.pair.shift_px)) > 1.5:
        review.append(Review(code="CAMERA_SHIFTED"))
    return review
