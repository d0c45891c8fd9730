"""Finn Billiards for people: the notation `7↓ 6↓ 9/ |2` and what a scoreboard would say."""

import re
from typing import Final

from engine.finn.rules import (
    PINS,
    Action,
    PinState,
    Shot,
    State,
    apply,
    check,
    outcome,
    outside,
    shot,
    too_close,
    verdict,
)
from engine.finn.zone import Point
from engine.forms import HIGHEST, NotationError, Number

SIGNS: Final[dict[PinState, str]] = {"fallen": "↓", "leaning": "/", "off_board": "×", "line": "_"}
AIR: Final = "-"
HELP: Final = (
    "7 or 7↓ fallen, 7/ leaning, 7x off the board, 7_ short of the line, 7@60,10 put in defense, |2 cushions, "
    "- nothing"
)
_TYPED: Final[dict[str, PinState]] = {
    "": "fallen", "↓": "fallen", "v": "fallen", "/": "leaning", "×": "off_board", "x": "off_board", "_": "line",
}  # fmt: skip
_PIN: Final = re.compile(r"(1[0-2]|[1-9])([↓v/×x_]?)", re.ASCII | re.IGNORECASE)
_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_PLACED: Final = re.compile(rf"(1[0-2]|[1-9])@({_NUMBER}),({_NUMBER})", re.ASCII | re.IGNORECASE)
_CUSHIONS: Final = re.compile(r"\|(\d{1,9})", re.ASCII)


def notation(action: Action) -> str:
    """Give each pin with its sign (`↓` fallen, `/` leaning, `×` off the board, `_` short of the line).

    A pin that a defense puts somewhere is `7@60,10`, cushions are `|2`, a shot that moved nothing is `-`.
    """
    placed = dict(action.placements or ())
    signs = [f"{pin}@{_point(placed[pin])}" if pin in placed else pin + SIGNS[how] for pin, how in action.pins]
    if action.cushions:
        signs.append(f"|{action.cushions}")
    return " ".join(signs) if action.pins else " ".join([AIR, *signs])


def _point(point: Point) -> str:
    return f"{point[0]!r},{point[1]!r}"


def read_notation(state: State, line: str, t_ms: int) -> tuple[Action, ...]:
    """Give the one shot of a line such as `7↓ 6↓ 9/ |2`; `7` or `7v` is a fallen pin, `8x` one off the board."""
    pins: dict[str, PinState] = {}
    placements: dict[str, Point] = {}
    cushions = 0
    tokens = line.split()
    if not tokens:
        raise NotationError("an empty line is no shot; takes pins such as 7 6 9/, or - for an air shot")
    for token in tokens:
        if found := _PLACED.fullmatch(token):
            placements[found[1]] = (_read_number(found[2]), _read_number(found[3]))
            _add(pins, found[1], "fallen")
        elif found := _PIN.fullmatch(token):
            _add(pins, found[1], _TYPED[found[2].lower()])
        elif found := _CUSHIONS.fullmatch(token):
            cushions = int(found[1])
        elif token != AIR or pins:
            raise NotationError(f"{token!r} is no pin; takes {HELP}")
    return (shot(side=state.turn, t_ms=t_ms, pins=pins, cushions=cushions, placements=placements or None),)


def _add(pins: dict[str, PinState], pin: str, how: PinState) -> None:
    if pin in pins:
        raise NotationError(f"pin {pin} is named twice")
    pins[pin] = how


def _read_number(text: str) -> Number:
    value = float(text) if re.search(r"[.e]", text, re.IGNORECASE) else int(text)
    if not -HIGHEST <= value <= HIGHEST:
        raise NotationError(f"{text[:20]} is no length on the board")
    return value


def state_notation(state: State) -> str:
    """Give points, the side to shoot, and the pins in defense."""
    who = "over" if outcome(state) else f">{state.turn}"
    defense = " ".join(f"{pin}@{_point(place)}" for pin, place in state.defense)
    return " | ".join(part for part in (":".join(map(str, state.points)), who, defense) if part)


def describe(state: State, action: Action) -> str:
    """Give the sentence of an allowed shot, with its clauses."""
    after = apply(state, action)
    said = [_defense(action) if action.placements is not None else _points(state, action)]
    thrown_back = [
        f"side {side} back to {now} (FB-51)"
        for side, (had, now) in enumerate(zip(state.points, after.points, strict=True))
        if side != action.side and had != now
    ]
    said += thrown_back
    if outcome(after):
        said.append(f"exactly {state.config.target}, side {action.side} wins (FB-40)")
    return "; ".join(said)


def _defense(action: Shot) -> str:
    where = ", ".join(f"pin {pin} to {_point(place)}" for pin, place in action.placements or ())
    return f"defense, {where}: 0 (FB-30, FB-34)"


def _points(state: State, action: Shot) -> str:
    decided = verdict(state, action)
    had = state.points[action.side]
    match decided.clause:
        case "FB-25":
            floor = ", never below 0" if had < -decided.points else ""
            return f"air shot: {_signed(decided.points)}{floor} (FB-25)"
        case "FB-23":
            off = [pin for pin, how in action.pins if how == "off_board"]
            return f"{_named(off)} off the board: 0 (FB-23)"
        case "FB-26":
            return f"{_named([pin for pin, _ in action.pins])} down, none scores: 0 (FB-26)"
        case "FB-41":
            return (
                f"{_named(decided.counted)}: above {state.config.target}, "
                f"{_signed(decided.points)}, {had} to {decided.score} (FB-41)"
            )
        case clause:
            return f"{_named(decided.counted)}{_apart(state, action)}: {_signed(decided.points)} ({clause})"


def _apart(state: State, action: Shot) -> str:
    """Give what else bears on a shot that scores: pins left out, cushions."""
    leaning = [pin for pin, how in action.pins if how == "leaning"]
    line = [pin for pin, how in action.pins if how == "line"]
    parts = [f"{_named(leaning)} leaning (FB-22)"] if leaning else []
    parts += [f"{_named(line)} to the line (FB-24)"] if line else []
    if state.config.ride_the_rails and action.cushions:
        parts.append(f"{action.cushions} cushion{'s' if action.cushions > 1 else ''} (FB-50)")
    return "".join(f", {part}" for part in parts)


def _named(pins: list[str] | tuple[str, ...]) -> str:
    *first, last = sorted(pins, key=lambda pin: -PINS[pin])
    return f"pins {', '.join(first)} and {last}" if first else f"pin {last}"


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}"


def detail(state: State, action: Action) -> str:
    """Give the pair and the distance of a placement that is refused, or the pins outside the zone (FB-31)."""
    reason = check(state, action)
    if reason == "OUTSIDE_DEFENSE_ZONE":
        return f"{_named(outside(state, action))} outside the defense zone (FB-31)"
    if reason == "TOO_CLOSE" and (pair := too_close(state, action)):
        first, second, apart = pair
        least = float(state.config.disc_cm) + float(state.config.pin_cm)
        return f"pins {first} and {second} are {apart:.2f} cm apart, takes {least:g} cm or more (FB-31)"
    return ""
