import json
from functools import cache

import numpy as np
import pytest
from support.boards import TOY, draw_board, view

from vision.calibration import draw_lines, draw_points, setup_by_points, setup_of, to_check, turned_to
from vision.darts.board import Rings, on_board
from vision.darts.find import BoardFit, board_from_setup, find_board
from vision.failure import Failure
from vision.setup import Setup, format_setup, parse_setup

SIZE = (640, 480)
RINGS = Rings.of([8.6, 18.4, 95, 106, 159, 170])
TABLE_PX = [(100.0, 400.0), (560.0, 420.0), (500.0, 120.0), (140.0, 110.0)]
CORNERS_PX = {"finn": TABLE_PX, "astrolabe": TABLE_PX, "cricket": TABLE_PX[::-1]}
PLANE = view(above=60, turned=150, k1=-0.1)


@cache
def fitted() -> BoardFit:
    fit = find_board(draw_board(PLANE, rings=RINGS, paint=TOY))
    assert isinstance(fit, BoardFit)
    return fit


def test_a_board_comes_back_from_its_setup_as_it_was_found() -> None:
    written = json.dumps(format_setup(setup_of(fitted(), SIZE)))
    setup = parse_setup(json.loads(written))
    assert isinstance(setup, Setup)
    again = board_from_setup(setup, np.zeros((480, 640, 3), dtype=np.uint8))
    assert isinstance(again, BoardFit)
    grid = on_board(np.array([20.0, 100.0, 160.0]), np.arange(0.0, 360.0, 10.0)[:, None])
    np.testing.assert_allclose(again.plane.to_px(grid), fitted().plane.to_px(grid), atol=0.01)
    np.testing.assert_allclose(again.rings.radii(), fitted().rings.radii())
    assert again.orientation_confidence == pytest.approx(fitted().orientation_confidence, abs=1e-3)
    assert again.residual_mm == pytest.approx(fitted().residual_mm, abs=1e-2)


def test_a_good_view_leaves_nothing_to_check() -> None:
    assert to_check(fitted(), SIZE) == ()


def test_what_is_doubtful_is_said_with_what_to_do() -> None:
    doubtful = BoardFit(plane=view(middle=(600, 240)), residual_mm=1.3, orientation_confidence=0.6)
    said = " ".join(to_check(doubtful, SIZE))
    assert "--twenty" in said
    assert "1.3 mm" in said
    assert "outside the picture" in said
    far = BoardFit(plane=view(px_per_mm=0.4))
    assert "bring the camera nearer" in " ".join(to_check(far, SIZE))


def test_a_person_shows_the_sector_of_20() -> None:
    fit = BoardFit(plane=view().turned(54), orientation_confidence=0.1)
    pixel = view().to_px(on_board(140, -7))[0]
    turned = turned_to(BoardFit(plane=fit.plane.turned(-18), orientation_confidence=0.1), (pixel[0], pixel[1]))
    assert isinstance(turned, BoardFit)
    np.testing.assert_allclose(turned.plane.to_px([[0, 100]]), view().to_px([[0, 100]]), atol=1e-6)
    assert turned.orientation_confidence == 1.0


def test_a_light_sector_is_never_20() -> None:
    pixel = view().to_px(on_board(140, 18))[0]
    failure = turned_to(BoardFit(plane=view()), (pixel[0], pixel[1]))
    assert isinstance(failure, Failure)
    assert failure.code == "NOT_20"


@pytest.mark.parametrize("game", ["finn", "astrolabe", "cricket"])
def test_points_of_every_game_make_its_setup(game: str) -> None:
    setup = setup_by_points(game, SIZE, CORNERS_PX[game])  # type: ignore[arg-type]
    assert isinstance(setup, Setup)
    assert parse_setup(json.loads(json.dumps(format_setup(setup)))) == setup
    assert not isinstance(setup.plane(), Failure)


def test_points_that_fix_no_board_are_refused() -> None:
    failure = setup_by_points("finn", SIZE, [(0, 0), (10, 10), (20, 20), (30, 30)])
    assert isinstance(failure, Failure)
    assert failure.code == "BAD_POINTS"
    few = setup_by_points("finn", SIZE, [(0, 0), (10, 10), (20, 20)])
    assert isinstance(few, Failure)


@pytest.mark.parametrize("game", ["finn", "astrolabe", "cricket"])
def test_points_that_go_round_the_other_way_are_refused(game: str) -> None:
    failure = setup_by_points(game, SIZE, CORNERS_PX[game][::-1])  # type: ignore[arg-type]
    assert isinstance(failure, Failure)
    assert failure.code == "BAD_POINTS"
    assert "other way" in failure.message


def test_an_overlay_draws_on_the_lines_and_leaves_the_picture_alone() -> None:
    picture = np.zeros((480, 640, 3), dtype=np.uint8)
    drawn = draw_lines(picture, fitted())
    assert picture.max() == 0
    x, y = np.round(fitted().plane.to_px(on_board(fitted().rings.double_outer, 33))[0]).astype(int)
    assert drawn[y - 1 : y + 2, x - 1 : x + 2].max() > 100
    corners = [(100.0, 400.0), (560.0, 420.0), (500.0, 120.0), (140.0, 110.0)]
    setup = setup_by_points("finn", SIZE, corners)
    assert isinstance(setup, Setup)
    assert draw_points(picture, setup)[400, 105:240].max() > 100
