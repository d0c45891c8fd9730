"""The network that finds pins: its weights are those of its card, and it answers as it did when it was made."""

import json

import numpy as np
import pytest

from vision.assets import asset
from vision.finn.bird import SIZE, Bird
from vision.finn.maps import ANSWERS, CHANNELS, KINDS, LENGTH_PX, OFFSET_PX, base_of, maps_of, stack, unpacked
from vision.finn.table import painted
from vision.models import network


def test_it_answers_as_when_it_was_made() -> None:
    probe = json.loads(asset("models/finn-pins.json").read_text(encoding="utf-8"))["probe"]
    seen = np.random.default_rng(probe["seed"]).uniform(-1, 1, (1, CHANNELS, 64, 128)).astype(np.float32)
    said = network("finn-pins").run(None, {"seen": seen})[0][0, :, ::32, ::32].ravel()[: len(probe["said"])]
    assert len(said) > 30
    np.testing.assert_allclose(said, probe["said"], atol=2e-3)


def test_a_pair_in_another_light_is_seen_the_same() -> None:
    rng = np.random.default_rng(3)
    before = rng.integers(60, 120, (64, 64, 3)).astype(np.uint8)
    known, slant = np.zeros((64, 64), np.uint8), np.zeros((2, 64, 64), np.float32)
    same = stack(before, before, known, slant)
    lighter = stack(before, np.asarray((before.astype(float) + 16) * 1.2 - 16, np.uint8), known, slant)
    assert same.shape == (CHANNELS, 64, 64)
    np.testing.assert_allclose(same[:3], same[3:6])
    np.testing.assert_allclose(lighter[:3], same[:3], atol=0.02)
    np.testing.assert_allclose(same[9:], 0, atol=1e-6)


def test_pins_are_painted_over_with_the_board_around_them() -> None:
    board = np.full((80, 80, 3), 0.5, np.float32)
    pins = np.zeros((80, 80), np.uint8)
    pins[30:50, 30:40] = 1
    seen = board.copy()
    seen[pins > 0] = 2.0
    np.testing.assert_allclose(painted(seen, pins), board, atol=1e-3)


@pytest.mark.parametrize(("along", "across"), [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_what_is_said_of_a_mirrored_board_is_turned_back(along: int, across: int) -> None:
    said = np.zeros((ANSWERS, 2, 2), np.float32)
    said[2] = 5.0
    said[5], said[6], said[7], said[8] = along * 0.5, across * 0.25, 0.8, along * across * 0.6
    maps = unpacked(said, along, across)
    assert KINDS[int(maps.chances[:, 0, 0].argmax())] == "lying"
    np.testing.assert_allclose(maps.middle_px[:, 0, 0], (0.5 * OFFSET_PX, 0.25 * OFFSET_PX))
    np.testing.assert_allclose(maps.double_px[:, 0, 0], (0.8 * LENGTH_PX, 0.6 * LENGTH_PX), rtol=1e-6)


def test_what_lies_far_apart_is_looked_at_apart_and_what_is_bare_not_at_all() -> None:
    rng = np.random.default_rng(5)
    board = rng.integers(100, 104, (SIZE[1], SIZE[0], 3)).astype(np.uint8)
    after = board.copy()
    for x in (60, 380):
        after[100:112, x : x + 12] = 220
    stood = np.full((SIZE[1], SIZE[0]), -1, np.int16)
    nowhere = np.zeros((SIZE[1], SIZE[0], 2), np.float32)
    bird = Bird(map_px=nowhere, factor=1.0, eye_cm=np.array([58.0, 24.0, 120.0]))
    base = base_of(bird, board, stood)
    maps = maps_of(base, after)
    assert (maps.chances[0, :, 180:280] == 1).all()
    assert (maps.chances[0, 100:112, 60:72] < 1).all()
    assert (maps.chances[0, 100:112, 380:392] < 1).all()
    bare = maps_of(base, board)
    assert (bare.chances[0] == 1).all()
    assert not bare.middle_px.any()
