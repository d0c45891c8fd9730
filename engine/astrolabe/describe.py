"""What a scoreboard would say of an action: what happened, what it earned, what followed, each with its clause."""

from collections.abc import Iterator
from typing import assert_never

from engine.astrolabe.actions import (
    Action,
    AddTime,
    Choose,
    ConvertBall,
    FreeShot,
    RemoveBall,
    Returned,
    RoundOver,
    Ruling,
    Shot,
    StartRound,
    TableMoved,
    Warn,
)
from engine.astrolabe.after_shot import dying_slots, effective, is_foul, knocked_in, landing
from engine.astrolabe.apply import apply
from engine.astrolabe.board import Pair, blocked, shifted
from engine.astrolabe.followed import followed
from engine.astrolabe.state import State, is_extra
from engine.astrolabe.values import new_slams
from engine.astrolabe.words import place, seconds

VOID = {
    "play_line": "over the play line, the shot is void (AS-31)",
    "interference": "interference, the shot is void (AS-37)",
    "touched_moving_ball": "touched a moving ball, the shot is void (AS-37)",
}
RESTS = {
    "hand": "rolls back (AS-32)",
    "grouped": "grouped (AS-33)",
    "gutter": "in the gutter (AS-30)",
    "out": "off the table (AS-32)",
}


def describe(state: State, action: Action) -> str:
    """Give the sentence of an allowed action, with its clauses."""
    after = apply(state, action)
    return "; ".join([*_happened(state, action, after), *followed(state, action, after)])


def _happened(state: State, action: Action, after: State) -> Iterator[str]:
    match action:
        case Shot():
            yield from _shot(state, action)
        case StartRound():
            yield _start(state, after)
        case Returned():
            discarded = state.final_sequence is not None
            to = "discarded (AS-42)" if discarded else "back in hand (AS-34)"
            yield f"a grouped ball of side {action.side} {to}"
        case TableMoved():
            yield from _table_moved(state, action)
        case Choose():
            yield _choice(state, action)
        case RoundOver():
            yield "time is up (AS-10)"
        case _:
            yield _ruling(action)


def _start(state: State, after: State) -> str:
    game = f"Game {after.course.game}, " if state.course.game_over else ""
    kind, clause = ("extra Round", "AS-13") if is_extra(after) else ("Round", "AS-11")
    return f"{game}{kind} {after.course.round} starts, side {after.turn} begins ({clause})"


def _table_moved(state: State, action: TableMoved) -> Iterator[str]:
    yield f"side {action.side} moved the table (AS-35)"
    own = sum(move.ball == action.side for move in action.moves)
    if own:
        yield f"{_balls(own)} of side {action.side} out (AS-35)"
    if len(action.moves) > own:
        to = "back in hand (AS-35)" if state.final_sequence is None else "discarded (AS-42)"
        yield f"{_balls(len(action.moves) - own)} of side {1 - action.side} {to}"
    if state.final_sequence == action.side:
        yield from _forfeit(state.board.hand[action.side])


def _choice(state: State, action: Choose) -> str:
    count = state.board.hand[action.side]
    if action.option == "final_sequence":
        return f"side {action.side} plays its last {_balls(count)}, hit or miss (AS-42)"
    points, clause = ("no points", "AS-13") if is_extra(state) else (f"+{count}", "AS-41")
    return f"side {action.side} banks {_balls(count)}: {points} ({clause})"


def _ruling(ruling: Ruling) -> str:
    match ruling:
        case Warn():
            return f"warning to side {ruling.side} (AS-70)"
        case AddTime():
            return f"{seconds(abs(ruling.ms))} s {'taken off' if ruling.ms < 0 else 'added'} (AS-70)"
        case FreeShot():
            return f"free shot for side {ruling.side} (AS-37)"
        case RemoveBall():
            return f"a ball of side {ruling.ball} removed from {place(ruling.from_)} (AS-70)"
        case ConvertBall():
            return f"the ball in {place(ruling.slot)} is side {ruling.ball}'s now (AS-64)"
        case _:
            assert_never(ruling)


def _shot(state: State, shot: Shot) -> Iterator[str]:
    """Yield where the ball rests, what was earned, fouls, blocking."""
    landed, earned = landing(state, shot)
    if shot.foul is not None:
        yield VOID[shot.foul]
    else:
        yield _rests(state, shot, landed, earned)
    if knocked_in(shot) and shot.foul is None:
        into = " and ".join(map(place, knocked_in(shot)))
        other = 1 - shot.side
        yield f"foul, side {other}'s ball into {into}: side {other} +{earned[other]} (AS-36)"
    if state.config.blocking and shot.foul is None:
        moved = shifted(state.board, effective(state, shot))
        yield from (f"the ball in {place(slot)} is blocked (AS-61)" for slot in blocked(moved, shot.side))
    if state.final_sequence is not None and is_foul(shot):
        yield from _forfeit(state.board.hand[shot.side] - 1)


def _rests(state: State, shot: Shot, landed: State, earned: Pair) -> str:
    """Give where the shot ball came to rest and what its side earned."""
    rest = shot.moves[0].to
    points = earned[shot.side]
    where = place(rest) if not isinstance(rest, str) else RESTS[rest]
    if rest == "hand" and state.final_sequence is not None:
        where = "rolls back, discarded (AS-42)"
    if points:
        return f"{where}: +{points} ({_clause(state, shot, landed, points)})"
    dead = rest in dying_slots(state, shot.t_ms)
    return f"{where}: no score ({'AS-63' if dead else 'AS-12'})"


def _clause(state: State, shot: Shot, landed: State, points: int) -> str:
    """Give the clause that explains the points best."""
    if shot.side in new_slams(state.board, landed.board):
        return "AS-22"
    if len(shot.moves) > 1:
        return "AS-24"
    position = next((move.to[0] for move in shot.moves if not isinstance(move.to, str)), 1)
    times = state.config.multipliers[position - 1]
    if points > state.config.base[position - 1] * times:
        return "AS-21"
    return "AS-20" if times == 1 else "AS-62"


def _forfeit(count: int) -> Iterator[str]:
    if count:
        yield f"{_balls(count)} forfeited (AS-42)"


def _balls(count: int) -> str:
    return "1 ball" if count == 1 else f"{count} balls"
