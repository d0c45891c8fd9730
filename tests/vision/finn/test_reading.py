"""Shots drawn and read: what fell, what stands, what is doubtful, and what cannot be read."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import pytest
from support.finn_scenes import PIN, Picture, draw, scene_setup

from vision.failure import Failure
from vision.finn.pins import Axis, lying, standing
from vision.finn.reading import PinsReading, read_pins
from vision.finn.state import START_CM

SETUP = scene_setup()
STANDING = {name: standing(xy, PIN) for name, xy in START_CM.items()}
STATE = {"pins": {name: list(xy) for name, xy in START_CM.items()}}
BEFORE = draw(SETUP, STANDING, (13.0, 24.0))


def _read(pins: Mapping[str, Axis], disc: tuple[float, float] | None = None, light: float = 1.0) -> PinsReading:
    reading = read_pins(SETUP, draw(SETUP, pins, disc, seed=1, light=light), BEFORE, STATE)
    assert isinstance(reading, PinsReading), reading
    return reading


def _refusal(image: Picture, before: Picture | None = BEFORE, state: Mapping[str, Any] = STATE) -> str:
    refused = read_pins(SETUP, image, before, state)
    assert isinstance(refused, Failure), refused
    return refused.code


def _shot(**moved: Axis) -> dict[str, Axis]:
    return {**STANDING, **{name.removeprefix("p"): axis for name, axis in moved.items()}}


def test_an_air_shot_moves_nothing_and_asks_nothing() -> None:
    reading = _read(STANDING, (60.0, 40.0))
    assert {pin.state for pin in reading.pins.values()} == {"upright"}
    assert reading.action() == {"kind": "shot", "side": 0, "t_ms": 0, "pins": {}, "cushions": 0}
    assert reading.review == ()
    assert reading.disc_cm == pytest.approx((60.0, 40.0), abs=0.6)


def test_one_fallen_pin_is_named_by_what_is_missing() -> None:
    reading = _read(_shot(p6=lying((100.0, 8.0), 0.7, PIN)), (40.0, 30.0))
    assert reading.action()["pins"] == {"6": "fallen"}
    assert reading.pins["6"].xy_cm == pytest.approx((100.0, 8.0), abs=0.8)
    assert reading.review == ()


def test_a_pin_that_was_pushed_and_stands_has_not_fallen() -> None:
    reading = _read(_shot(p8=standing((97.5, 14.0), PIN)))
    assert reading.action()["pins"] == {}
    assert reading.pins["8"].xy_cm == pytest.approx((97.5, 14.0), abs=0.6)


@pytest.mark.parametrize(
    "row",
    [
        {"5": (90.4, 33.2), "3": (88.0, 30.8), "1": (85.8, 28.4)},
        {"5": (90.8, 32.6), "3": (87.8, 32.9), "1": (84.7, 33.9)},
    ],
)
def test_pins_that_were_pushed_against_each_other_all_stand(row: Mapping[str, tuple[float, float]]) -> None:
    pushed = {name: standing(xy, PIN) for name, xy in row.items()}
    assert _read({**STANDING, **pushed}, (79.0, 23.0)).action()["pins"] == {}


def test_a_fallen_pin_of_the_boards_colour_is_found_and_asked_about() -> None:
    before = draw(SETUP, STANDING, (13.0, 24.0), alike=True)
    after = draw(SETUP, _shot(p1=lying((60.0, 20.0), 1.2, PIN)), (128.0, 20.0), seed=1, alike=True)
    reading = read_pins(SETUP, after, before, STATE)
    assert isinstance(reading, PinsReading), reading
    assert reading.action()["pins"] == {"1": "fallen"}
    assert {item.code for item in reading.review} >= {"UNEXPLAINED_CHANGE"}


def test_other_light_changes_nothing() -> None:
    reading = _read(_shot(p6=lying((100.0, 8.0), 0.7, PIN)), light=0.8)
    assert reading.action()["pins"] == {"6": "fallen"}


def test_fb_23_a_pin_beside_the_board_has_left_it() -> None:
    reading = _read(_shot(p6=lying((128.0, 20.0), 0.7, PIN)))
    assert reading.action()["pins"] == {"6": "off_board"}


def test_fb_22_a_pin_across_a_rail_leans() -> None:
    reading = _read(_shot(p6=lying((70.0, -0.3), math.pi / 2, PIN, lift_cm=2.2)))
    assert reading.action()["pins"] == {"6": "leaning"}


def test_fb_24_a_pin_short_of_the_first_line_goes_to_the_line() -> None:
    reading = _read(_shot(p6=lying((18.0, 40.0), 0.3, PIN)))
    assert reading.action()["pins"] == {"6": "line"}


def test_a_pin_that_nobody_sees_has_left_the_board_and_asks() -> None:
    reading = _read({name: axis for name, axis in STANDING.items() if name != "6"})
    assert reading.action()["pins"] == {"6": "off_board"}
    assert [item.code for item in reading.review] == ["PIN_NOT_SEEN"]


@pytest.mark.parametrize(("alike", "codes"), [(False, []), (True, ["PIN_NOT_SEEN"])])
def test_a_pin_that_nothing_can_hide_has_left_the_board_if_it_would_stand_out(
    alike: bool, codes: list[str]
) -> None:
    few = {name: STANDING[name] for name in ("1", "7", "8")}
    state = {"pins": {name: STATE["pins"][name] for name in few}}
    before, after = (draw(SETUP, pins, None, alike=alike) for pins in (few, {"1": few["1"], "7": few["7"]}))
    reading = read_pins(SETUP, after, before, state)
    assert isinstance(reading, PinsReading), reading
    assert reading.action()["pins"] == {"8": "off_board"}
    assert ("PIN_NOT_SEEN" in [item.code for item in reading.review]) == alike
    assert alike or not reading.review


def test_fb_22_pins_that_lie_end_over_end_are_both_seen_and_asked_about() -> None:
    reading = _read(
        _shot(p7=lying((106.0, 38.0), math.pi / 2, PIN), p5=lying((104.8, 32.4), 0.6, PIN, lift_cm=1.0))
    )
    assert reading.action()["pins"] == {"5": "fallen", "7": "fallen"}
    assert {item.code for item in reading.review} >= {"LEANING_UNSURE"}


def test_which_of_two_neighbours_fell_and_which_flew_off_asks() -> None:
    reading = _read(_shot(p7=lying((113.0, 22.0), 1.0, PIN), p9=lying((128.0, 24.0), 0.5, PIN)))
    assert Counter(pin.state for pin in reading.pins.values()) == {"upright": 10, "fallen": 1, "off_board": 1}
    assert {item.code for item in reading.review} >= {"WHICH_PIN"}


def test_without_a_picture_before_nothing_is_guessed() -> None:
    assert _refusal(BEFORE, None) == "NO_BEFORE"


def test_pins_elsewhere_than_the_state_says_are_refused() -> None:
    state = {"pins": {name: [x - 30, y] for name, (x, y) in START_CM.items()}}
    assert _refusal(BEFORE, BEFORE, state) == "PINS_NOT_THERE"


def test_without_a_state_pins_have_to_stand_in_the_start_layout() -> None:
    assert isinstance(read_pins(SETUP, BEFORE, BEFORE), PinsReading)
    elsewhere = draw(SETUP, {"1": standing((60.0, 10.0), PIN), "2": standing((50.0, 30.0), PIN)}, None)
    refused = read_pins(SETUP, elsewhere, elsewhere)
    assert isinstance(refused, Failure)
    assert refused.code == "NO_STATE"


def test_a_board_that_is_not_there_is_refused() -> None:
    empty = np.random.default_rng(0).integers(80, 120, BEFORE.shape).astype(np.uint8)
    assert _refusal(empty, empty) == "PINS_NOT_THERE"


def test_a_hand_over_the_board_is_refused() -> None:
    image = BEFORE.copy()
    cv2.ellipse(image, (560, 420), (260, 70), 20, 0, 360, (120, 150, 215), -1)
    assert _refusal(image) in ("HAND_IN_VIEW", "SCENE_CHANGED")


def test_pictures_of_two_sizes_are_refused() -> None:
    assert _refusal(BEFORE[:-10]) == "OTHER_SIZE"


def test_a_camera_that_was_touched_is_moved_back() -> None:
    matrix = np.array([[1, 0, 2.0], [0, 1, -1.5]], np.float64)
    image = draw(SETUP, _shot(p6=lying((100.0, 8.0), 0.7, PIN)), None, seed=1)
    touched = cv2.warpAffine(image, matrix, (1280, 720), borderMode=cv2.BORDER_REPLICATE)
    reading = read_pins(SETUP, np.asarray(touched, np.uint8), BEFORE, STATE)
    assert isinstance(reading, PinsReading)
    assert reading.action()["pins"] == {"6": "fallen"}
    assert "CAMERA_SHIFTED" in {item.code for item in reading.review}
