from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from support.boards import TOY, Paint, draw_board, stick_dart, view

from vision.darts.board import REGULATION, SECTORS, Rings, on_board, segment_at
from vision.darts.find import BoardFit, board_from_setup, find_board
from vision.failure import Failure
from vision.geometry import PlaneMap
from vision.setup import Setup

Picture = NDArray[np.uint8]
SIZE = (640, 480)
TOY_RINGS = Rings.of([8.6, 18.4, 95, 106, 159, 170])
BLUE = Paint(red=(60, 60, 190), green=(170, 70, 30), wire=None)

VIEWS = {
    "straight": view(),
    "turned": view(above=70, turned=47),
    "low": view(above=35, turned=63),
    "very low, upside down": view(above=22, turned=-160, middle=(320, 210)),
    "small in the picture": view(px_per_mm=0.5, middle=(200, 300)),
    "cut off at two sides": view(px_per_mm=1.3, middle=(480, 130), turned=10),
    "wide lens": view(above=60, turned=200, k1=-0.25),
}


@cache
def drawn(name: str) -> Picture:
    return draw_board(VIEWS[name])


def seen_grid(plane: PlaneMap) -> NDArray[np.float64]:
    """Points of the board (mm) that lie inside the picture."""
    grid = on_board(np.array([10.0, 60.0, 103.0, 130.0, 168.0]), np.arange(0.0, 360.0, 9.0)[:, None])
    seen = plane.to_px(grid)
    return np.asarray(grid[np.all((seen >= 0) & (seen < SIZE), axis=1)])


def found_in(picture: Picture) -> BoardFit:
    fit = find_board(picture)
    assert isinstance(fit, BoardFit), fit
    return fit


@pytest.mark.parametrize("name", VIEWS)
def test_a_board_is_found_to_half_a_pixel_with_20_in_its_place(name: str) -> None:
    fit = found_in(drawn(name))
    grid = seen_grid(VIEWS[name])
    error_px = np.linalg.norm(fit.plane.to_px(grid) - VIEWS[name].to_px(grid), axis=1)
    assert np.sqrt(np.mean(error_px**2)) < (0.9 if VIEWS[name].lens else 0.5)
    assert fit.orientation_confidence > 0.9
    assert fit.residual_mm < 0.6
    assert fit.rings == REGULATION


def test_every_segment_is_named_as_it_was_drawn() -> None:
    fit, plane = found_in(drawn("low")), VIEWS["low"]
    for place, number in enumerate(SECTORS):
        for radius, prefix in ((60, "S"), (103, "T"), (135, "S"), (166, "D")):
            seen = plane.to_px(on_board(radius, 18.0 * place))
            assert segment_at(fit.plane.to_board(seen)[0], fit.rings) == f"{prefix}{number}"


def test_a_toy_board_keeps_its_own_rings_and_colours() -> None:
    plane = view(px_per_mm=1.0, turned=4)
    fit = found_in(draw_board(plane, rings=TOY_RINGS, paint=TOY, upright=True))
    np.testing.assert_allclose(fit.rings.radii(), TOY_RINGS.radii(), atol=0.7)
    assert fit.orientation_confidence > 0.9


def test_a_soft_tip_board_in_other_colours_without_wires_is_found() -> None:
    plane = view(above=45, turned=170)
    fit = found_in(draw_board(plane, paint=BLUE, noise=8))
    error_px = np.linalg.norm(fit.plane.to_px(seen_grid(plane)) - plane.to_px(seen_grid(plane)), axis=1)
    assert error_px.max() < 1.0


def test_darts_in_the_board_do_not_move_it() -> None:
    plane = VIEWS["turned"]
    picture = drawn("turned").copy()
    for x, y in ((10.0, 100.0), (-60.0, 30.0), (40.0, -120.0)):
        stick_dart(picture, plane, (x, y), (60.0, -50.0))
    error_px = np.linalg.norm(
        found_in(picture).plane.to_px(seen_grid(plane)) - plane.to_px(seen_grid(plane)), axis=1
    )
    assert error_px.max() < 1.0


def test_a_gradient_of_light_and_a_lamp_in_the_board_do_not_move_it() -> None:
    plane = VIEWS["turned"]
    picture = drawn("turned").astype(np.float32) * np.linspace(0.35, 1.2, SIZE[0])[None, :, None]
    cv2.circle(glare := np.zeros(picture.shape[:2], dtype=np.float32), (400, 180), 45, 1.0, -1)
    picture += 160 * cv2.GaussianBlur(glare, (0, 0), 15)[..., None]
    fit = found_in(np.clip(picture, 0, 255).astype(np.uint8))
    error_px = np.linalg.norm(fit.plane.to_px(seen_grid(plane)) - plane.to_px(seen_grid(plane)), axis=1)
    assert np.median(error_px) < 0.7


def test_without_numbers_the_board_is_found_but_20_stays_open() -> None:
    fit = found_in(draw_board(view(above=60, turned=100), numbers=False))
    assert fit.orientation_confidence < 0.4


def test_without_numbers_an_upright_camera_is_taken_to_see_20_up_but_not_surely() -> None:
    fit = found_in(draw_board(view(turned=4), numbers=False))
    up = fit.plane.to_px([[0.0, 0.0], [0.0, 100.0]])
    assert up[1, 1] < up[0, 1] - 90
    assert 0.4 < fit.orientation_confidence < 0.8


def fan(rays: int) -> Picture:
    """Rays of light and dark around a point, without rings."""
    columns, rows = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    angle = np.degrees(np.arctan2(rows - 240, columns - 320))
    return np.repeat(np.where(np.floor(angle * rays / 360) % 2, 210, 40)[..., None], 3, axis=2).astype(np.uint8)


def target() -> Picture:
    """An archery target: rings without sectors."""
    picture = np.full((480, 640, 3), 230, dtype=np.uint8)
    for place, radius in enumerate(range(220, 0, -22)):
        cv2.circle(picture, (320, 240), radius, ((20, 20, 200), (230, 230, 230))[place % 2], -1, cv2.LINE_AA)
    return picture


def room(seed: int) -> Picture:
    """Lines, boxes and discs of all colours."""
    rng = np.random.default_rng(seed)
    picture = np.full((480, 640, 3), 128, dtype=np.uint8)
    for _ in range(120):
        colour = tuple(int(value) for value in rng.integers(0, 255, 3))
        ends = rng.integers(0, 640, (2, 2))
        first, second = (int(ends[0, 0]), int(ends[0, 1])), (int(ends[1, 0]), int(ends[1, 1]))
        match int(rng.integers(3)):
            case 0:
                cv2.line(picture, first, second, colour, int(rng.integers(1, 6)), cv2.LINE_AA)
            case 1:
                cv2.rectangle(picture, first, second, colour, int(rng.integers(1, 4)))
            case _:
                cv2.circle(picture, first, int(rng.integers(4, 60)), colour, -1, cv2.LINE_AA)
    return picture


def chessboard() -> Picture:
    cells = np.indices((480, 640)) // 60
    return np.repeat(((cells.sum(axis=0) % 2) * 190 + 30)[..., None], 3, axis=2).astype(np.uint8)


CLUTTER = {
    "nothing": np.full((480, 640, 3), 90, dtype=np.uint8),
    "noise": np.random.default_rng(4).integers(0, 255, (480, 640, 3)).astype(np.uint8),
    "chessboard": chessboard(),
    "fan of 20 rays": fan(20),
    "fan of 24 rays": fan(24),
    "archery target": target(),
    **{f"room {seed}": room(seed) for seed in range(4)},
}


@pytest.mark.parametrize("name", CLUTTER)
def test_a_picture_without_a_board_is_refused_with_what_was_seen(name: str) -> None:
    failure = find_board(CLUTTER[name])
    assert isinstance(failure, Failure)
    assert failure.code == "NO_BOARD"
    assert failure.message.startswith("No dartboard was found: ")
    assert failure.message.endswith(".")


def test_half_a_board_behind_a_curtain_is_refused_or_right() -> None:
    plane, picture = VIEWS["straight"], drawn("straight").copy()
    picture[:, 330:] = (90, 120, 140)
    fit = find_board(picture)
    if isinstance(fit, BoardFit):
        error_px = np.linalg.norm(fit.plane.to_px(seen_grid(plane)) - plane.to_px(seen_grid(plane)), axis=1)
        assert error_px.max() < 3.0


def test_the_same_picture_gives_the_same_board() -> None:
    first, second = found_in(drawn("low")), found_in(drawn("low"))
    np.testing.assert_array_equal(first.plane.homography, second.plane.homography)


def test_a_large_picture_gives_the_board_of_a_small_one() -> None:
    picture = cv2.resize(drawn("turned"), None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    fit, plane = found_in(np.asarray(picture, dtype=np.uint8)), VIEWS["turned"].scaled(4)
    error_px = np.linalg.norm(
        fit.plane.to_px(seen_grid(VIEWS["turned"])) - plane.to_px(seen_grid(VIEWS["turned"])), axis=1
    )
    assert error_px.max() < 4.0


def test_points_in_the_setup_are_taken_as_they_are() -> None:
    plane = VIEWS["low"]
    known = on_board(170.0, [0, 90, 180, 270])
    setup = Setup(
        game="cricket",
        image_size=SIZE,
        board_px=tuple(map(tuple, plane.to_px(known).tolist())),
        board_xy=tuple(map(tuple, known.tolist())),
        rings=TOY_RINGS,
    )
    fit = board_from_setup(setup, np.zeros((480, 640, 3), dtype=np.uint8))
    assert isinstance(fit, BoardFit)
    np.testing.assert_allclose(fit.plane.to_px(seen_grid(plane)), plane.to_px(seen_grid(plane)), atol=1e-6)
    assert (fit.rings, fit.orientation_confidence) == (TOY_RINGS, 1.0)
    assert fit.residual_px < 1e-3


def test_a_setup_without_points_has_the_board_found() -> None:
    fit = board_from_setup(Setup(game="cricket", image_size=SIZE), drawn("low"))
    assert isinstance(fit, BoardFit)


def test_a_setup_of_another_game_has_no_dartboard() -> None:
    failure = board_from_setup(Setup(game="finn", image_size=SIZE), drawn("low"))
    assert isinstance(failure, Failure)
    assert failure.code == "WRONG_GAME"
