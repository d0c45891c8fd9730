"""What lies in the slots is worth: base, chain, Grand Slam, multiplier (AS-20 to AS-24, AS-62, AS-63)."""

from engine.astrolabe.board import Board, Pair, Row
from engine.astrolabe.config import Config


def living(board: Board, position: int) -> Row:
    """Give a position, counted from 0, without its dead balls, which count for nothing (AS-63)."""
    row = board.slots[position]
    if not board.dead:
        return row
    return tuple(None if (position + 1, at) in board.dead else side for at, side in enumerate(row, 1))


def slam(row: Row) -> int | None:
    """Give the side that holds every slot of a position (AS-22), or None."""
    first = row[0]
    return first if first is not None and row.count(first) == len(row) else None


def worth(config: Config, position: int, row: Row) -> Pair:
    """Give what a position, counted from 0 and without dead balls, is worth to each side."""
    base, bonus = config.base[position], config.chain[position]
    points = [0, 0]
    last: int | None = None
    for side in row:
        if side is not None:
            points[side] += base + bonus if side == last else base
        last = side
    times = config.multipliers[position] * (2 if slam(row) is not None else 1)
    return points[0] * times, points[1] * times


def lying(config: Config, board: Board) -> Pair:
    """Give what all that lies in the slots is worth to each side."""
    ours = theirs = 0
    for position in range(len(board.slots)):
        mine, other = worth(config, position, living(board, position))
        ours += mine
        theirs += other
    return ours, theirs


def growth(config: Config, before: Board, after: Board) -> Pair:
    """Give what a shot earns each side: the growth of its position values, losses not counted (AS-24)."""
    ours = theirs = 0
    for position in range(len(before.slots)):
        if before.slots[position] == after.slots[position] and before.dead == after.dead:
            continue
        old, new = living(before, position), living(after, position)
        if old != new:
            was, now = worth(config, position, old), worth(config, position, new)
            ours += max(0, now[0] - was[0])
            theirs += max(0, now[1] - was[1])
    return ours, theirs


def new_slams(before: Board, after: Board) -> tuple[tuple[int, int], ...]:
    """Give position, counted from 1, and side of each Grand Slam that was not there before (AS-60)."""
    found = ((position, slam(living(after, position - 1))) for position in range(1, len(after.slots) + 1))
    return tuple(
        (position, side)
        for position, side in found
        if side is not None and slam(living(before, position - 1)) != side
    )
