"""The state after an allowed action."""

from collections.abc import Sequence
from dataclasses import replace
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
from engine.astrolabe.after_shot import after_shot, discarded
from engine.astrolabe.board import added, converted, shifted, spent
from engine.astrolabe.rounds import ended, longer, settled, started
from engine.astrolabe.state import State, is_extra


def apply(state: State, action: Action) -> State:
    """Give the state after an action for which `check` gave None."""
    match action:
        case Shot():
            after = after_shot(state, action)
        case Returned():
            after = settled(_shifted(state, [Move(ball=action.side, from_="grouped", to="hand")], action.t_ms))
        case TableMoved():
            after = _table_moved(state, action)
        case Choose():
            after = _chosen(state, action)
        case StartRound():
            after = started(state, action.t_ms)
        case RoundOver():
            after = ended(replace(state, t_ms=action.t_ms))
        case _:
            after = _ruled(state, action)
            after = after if after.course.ends_ms is None else settled(after)
    return after


def _shifted(state: State, moves: Sequence[Move], t_ms: int) -> State:
    """Give the state with balls moved; in a Final Sequence what returns goes out (AS-42)."""
    effective = moves if state.final_sequence is None else discarded(moves)
    return replace(state, t_ms=t_ms, board=shifted(state.board, effective))


def _table_moved(state: State, action: TableMoved) -> State:
    """Give the state after a deliberate movement: it ends the mover's turn (AS-35) or Final Sequence (AS-42)."""
    moved = _shifted(state, action.moves, action.t_ms)
    if state.final_sequence == action.side:
        return ended(replace(moved, board=spent(moved.board, action.side)))
    if state.final_sequence is None and state.choice is None and state.turn == action.side:
        moved = replace(moved, turn=1 - action.side)
    return settled(moved)


def _chosen(state: State, action: Choose) -> State:
    """Give the state after Bank (AS-41) or with the Final Sequence begun (AS-42)."""
    side = action.side
    if action.option == "final_sequence":
        return settled(replace(state, t_ms=action.t_ms, choice=None, final_sequence=side))
    earned = 0 if is_extra(state) else state.board.hand[side]
    banked = replace(
        state, t_ms=action.t_ms, points=added(state.points, side, earned), board=spent(state.board, side)
    )
    return ended(banked, hands=False)


def _ruled(state: State, ruling: Ruling) -> State:
    match ruling:
        case Warn():
            return replace(state, t_ms=ruling.t_ms)
        case AddTime():
            return replace(state, t_ms=ruling.t_ms, course=longer(state.course, ruling.ms))
        case FreeShot():
            return replace(state, t_ms=ruling.t_ms, turn=ruling.side)
        case RemoveBall():
            return _shifted(state, [Move(ball=ruling.ball, from_=ruling.from_, to="out")], ruling.t_ms)
        case ConvertBall():
            return replace(state, t_ms=ruling.t_ms, board=converted(state.board, ruling.slot, ruling.ball))
        case _:
            assert_never(ruling)
