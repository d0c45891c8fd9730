"""The learned tip finder: the windows it is shown, and what its answers say on the board."""

import json
from pathlib import Path

import numpy as np
import pytest

from vision.darts.canvas import Canvas, Picture
from vision.darts.learned import (
    BOARD,
    FIND_SIZE,
    LIMITS,
    PATCH_SIZE,
    as_input,
    body_share,
    leaning,
    look,
    nets,
    patch_at,
    peaks,
    tip_of,
    transfer,
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


def test_peaks_are_places_on_the_board() -> None:
    canvas = whole_board(np.array([300.0, -200, 400]))
    wanted = np.array([[60.0, -20.0], [-103.0, 44.0]])
    ys, xs = np.mgrid[: canvas.size // 2, : canvas.size // 2]
    heat = np.zeros(xs.shape)
    for height, (x, y) in zip((0.9, 0.5), (canvas.to_px(wanted) - 0.5) / 2, strict=True):
        heat += height * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / 2)
    found = peaks(heat, canvas, LIMITS)
    assert np.allclose([place for place, _ in found], wanted, atol=0.8)
    assert found[0][1] > found[1][1]


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
    shown = whole_of(with_dart, transfer(canvas), FIND_SIZE)[inside].astype(int)
    empty = whole_of(board, transfer(canvas), FIND_SIZE)[inside].astype(int)
    assert np.abs(shown[:, :3] - empty[:, :3]).max() > 100
    assert np.abs(shown[:, 3:] - empty[:, 3:]).max() < 60
    assert np.abs(empty[:, :3] - empty[:, 3:]).mean() < 6


@pytest.mark.parametrize("name", ["dart-find", "dart-tip"])
def test_the_shipped_network_answers_as_the_trained_one_did(name: str) -> None:
    card = json.loads((MODELS / f"{name}.json").read_text())
    shape = {"dart-find": (2, FIND_SIZE, FIND_SIZE, 6), "dart-tip": (50, PATCH_SIZE, PATCH_SIZE, 12)}[name]
    seen = np.random.default_rng(card["probe"]["seed"]).integers(0, 256, shape, np.uint8)
    said = network(name).run(None, {"seen": np.stack([as_input(picture) for picture in seen])})[0]
    kept = (said if said.ndim == 2 else said[:, :, ::28, ::28]).ravel()
    assert np.abs(kept - card["probe"]["said"]).max() < 1e-3
    assert (MODELS / card["file"]).stat().st_size < 12e6


def test_a_dart_is_found_where_it_stands_and_none_on_an_empty_board() -> None:
    eye = np.array([-60.0, -250.0, 520.0])
    rng = np.random.default_rng(8)
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
    shares = [body_share(tip, seen.darts, seen.canvas, eye) for tip in (*tips, np.array([0.0, -120.0]))]
    assert min(shares[:2]) > 0.5
    assert shares[2] < 0.1


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
