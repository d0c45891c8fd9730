import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.darts.board import (
    SECTORS,
    Rings,
    on_board,
    sector_at,
    segment_at,
    segment_probabilities,
    wire_distance_mm,
)

TOY = Rings.of([8.6, 18.4, 95, 106, 159, 170])


@pytest.mark.parametrize(
    ("radius", "degrees", "segment"),
    [
        (0, 0, "DB"),
        (6.3, 77, "DB"),
        (6.4, 77, "SB"),
        (15.8, 200, "SB"),
        (16.0, 0, "S20"),
        (98.9, 8.9, "S20"),
        (98.9, 9.1, "S1"),
        (99.1, -8.9, "T20"),
        (106.9, -9.1, "T5"),
        (107.1, 90, "S6"),
        (161.9, 180, "S3"),
        (162.1, 270, "D11"),
        (169.9, 351.1, "D20"),
        (170.1, 0, "MISS"),
        (400, 123, "MISS"),
    ],
)
def test_a_point_lies_in_its_segment(radius: float, degrees: float, segment: str) -> None:
    assert segment_at(on_board(radius, degrees)[0]) == segment


def test_the_numbers_run_clockwise_as_seen_with_y_up() -> None:
    assert segment_at((60, 0.1)) == "S6"
    assert segment_at((-60, 0.1)) == "S11"
    assert segment_at((0, -60)) == "S3"
    middles = on_board(130, 18.0 * np.arange(20))
    assert [segment_at(middle) for middle in middles] == [f"S{number}" for number in SECTORS]


def test_a_toy_board_has_its_own_rings() -> None:
    assert segment_at((0, 97), TOY) == "T20"
    assert segment_at((0, 97)) == "S20"


@given(st.floats(-180, 180), st.floats(-180, 180))
def test_probabilities_sum_to_one_and_lead_with_the_segment_of_a_sharp_tip(x: float, y: float) -> None:
    sharp = segment_probabilities((x, y), np.eye(2) * 1e-8)
    if wire_distance_mm((x, y)) > 1e-2:
        assert sharp == {segment_at((x, y)): pytest.approx(1)}
    blunt = segment_probabilities((x, y), np.array([[4.0, 1.0], [1.0, 2.0]]))
    assert sum(blunt.values()) == pytest.approx(1)
    assert list(blunt.values()) == sorted(blunt.values(), reverse=True)


def test_a_tip_on_a_wire_is_shared_by_both_neighbours() -> None:
    shares = segment_probabilities((0, 162), np.eye(2))
    assert set(shares) == {"D20", "S20"}
    assert shares["D20"] == pytest.approx(0.5, abs=0.01)


def test_a_long_covariance_reaches_further_along_its_axis() -> None:
    along = segment_probabilities((0, 158), np.diag([0.1, 16.0]))
    across = segment_probabilities((0, 158), np.diag([16.0, 0.1]))
    assert along["D20"] == pytest.approx(0.5 * math.erfc(1 / math.sqrt(2)), abs=0.01)
    assert "D20" not in across


def test_probabilities_agree_with_darts_thrown_by_chance() -> None:
    mean, cov = np.array([20.0, 103.0]), np.array([[9.0, 3.0], [3.0, 6.0]])
    thrown = np.random.default_rng(3).multivariate_normal(mean, cov, 20_000)
    names = [segment_at(dart) for dart in thrown]
    for name, share in segment_probabilities(mean, cov).items():
        assert names.count(name) / len(names) == pytest.approx(share, abs=0.012)


@pytest.mark.parametrize(
    ("radius", "degrees", "distance"),
    [
        (0, 0, 6.35),
        (103, 0, 4),
        (130, 9, 0),
        (130, 0, 130 * math.sin(math.radians(9))),
        (10, 9, 3.65),
        (180, 9, 10),
    ],
)
def test_the_distance_to_the_nearest_wire(radius: float, degrees: float, distance: float) -> None:
    assert wire_distance_mm(on_board(radius, degrees)[0]) == pytest.approx(distance, abs=1e-9)


def test_a_miss_keeps_the_number_it_was_beside() -> None:
    assert sector_at(on_board(210, 37)[0]) == 18
    assert segment_at(on_board(210, 37)[0]) == "MISS"


@pytest.mark.parametrize("radii", [[1, 2, 3, 4, 5], [1, 2, 3, 3, 5, 6], [0, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]])
def test_rings_that_do_not_grow_outward_are_refused(radii: list[float]) -> None:
    with pytest.raises(ValueError, match="board"):
        Rings.of(radii)
