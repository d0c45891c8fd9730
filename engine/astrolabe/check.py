"""Why the rules refuse an action: the codes of the scoresheet's description, in its order."""

from collections.abc import Sequence
from typing import assert_never

from engine.astrolabe.actions import (
    Action,
    AddTime,
    Choose,
    ConvertBall,
    FreeShot,
    Move,
    RemoveBall,
    Returned,
    RoundOver,
    Ruling,
    Shot,
    StartRound,
    TableMoved,
    Warn,
)
from engine.astrolabe.after_shot import with_void
from engine.astrolabe.board import cell, collides, exists, holds
from engine.astrolabe.state import State
from engine.game import Reason

_BY_TURN = (Shot, Choose)
"""What only the side on turn may do."""


def check(state: State, action: Action) -> Reason | None:
    """Give the first code that refuses the action, or None."""
    if state.course.winner is not None:
        return "MATCH_OVER"
    if action.t_ms < state.t_ms:
        return "TIME_RUNS_BACK"
    ends_ms = state.course.ends_ms
    if ends_ms is None:
        return None if isinstance(action, StartRound | Warn) else "NO_ROUND"
    if isinstance(action, _BY_TURN) and action.side != state.turn:
        return "WRONG_SIDE"
    return _own(state, action, ends_ms)


def _own(state: State, action: Action, ends_ms: int) -> Reason | None:
    """Give the action's own code in a running Round."""
    late = "TIME_UP" if action.t_ms > ends_ms else None
    match action:
        case Shot():
            reason = late or _shot(state, action)
        case Returned():
            reason = late or (None if state.board.grouped[action.side] else "NO_SUCH_BALL")
        case TableMoved():
            reason = late or _table_moved(state, action)
        case Choose():
            reason = late or (None if state.choice is not None else "NO_CHOICE")
        case StartRound():
            reason = "ROUND_RUNNING"
        case RoundOver():
            reason = "ROUND_RUNNING_ON" if action.t_ms < ends_ms else None
        case _:
            reason = _ruling(state, action)
    return reason


def _shot(state: State, shot: Shot) -> Reason | None:
    if state.choice is not None:
        return "CHOICE_PENDING"
    if not _is_shot(shot):
        return "BAD_MOVE"
    reason = _unmovable(state, shot.moves)
    if reason is not None:
        return reason
    return "SLOT_TAKEN" if collides(state.board, with_void(shot)) else None


def _is_shot(shot: Shot) -> bool:
    """Tell whether the first move is the shooter's, from hand, and the others are of balls on the table."""
    if not shot.moves:
        return False
    first = shot.moves[0]
    if first.ball != shot.side or first.from_ != "hand":
        return False
    return len(shot.moves) == 1 or all(_on_table(move) for move in shot.moves[1:])


def _on_table(move: Move) -> bool:
    return move.from_ == "grouped" or not isinstance(move.from_, str)


def _table_moved(state: State, action: TableMoved) -> Reason | None:
    for move in action.moves:
        if not _on_table(move) or move.to != ("out" if move.ball == action.side else "hand"):
            return "BAD_MOVE"
    return _unmovable(state, action.moves)


def _unmovable(state: State, moves: Sequence[Move]) -> Reason | None:
    for move in moves:
        if not (exists(state.board, move.from_) and exists(state.board, move.to)):
            return "UNKNOWN_SLOT"
    return None if holds(state.board, moves) else "NO_SUCH_BALL"


def _ruling(state: State, ruling: Ruling) -> Reason | None:
    match ruling:
        case FreeShot():
            if state.choice is not None:
                return "CHOICE_PENDING"
            return None if state.final_sequence is None else "FINAL_SEQUENCE"
        case RemoveBall():
            if not exists(state.board, ruling.from_):
                return "UNKNOWN_SLOT"
            there = holds(state.board, [Move(ball=ruling.ball, from_=ruling.from_, to="out")])
            return None if there else "NO_SUCH_BALL"
        case ConvertBall():
            return _conversion(state, ruling)
        case Warn() | AddTime():
            return None
        case _:
            assert_never(ruling)


def _conversion(state: State, ruling: ConvertBall) -> Reason | None:
    if not state.config.ball_conversion:
        return "CONVERSION_OFF"
    if not exists(state.board, ruling.slot):
        return "UNKNOWN_SLOT"
    return "NO_SUCH_BALL" if cell(state.board, ruling.slot) is None else None
