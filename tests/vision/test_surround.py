"""Painted number rings change the ring alone, and never a dart."""

import numpy as np
import pytest

from vision.darts.canvas import Canvas
from vision.train.surround import INNER_MM, OUTER_MM, paint_surround

BOARD = Canvas(centre_mm=(0.0, 0.0), mm_per_px=0.75, size=640)


def _painted(seed: int, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    before = np.full((640, 640, 3), 90, np.uint8)
    after = before.copy()
    paint_surround(after, mask, np.array([0.0, 300.0, 900.0]), BOARD, np.random.default_rng(seed))
    return before, after


@pytest.mark.parametrize("seed", range(6))
def test_only_the_ring_around_the_doubles_is_painted(seed: int) -> None:
    before, after = _painted(seed, np.zeros((640, 640), np.uint8))
    ys, xs = np.nonzero((before != after).any(axis=2))
    radius = np.hypot(*BOARD.to_mm(np.stack([xs, ys], axis=1)).T)
    assert len(radius) > 5_000
    assert radius.min() >= INNER_MM
    assert radius.max() <= OUTER_MM


def test_a_dart_in_the_ring_is_not_painted_over() -> None:
    mask = np.zeros((640, 640), np.uint8)
    mask[560:610, 300:340] = 255
    before, after = _painted(3, mask)
    assert (after[mask > 0] == before[mask > 0]).all()


def test_a_seed_paints_the_same_again() -> None:
    none = np.zeros((640, 640), np.uint8)
    assert (_painted(5, none)[1] == _painted(5, none)[1]).all()
    assert (_painted(5, none)[1] != _painted(6, none)[1]).any()
