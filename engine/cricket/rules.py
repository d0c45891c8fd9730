"""FinCricket: two players, three darts a turn, sectors 11 to 20 opened by three hits and closed at End Turn.

Clauses FC-01 to FC-33 are in `seeds/fincricket.md`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias, assert_never

from engine.game import Outcome, Reason

SECTORS: Final = tuple(range(11, 21))
"""Numbered sectors in play (FC-02)."""
OPENING: Final = 3
"""Hits that open a sector (FC-10), and the cap of the hits shown."""
DARTS: Final = 3
"""Darts of a turn (FC-03)."""
BULLS: Final = {"SB": 25, "DB": 50}
"""Points that a bull scores at any time (FC-13)."""
RINGS: Final = {"S": 1, "D": 2, "T": 3}

SEGMENTS: Final[dict[str, tuple[int, int]]] = {
    **{f"{ring}{number}": (number, hits) for ring, hits in RINGS.items() for number in range(1, 21)},
    **{bull: (points, 0) for bull, points in BULLS.items()},
    "MISS": (0, 0),
}
"""Each segment's number (of a bull: its points) and its hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """FinCricket has no settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throw:
    """A dart that was thrown, by the segment where it stands."""

    kind: ClassVar[Literal["throw"]] = "throw"
    side: int
    t_ms: int
    segment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The newest dart of the active turn is taken back (FC-30)."""

    kind: ClassVar[Literal["undo"]] = "undo"
    side: int
    t_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTurn:
    """The three darts become final (FC-03, FC-21)."""

    kind: ClassVar[Literal["end_turn"]] = "end_turn"
    side: int
    t_ms: int


Action: TypeAlias = Throw | Undo | EndTurn
Hits: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
Points: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Hits (capped at 3) by side and sector, points, closed sectors; and how the active turn began, for undo."""

    t_ms: int = 0
    turn: int = 0
    hits: Hits = ((0,) * len(SECTORS),) * 2
    points: Points = (0, 0)
    closed: tuple[int, ...] = ()
    darts: tuple[str, ...] = ()
    hits_before: Hits = ((0,) * len(SECTORS),) * 2
    points_before: Points = (0, 0)


def initial(_config: Config, _sides: int) -> State:
    """Give the state before the first dart: side 0 throws first (FC-01)."""
    return State()


def check(state: State, action: Action) -> Reason | None:
    """Give the first code that refuses the action, or None."""
    if _over(state):
        return "MATCH_OVER"
    if action.t_ms < state.t_ms:
        return "TIME_RUNS_BACK"
    if action.side != state.turn:
        return "WRONG_SIDE"
    return _own_check(state, action)


def _own_check(state: State, action: Action) -> Reason | None:
    match action:
        case Throw():
            if len(state.darts) == DARTS:
                return "TURN_FULL"
            return None if action.segment in SEGMENTS else "UNKNOWN_SEGMENT"
        case Undo():
            return None if state.darts else "NOTHING_TO_UNDO"
        case EndTurn():
            return None if len(state.darts) == DARTS else "TURN_NOT_FULL"
        case _:
            assert_never(action)


def apply(state: State, action: Action) -> State:
    """Give the state after an allowed action."""
    match action:
        case Throw():
            return _with_dart(state, action.segment, action.t_ms)
        case Undo():
            again = _turn_begun(state, action.t_ms)
            for segment in state.darts[:-1]:
                again = _with_dart(again, segment, action.t_ms)
            return again
        case EndTurn():
            return _turned(state, action.t_ms)
        case _:
            assert_never(action)


def _turn_begun(state: State, t_ms: int) -> State:
    """Give the state as it was before the first dart of the active turn."""
    return State(
        t_ms=t_ms,
        turn=state.turn,
        hits=state.hits_before,
        points=state.points_before,
        closed=state.closed,
        hits_before=state.hits_before,
        points_before=state.points_before,
    )


def _with_dart(state: State, segment: str, t_ms: int) -> State:
    hits, earned = _dart(state, segment)
    ours, theirs = state.points
    return State(
        t_ms=t_ms,
        turn=state.turn,
        hits=hits,
        points=(ours + earned, theirs) if state.turn == 0 else (ours, theirs + earned),
        closed=state.closed,
        darts=(*state.darts, segment),
        hits_before=state.hits_before,
        points_before=state.points_before,
    )


def _dart(state: State, segment: str) -> tuple[Hits, int]:
    """Give the hits after a dart and the points that it earns (FC-10 to FC-13, FC-22)."""
    if segment in BULLS:
        return state.hits, BULLS[segment]
    sector, count = SEGMENTS[segment]
    if sector not in SECTORS or sector in state.closed:
        return state.hits, 0
    at = sector - SECTORS[0]
    mine = state.hits[state.turn]
    total = mine[at] + count
    now = min(total, OPENING)
    mine = (*mine[:at], now, *mine[at + 1 :])
    hits = (mine, state.hits[1]) if state.turn == 0 else (state.hits[0], mine)
    return hits, sector * (total - now)


def _turned(state: State, t_ms: int) -> State:
    """Give the state after End Turn: what both have opened is closed (FC-20, FC-21)."""
    return State(
        t_ms=t_ms,
        turn=1 - state.turn,
        hits=state.hits,
        points=state.points,
        closed=_eligible(state),
        hits_before=state.hits,
        points_before=state.points,
    )


def _eligible(state: State) -> tuple[int, ...]:
    return tuple(
        sector
        for sector, ours, theirs in zip(SECTORS, *state.hits, strict=True)
        if ours == OPENING and theirs == OPENING
    )


def _over(state: State) -> bool:
    """Whether every numbered sector is closed (FC-31)."""
    return len(state.closed) == len(SECTORS)


def legal(state: State, _seed: int) -> Iterator[Action]:
    """Give every allowed action, at the time of the state."""
    if _over(state):
        return
    if len(state.darts) < DARTS:
        for segment in SEGMENTS:
            yield Throw(side=state.turn, t_ms=state.t_ms, segment=segment)
    else:
        yield EndTurn(side=state.turn, t_ms=state.t_ms)
    if state.darts:
        yield Undo(side=state.turn, t_ms=state.t_ms)


def outcome(state: State) -> Outcome | None:
    """Give the winner once the last sector is closed: more points win, equal points draw (FC-31, FC-32)."""
    if not _over(state):
        return None
    ours, theirs = state.points
    return Outcome(winner=None if ours == theirs else int(theirs > ours))


def turn(state: State) -> int | None:
    """Give the side whose turn it is."""
    return None if _over(state) else state.turn


def scores(state: State) -> tuple[int, ...]:
    """Give points by side."""
    return state.points


def summary(state: State) -> dict[str, Any]:
    """Give hits, closed sectors and the darts of the active turn."""
    return {
        "hits": [dict(zip(map(str, SECTORS), side_hits, strict=True)) for side_hits in state.hits],
        "closed": list(state.closed),
        "darts": list(state.darts),
    }


def ends_turn(_before: State, action: Action, _after: State) -> bool:
    """Tell whether a turn ended: End Turn alone does that."""
    return action.kind == "end_turn"
