"""From a picture of a board to a setup: found, by markers, by points, or as given."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from support.boards_service import sample_setup

from service.boards.calibrating import Calibrated, calibrated
from vision.failure import Failure
from vision.markers import DICTIONARY, corners_cm

Picture = NDArray[np.uint8]
SCALE, EDGE = 9.0, 30.0
CORNERS = [[30.0, 471.0], [1083.0, 471.0], [1083.0, 30.0], [30.0, 30.0]]
"""Of a finn board that is seen from straight above, x to the right and y up."""


def table() -> Picture:
    """Draw a finn board with a marker in each corner, from straight above."""
    picture = np.full((501, 1113), 230, np.uint8)
    for number in range(4):
        cells = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(DICTIONARY), number, 60)
        inner = np.array([[0, 0], [60, 0], [60, 60], [0, 60]], np.float32)
        goal = np.array([(EDGE + SCALE * x, 471 - SCALE * y) for x, y in corners_cm("finn", number)], np.float32)
        matrix = cv2.getPerspectiveTransform(inner, goal)
        size = (picture.shape[1], picture.shape[0])
        drawn = cv2.warpPerspective(cells, matrix, size, borderValue=255)
        picture = np.minimum(picture, drawn).astype(np.uint8)
    return np.dstack([picture] * 3)


def done(asked: dict[str, Any], picture: Picture | None = None) -> Calibrated:
    found = calibrated(table() if picture is None else picture, asked)
    assert isinstance(found, Calibrated), found
    return found


def test_a_table_is_found_by_its_markers() -> None:
    found = done({"game": "finn"})
    corner = cv2.perspectiveTransform(np.array([[[0.0, 0.0], [117.0, 49.0]]]), homography(found.setup))[0]
    assert np.allclose(corner, [CORNERS[0], CORNERS[2]], atol=1.5)
    assert np.any(found.drawn != table())


def homography(setup: Any) -> NDArray[np.float64]:  # noqa: ANN401 - JSON
    known, seen = np.array(setup["board_cm"], np.float64), np.array(setup["board_px"], np.float64)
    return np.asarray(cv2.findHomography(known, seen)[0])


def test_a_table_without_markers_says_what_is_not_seen() -> None:
    found = calibrated(np.full((480, 640, 3), 200, np.uint8), {"game": "finn"})
    assert isinstance(found, Failure)
    assert found.code == "NO_MARKERS"


def test_points_place_a_board_and_keep_what_is_known_of_its_table() -> None:
    base = sample_setup("finn")
    found = done({"game": "finn", "points_px": CORNERS, "base": base})
    assert found.setup["board_px"] == CORNERS
    assert found.setup["pins"] == base["pins"] != {"diameter_cm": 3.0, "height_cm": 7.5}
    fresh = done({"game": "finn", "points_px": CORNERS})
    assert fresh.setup["pins"] == {"diameter_cm": 3.0, "height_cm": 7.5}
    known = [[0, 0], [117, 0], [117, 49], [0, 49]]
    assert done({"game": "finn", "points_px": CORNERS, "known": known}).setup["board_cm"] == known


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"game": "finn", "points_px": [[0, 0], [1, 1], [2, 2], [3, 3]]}, "BAD_POINTS"),
        ({"game": "finn", "setup": {"game": "finn"}}, "BAD_SETUP"),
        ({"game": "cricket", "setup": sample_setup("finn")}, "WRONG_GAME"),
    ],
)
def test_what_makes_no_setup_is_said(asked: dict[str, Any], code: str) -> None:
    found = calibrated(table(), asked)
    assert isinstance(found, Failure)
    assert found.code == code


def test_a_setup_is_drawn_on_a_picture_of_another_size() -> None:
    half = cv2.resize(table(), None, fx=0.5, fy=0.5).astype(np.uint8)
    setup = {**done({"game": "finn", "points_px": CORNERS}).setup, "image_size": [1113, 501]}
    half = half[:250, :556]
    drawn = done({"game": "finn", "setup": setup}, half).drawn
    changed = np.any(drawn != half, axis=2)
    left, right = np.flatnonzero(changed[120])[[0, -1]]
    assert (abs(left - 15), abs(right - 541.5)) < (2, 2), "the sides of the outline, half as far out"
