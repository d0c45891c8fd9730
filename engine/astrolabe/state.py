"""Where a match stands, and what is read off it: turn, scores, outcome, the `state` of the result."""

from dataclasses import dataclass
from typing import Any

from engine.astrolabe.board import Board, Pair, fresh
from engine.astrolabe.config import Config
from engine.astrolabe.values import lying
from engine.game import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Games and Rounds so far: what only changes when one begins or ends, or when time is added.

    `starts_ms` and `ends_ms` are the running Round's times; `ends_ms` is None while none runs. `game_over`: the
    Game that is shown is decided, the next Round opens the next Game.
    """

    game: int = 1
    games: Pair = (0, 0)
    game_over: bool = False
    winner: int | None = None
    round: int = 0
    starts_ms: int = 0
    ends_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A match between two actions.

    `points` are what is banked (AS-24), `turn` the side to act, the one asked while a choice is open, or None.
    """

    config: Config
    board: Board
    course: Course = Course()
    t_ms: int = 0
    points: Pair = (0, 0)
    turn: int | None = None
    choice: int | None = None
    final_sequence: int | None = None


def initial(config: Config, _sides: int) -> State:
    """Give the state before the first Round; there are always two sides (AS-01)."""
    return State(config=config, board=fresh(config.slots, config.balls))


def is_extra(state: State) -> bool:
    """Tell whether the Round is an extra one (AS-13); with a target there is none (AS-50)."""
    return state.course.round > state.config.rounds and state.config.target is None


def counts_live(state: State) -> bool:
    """Tell whether what lies in the slots now is part of the score shown (AS-24)."""
    return state.config.live_scoring and state.course.ends_ms is not None and not is_extra(state)


def scores(state: State) -> Pair:
    """Give points by side: the running Game's, or the last one's until the next opens."""
    if not counts_live(state):
        return state.points
    ours, theirs = lying(state.config, state.board)
    return state.points[0] + ours, state.points[1] + theirs


def turn(state: State) -> int | None:
    """Give the side to act; the one asked while a choice is open."""
    return state.turn


def outcome(state: State) -> Outcome | None:
    """Give who won the match (AS-51), or None while it runs; there is no draw."""
    return None if state.course.winner is None else Outcome(winner=state.course.winner)


def summary(state: State) -> dict[str, Any]:
    """Give the `state` of the result object."""
    board = state.board
    return {
        "round": state.course.round,
        "game": state.course.game,
        "games": list(state.course.games),
        "hand": list(board.hand),
        "slots": [list(row) for row in board.slots],
        "grouped": list(board.grouped),
        "gutter": list(board.gutter),
        "out": list(board.out),
        "choice": state.choice,
        "final_sequence": state.final_sequence,
        "round_ends_ms": state.course.ends_ms,
    }


def ends_turn(before: State, _action: object, after: State) -> bool:
    """Tell whether a turn ended, be it that the other side is to act or that no Round runs any more."""
    return before.turn is not None and after.turn != before.turn
