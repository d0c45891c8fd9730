"""Which pin is which."""

import itertools

import numpy as np
import pytest

from vision.failure import Failure
from vision.finn.identity import GONE, TUNING, assigned, travel_cost
from vision.finn.state import START_CM, parse_state


def test_the_likeliest_way_is_the_cheapest_of_all_ways() -> None:
    rng = np.random.default_rng(3)
    for names, bodies in ((1, 1), (3, 3), (4, 2), (5, 4)):
        costs = rng.uniform(0, 5, (names, bodies))
        found = assigned([str(k) for k in range(names)], costs).bodies
        padded = np.column_stack([costs, np.full((names, names - bodies), TUNING.gone_cost)])
        cheapest = min(
            sum(padded[k, way[k]] for k in range(names)) for way in itertools.permutations(range(names))
        )
        mine = sum(TUNING.gone_cost if found[str(k)] == GONE else costs[k, found[str(k)]] for k in range(names))
        assert mine == pytest.approx(cheapest)


def test_chances_of_a_pin_and_of_a_body_sum_to_one() -> None:
    costs = np.random.default_rng(5).uniform(0, 4, (5, 3))
    chances = np.array(list(assigned(list("abcde"), costs).chances.values()))
    assert chances.sum(axis=1) == pytest.approx(np.ones(5))
    assert chances[:, :3].sum(axis=0) == pytest.approx(np.ones(3))


def test_two_pins_that_may_have_changed_places_are_not_sure() -> None:
    alike = assigned(["1", "2"], np.zeros((2, 2)))
    assert alike.chances["1"][0] == pytest.approx(0.5)


def test_a_lone_pin_that_nobody_sees_is_gone() -> None:
    assert assigned(["4"], np.zeros((1, 0))).bodies == {"4": GONE}


def test_standing_pins_move_less_than_lying_ones() -> None:
    assert travel_cost((0, 0), (10, 0), stands=True) > travel_cost((0, 0), (10, 0), stands=False)


def test_fb_02_the_start_layout_names_every_pin() -> None:
    assert len(START_CM) == 12
    assert START_CM["7"] == (95.0, 30.0)
    assert START_CM["6"] == pytest.approx((90.0, 16.25))


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"pins": {}},
        {"pins": {"13": [1, 2]}},
        {"pins": {"1": [1]}},
        {"pins": {"1": [1, "2"]}},
        {"pins": {"1": [True, 2]}},
        {"pins": {"1": [1, float("nan")]}},
        {"pins": {"1": [950, 24.5]}},  # millimetres
        {"pins": {"1": [10**400, 2]}},
    ],
)
def test_what_is_no_state_is_refused(value: object) -> None:
    refused = parse_state(value)
    assert isinstance(refused, Failure)
    assert refused.code == "BAD_STATE"
