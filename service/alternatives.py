"""What an entry may have been instead, likeliest first: what people are offered to tap."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import cos, dist, radians, sin
from typing import Any, Final, TypeAlias

from engine import astrolabe, finn
from engine.astrolabe.actions import Place
from engine.cricket import Throw

Action: TypeAlias = Any
"""An action of any of the games."""

MOST = 8
"""Alternatives offered: two rows of buttons on a phone, under the board."""

BLUR_MM = 11.0
"""Spread of a misread tip, for ranking the neighbours: a camera's slip is a few millimetres, a hidden tip's more.

The order is what counts, and it hardly depends on the value."""

_RING_MM = {"S": 134.5, "T": 103.0, "D": 166.0}


def alternatives(action: Action, seen: dict[str, Any] | None) -> list[Action]:
    """Give other actions that may be true, likeliest first; none for an action that has no such choices."""
    match action:
        case Throw():
            return _throws(action, seen)
        case finn.Shot():
            return list(_finn_shots(action, seen or {}))[:MOST]
        case astrolabe.Shot() if action.moves:
            return list(_astrolabe_shots(action))[:MOST]
        case _:
            return []


def _throws(action: Throw, seen: dict[str, Any] | None) -> list[Action]:
    ranked: list[str] = []
    for segment in _ranked(action.segment, seen or {}):
        if segment != action.segment and segment not in ranked:
            ranked.append(segment)
    best = [segment for segment in ranked if segment != "MISS"][: MOST - 1]
    return [replace(action, segment=segment) for segment in (*best, *({"MISS"} - {action.segment}))]


_DOWN: Final[tuple[finn.PinState | None, ...]] = ("fallen", "leaning", None, "line")
_WAYS: Final[dict[finn.PinState, tuple[finn.PinState | None, ...]]] = {
    "fallen": ("leaning", None, "line", "off_board"),
    "leaning": ("fallen", None, "line", "off_board"),
    "line": ("fallen", "leaning", None, "off_board"),
}
"""What a pin may have been instead, likeliest first; None: it stood."""


NUMBER_DOUBTS: Final = ("WHICH_PIN", "NUMBER_UNSURE")
"""Codes that say: the count is right, but it may have been another pin."""

NEAREST: Final = 3
"""Pins beside each that it may be mistaken for: a number is misread for a neighbour's, not across the board."""


def _finn_shots(action: finn.Shot, seen: Mapping[str, Any]) -> Iterator[finn.Shot]:
    """Give shots that differ in one thing: how a pin lies, or that it stands; which pin it was; a cushion.

    A leaning pin is taken for fallen and a fallen one for leaning most of all. Where the camera doubted a number,
    other numbers come first. Where a defense put pins is kept while they are still those that count.
    """
    placed = dict(action.placements or ())
    doubted = {code.get("pin") for code in seen.get("review", ()) if code.get("code") in NUMBER_DOUBTS}
    named = {code.get("pin") for code in seen.get("review", ())}
    ways, numbers = (
        list(_other_ways(dict(action.pins), named)),
        list(_other_pins(dict(action.pins), doubted, seen)),
    )
    first, later = (numbers, ways) if doubted else (ways, numbers)
    # Of what is likelier most of the row; of the other kind enough that it is there in one tap too.
    for pins in (*first[: MOST - 3], *later[:2], *first[MOST - 3 :], *later[2:]):
        counted = {pin for pin, how in pins.items() if how == "fallen"}
        kept = placed if placed and counted == placed.keys() else None
        yield finn.shot(side=action.side, t_ms=action.t_ms, pins=pins, cushions=action.cushions, placements=kept)
    for cushions in {action.cushions + 1, max(0, action.cushions - 1)} - {action.cushions}:
        yield replace(action, cushions=cushions)


def _other_ways(pins: dict[str, finn.PinState], named: set[str | None]) -> Iterator[dict[str, finn.PinState]]:
    """Give shots in which one pin lies otherwise, those first that a doubt names."""
    for turn in range(4):
        for pin, had in sorted(pins.items(), key=lambda item: item[0] not in named):
            way = _WAYS.get(had, _DOWN)[turn]
            others = {other: how for other, how in pins.items() if other != pin}
            yield others if way is None else {**pins, pin: way}


def _other_pins(
    pins: dict[str, finn.PinState], doubted: set[str | None], seen: Mapping[str, Any]
) -> Iterator[dict[str, finn.PinState]]:
    """Give shots in which one pin stands in the place of another, the doubted and the nearest first."""
    from vision.finn.state import START_CM  # noqa: PLC0415 - as the darts' geometry, only for who asks

    found = {pin: one["xy_cm"] for pin, one in (seen.get("pins") or {}).items() if one.get("xy_cm")}
    places = {**START_CM, **found}
    near = {
        pin: sorted((other for other in places if other != pin), key=lambda o: dist(places[o], places[pin]))[
            :NEAREST
        ]
        for pin in pins
        if pin in places
    }
    for turn in range(NEAREST):
        for pin in sorted(near, key=lambda pin: pin not in doubted):
            other = near[pin][turn]
            if pins.get(other) == pins[pin]:
                continue
            swapped = {name: how for name, how in pins.items() if name not in (pin, other)} | {other: pins[pin]}
            yield swapped | ({pin: pins[other]} if other in pins else {})


def _astrolabe_shots(action: astrolabe.Shot) -> Iterator[astrolabe.Shot]:
    """Give shots of which a moved ball was the other side's, or whose own ball came to rest elsewhere."""
    first, *rest = action.moves
    for at, move in enumerate(rest):
        yield replace(action, moves=(first, *rest[:at], replace(move, ball=1 - move.ball), *rest[at + 1 :]))
    beside: list[Place] = []
    if isinstance(first.to, tuple):
        position, slot = first.to
        beside = [(position, slot - 1), (position, slot + 1), (position + 1, slot), (position - 1, slot)]
    for place in [*beside[:2], "hand", "grouped", "gutter", *beside[2:], "out"]:
        real = not isinstance(place, tuple) or min(place) >= 1
        if real and place != first.to:
            yield replace(action, moves=(replace(first, to=place), *rest))


def _ranked(segment: str, seen: dict[str, Any]) -> Iterator[str]:
    from vision.darts.board import SECTORS, segment_probabilities  # noqa: PLC0415 - loads numpy, a quarter second

    yield from (str(other) for other in seen.get("alternatives", ()))
    place = seen.get("xy_mm") or _middle(segment)
    if place is not None:
        blur = [[BLUR_MM**2, 0.0], [0.0, BLUR_MM**2]]
        yield from segment_probabilities(place, blur)
    if segment == "MISS":
        yield from ("S20", "S19", "S18", "S17", "S16", "S15", "SB")
    elif segment[1:].isdecimal():
        number = int(segment[1:])
        at = SECTORS.index(number)
        yield from (f"{ring}{number}" for ring in "STD")
        yield from (f"{segment[0]}{SECTORS[(at + step) % 20]}" for step in (-1, 1))
    else:
        yield from ("DB", "SB")


def _middle(segment: str) -> tuple[float, float] | None:
    """Give the middle of a segment in mm, for a dart of which only the segment is known."""
    from vision.darts.board import REGULATION, SECTORS  # noqa: PLC0415

    if segment == "MISS":
        return None
    if segment in ("DB", "SB"):
        return (0.0, 0.0 if segment == "DB" else (REGULATION.bull + REGULATION.outer_bull) / 2)
    turn = radians(18 * SECTORS.index(int(segment[1:])))
    return (_RING_MM[segment[0]] * sin(turn), _RING_MM[segment[0]] * cos(turn))
