"""The network that tells balls: what is shipped is what was trained; it knows balls that it has never seen."""

import json

import numpy as np
import pytest
from support.astrolabe_scenes import BLACK, WHITE, Ball, Look, draw, setup_json, slot_cm

from vision.assets import asset
from vision.astrolabe.learned import CHANNELS, SIDE, ask
from vision.astrolabe.looks import Looker
from vision.astrolabe.reading import Table, open_table
from vision.evaluate import candidates
from vision.models import in_use, network
from vision.setup import Setup, parse_setup

LYING: list[Ball] = [
    (0, slot_cm(1, 2)),
    (1, slot_cm(2, 3)),
    (0, (12.0, 40.0)),
    (1, (48.0, 95.0)),
    (1, slot_cm(3, 5)),
]
EMPTY = [slot_cm(1, 1), slot_cm(2, 1), slot_cm(3, 2), (20.0, 30.0), (40.0, 68.0), (1.8, 40.0)]
BLACK_ON_BLACK = Look(board=(34, 34, 34), balls=(WHITE, BLACK))


def test_it_says_what_it_said_when_it_was_trained() -> None:
    probe = json.loads(asset("models/table-balls.json").read_text(encoding="utf-8"))["probe"]
    count = len(probe["said"])
    seen = np.random.default_rng(probe["seed"]).uniform(-1, 1, (count, CHANNELS, SIDE, SIDE)).astype(np.float32)
    said = network("table-balls").run(None, {"seen": seen})[0]
    np.testing.assert_allclose(said, probe["said"], atol=2e-3)


@pytest.mark.parametrize("look", [Look(), Look(eye_cm=(95.0, 60.0, 100.0)), BLACK_ON_BLACK])
def test_it_tells_balls_from_a_bare_table_and_whose_they_are(look: Look) -> None:
    picture = draw(look, LYING)
    setup = parse_setup(setup_json(look, LYING[:2]))
    assert isinstance(setup, Setup)
    table = open_table(setup, picture)
    assert isinstance(table, Table)
    looker = Looker(picture, table.view.flat(picture), table.view, table.colours)
    told = ask(looker, [xy for _, xy in LYING])
    assert told.ball.min() > 0.5
    assert [int(second > 0.5) for second in told.second] == [side for side, _ in LYING]
    assert ask(looker, EMPTY).ball.max() < 0.5


def test_nothing_asked_is_nothing_said() -> None:
    look = Look()
    picture = draw(look, LYING)
    setup = parse_setup(setup_json(look, LYING[:2]))
    assert isinstance(setup, Setup)
    table = open_table(setup, picture)
    assert isinstance(table, Table)
    looker = Looker(picture, table.view.flat(picture), table.view, table.colours)
    assert ask(looker, []).ball.shape == (0,)


@pytest.mark.slow
def test_a_candidate_is_judged_on_tables_that_are_drawn_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.setattr(candidates, "TABLES", 1)
    weights = in_use("table-balls").path
    judged = candidates.JUDGES["table-balls"](weights, weights)
    assert len(judged) > 100
    assert all(one.right[0] == one.right[1] and one.accepted[0] == one.accepted[1] for one in judged)
    assert sum(one.right[0] for one in judged) > 0.95 * len(judged)
    assert {name for one in judged for name in one.slices} >= {"ball", "no ball"}
