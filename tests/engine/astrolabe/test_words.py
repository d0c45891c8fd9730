"""Astrolabe for people: lines that are typed and shown, and the sentences of a scoreboard."""

from typing import Any, NamedTuple

import pytest
from support.astrolabe import action, play

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
from engine.forms import NotationError

TWO = {"balls": 2}
RAN_OUT = "start, >1.1, >1.2"
GAVE_BACK = "start, >grouped, >hand, >1.1, back 0"

INTO_SLOT = Move(ball=0, from_="hand", to=(3, 1))
KNOCK = Move(ball=1, from_=(1, 2), to="gutter")

LINES: dict[str, Action] = {
    "start": StartRound(t_ms=7),
    "over": RoundOver(t_ms=7),
    ">3.1": Shot(side=0, t_ms=7, moves=(INTO_SLOT,)),
    ">3.1 1@1.2>gutter": Shot(side=0, t_ms=7, moves=(INTO_SLOT, KNOCK)),
    ">hand !play_line": Shot(side=0, t_ms=7, moves=(Move(ball=0, from_="hand", to="hand"),), foul="play_line"),
    "back 1": Returned(side=1, t_ms=7),
    "tilt 0": TableMoved(side=0, t_ms=7, moves=()),
    "tilt 1 1@grouped 0@2.5": TableMoved(
        side=1, t_ms=7, moves=(Move(ball=1, from_="grouped", to="out"), Move(ball=0, from_=(2, 5), to="hand"))
    ),
    "bank": Choose(side=0, t_ms=7, option="bank"),
    "final": Choose(side=0, t_ms=7, option="final_sequence"),
    "warn 0": Warn(t_ms=7, side=0),
    "time +20s": AddTime(t_ms=7, ms=20_000),
    "time -1.5s": AddTime(t_ms=7, ms=-1500),
    "time +0.007s": AddTime(t_ms=7, ms=7),
    "free 1": FreeShot(t_ms=7, side=1),
    "remove 0@hand": RemoveBall(t_ms=7, ball=0, from_="hand"),
    "remove 1@3.12": RemoveBall(t_ms=7, ball=1, from_=(3, 12)),
    "convert 2.1 1": ConvertBall(t_ms=7, slot=(2, 1), ball=1),
}


@pytest.mark.parametrize(("line", "meant"), LINES.items(), ids=LINES)
def test_line_reads_and_writes_the_same(line: str, meant: Action) -> None:
    assert GAME.notation(meant) == line
    assert GAME.read_notation(play("start"), line, 7) == (meant,)


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ((), "> !interference"),
        ((KNOCK,), "> 1@1.2>gutter !interference"),
        ((Move(ball=1, from_="hand", to="hand"), KNOCK), "> 1@hand>hand 1@1.2>gutter !interference"),
    ],
    ids=["no moves", "no ball from hand", "the other side's ball"],
)
def test_a_shot_that_is_refused_for_its_moves_has_a_line_too(moves: tuple[Move, ...], line: str) -> None:
    assert GAME.notation(Shot(side=0, t_ms=7, moves=moves, foul="interference")) == line


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (">gr", ">grouped"),
        (">gu 1@h>o !p", ">gutter 1@hand>out !play_line"),
        (" >3.1  !I ", ">3.1 !interference"),
        (">H !touch", ">hand !touched_moving_ball"),
        ("S", "start"),
        ("fi", "final"),
        ("time 20", "time +20s"),
        ("time -0.5", "time -0.5s"),
        ("rem 0@GU", "remove 0@gutter"),
    ],
)
def test_words_may_be_cut_short(typed: str, line: str) -> None:
    (read,) = GAME.read_notation(play("start"), typed, 7)
    assert GAME.notation(read) == line


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "takes|a shot into position 3"),
        ("3.1", "a shot into position 3"),
        ("ba", "a shot into position 3"),
        ("start 1", "'start' takes nothing"),
        ("back", "'back' takes one word"),
        ("convert 1.1", "'convert' takes two words"),
        ("tilt", "takes the side that moved the table"),
        ("tilt 2", "'2' is no side"),
        ("back 0.5", "'0.5' is no side"),
        (">", "'' is no place"),
        (">g", "'g' is no place"),
        (">3", "'3' is no place"),
        (">3.1 1@1.2", "is no move"),
        (">3.1 1.2>hand", "is no ball"),
        (">3.1 !foul", "is not clear"),
        (">3.1 !", "is not clear"),
        (">3.1 !p !i", "one foul at most"),
        ("convert hand 0", "'hand' is no slot"),
        ("time soon", "is no time"),
        ("time 1.2345", "is no time"),
        ("remove 1", "is no ball"),
    ],
)
def test_a_line_that_is_none_says_why(typed: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        GAME.read_notation(play("start"), typed, 7)


def test_a_shot_belongs_to_the_side_on_turn() -> None:
    state = play("start, >gutter")
    shot = Shot(side=1, t_ms=9, moves=(Move(ball=1, from_="hand", to=(1, 1)),))
    assert GAME.read_notation(state, ">1.1", 9) == (shot,)


class Shown(NamedTuple):
    lines: str
    line: str
    settings: dict[str, Any] = {}  # noqa: RUF012


STATES = [
    Shown("", "0:0 | round 0 - | ..... ..... ..... | hand 10:10 grouped 0:0 gutter 0:0 out 0:0"),
    Shown("start, >3.1", "5:0 | round 1 >0 | ..... ..... 0.... | hand 9:10 grouped 0:0 gutter 0:0 out 0:0"),
    Shown(
        RAN_OUT,
        "3:0 | round 1 >1 bank or final? | 00... ..... ..... | hand 0:2 grouped 0:0 gutter 0:0 out 0:0",
        TWO,
    ),
    Shown(
        f"{RAN_OUT}, final, >gutter",
        "3:0 | round 1 >1 final | 00... ..... ..... | hand 0:1 grouped 0:0 gutter 0:1 out 0:0",
        TWO,
    ),
    Shown(
        "start, 300000: >3.1, >grouped",
        "0:0 | round 1 >0 | ..... ..... 0*.... | hand 9:9 grouped 0:1 gutter 0:0 out 0:0",
        {"dead_slots": ((3, 1),)},
    ),
    Shown(
        "start, >1.1, start, >2.1",
        "4:0 | game 2 2:0 | round 1 over | . 0 . | hand 9:10 grouped 0:0 gutter 0:0 out 0:0",
        {"target": 2, "best_of": 3, "slots": (1, 1, 1)},
    ),
]


@pytest.mark.parametrize("shown", STATES, ids=lambda shown: shown.lines)
def test_state_in_one_line(shown: Shown) -> None:
    state = play(shown.lines, shown.settings)
    assert GAME.state_notation(state) == shown.line


class Said(NamedTuple):
    lines: str
    last: str
    sentence: str
    settings: dict[str, Any] = {}  # noqa: RUF012


EXTRA = {"rounds": 1, "balls": 2}
EVEN = "start, 361000: over"
OVER = "the Round is over"

SENTENCES = [
    Said("", "start", "Round 1 starts, side 0 begins (AS-11)"),
    Said(EVEN, "start", "Round 2 starts, side 1 begins (AS-11)"),
    Said(EVEN, "start", "extra Round 2 starts, side 1 begins (AS-13)", EXTRA),
    Said("start, >3.1", "start", "Game 2, Round 1 starts, side 0 begins (AS-11)", {"target": 5, "best_of": 3}),
    # a shot that scores
    Said("start", ">3.1", "3.1: +5 (AS-20)"),
    Said("start, >3.1", ">3.2", "3.2: +10 (AS-21)"),
    Said("start, >3.1", ">3.2", "3.2: +25 (AS-22)", {"slots": (2, 2, 2)}),
    Said("start", ">3.1", "3.1: +15 (AS-62)", {"multipliers": (1, 1, 3)}),
    Said("start, >3.1", ">3.2", "3.2: +30 (AS-21)", {"multipliers": (1, 1, 3)}),
    Said("start, >1.1", ">1.1 0@1.1>1.2", "1.1: +2 (AS-24)"),
    Said("start, >1.1", ">hand 0@1.1>2.2", "rolls back (AS-32): +2 (AS-24)"),
    Said("start, >1.1", ">grouped 0@1.1>2.2", "grouped (AS-33): +2 (AS-24); side 1's turn (AS-12)"),
    # one that does not
    Said("start", ">gutter", "in the gutter (AS-30): no score (AS-12); side 1's turn (AS-12)"),
    Said("start", ">out", "off the table (AS-32): no score (AS-12); side 1's turn (AS-12)"),
    Said("start", "200000: >3.1", "3.1: no score (AS-63); side 1's turn (AS-12)", {"dead_slots": ((3, 1),)}),
    Said("start", ">1.1 !play_line", "over the play line, the shot is void (AS-31); side 1's turn (AS-12)"),
    Said("start", ">1.1 !inter", "interference, the shot is void (AS-37); side 1's turn (AS-12)"),
    Said("start", ">1.1 !touch", "touched a moving ball, the shot is void (AS-37); side 1's turn (AS-12)"),
    # fouls and blocking
    Said(
        "start, >hand, >grouped",
        ">2.1 1@grouped>3.1",
        "2.1: +2 (AS-24); foul, side 1's ball into 3.1: side 1 +5 (AS-36); side 1's turn (AS-12)",
    ),
    Said(
        "start, >1.1, >gutter, >1.2, >gutter",
        ">1.3",
        "1.3: +1 (AS-20); the ball in 1.2 is blocked (AS-61)",
        {"blocking": True},
    ),
    # balls that come back, the table moved
    Said("start, >grouped", "back 0", "a grouped ball of side 0 back in hand (AS-34)"),
    Said(
        "start, >grouped, >hand, >1.1, final",
        "back 0",
        "a grouped ball of side 0 discarded (AS-42)",
        TWO,
    ),
    Said("start", "tilt 1", "side 1 moved the table (AS-35)"),
    Said(
        "start, >1.1, >1.3, >gutter, >1.2",
        "tilt 1 0@1.1 0@1.3 1@1.2",
        "side 1 moved the table (AS-35); 1 ball of side 1 out (AS-35); 2 balls of side 0 back in hand (AS-35); "
        "side 0's turn (AS-12)",
    ),
    Said(
        f"{RAN_OUT}, final, >3.1",
        "tilt 0 1@3.1",
        "side 0 moved the table (AS-35); 1 ball of side 1 discarded (AS-42)",
        TWO,
    ),
    Said(
        f"{RAN_OUT}, final",
        "tilt 1",
        f"side 1 moved the table (AS-35); 2 balls forfeited (AS-42); {OVER} (AS-42)",
        TWO,
    ),
    # running out
    Said("start, >1.1", ">1.2", "1.2: +2 (AS-21); side 0 is out of balls, side 1 chooses (AS-40)", TWO),
    Said(RAN_OUT, "bank", f"side 1 banks 2 balls: +2 (AS-41); {OVER} (AS-41)", TWO),
    Said(
        f"{EVEN}, start, >gutter, >hand, >gutter, >hand",
        "bank",
        f"side 0 banks 2 balls: no points (AS-13); {OVER} (AS-41); 2 to 2, an extra Round decides (AS-13)",
        EXTRA,
    ),
    Said(RAN_OUT, "final", "side 1 plays its last 2 balls, hit or miss (AS-42)", TWO),
    Said(f"{RAN_OUT}, final", ">hand", "rolls back, discarded (AS-42): no score (AS-12)", TWO),
    Said(f"{RAN_OUT}, final, >hand", ">3.1", f"3.1: +5 (AS-20); {OVER} (AS-42)", TWO),
    Said(
        f"{RAN_OUT}, final",
        ">1.3 !play_line",
        f"over the play line, the shot is void (AS-31); 1 ball forfeited (AS-42); {OVER} (AS-42)",
        TWO,
    ),
    Said(
        f"{RAN_OUT}, final, >hand",
        ">1.3 0@1.1>2.1",
        "1.3: +1 (AS-24); foul, side 0's ball into 2.1: side 0 +2 (AS-36); " + f"{OVER} (AS-42)",
        TWO,
    ),
    Said(
        f"{GAVE_BACK}, remove 1@hand, remove 1@hand",
        "final",
        f"side 1 plays its last 0 balls, hit or miss (AS-42); {OVER} (AS-42); balls in hand: side 0 +1 (AS-43)",
        TWO,
    ),
    Said("start, >gutter", ">gutter", f"in the gutter (AS-30): no score (AS-12); {OVER} (AS-40)", {"balls": 1}),
    # the end
    Said("start", "361000: over", "time is up (AS-10); balls in hand: side 0 +10, side 1 +10 (AS-43)"),
    Said(
        "start, >gutter, 361000: over, start",
        "722000: over",
        "time is up (AS-10); balls in hand: side 0 +10, side 1 +10 (AS-43); side 1 wins the Game (AS-13)",
    ),
    Said(f"{EVEN}, start", "542000: over", "time is up (AS-10); 2 to 2, an extra Round decides (AS-13)", EXTRA),
    Said(f"{EVEN}, start", ">1.1", f"1.1: +1 (AS-20); {OVER} (AS-13); side 1 wins the Game (AS-13)", EXTRA),
    Said("start", ">3.1", f"3.1: +5 (AS-20); {OVER} (AS-50); side 0 wins the Game (AS-50)", {"target": 5}),
    Said(
        "start, >3.1, start",
        ">3.1",
        f"3.1: +5 (AS-20); {OVER} (AS-50); side 0 wins the Game (AS-50); side 0 wins the match, 2 to 0 (AS-51)",
        {"target": 5, "best_of": 3},
    ),
    Said(
        "start",
        ">1.1",
        f"1.1: +2 (AS-22); {OVER} (AS-60); balls in hand: side 0 +1, side 1 +2 (AS-43)",
        TWO | {"slots": (1, 1, 1), "grand_slam_finish": True},
    ),
    # the umpire
    Said("", "warn 1", "warning to side 1 (AS-70)"),
    Said("start", "time +1.5", "1.5 s added (AS-70)"),
    Said("start", "time -20", "20 s taken off (AS-70)"),
    Said("start", "free 1", "free shot for side 1 (AS-37)"),
    Said("start, >3.1", "remove 0@3.1", "a ball of side 0 removed from 3.1 (AS-70)"),
    Said("start, >3.1", "convert 3.1 1", "the ball in 3.1 is side 1's now (AS-64)", {"ball_conversion": True}),
]


@pytest.mark.parametrize("said", SENTENCES, ids=lambda said: f"{said.lines}, {said.last}")
def test_sentence(said: Said) -> None:
    state = play(said.lines, said.settings)
    assert GAME.describe(state, action(state, said.last)) == said.sentence
