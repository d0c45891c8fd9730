"""Where every ball is, and how balls get from place to place. Points are a matter of `engine.astrolabe.values`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.astrolabe.actions import Move, Place
from engine.astrolabe.config import Slot, Trio

Pair: TypeAlias = tuple[int, int]
"""A number for each side."""
Row: TypeAlias = tuple[int | None, ...]
"""A position: the side of the ball in each slot, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Balls by place; `dead` are the slots, rising, whose ball is dead (AS-63)."""

    slots: tuple[Row, ...]
    dead: tuple[Slot, ...] = ()
    hand: Pair
    grouped: Pair = (0, 0)
    gutter: Pair = (0, 0)
    out: Pair = (0, 0)


def fresh(slots: Trio, balls: int) -> Board:
    """Give the board at the start of a Round: all balls in hand (AS-11, AS-30)."""
    return Board(slots=tuple((None,) * count for count in slots), hand=(balls, balls))


def added(pair: Pair, side: int, count: int) -> Pair:
    """Give the pair with `count` more for a side."""
    return (pair[0] + count, pair[1]) if side == 0 else (pair[0], pair[1] + count)


def exists(board: Board, place: Place) -> bool:
    """Tell whether a place is there: only slots may not be."""
    if isinstance(place, str):
        return True
    position, slot = place
    return 0 < position <= len(board.slots) and 0 < slot <= len(board.slots[position - 1])


def cell(board: Board, slot: Slot) -> int | None:
    """Give the side whose ball lies in a slot, or None."""
    return board.slots[slot[0] - 1][slot[1] - 1]


def holds(board: Board, moves: Sequence[Move]) -> bool:
    """Tell whether each ball that moves is where it is said to come from."""
    if len(moves) == 1:
        return _count(board, moves[0].ball, moves[0].from_) > 0
    wanted: dict[tuple[int, Place], int] = {}
    for move in moves:
        wanted[move.ball, move.from_] = wanted.get((move.ball, move.from_), 0) + 1
    return all(_count(board, ball, origin) >= count for (ball, origin), count in wanted.items())


def _count(board: Board, ball: int, place: Place) -> int:
    if isinstance(place, str):
        return _spot(board, place)[ball]
    return int(cell(board, place) == ball)


def _spot(board: Board, spot: str) -> Pair:
    pair: Pair = getattr(board, spot)
    return pair


def collides(board: Board, moves: Sequence[Move]) -> bool:
    """Tell whether two balls would lie in one slot once all have moved."""
    left = {move.from_ for move in moves}
    filled: set[Place] = set()
    for move in moves:
        place = move.to
        if isinstance(place, str):
            continue
        if place in filled or (place not in left and cell(board, place) is not None):
            return True
        filled.add(place)
    return False


def shifted(board: Board, moves: Sequence[Move], dying: Sequence[Slot] = ()) -> Board:
    """Give the board once the balls have moved, all together.

    Parameters
    ----------
    board : Board
        The balls before.
    moves : sequence of Move
        Moves that `holds` and do not `collides`; from and to the same place is no move.
    dying : sequence of Slot
        Slots in which a ball that enters now is dead (AS-63).
    """
    spots = {"hand": board.hand, "grouped": board.grouped, "gutter": board.gutter, "out": board.out}
    rows = [*board.slots]
    dead = board.dead
    for move in moves:
        origin = move.from_
        if isinstance(origin, str):
            spots[origin] = added(spots[origin], move.ball, -1)
        elif origin != move.to:
            _set(rows, origin, None)
            dead = tuple(slot for slot in dead if slot != origin) if dead else dead
    for move in moves:
        place = move.to
        if isinstance(place, str):
            spots[place] = added(spots[place], move.ball, 1)
        elif place != move.from_:
            _set(rows, place, move.ball)
            if place in dying:
                dead = tuple(sorted((*dead, place)))
    return Board(slots=tuple(rows), dead=dead, **spots)


def _set(rows: list[Row], slot: Slot, side: int | None) -> None:
    position, at = slot[0] - 1, slot[1]
    row = rows[position]
    rows[position] = (*row[: at - 1], side, *row[at:])


def converted(board: Board, slot: Slot, side: int) -> Board:
    """Give the board with the ball in a slot given to a side; a dead ball stays dead (AS-63, AS-64)."""
    rows = [*board.slots]
    _set(rows, slot, side)
    return replace(board, slots=tuple(rows))


def spent(board: Board, side: int) -> Board:
    """Give the board with a side's balls in hand out: banked or forfeited (AS-41, AS-42)."""
    count = board.hand[side]
    return replace(board, hand=added(board.hand, side, -count), out=added(board.out, side, count))


def blocked(board: Board, side: int) -> tuple[Slot, ...]:
    """Give the slots of the opponent's balls that lie between two of a side's (AS-61); a dead ball blocks too."""
    return tuple(
        (position, at + 1)
        for position, row in enumerate(board.slots, 1)
        for at in range(1, len(row) - 1)
        if row[at] == 1 - side and row[at - 1] == side == row[at + 1]
    )
