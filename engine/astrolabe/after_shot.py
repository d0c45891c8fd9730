"""A shot and what follows from it, in the order of AS-25."""

from collections.abc import Sequence
from dataclasses import replace

from engine.astrolabe.actions import Move, Shot
from engine.astrolabe.board import Board, Pair, blocked, shifted, spent
from engine.astrolabe.config import Slot
from engine.astrolabe.rounds import ended, settled, target_reached, won
from engine.astrolabe.state import State, is_extra
from engine.astrolabe.values import growth, new_slams


def after_shot(state: State, shot: Shot) -> State:
    """Give the state after an allowed shot."""
    landed, earned = landing(state, shot)
    return _ending(state, shot, landed, earned) or settled(landed)


def landing(state: State, shot: Shot) -> tuple[State, Pair]:
    """Give the state as the shot leaves it while the Round goes on, and what it earned each side.

    Forfeits, points, blocking and the turn are done; whether it ended anything is not yet asked.
    """
    board = shifted(state.board, effective(state, shot), dying_slots(state, shot.t_ms))
    earned = (0, 0) if shot.foul is not None else growth(state.config, state.board, board)
    if state.final_sequence is not None and is_foul(shot):
        board = spent(board, shot.side)
    if state.config.blocking and shot.foul is None:
        board = without_blocked(board, shot.side)
    landed = State(
        config=state.config,
        board=board,
        course=state.course,
        t_ms=shot.t_ms,
        points=_banked(state, earned),
        turn=_next(state, shot, earned),
        final_sequence=state.final_sequence,
    )
    return landed, earned


def effective(state: State, shot: Shot) -> Sequence[Move]:
    """Give the shot's moves as they take effect; in a Final Sequence what returns goes out (AS-42)."""
    moves = with_void(shot)
    return moves if state.final_sequence is None else discarded(moves)


def with_void(shot: Shot) -> Sequence[Move]:
    """Give the moves of a shot; the ball of a void one goes out whatever it did (AS-31, AS-37)."""
    return shot.moves if shot.foul is None else (replace(shot.moves[0], to="out"), *shot.moves[1:])


def discarded(moves: Sequence[Move]) -> Sequence[Move]:
    """Give moves of a Final Sequence: those to hand go out (AS-42)."""
    return tuple(replace(move, to="out") if move.to == "hand" else move for move in moves)


def dying_slots(state: State, t_ms: int) -> tuple[Slot, ...]:
    """Give the slots in which a ball that enters at `t_ms` is dead: more than half the Round is gone (AS-63)."""
    dead_slots, starts_ms, ends_ms = state.config.dead_slots, state.course.starts_ms, state.course.ends_ms
    if not dead_slots or ends_ms is None:
        return ()
    return dead_slots if 2 * (t_ms - starts_ms) > ends_ms - starts_ms else ()


def knocked_in(shot: Shot) -> tuple[Slot, ...]:
    """Give the slots, dead ones too, into which the shot moved an opponent's ball (AS-36)."""
    if len(shot.moves) == 1:
        return ()
    return tuple(
        move.to
        for move in shot.moves
        if move.ball != shot.side and not isinstance(move.to, str) and move.to != move.from_
    )


def is_foul(shot: Shot) -> bool:
    """Tell whether the shooter fouled (AS-31, AS-36, AS-37)."""
    return shot.foul is not None or bool(knocked_in(shot))


def without_blocked(board: Board, side: int) -> Board:
    """Give the board once a side's blocked opponents are out (AS-61)."""
    slots = blocked(board, side)
    return shifted(board, [Move(ball=1 - side, from_=slot, to="out") for slot in slots]) if slots else board


def goes_on(shot: Shot, earned: Pair) -> bool:
    """Tell whether the shooter keeps the turn: it scored, nothing ended grouped, no foul (AS-12, AS-31, AS-36)."""
    return earned[shot.side] > 0 and shot.moves[0].to != "grouped" and not is_foul(shot)


def _banked(state: State, earned: Pair) -> Pair:
    if state.config.live_scoring and not is_extra(state):
        return state.points
    return state.points[0] + earned[0], state.points[1] + earned[1]


def _ending(before: State, shot: Shot, landed: State, earned: Pair) -> State | None:
    """Give the state where the shot ended the Round, by the first of AS-25 that fits, or None."""
    if is_extra(landed) and any(earned):
        return won(landed, shot.side if earned[shot.side] else 1 - shot.side)
    if landed.config.target is not None and (leader := target_reached(landed)) is not None:
        return won(landed, leader)
    if before.config.grand_slam_finish and shot.foul is None and new_slams(before.board, landed.board):
        return ended(landed)
    if landed.final_sequence is not None and not landed.board.hand[shot.side]:  # all played, or forfeited
        return ended(landed)
    return None


def _next(state: State, shot: Shot, earned: Pair) -> int:
    """Give the side on turn if the Round goes on: in a Final Sequence the same, hit or miss (AS-42)."""
    return shot.side if state.final_sequence is not None or goes_on(shot, earned) else 1 - shot.side
