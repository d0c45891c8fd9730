"""Actions that the rules allow, sampled by a seed: what can roll where is too much to list."""

from collections.abc import Iterator

from engine.astrolabe.actions import (
    FOULS,
    OPTIONS,
    SPOTS,
    Action,
    AddTime,
    Choose,
    ConvertBall,
    FreeShot,
    Move,
    Place,
    RemoveBall,
    Returned,
    RoundOver,
    Shot,
    StartRound,
    TableMoved,
    Warn,
)
from engine.astrolabe.check import check
from engine.astrolabe.config import Slot
from engine.astrolabe.state import State
from engine.sampling import numbers, pick

SHOTS = 16
"""How many shots are drawn; the rest of a sample is about as much again, so that a Round gets somewhere."""
STEP_MS = 8_000
"""The longest time between two actions."""


def legal(state: State, seed: int) -> Iterator[Action]:
    """Give allowed actions, none twice: all kinds that the state has room for, balls and times by the seed."""
    if state.course.winner is not None:
        return
    chance = numbers(seed)
    t_ms = state.t_ms + next(chance) % STEP_MS
    ends_ms = state.course.ends_ms
    if ends_ms is None:
        candidates: Iterator[Action] = iter([StartRound(t_ms=t_ms), Warn(t_ms=t_ms, side=next(chance) % 2)])
    else:
        in_time_ms = max(state.t_ms, min(t_ms, ends_ms))
        candidates = _in_round(state, chance, in_time_ms, max(state.t_ms, ends_ms))
    yield from (action for action in dict.fromkeys(candidates) if check(state, action) is None)


def _warnings(t_ms: int) -> list[Action]:
    return [Warn(t_ms=t_ms, side=side) for side in (0, 1)]


def _in_round(state: State, chance: Iterator[int], t_ms: int, over_ms: int) -> Iterator[Action]:
    side = state.turn or 0
    table = _on_table(state)
    free = [(position, slot) for position, slot, ball in _slots(state) if ball is None]
    for _ in range(SHOTS):
        yield _shot(side, t_ms, table, free, chance)
    for option in OPTIONS:
        yield Choose(side=side, t_ms=t_ms, option=option)
    for one in (0, 1):
        yield Returned(side=one, t_ms=t_ms)
        yield _table_moved(one, t_ms, table, chance)
        yield FreeShot(t_ms=t_ms, side=one)
    yield RoundOver(t_ms=over_ms)
    yield from _warnings(t_ms)
    yield AddTime(t_ms=t_ms, ms=(next(chance) % 41 - 20) * 1000)
    ball, place = pick(chance, [*table, (0, "hand"), (1, "hand")])
    yield RemoveBall(t_ms=t_ms, ball=ball, from_=place)
    if not isinstance(place, str):
        yield ConvertBall(t_ms=t_ms, slot=place, ball=1 - ball)


def _slots(state: State) -> Iterator[tuple[int, int, int | None]]:
    for position, row in enumerate(state.board.slots, 1):
        for slot, ball in enumerate(row, 1):
            yield position, slot, ball


def _on_table(state: State) -> list[tuple[int, Place]]:
    """Give the balls that a shot may move, those that are grouped once a side."""
    grouped: list[tuple[int, Place]] = [(side, "grouped") for side in (0, 1) if state.board.grouped[side]]
    return grouped + [(ball, (position, slot)) for position, slot, ball in _slots(state) if ball is not None]


def _shot(side: int, t_ms: int, table: list[tuple[int, Place]], free: list[Slot], chance: Iterator[int]) -> Shot:
    """Give a shot that moves up to three other balls; two may end in one slot, which the rules refuse."""
    others = list(dict.fromkeys(pick(chance, table) for _ in range(next(chance) % 4) if table))
    moves = [Move(ball=side, from_="hand", to=_resting(free, chance))]
    moves += [Move(ball=ball, from_=place, to=_resting(free, chance)) for ball, place in others]
    foul = pick(chance, FOULS) if next(chance) % 10 == 0 else None
    return Shot(side=side, t_ms=t_ms, moves=tuple(moves), foul=foul)


def _resting(free: list[Slot], chance: Iterator[int]) -> Place:
    return pick(chance, free) if free and next(chance) % 2 else pick(chance, SPOTS)


def _table_moved(side: int, t_ms: int, table: list[tuple[int, Place]], chance: Iterator[int]) -> TableMoved:
    balls = dict.fromkeys(pick(chance, table) for _ in range(next(chance) % 3) if table)
    moves = (Move(ball=ball, from_=place, to="out" if ball == side else "hand") for ball, place in balls)
    return TableMoved(side=side, t_ms=t_ms, moves=tuple(moves))
