"""From the balls before a shot and after it to the shot: whose it was and which ball went where.

Balls are told apart by nothing but their colour, so moves are the shortest story that the counts allow: exactly
one ball of the shooter comes from the hand, all others that changed place were there before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

import numpy as np

from vision.astrolabe.balls import Balls
from vision.astrolabe.telling import LooseBall
from vision.astrolabe.view import TableView

Point = tuple[float, float]

MOST_MOVED: Final = 6
"""More balls of one side than this, moved by one shot, are matched in the order in which they are listed."""

STILL_CM: Final = 0.8
"""A loose ball that is read this near to where it lay has not moved: places are read to 0.3 cm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A ball and where it lies: `place` as a move has it (`[position, slot]`, `grouped`, `gutter`, `hand`).

    `seen_cm` is where it shows on the flat picture.
    """

    ball: int
    place: str | tuple[int, int]
    xy_cm: Point
    seen_cm: Point

    def place_json(self) -> str | list[int]:
        """Give the place as a scoresheet has it."""
        return list(self.place) if isinstance(self.place, tuple) else self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What a shot did.

    Attributes
    ----------
    side
        Whose it was.
    moves
        JSON of the scoresheet's moves, the ball that was shot first.
    codes
        What a person should look at.
    """

    side: int
    moves: tuple[dict[str, Any], ...]
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Balls that are no longer where they were, and balls where none was."""

    gone: tuple[Spot, ...]
    come: tuple[Spot, ...]


def spots_of(balls: Balls, view: TableView) -> tuple[Spot, ...]:
    """Give every ball whose side is known; loose ones before the Play Line are back in hand (AS-32)."""
    slots = [
        Spot(
            ball=slot.holds,
            place=(slot.row + 1, slot.place + 1),
            xy_cm=slot.look.xy_cm,
            seen_cm=slot.look.xy_cm,
        )
        for slot in balls.slots
        if isinstance(slot.holds, int)
    ]
    loose = [
        Spot(ball=ball.ball, place=place_of(ball, view), xy_cm=ball.xy_cm, seen_cm=ball.seen_cm)
        for ball in balls.loose
        if isinstance(ball.ball, int)
    ]
    return (*slots, *loose)


def place_of(ball: LooseBall, view: TableView) -> str:
    """Give where a loose ball counts as lying: `gutter`, `hand` before the Play Line, else `grouped`."""
    if ball.gutter:
        return "gutter"
    return "hand" if ball.xy_cm[1] < view.table.play_line_y_cm else "grouped"


def difference(before: Sequence[Spot], after: Sequence[Spot]) -> Difference:
    """Leave out the balls that lie where they lay."""
    gone, come = list(before), list(after)
    for old in before:
        same = [new for new in come if _same(old, new)]
        if same:
            come.remove(min(same, key=lambda new: _far(old, new)))
            gone.remove(old)
    return Difference(gone=tuple(gone), come=tuple(come))


def shot_between(before: Sequence[Spot], after: Sequence[Spot]) -> Shot | None:
    """Tell the shot between two pictures; None where nothing changed or nobody can tell whose it was.

    A ball before the Play Line that is not there any more was taken up to be shot, or put away. What lies in a
    gutter is out of play and may roll there as it likes.
    """
    changed = difference(before, after)
    lifted = [spot.ball for spot in changed.gone if spot.place == "hand"]
    gone = [spot for spot in changed.gone if spot.place not in ("hand", "gutter")]
    more = [_count(changed.come, side) - _count(gone, side) for side in (0, 1)]
    if (more[0], more[1]) in ((1, 0), (0, 1)) or (1 in more and min(more) < 0):
        return _told(more.index(1), gone, changed.come)
    if max(more) <= 0 and len(lifted) == 1 and (gone or changed.come):
        return _told(lifted[0], gone, changed.come)
    return None


def _told(side: int, gone: Sequence[Spot], come: Sequence[Spot]) -> Shot:
    own = [spot for spot in come if spot.ball == side]
    moves, shot_to = _paired([spot for spot in gone if spot.ball == side], own)
    first = _move(side, "hand", "hand" if shot_to is None else shot_to.place_json())
    others, _ = _paired([spot for spot in gone if spot.ball != side], [spot for spot in come if spot.ball != side])
    codes = []
    if moves and len({_kind(spot) for spot in own}) > 1:
        codes.append("WHICH_BALL")
    if any(move["to"] == "hand" for move in (*moves, *others)) and not any(spot.place == "hand" for spot in come):
        codes.append("BALL_GONE")
    return Shot(side=side, moves=(first, *moves, *others), codes=tuple(codes))


def _paired(gone: Sequence[Spot], come: Sequence[Spot]) -> tuple[list[dict[str, Any]], Spot | None]:
    """Match balls of one side that left a place with places where one arrived, the shortest ways together.

    Returns the moves, and the arrival that is nobody's: the ball that was shot. What left and arrived nowhere is
    taken to have come back to its owner's hand.
    """
    extra = max(0, len(come) - len(gone))
    left: list[Spot | None] = [*gone, *([None] * extra)]
    ways = permutations(left, len(come)) if len(left) <= MOST_MOVED else iter([tuple(left[: len(come)])])
    order = min(ways, key=lambda way: sum(_far(old, new) for old, new in zip(way, come, strict=True) if old))
    pairs = list(zip(order, come, strict=True))
    moves = [
        _move(new.ball, old.place_json(), new.place_json()) for old, new in pairs if old and old.place != new.place
    ]
    moves += [_move(spot.ball, spot.place_json(), "hand") for spot in gone if spot not in order]
    fresh = [new for old, new in pairs if old is None]
    return moves, fresh[0] if fresh else None


def _kind(spot: Spot) -> str:
    return spot.place if isinstance(spot.place, str) else "slot"


def _move(ball: int, origin: str | list[int], to: str | list[int]) -> dict[str, Any]:
    return {"ball": ball, "from": origin, "to": to}


def _same(old: Spot, new: Spot) -> bool:
    if old.ball != new.ball or old.place != new.place:
        return False
    return old.place == "gutter" or isinstance(old.place, tuple) or _far(old, new) < STILL_CM


def _far(old: Spot, new: Spot) -> float:
    return float(np.hypot(old.xy_cm[0] - new.xy_cm[0], old.xy_cm[1] - new.xy_cm[1]))


def _count(spots: Sequence[Spot], side: int) -> int:
    return sum(spot.ball == side for spot in spots)
