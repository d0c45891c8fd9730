"""What an entry may have been instead, likeliest first: what people are offered to tap."""

from collections.abc import Iterator
from dataclasses import replace
from math import cos, radians, sin
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
            return list(_finn_shots(action))[:MOST]
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


def _finn_shots(action: finn.Shot) -> Iterator[finn.Shot]:
    """Give shots of which one pin is otherwise: how it lies, or that it stands; then a cushion more or less.

    A leaning pin is taken for fallen and a fallen one for leaning most of all. Where a defense put pins is kept
    while they are still those that count.
    """
    pins = dict(action.pins)
    others: list[dict[str, finn.PinState]] = []
    for turn in range(4):
        for pin, had in pins.items():
            way = _WAYS.get(had, _DOWN)[turn]
            kept_pins = {other: how for other, how in pins.items() if other != pin}
            others.append(kept_pins if way is None else {**pins, pin: way})
    placed = dict(action.placements or ())
    for pins_then in others:
        counted = {pin for pin, how in pins_then.items() if how == "fallen"}
        kept = placed if placed and counted == placed.keys() else None
        yield finn.shot(
            side=action.side, t_ms=action.t_ms, pins=pins_then, cushions=action.cushions, placements=kept
        )
    for cushions in {action.cushions + 1, max(0, action.cushions - 1)} - {action.cushions}:
        yield replace(action, cushions=cushions)


def _astrolabe_shots(action: astrolabe.Shot) -> Iterator[astrolabe.Shot]:
    """Give shots whose ball came to rest elsewhere: in a slot beside, in hand, grouped, in the gutter, out."""
    first, *rest = action.moves
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
