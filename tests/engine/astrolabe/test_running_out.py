"""Running out of balls: the choice, Bank, the Final Sequence, balls in hand at the end of a Round."""

import pytest
from support.astrolabe import Case, play, standing

TWO = {"balls": 2}
RAN_OUT = "start, >1.1, >1.2"
"""With two balls: side 0 has none left, side 1 chooses and has two."""
GAVE_BACK = "start, >grouped, >hand, >1.1, back 0"
"""With two balls: side 1 chooses and has two; the grouped ball of side 0 has come back meanwhile."""
FREE_ENDS = {"choice": None, "final_sequence": None, "round_ends_ms": None, "turn": None}

CASES = [
    # worked examples
    Case(
        id="AS-40 a return changes nothing",
        lines=GAVE_BACK,
        holds={"choice": 1, "turn": 1, "hand": [1, 2], "scores": [1, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-42 a foul forfeits",
        lines="start, >1.1, >1.2, >1.4, final, >3.1 0@1.4>2.1",
        holds=FREE_ENDS | {"scores": [6, 5], "hand": [0, 0], "out": [0, 2], "rows": "00... 0.... 1...."},
        settings={"balls": 3},
    ),
    Case(
        id="AS-42 AS-35 the table moved by the other side",
        lines=f"{RAN_OUT}, final, tilt 0 0@1.2",
        holds={"turn": 1, "scores": [3, 0], "hand": [0, 2], "out": [1, 0], "final_sequence": 1},
        settings=TWO,
    ),
    # AS-40
    Case(
        id="AS-40 in mid-turn, though the shot scored",
        lines=RAN_OUT,
        holds={"choice": 1, "turn": 1, "scores": [3, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-40 the last ball misses: the other just has the turn",
        lines="start, >1.1, >gutter",
        holds={"choice": None, "turn": 1, "hand": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-40 the turn comes to a side without balls",
        lines="start, >1.1, >gutter, >hand",
        holds={"choice": 1, "turn": 1, "hand": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-40 a ball back in time saves the turn",
        lines="start, >1.1, >grouped, back 0, >hand",
        holds={"choice": None, "turn": 0, "hand": [1, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-35 moving the table passes the turn to a side without balls",
        lines="start, >1.1, >gutter, tilt 1",
        holds={"choice": 1, "turn": 1},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-37 a free shot for a side without balls",
        lines="start, >1.1, >gutter, free 0",
        holds={"choice": 1, "turn": 1},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-70 the last ball removed",
        lines="start, remove 0@hand",
        holds={"choice": 1, "turn": 1},
        settings={"balls": 1},
    ),
    Case(
        id="AS-40 AS-70 the last ball of the side not on turn removed",
        lines="start, remove 1@hand",
        holds={"choice": None, "turn": 0},
        settings={"balls": 1},
    ),
    Case(
        id="AS-40 neither has a ball: the Round ends",
        lines="start, >gutter, >1.1",
        holds=FREE_ENDS | {"scores": [0, 1], "round": 1},
        settings={"balls": 1},
    ),
    Case(
        id="AS-40 AS-70 the chooser's last ball removed: neither has one",
        lines=f"{RAN_OUT}, remove 1@hand, remove 1@hand",
        holds=FREE_ENDS | {"scores": [3, 0], "out": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-70 the chooser's last ball removed, the other got one back: the choice stays",
        lines=f"{GAVE_BACK}, remove 1@hand, remove 1@hand",
        holds={"choice": 1, "turn": 1, "hand": [1, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-42 then a Final Sequence has nothing to play",
        lines=f"{GAVE_BACK}, remove 1@hand, remove 1@hand, final",
        holds=FREE_ENDS | {"scores": [2, 0], "hand": [1, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-35 the chooser moves the table: the choice stays",
        lines=f"{RAN_OUT}, tilt 1 0@1.1",
        holds={"choice": 1, "turn": 1, "hand": [1, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-35 the other moves the table: the choice stays",
        lines=f"{RAN_OUT}, tilt 0 0@1.1",
        holds={"choice": 1, "turn": 1, "hand": [0, 2], "out": [1, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-40 AS-70 a warning while the choice is open",
        lines=f"{RAN_OUT}, warn 1, time +1",
        holds={"choice": 1, "turn": 1},
        settings=TWO,
    ),
    # AS-41
    Case(
        id="AS-41 Bank: a point a ball, the balls are spent, the Round ends",
        lines=f"{RAN_OUT}, bank",
        holds=FREE_ENDS | {"scores": [3, 2], "hand": [0, 0], "out": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-41 AS-43 after it nobody's balls in hand score",
        lines=f"{GAVE_BACK}, bank",
        holds=FREE_ENDS | {"scores": [1, 2], "hand": [1, 0], "out": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-41 AS-24 live: what lies there and what is banked",
        lines=f"{RAN_OUT}, bank",
        holds={"scores": [3, 2], "round_ends_ms": None},
        settings=TWO | {"live_scoring": True},
    ),
    # AS-42
    Case(
        id="AS-42 the choice made",
        lines=f"{RAN_OUT}, final",
        holds={"final_sequence": 1, "choice": None, "turn": 1, "hand": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-42 hit or miss",
        lines=f"{RAN_OUT}, final, >gutter",
        holds={"final_sequence": 1, "turn": 1, "hand": [0, 1]},
        settings=TWO,
    ),
    Case(
        id="AS-42 grouped goes on too",
        lines=f"{RAN_OUT}, final, >grouped",
        holds={"final_sequence": 1, "turn": 1, "grouped": [0, 1]},
        settings=TWO,
    ),
    Case(
        id="AS-42 each played once: the Round ends",
        lines=f"{RAN_OUT}, final, >gutter, >3.1",
        holds=FREE_ENDS | {"scores": [3, 5], "hand": [0, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-42 what returns is discarded",
        lines=f"{RAN_OUT}, final, >hand 0@1.1>hand",
        holds={"final_sequence": 1, "hand": [0, 1], "out": [1, 1]},
        settings=TWO,
    ),
    Case(
        id="AS-42 the last one returns",
        lines=f"{RAN_OUT}, final, >gutter, >hand",
        holds=FREE_ENDS | {"scores": [3, 0], "hand": [0, 0], "out": [0, 1]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-34 a grouped ball that comes back is discarded",
        lines="start, >grouped, >hand, >1.1, final, back 0",
        holds={"final_sequence": 1, "hand": [0, 2], "out": [1, 0], "grouped": [0, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-35 the player's balls come back by the other: discarded",
        lines=f"{RAN_OUT}, final, >3.1, tilt 0 1@3.1",
        holds={"final_sequence": 1, "turn": 1, "hand": [0, 1], "out": [0, 1], "scores": [3, 5]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-35 the player moves the table: forfeited",
        lines=f"{RAN_OUT}, final, tilt 1 0@1.1",
        holds=FREE_ENDS | {"scores": [3, 0], "hand": [0, 0], "out": [1, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-31 a void shot: forfeited",
        lines=f"{RAN_OUT}, final, >3.1 !play_line",
        holds=FREE_ENDS | {"scores": [3, 0], "hand": [0, 0], "out": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-37 interference: forfeited",
        lines=f"{RAN_OUT}, final, >3.1 !interference",
        holds=FREE_ENDS | {"scores": [3, 0], "hand": [0, 0], "out": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-43 a foul forfeits the player's balls, not one of the other's",
        lines=f"{GAVE_BACK}, final, >3.1 !play_line",
        holds=FREE_ENDS | {"scores": [2, 0], "hand": [1, 0], "out": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-36 a knock into a dead slot is a foul",
        lines="start, >1.1, >1.2, 300000: final, >gutter 0@1.1>3.1",
        holds=FREE_ENDS | {"scores": [3, 0], "out": [0, 1], "rows": ".0... ..... 0...."},
        settings=TWO | {"dead_slots": ((3, 1),)},
    ),
    Case(
        id="AS-42 both sides score from balls knocked into slots",
        lines="start, >1.1, >gutter, >grouped, final, >3.1 1@grouped>2.1 0@1.1>2.3",
        holds=FREE_ENDS | {"scores": [3, 7], "rows": "..... 1.0.. 1....", "out": [0, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-43 time is up: unplayed balls score",
        lines=f"{RAN_OUT}, final, >3.1, 361000: over",
        holds=FREE_ENDS | {"scores": [3, 6], "hand": [0, 1]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-43 the other's ball that was back before scores",
        lines=f"{GAVE_BACK}, final, >gutter, >gutter",
        holds=FREE_ENDS | {"scores": [2, 0], "hand": [1, 0]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-70 the last ball to play is removed",
        lines=f"{RAN_OUT}, final, >3.1, remove 1@hand",
        holds=FREE_ENDS | {"scores": [3, 5], "out": [0, 1]},
        settings=TWO,
    ),
    Case(
        id="AS-42 AS-61 blocking in a Final Sequence",
        lines="start, >3.1, >1.2, final, >1.1, >1.3",
        holds=FREE_ENDS | {"scores": [6, 2], "out": [1, 0], "rows": "1.1.. ..... 0...."},
        settings=TWO | {"blocking": True},
    ),
    # AS-43
    Case(
        id="AS-43 a point for each ball in hand, none for grouped",
        lines="start, >grouped, >gutter, 361000: over",
        holds={"scores": [9, 9], "hand": [9, 9], "grouped": [1, 0], "turn": None},
    ),
    Case(
        id="AS-43 with a choice open",
        lines=f"{RAN_OUT}, 361000: over",
        holds=FREE_ENDS | {"scores": [3, 2], "hand": [0, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-43 with a choice open and a ball back, both",
        lines=f"{GAVE_BACK}, 361000: over",
        holds=FREE_ENDS | {"scores": [2, 2]},
        settings=TWO,
    ),
    Case(
        id="AS-43 AS-24 live: beside what lies there",
        lines="start, >3.1, 361000: over",
        holds={"scores": [14, 10]},
        settings={"live_scoring": True},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_running_out(case: Case) -> None:
    found = standing(play(case.lines, case.settings))
    assert {key: found[key] for key in case.holds} == case.holds
