"""What lies in the slots is worth: base, chain, Grand Slam, multiplier (AS-20 to AS-24, AS-62, AS-63)."""

from engine.astrolabe.board import Board, Pair, Row
from engine.astrolabe.config import Config


def living(board: Board) -> tuple[Row, ...]:
    """Give the positions without their dead balls, which count for nothing (AS-63)."""
    dead = board.dead
    if not dead:
        return board.slots
    return tuple(
        tuple(None if (position, slot) in dead else side for slot, side in enumerate(row, 1))
        for position, row in enumerate(board.slots, 1)
    )


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
    for position, row in enumerate(living(board)):
        mine, other = worth(config, position, row)
        ours += mine
        theirs += other
    return ours, theirs


def growth(config: Config, before: Board, after: Board) -> Pair:
    """Give what a shot earns each side: the growth of its position values, losses not counted (AS-24)."""
    ours = theirs = 0
    for position, (old, new) in enumerate(zip(living(before), living(after), strict=True)):
        if old != new:
            was, now = worth(config, position, old), worth(config, position, new)
            ours += max(0, now[0] - was[0])
            theirs += max(0, now[1] - was[1])
    return ours, theirs


def new_slams(before: Board, after: Board) -> tuple[int, ...]:
    """Give the side of each Grand Slam that was not there before (AS-60)."""
    pairs = zip(map(slam, living(before)), map(slam, living(after)), strict=True)
    return tuple(now for was, now in pairs if now is not None and now != was)
