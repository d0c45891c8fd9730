"""The shot out of the balls before and after."""

from typing import Any

import pytest

from engine import action_from_json
from vision.astrolabe.moves import Spot, difference, shot_between

PLACES = {"grouped": (10.0, 70.0), "gutter": (1.8, 60.0), "hand": (30.0, 2.0)}


def spot(ball: int, place: str | tuple[int, int], xy: tuple[float, float] | None = None) -> Spot:
    usual = PLACES[place] if isinstance(place, str) else (16.5 + 4.5 * place[1], 30.0 + 25.0 * place[0])
    return Spot(ball=ball, place=place, xy_cm=xy or usual, seen_cm=xy or usual)


def move(ball: int, origin: object, to: object) -> dict[str, Any]:
    return {"ball": ball, "from": origin, "to": to}


LYING = [spot(0, (1, 2)), spot(1, (2, 3)), spot(1, "grouped")]

CASES: list[tuple[str, list[Spot], list[Spot], int, list[dict[str, Any]], list[str]]] = [
    ("AS-20 into a slot", LYING, [*LYING, spot(0, (3, 5))], 0, [move(0, "hand", [3, 5])], []),
    ("AS-33 ends grouped", LYING, [*LYING, spot(1, "grouped", (50, 40))], 1, [move(1, "hand", "grouped")], []),
    ("AS-30 into a gutter", LYING, [*LYING, spot(0, "gutter")], 0, [move(0, "hand", "gutter")], []),
    ("AS-32 rolls back", LYING, [*LYING, spot(1, "hand")], 1, [move(1, "hand", "hand")], []),
    (
        "AS-36 moves an opponent's ball into a slot",
        LYING,
        [spot(0, (1, 2)), spot(1, (2, 3)), spot(1, (3, 1)), spot(0, (3, 2))],
        0,
        [move(0, "hand", [3, 2]), move(1, "grouped", [3, 1])],
        [],
    ),
    (
        "AS-34 frees an opponent's grouped ball",
        LYING,
        [spot(0, (1, 2)), spot(1, (2, 3)), spot(1, "hand"), spot(0, "gutter")],
        0,
        [move(0, "hand", "gutter"), move(1, "grouped", "hand")],
        [],
    ),
    (
        "an own ball pushed from slot to slot",
        [spot(0, (1, 2))],
        [spot(0, (1, 3)), spot(0, (1, 2))],
        0,
        [move(0, "hand", [1, 3])],
        [],
    ),
    (
        "own balls of which nobody can tell which came",
        [spot(0, (1, 2))],
        [spot(0, (1, 3)), spot(0, "grouped")],
        0,
        [move(0, "hand", "grouped"), move(0, [1, 2], [1, 3])],
        ["WHICH_BALL"],
    ),
    (
        "a ball that is nowhere any more",
        LYING,
        [spot(0, (1, 2)), spot(1, (2, 3)), spot(0, (2, 1))],
        0,
        [move(0, "hand", [2, 1]), move(1, "grouped", "hand")],
        ["BALL_GONE"],
    ),
    (
        "a ball lifted from before the line and shot away, which knocks one out",
        [spot(0, "hand"), spot(1, (2, 3))],
        [spot(1, "gutter")],
        0,
        [move(0, "hand", "hand"), move(1, [2, 3], "gutter")],
        [],
    ),
]


@pytest.mark.parametrize(
    ("before", "after", "side", "moves", "codes"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_the_shortest_story_that_the_counts_allow(
    before: list[Spot], after: list[Spot], side: int, moves: list[dict[str, Any]], codes: list[str]
) -> None:
    shot = shot_between(before, after)
    assert shot is not None
    assert (shot.side, list(shot.moves), list(shot.codes)) == (side, moves, codes)
    action = {"kind": "shot", "side": side, "t_ms": 0, "moves": moves}
    assert action_from_json("astrolabe", action, 2) is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LYING, LYING),
        ([*LYING, spot(0, "hand")], LYING),
        (LYING, LYING[:2]),
        (LYING, [*LYING, spot(0, (3, 1)), spot(0, (3, 2))]),
        (LYING, [*LYING, spot(0, (3, 1)), spot(1, (3, 2))]),
    ],
    ids=["nothing", "a ball taken up", "only gone", "two from hand", "one of each from hand"],
)
def test_no_shot_where_none_was_or_nobody_can_tell(before: list[Spot], after: list[Spot]) -> None:
    assert shot_between(before, after) is None


def test_balls_that_roll_in_a_gutter_or_are_read_a_little_off_have_not_moved() -> None:
    before = [spot(0, "gutter"), spot(1, "grouped", (20.0, 40.0))]
    after = [spot(0, "gutter", (1.8, 2.0)), spot(1, "grouped", (20.4, 40.3))]
    assert difference(before, after).gone == difference(before, after).come == ()
