"""FinCricket for people: the notation `T20 S5 -` and what a scoreboard would say."""

from typing import Final, assert_never

from engine.cricket.rules import (
    BULLS,
    OPENING,
    SECTORS,
    SEGMENTS,
    Action,
    EndTurn,
    State,
    Throw,
    Undo,
    apply,
    outcome,
)
from engine.forms import NotationError, listed

MISS: Final = "-"
END: Final = "."
BACK: Final = "<"
HELP: Final = "S20 or 20, D19, T18, SB or 25, DB or 50, - a miss, . the end of the turn, < to take a dart back"
_TYPED: Final = {
    **{segment: segment for segment in SEGMENTS},
    **{str(number): f"S{number}" for number in range(1, 21)},
    MISS: "MISS",
    "0": "MISS",
    "25": "SB",
    "50": "DB",
}
"""What may be typed for a dart, in capitals."""


def notation(action: Action) -> str:
    """Give the segment, `-` for a miss, `.` for End Turn, `<` for an undo."""
    match action:
        case Throw(segment=segment):
            return MISS if segment == "MISS" else segment
        case EndTurn():
            return END
        case Undo():
            return BACK
        case _:
            assert_never(action)


def read_notation(state: State, line: str, t_ms: int) -> tuple[Action, ...]:
    """Give the actions of a line such as `T20 S5 - .`: darts, undo, End Turn, in any number."""
    return tuple(_read(state.turn, token, t_ms) for token in line.split())


def _read(side: int, token: str, t_ms: int) -> Action:
    if token == END:
        return EndTurn(side=side, t_ms=t_ms)
    if token == BACK:
        return Undo(side=side, t_ms=t_ms)
    segment = _TYPED.get(token.upper())
    if segment is None:
        raise NotationError(f"{token!r} is no dart; takes {HELP}")
    return Throw(side=side, t_ms=t_ms, segment=segment)


def state_notation(state: State) -> str:
    """Give points, the side to throw with its darts, hits of both where there are any, closed sectors."""
    darts = " ".join(MISS if dart == "MISS" else dart for dart in state.darts)
    hits = " ".join(
        f"{sector}={ours}/{theirs}"
        for sector, ours, theirs in zip(SECTORS, *state.hits, strict=True)
        if (ours or theirs) and sector not in state.closed
    )
    closed = " ".join(map(str, state.closed))
    who = "over" if outcome(state) else f">{state.turn} {darts}"
    parts = ("{}:{}".format(*state.points), who, hits, f"closed {closed}" if closed else "")
    return " | ".join(part.strip() for part in parts if part.strip())


def describe(state: State, action: Action) -> str:
    """Give the sentence of an allowed action, with its clauses."""
    match action:
        case Throw(segment=segment):
            return f"{segment}: {_dart(state, segment)}"
        case Undo():
            return f"{state.darts[-1]} taken back (FC-30)"
        case EndTurn():
            return _end(state, apply(state, action))
        case _:
            assert_never(action)


def _dart(state: State, segment: str) -> str:
    sector, count = SEGMENTS[segment]
    if segment in BULLS:
        return f"+{sector} (FC-13)"
    if segment == "MISS":
        return "no score (FC-03)"
    if sector not in SECTORS:
        return "counts as a miss (FC-04)"
    if sector in state.closed:
        return f"{sector} is closed, no score (FC-22)"
    return _hit(sector, had=state.hits[state.turn][sector - SECTORS[0]], count=count)


def _hit(sector: int, *, had: int, count: int) -> str:
    now = had + count
    if now < OPENING:
        return f"{now} of {OPENING} hits on {sector} (FC-10)"
    points = sector * (now - OPENING)
    if had == OPENING:
        return f"+{points} (FC-11)"
    return f"{sector} opened, +{points} (FC-12)" if points else f"{sector} opened (FC-10)"


def _end(before: State, after: State) -> str:
    closed = [str(sector) for sector in after.closed if sector not in before.closed]
    said = "end of turn (FC-03)" + (f"; {listed(closed, 'and')} closed (FC-21)" if closed else "")
    ended = outcome(after)
    if ended is None:
        return said
    ours, theirs = after.points
    if ended.winner is None:
        return f"{said}; match over, {ours} to {theirs}, a draw (FC-31, FC-32)"
    won = "{} to {}".format(*sorted(after.points, reverse=True))
    return f"{said}; match over, side {ended.winner} wins {won} (FC-31, FC-32)"
