import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.failure import Failure
from vision.geometry import Lens, PlaneMap, lens_from_json, lens_to_json, plane_from_points, reprojection_error_px

LENS = Lens(f_px=900, cx_px=640, cy_px=360, k1=-0.21, k2=0.05)


def oblique(lens: Lens | None = None) -> PlaneMap:
    homography = np.array([[2.0, 0.3, 640], [0.1, -1.1, 380], [1e-4, 9e-4, 1]])
    return PlaneMap(homography=homography, lens=lens)


def spread(count: int = 200) -> NDArray[np.float64]:
    return np.random.default_rng(5).uniform(-200, 200, (count, 2))


@pytest.mark.parametrize("lens", [None, LENS])
def test_a_point_goes_to_the_picture_and_back(lens: Lens | None) -> None:
    board = spread()
    np.testing.assert_allclose(oblique(lens).to_board(oblique(lens).to_px(board)), board, atol=1e-6)


@given(st.floats(-0.25, 0.25), st.floats(-0.02, 0.02), st.floats(0, 2 * math.pi), st.floats(0, 500))
def test_a_lens_is_undone_wherever_it_does_not_fold(k1: float, k2: float, angle: float, radius: float) -> None:
    lens = Lens(f_px=900, cx_px=640, cy_px=360, k1=k1, k2=k2)
    ideal = np.array([[640 + radius * math.cos(angle), 360 + radius * math.sin(angle)]])
    np.testing.assert_allclose(lens.undistort(lens.distort(ideal)), ideal, atol=1e-3)


def test_a_point_beyond_the_fold_of_the_lens_gives_a_finite_answer() -> None:
    lens = Lens(f_px=500, cx_px=320, cy_px=240, k1=-0.4)
    assert np.all(np.isfinite(lens.undistort(np.array([[5000.0, 4000.0]]))))


@pytest.mark.parametrize("lens", [None, LENS])
def test_the_jacobian_is_the_slope_of_the_projection(lens: Lens | None) -> None:
    plane, board, step = oblique(lens), spread(20), 1e-4
    columns = [
        (plane.to_px(board + offset) - plane.to_px(board - offset)) / (2 * step)
        for offset in (np.array([step, 0]), np.array([0, step]))
    ]
    np.testing.assert_allclose(plane.jacobian(board), np.stack(columns, axis=2), atol=1e-5)


def test_a_covariance_on_the_board_is_that_of_points_scattered_in_the_picture() -> None:
    plane, seen = oblique(LENS), np.array([700.0, 300.0])
    cov_px = np.array([[0.5, 0.2], [0.2, 0.3]])
    scattered = np.random.default_rng(1).multivariate_normal(seen, cov_px, 40_000)
    np.testing.assert_allclose(plane.cov_to_board(seen, cov_px), np.cov(plane.to_board(scattered).T), rtol=0.04)


def test_the_scale_is_the_length_of_a_millimetre_where_the_view_is_straight() -> None:
    plane = PlaneMap(homography=np.array([[3.0, 0, 10], [0, -3.0, 20], [0, 0, 1]]))
    np.testing.assert_allclose(plane.px_per_unit(spread(5)), 3.0)


def test_four_points_fix_the_plane_and_more_are_averaged() -> None:
    board = np.array([[-170.0, 0], [0, 170], [170, 0], [0, -170], [80, 60]])
    exact = plane_from_points(board[:4], oblique(LENS).to_px(board[:4]), LENS)
    assert isinstance(exact, PlaneMap)
    np.testing.assert_allclose(exact.to_px(board), oblique(LENS).to_px(board), atol=1e-4)
    noisy = oblique().to_px(board) + np.random.default_rng(2).normal(0, 0.5, board.shape)
    fitted = plane_from_points(board, noisy)
    assert isinstance(fitted, PlaneMap)
    assert 0.01 < reprojection_error_px(fitted, board, noisy) < 1.0


SQUARE = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]]


@pytest.mark.parametrize(
    ("board", "seen", "why"),
    [
        (SQUARE[:3], SQUARE[:3], "Four matching points"),
        (SQUARE, [*SQUARE, [4.0, 4.0]], "4 points of the board stand against 5"),
        ([[0, 0], [1, 1], [2, 2], [3, 3]], SQUARE, "one line"),
        (SQUARE, [[0, 0], [1, 0], [2, 0], [3, 0]], "one line"),
        (SQUARE, [[0, 0], [10, 0], [0, 10], [10, 10]], "another order"),
    ],
)
def test_points_that_fix_no_plane_are_refused_with_the_reason(
    board: list[list[float]], seen: list[list[float]], why: str
) -> None:
    plane = plane_from_points(board, seen)
    assert isinstance(plane, Failure)
    assert why in plane.message


def test_a_map_follows_its_picture_when_that_is_resized() -> None:
    board = spread(30)
    half = oblique(LENS).scaled(0.5)
    np.testing.assert_allclose(half.to_px(board), (oblique(LENS).to_px(board) + 0.5) * 0.5 - 0.5, atol=1e-9)


def test_a_board_turned_counter_clockwise_has_its_top_where_the_left_was() -> None:
    plane = PlaneMap(homography=np.diag([1.0, -1.0, 1.0]))
    np.testing.assert_allclose(plane.turned(90).to_px([[0, 5]]), [[-5, 0]], atol=1e-12)


def test_a_lens_survives_its_json() -> None:
    assert lens_from_json(lens_to_json(LENS)) == LENS
    assert lens_from_json(None) is None
    assert lens_to_json(None) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "null or an object"),
        ({"f_px": 1.0, "cx_px": 1.0}, "lacks 'cy_px'"),
        ({"f_px": 0, "cx_px": 1.0, "cy_px": 1.0}, "positive"),
        ({"f_px": True, "cx_px": 1.0, "cy_px": 1.0}, "a number"),
        ({"f_px": 1.0, "cx_px": 1.0, "cy_px": 1.0, "k3": 1.0}, "knows no 'k3'"),
    ],
)
def test_a_lens_with_a_fault_is_refused_with_the_reason(value: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        lens_from_json(value)
