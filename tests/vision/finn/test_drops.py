"""Pins that are let fall for the network to learn from: they come to lean, in nobody's way, the same each time."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vision.synth.finn.look import START_CM, Layout, Piece, Sizes
from vision.synth.finn.physics import settle
from vision.synth.finn.states import states
from vision.train.finn_data import path_of, shards
from vision.train.finn_drops import dropped, held

SIZES = Sizes()
STAND = (1.0, 0.0, 0.0, 0.0)
FLAT = (float(np.sqrt(0.5)), 0.0, float(np.sqrt(0.5)), 0.0)


def test_what_stands_stays_and_what_is_let_go_falls() -> None:
    layout = Layout(
        pins=((1, Piece(at_cm=(60.0, 20.0, 0.001), turn=STAND)), (2, Piece(at_cm=(80.0, 20.0, 4.0), turn=FLAT))),
        disc=None,
    )
    run = settle(SIZES, layout)
    last = dict(run.layout(run.seconds).pins)
    assert states(run, SIZES) == {1: "upright", 2: "fallen"}
    assert last[1].at_cm[:2] == pytest.approx((60.0, 20.0), abs=0.1)
    assert last[2].at_cm[2] == pytest.approx(SIZES.pin_cm / 2, abs=0.2)


def test_a_pin_that_is_held_against_another_leans_on_it() -> None:
    tilt = np.radians(32)
    leans = (float(np.cos(tilt / 2)), 0.0, float(np.sin(tilt / 2)), 0.0)
    layout = Layout(
        pins=(
            (1, Piece(at_cm=(60.0, 24.0, 0.001), turn=STAND)),
            (2, Piece(at_cm=(53.2, 24.0, SIZES.pin_cm / 2 * float(np.sin(tilt)) + 0.02), turn=leans)),
        ),
        disc=None,
    )
    run = settle(SIZES, layout)
    assert states(run, SIZES)[2] == "leaning"
    assert "pin1" in run.contacts[2]


@pytest.mark.parametrize("seed", range(6))
def test_pins_are_held_in_nobodys_way(seed: int) -> None:
    before = {n: (x, y, 0.0) for n, (x, y) in START_CM.items()}
    layout = held(np.random.default_rng(seed), before, SIZES)
    feet = {n: np.array(piece.at_cm) for n, piece in layout.pins}
    assert sorted(feet) == sorted(before)
    stand = [xyz[:2] for n, xyz in feet.items() if dict(layout.pins)[n].turn[1:3] == (0.0, 0.0)]
    gaps = [np.linalg.norm(a - b) for k, a in enumerate(stand) for b in stand[:k]]
    assert min(gaps) > SIZES.pin_cm
    assert all(np.linalg.norm(piece.turn) == pytest.approx(1.0) for _, piece in layout.pins)


def test_most_scenes_have_a_pin_that_leans() -> None:
    made = [dropped(seed) for seed in range(4)]
    found = [now for now in made if now is not None]
    assert len(found) >= 2
    for now in found:
        leaning = [n for n, state in states(now.run, now.scene.look.sizes).items() if state == "leaning"]
        assert leaning
        assert all(now.run.contacts[n] - {"board"} for n in leaning)


def test_a_scene_is_its_seeds() -> None:
    first, second = dropped(1), dropped(1)
    assert first is not None
    assert second is not None
    assert np.array_equal(first.run.trace, second.run.trace)
    assert first.scene == second.scene


def test_shards_of_both_kinds_are_spread_and_named() -> None:
    wanted = shards(8, 4)
    assert len(set(wanted)) == 12
    assert {kind for kind, _ in wanted[:3]} == {"finn", "drop"}
    assert path_of(("drop", 3), Path("cache")) == Path("cache/drop-00003.npz")
