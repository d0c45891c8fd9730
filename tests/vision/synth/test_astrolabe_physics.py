"""Balls rest where the table holds them, and places are named as the rules name them."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vision.setup import Setup, parse_setup
from vision.synth.astrolabe.look import Marble, Table
from vision.synth.astrolabe.physics import Run, Shake, Shot, place_of, rolled, simulate
from vision.synth.astrolabe.recipe import Moment, astrolabe_scene, moment
from vision.synth.astrolabe.truth import decidable, lies, moves, setup_of

TABLE = Table()
KNOCKS = (58, 61)  # seeds whose shot is to knock a ball


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


def test_a_hit_on_its_side_sends_a_ball_off_the_tip_of_a_tooth() -> None:
    found = [moment(seed) for seed in KNOCKS]
    assert any(move["from"] == "grouped" and move["to"] != "grouped" for now in found for move in moves(now)[:-1])


def test_a_knock_on_the_table_moves_balls_and_leaves_the_model_as_it_was() -> None:
    table = Table(tooth_cm=2.8)
    lying = [Marble(side=0, at_cm=(*table.slot_cm(2, 3), 1.25))]
    shake = Shake(t_s=0.1, push=(0.5, -5.0), lasts_s=0.2)
    first = simulate(table, lying, None)
    moved = simulate(table, lying, None, shake=shake)
    again = simulate(table, lying, None)
    assert np.abs(moved.trace[:, 0, 1] - moved.trace[0, 0, 1]).max() > 5
    assert np.array_equal(first.trace, again.trace)


def test_aiming_knows_where_a_ball_comes_down() -> None:
    shot = Shot(side=0, from_cm=(10.0, 8.0), speed_cm_s=(4.0, 110.0))
    expected = rolled(TABLE, shot, 40.0)
    trace = simulate(TABLE, [], shot).trace[:, 0, :2]
    down = int(np.argmax(trace[:, 1])) + int(np.argmax(trace[np.argmax(trace[:, 1]) :, 1] < 40.0))
    assert np.abs(trace[down] - expected[-1]).max() < 1.0
    assert abs(trace[:, 1].max() - expected[:, 1].max()) < 2.0


HAND, HELD, HELD_TOO = (30.0, 5.0), (30.0, 40.0), (12.0, 70.0)


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        pytest.param([(0, HAND, TABLE.slot_cm(0, 1))], True, id="a ball into a slot"),
        pytest.param([(1, HELD, HELD), (0, HAND, HAND)], True, id="back, nothing moved"),
        pytest.param([(1, HELD, HAND), (0, HAND, HELD_TOO)], True, id="the other's ball came back"),
        pytest.param(
            [(1, HELD, TABLE.slot_cm(0, 1)), (0, HAND, HAND)], False, id="back, and the other's ball moved"
        ),
        pytest.param([(0, HELD, HAND), (0, HAND, HELD_TOO)], False, id="one for another of its own"),
        pytest.param(
            [(0, HELD, TABLE.slot_cm(0, 1)), (0, HAND, HELD_TOO)], False, id="two of its own, which is which"
        ),
    ],
)
def test_two_pictures_tell_a_shot_only_where_balls_cannot_be_taken_for_others(
    ways: list[tuple[int, tuple[float, float], tuple[float, float]]], told: bool
) -> None:
    scene = astrolabe_scene(np.random.default_rng(1), 1)
    scene = replace(scene, look=replace(scene.look, table=TABLE))
    times = ([start for _, start, _ in ways], [end for _, _, end in ways])
    trace = np.array([[[*xy, 1.25, 1, 0, 0, 0] for xy in places] for places in times], np.float32)
    run = Run(sides=tuple(side for side, _, _ in ways), trace=trace)
    assert decidable(Moment(scene=scene, before=run.balls(0.0)[:-1], shooter=0, run=run)) is told
