"""The camera over a board, and the outlines of pins in it."""

import math

import numpy as np
import pytest
from support.finn_scenes import DISC, PIN, SIZE, draw, scene_camera, scene_setup

from vision.finn.camera import cameras
from vision.finn.focus import edges_of, fitted, sharpened
from vision.finn.pins import Axis, lying, outline_px, standing
from vision.finn.state import START_CM


def test_points_of_a_slanted_view_alone_tell_the_focal_length() -> None:
    camera = scene_camera(scene_setup())
    assert camera.lens.f_px == pytest.approx(1000, rel=0.05)
    assert camera.eye_cm == pytest.approx([58.5, -75, 95], abs=6)


def test_standing_pins_tell_the_focal_length_better_than_a_wrong_one() -> None:
    setup = scene_setup()
    places = list(START_CM.values())
    before = draw(setup, {name: standing(xy, PIN) for name, xy in START_CM.items()}, None)
    found, edges = cameras(setup, SIZE), edges_of(before)
    assert isinstance(found, tuple)
    camera = sharpened(fitted(found, edges, places, PIN), setup, edges, places, PIN)
    assert camera.lens.f_px == pytest.approx(1000, rel=0.05)


def test_a_point_goes_to_the_picture_and_back_at_its_height() -> None:
    camera = scene_camera(scene_setup())
    for z in (0.0, 3.0, 7.5):
        px = camera.to_px([[40.0, 12.0, z]])
        assert camera.to_plane(px, z)[0] == pytest.approx([40.0, 12.0], abs=1e-6)


def test_a_lying_pin_is_as_long_as_it_is_high() -> None:
    camera = scene_camera(scene_setup())
    outline = camera.to_plane(outline_px(lying((60, 20), 0.0, PIN), PIN, camera), PIN.radius_cm)
    assert np.ptp(outline[:, 0]) == pytest.approx(PIN.height_cm, abs=0.3)


@pytest.mark.parametrize("roll", [0.0, 1.0, math.pi])
def test_a_bevelled_head_takes_away_from_the_outline_and_adds_nothing(roll: float) -> None:
    camera = scene_camera(scene_setup())
    flat = outline_px(standing((60, 20), PIN), PIN, camera)
    bevelled = outline_px(Axis(x_cm=60, y_cm=20, z_cm=3.75, roll=roll, drop_cm=2.0), PIN, camera)
    assert _area(bevelled) <= _area(flat) + 1e-6


def test_the_disc_is_lower_than_a_pin() -> None:
    camera = scene_camera(scene_setup())
    disc = outline_px(standing((60, 20), DISC), DISC, camera)
    pin = outline_px(standing((60, 20), PIN), PIN, camera)
    assert np.ptp(disc[:, 1]) < np.ptp(pin[:, 1])


def _area(points: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    x, y = points.T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)
