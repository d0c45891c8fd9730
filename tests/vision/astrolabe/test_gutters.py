"""Balls in gutters of any depth, in rows, beside lips; and what moved says nothing about the light."""

from collections.abc import Sequence

import numpy as np
import pytest
from support.astrolabe_scenes import BLUE, RED, Look, Picture, setup_json, slot_cm

from vision.astrolabe.ball_maps import without
from vision.astrolabe.camera import camera_from_setup
from vision.astrolabe.gutters import InGutter, gutter_balls, lying_at
from vision.astrolabe.hidden import odd_in_gutters, unlike_others
from vision.astrolabe.light import curves_between
from vision.astrolabe.seeking import first_apart
from vision.astrolabe.view import INSIDE, PX_PER_CM, SIDE, TableView, open_view
from vision.failure import Failure
from vision.setup import Setup, parse_setup

FLOOR = (45, 45, 45)
DEEP_CM = 1.2


def view_of(eye_cm: tuple[float, float, float]) -> TableView:
    look = Look(eye_cm=eye_cm, focal_px=675.0)
    setup = parse_setup(setup_json(look, [(0, slot_cm(1, 1)), (1, slot_cm(1, 2))]))
    assert isinstance(setup, Setup)
    camera = camera_from_setup(setup, setup.image_size)
    assert setup.astrolabe is not None
    assert not isinstance(camera, Failure)
    return open_view(setup.astrolabe, camera)


OVER = view_of((30.0, 60.0, 125.0))


def seen(view: TableView, balls: Sequence[tuple[int, tuple[float, float]]]) -> tuple[InGutter, ...]:
    height, width = view.gutters.shape
    rows, columns = np.mgrid[:height, :width]
    flat = np.full((height, width, 3), FLOOR, np.uint8)
    like = [np.full((height, width), -3.0, np.float32) for _ in range(2)]
    for side, (x, y) in balls:
        ball = np.hypot((columns + 0.5) / PX_PER_CM - x, (rows + 0.5) / PX_PER_CM - y) <= view.radius_cm
        flat[ball] = (BLUE, RED)[side]
        like[side][ball] = 3.0
    return gutter_balls(flat, like, [False, False], view)


def test_balls_that_touch_in_a_row_are_counted() -> None:
    found = seen(OVER, [(0, (1.8, 1.3)), (0, (1.8, 3.8)), (1, (1.8, 6.3)), (1, (58.2, 30.0))])
    assert [round(ball.seen_cm[1]) for ball in found] == [1, 4, 6, 30]
    assert [ball.leaning > 0 for ball in found] == [True, True, False, False]
    assert all(ball.sure for ball in found)


def test_what_runs_along_a_gutter_is_no_ball() -> None:
    assert not seen(OVER, [(0, (3.6, 1.3 + 0.5 * k)) for k in range(200)])


def test_a_cap_that_a_wall_leaves_of_a_ball_is_not_overlooked() -> None:
    assert len(seen(OVER, [(0, (59.6 + OVER.radius_cm - 0.8, 1.2))])) == 1


@pytest.mark.parametrize("lamp", [True, False], ids=["a ball that a lamp shows on", "a smooth shadow"])
@pytest.mark.parametrize("near_cm", [0.0, 30.0], ids=["at the near end", "further up"])
def test_what_hardly_differs_in_an_even_gutter_may_be_a_ball_if_it_gleams(near_cm: float, lamp: bool) -> None:
    flat = np.full((*OVER.gutters.shape, 3), FLOOR, np.uint8)
    left, near, right, far = (round(value * PX_PER_CM) for value in (0.4, near_cm, 3.2, near_cm + 2.9))
    flat[near:far, left:right] = np.multiply(FLOOR, 0.85).astype(np.uint8)
    if lamp:
        flat[near + 8 : near + 11, left + 7 : left + 10] = 95
    assert [odd.gleams for odd in odd_in_gutters(flat, OVER)] == [lamp]


def test_nothing_is_nothing() -> None:
    assert seen(OVER, []) == ()


@pytest.mark.parametrize("eye_cm", [(30.0, 60.0, 125.0), (-15.0, 60.0, 95.0), (34.0, -4.0, 95.0)])
@pytest.mark.parametrize("place", [(1.8, 1.3), (58.2, 40.0)])
def test_where_a_ball_lies_is_told_whatever_the_gutters_depth(
    eye_cm: tuple[float, float, float], place: tuple[float, float]
) -> None:
    view = view_of(eye_cm)
    assert view.table.gutters_cm
    area = view.table.gutters_cm[0 if place[0] < 30 else 1]
    for deep in (0.0, DEEP_CM):
        px = view.camera.to_px([(*place, view.radius_cm - deep)])
        shows = view.camera.at_height(view.radius_cm).to_board(px)[0]
        lies = lying_at((float(shows[0]), float(shows[1])), area, view)
        assert np.hypot(lies[0] - place[0], lies[1] - place[1]) < 0.8


def test_balls_that_moved_do_not_tell_what_the_light_did() -> None:
    rng = np.random.default_rng(1)
    then: Picture = np.asarray(np.clip(rng.normal(80, 8, (240, 120, 3)), 0, 255), np.uint8)
    now = then.copy()
    then[100:130, 40:55], now[200:230, 40:55] = 235, 235
    curves = curves_between(np.asarray(now * 0.7, np.uint8), then)
    assert curves is not None
    assert curves[0][235] == pytest.approx(0.7 * 235, abs=15)


def test_a_slot_with_a_ball_of_the_boards_colour_is_unlike_the_others() -> None:
    chance = np.random.default_rng(4)
    patches = chance.normal(40, 3, (15, SIDE, SIDE, 3)).clip(0, 255)
    patches *= np.linspace(0.7, 1.3, 15)[:, None, None, None]  # a lamp at one end
    for k in (3, 11):
        patches[k][INSIDE] *= 0.8
    patches[6][INSIDE] = 230
    known = [k == 6 for k in range(15)]
    unlike = unlike_others(patches.astype(np.uint8), known)
    assert set(np.argsort(unlike)[-3:]) == {3, 6, 11}
    assert min(unlike[3], unlike[11]) > 3 * max(np.delete(unlike, [3, 6, 11]))


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([0.1, 0.2, 0.2, 0.3, 0.4, 2.0, 2.4], 5),
        ([0.1, 0.2, 0.2, 0.3, 0.4, 0.9, 1.2], None),
        ([0.1, 0.6, 1.0, 1.4, 2.0, 3.2], None),
        ([0.1, 0.2, 2.0], None),
        ([], None),
    ],
    ids=["two balls", "no gap", "a gap that is small for how much the others differ", "too few", "none"],
)
def test_slots_fall_into_two_groups_or_nothing_is_said(values: list[float], first: int | None) -> None:
    assert first_apart(values) == first


@pytest.mark.parametrize("x_cm", [20.9, 21.0, 21.07, 21.2])
def test_nothing_of_a_known_ball_is_left_where_others_are_sought(x_cm: float) -> None:
    left = without(np.zeros((60, 120), np.float32), [(x_cm, 10.05)], 1.75)
    rows, columns = np.nonzero(left == 0)
    far = np.hypot((columns + 0.5) / 3 - x_cm, (rows + 0.5) / 3 - 10.05)
    assert far.min() >= 1.75
    assert np.count_nonzero(left) > 0.8 * np.pi * (1.75 * 3) ** 2
