"""Rounds, turns and where balls go."""

import pytest
from support.astrolabe import Case, after, play, standing

from engine.astrolabe import GAME, Move, TableMoved

LEFT_GROUPED = "start, >hand, >grouped"
"""A ball of side 1 lies grouped, side 0 is on turn."""
ONE_ROUND = {"rounds": 1, "balls": 2}
EVEN = "start, 361000: over"
"""With one Round: two totals alike."""

CASES = [
    # worked examples
    Case(
        id="AS-11 AS-30 AS-43 second Round",
        lines="start, >gutter, 361000: over, 400000: start",
        holds={
            "turn": 1,
            "scores": [9, 10],
            "hand": [10, 10],
            "gutter": [0, 0],
            "round": 2,
            "round_ends_ms": 760_000,
        },
    ),
    Case(
        id="AS-13 an opponent's ball that a shot knocks in decides",
        lines="start, >gutter, >gutter, start, >grouped, >gutter 1@grouped>1.1",
        holds={"over": True, "winner": 1, "scores": [0, 1], "games": [0, 1], "turn": None, "gutter": [1, 0]},
        settings={"rounds": 1, "balls": 1},
    ),
    Case(
        id="AS-13 AS-41 a bank in an extra Round scores nothing",
        lines="start, >gutter, >gutter, >gutter, >gutter, start, >gutter, >hand, >gutter, >hand, bank",
        holds={"over": False, "turn": None, "scores": [0, 0], "hand": [0, 0], "out": [2, 0], "gutter": [0, 2]},
        settings=ONE_ROUND,
    ),
    Case(
        id="AS-34 a grouped ball comes back",
        lines="start, >grouped, back 0",
        holds={"turn": 1, "hand": [10, 10], "grouped": [0, 0]},
    ),
    Case(
        id="AS-36 an opponent's ball in the gutter is no foul",
        lines=f"{LEFT_GROUPED}, >1.1 1@grouped>gutter",
        holds={"turn": 0, "scores": [1, 0], "gutter": [0, 1]},
    ),
    Case(
        id="AS-37 touched a moving ball, then interference",
        lines="start, >3.1 !touched_moving_ball, >3.1 !interference",
        holds={"turn": 0, "scores": [0, 0], "out": [1, 1], "rows": "..... ..... ....."},
    ),
    # AS-01, AS-10 to AS-12
    Case(
        id="AS-01 before the first Round",
        lines="",
        holds={"turn": None, "round": 0, "game": 1, "hand": [10, 10], "round_ends_ms": None, "scores": [0, 0]},
    ),
    Case(id="AS-10 six minutes", lines="7000: start", holds={"round_ends_ms": 367_000, "round": 1}),
    Case(id="AS-11 the right begins the Game", lines="start", holds={"turn": 0}),
    Case(id="AS-11 the left begins Round 2", lines=f"{EVEN}, start", holds={"turn": 1, "round": 2}),
    Case(
        id="AS-11 AS-13 extra Rounds are counted on",
        lines=f"{EVEN}, start, 542000: over, start",
        holds={"turn": 0, "round": 3, "round_ends_ms": 543_000 + 180_000},
        settings={"rounds": 1},
    ),
    Case(
        id="AS-11 a Round begins with all balls in hand and no choice left",
        lines="start, >1.1, 361000: over, start",
        holds={"hand": [2, 2], "rows": "..... ..... .....", "choice": None, "turn": 1},
        settings={"balls": 2},
    ),
    Case(id="AS-12 a score goes on", lines="start, >1.1, >1.3", holds={"turn": 0}),
    Case(id="AS-12 no score ends the turn", lines="start, >1.1, >gutter", holds={"turn": 1}),
    Case(
        id="AS-12 a knock that earns goes on, whatever the ball did",
        lines="start, >1.1, >gutter 0@1.1>2.1",
        holds={"turn": 0, "scores": [3, 0]},
    ),
    Case(
        id="AS-12 AS-33 its own ball grouped ends the turn though it earned",
        lines="start, >1.1, >grouped 0@1.1>2.1",
        holds={"turn": 1, "scores": [3, 0], "grouped": [1, 0]},
    ),
    Case(
        id="AS-12 another ball of its side grouped does not",
        lines="start, >1.1, >2.1 0@1.1>grouped",
        holds={"turn": 0, "scores": [3, 0], "grouped": [1, 0]},
    ),
    Case(id="AS-12 released at the very end counts", lines="start, 361000: >1.1", holds={"scores": [1, 0]}),
    # AS-13
    Case(
        id="AS-13 the higher total wins",
        lines="start, >gutter, 361000: over, start, 722000: over",
        holds={"over": True, "winner": 1, "scores": [19, 20], "games": [0, 1]},
    ),
    Case(
        id="AS-13 equal: an extra Round of three minutes",
        lines=f"{EVEN}, start",
        holds={"over": False, "round_ends_ms": 362_000 + 180_000, "round": 2},
        settings={"rounds": 1},
    ),
    Case(
        id="AS-13 the first to score wins at once",
        lines=f"{EVEN}, start, >1.1",
        holds={"over": True, "winner": 1, "scores": [10, 11], "hand": [10, 9]},
        settings={"rounds": 1},
    ),
    Case(
        id="AS-13 balls left in hand score nothing there",
        lines=f"{EVEN}, start, >gutter, 542000: over",
        holds={"over": False, "scores": [10, 10], "turn": None},
        settings={"rounds": 1},
    ),
    Case(
        id="AS-13 both earn: the shooter wins, though with the lower total",
        lines=f"{EVEN}, start, >grouped, >1.1 1@grouped>3.1",
        holds={"over": True, "winner": 0, "scores": [11, 15]},
        settings={"rounds": 1},
    ),
    Case(
        id="AS-13 AS-31 a void shot decides nothing",
        lines=f"{EVEN}, start, >grouped, >1.1 1@grouped>3.1 !play_line",
        holds={"over": False, "scores": [10, 10], "turn": 1},
        settings={"rounds": 1},
    ),
    Case(
        id="AS-13 AS-63 a ball in a dead slot decides nothing",
        lines=f"{EVEN}, start, 500000: >3.1",
        holds={"over": False, "scores": [10, 10], "turn": 0},
        settings={"rounds": 1, "dead_slots": ((3, 1),)},
    ),
    Case(
        id="AS-13 AS-42 points of a Final Sequence decide too",
        lines=f"{EVEN}, start, >gutter, >hand, >gutter, >hand, final, >1.1",
        holds={"over": True, "winner": 0, "scores": [3, 2]},
        settings=ONE_ROUND,
    ),
    # AS-30 to AS-34
    Case(id="AS-30 gutter", lines="start, >gutter", holds={"gutter": [1, 0], "hand": [9, 10], "turn": 1}),
    Case(
        id="AS-31 void: the ball goes out whatever it did",
        lines="start, >3.1 !play_line",
        holds={"out": [1, 0], "scores": [0, 0], "turn": 1, "rows": "..... ..... ....."},
    ),
    Case(
        id="AS-31 void: the other balls still move, nobody scores",
        lines=f"{LEFT_GROUPED}, >gutter 1@grouped>3.1 !play_line",
        holds={"out": [1, 0], "gutter": [0, 0], "scores": [0, 0], "turn": 1, "rows": "..... ..... 1...."},
    ),
    Case(
        id="AS-31 void: its slot is free for another",
        lines="start, >3.2, >3.1 0@3.2>3.1 !play_line",
        holds={"rows": "..... ..... 0....", "out": [1, 0], "scores": [5, 0], "turn": 1},
    ),
    Case(id="AS-32 returned", lines="start, >hand", holds={"hand": [10, 10], "turn": 1}),
    Case(id="AS-32 off the table", lines="start, >out", holds={"out": [1, 0], "turn": 1}),
    Case(id="AS-33 grouped ends the turn", lines="start, >grouped", holds={"grouped": [1, 0], "turn": 1}),
    Case(
        id="AS-34 struck back to hand, its owner's",
        lines=f"{LEFT_GROUPED}, >1.1 1@grouped>hand",
        holds={"hand": [9, 10], "grouped": [0, 0], "turn": 0, "scores": [1, 0]},
    ),
    Case(
        id="AS-34 comes back in the other's turn and changes none",
        lines=f"{LEFT_GROUPED}, back 1",
        holds={"hand": [10, 10], "turn": 0},
    ),
    # AS-35
    Case(
        id="AS-35 its balls out, the other's in hand, its turn ends",
        lines="start, >1.1, >gutter, >1.2, >gutter, tilt 0 0@1.1 1@1.2",
        holds={"out": [1, 0], "hand": [8, 9], "turn": 1, "scores": [1, 1], "rows": "..... ..... ....."},
    ),
    Case(
        id="AS-35 in the other's turn",
        lines="start, >1.1, tilt 1 0@1.1",
        holds={"hand": [10, 10], "turn": 0, "scores": [1, 0]},
    ),
    Case(id="AS-35 no ball moved, the turn ends all the same", lines="start, tilt 0", holds={"turn": 1}),
    # AS-36
    Case(
        id="AS-36 keeps what its own earned, the other scores and has the turn",
        lines=f"{LEFT_GROUPED}, >2.1 1@grouped>3.1",
        holds={"scores": [2, 5], "turn": 1},
    ),
    Case(
        id="AS-36 from one slot to another",
        lines="start, >gutter, >3.1, >gutter, >2.1 1@3.1>1.1",
        holds={"scores": [2, 6], "turn": 1},
    ),
    Case(
        id="AS-36 from one slot to another of no more worth",
        lines="start, >gutter, >1.1, >gutter, >2.1 1@1.1>1.3",
        holds={"scores": [2, 1], "turn": 1},
    ),
    Case(
        id="AS-36 AS-63 into a dead slot",
        lines="start, >hand, >grouped, 300000: >2.1 1@grouped>3.1",
        holds={"scores": [2, 0], "turn": 1},
        settings={"dead_slots": ((3, 1),)},
    ),
    Case(
        id="AS-36 named, but not moved",
        lines="start, >gutter, >3.1, >gutter, >2.1 1@3.1>3.1",
        holds={"scores": [2, 5], "turn": 0},
    ),
    Case(
        id="AS-36 merely returned, but the shot did not score",
        lines=f"{LEFT_GROUPED}, >gutter 1@grouped>hand",
        holds={"turn": 1, "hand": [9, 10]},
    ),
    Case(
        id="AS-36 grouped or off the table is no foul",
        lines="start, >gutter, >1.1, >1.2, >gutter, >3.1 1@1.1>grouped 1@1.2>out",
        holds={"turn": 0, "scores": [5, 3], "grouped": [0, 1], "out": [0, 1]},
    ),
    # AS-37, AS-70
    Case(id="AS-37 AS-70 a free shot gives the turn", lines="start, free 1", holds={"turn": 1}),
    Case(id="AS-37 a free shot for the side on turn", lines="start, free 0", holds={"turn": 0}),
    Case(
        id="AS-70 a warning changes nothing, with or without a Round",
        lines="warn 1, start, warn 0",
        holds={"turn": 0, "scores": [0, 0], "hand": [10, 10]},
    ),
    Case(id="AS-70 time added", lines="start, time +1.5", holds={"round_ends_ms": 362_500}),
    Case(id="AS-70 time removed", lines="start, time -60", holds={"round_ends_ms": 301_000}),
    Case(
        id="AS-70 time added after time was up",
        lines="start, 361500: time +20, >1.1",
        holds={"round_ends_ms": 381_000, "scores": [1, 0]},
    ),
    Case(
        id="AS-70 time removed below what has passed: the Round runs until it is over",
        lines="start, 200000: time -300, over",
        holds={"turn": None, "scores": [10, 10]},
    ),
    Case(
        id="AS-70 balls removed from everywhere",
        lines="start, >1.1, >grouped, >gutter, remove 0@1.1, remove 0@grouped, "
        "remove 1@gutter, remove 1@hand, remove 1@out",
        holds={"out": [2, 2], "hand": [8, 8], "grouped": [0, 0], "gutter": [0, 0], "scores": [1, 0], "turn": 0},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_course(case: Case) -> None:
    found = standing(play(case.lines, case.settings))
    assert {key: found[key] for key in case.holds} == case.holds


def test_three_balls_go_round_in_a_ring() -> None:
    state = play("start, >1.1, >1.2, >1.3, >gutter 0@1.1>1.2 0@1.2>1.3 0@1.3>1.1")
    assert (standing(state)["rows"], GAME.scores(state), state.turn) == ("000.. ..... .....", (5, 0), 1)


def test_both_grouped_balls_of_a_side_come_back_when_the_other_moves_the_table() -> None:
    state = play("start, >grouped, >hand, >grouped, >hand")
    moves = (Move(ball=0, from_="grouped", to="hand"),) * 2
    found = standing(after(state, TableMoved(side=1, t_ms=9000, moves=moves)))
    assert (found["hand"], found["grouped"], found["turn"]) == ([10, 10], [0, 0], 0)
