"""Bodies that were seen told as pins: who is who, what each does, and what a person should look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.after import Seen, hideaway
from vision.finn.answer import PinsReading, ReadPin, Review
from vision.finn.before import View
from vision.finn.bodies import Found
from vision.finn.choosing import gaps
from vision.finn.ends import FOOT_LOW, read_ends
from vision.finn.heads import TUNING as HEADS
from vision.finn.heads import alike
from vision.finn.identity import GONE, Assignment, assigned, travel_cost
from vision.finn.looks import unlike
from vision.finn.maps import KINDS
from vision.finn.numbers import TURNS, Heads, name_costs, read_heads
from vision.finn.pins import Body, standing
from vision.finn.resting import Rest, rest_of
from vision.finn.state import BOARD_CM, PINS, Place
from vision.setup import FinnTable, Setup

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingLimits:
    """When an answer may be accepted without a look, and when there is none.

    Attributes
    ----------
    sure_name
        A pin whose state follows from who it is with less chance than this asks.
    sure_kind
        A body that rests as it is said to with less chance than this asks.
    flat, sure_flat
        That it lies flat, as the network saw, has a chance by its own: odds from what the network says of lying
        against all else (their logarithm), what speaks for it, and the share of it that is seen, fitted to 273
        lying pins of 196 shots of the twin that nothing else was fitted to. One with less chance than that asks.
    sure_place
        So does one whose place decides its state, where the chance of that is less.
    least_share, plain
        Of a body of which the network saw less than this share, and for which less than that speaks, it is not
        said for sure that it is there at all.
    crossed
        Pins whose axes come nearer than this share of a diameter do not both lie flat.
    unexplained
        New things of more than so many pins' areas that nothing explains ask; `hand` of them: somebody is in the
        way.
    head_cost
        What it costs a name that a standing pin's head is altogether unlike its own. Flat heads of one pin
        measured 0.9 to 0.98 alike, those of others mostly below 0.85; bevelled ones less.
    look_cost
        What it costs that the whole pin looks altogether unlike.
    numbered, bare
        Where heads showed numbers with this chance, one that shows less than this share of it may be none.
    slope
        Heads that are cut so with less chance are not compared so.
    other_number, own_number
        A head that shows another number with more chance than the one, and its own with less than the other, may
        be that pin's: it asks.
    stood, doubtful
        Chance that a pin that stands as it did has stood, and one that something speaks against.
    gone, another, hidden, left_over
        Odds that a pin that is not seen has left the board: alone; less by so many times for each other pin that
        moved, for something that is left over, and by how much more than that may hide it. Fitted to 34 shots of
        the twin with such a pin, of 196 that nothing else was fitted to.
    sure_gone, stands_out
        With less chance it asks, and where pins differ from the board by less than what counts as another thing
        (`vision.finn.light`).
    """

    sure_name: float = 0.97
    sure_kind: float = 0.99
    flat: tuple[float, float, float, float] = (-0.15, 0.74, 0.97, 0.74)
    sure_flat: float = 0.93
    sure_place: float = 0.9
    least_share: float = 0.4
    plain: float = 1.5
    crossed: float = 0.62
    unexplained: float = 0.6
    hand: float = 5.0
    head_cost: float = 12.0
    look_cost: float = 5.0
    numbered: float = 0.6
    bare: float = 0.3
    slope: float = 0.05
    other_number: float = 0.6
    own_number: float = 0.1
    stood: float = 0.998
    doubtful: float = 0.7
    gone: float = 200.0
    another: float = 2.5
    left_over: float = 8.0
    hidden: float = 2e-4
    sure_gone: float = 0.96
    stands_out: float = 0.14


LIMITS: Final = TellingLimits()


def reading_of(view: View, seen: Seen, setup: Setup) -> PinsReading | Failure:
    """Name what was seen: `HAND_IN_VIEW` if too much of it is no pin."""
    if seen.unexplained > LIMITS.hand:
        return Failure(
            "HAND_IN_VIEW", "Something large is over the board: take the picture when nobody is near it."
        )
    assert setup.finn is not None
    case = _case(view, seen, setup.finn)
    pins = {
        name: ReadPin(
            state="upright",
            xy_cm=view.places[name],
            tilt_deg=0.0,
            confidence=LIMITS.doubtful if name in seen.doubtful else LIMITS.stood,
        )
        for name in seen.still
    }
    review = [Review(code="PIN_UNSURE", pin=name, xy_cm=view.places[name]) for name in seen.doubtful]
    for name in seen.moved:
        pins[name] = _named(name, case)
        review += _doubts(name, pins[name], case)
    review += _whole(seen)
    chance = float(np.prod([pin.confidence for pin in pins.values()])) * (0.6 if _whole(seen) else 1.0)
    disc = None if seen.disc is None else (seen.disc.axis.x_cm, seen.disc.axis.y_cm)
    return PinsReading(
        pins={name: pins[name] for name in PINS if name in pins},
        disc_cm=disc if disc is not None and _on_board(disc) else None,
        confidence=chance,
        review=tuple(review),
        rests=case.rests,
    )


def _on_board(xy: Place) -> bool:
    return 0 <= xy[0] <= BOARD_CM[0] and 0 <= xy[1] <= BOARD_CM[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Case:
    """What was seen, how each body rests, who is who, which stand without a number, how sure each state is.

    `shown` is what heads of those that stand show, (COUNT,) chances of numbers. `crossed` are bodies that lie
    where another lies: one lies on the other. `hideaway` says where nobody would see a pin
    (`vision.finn.after.hideaway`), if one is missing.
    """

    seen: Seen
    bodies: tuple[Found, ...]
    rests: tuple[Rest, ...]
    names: Assignment
    bare: frozenset[int]
    shown: Mapping[int, Array]
    sure: tuple[float, ...]
    hideaway: float
    crossed: frozenset[int]

    def likely(self, name: str, state: str) -> float:
        """Give the chance that a pin has the state, by who is who."""
        chances = self.names.chances[name]
        same = sum(float(chances[k]) for k, rest in enumerate(self.rests) if rest.state == state)
        return min(1.0, same + (float(chances[-1]) if state == "off_board" else 0.0))

    @property
    def gone(self) -> float:
        """Chance that a pin that nobody sees has left the board."""
        others = sum(body != GONE for body in self.names.bodies.values())
        odds = LIMITS.gone / LIMITS.another**others / max(1.0, self.hideaway / LIMITS.hidden)
        if self.seen.more:
            odds /= LIMITS.left_over
        if self.seen.stands_out < LIMITS.stands_out:
            odds = 1.0
        return odds / (1 + odds)


def _case(view: View, seen: Seen, table: FinnTable) -> _Case:
    rests = tuple(as_placed(one, view.body, table) for one in seen.bodies)
    upright = [k for k, one in enumerate(seen.bodies) if one.kind == "upright"]
    places = [rests[k].xy_cm for k in upright]
    heads = read_heads(seen.pair.after, places, view.body, view.camera, seen.slopes)
    costs = _costs(view, seen, rests, upright, heads)
    lying = [k for k, one in enumerate(seen.bodies) if one.kind != "upright"]
    states = {rest.state for rest in rests} | ({"off_board"} if len(rests) < len(seen.moved) else set())
    if lying and seen.numbered > LIMITS.numbered and len(states) > 1:
        costs[:, lying] += _end_costs(view, seen, lying)
    names = assigned(seen.moved, costs)
    return _Case(
        seen=seen,
        bodies=seen.bodies,
        rests=rests,
        names=names,
        crossed=_crossed(seen.bodies, view.body),
        hideaway=hideaway(seen, view.body) if GONE in names.bodies.values() else 0.0,
        sure=tuple(_sure(one, rest, view, table) for one, rest in zip(seen.bodies, rests, strict=True)),
        shown=dict(zip(upright, heads.chances.sum(axis=2), strict=True)),
        bare=frozenset(
            k
            for k, written in zip(upright, heads.written, strict=True)
            if seen.numbered > LIMITS.numbered and written < LIMITS.bare * seen.numbered
        ),
    )


def _crossed(bodies: Sequence[Found], size: Body) -> frozenset[int]:
    """Give the bodies that lie so near to another that both cannot lie flat on the board (FB-22)."""
    lying = [k for k, one in enumerate(bodies) if one.kind == "lying"]
    axes, sizes = [bodies[k].axis for k in lying], [size] * len(lying)
    if len(lying) < 2:
        return frozenset()
    near = gaps(axes, sizes, axes, sizes) < LIMITS.crossed * 2 * size.radius_cm
    return frozenset(k for k, meets in zip(lying, near.sum(axis=1), strict=True) if meets > 1)


def _sure(body: Found, rest: Rest, view: View, table: FinnTable) -> float:
    """Give the chance that a body is in its state, however it rests: what lies across a rail leans as well."""
    flat = ("lying", "leaning")
    if body.kind not in flat:
        return body.sure
    chance = flat_chance(body)
    if chance is not None and rest.state != "leaning":
        return chance
    others = (replace(body, kind=kind) for kind in flat if kind != body.kind)
    same = sum(other.sure for other in others if rest_of(other, view.body, table).state == rest.state)
    return min(1.0, body.sure + same)


def flat_chance(body: Found) -> float | None:
    """Give the chance that what lies lies flat (`TellingLimits.flat`); None: the network did not see it lie."""
    if body.kind != "lying" or body.saw is None:
        return None
    saw = float(body.saw[KINDS.index("lying") - 1])
    whole, by_network, by_picture, by_share = LIMITS.flat
    odds = whole + by_network * float(np.log((saw + 0.02) / (1 - saw + 0.02)))
    odds += by_picture * body.score + by_share * min(body.share, 1.0)
    return float(1 / (1 + np.exp(-odds)))


def as_placed(body: Found, size: Body, table: FinnTable) -> Rest:
    """Say how a pin rests, and how surely where the network placed it so that it would rest otherwise."""
    rest, first = rest_of(body, size, table), dict(body.ways).get(body.kind)
    if first is None or body.kind != "lying":
        return rest
    other = rest_of(replace(body, axis=first), size, table)
    if other.state == rest.state:
        return rest
    return replace(rest, confidence=min(rest.confidence, 0.5), other=other.state)


def _end_costs(view: View, seen: Seen, lying: Sequence[int]) -> Array:
    """Give (names, bodies) costs of the numbers on heads of pins that do not stand."""
    stand = [seen.bodies[k].axis for k in range(len(seen.bodies)) if k not in lying]
    others = [(axis, view.body) for axis in (*stand, *(standing(view.places[n], view.body) for n in seen.still))]
    if seen.disc is not None:
        others.append((seen.disc.axis, view.disc))
    ends = read_ends(seen.pair.after, [seen.bodies[k].axis for k in lying], others, view.body, view.camera)
    return name_costs(ends, FOOT_LOW)[[PINS.index(name) for name in seen.moved]]


def _costs(view: View, seen: Seen, rests: Sequence[Rest], upright: Sequence[int], heads: Heads) -> Array:
    """Give (names, bodies) costs: how far it went, and whether it looks like itself where it stands."""
    known = [view.places[name] for name in seen.moved]
    costs = np.array(
        [[travel_cost(xy, one.xy_cm, stands=k in upright) for k, one in enumerate(rests)] for xy in known]
    ).reshape(len(known), len(rests))
    places = [rests[k].xy_cm for k in upright]
    costs[:, upright] += LIMITS.head_cost * (1 - head_likeness(view, seen, known, places))
    costs[:, upright] += number_costs(heads, seen.moved)
    if places and seen.moved:
        order = list(view.places)
        which = np.repeat([order.index(name) for name in seen.moved], len(places))
        where = np.tile(np.array(places), (len(seen.moved), 1))
        unlikes = unlike(seen.looks, which, seen.pair.after, where, view.camera)
        costs[:, upright] += LIMITS.look_cost * unlikes.reshape(len(seen.moved), len(places))
    return costs


def head_likeness(view: View, seen: Seen, known: list[Place], places: list[Place]) -> Array:
    """Say how alike the heads of pins of `known` places before and at `places` after are, (N, M), at most 1."""
    flat = float(seen.slopes[0])
    levels = [level for level, chance in zip(HEADS.levels, (flat, 1 - flat), strict=True) if chance > LIMITS.slope]
    return alike((seen.pair.before, known), (seen.pair.after, places), view.body, view.camera, levels)


def number_costs(heads: Heads, names: Sequence[str]) -> Array:
    """Give (names, heads) costs of the numbers on heads; pins that were pushed may be turned any way."""
    costs = name_costs(heads, np.full(TURNS, 1 / TURNS))
    return costs[[PINS.index(name) for name in names]]


def _named(name: str, case: _Case) -> ReadPin:
    place = case.names.bodies[name]
    if place == GONE:
        chance = case.likely(name, "off_board") * case.gone
        return ReadPin(state="off_board", xy_cm=None, tilt_deg=None, confidence=chance)
    rest = case.rests[place]
    chance = case.likely(name, rest.state) * case.sure[place] * rest.confidence
    return ReadPin(
        state=rest.state,
        xy_cm=rest.xy_cm,
        tilt_deg=rest.tilt_deg,
        confidence=chance * (LIMITS.doubtful if place in case.bare | case.crossed else 1.0),
    )


def _doubts(name: str, pin: ReadPin, case: _Case) -> list[Review]:
    place = case.names.bodies[name]
    codes = ["WHICH_PIN"] if case.likely(name, pin.state) < LIMITS.sure_name else []
    if place == GONE:
        if case.gone < LIMITS.sure_gone:
            codes.append("PIN_NOT_SEEN")
        return [Review(code=code, pin=name) for code in codes]
    body, rest = case.bodies[place], case.rests[place]
    shown = case.shown.get(place)
    if shown is not None and case.seen.numbered > LIMITS.numbered and is_another(shown, name):
        codes.append("WHICH_PIN")
    little = body.share < LIMITS.least_share and body.score < LIMITS.plain
    if little or place in case.bare:
        codes.append("PIN_UNSURE")
    if place in case.crossed:
        codes.append("LEANING_UNSURE")
    least = LIMITS.sure_kind if flat_chance(body) is None else LIMITS.sure_flat
    beside = body.kind == "upright" and (body.axis.x_cm, body.axis.y_cm) in case.seen.beside
    if case.sure[place] < least or beside:
        codes.append("LEANING_UNSURE" if beside or "leaning" in _likely(body) else "PIN_UNSURE")
    if rest.confidence < LIMITS.sure_place:
        codes.append("LEANING_UNSURE" if "leaning" in (rest.state, rest.other) else "PLACE_UNSURE")
    return [Review(code=code, pin=name, xy_cm=pin.xy_cm) for code in dict.fromkeys(codes)]


def is_another(shown: Array, name: str) -> bool:
    """Say whether a head that shows these numbers, (COUNT,) chances, is hardly that of a pin."""
    return bool(shown.max() > LIMITS.other_number and shown[PINS.index(name)] < LIMITS.own_number)


def _likely(body: Found) -> list[str]:
    """Name the two likeliest ways in which it rests."""
    return [KINDS[1 + int(k)] for k in np.argsort(-body.chances)[:2]]


def _whole(seen: Seen) -> list[Review]:
    review = []
    if seen.unexplained > LIMITS.unexplained or seen.more:
        review.append(Review(code="UNEXPLAINED_CHANGE"))
    if max(map(abs, seen.pair.shift_px)) > 1.5:
        review.append(Review(code="CAMERA_SHIFTED"))
    return review
