"""Finn Billiards, one row a case, named by its clause."""

from typing import Any

import pytest
from support.matches import play

from engine import GAMES, NotationError, Outcome
from engine.finn import PINS, PinState, Shot, shot
from engine.finn.zone import contains, is_simple
from engine.forms import FormError

RULES = GAMES["finn"]
TO_69 = ["12", "12", "12", "12", "12", "9"]  # of one side alone
TO_68 = ["12", "12", "12", "12", "12", "8"]

ALONE = [
    pytest.param(["6"], {}, 6, id="FB-20 pin 6 alone: +6"),
    pytest.param(["7 6"], {}, 2, id="FB-21 pins 7 and 6: +2"),
    pytest.param(["4 9/"], {}, 4, id="FB-22 pins 4 fallen and 9 leaning: +4"),
    pytest.param([*TO_69, "7 6"], {}, 56, id="FB-41 69 with pins 7 and 6: 56"),
    pytest.param([*TO_68, "6"], {}, 62, id="FB-41 68 with pin 6: 62"),
    pytest.param(["8 |2"], {"ride_the_rails": True}, 10, id="FB-50 pin 8 after two cushions: +10"),
    pytest.param(["12", "7 8x"], {}, 12, id="FB-23 one off the board: nothing, whatever else fell"),
    pytest.param(["12", "8x"], {}, 12, id="FB-23 is no air shot"),
    pytest.param(["5 3_"], {}, 5, id="FB-24 the pin on the line does not score"),
    pytest.param(["12", "3_"], {}, 12, id="FB-26 on the line alone: 0, no air shot"),
    pytest.param(["12", "-"], {}, 7, id="FB-25 air shot: -5"),
    pytest.param(["3", "-"], {}, 0, id="FB-25 never below 0"),
    pytest.param(["-"], {}, 0, id="FB-25 at 0"),
    pytest.param(["12", "9/"], {}, 12, id="FB-26 leaning alone: 0, no air shot"),
    pytest.param(["12", "9/"], {"leaning_only_is_air_shot": True}, 7, id="FB-26 house rule: an air shot"),
    pytest.param(
        ["12", "9/ 3_"], {"leaning_only_is_air_shot": True}, 12, id="FB-26 house rule: leaning and line is none"
    ),
    pytest.param(
        ["12", "9/ 3x"], {"leaning_only_is_air_shot": True}, 12, id="FB-26 house rule: leaning and off is none"
    ),
    pytest.param(["12", "3_"], {"leaning_only_is_air_shot": True}, 12, id="FB-26 house rule: line alone is none"),
    pytest.param([*TO_69, "7 6 12/ 11_"], {}, 56, id="FB-41 only pins that counted are taken off"),
    pytest.param(["12"], {"target": 11}, 0, id="FB-41 never below 0"),
    pytest.param([*TO_69, "1"], {}, 70, id="FB-40 exactly 70"),
    pytest.param([*TO_68, "3 4"], {}, 70, id="FB-40 exactly 70 with two pins"),
    pytest.param(["8 |2"], {}, 8, id="FB-50 off: cushions are nothing"),
    pytest.param(["7 6 |3"], {"ride_the_rails": True}, 5, id="FB-50 beside several pins"),
    pytest.param(["8x |3"], {"ride_the_rails": True}, 0, id="FB-50 no score, no cushions"),
    pytest.param(["12", "- |3"], {"ride_the_rails": True}, 7, id="FB-50 an air shot gains nothing"),
    pytest.param(["12", "9/ |3"], {"ride_the_rails": True}, 12, id="FB-50 a leaning pin gains nothing"),
    pytest.param([*TO_68, "1 |2"], {"ride_the_rails": True}, 67, id="FB-50 counts for FB-41, is not taken off"),
    pytest.param([*TO_68, "1 |1"], {"ride_the_rails": True}, 70, id="FB-50 may bring exactly 70"),
    pytest.param(["12", "12"], {"target": 20}, 0, id="FB-42 target for 70 in FB-41"),
    pytest.param(["12", "8"], {"target": 20}, 20, id="FB-42 target for 70 in FB-40"),
]


@pytest.mark.parametrize(("lines", "config", "points"), ALONE)
def test_one_side_scores(lines: list[str], config: dict[str, Any], points: int) -> None:
    played = play("finn", *lines, config=config, sides=1)
    assert played.refused is None
    assert RULES.scores(played.state) == (points,)


OFFENSE = {"good_offense": True}
BOTH = [
    pytest.param(["5", "5"], OFFENSE, (0, 5), id="FB-51 the opponent goes to 0"),
    pytest.param(["12", "11", "12", "12", "12", "12", "1", "2"], OFFENSE, (35, 37), id="FB-51 or to 35 from more"),
    pytest.param(["12", "11", "12", "12", "11", "12"], OFFENSE, (0, 35), id="FB-51 exactly 35 goes to 0"),
    pytest.param(["5", "10", "-", "-"], OFFENSE, (0, 5), id="FB-51 not at 0, then at 5"),
    pytest.param(["5", "10", "9/", "-"], OFFENSE, (0, 5), id="FB-51 holds for a loss"),
    pytest.param(["-", "-"], OFFENSE, (0, 0), id="FB-51 above 0 alone"),
    pytest.param(["5", "5"], {}, (5, 5), id="FB-51 off: nothing"),
    pytest.param(["3", "1", "9/", "2 |1"], OFFENSE | {"ride_the_rails": True}, (3, 4), id="FB-52 both variants"),
    pytest.param(
        ["4", "1", "9/", "2 |1"], OFFENSE | {"ride_the_rails": True}, (0, 4), id="FB-52 cushions meet too"
    ),
]


@pytest.mark.parametrize(("lines", "config", "points"), BOTH)
def test_two_sides_score(lines: list[str], config: dict[str, Any], points: tuple[int, int]) -> None:
    played = play("finn", *lines, config=config)
    assert played.refused is None
    assert RULES.scores(played.state) == points


def test_fb_51_every_opponent_on_that_score() -> None:
    assert play("finn", "5", "9/", "5", config=OFFENSE, sides=3).state.points == (0, 0, 5)
    state = play("finn", "6", "9/", "9/", "9/", "6/", "6", config=OFFENSE, sides=4).state
    assert state.points == (0, 6, 0, 0)


def test_fb_51_an_unchanged_score_meets_nobody() -> None:
    # Side 1 comes to 5 first; side 0, set to 0 by that, stands at 0 with a shot worth nothing.
    state = play("finn", "5", "4", "-", "9/", "4", "9/", config=OFFENSE).state
    assert state.points == (4, 0)


def test_fb_10_any_number_of_sides_in_order() -> None:
    assert [play("finn", *["-"] * shots, sides=3).state.turn for shots in range(4)] == [0, 1, 2, 0]
    assert play("finn", "-", "-", sides=1).state.turn == 0


def test_fb_12_play_goes_on_until_exactly_70() -> None:
    assert RULES.outcome(play("finn", *TO_69, sides=1).state) is None
    won = play("finn", *TO_69, "1", sides=1).state
    assert RULES.outcome(won) == Outcome(winner=0)
    assert RULES.turn(won) is None
    assert tuple(RULES.legal(won, 0)) == ()
    assert RULES.check(won, shot(side=0, t_ms=0, pins={"13": "fallen"})) == "MATCH_OVER"


def test_fb_40_wins_at_once_with_others_to_come() -> None:
    assert RULES.outcome(play("finn", "2", "12", config={"target": 12}, sides=3).state) == Outcome(winner=1)


DEFENSES = [
    pytest.param(["7@60,10"], {}, None, {"7": [60, 10]}, id="FB-30 a pin put up"),
    pytest.param(["7@60,10 6@70,10"], {}, None, {"6": [70, 10], "7": [60, 10]}, id="FB-30 several pins"),
    pytest.param(["7@60,10 6/"], {}, None, {"7": [60, 10]}, id="FB-30 only pins that would have scored"),
    pytest.param(["7@60,10 6"], {}, "PLACEMENTS_INCOMPLETE", {}, id="FB-30 all the pins that would have scored"),
    pytest.param(["7@60,10", "6@67,10"], {}, None, {"6": [67, 10], "7": [60, 10]}, id="FB-31 exactly 7 cm"),
    pytest.param(["7@60,1 6@66.9999995,1"], {}, None, {"6": [66.9999995, 1], "7": [60, 1]}, id="FB-31 forgives"),
    pytest.param(["7@60,10", "6@66.9,10"], {}, "TOO_CLOSE", {"7": [60, 10]}, id="FB-31 too close to one there"),
    pytest.param(["7@60,10 6@60,16.9"], {}, "TOO_CLOSE", {}, id="FB-31 too close to each other"),
    pytest.param(["7@60,10", "7", "6@60,10"], {}, None, {"6": [60, 10]}, id="FB-31 a pin named since is gone"),
    pytest.param(["7@60,10", "7/", "6@60,10"], {}, None, {"6": [60, 10]}, id="FB-31 named in any state"),
    pytest.param(["7@60,10", "7/ 6@60,10"], {}, None, {"6": [60, 10]}, id="FB-31 named by this shot"),
    pytest.param(["7@60,10", "7@61,10"], {}, None, {"7": [61, 10]}, id="FB-31 put up again"),
    pytest.param(["7@60,10", "6"], {}, None, {"7": [60, 10]}, id="FB-31 a shot elsewhere leaves it"),
    pytest.param(["7@55,0"], {}, None, {"7": [55, 0]}, id="FB-31 edges belong to the zone"),
    pytest.param(["7@80.0000005,49.0000005"], {}, None, {"7": [80.0000005, 49.0000005]}, id="FB-31 edges forgive"),
    pytest.param(["7@80.1,20"], {}, "OUTSIDE_DEFENSE_ZONE", {}, id="FB-31 outside the zone"),
    pytest.param(["7@80.1,20 6@80.1,20"], {}, "OUTSIDE_DEFENSE_ZONE", {}, id="FB-31 outside before too close"),
    pytest.param(
        ["7@10,10"],
        {"defense_zone_cm": [[0, 0], [20, 0], [20, 20]], "disc_cm": 1, "pin_cm": 0.5},
        None,
        {"7": [10, 10]},
        id="FB-03 the zone is a polygon that can be set",
    ),
    pytest.param(["7@60,10", "6@61.5,10"], {"disc_cm": 1, "pin_cm": 0.5}, None, {"6": [61.5, 10], "7": [60, 10]},
                 id="FB-31 the gap is between edges"),
    pytest.param(["12@60,10"], {"target": 11}, "DEFENSE_NOT_OPEN", {}, id="FB-32 not above the target"),
    pytest.param(["12@60,10"], {"target": 12}, None, {"12": [60, 10]}, id="FB-32 open at exactly the target"),
    pytest.param(
        ["12@60,10 |1"], {"target": 12, "ride_the_rails": True}, "DEFENSE_NOT_OPEN", {}, id="FB-32 with cushions"
    ),
    pytest.param(["12@60,10 |1"], {"target": 12}, None, {"12": [60, 10]}, id="FB-32 cushions off"),
    pytest.param(["7@60,10 8x"], {}, "DEFENSE_NOT_OPEN", {}, id="FB-33 not after a pin off the board"),
    pytest.param(
        ["7@60,10 8x"], {"defense_after_off_board": True}, None, {"7": [60, 10]}, id="FB-33 house rule offers it"
    ),
    pytest.param(
        ["12@60,10 11@70,10 8x"],
        {"defense_after_off_board": True, "target": 1},
        None,
        {"11": [70, 10], "12": [60, 10]},
        id="FB-33 house rule: the target never bars it",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "config", "refused", "defense"), DEFENSES)
def test_defense(lines: list[str], config: dict[str, Any], refused: str | None, defense: dict[str, Any]) -> None:
    played = play("finn", *lines, config=config)
    assert played.refused == refused
    assert RULES.summary(played.state) == {"defense": defense}


def test_fb_34_a_defense_scores_0_without_cushions_and_is_no_air_shot() -> None:
    assert play("finn", "12", "7@60,10 |2", config={"ride_the_rails": True}, sides=1).state.points == (12,)


def test_fb_33_none_after_an_air_shot_or_with_nothing_fallen() -> None:
    state = play("finn", config={"defense_after_off_board": True}).state
    nothing_scores: list[dict[str, PinState]] = [{}, {"7": "leaning"}, {"7": "line"}, {"7": "off_board"}]
    for pins in nothing_scores:
        assert RULES.check(state, shot(side=0, t_ms=0, pins=pins, placements={})) == "DEFENSE_NOT_OPEN"


def test_fb_31_the_refusal_tells_pair_and_distance() -> None:
    state = play("finn", "7@60,10").state
    near = shot(side=1, t_ms=9000, pins={"6": "fallen"}, placements={"6": (66.9, 10)})
    assert RULES.detail(state, near) == "pins 6 and 7 are 6.90 cm apart, takes 7 cm or more (FB-31)"
    away = shot(side=1, t_ms=9000, pins={"6": "fallen"}, placements={"6": (6, 10)})
    assert RULES.detail(state, away) == "pin 6 outside the defense zone (FB-31)"
    wrong = shot(side=0, t_ms=9000, pins={"6": "fallen"}, placements={"6": (6, 10)})
    assert RULES.detail(state, wrong) == ""


def test_fb_11_pins_stand_again_where_they_fell_and_may_fall_again() -> None:
    assert play("finn", "7", "7", "7").state.points == (14, 7)


def test_fb_01_twelve_pins() -> None:
    assert list(PINS.values()) == list(range(1, 13))


def test_fb_02_fb_04_places_and_crossbow_are_no_matter_of_the_score() -> None:
    # A shot names pins, not where they stood nor how the crossbow was held.
    with pytest.raises(FormError, match="unknown key"):
        RULES.parse_action({"kind": "shot", "side": 0, "t_ms": 1, "pins": {}, "xy_cm": [1, 2]}, 2)


STATE = play("finn", "5").state
ORDER = [
    pytest.param(shot(side=0, t_ms=0, pins={"13": "fallen"}), "TIME_RUNS_BACK", id="FB-12 time before side"),
    pytest.param(shot(side=0, t_ms=1000, pins={"13": "fallen"}), "WRONG_SIDE", id="FB-10 side before pins"),
    pytest.param(
        shot(side=1, t_ms=1000, pins={"07": "leaning"}, placements={}),
        "UNKNOWN_PIN",
        id="FB-01 pins before defense",
    ),
    pytest.param(
        shot(side=1, t_ms=1000, pins={"7": "leaning"}, placements={"7": (0, 0)}),
        "DEFENSE_NOT_OPEN",
        id="FB-33 open before complete",
    ),
    pytest.param(
        shot(side=1, t_ms=1000, pins={"7": "fallen"}, placements={"13": (0, 0)}),
        "PLACEMENTS_INCOMPLETE",
        id="FB-30 complete before the zone",
    ),
    pytest.param(
        shot(side=1, t_ms=1000, pins={"7": "fallen"}, placements={"7": (60, 10), "x": (60, 10)}),
        "PLACEMENTS_INCOMPLETE",
        id="FB-30 exactly those pins",
    ),
]


@pytest.mark.parametrize(("action", "reason"), ORDER)
def test_order_of_refusals(action: Shot, reason: str) -> None:
    assert RULES.check(STATE, action) == reason


SENTENCES = [
    pytest.param([], "7 6", "pins 7 and 6: +2 (FB-21)", id="FB-21 told"),
    pytest.param([], "6", "pin 6: +6 (FB-20)", id="FB-20 told"),
    pytest.param(
        [], "4 9/ 3_", "pin 4, pin 9 leaning (FB-22), pin 3 to the line (FB-24): +4 (FB-20)", id="FB-22 told"
    ),
    pytest.param([], "7 8x", "pin 8 off the board: 0 (FB-23)", id="FB-23 told"),
    pytest.param([], "-", "air shot: −5, never below 0 (FB-25)", id="FB-25 told at 0"),
    pytest.param(["12", "-"], "-", "air shot: −5 (FB-25)", id="FB-25 told"),
    pytest.param([], "9/ 3_", "pins 9 and 3 down, none scores: 0 (FB-26)", id="FB-26 told"),
    pytest.param(
        [], "7@60,10 6@70,10", "defense, pin 6 to 70,10, pin 7 to 60,10: 0 (FB-30, FB-34)", id="FB-30 told"
    ),
    pytest.param([], "8 |2", "pin 8, 2 cushions (FB-50): +10 (FB-20)", id="FB-50 told"),
    pytest.param([], "8 |1", "pin 8, 1 cushion (FB-50): +9 (FB-20)", id="FB-50 one told"),
    pytest.param(["5"], "5", "pin 5: +5 (FB-20); side 0 back to 0 (FB-51)", id="FB-51 told"),
    pytest.param([], "7 9 12 5", "pins 12, 9, 7 and 5: +4 (FB-21)", id="FB-21 told in order"),
    pytest.param(["12", "-"], "11", "pin 11: above 20, −11, 12 to 1 (FB-41)", id="FB-41 told"),
    pytest.param(["12", "-"], "8", "pin 8: +8 (FB-20); exactly 20, side 0 wins (FB-40)", id="FB-40 told"),
]


@pytest.mark.parametrize(("before", "line", "sentence"), SENTENCES)
def test_sentences(before: list[str], line: str, sentence: str) -> None:
    state = play("finn", *before, config={"ride_the_rails": True, "good_offense": True, "target": 20}).state
    (action,) = RULES.read_notation(state, line, 9000)
    assert RULES.describe(state, action) == sentence


def test_state_in_one_line() -> None:
    assert RULES.state_notation(play("finn", "12", "7@60,10.5").state) == "12:0 | >0 | 7@60,10.5"
    assert RULES.state_notation(play("finn", "12", config={"target": 12}).state) == "12:0 | over"


def test_notation_as_shown_and_as_typed() -> None:
    state = play("finn").state
    (shown,) = RULES.read_notation(state, "7↓ 6↓ 9/ 8× 3_ |2", 5)
    assert (shown,) == RULES.read_notation(state, "|2 7v 6 9/ 8X 3_", 5)
    assert RULES.notation(shown) == "3_ 6↓ 7↓ 8× 9/ |2"
    (air,) = RULES.read_notation(state, "- |2", 5)
    assert RULES.notation(air) == "- |2"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "13",
        "0",
        "7 7",
        "7 7@60,10",
        "7?",
        "7@60",
        "7@x,1",
        "7 -",
        "|",
        "|9999999999",
        "7@1e999,0",
        f"7@{'9' * 400},0",
    ],
)
def test_notation_that_is_none(line: str) -> None:
    with pytest.raises(NotationError):
        RULES.read_notation(play("finn").state, line, 0)


def action_with(**more: object) -> dict[str, object]:
    return {"kind": "shot", "side": 0, "t_ms": 1, "pins": {"7": "fallen"}, **more}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (action_with(pins=["7"]), "pins: got a list of 1"),
        (action_with(pins={"7": "fell"}), 'pins: 7: got "fell", takes fallen, leaning, off_board or line'),
        (action_with(pins={"13": None}), "pins: 13: got null"),
        (action_with(cushions=-1), "cushions: got -1"),
        (action_with(cushions=1.0), "cushions: got 1.0"),
        (action_with(cushions=True), "cushions: got true"),
        (action_with(take="both"), 'take: got "both", takes points or defense'),
        (action_with(placements={}), "placements"),
        (action_with(take="points", placements={}), "placements"),
        (action_with(take="defense"), '"placements" is missing'),
        (action_with(take="defense", placements=[]), "placements: got a list of 0"),
        (action_with(take="defense", placements={"7": [1]}), "placements: 7: got a list of 1, takes a list of 2"),
        (action_with(take="defense", placements={"7": [1, "2"]}), "placements: 7[1]"),
        (action_with(take="defense", placements={"7": [1, True]}), "placements: 7[1]"),
        (action_with(take="defense", placements={"7": [1, float("inf")]}), "placements: 7[1]"),
        (action_with(take="defense", placements={"7": [1, 10**301]}), "placements: 7[1]"),
        (action_with(t_ms=10**301), "t_ms"),
        (action_with(side=3), "side: got 3, takes a side, 0 to 1"),
        (action_with(foul=None), 'unknown key "foul"'),
    ],
)
def test_form_of_shots(value: object, says: str) -> None:
    with pytest.raises(FormError) as caught:
        RULES.parse_action(value, 2)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ([], "takes an object"),
        ({"Target": 50}, 'unknown key "Target", takes ride_the_rails, good_offense'),
        ({"target": 0}, "target: got 0, takes a whole number from 1"),
        ({"target": 50.0}, "target: got 50.0"),
        ({"target": True}, "target: got true"),
        ({"good_offense": 1}, "good_offense: got 1, takes true or false"),
        ({"disc_cm": 0}, "disc_cm: got 0, takes a number above 0"),
        ({"pin_cm": "3"}, 'pin_cm: got "3"'),
        ({"defense_zone_cm": None}, "defense_zone_cm: got null, takes a list"),
        ({"defense_zone_cm": [[0, 0], [1, 1]]}, "simple polygon"),
        ({"defense_zone_cm": [[0, 0], [1, 1], [1, 0], [0, 1]]}, "simple polygon"),
        ({"defense_zone_cm": [[0, 0], [1, 1, 1], [1, 0]]}, "defense_zone_cm[1]: got a list of 3"),
    ],
)
def test_form_of_settings(config: object, says: str) -> None:
    with pytest.raises(FormError) as caught:
        RULES.parse_config(config)
    assert says in str(caught.value)


def test_settings_are_written_where_they_differ() -> None:
    given = {"good_offense": True, "target": 50, "disc_cm": 5, "defense_zone_cm": [[0, 0], [9, 0], [9, 9.5]]}
    assert RULES.format_config(RULES.parse_config(given)) == given
    assert RULES.format_config(RULES.parse_config({"target": 70, "disc_cm": 4})) == {}


POLYGONS = [
    ([(0, 0), (4, 0), (4, 4), (0, 4)], True),
    ([(0, 0), (2, 0), (4, 0), (4, 4)], True),  # a corner on a straight side
    ([(0, 0), (4, 0), (2, 0)], False),  # no area
    ([(0, 0), (4, 0), (4, 4), (4, 0.0)], False),  # a corner twice
    ([(0, 0), (4, 0), (4, 4), (0, 0)], False),  # closed by hand
    ([(0, 0), (4, 4), (4, 0), (0, 4)], False),  # crossed
    ([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)], False),  # a corner on another side
    ([(0, 0), (4, 0), (1, 0), (1, 4)], False),  # folds back
    ([(2, 0), (4, 0), (4, 4), (0, 0)], True),
    ([(2, 0), (4, 4), (0, 4), (2, 2), (2, 5)], False),
    ([(6, 0), (3, 0), (3, 4), (0, 0)], False),  # the last side folds back on the first
    ([(0, 0), (0.1 + 0.2, 0), (0.3, 1)], True),
    ([(1, 0), (3, 0), (3, 1), (0, 1), (0, 0), (2, 0)], False),  # the last side runs along the first
]


@pytest.mark.parametrize(("corners", "simple"), POLYGONS)
def test_simple_polygons(corners: list[tuple[float, float]], simple: bool) -> None:
    assert is_simple(corners) is simple
    assert is_simple(corners[::-1]) is simple


def test_points_in_a_polygon_with_a_notch() -> None:
    notched = [(0, 0), (8, 0), (8, 8), (4, 2), (0, 8)]
    inside = [(4, 1), (4, 2), (1, 5), (7, 5), (0, 0), (8, 8), (2, 5)]
    outside = [(4, 3), (9, 1), (-1, 1), (4, -0.1), (4, 2.00001)]
    assert [contains(notched, point) for point in inside] == [True] * len(inside)
    assert [contains(notched, point) for point in outside] == [False] * len(outside)


def test_whole_numbers_that_are_one_float_make_no_edge() -> None:
    far = 10**20
    assert contains([(0, 0), (far, 0), (far + 1, 0), (0, far)], (1, 1))
