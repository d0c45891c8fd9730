"""Setting up again: where each pin belongs, and what is said about one that stands elsewhere."""

from collections.abc import Mapping

import pytest

from vision.finn.placing import Wanted, defense_differences, differences, inside_cm, placements, wanted
from vision.finn.state import Place
from vision.setup import FinnTable

TABLE = FinnTable()
STATES = {"1": "upright", "4": "fallen", "6": "fallen", "7": "leaning", "9": "off_board", "3": "line"}
PLACES: dict[str, Place | None] = {
    "1": (80.0, 27.2), "4": (90.0, 10.0), "6": (70.0, 20.0), "7": (60.0, 0.2), "9": None, "3": (18.0, 40.0),
}  # fmt: skip
RIGHT: dict[str, Place] = {
    "1": (80.0, 27.2), "4": (91.0, 10.5), "6": (69.0, 20.5), "7": (60.5, 2.0), "9": (110.0, 20.0),
    "3": (25.0, 39.0),
}  # fmt: skip


def _belongs() -> dict[str, Wanted]:
    return wanted(STATES, PLACES, TABLE)


def _codes(stand: Mapping[str, Place]) -> list[tuple[str, str]]:
    return [(one.code, one.pin) for one in differences(_belongs(), stand, TABLE)]


def test_a_board_that_is_set_up_right_is_not_refused() -> None:
    assert _codes(RIGHT) == []


@pytest.mark.parametrize(
    ("pin", "place", "code"),
    [
        pytest.param("1", (82.0, 27.2), "MOVED", id="FB-31 a pin that stood was moved"),
        pytest.param("4", (95.0, 10.0), "NOT_WHERE_IT_FELL", id="FB-11 a fallen pin stands elsewhere"),
        pytest.param("7", (60.0, 8.0), "NOT_WHERE_IT_FELL", id="FB-22 a leaning pin stands elsewhere"),
        pytest.param("9", (95.0, 24.0), "NOT_IN_BACK_ZONE", id="FB-23 a pin that left the board"),
        pytest.param("3", (29.0, 40.0), "NOT_ON_LINE", id="FB-24 beyond the line"),
        pytest.param("3", (25.0, 30.0), "NOT_ON_LINE", id="FB-24 on the line, but not at its own y"),
    ],
)
def test_a_pin_in_a_wrong_place_is_named_with_what_is_wrong(pin: str, place: Place, code: str) -> None:
    assert _codes({**RIGHT, pin: place}) == [(code, pin)]


def test_a_pin_that_does_not_stand_is_named() -> None:
    assert _codes({pin: place for pin, place in RIGHT.items() if pin != "4"}) == [("NOT_STANDING", "4")]


def test_a_pin_that_lay_against_a_rail_belongs_where_it_can_stand() -> None:
    goal = _belongs()["7"].xy_cm
    assert goal is not None
    assert goal[1] == pytest.approx(1.7)


def test_fb_30_fallen_pins_in_the_zone_and_not_where_they_fell_are_a_defense() -> None:
    states = {"1": "upright", "4": "fallen", "6": "fallen"}
    belongs = wanted(states, PLACES, TABLE)
    stand = {"1": (80.0, 27.2), "4": (60.0, 10.0), "6": (70.0, 20.0)}
    assert placements(states, belongs, stand, TABLE) == {"4": (60.0, 10.0), "6": (70.0, 20.0)}
    assert placements(states, belongs, {**stand, "4": (90.0, 10.0)}, TABLE) is None


def test_fb_33_no_defense_after_a_pin_left_the_board() -> None:
    states = {"4": "fallen", "9": "off_board"}
    belongs = wanted(states, PLACES, TABLE)
    assert placements(states, belongs, {"4": (60.0, 10.0), "9": (110.0, 20.0)}, TABLE) is None


def test_fb_31_pins_in_defense_stand_a_disc_apart_and_in_the_zone() -> None:
    far = {"4": (60.0, 10.0), "6": (67.0, 10.0)}
    assert defense_differences(far, {}, TABLE) == ()
    near = defense_differences({"4": (60.0, 10.0), "6": (66.0, 10.0)}, {}, TABLE)
    assert [(one.code, one.pin, one.other) for one in near] == [("TOO_CLOSE", "4", "6")]
    assert near[0].off_cm == pytest.approx(1.0)
    old = defense_differences({"4": (60.0, 10.0)}, {"6": (62.0, 14.0)}, TABLE)
    assert [one.code for one in old] == ["TOO_CLOSE"]
    out = defense_differences({"4": (50.0, 10.0)}, {}, TABLE)
    assert [one.code for one in out] == ["OUTSIDE_DEFENSE_ZONE"]
    assert out[0].off_cm == pytest.approx(5.0)


def test_a_place_on_the_edge_of_a_zone_is_in_it() -> None:
    assert inside_cm((55.0, 10.0), TABLE.zones_cm["defense"]) == pytest.approx(0.0)
    assert inside_cm((54.0, 10.0), TABLE.zones_cm["defense"]) == pytest.approx(-1.0)
