"""Where the camera stands and how balls show."""

import numpy as np
import pytest

from vision.astrolabe.camera import camera_of
from vision.failure import Failure
from vision.geometry import Lens, PlaneMap, plane_from_points

SIZE = (1280, 720)
MIDDLE = (639.5, 359.5)
CORNERS = np.array([[0.0, 0.0], [60.0, 0.0], [60.0, 120.0], [0.0, 120.0]])


def pinhole(
    eye: tuple[float, float, float], focal_px: float
) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Give the (3, 4) camera that looks from `eye` at the middle of the table."""
    forward = np.array([30.0, 60.0, 0.0]) - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0]) if abs(forward[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
    right -= forward * (right @ forward)
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(forward, right), forward])
    intrinsic = np.array([[focal_px, 0, MIDDLE[0]], [0, focal_px, MIDDLE[1]], [0, 0, 1]])
    return np.asarray(intrinsic @ np.column_stack([rotation, -rotation @ eye]))


def seen(
    matrix: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", xyz: list[tuple[float, float, float]]
) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    mapped = np.column_stack([np.array(xyz), np.ones(len(xyz))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def plane(eye: tuple[float, float, float], focal_px: float, lens: Lens | None = None) -> PlaneMap:
    corners = [(float(x), float(y), 0.0) for x, y in CORNERS]
    found = plane_from_points(CORNERS, seen(pinhole(eye, focal_px), corners), lens)
    assert not isinstance(found, Failure)
    return found


@pytest.mark.parametrize("focal_px", [700.0, 1200.0, 2200.0])
@pytest.mark.parametrize("eye", [(34.0, -10.0, 90.0), (-25.0, 60.0, 100.0), (90.0, 150.0, 80.0)])
def test_a_slanted_view_tells_its_focal_length(eye: tuple[float, float, float], focal_px: float) -> None:
    camera = camera_of(plane(eye, focal_px), SIZE)
    assert camera.eye_cm == pytest.approx(eye, abs=1.0)
    balls = [(21.0, 55.0, 1.25), (39.0, 105.0, 1.25), (58.0, 6.0, 1.25)]
    assert camera.to_px(balls) == pytest.approx(seen(pinhole(eye, focal_px), balls), abs=0.3)


def test_from_straight_above_the_usual_focal_length_is_good_enough_for_balls() -> None:
    eye, focal_px = (30.0, 60.0, 130.0), 1000.0
    camera = camera_of(plane(eye, focal_px), SIZE)
    balls = [(21.0, 55.0, 1.25), (39.0, 105.0, 1.25), (2.0, 2.0, 1.25)]
    away = camera.to_px(balls) - seen(pinhole(eye, focal_px), balls)
    assert np.abs(away).max() < 0.25 * 1.25 * 7.7


def test_a_known_lens_is_used() -> None:
    lens = Lens(f_px=1000.0, cx_px=MIDDLE[0], cy_px=MIDDLE[1])
    camera = camera_of(plane((30.0, 59.0, 130.0), 1000.0, lens), SIZE)
    assert camera.eye_cm == pytest.approx((30.0, 59.0, 130.0), abs=0.2)


def test_the_outline_of_a_ball_is_where_lines_of_sight_touch_it() -> None:
    eye = np.array([-25.0, 60.0, 100.0])
    camera = camera_of(plane((-25.0, 60.0, 100.0), 1200.0), SIZE)
    matrix = pinhole((-25.0, 60.0, 100.0), 1200.0)
    ways = np.linalg.solve(
        matrix[:, :3], np.column_stack([camera.outline_px((30.0, 40.0, 1.25), 1.25), np.ones(24)]).T
    )
    toward = np.array([30.0, 40.0, 1.25]) - eye
    beside = np.linalg.norm(np.cross((ways / np.linalg.norm(ways, axis=0)).T, toward), axis=1)
    assert beside == pytest.approx(np.full(24, 1.25), abs=0.02)
