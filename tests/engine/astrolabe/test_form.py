"""Settings and actions as JSON: what is of the form, what is not, and that both ways agree."""

from typing import Any

import pytest

from engine.astrolabe import GAME, Config
from engine.forms import FormError

SHOT = {"kind": "shot", "side": 0, "t_ms": 1, "moves": [{"ball": 0, "from": "hand", "to": [3, 1]}]}
TILT = {"kind": "table_moved", "side": 1, "t_ms": 1, "moves": []}
REMOVE = {"kind": "umpire", "t_ms": 1, "ruling": "remove_ball", "ball": 0, "from": "hand"}
CONVERT = {"kind": "umpire", "t_ms": 1, "ruling": "convert_ball", "slot": [1, 2], "ball": 1}
CHOOSE = {"kind": "choose", "side": 0, "t_ms": 5, "option": "bank"}


def with_move(**changes: object) -> dict[str, Any]:
    kept = {"ball": 0, "from": "hand", "to": [3, 1]} | changes
    return SHOT | {"moves": [{key: value for key, value in kept.items() if value is not ...}]}


ACTIONS: dict[str, dict[str, Any]] = {
    "AS-11 start_round": {"kind": "start_round", "t_ms": 0},
    "AS-20 shot": SHOT,
    "AS-31 shot with a foul": SHOT | {"foul": "play_line"},
    "AS-37 shot with interference": SHOT | {"foul": "interference"},
    "AS-36 shot with moves": SHOT | {"moves": [*SHOT["moves"], {"ball": 1, "from": [1, 1], "to": "gutter"}]},  # type: ignore[misc]
    "AS-32 shot without moves": SHOT | {"moves": []},
    "AS-20 shot into a slot that does not exist": with_move(to=[-1, 99]),
    "AS-34 returned": {"kind": "returned", "side": 1, "t_ms": 3},
    "AS-35 table_moved": TILT,
    "AS-35 table_moved with moves": TILT | {"moves": [{"ball": 0, "from": "grouped", "to": "hand"}]},
    "AS-41 choose bank": CHOOSE,
    "AS-42 choose final_sequence": CHOOSE | {"option": "final_sequence"},
    "AS-43 round_over": {"kind": "round_over", "t_ms": 361000},
    "AS-70 warning": {"kind": "umpire", "side": 1, "t_ms": 1, "ruling": "warning"},
    "AS-70 add_time": {"kind": "umpire", "t_ms": 1, "ruling": "add_time", "ms": -5000},
    "AS-37 free_shot": {"kind": "umpire", "side": 0, "t_ms": 1, "ruling": "free_shot"},
    "AS-70 remove_ball": REMOVE,
    "AS-70 remove_ball from a slot": REMOVE | {"from": [1, 2]},
    "AS-64 convert_ball": CONVERT,
}


@pytest.mark.parametrize("value", ACTIONS.values(), ids=ACTIONS)
def test_action_reads_and_writes_the_same(value: dict[str, Any]) -> None:
    written = GAME.format_action(GAME.parse_action(value, 2))
    assert written == value
    assert list(written) == list(value)


def test_foul_null_is_the_default_and_left_out() -> None:
    assert GAME.parse_action(SHOT | {"foul": None}, 2) == GAME.parse_action(SHOT, 2)
    assert GAME.format_action(GAME.parse_action(SHOT | {"foul": None}, 2)) == SHOT


BAD_ACTIONS: dict[str, Any] = {
    "no object": ["shot"],
    "no kind": {"t_ms": 1},
    "unknown kind": {"kind": "throw", "t_ms": 1},
    "kind no text": {"kind": 1, "t_ms": 1},
    "AS-11 start_round has no side": {"kind": "start_round", "side": 0, "t_ms": 1},
    "AS-43 round_over has no side": {"kind": "round_over", "side": 0, "t_ms": 1},
    "AS-10 t_ms missing": {"kind": "round_over"},
    "AS-10 t_ms below 0": {"kind": "round_over", "t_ms": -1},
    "AS-10 t_ms a float": {"kind": "round_over", "t_ms": 1.0},
    "AS-10 t_ms a truth value": {"kind": "round_over", "t_ms": True},
    "AS-01 side missing": {"kind": "returned", "t_ms": 1},
    "AS-01 side 2": {"kind": "returned", "side": 2, "t_ms": 1},
    "AS-01 side below 0": {"kind": "returned", "side": -1, "t_ms": 1},
    "AS-01 side a text": {"kind": "returned", "side": "0", "t_ms": 1},
    "AS-01 side a truth value": {"kind": "returned", "side": False, "t_ms": 1},
    "unknown key": SHOT | {"pins": {}},
    "moves missing": {"kind": "shot", "side": 0, "t_ms": 1},
    "AS-35 moves missing": {"kind": "table_moved", "side": 0, "t_ms": 1},
    "AS-35 no foul there": TILT | {"foul": None},
    "moves no list": SHOT | {"moves": {}},
    "move no object": SHOT | {"moves": ["hand"]},
    "AS-31 unknown foul": SHOT | {"foul": "line"},
    "AS-31 foul no text": SHOT | {"foul": False},
    "ball missing": with_move(ball=...),
    "ball 2": with_move(ball=2),
    "from missing": with_move(**{"from": ...}),
    "to missing": with_move(to=...),
    "move with an unknown key": with_move(via="rail"),
    "AS-32 unknown place": with_move(to="table"),
    "AS-32 place null": with_move(to=None),
    "AS-20 place of one number": with_move(to=[3]),
    "AS-20 place of three numbers": with_move(to=[3, 1, 1]),
    "AS-20 place of floats": with_move(to=[3, 1.0]),
    "AS-20 place of truth values": with_move(to=[True, 1]),
    "AS-20 place of texts": with_move(to=["3", "1"]),
    "AS-40 unknown option": CHOOSE | {"option": "final"},
    "AS-40 option missing": {"kind": "choose", "side": 0, "t_ms": 5},
    "AS-70 ruling missing": {"kind": "umpire", "t_ms": 1},
    "AS-70 unknown ruling": {"kind": "umpire", "t_ms": 1, "ruling": "foul"},
    "AS-70 ruling no text": {"kind": "umpire", "t_ms": 1, "ruling": None},
    "AS-70 warning without side": {"kind": "umpire", "t_ms": 1, "ruling": "warning"},
    "AS-70 add_time with a side": {"kind": "umpire", "side": 0, "t_ms": 1, "ruling": "add_time", "ms": 1},
    "AS-70 add_time of a float": {"kind": "umpire", "t_ms": 1, "ruling": "add_time", "ms": 0.5},
    "AS-70 add_time below any time": {"kind": "umpire", "t_ms": 1, "ruling": "add_time", "ms": -(10**301)},
    "AS-70 add_time without ms": {"kind": "umpire", "t_ms": 1, "ruling": "add_time"},
    "AS-37 free_shot of side 2": {"kind": "umpire", "side": 2, "t_ms": 1, "ruling": "free_shot"},
    "AS-70 remove_ball of no side": REMOVE | {"ball": 2},
    "AS-70 remove_ball from nowhere": REMOVE | {"from": "pocket"},
    "AS-64 convert_ball of a place": CONVERT | {"slot": "hand"},
    "AS-64 convert_ball with from": CONVERT | {"from": [1, 2]},
}


@pytest.mark.parametrize("value", BAD_ACTIONS.values(), ids=BAD_ACTIONS)
def test_action_that_is_not_of_the_form(value: object) -> None:
    with pytest.raises(FormError):
        GAME.parse_action(value, 2)


def test_a_fault_in_a_move_says_where() -> None:
    with pytest.raises(FormError, match=r'^moves\[0\]: to: got "table", takes hand, grouped, gutter, out or'):
        GAME.parse_action(with_move(to="table"), 2)


CONFIGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "AS-02 table": {"slots": [1, 2, 3], "balls": 1, "base": [1, 3, 4], "chain": [0, 0, 7]},
    "AS-10 AS-13 clock": {"round_ms": 1, "extra_ms": 1, "rounds": 3},
    "AS-24 live": {"live_scoring": True},
    "AS-50 AS-51 format": {"target": 1, "best_of": 3},
    "AS-60 AS-61 AS-64 switches": {"grand_slam_finish": True, "blocking": True, "ball_conversion": True},
    "AS-62 multipliers": {"multipliers": [1, 2, 3]},
    "AS-63 dead slots": {"slots": [1, 2, 7], "dead_slots": [[3, 7], [1, 1]]},
}


@pytest.mark.parametrize("value", CONFIGS.values(), ids=CONFIGS)
def test_settings_read_and_write_the_same(value: dict[str, Any]) -> None:
    written = GAME.format_config(GAME.parse_config(value))
    assert written == value
    assert list(written) == list(value)


def test_a_default_may_be_said_and_is_left_out() -> None:
    said = {"slots": [5, 5, 5], "target": None, "best_of": 1, "dead_slots": [], "blocking": False}
    assert GAME.parse_config(said) == Config()
    assert GAME.format_config(GAME.parse_config(said)) == {}


BAD_CONFIGS: dict[str, tuple[Any, str]] = {
    "no object": ([], "takes an object"),
    "unknown key": ({"target_points": 50}, "target_points"),
    "AS-02 two positions": ({"slots": [5, 5]}, "slots"),
    "AS-02 no slots": ({"slots": [5, 0, 5]}, "slots"),
    "AS-02 slots beyond all tables": ({"slots": [5, 5, 10_001]}, "slots"),
    "AS-02 slots no list": ({"slots": 5}, "slots"),
    "AS-02 slots of floats": ({"slots": [5.0, 5, 5]}, "slots"),
    "AS-02 no balls": ({"balls": 0}, "balls"),
    "AS-02 balls a text": ({"balls": "10"}, "balls"),
    "AS-02 balls a truth value": ({"balls": True}, "balls"),
    "AS-02 balls null": ({"balls": None}, "balls"),
    "AS-02 base of 0": ({"base": [0, 2, 5]}, "base"),
    "AS-02 base falls": ({"base": [1, 3, 2]}, "base"),
    "AS-02 two alike": ({"base": [1, 1, 2]}, "base"),
    "AS-21 bonus below 0": ({"chain": [-1, 2, 5]}, "chain"),
    "AS-10 Round of no time": ({"round_ms": 0}, "round_ms"),
    "AS-13 extra Round of no time": ({"extra_ms": 0}, "extra_ms"),
    "AS-10 no Rounds": ({"rounds": 0}, "rounds"),
    "AS-24 live_scoring no truth value": ({"live_scoring": 1}, "live_scoring"),
    "AS-50 target of 0": ({"target": 0}, "target"),
    "AS-50 target a truth value": ({"target": False}, "target"),
    "AS-50 target a float": ({"target": 50.0}, "target"),
    "AS-51 even": ({"best_of": 2}, "best_of"),
    "AS-51 none": ({"best_of": 0}, "best_of"),
    "AS-51 below 0": ({"best_of": -1}, "best_of"),
    "AS-60 switch null": ({"grand_slam_finish": None}, "grand_slam_finish"),
    "AS-61 switch a text": ({"blocking": "yes"}, "blocking"),
    "AS-62 four times": ({"multipliers": [1, 1, 4]}, "multipliers"),
    "AS-62 not at all": ({"multipliers": [0, 1, 1]}, "multipliers"),
    "AS-62 two of them": ({"multipliers": [1, 1]}, "multipliers"),
    "AS-63 no list": ({"dead_slots": {}}, "dead_slots"),
    "AS-63 a number": ({"dead_slots": [3]}, "dead_slots"),
    "AS-63 one number": ({"dead_slots": [[3]]}, "dead_slots"),
    "AS-63 slot 6": ({"dead_slots": [[3, 6]]}, "dead_slots"),
    "AS-63 slot 0": ({"dead_slots": [[3, 0]]}, "dead_slots"),
    "AS-63 position 4": ({"dead_slots": [[4, 1]]}, "dead_slots"),
    "AS-63 position 0": ({"dead_slots": [[0, 1]]}, "dead_slots"),
    "AS-63 a slot that these settings do not have": ({"dead_slots": [[1, 3]], "slots": [2, 5, 5]}, "dead_slots"),
    "AS-64 switch a number": ({"ball_conversion": 0}, "ball_conversion"),
}


@pytest.mark.parametrize(("value", "named"), BAD_CONFIGS.values(), ids=BAD_CONFIGS)
def test_settings_that_are_refused(value: object, named: str) -> None:
    with pytest.raises(FormError, match=named):
        GAME.parse_config(value)
