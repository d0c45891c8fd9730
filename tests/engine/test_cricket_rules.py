"""FinCricket, one row a case, named by its clause."""

import pytest
from support.matches import Played, play, sheet

from engine import GAMES, Outcome, ScoresheetError, amend, new_sheet, replay, result
from engine.cricket import EndTurn, Throw, Undo
from engine.forms import FormError, NotationError

RULES = GAMES["cricket"]
NOTHING = "- - - ."

# lines as typed, points, hits on one sector of both sides
SCORES = [
    pytest.param(["S20 S20 S20"], (0, 0), (20, 3, 0), id="FC-10 three singles open and do not score"),
    pytest.param(["S20 S20 S20 .", NOTHING, "S20"], (20, 0), (20, 3, 0), id="FC-11 20 open: single 20 scores 20"),
    pytest.param(["S20 S20 S20 .", NOTHING, "T20"], (60, 0), (20, 3, 0), id="FC-11 20 open: triple 20 scores 60"),
    pytest.param(["S18 S18 T18"], (36, 0), (18, 3, 0), id="FC-12 two hits, triple 18 opens and scores 36"),
    pytest.param(["D19 D19"], (19, 0), (19, 3, 0), id="FC-12 one hit over scores once"),
    pytest.param(["T20 D20"], (40, 0), (20, 3, 0), id="FC-10 a triple opens alone"),
    pytest.param(["D20"], (0, 0), (20, 2, 0), id="FC-10 a double is two hits"),
    pytest.param(["SB"], (25, 0), (20, 0, 0), id="FC-13 bull 25 needs no opening"),
    pytest.param(["DB DB SB .", "SB"], (125, 25), (20, 0, 0), id="FC-13 either player, any time"),
    pytest.param(["T11 T20 D15"], (0, 0), (11, 3, 0), id="FC-02 11 is in play"),
    pytest.param(["T20 - - .", "T20 - - .", "SB"], (25, 0), (20, 3, 3), id="FC-14 the bulls stay open"),
    pytest.param(["T10 D5 S1"], (0, 0), (11, 0, 0), id="FC-04 sectors 1 to 10 count as a miss"),
    pytest.param(["- - -"], (0, 0), (20, 0, 0), id="FC-03 a dart that does not score is a miss"),
    pytest.param(["T20 - - .", "T20 T20 S20"], (0, 80), (20, 3, 3), id="FC-21 until End Turn it still scores"),
    pytest.param(["T20 - - .", "T20 T20 S20 .", "T20"], (0, 80), (20, 3, 3), id="FC-22 closed: nobody scores"),
    pytest.param(["T20 - - .", "T20 - - .", NOTHING, "T20"], (0, 0), (20, 3, 3), id="FC-22 neither player, ever"),
    pytest.param(["T20 T20 <"], (0, 0), (20, 3, 0), id="FC-30 an undo takes points back"),
    pytest.param(["T20 < <"], (0, 0), (20, 0, 0), id="FC-30 no further than the turn"),
    pytest.param(["S20 T20 S19 < < S20"], (0, 0), (20, 2, 0), id="FC-30 one by one, newest first"),
]


@pytest.mark.parametrize(("lines", "points", "hits"), SCORES)
def test_scores(lines: list[str], points: tuple[int, int], hits: tuple[int, int, int]) -> None:
    state = play("cricket", *lines).state
    sector, ours, theirs = hits
    shown = RULES.summary(state)["hits"]
    assert RULES.scores(state) == points
    assert (shown[0][str(sector)], shown[1][str(sector)]) == (ours, theirs)


REFUSALS = [
    pytest.param(["S20 S20 S20 S20"], "TURN_FULL", id="FC-03 no fourth dart"),
    pytest.param(["S20 S20 ."], "TURN_NOT_FULL", id="FC-03 no End Turn before the third dart"),
    pytest.param(["<"], "NOTHING_TO_UNDO", id="FC-30 nothing to take back"),
    pytest.param([NOTHING, "<"], "NOTHING_TO_UNDO", id="FC-30 End Turn makes the darts final"),
]


@pytest.mark.parametrize(("lines", "reason"), REFUSALS)
def test_refuses(lines: list[str], reason: str) -> None:
    assert play("cricket", *lines).refused == reason


def all_closed(last: str = "- - - .") -> Played:
    """Play until both have opened everything and side 1 has still to end its turn."""
    visits = ["T20 T19 T18 .", "T17 T16 T15 .", "T14 T13 T12 .", "T11 SB - ."]
    lines = [line for visit in visits[:-1] for line in (visit, visit)]
    return play("cricket", *lines, "T11 SB - .", *last.split("|"))


def test_fc_20_eligible_once_both_have_three_hits() -> None:
    assert play("cricket", "T20 - - .", "D20 - - .").state.closed == ()
    assert play("cricket", "T20 - - .", "D20 S20 - .").state.closed == (20,)


def test_fc_21_end_turn_closes_not_the_dart() -> None:
    assert play("cricket", "T20 - - .", "T20 - -").state.closed == ()


def test_fc_31_no_end_without_end_turn() -> None:
    state = all_closed("T11 - -").state
    assert RULES.outcome(state) is None
    assert RULES.turn(state) == 1


def test_fc_31_the_end_turn_that_closes_the_last_ends_it_whatever_the_bulls() -> None:
    state = all_closed("T11 - - .").state
    assert RULES.outcome(state) == Outcome(winner=0)
    assert RULES.turn(state) is None
    assert tuple(RULES.legal(state, 0)) == ()
    after = EndTurn(side=0, t_ms=0)
    assert RULES.check(state, after) == "MATCH_OVER"


def test_fc_32_more_points_win() -> None:
    assert RULES.outcome(all_closed("T11 DB - .").state) == Outcome(winner=1)


def test_fc_32_equal_points_draw() -> None:
    played = all_closed("T11 SB - .")
    assert RULES.outcome(played.state) == Outcome(winner=None)
    assert "a draw" in RULES.describe(all_closed("T11 SB -").state, played.actions[-1])


@pytest.mark.parametrize("names", [[], ["Ann"], ["Ann", "Ben", "Cho"]])
def test_fc_01_two_players_only(names: list[str]) -> None:
    with pytest.raises(ScoresheetError, match="takes 2 in cricket"):
        new_sheet("cricket", names)


def test_fc_01_the_first_named_begins() -> None:
    assert result(new_sheet("cricket", ["Ann", "Ben"]))["turn"] == 0


def test_fc_33_only_an_umpire_corrects_and_the_original_stays() -> None:
    before = sheet("cricket", "T20 - - .", "S19")
    better = Throw(side=0, t_ms=1000, segment="S20")
    with pytest.raises(ScoresheetError, match="umpire:NAME"):
        amend(before, 1, better, by="player", reason="misread")
    after = amend(before, 1, better, by="umpire:Cho", reason="misread")
    assert after.entries[:-1] == before.entries
    assert result(after)["state"]["hits"][0]["20"] == 1


STATE = play("cricket", "S20 T19").state
ORDER = [
    pytest.param(Throw(side=1, t_ms=0, segment="X"), "TIME_RUNS_BACK", id="FC-03 time before side"),
    pytest.param(Throw(side=1, t_ms=1000, segment="X"), "WRONG_SIDE", id="FC-03 side before segment"),
    pytest.param(Undo(side=1, t_ms=1000), "WRONG_SIDE", id="FC-30 by the side on turn"),
    pytest.param(EndTurn(side=1, t_ms=1000), "WRONG_SIDE", id="FC-03 End Turn by the side on turn"),
    pytest.param(Throw(side=0, t_ms=1000, segment="T21"), "UNKNOWN_SEGMENT", id="FC-02 no such segment"),
    pytest.param(Throw(side=0, t_ms=1000, segment="s20"), "UNKNOWN_SEGMENT", id="FC-02 segments are in capitals"),
    pytest.param(Throw(side=0, t_ms=1000, segment="DB"), None, id="FC-13 same time is no running back"),
]


@pytest.mark.parametrize(("action", "reason"), ORDER)
def test_order_of_refusals(action: Throw | Undo | EndTurn, reason: str | None) -> None:
    assert RULES.check(STATE, action) == reason


def test_a_full_turn_is_refused_before_an_unknown_segment() -> None:
    full = play("cricket", "- - -").state
    assert RULES.check(full, Throw(side=0, t_ms=1000, segment="X")) == "TURN_FULL"


SENTENCES = [
    pytest.param("", "S20", "S20: 1 of 3 hits on 20 (FC-10)", id="FC-10 counted"),
    pytest.param("", "T20", "T20: 20 opened (FC-10)", id="FC-10 opened"),
    pytest.param("T20", "T20", "T20: +60 (FC-11)", id="FC-11 scored"),
    pytest.param("D18", "T18", "T18: 18 opened, +36 (FC-12)", id="FC-12 both"),
    pytest.param("", "DB", "DB: +50 (FC-13)", id="FC-13 bull"),
    pytest.param("", "S5", "S5: counts as a miss (FC-04)", id="FC-04 told"),
    pytest.param("", "-", "MISS: no score (FC-03)", id="FC-03 told"),
    pytest.param("T20 - - .|T20 - - .", "S20", "S20: 20 is closed, no score (FC-22)", id="FC-22 told"),
    pytest.param("T20", "<", "T20 taken back (FC-30)", id="FC-30 told"),
    pytest.param("- - -", ".", "end of turn (FC-03)", id="FC-03 end told"),
    pytest.param("T20 T19 - .|T20 T19 -", ".", "end of turn (FC-03); 19 and 20 closed (FC-21)", id="FC-21 told"),
]


@pytest.mark.parametrize(("before", "line", "sentence"), SENTENCES)
def test_sentences(before: str, line: str, sentence: str) -> None:
    state = play("cricket", *before.split("|")).state
    (action,) = RULES.read_notation(state, line, 9000)
    assert RULES.describe(state, action) == sentence


def test_the_end_is_told_with_winner_and_points() -> None:
    played = all_closed("T11 DB - .")
    before = all_closed("T11 DB -").state
    assert RULES.describe(before, played.actions[-1]).endswith("match over, side 1 wins 50 to 25 (FC-31, FC-32)")


def test_state_in_one_line() -> None:
    assert RULES.state_notation(play("cricket", "T20 S5 -").state) == "0:0 | >0 T20 S5 - | 20=3/0"
    assert RULES.state_notation(all_closed("T11 - - .").state) == (
        "25:0 | over | closed 11 12 13 14 15 16 17 18 19 20"
    )


@pytest.mark.parametrize(
    ("line", "segments"),
    [
        ("t20 d20 sb", "T20 D20 SB"),
        ("20 25 50", "S20 SB DB"),
        ("0 - miss", "MISS MISS MISS"),
        ("T20 S5 -", "T20 S5 MISS"),
    ],
)
def test_notation_as_typed(line: str, segments: str) -> None:
    state = play("cricket").state
    assert [action.segment for action in RULES.read_notation(state, line, 0)] == segments.split()


@pytest.mark.parametrize("line", ["T21", "X", "20,", "²", "S0"])
def test_notation_that_is_none(line: str) -> None:
    with pytest.raises(NotationError, match="is no dart"):
        RULES.read_notation(play("cricket").state, line, 0)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"kind": "shot", "side": 0, "t_ms": 1},
        {"kind": "throw", "side": 0, "t_ms": 1},
        {"kind": "throw", "side": 0, "t_ms": 1, "segment": 20},
        {"kind": "throw", "side": 2, "t_ms": 1, "segment": "S20"},
        {"kind": "throw", "side": -1, "t_ms": 1, "segment": "S20"},
        {"kind": "throw", "side": True, "t_ms": 1, "segment": "S20"},
        {"kind": "throw", "side": 0, "t_ms": 1.0, "segment": "S20"},
        {"kind": "throw", "side": 0, "t_ms": -1, "segment": "S20"},
        {"kind": "undo", "side": 0, "t_ms": 1, "segment": "S20"},
        {"kind": ["undo"], "side": 0, "t_ms": 1},
    ],
)
def test_form_of_actions(value: object) -> None:
    with pytest.raises(FormError):
        RULES.parse_action(value, 2)


def test_no_settings() -> None:
    with pytest.raises(FormError, match="unknown key"):
        RULES.parse_config({"target": 1})


def test_replay_ends_at_a_fourth_dart_with_the_state_so_far() -> None:
    played = play("cricket", "S20 S20 S20")
    assert replay(sheet("cricket", "S20 S20 S20")).state == played.state
