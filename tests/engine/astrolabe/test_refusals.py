"""What the rules refuse, and with which code where several would fit."""

from typing import Any, NamedTuple

import pytest
from support.astrolabe import play, refusal, standing

from engine.astrolabe import (
    GAME,
    Action,
    AddTime,
    Choose,
    ConvertBall,
    FreeShot,
    Move,
    RemoveBall,
    Returned,
    RoundOver,
    Shot,
    StartRound,
    TableMoved,
    Warn,
)
from engine.astrolabe.actions import Place

CHOICE = "start, >1.1, >1.2"
TWO = {"balls": 2}
LATE = 361_001


def shot(*moves: Move, side: int = 0, t_ms: int = 9000, play_line: bool = False) -> Shot:
    return Shot(side=side, t_ms=t_ms, moves=moves, foul="play_line" if play_line else None)


def move(ball: int, from_: Place, to: Place) -> Move:
    return Move(ball=ball, from_=from_, to=to)


def tilt(*moves: Move, side: int = 0, t_ms: int = 9000) -> TableMoved:
    return TableMoved(side=side, t_ms=t_ms, moves=moves)


def choose(side: int, t_ms: int = 9000) -> Choose:
    return Choose(side=side, t_ms=t_ms, option="bank")


IN = move(0, "hand", (1, 1))
NOWHERE = move(0, "hand", (4, 1))


class Row(NamedTuple):
    id: str
    lines: str
    last: str | Action
    code: str | None
    settings: dict[str, Any] = {}  # noqa: RUF012


ROWS = [
    # worked examples
    Row("AS-20 a slot that is taken", "start, >3.1", ">3.1", "SLOT_TAKEN"),
    Row("AS-20 a slot that does not exist", "start", ">3.6", "UNKNOWN_SLOT"),
    # the common codes and their order
    Row("AS-51 match over comes first", "start, >3.1", StartRound(t_ms=0), "MATCH_OVER", {"target": 5}),
    Row("AS-70 a warning after the end", "start, >3.1", "warn 0", "MATCH_OVER", {"target": 5}),
    Row("AS-10 time runs back", "start, >1.1", shot(IN, t_ms=1999), "TIME_RUNS_BACK"),
    Row("AS-10 time runs back before no Round", "5000: warn 0", shot(IN, t_ms=4999), "TIME_RUNS_BACK"),
    Row("AS-10 time stands still", "start, >1.1", shot(move(0, "hand", "out"), t_ms=2000), None),
    Row(
        "AS-10 time runs on from Round to Round", "start, 361000: over", StartRound(t_ms=360_999), "TIME_RUNS_BACK"
    ),
    Row("AS-10 no Round: shot", "", shot(IN), "NO_ROUND"),
    Row("AS-10 no Round: side does not matter", "", shot(IN, side=1), "NO_ROUND"),
    Row("AS-34 no Round: returned", "", Returned(side=0, t_ms=0), "NO_ROUND"),
    Row("AS-35 no Round: table moved", "", tilt(), "NO_ROUND"),
    Row("AS-40 no Round: choose", "", choose(0), "NO_ROUND"),
    Row("AS-43 no Round: round over", "", RoundOver(t_ms=0), "NO_ROUND"),
    Row("AS-70 no Round: add time", "", AddTime(t_ms=0, ms=1), "NO_ROUND"),
    Row("AS-37 no Round: free shot", "", FreeShot(t_ms=0, side=0), "NO_ROUND"),
    Row("AS-70 no Round: remove ball", "", RemoveBall(t_ms=0, ball=0, from_="hand"), "NO_ROUND"),
    Row("AS-64 no Round: convert", "", ConvertBall(t_ms=0, slot=(9, 9), ball=0), "NO_ROUND"),
    Row("AS-10 no Round between two", "start, 361000: over", shot(IN, t_ms=361_000), "NO_ROUND"),
    Row("AS-70 a warning needs no Round", "", Warn(t_ms=0, side=1), None),
    Row("AS-12 the other side's turn", "start", shot(IN, side=1), "WRONG_SIDE"),
    Row("AS-12 wrong side before all of its own", "start", shot(side=1, t_ms=LATE), "WRONG_SIDE"),
    Row("AS-40 the wrong one chooses", CHOICE, choose(0), "WRONG_SIDE", TWO),
    Row("AS-40 no choice, but the wrong side", "start", choose(1), "WRONG_SIDE"),
    Row("AS-40 no choice, on turn", "start", choose(0), "NO_CHOICE"),
    Row("AS-40 no second choice", f"{CHOICE}, final", choose(1), "NO_CHOICE", TWO),
    # start_round, round_over
    Row("AS-11 a Round runs", "start", "start", "ROUND_RUNNING"),
    Row("AS-11 a Round runs though its time is up", "start", "400000: start", "ROUND_RUNNING"),
    Row("AS-43 the Round runs on", "start", "360999: over", "ROUND_RUNNING_ON"),
    Row("AS-43 at its very end", "start", "361000: over", None),
    Row("AS-43 AS-70 with time added", "start, time +1", "361999: over", "ROUND_RUNNING_ON"),
    # shot
    Row("AS-12 shot after time is up", "start", shot(IN, t_ms=LATE), "TIME_UP"),
    Row("AS-12 time up before choice pending", CHOICE, shot(side=1, t_ms=LATE), "TIME_UP", TWO),
    Row("AS-12 time up before bad move", "start", shot(t_ms=LATE), "TIME_UP"),
    Row("AS-40 choice pending", CHOICE, shot(side=1), "CHOICE_PENDING", TWO),
    Row("AS-40 choice pending, the side that ran out", CHOICE, shot(IN), "WRONG_SIDE", TWO),
    Row("AS-32 no moves", "start", shot(), "BAD_MOVE"),
    Row("AS-32 the first ball is the other's", "start", shot(move(1, "hand", (1, 1))), "BAD_MOVE"),
    Row(
        "AS-32 the first ball is not from hand",
        "start, >grouped, >hand",
        shot(move(0, "grouped", (1, 1))),
        "BAD_MOVE",
    ),
    Row("AS-32 two balls from hand", "start", shot(IN, move(0, "hand", (1, 2))), "BAD_MOVE"),
    Row("AS-30 a ball from the gutter", "start", shot(IN, move(0, "gutter", (1, 2))), "BAD_MOVE"),
    Row("AS-32 a ball from out", "start", shot(IN, move(1, "out", (1, 2))), "BAD_MOVE"),
    Row("AS-32 bad move before unknown slot", "start", shot(NOWHERE, move(1, "out", (1, 2))), "BAD_MOVE"),
    Row("AS-20 to position 4", "start", shot(NOWHERE), "UNKNOWN_SLOT"),
    Row("AS-20 to slot 0", "start", shot(move(0, "hand", (1, 0))), "UNKNOWN_SLOT"),
    Row("AS-20 to position 0", "start", shot(move(0, "hand", (0, 1))), "UNKNOWN_SLOT"),
    Row("AS-20 to a slot below 0", "start", shot(move(0, "hand", (1, -1))), "UNKNOWN_SLOT"),
    Row("AS-20 from a slot that is not there", "start", shot(IN, move(0, (1, 6), "out")), "UNKNOWN_SLOT"),
    Row("AS-31 void, still no such slot", "start", shot(NOWHERE, play_line=True), "UNKNOWN_SLOT"),
    Row("AS-20 unknown slot before no such ball", "start", shot(NOWHERE, move(1, (1, 1), "out")), "UNKNOWN_SLOT"),
    Row("AS-33 nothing is grouped", "start", shot(IN, move(1, "grouped", "hand")), "NO_SUCH_BALL"),
    Row(
        "AS-33 the grouped ball is the other's",
        "start, >hand, >grouped",
        shot(IN, move(0, "grouped", "hand")),
        "NO_SUCH_BALL",
    ),
    Row(
        "AS-33 one is grouped, not two",
        "start, >hand, >grouped",
        shot(IN, move(1, "grouped", "hand"), move(1, "grouped", "out")),
        "NO_SUCH_BALL",
    ),
    Row("AS-20 an empty slot", "start", shot(IN, move(0, (1, 2), "out")), "NO_SUCH_BALL"),
    Row("AS-20 the other's ball lies there", "start, >1.2", shot(IN, move(1, (1, 2), "out")), "NO_SUCH_BALL"),
    Row(
        "AS-20 one ball moved twice",
        "start, >1.2",
        shot(IN, move(0, (1, 2), "out"), move(0, (1, 2), "gutter")),
        "NO_SUCH_BALL",
    ),
    Row(
        "AS-20 no such ball before slot taken",
        "start, >1.1",
        shot(IN, move(1, "grouped", "hand")),
        "NO_SUCH_BALL",
    ),
    Row("AS-20 two into one slot", "start, >1.2", shot(IN, move(0, (1, 2), (1, 1))), "SLOT_TAKEN"),
    Row("AS-20 into the slot of a ball that moves away", "start, >1.1", shot(IN, move(0, (1, 1), "out")), None),
    Row(
        "AS-20 into the slot of a ball that stays", "start, >1.1", shot(IN, move(0, (1, 1), (1, 1))), "SLOT_TAKEN"
    ),
    Row("AS-31 void: its slot is not taken by it", "start, >1.1", shot(IN, play_line=True), None),
    Row(
        "AS-31 void: another ball's slot may be",
        "start, >1.1, >1.2",
        shot(move(0, "hand", (2, 1)), move(0, (1, 1), (1, 2)), play_line=True),
        "SLOT_TAKEN",
    ),
    # returned, table_moved
    Row("AS-34 returned after time is up", "start", Returned(side=0, t_ms=LATE), "TIME_UP"),
    Row("AS-34 none is grouped", "start", "back 0", "NO_SUCH_BALL"),
    Row("AS-34 the other's is grouped", "start, >grouped", "back 1", "NO_SUCH_BALL"),
    Row("AS-35 table moved after time is up", "start", tilt(t_ms=LATE), "TIME_UP"),
    Row("AS-35 from hand", "start", tilt(move(0, "hand", "out")), "BAD_MOVE"),
    Row("AS-35 its ball not out", "start, >1.1", tilt(move(0, (1, 1), "hand")), "BAD_MOVE"),
    Row("AS-35 the other's not to hand", "start, >1.1", tilt(move(0, (1, 1), "out"), side=1), "BAD_MOVE"),
    Row("AS-35 the other's not to another slot", "start, >1.1", tilt(move(0, (1, 1), (1, 1)), side=1), "BAD_MOVE"),
    Row(
        "AS-35 bad move before unknown slot",
        "start",
        tilt(move(0, (7, 7), "out"), move(1, "gutter", "hand")),
        "BAD_MOVE",
    ),
    Row("AS-35 no such slot", "start", tilt(move(0, (1, 7), "out")), "UNKNOWN_SLOT"),
    Row("AS-35 no such ball", "start", tilt(move(1, (1, 1), "hand")), "NO_SUCH_BALL"),
    Row(
        "AS-42 AS-35 in a Final Sequence it still says hand",
        f"{CHOICE}, final",
        tilt(move(0, (1, 1), "out"), side=1),
        "BAD_MOVE",
        TWO,
    ),
    # choose
    Row("AS-41 choose after time is up", CHOICE, choose(1, LATE), "TIME_UP", TWO),
    Row("AS-41 time up before no choice", "start", choose(0, LATE), "TIME_UP"),
    # umpire
    Row("AS-37 a free shot while a choice is open", CHOICE, "free 0", "CHOICE_PENDING", TWO),
    Row("AS-37 a free shot in a Final Sequence", f"{CHOICE}, final", "free 0", "FINAL_SEQUENCE", TWO),
    Row("AS-37 a free shot after time is up", "start", FreeShot(t_ms=LATE, side=1), None),
    Row("AS-70 remove from no slot", "start", "remove 0@1.6", "UNKNOWN_SLOT"),
    Row("AS-70 remove from an empty slot", "start", "remove 0@1.1", "NO_SUCH_BALL"),
    Row("AS-70 remove the other's", "start, >1.1", "remove 1@1.1", "NO_SUCH_BALL"),
    Row("AS-70 remove from an empty gutter", "start", "remove 1@gutter", "NO_SUCH_BALL"),
    Row("AS-70 remove after time is up", "start", RemoveBall(t_ms=LATE, ball=0, from_="hand"), None),
    Row("AS-64 conversion is off", "start", "convert 9.9 1", "CONVERSION_OFF"),
    Row("AS-64 no such slot", "start", "convert 9.9 1", "UNKNOWN_SLOT", {"ball_conversion": True}),
    Row("AS-64 nothing there", "start", "convert 1.1 1", "NO_SUCH_BALL", {"ball_conversion": True}),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_refused(row: Row) -> None:
    assert refusal(row.lines, row.last, row.settings) == row.code


def test_checking_leaves_the_state_as_it_was() -> None:
    state = play("start, >1.1")
    before = standing(state)
    assert GAME.check(state, shot(IN)) == "SLOT_TAKEN"
    assert standing(state) == before
