"""Targets, best-of, the Grand Slam finish, and the order of all that follows a shot."""

import pytest
from support.astrolabe import Case, play, standing

ONES = {"slots": (1, 5, 5)}
"""A single ball in position 1 is a Grand Slam and scores 2."""
FINISH = ONES | {"grand_slam_finish": True}

CASES = [
    # worked examples
    Case(
        id="AS-50 equal totals over the target play on",
        lines="start, 361000: over, 400000: start",
        holds={"over": False, "turn": 1, "scores": [10, 10], "round": 2, "round_ends_ms": 760_000},
        settings={"target": 10},
    ),
    Case(
        id="AS-51 best of 3",
        lines="start, >3.1, start, >3.2",
        holds={"over": True, "winner": 0, "games": [2, 0], "game": 2, "scores": [5, 0], "round": 1, "turn": None},
        settings={"target": 5, "best_of": 3},
    ),
    # AS-50
    Case(
        id="AS-50 a shot that reaches it ends Round and Game at once",
        lines="start, >3.1",
        holds={"over": True, "winner": 0, "scores": [5, 0], "turn": None, "round_ends_ms": None, "hand": [9, 10]},
        settings={"target": 5},
    ),
    Case(
        id="AS-50 AS-36 the opponent's shot reaches it for a side",
        lines="start, >hand, >grouped, >1.1 1@grouped>3.1",
        holds={"over": True, "winner": 1, "scores": [1, 5]},
        settings={"target": 5},
    ),
    Case(
        id="AS-50 both reach it with one shot: the higher wins",
        lines="start, >hand, >grouped, >2.1 1@grouped>3.1",
        holds={"over": True, "winner": 1, "scores": [2, 5]},
        settings={"target": 2},
    ),
    Case(
        id="AS-50 both reach it with one shot, equal: plays on, the next point wins",
        lines="start, >hand, >grouped, >3.1 1@grouped>3.3, >1.1",
        holds={"over": True, "winner": 1, "scores": [5, 6]},
        settings={"target": 5},
    ),
    Case(
        id="AS-50 AS-43 reached by balls in hand",
        lines="start, >gutter, 361000: over",
        holds={"over": True, "winner": 1, "scores": [9, 10]},
        settings={"target": 10},
    ),
    Case(
        id="AS-50 AS-41 reached by a bank",
        lines="start, >1.1, >gutter, >hand, bank",
        holds={"over": True, "winner": 1, "scores": [1, 2]},
        settings={"target": 2, "balls": 2},
    ),
    Case(
        id="AS-50 further Rounds of full length, however many",
        lines="start, 361000: over, start, 722000: over, start, 1083000: over, start",
        holds={"over": False, "round": 4, "turn": 1, "round_ends_ms": 1_084_000 + 360_000, "scores": [30, 30]},
        settings={"target": 100},
    ),
    Case(
        id="AS-50 no extra Round: no end after both Rounds",
        lines="start, >1.1, 361000: over, start, 722000: over",
        holds={"over": False, "scores": [20, 20], "round": 2},
        settings={"target": 50},
    ),
    Case(
        id="AS-50 AS-43 in a later Round balls in hand still score",
        lines="start, 361000: over, start, 722000: over, start, >gutter, 1083000: over",
        holds={"over": True, "scores": [29, 30], "winner": 1},
        settings={"target": 30},
    ),
    Case(
        id="AS-50 AS-24 live: the score shown is checked",
        lines="start, >3.1, >gutter 0@3.1>gutter, >3.1",
        holds={"over": False, "scores": [0, 5]},
        settings={"target": 6, "live_scoring": True},
    ),
    Case(
        id="AS-50 AS-24 live: reached with what lies there",
        lines="start, >3.1, >1.1",
        holds={"over": True, "winner": 0, "scores": [6, 0], "rows": "0.... ..... 0...."},
        settings={"target": 6, "live_scoring": True},
    ),
    Case(
        id="AS-50 AS-64 live: a conversion alone is no shot",
        lines="start, >3.1, >gutter, >3.3, convert 3.3 0",
        holds={"over": False, "scores": [10, 0]},
        settings={"target": 10, "live_scoring": True, "ball_conversion": True},
    ),
    Case(
        id="AS-50 AS-31 AS-64 live: looked at after every shot, a void one too",
        lines="start, >3.1, >gutter, >3.3, convert 3.3 0, >1.1 !play_line",
        holds={"over": True, "winner": 0, "scores": [10, 0]},
        settings={"target": 10, "live_scoring": True, "ball_conversion": True},
    ),
    Case(
        id="AS-50 AS-64 live: or at the end of the Round",
        lines="start, >3.1, >gutter, >3.3, convert 3.3 0, 361000: over",
        holds={"over": True, "winner": 0, "scores": [18, 9]},
        settings={"target": 18, "live_scoring": True, "ball_conversion": True},
    ),
    # AS-51
    Case(
        id="AS-51 a Game won, the match goes on",
        lines="start, >3.1",
        holds={
            "over": False,
            "winner": None,
            "games": [1, 0],
            "game": 1,
            "scores": [5, 0],
            "turn": None,
            "round": 1,
        },
        settings={"target": 5, "best_of": 3},
    ),
    Case(
        id="AS-51 AS-11 the next Game opens at 0 with side 0",
        lines="start, >gutter, >3.1, start",
        holds={"games": [0, 1], "game": 2, "scores": [0, 0], "turn": 0, "round": 1, "hand": [10, 10]},
        settings={"target": 5, "best_of": 3},
    ),
    Case(
        id="AS-51 all Games played",
        lines="start, >3.1, start, >gutter, >3.1, start, >gutter, >3.1",
        holds={"over": True, "winner": 1, "games": [1, 2], "game": 3},
        settings={"target": 5, "best_of": 3},
    ),
    Case(
        id="AS-51 AS-13 after an extra Round too",
        lines="start, 361000: over, start, >1.1, start",
        holds={"games": [0, 1], "game": 2, "round": 1, "scores": [0, 0], "turn": 0},
        settings={"rounds": 1, "best_of": 5},
    ),
    # AS-60
    Case(
        id="AS-60 ends the Round, balls in hand score",
        lines="start, >1.1",
        holds={"round_ends_ms": None, "turn": None, "scores": [2 + 9, 10], "over": False},
        settings=FINISH,
    ),
    Case(
        id="AS-60 the opponent's",
        lines="start, >hand, >grouped, >gutter 1@grouped>1.1",
        holds={"round_ends_ms": None, "scores": [9, 2 + 9]},
        settings=FINISH,
    ),
    Case(
        id="AS-60 not by a void shot",
        lines="start, >hand, >grouped, >gutter 1@grouped>1.1 !interference",
        holds={"round_ends_ms": 361_000, "turn": 1, "scores": [0, 0]},
        settings=FINISH,
    ),
    Case(
        id="AS-60 AS-31 one that a void shot made is not new later",
        lines="start, >hand, >grouped, >gutter 1@grouped>1.1 !interference, >2.1",
        holds={"round_ends_ms": 361_000, "turn": 1, "scores": [0, 2]},
        settings=FINISH,
    ),
    Case(
        id="AS-60 AS-64 nor one that a conversion made",
        lines="start, >3.1, >gutter, >3.2, convert 3.2 0, >2.1",
        holds={"round_ends_ms": 361_000, "rows": ".. 1. 00"},
        settings={"slots": (2, 2, 2), "grand_slam_finish": True, "ball_conversion": True},
    ),
    Case(
        id="AS-60 AS-63 a dead ball makes none",
        lines="start, 300000: >1.1",
        holds={"round_ends_ms": 361_000, "turn": 1, "scores": [0, 0]},
        settings=FINISH | {"dead_slots": ((1, 1),)},
    ),
    Case(
        id="AS-60 another ball of the same side in its place is not new",
        lines="start, >hand, >grouped, >gutter 1@grouped>1.1 !interference, >1.1 1@1.1>2.1",
        holds={"round_ends_ms": 361_000, "scores": [0, 2], "turn": 1},
        settings=FINISH,
    ),
    Case(
        id="AS-60 one of the other side in its place is",
        lines="start, >hand, >grouped, >gutter 1@grouped>1.1 !interference, >hand, >1.1 1@1.1>gutter",
        holds={"round_ends_ms": None, "scores": [2 + 8, 9]},
        settings=FINISH,
    ),
    Case(
        id="AS-60 off by default",
        lines="start, >1.1",
        holds={"round_ends_ms": 361_000, "scores": [2, 0]},
        settings=ONES,
    ),
    # AS-25
    Case(
        id="AS-25 an extra Round's end before the Grand Slam finish",
        lines="start, 361000: over, start, >1.1",
        holds={"over": True, "winner": 1, "scores": [10, 12]},
        settings=FINISH | {"rounds": 1},
    ),
    Case(
        id="AS-25 the target before the Grand Slam finish: balls in hand do not score",
        lines="start, >1.1",
        holds={"over": True, "winner": 0, "scores": [2, 0]},
        settings=FINISH | {"target": 2},
    ),
    Case(
        id="AS-25 the Grand Slam finish, then the target with balls in hand",
        lines="start, >1.1",
        holds={"over": True, "winner": 0, "scores": [2 + 9, 10]},
        settings=FINISH | {"target": 3},
    ),
    Case(
        id="AS-25 AS-61 blocking before the target, live",
        lines="start, >gutter, 361000: over, start, >1.5, >grouped, >1.1, >gutter, >gutter, >1.3 1@grouped>1.2",
        holds={"over": False, "scores": [11, 11], "turn": 1, "rows": "0.0.1 ..... ....."},
        settings={"target": 12, "live_scoring": True, "blocking": True},
    ),
    Case(
        id="AS-25 AS-61 points before blocking",
        lines="start, >gutter, 361000: over, start, >1.5, >grouped, >1.1, >gutter, >gutter, >1.3 1@grouped>1.2",
        holds={"over": True, "winner": 1, "scores": [11, 12]},
        settings={"target": 12, "blocking": True},
    ),
    Case(
        id="AS-25 AS-61 AS-13 blocking before an extra Round's end",
        lines="start, 361000: over, start, 500000: >grouped, >1.1, >gutter, >1.3 1@grouped>1.2",
        holds={"over": True, "winner": 0, "scores": [11, 11], "rows": "0.0.. ..... .....", "out": [0, 1]},
        settings={"rounds": 1, "dead_slots": ((1, 1),), "blocking": True},
    ),
    Case(
        id="AS-25 AS-42 the forfeit before the target",
        lines="start, >1.1, >1.2, >1.4, final, >3.1 0@1.4>2.1",
        holds={"over": True, "winner": 0, "scores": [6, 5], "hand": [0, 0], "out": [0, 2]},
        settings={"balls": 3, "target": 6},
    ),
    Case(
        id="AS-25 AS-42 AS-60 the forfeit before the Grand Slam finish",
        lines="start, >2.1, >2.3, final, >2.5 0@2.1>1.1",
        holds={"round_ends_ms": None, "scores": [4 + 2, 2], "hand": [0, 0], "out": [0, 1]},
        settings=FINISH | {"balls": 2},
    ),
    Case(
        id="AS-25 AS-42 the forfeit before an extra Round's end",
        lines="start, 361000: over, start, >grouped, >hand, >gutter, >hand, final, >hand 1@grouped>1.1",
        holds={"over": True, "winner": 1, "scores": [2, 3], "hand": [0, 0], "out": [2, 0]},
        settings={"rounds": 1, "balls": 2},
    ),
    Case(
        id="AS-25 AS-40 the turn before running out",
        lines="start, >gutter, >hand, >gutter",
        holds={"choice": None, "turn": 1, "hand": [0, 2]},
        settings={"balls": 2},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_format(case: Case) -> None:
    found = standing(play(case.lines, case.settings))
    assert {key: found[key] for key in case.holds} == case.holds
