"""The learned tip finder: the windows it is shown, and what its answers say on the board."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.darts.canvas import Canvas, Picture
from vision.darts.learned import (
    BOARD,
    FIND_SIDE,
    FIND_SIZE,
    FIND_STEP,
    LIMITS,
    PATCH_SIZE,
    VOTE_MM,
    LearnedTip,
    Votes,
    as_input,
    candidates,
    flat,
    leaning,
    look,
    maps_from,
    nets,
    nets_of,
    patch_at,
    patch_of,
    signs_of_more,
    tip_of,
    transfer,
    votes,
    weighed,
    whole_board,
    whole_of,
)
from vision.models import network
from vision.train import painted

MODELS = Path(__file__).parents[2] / "models"


def test_a_turned_window_shows_its_own_up_above() -> None:
    canvas = Canvas(centre_mm=(5.0, -3.0), mm_per_px=0.5, size=64, up=(0.6, 0.8))
    points = np.array([[5.0, -3.0], [5.0 + 6.0, -3.0 + 8.0], [5.0 + 8.0, -3.0 - 6.0]])
    assert np.allclose(canvas.to_px(points), [[31.5, 31.5], [31.5, 11.5], [51.5, 31.5]])
    assert np.allclose(canvas.to_mm(canvas.to_px(points)), points)
    moved = canvas.matrix() @ np.array([51.5, 31.5, 1.0])
    assert np.allclose(moved[:2], points[2])
    assert np.allclose(canvas.cov_mm(np.diag([4.0, 0.0])), 0.25 * 4 * np.outer([0.8, -0.6], [0.8, -0.6]))


def test_darts_lean_away_from_the_camera_and_a_little_up() -> None:
    assert leaning(np.array([-400.0, 0, 300]), np.zeros(2))[0] > 0.99
    assert leaning(np.array([0.0, 300, 300]), np.array([0.0, 100]))[1] == pytest.approx(-1)
    assert leaning(np.array([0.0, 0, 600]), np.zeros(2)) == pytest.approx((0, 1))


def answer_for(tips_mm: list[tuple[float, float]], canvas: Canvas) -> NDArray[np.float64]:
    """What the first network would say of nothing but tips: (4, S, S)."""
    said = np.full((4, FIND_SIDE, FIND_SIDE), -9.0)
    said[2:] = 0.0
    for x, y in (canvas.to_px(tips_mm) - (FIND_STEP - 1) / 2) / FIND_STEP:
        column, row = round(float(x)), round(float(y))
        said[0, row, column] = 3.0
        said[2:, row, column] = np.array([x - column, y - row]) * FIND_STEP * canvas.mm_per_px / VOTE_MM
    return said


def test_candidates_are_places_on_the_board_within_their_cells() -> None:
    canvas = whole_board(np.array([300.0, -200, 400]))
    wanted = [(60.0, -20.0), (-103.0, 44.0)]
    said = answer_for(wanted, canvas)
    found = sorted((at for at, _ in candidates(maps_from(said), canvas, LIMITS)), key=lambda at: -at[0])
    assert np.allclose(found, wanted, atol=1e-6)


def test_a_point_that_nothing_shows_is_found_by_the_votes_of_its_dart() -> None:
    canvas = whole_board(np.array([0.0, -900.0, 500.0]))
    point = np.array([20.0, -40.0])
    said = answer_for([], canvas)
    x, y = ((canvas.to_px(point) - (FIND_STEP - 1) / 2) / FIND_STEP)[0]
    for row in range(round(y) - 12, round(y) - 4):
        for column in (round(x), round(x) + 1):
            said[1, row, column] = 4.0
            said[2:, row, column] = np.array([x - column, y - row]) * FIND_STEP * canvas.mm_per_px / VOTE_MM
    ((at, height),) = candidates(maps_from(said), canvas, LIMITS)
    assert np.linalg.norm(at - point) < FIND_STEP * canvas.mm_per_px
    assert height < LIMITS.peak
    voted = votes(maps_from(said), canvas)
    assert np.allclose(voted.xy_mm, point, atol=0.01)
    assert voted.weight.sum() == pytest.approx(16, rel=0.05)


def tip_at(x: float, y: float, height: float) -> LearnedTip:
    """A place of which the map gives log-odds, and the patch says nothing."""
    signs = np.array([height, 0.0, 0.0, 0.0, 0.0])
    return LearnedTip(xy_mm=np.array([x, y]), cov_mm=np.eye(2), chance=0.5, signs=signs)


def test_a_dart_has_one_point() -> None:
    belief = np.array([-1.0, 1.0, 0.0, 0.5, 0.0, 0.5])
    voted = Votes(xy_mm=np.zeros((20, 2)), weight=np.ones(20))
    near, far = tip_at(2.0, 0.0, 0.0), tip_at(0.0, 9.0, -1.0)
    alone, together = weighed([far], voted, belief)[0], weighed([near, far], voted, belief)
    assert together[0].chance > 0.7
    assert together[1].chance < alone.chance - 0.1, "the cells that vote for it vote more for the other"
    apart = weighed([near, tip_at(0.0, 150.0, -1.0)], voted, belief)[1]
    assert apart.signs[4] > 0, "elsewhere there is no other"
    assert weighed([], voted, belief) == []


def test_votes_that_no_dart_claims_speak_for_one_more() -> None:
    seen = replace(tip_at(0.0, 0.0, 0.0), chance=0.9)
    here, there = np.zeros((20, 2)), np.full((30, 2), 90.0)
    alone = signs_of_more([seen], Votes(xy_mm=here, weight=np.ones(20)))
    two = signs_of_more([seen], Votes(xy_mm=np.concatenate([here, there]), weight=np.ones(50)))
    assert np.allclose(alone, [0.0, np.log(21), 0.0, 0.0])
    assert np.allclose(two, [np.log(31), np.log(21), 0.0, 0.0])
    beside = np.concatenate([here, np.tile([12.0, 0.0], (20, 1))])
    beside = signs_of_more([seen], Votes(xy_mm=beside, weight=np.ones(40)))
    assert np.allclose(beside, [0.0, np.log(41), 1.2 / np.sqrt(2), 0.0]), "more, and farther apart, than one has"


def test_where_no_dart_is_believed_all_votes_are_unclaimed() -> None:
    voted = Votes(xy_mm=np.zeros((20, 2)), weight=np.ones(20))
    doubtful = replace(tip_at(0.0, 0.0, 0.0), chance=0.2)
    assert np.allclose(signs_of_more([doubtful], voted), [np.log(21), 0.0, 0.0, 0.8])
    nothing = signs_of_more([], Votes(xy_mm=np.zeros((0, 2)), weight=np.zeros(0)))
    assert np.allclose(nothing, 0.0)


def test_a_card_that_does_not_say_what_speaks_for_more_leaves_it_open() -> None:
    silent = nets_of(nets().find, nets().tip, {"belief": [0.0] * 6, "spread": 1.0})
    assert (
        look(np.zeros((BOARD.size, BOARD.size, 3), np.uint8), np.array([0.0, -300, 900]), silent, LIMITS).more
        == 0.5
    )


def test_the_patch_answer_is_turned_onto_the_board() -> None:
    window = patch_at(np.array([-500.0, 0, 10]), np.array([20.0, 10.0]))
    # Half a patch up, where darts lean; sure across it, unsure along it.
    answer = np.array([0.0, -0.5, np.log(32.0), np.log(8.0), 0.0, 4.0], np.float32)
    tip = tip_of(answer, window)
    along = np.array(leaning(np.array([-500.0, 0, 10]), np.array([20.0, 10.0])))
    assert np.allclose(tip.xy_mm, np.array([20.0, 10.0]) + 12.0 * along, atol=0.01)
    assert along @ tip.cov_mm @ along == pytest.approx(3.0**2, rel=0.01)
    assert np.linalg.eigvalsh(tip.cov_mm)[0] == pytest.approx(0.75**2, rel=0.01)
    assert tip.chance == pytest.approx(1 / (1 + np.exp(-4.0)))


def test_windows_share_their_pixels_with_the_board() -> None:
    window = patch_at(np.array([50.0, -300, 400]), np.array([30.0, -40.0]))
    spot = np.array([[33.0, -38.0]])
    moved = transfer(window) @ np.append(BOARD.to_px(spot)[0], 1.0)
    assert np.allclose(moved[:2], window.to_px(spot)[0])
    assert np.all(np.abs(window.to_px(spot) - PATCH_SIZE / 2) < 12)


def test_what_the_board_should_show_has_no_dart() -> None:
    ys, xs = np.mgrid[: BOARD.size, : BOARD.size]
    x, y = BOARD.to_mm(np.column_stack([xs.ravel(), ys.ravel()])).T
    sector = np.floor((np.degrees(np.arctan2(x, y)) + 9) / 18).astype(int) % 2
    board = np.repeat(np.where(sector, 200, 40).astype(np.uint8)[:, None], 3, axis=1).reshape(*xs.shape, 3)
    with_dart = board.copy()
    with_dart[250:330, 400:420] = (0, 0, 255)
    canvas = whole_board(np.array([0.0, -200.0, 600.0]))
    rows, columns = np.mgrid[:FIND_SIZE, :FIND_SIZE]
    inside = np.hypot(rows - (FIND_SIZE - 1) / 2, columns - (FIND_SIZE - 1) / 2) < 0.42 * FIND_SIZE
    shown = whole_of(flat(with_dart), transfer(canvas))[inside].astype(int)
    empty = whole_of(flat(board), transfer(canvas))[inside].astype(int)
    assert np.abs(shown[:, :3] - empty[:, :3]).max() > 100
    assert np.percentile(np.abs(shown[:, 3:] - empty[:, 3:]), 99.9) < 60, "but for edges of sectors"
    assert np.abs(empty[:, :3] - empty[:, 3:]).mean() < 6


def test_what_the_board_should_show_is_the_median_of_its_nine_other_places() -> None:
    picture = np.random.default_rng(4).integers(0, 256, (BOARD.size, BOARD.size, 3), np.uint8)
    picture = np.asarray(cv2.blur(picture, (5, 5)), np.uint8)
    middle = (BOARD.size - 1) / 2
    places = [
        patch_of(
            picture, np.vstack([cv2.getRotationMatrix2D((middle, middle), -36.0 * k, 1.0), [0, 0, 1]]), BOARD.size
        )
        for k in range(1, 10)
    ]
    assert np.abs(flat(picture).expected.astype(int) - np.median(places, axis=0)).max() <= 2


@pytest.mark.parametrize("name", ["dart-find", "dart-tip"])
def test_the_shipped_network_answers_as_the_trained_one_did(name: str) -> None:
    card = json.loads((MODELS / f"{name}.json").read_text())
    shape = {"dart-find": (2, FIND_SIZE, FIND_SIZE, 6), "dart-tip": (50, PATCH_SIZE, PATCH_SIZE, 12)}[name]
    seen = np.random.default_rng(card["probe"]["seed"]).integers(0, 256, shape, np.uint8)
    said = network(name).run(None, {"seen": np.stack([as_input(picture) for picture in seen])})[0]
    kept = (said if said.ndim == 2 else said[:, :, ::24, ::24]).ravel()
    assert np.abs(kept - card["probe"]["said"]).max() < 1e-3
    assert (MODELS / card["file"]).stat().st_size < 12e6


def test_a_dart_is_found_where_it_stands_and_none_on_an_empty_board() -> None:
    eye = np.array([-60.0, -250.0, 520.0])
    rng = np.random.default_rng(10)
    board = drawn_board()
    assert not [tip for tip in look(board, eye, nets(), LIMITS).tips if tip.chance > 0.5]
    tips = np.array([[40.0, 60.0], [-70.0, -30.0]])
    mask = np.zeros((BOARD.size, BOARD.size), np.uint8)
    own = painted.body(rng)
    painted.paint(board, mask, [painted.stand(own, tip, eye, rng) for tip in tips], BOARD, rng)
    seen = look(board, eye, nets(), LIMITS)
    found = np.array([tip.xy_mm for tip in seen.tips if tip.chance > 0.5])
    gaps = np.linalg.norm(found[:, None] - tips[None], axis=2)
    assert gaps.shape == (2, 2)
    assert np.all(gaps.min(axis=1) < 4.0)
    assert min(tip.signs[2] for tip in seen.tips if tip.chance > 0.5) > np.log1p(5), (
        "much of each dart leads there"
    )


def drawn_board() -> Picture:
    """A plain board, black and cream, with rings of red and green."""
    ys, xs = np.mgrid[: BOARD.size, : BOARD.size]
    x, y = BOARD.to_mm(np.column_stack([xs.ravel(), ys.ravel()])).T
    away = np.hypot(x, y)
    odd = np.floor((np.degrees(np.arctan2(x, y)) + 9) / 18).astype(int) % 2 == 1
    picture = np.where(odd[:, None], (190, 215, 220), (40, 40, 40))
    ring = ((away > 99) & (away < 107)) | ((away > 162) & (away < 170))
    picture[ring] = np.where(odd[ring][:, None], (60, 110, 40), (50, 40, 170))
    picture[away < 16], picture[away < 6.4] = (60, 110, 40), (50, 40, 170)
    picture[away > 170] = (35, 35, 35)
    return picture.astype(np.uint8).reshape(BOARD.size, BOARD.size, 3)
