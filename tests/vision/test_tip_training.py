"""What the tip finder learns from: painted darts, targets, and samples shown to both networks."""

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.learned import (
    BOARD,
    FIND_MM_PER_PX,
    FIND_SIDE,
    FIND_SIZE,
    FIND_STEP,
    PATCH_SIZE,
    VOTE_MM,
    Flat,
    whole_board,
)
from vision.synth.cricket import recipe, singles
from vision.train import painted
from vision.train.tip_batches import decoded, heat_target, patches, views, wholes
from vision.train.tip_data import MASK, Sample

EYE = np.array([-80.0, -240.0, 500.0])


def sample(tips_mm: list[tuple[float, float]]) -> Sample:
    """A grey board with darts painted at tips."""
    rng = np.random.default_rng(3)
    picture = np.full((BOARD.size, BOARD.size, 3), 128, np.uint8)
    mask = np.zeros((BOARD.size, BOARD.size), np.uint8)
    darts = [painted.stand(painted.body(rng), np.array(tip), EYE, rng) for tip in tips_mm]
    painted.paint(picture, mask, darts, BOARD, rng)
    small = cv2.resize(mask, (MASK.size, MASK.size), interpolation=cv2.INTER_AREA)
    return Sample(
        picture=cv2.imencode(".png", picture)[1].tobytes(),
        darts=cv2.imencode(".png", small)[1].tobytes(),
        tips_mm=np.reshape(tips_mm, (-1, 2)).astype(float),
        visible=np.ones(len(tips_mm)),
        eye_mm=EYE,
    )


def test_a_painted_dart_begins_at_its_tip_and_rises_away_from_the_camera() -> None:
    rng = np.random.default_rng(1)
    picture = np.full((BOARD.size, BOARD.size, 3), 128, np.uint8)
    mask = np.zeros((BOARD.size, BOARD.size), np.uint8)
    dart = painted.stand(painted.body(rng), np.array([40.0, 60.0]), np.array([0.0, -600, 300]), rng)
    painted.paint(picture, mask, [dart], BOARD, rng)
    places = BOARD.to_mm(np.argwhere(mask > 128)[:, ::-1])
    assert np.linalg.norm(places - (40.0, 60.0), axis=1).min() < 2.5
    assert places[:, 1].min() > 54.0
    assert places[:, 1].max() > 120.0
    assert (picture[mask > 128] != 128).any(axis=1).mean() > 0.8


def test_a_dart_seen_from_straight_ahead_covers_its_tip() -> None:
    rng = np.random.default_rng(2)
    dart = painted.stand(painted.body(rng), np.zeros(2), np.array([0.0, 0, 800.0]), rng)
    straight = painted.Painted(
        body=dart.body, tip_mm=dart.tip_mm, axis=np.array([0.0, 0, 1]), spin=0.0, eye_mm=dart.eye_mm
    )
    assert np.allclose(straight.seen(straight.at(np.array([0.0, 50.0, 120.0]))), 0)


def test_new_tips_lie_on_the_board_and_apart() -> None:
    rng = np.random.default_rng(4)
    taken = np.array([[10.0, 0.0]])
    for _ in range(50):
        found = np.concatenate([taken, painted.tips(4, taken, rng)])
        gaps = np.linalg.norm(found[:, None] - found[None], axis=2)[np.triu_indices(len(found), 1)]
        assert np.all(gaps > 4.5)
        assert np.all(np.hypot(*found.T) < painted.BOARD_MM)


def test_targets_peak_once_a_tip() -> None:
    heat = heat_target(np.array([[10.2, 19.8], [50.0, 4.5]]), 96)
    assert heat[20, 10] == 1.0
    assert (heat > 0.999).sum() == 2


def test_unvaried_views_mark_the_tips_where_the_windows_show_them() -> None:
    one = sample([(30.0, 20.0), (-90.0, 70.0)])
    shown = views(one, np.random.default_rng(5), vary=False)
    at = (whole_board(EYE).to_px(one.tips_mm) - (FIND_STEP - 1) / 2) / FIND_STEP
    assert shown.whole.shape == (FIND_SIZE, FIND_SIZE, 6)
    for x, y in at:
        assert shown.maps[0][round(y), round(x)] > 0.5
    assert shown.maps[1].max() > 0.9
    assert shown.maps[4][shown.maps[1] > 0.6].mean() > 0.7, "most of a dart votes where no other is near"
    for row, column in np.argwhere(shown.maps[4] > 0):
        led = (column, row) + shown.maps[2:4, row, column] * VOTE_MM / (FIND_MM_PER_PX * FIND_STEP)
        assert np.linalg.norm(at - led, axis=1).min() < 0.01, "to a tip"
    there = [place[2] for place in shown.places]
    assert there[:2] == [1.0, 1.0]
    assert all(patch.shape == (PATCH_SIZE, PATCH_SIZE, 12) for patch in shown.patches)


def test_looks_are_the_same_for_the_same_seed() -> None:
    some = [sample([]), sample([(0.0, 100.0)])]
    looks = wholes(some, np.random.default_rng(6), looks=2)
    assert [seen.shape for seen, _ in looks] == [(FIND_SIZE, FIND_SIZE, 6)] * 4
    assert [maps.shape for _, maps in looks] == [(5, FIND_SIDE, FIND_SIDE)] * 4
    again = wholes(some, np.random.default_rng(6), looks=2)
    assert all(np.array_equal(one, other) for (one, _), (other, _) in zip(looks, again, strict=True))
    assert not np.array_equal(looks[1][0], looks[3][0]), "each look is another"
    close = patches(some, np.random.default_rng(7), looks=2)
    assert len(close) >= 8
    assert {(patch.shape, place.shape) for patch, place in close} == {((PATCH_SIZE, PATCH_SIZE, 12), (3,))}


def test_places_that_look_like_tips_from_afar_are_looked_at_once_found() -> None:
    asked = []

    def finder(board: Flat, eye_mm: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        asked.append(board)
        return [np.array([0.0, -100.0])]

    some = [sample([(0.0, 100.0)])] * 2
    plain, more = (patches(some, np.random.default_rng(8), f, looks=3) for f in (None, finder))
    assert len(asked) == len(some), "each board once"
    assert len(more) > len(plain)


def test_points_stand_deep_in_the_board_or_far_out_and_darts_lean_to_all_sides() -> None:
    rng = np.random.default_rng(9)
    needles = np.array([painted.body(rng).needle for _ in range(300)])
    assert 0.25 < (needles < 10).mean() < 0.5
    assert needles.min() < 1.0
    assert needles.max() > 30.0
    darts = [painted.stand(painted.body(rng), np.zeros(2), EYE, rng) for _ in range(300)]
    leans = np.array([dart.axis[:2] / dart.axis[2] for dart in darts])
    assert 0.2 < (leans[:, 1] < 0).mean() < 0.45
    assert np.hypot(*leans.T).max() < 1.5


def test_what_is_behind_clear_flights_shows_through() -> None:
    shades = []
    for opaque in (1.0, 0.2):
        rng = np.random.default_rng(10)
        picture = np.full((BOARD.size, BOARD.size, 3), 128, np.uint8)
        mask = np.zeros((BOARD.size, BOARD.size), np.uint8)
        own = replace(painted.body(rng), opaque=opaque, colours=(np.full(3, 250.0),) * 4, print_kind=0)
        dart = replace(painted.stand(own, np.zeros(2), EYE, rng), axis=np.array([0.0, 0.1, 0.995]))
        painted.paint(picture, mask, [dart], BOARD, rng)
        shades.append(np.abs(picture[mask > 128].astype(float) - 128).mean())
    assert shades[1] < 0.75 * shades[0]


def test_tips_where_the_picture_shows_nothing_are_not_asked_for() -> None:
    one = sample([(0.0, 150.0), (0.0, -150.0)])
    picture, _ = decoded(one)
    picture[: BOARD.size // 2] = 0
    half = replace(one, picture=cv2.imencode(".png", picture)[1].tobytes())
    assert (views(half, np.random.default_rng(5), vary=False).maps[0] > 0.999).sum() == 1


def test_a_cell_between_two_darts_does_not_vote() -> None:
    near = views(sample([(0.0, 0.0), (14.0, 0.0)]), np.random.default_rng(5), vary=False)
    voters, darts = near.maps[4] > 0, near.maps[1] > 0.6
    assert 0 < (voters & darts).sum() < darts.sum()


def test_scars_darken_the_board_but_not_the_darts_on_it() -> None:
    picture = np.full((BOARD.size, BOARD.size, 3), 200, np.uint8)
    mask = np.zeros((BOARD.size, BOARD.size), np.uint8)
    mask[:, :320] = 255
    painted.pit(picture, mask, np.array([[60.0, 0.0]]), BOARD, np.random.default_rng(12))
    assert (picture[:, :320] == 200).all()
    assert 0.0002 < (picture[:, 325:] < 170).mean() < 0.2


def test_some_sets_stand_deep_or_lean_to_any_side_and_none_goes_through_another() -> None:
    board = recipe.scene(5, darts=0).board
    rng = np.random.default_rng(13)
    sets = [singles.odd(recipe.visit(rng, 3, board), rng) for _ in range(120)]
    shown = np.array([[dart.look.tip_mm - dart.deep_mm for dart in darts] for darts in sets])
    down = np.array([[dart.lean[1] < 0 for dart in darts] for darts in sets])
    assert 0.2 < (shown.max(axis=1) < 10).mean() < 0.55
    assert 0.15 < down.mean() < 0.45
    assert all(recipe.clear(one, other) for darts in sets for one, other in combinations(darts, 2))
