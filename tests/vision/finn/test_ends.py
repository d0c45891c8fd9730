"""Numbers on the heads of pins that lie: read where they look to the camera, and not where they do not."""

import cv2
import numpy as np
import pytest
from support.finn_numbers import CAMERA, SETUP
from support.finn_scenes import PIN, Picture, draw

from vision.finn.ends import FOOT_LOW, read_ends
from vision.finn.light import log_of
from vision.finn.numbers import TURNS
from vision.finn.pins import Axis, frame_of, lying, standing

SCALE, THICK = 5.5, 20


def _drawn(axis: Axis, number: str) -> Picture:
    """Draw a lying pin whose head shows a number, its foot at the low side of the bevel, which is up."""
    picture = draw(SETUP, {"1": axis}, None, seed=2)
    low, _, along = frame_of(axis)
    low = -low  # of a lying pin the first direction of its frame looks down
    slope = 0.8
    ahead, middle = -low + slope * along, axis.middle + (PIN.height_cm / 2 - slope * PIN.radius_cm) * along
    right = np.cross(ahead, along)
    right /= np.linalg.norm(right)
    art = np.full((200, 200, 3), (110, 175, 230), np.uint8)
    (wide, tall), _ = cv2.getTextSize(number, cv2.FONT_HERSHEY_SIMPLEX, SCALE, THICK)
    at = ((200 - wide) // 2, (200 + tall) // 2)
    cv2.putText(art, number, at, cv2.FONT_HERSHEY_SIMPLEX, SCALE, (20, 20, 30), THICK, cv2.LINE_AA)
    reach = PIN.radius_cm
    corners = [middle + reach * (x * right + y * ahead) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
    seen = CAMERA.to_px(np.array(corners)).astype(np.float32)
    flat = np.array([[0, 0], [199, 0], [199, 199], [0, 199]], np.float32)
    turn = cv2.getPerspectiveTransform(flat, seen)
    disc = cv2.circle(np.zeros((200, 200), np.uint8), (100, 100), 98, (255,), -1)
    over, where = (cv2.warpPerspective(one, turn, (1280, 720)) for one in (art, disc))
    picture[where > 127] = over[where > 127]
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.4), np.uint8)


@pytest.mark.parametrize("number", ["2", "4", "5", "7", "12"])
def test_the_number_of_a_lying_pin_is_read_with_its_foot_at_the_low_side(number: str) -> None:
    axis = lying((70.0, 30.0), 0.6, PIN)
    heads = read_ends(log_of(_drawn(axis, number)), [axis], [], PIN, CAMERA)
    assert heads.chances[0].sum(axis=1).argmax() + 1 == int(number)
    assert heads.chances[0, int(number) - 1].argmax() in (0, 1, TURNS - 1)


def test_nothing_is_read_behind_what_stands_before_it() -> None:
    axis = lying((70.0, 30.0), 0.6, PIN)
    head = axis.middle + PIN.height_cm / 2 * axis.along
    toward = CAMERA.eye_cm - head
    before = head + 4.0 * toward / np.linalg.norm(toward)
    hides = Axis(x_cm=float(before[0]), y_cm=float(before[1]), z_cm=float(before[2]))
    heads = read_ends(log_of(_drawn(axis, "7")), [axis], [(hides, PIN)], PIN, CAMERA)
    assert heads.nothing[0] == 1


def test_bare_ends_show_nothing() -> None:
    axes = [lying((70.0, 30.0), 0.6, PIN), standing((40.0, 20.0), PIN)]
    picture = draw(SETUP, {"1": axes[0], "2": axes[1]}, None, seed=2)
    picture[:] = cv2.GaussianBlur(picture, (0, 0), 2.0)
    assert read_ends(log_of(picture), axes[:1], [], PIN, CAMERA).nothing[0] == 1


def test_numbers_have_their_foot_at_the_low_side_as_a_rule_only() -> None:
    assert FOOT_LOW.sum() == pytest.approx(1)
    assert FOOT_LOW.argmax() == 0
    assert FOOT_LOW.min() > 0
