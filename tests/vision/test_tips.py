"""Tips found between two drawn pictures: where they are, how sure, and what is no dart."""

from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.dart_scenes import SIZE, Moment, frames, plane

from vision.darts.board import on_board
from vision.darts.find import BoardFit
from vision.darts.tips import Comparison, Dart, compare_pair, new_darts
from vision.darts.tips.align import board_movement
from vision.darts.tips.likeness import tilt_needed
from vision.darts.tips.pose import Pose

Picture = NDArray[np.uint8]
Point = tuple[float, float]

BOARD = BoardFit(plane=plane())
FIRST, SECOND, THIRD = (10.0, 103.0), (-40.0, -60.0), (80.0, 20.0)


def pictures(*moments: Moment, noise: float = 1.5) -> list[Picture]:
    return [frame.bgr() for frame in frames(moments, noise=noise)]


def compared(before: Moment, after: Moment, noise: float = 1.5) -> Comparison:
    first, second = pictures(before, after, noise=noise)
    return compare_pair(first, second, BOARD)


def tips_mm(darts: Sequence[Dart]) -> list[Point]:
    return [tuple(BOARD.plane.to_board([dart.plane_px])[0]) for dart in darts]


def off_mm(dart: Dart, tip: Point) -> float:
    return float(np.hypot(*(BOARD.plane.to_board([dart.plane_px])[0] - tip)))


@pytest.mark.parametrize("radius", [20.0, 60.0, 103.0, 140.0, 166.0])
@pytest.mark.parametrize("degrees", [5.0, 100.0, 230.0])
def test_the_tip_is_where_the_point_meets_the_board(radius: float, degrees: float) -> None:
    tip = tuple(on_board(radius, degrees)[0])
    (dart,) = compared(Moment(), Moment(darts_mm=(tip,))).darts
    assert off_mm(dart, tip) < 2.5


def test_the_axis_points_from_the_tip_to_the_flight() -> None:
    (dart,) = compared(Moment(), Moment(darts_mm=(FIRST,))).darts
    assert dart.axis_px[1] < -0.8, "flights stand above the tip for a camera that looks from below"
    assert dart.length_px > 60


def test_a_miss_beside_the_double_ring_is_a_dart() -> None:
    tip = tuple(on_board(190.0, 200.0)[0])
    (dart,) = compared(Moment(), Moment(darts_mm=(tip,))).darts
    assert off_mm(dart, tip) < 2.5


def test_two_new_darts_are_both_found() -> None:
    darts = compared(Moment(), Moment(darts_mm=(SECOND, THIRD))).darts
    assert len(darts) == 2
    assert all(min(off_mm(dart, tip) for dart in darts) < 2.0 for tip in (SECOND, THIRD))


def test_only_what_is_new_is_read() -> None:
    first, second = pictures(Moment(darts_mm=(FIRST,)), Moment(darts_mm=(FIRST, SECOND)))
    (dart,) = new_darts(first, second, BOARD)
    assert off_mm(dart, SECOND) < 2.0


@pytest.mark.parametrize("light", [0.7, 0.9, 1.1])
def test_another_light_is_no_dart_and_hides_none(light: float) -> None:
    assert compared(Moment(), Moment(light=light)).darts == ()
    (dart,) = compared(Moment(), Moment(light=light, darts_mm=(FIRST,))).darts
    assert off_mm(dart, FIRST) < 2.0


@pytest.mark.parametrize("shift", [(0.6, -0.4), (3.0, 2.0)])
def test_a_board_that_moved_is_laid_over_itself(shift: Point) -> None:
    seen = compared(Moment(), Moment(darts_mm=(FIRST,), shift_px=shift))
    (dart,) = seen.darts
    assert seen.movement[:, 2] + seen.movement[:, :2] @ (320, 240) == pytest.approx(
        np.add((320, 240), shift), abs=0.15
    )
    assert off_mm(dart, FIRST) < 2.0
    assert np.subtract(dart.tip_px, dart.plane_px) == pytest.approx(shift, abs=0.2)


def test_two_equal_scenes_hold_no_dart_and_no_change() -> None:
    seen = compared(Moment(darts_mm=(FIRST,)), Moment(darts_mm=(FIRST,)))
    assert seen.darts == ()
    assert seen.unexplained_share < 1e-4
    assert seen.largest_mm2 < 12.0
    assert seen.followed


@pytest.mark.parametrize("beside_mm", [0.0, 40.0])
def test_the_largest_piece_is_measured_on_the_board_and_beside_it(beside_mm: float) -> None:
    before, after = pictures(Moment(), Moment())
    x, y = (round(v) for v in BOARD.plane.to_px([(-222.0 - beside_mm, 60.0)])[0])
    after = after.copy()
    cv2.rectangle(after, (x, y), (x + 5, y + 19), (60, 200, 60), -1)
    seen = compare_pair(before, after, BOARD)
    assert seen.darts == ()
    assert seen.largest_mm2 == pytest.approx(120 / 1.05**2, rel=0.35)


def test_a_hand_changes_much_of_the_board() -> None:
    assert compared(Moment(), Moment(hand_px=(320.0, 230.0))).changed_share > 0.03


def test_a_round_blot_is_left_unexplained() -> None:
    seen = compared(Moment(), Moment(blot_px=(300.0, 260.0)))
    assert [dart for dart in seen.darts if dart.confidence > 0.8] == []
    assert seen.unexplained_share > 0.0015


def shaded(picture: Picture, dart: Dart, turned_deg: float, left: tuple[float, float, float]) -> Picture:
    """Throw a dart's shadow from its tip, as one lamp of several does: `left` of each channel's light."""
    turn = np.radians(turned_deg)
    u = np.array(dart.axis_px) @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    shadow = np.zeros(picture.shape[:2], np.uint8)
    cv2.polylines(
        shadow, [np.round([dart.tip_px + 4 * u, dart.tip_px + 90 * u]).astype(np.int32)], False, (255,), 9
    )
    kept = 1 - cv2.GaussianBlur(shadow, (0, 0), 1.0)[..., None] / 255 * (1 - np.array(left))
    return np.asarray(np.round(picture * kept), np.uint8)


LEFT_WARM, LEFT_COLD = (0.62, 0.68, 0.72), (0.72, 0.65, 0.6)


@pytest.mark.parametrize("turned_deg", [-90.0, -50.0, 50.0, 90.0])
@pytest.mark.parametrize("left", [LEFT_WARM, LEFT_COLD])
def test_the_shadow_of_one_lamp_of_several_moves_no_tip_and_is_explained(
    turned_deg: float, left: tuple[float, float, float]
) -> None:
    before, after = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    (alone,) = compare_pair(before, after, BOARD).darts
    seen = compare_pair(before, shaded(after, alone, turned_deg, left), BOARD)
    assert off_mm(seen.darts[0], FIRST) < 2.5
    assert seen.unexplained_share < 0.0005


@pytest.mark.parametrize("left", [LEFT_WARM, LEFT_COLD])
@pytest.mark.parametrize("turned_deg", [-140.0, 140.0])
def test_a_shadow_that_runs_on_from_the_point_leaves_the_end_in_doubt(
    turned_deg: float, left: tuple[float, float, float]
) -> None:
    before, after = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    (alone,) = compare_pair(before, after, BOARD).darts
    dart = compare_pair(before, shaded(after, alone, turned_deg, left), BOARD).darts[0]
    assert dart.others_px[0] > 4.0


def test_a_dart_that_is_known_is_not_new() -> None:
    first, second = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    (dart,) = new_darts(first, second, BOARD)
    assert new_darts(first, second, BOARD, known=(dart,)) == ()


def test_the_covariance_holds_the_errors() -> None:
    excess = []
    for k in range(16):
        tip = tuple(on_board(30.0 + 8.0 * k, 47.0 * k)[0])
        for dart in compared(Moment(), Moment(darts_mm=(tip,))).darts:
            miss = np.subtract(dart.tip_px, BOARD.plane.to_px([tip])[0])
            excess.append(float(miss @ np.linalg.inv(dart.cov_px) @ miss))
    assert len(excess) >= 15
    assert np.mean(np.array(excess) < 9.21) > 0.85, "99 % of a two-dimensional normal lies within 9.21"


def test_nothing_to_follow_is_no_movement() -> None:
    blank = np.full((SIZE[1], SIZE[0]), 90, np.uint8)
    assert board_movement(blank, blank, np.full_like(blank, 255)) is None
    wall = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    seen = compare_pair(wall, wall, BOARD)
    assert not seen.followed
    assert np.array_equal(seen.movement, [[1, 0, 0], [0, 1, 0]])


def test_the_normal_points_at_the_camera() -> None:
    pose = Pose(BOARD.plane, SIZE)
    lean = pose.lean_px(BOARD.plane.to_px([(0.0, 0.0)])[0], 150.0)
    assert lean[1] < -20, "a camera below the bull sees what stands out of the board above its foot"
    assert abs(lean[0]) < abs(lean[1])


@given(st.floats(-0.4, 0.4), st.floats(-0.9, 0.9), st.floats(0.3, 1.2))
@settings(max_examples=50, deadline=None)
def test_a_part_of_an_upright_dart_needs_no_tilt(x: float, y: float, share: float) -> None:
    lean = np.array([x, y])
    tilt, _ = tilt_needed(lean * share, lean)
    assert tilt <= 0.1 * float(np.hypot(x, y)) + 1e-9
