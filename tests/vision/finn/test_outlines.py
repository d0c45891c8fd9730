"""Outlines of many bodies at once are those of each, and what may hold a leaning pin up."""

import math

import cv2
import numpy as np
import pytest
from support.finn_scenes import DISC, PIN, scene_camera, scene_setup

from vision.finn.outlines import axis_of, outlines, rows_of
from vision.finn.pins import Axis, Body, lying, outline_px, standing
from vision.finn.resting import held

CAMERA = scene_camera(scene_setup())
CUT = Axis(x_cm=40.0, y_cm=30.0, z_cm=1.5, azimuth=2.0, tilt=math.pi / 2, roll=1.0, drop_cm=2.4)
BODIES = [
    (standing((90.0, 25.0), PIN), PIN),
    (lying((70.0, 12.0), 0.7, PIN), PIN),
    (Axis(x_cm=100.0, y_cm=40.0, z_cm=3.0, azimuth=-1.0, tilt=1.0), PIN),
    (standing((20.0, 20.0), DISC), DISC),
    (CUT, PIN),
]


def test_rows_hold_all_of_an_axis() -> None:
    assert axis_of(rows_of([CUT])[0]) == CUT


def test_all_together_are_as_each_alone() -> None:
    rows = rows_of([axis for axis, _ in BODIES])
    radius, height = (np.array([getattr(body, name) for _, body in BODIES]) for name in ("radius_cm", "height_cm"))
    found = outlines(rows, radius, height, CAMERA)
    for k, (axis, body) in enumerate(BODIES):
        alone = outline_px(axis, body, CAMERA).astype(np.float32)
        ring = found.ring_px[:, k].T
        gaps = [cv2.pointPolygonTest(alone, (float(x), float(y)), True) for x, y in ring]
        assert np.abs(gaps).max() < 0.6
        assert cv2.contourArea(ring.astype(np.float32)) == pytest.approx(cv2.contourArea(alone), rel=0.06)
        outward = np.sum((found.ring_px[:, k] - found.middle_px[:, k, None]) * found.normals[:, k], axis=0)
        assert (outward > 0).all()


LEANS = Axis(x_cm=60.0, y_cm=25.0, z_cm=3.3, azimuth=0.0, tilt=1.2)


@pytest.mark.parametrize(
    ("axis", "others", "holds"),
    [
        (LEANS, [], False),
        (LEANS, [(standing((64.5, 25.0), PIN), PIN)], True),
        (LEANS, [(standing((55.0, 25.0), PIN), PIN)], False),  # at its foot
        (LEANS, [(standing((65.0, 25.0), DISC), DISC)], True),
        (LEANS, [(LEANS, PIN)], False),  # nothing holds itself
        (Axis(x_cm=60.0, y_cm=46.0, z_cm=3.3, azimuth=math.pi / 2, tilt=1.2), [], True),  # a rail
    ],
)
def test_fb_22_a_leaning_pin_is_held_by_something_at_its_upper_end(
    axis: Axis, others: list[tuple[Axis, Body]], holds: bool
) -> None:
    assert held(axis, PIN, others) is holds
