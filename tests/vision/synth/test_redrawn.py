"""What changed in a scene is drawn anew wherever it is: the picture is that of a whole drawing."""

import numpy as np
import pytest

pytest.importorskip("mujoco")
pytest.importorskip("moderngl")

from vision.synth.fast import need_fast
from vision.synth.finn.look import Layout, Piece
from vision.synth.finn.parts import build
from vision.synth.finn.recipe import moment
from vision.synth.finn.states import standing


def test_pins_that_moved_far_apart_are_all_drawn_where_they_are_now() -> None:
    engine, now = need_fast(), moment(0)
    before = standing({1: (30.0, 10.0, 0.0), 2: (60.0, 40.0, 0.0), 3: (95.0, 12.0, 0.0)})
    lie = (float(np.sqrt(0.5)), 0.0, float(np.sqrt(0.5)), 0.0)
    after = Layout(
        pins=tuple((n, Piece(at_cm=(x, y, 1.5), turn=lie)) for n, x, y in ((1, 32, 40), (2, 62, 8), (3, 90, 40))),
        disc=None,
    )
    engine.draw(build(now.scene, before))
    redrawn = engine.draw(build(now.scene, after))
    for target in engine._targets.values():
        target.last = None
    whole = engine.draw(build(now.scene, after))
    assert int((np.abs(redrawn.astype(int) - whole).max(axis=2) > 20).sum()) == 0
