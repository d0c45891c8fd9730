"""Balls rest where the table holds them, and places are named as the rules name them."""

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vision.setup import Setup, parse_setup
from vision.synth.astrolabe.look import Marble, Table
from vision.synth.astrolabe.physics import Shot, place_of, simulate
from vision.synth.astrolabe.recipe import moment
from vision.synth.astrolabe.truth import lies, moves, setup_of

TABLE = Table()


def test_a_ball_in_a_slot_stays_there() -> None:
    x, y = TABLE.slot_cm(1, 3)
    run = simulate(TABLE, [Marble(side=0, at_cm=(x, y, 1.25))], None)
    assert place_of(run.balls(run.seconds)[0], TABLE) == (1, 3)


def test_a_ball_let_go_on_the_slope_comes_back() -> None:
    run = simulate(TABLE, [], Shot(side=1, from_cm=(10.0, 40.0), speed_cm_s=(0.0, 0.0)))
    assert place_of(run.balls(run.seconds)[0], TABLE) == "hand"


def test_a_ball_shot_at_the_side_ends_in_the_gutter() -> None:
    run = simulate(TABLE, [], Shot(side=1, from_cm=(12.0, 8.0), speed_cm_s=(-60.0, 90.0)))
    assert place_of(run.balls(run.seconds)[0], TABLE) == "gutter"


@pytest.mark.parametrize(
    ("at", "place"),
    [
        ((21.0, 55.0, 1.25), (0, 0)),
        ((39.0, 105.2, 1.25), (2, 4)),
        ((30.0, 58.0, 1.25), "grouped"),
        ((2.0, 5.0, 0.0), "gutter"),
        ((30.0, 12.0, 1.25), "hand"),
    ],
)
def test_places(at: tuple[float, float, float], place: object) -> None:
    assert place_of(Marble(side=0, at_cm=at), TABLE) == place


def test_a_moment_is_pure_and_its_setup_is_read_by_the_product() -> None:
    first, again = moment(5), moment(5)
    assert np.array_equal(first.run.trace, again.run.trace)
    assert moves(first) == moves(again)
    assert isinstance(parse_setup(setup_of(first.scene, first.before)), Setup)
    taken = [side for row in lies(first.scene, first.before)["slots"].values() for side in row if side]
    assert len(taken) <= len(first.before)
