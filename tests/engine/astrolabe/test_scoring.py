"""What balls in slots are worth, and the optional rules that change it."""

import pytest
from support.astrolabe import Case, play, standing

from engine.astrolabe import GAME
from engine.forms import FormError

TWOS = {"slots": (2, 2, 2)}
DEAD_31 = {"dead_slots": ((3, 1),)}

CASES = [
    # worked examples
    Case(id="AS-24 push-on", lines="start, >1.1, >1.1 0@1.1>1.2", holds={"scores": [3, 0], "turn": 0}),
    Case(id="AS-22 AS-23 Grand Slam of two", lines="start, >3.1, >3.2", holds={"scores": [30, 0]}, settings=TWOS),
    Case(
        id="AS-61 blocked between two",
        lines="start, >1.1, >gutter, >1.2, >gutter, >1.3",
        holds={"scores": [2, 1], "turn": 0, "rows": "0.0.. ..... .....", "out": [0, 1], "hand": [7, 8]},
        settings={"blocking": True},
    ),
    Case(
        id="AS-63 added time moves the half",
        lines="start, time +20, 186000: >3.1",
        holds={"scores": [5, 0], "turn": 0, "round_ends_ms": 381_000},
        settings=DEAD_31,
    ),
    # AS-20 to AS-23
    Case(id="AS-20 base of position 1", lines="start, >1.1", holds={"scores": [1, 0]}),
    Case(id="AS-20 base of position 2", lines="start, >2.5", holds={"scores": [2, 0]}),
    Case(id="AS-20 base of position 3", lines="start, >3.3", holds={"scores": [5, 0]}),
    Case(
        id="AS-02 base, slots and balls of the table",
        lines="start, >1.2, >2.1, >3.7",
        holds={"scores": [16, 0], "hand": [1, 4], "rows": ".0 0. ......0"},
        settings={"slots": (2, 2, 7), "balls": 4, "base": (3, 4, 9)},
    ),
    Case(id="AS-21 three in a row", lines="start, >2.1, >2.2, >2.3", holds={"scores": [3 * 2 + 2 * 2, 0]}),
    Case(id="AS-21 apart is no chain", lines="start, >2.1, >2.3", holds={"scores": [4, 0]}),
    Case(id="AS-21 the gap filled", lines="start, >2.1, >2.3, >2.2", holds={"scores": [10, 0]}),
    Case(id="AS-21 two chains", lines="start, >3.1, >3.2, >3.4, >3.5", holds={"scores": [30, 0]}),
    Case(
        id="AS-21 other colour between",
        lines="start, >1.1, >gutter, >1.2, >gutter, >1.3",
        holds={"scores": [2, 1]},
    ),
    Case(id="AS-21 not from position to position", lines="start, >1.1, >2.1", holds={"scores": [3, 0]}),
    Case(
        id="AS-21 bonus of the settings",
        lines="start, >1.1, >1.2",
        holds={"scores": [2 + 7, 0]},
        settings={"chain": (7, 0, 0)},
    ),
    Case(
        id="AS-22 a position of one slot",
        lines="start, >2.1",
        holds={"scores": [4, 0]},
        settings={"slots": (1, 1, 1)},
    ),
    Case(
        id="AS-22 both colours are none",
        lines="start, >3.1, >gutter, >3.2",
        holds={"scores": [5, 5]},
        settings=TWOS,
    ),
    Case(
        id="AS-23 last ball completes both",
        lines="start, >2.1, >2.3, >2.2",
        holds={"scores": [(3 * 2 + 2 * 2) * 2, 0]},
        settings={"slots": (3, 3, 3)},
    ),
    # AS-24
    Case(
        id="AS-24 banked stays when the ball leaves",
        lines="start, >3.1, >gutter 0@3.1>gutter",
        holds={"scores": [5, 0], "turn": 1},
    ),
    Case(
        id="AS-24 growth by position, losses not counted",
        lines="start, >3.1, >gutter 0@3.1>1.1",
        holds={"scores": [6, 0], "turn": 0},
    ),
    Case(
        id="AS-24 both sides from one shot",
        lines="start, >hand, >grouped, >2.1 1@grouped>3.1",
        holds={"scores": [2, 5], "turn": 1},
    ),
    Case(
        id="AS-24 two balls change places",
        lines="start, >1.1, >gutter, >3.1, >hand, >gutter 0@1.1>3.1 1@3.1>1.1",
        holds={"scores": [6, 6], "turn": 1, "rows": "1.... ..... 0...."},
    ),
    Case(
        id="AS-24 live: what lies there now",
        lines="start, >3.1, >gutter 0@3.1>1.1",
        holds={"scores": [1, 0], "turn": 0},
        settings={"live_scoring": True},
    ),
    Case(
        id="AS-24 live: counted when the Round ends",
        lines="start, >3.1, >3.2, >gutter 0@3.1>gutter, 361000: over",
        holds={"scores": [5 + 7, 10], "turn": None, "rows": "..... ..... .0..."},
        settings={"live_scoring": True},
    ),
    Case(
        id="AS-24 live: the next Round starts from there",
        lines="start, >3.1, 361000: over, start, >1.1",
        holds={"scores": [5 + 9, 10 + 1]},
        settings={"live_scoring": True},
    ),
    Case(
        id="AS-24 live: an extra Round is not",
        lines="start, 361000: over, start, >grouped, >gutter 1@grouped>1.1",
        holds={"scores": [10, 11], "winner": 1},
        settings={"live_scoring": True, "rounds": 1},
    ),
    Case(
        id="AS-24 AS-70 live: a ball removed counts no more",
        lines="start, >3.1, remove 0@3.1",
        holds={"scores": [0, 0], "turn": 0},
        settings={"live_scoring": True},
    ),
    Case(
        id="AS-24 AS-31 live: a void shot still changes what lies there",
        lines="start, >3.1, >2.1 0@3.1>1.1 !play_line",
        holds={"scores": [1, 0], "turn": 1},
        settings={"live_scoring": True},
    ),
    # AS-61
    Case(
        id="AS-61 the last slot has one neighbour",
        lines="start, >gutter, >1.1, >gutter, >1.2",
        holds={"rows": "10... ..... ....."},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 not by the ball's own side, but by the next shot of the other",
        lines="start, >1.1, >1.3, >gutter, >1.2",
        holds={"rows": "010.. ..... .....", "out": [0, 0]},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 any shot of the blocking side",
        lines="start, >1.1, >1.3, >gutter, >1.2, >gutter, >gutter",
        holds={"rows": "0.0.. ..... .....", "out": [0, 1], "scores": [2, 1], "turn": 1},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 not after a void shot",
        lines="start, >1.1, >1.3, >gutter, >1.2, >gutter, >2.1 !play_line",
        holds={"rows": "010.. ..... .....", "out": [1, 0]},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 two at once",
        lines="start, >3.1, >3.5, >gutter, >3.2, >3.4, >gutter, >3.3",
        holds={"rows": "..... ..... 0.0.0", "out": [0, 2], "scores": [15, 10], "turn": 0},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 two side by side are not blocked",
        lines="start, >3.1, >3.4, >gutter, >3.2, >3.3, >hand, >hand",
        holds={"rows": "..... ..... 0110.", "out": [0, 0]},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 AS-36 knocked in between: scored, then out",
        lines="start, >1.1, >gutter, >grouped, >1.3 1@grouped>1.2",
        holds={"rows": "0.0.. ..... .....", "out": [0, 1], "scores": [2, 1], "turn": 1},
        settings={"blocking": True},
    ),
    Case(
        id="AS-61 AS-63 a dead ball blocks",
        lines="start, 300000: >3.1, >3.2, >hand, >3.3",
        holds={"rows": "..... ..... 0.0..", "out": [0, 1], "scores": [5, 5]},
        settings=DEAD_31 | {"blocking": True},
    ),
    Case(
        id="AS-61 AS-63 a dead ball is blocked",
        lines="start, >3.1, >3.3, >hand, 300000: >3.2, >hand",
        holds={"rows": "..... ..... 0.0..", "out": [0, 1], "scores": [10, 0]},
        settings={"dead_slots": ((3, 2),), "blocking": True},
    ),
    Case(
        id="AS-61 AS-24 live: the blocked ball counts no more",
        lines="start, >1.1, >gutter, >1.2, >gutter, >1.3",
        holds={"scores": [2, 0]},
        settings={"blocking": True, "live_scoring": True},
    ),
    Case(
        id="AS-61 off by default",
        lines="start, >1.1, >gutter, >1.2, >gutter, >1.3",
        holds={"rows": "010.. ..... .....", "out": [0, 0]},
    ),
    # AS-62
    Case(
        id="AS-62 a position counts double",
        lines="start, >2.1, >2.2",
        holds={"scores": [(2 * 2 + 2) * 2, 0]},
        settings={"multipliers": (1, 2, 1)},
    ),
    Case(
        id="AS-62 AS-22 triple of a Grand Slam",
        lines="start, >3.1, >3.2",
        holds={"scores": [(2 * 5 + 5) * 2 * 3, 0]},
        settings=TWOS | {"multipliers": (1, 2, 3)},
    ),
    # AS-63
    Case(
        id="AS-63 not at exactly half",
        lines="start, 181000: >3.1",
        holds={"scores": [5, 0], "turn": 0},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 a moment later it is dead",
        lines="start, 181001: >3.1",
        holds={"scores": [0, 0], "turn": 1, "rows": "..... ..... 0...."},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 time taken off moves the half",
        lines="start, time -100, 131001: >3.1",
        holds={"scores": [0, 0], "turn": 1},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 dead though time is added later",
        lines="start, 181001: >3.1, time +300, >hand, >3.2",
        holds={"scores": [5, 0]},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 alive though time is taken off later",
        lines="start, 181000: >3.1, time -100, >3.2",
        holds={"scores": [5 + 10, 0]},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 no chain with a dead ball",
        lines="start, 300000: >3.1, >hand, >3.2",
        holds={"scores": [5, 0]},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 AS-22 no Grand Slam with a dead ball",
        lines="start, 300000: >3.1, >hand, >3.2",
        holds={"scores": [5, 0], "rows": ".. .. 00"},
        settings=DEAD_31 | TWOS,
    ),
    Case(
        id="AS-63 a dead ball that moves on lives again",
        lines="start, 300000: >3.1, >hand, >gutter 0@3.1>3.2",
        holds={"scores": [5, 0], "turn": 0},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 from one dead slot to another",
        lines="start, 300000: >3.1, >hand, >gutter 0@3.1>3.2",
        holds={"scores": [0, 0], "turn": 1},
        settings={"dead_slots": ((3, 1), (3, 2))},
    ),
    Case(
        id="AS-63 a ball that has not moved does not enter",
        lines="start, >3.1, 300000: >3.2 0@3.1>3.1",
        holds={"scores": [15, 0], "turn": 0},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 the slot of a dead ball that left is taken by a living one in the first half of the next Round",
        lines="start, 300000: >3.1, 361000: over, start, >3.1",
        holds={"scores": [9, 15]},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 a dead ball and one in its place",
        lines="start, >3.1, 300000: >3.1 0@3.1>3.2",
        holds={"scores": [5, 0], "turn": 1},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 a void shot's other balls die too",
        lines="start, >2.1, 300000: >1.1 0@2.1>3.1 !play_line, >hand, >3.2",
        holds={"scores": [2 + 5, 0]},
        settings=DEAD_31,
    ),
    Case(
        id="AS-63 removed, the slot is as new",
        lines="start, 200000: >3.1, remove 0@3.1, time +200, >3.1",
        holds={"scores": [0, 5], "turn": 1},
        settings=DEAD_31,
    ),
    # AS-64
    Case(
        id="AS-64 earns nothing by itself",
        lines="start, >3.1, >3.3, >gutter, >3.2, convert 3.2 0",
        holds={"scores": [10, 5], "rows": "..... ..... 000..", "turn": 1},
        settings={"ball_conversion": True},
    ),
    Case(
        id="AS-64 values are computed anew from there",
        lines="start, >3.1, >gutter, >3.2, convert 3.2 0, >gutter, >3.3",
        holds={"scores": [5 + 10, 5]},
        settings={"ball_conversion": True},
    ),
    Case(
        id="AS-64 lasts for the Round",
        lines="start, >3.1, convert 3.1 1, 361000: over, start",
        holds={"hand": [10, 10], "scores": [5 + 9, 10]},
        settings={"ball_conversion": True},
    ),
    Case(
        id="AS-64 AS-63 a dead ball stays dead",
        lines="start, 300000: >3.1, convert 3.1 1, >3.2",
        holds={"scores": [0, 5]},
        settings=DEAD_31 | {"ball_conversion": True},
    ),
    Case(
        id="AS-64 to the side that has it",
        lines="start, >3.1, convert 3.1 0",
        holds={"scores": [5, 0], "rows": "..... ..... 0...."},
        settings={"ball_conversion": True},
    ),
    Case(
        id="AS-64 AS-24 live: what lies there now",
        lines="start, >3.1, convert 3.1 1",
        holds={"scores": [0, 5]},
        settings={"ball_conversion": True, "live_scoring": True},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_points(case: Case) -> None:
    found = standing(play(case.lines, case.settings))
    assert {key: found[key] for key in case.holds} == case.holds


@pytest.mark.parametrize(
    "base", [[2, 2, 5], [1, 5, 2], [5, 2, 1], [1, 1, 1]], ids=lambda base: f"AS-02 refused {base}"
)
def test_base_points_must_rise(base: list[int]) -> None:
    with pytest.raises(FormError, match=r"^base: .*AS-02"):
        GAME.parse_config({"base": base})
