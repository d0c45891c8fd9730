"""Pins fall as pins do, and states are named as the rules name them."""

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vision.synth.finn.look import START_CM, Piece, Sizes
from vision.synth.finn.physics import Shot, simulate
from vision.synth.finn.states import middle, state_of, states

START = {n: (x, y, 0.0) for n, (x, y) in START_CM.items()}


def test_start_places_are_those_of_the_rules() -> None:
    assert START_CM[7] == (95.0, 30.0)
    assert START_CM[1] == (80.0, 27.25)
    assert len(START_CM) == 12


def test_nothing_moves_without_a_hit() -> None:
    run = simulate(Sizes(), START, Shot(from_cm=(14, 24.5, 0), speed_cm_s=(40, 0, 0), spin=0))
    assert set(states(run, Sizes()).values()) == {"upright"}
    for number, piece in run.layout(run.seconds).pins:
        assert np.hypot(*(middle(piece, Sizes())[:2] - START_CM[number])) < 0.1
    assert run.first_hit_s is None


def test_a_hard_shot_topples_pins_and_says_when_it_hit() -> None:
    run = simulate(Sizes(), START, Shot(from_cm=(14, 27, 0), speed_cm_s=(450, 0, 0), spin=0))
    assert list(states(run, Sizes()).values()).count("fallen") >= 2
    assert run.first_hit_s == pytest.approx(0.14, abs=0.05)


def test_a_rail_is_counted_once_a_contact() -> None:
    run = simulate(Sizes(), {1: (110.0, 10.0, 0.0)}, Shot(from_cm=(14, 24.5, 0), speed_cm_s=(300, 220, 0), spin=0))
    assert len(run.cushions_s) in (1, 2)


def test_the_same_shot_gives_the_same_run() -> None:
    shot = Shot(from_cm=(14, 20, 0), speed_cm_s=(400, 30, 0), spin=3)
    assert np.array_equal(simulate(Sizes(), START, shot).trace, simulate(Sizes(), START, shot).trace)


LYING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)


@pytest.mark.parametrize(
    ("piece", "touching", "state"),
    [
        (Piece(at_cm=(90, 20, 0), turn=(1, 0, 0, 0)), {"board"}, "upright"),
        (Piece(at_cm=(90, 20, 7.2), turn=(0, 1, 0, 0)), {"board"}, "upright"),  # on its head (FB-22)
        (Piece(at_cm=(90, 20, 1.5), turn=LYING), {"board", "rail"}, "fallen"),  # flat, whatever else it touches
        (Piece(at_cm=(90, 50, 4.0), turn=LYING), {"rail"}, "leaning"),  # past the side, held by the rail
        (Piece(at_cm=(90, 20, 3.2), turn=LYING), {"pin4"}, "leaning"),
        (Piece(at_cm=(20, 20, 1.5), turn=LYING), {"board"}, "line"),  # FB-24
        (Piece(at_cm=(118, 20, -1.5), turn=LYING), {"floor"}, "off_board"),  # FB-23
    ],
)
def test_states(piece: Piece, touching: set[str], state: str) -> None:
    assert state_of(piece, Sizes(), frozenset(touching)) == state
