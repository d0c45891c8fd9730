"""What recipes promise of every scene: nothing stands between camera and board, and rare things do happen."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vision.synth.cricket import recipe as cricket
from vision.synth.finn import recipe as finn
from vision.synth.finn.look import Sizes
from vision.synth.finn.parts import clutter
from vision.synth.finn.physics import simulate
from vision.synth.finn.states import states


@pytest.mark.parametrize("family", cricket.FAMILIES)
def test_cameras_are_in_the_room_and_not_in_its_lamps(family: str) -> None:
    rng = np.random.default_rng(5)
    for number in range(300):
        board = replace(cricket.board_look(3, family), surround_mm=float(rng.choice((0.0, 330.0))), seed=number)
        x, y, z = cricket.camera(rng, family, board).position()
        assert cricket.EYE_Y_MM[0] - 1 <= y <= cricket.EYE_Y_MM[1] + 1
        ring, high = cricket.lamp_ring_mm(board)
        assert abs(np.hypot(x, y) - ring) >= 39 or abs(z - high) >= 54


def test_a_steep_shot_can_push_a_pin_short_of_the_line() -> None:
    rng = np.random.default_rng(2)
    sizes = Sizes()
    found: list[str] = []
    for _ in range(8):
        before = finn.scattered(rng, sizes, "line", 20.0)
        first, place = next(iter(before.items()))
        shot = finn.clipping(rng, sizes, place, 20.0)
        found.append(states(simulate(sizes, {first: place}, shot), sizes)[first])
    assert "line" in found


@pytest.mark.parametrize(
    ("middle", "half", "edge"), [((58.5, 24.5), (70.0, 45.0), 26.5), ((30, 60), (45.0, 80.0), 34)]
)
def test_bystanders_stand_beside_the_board_and_not_on_it(
    middle: tuple[float, float], half: tuple[float, float], edge: float
) -> None:
    axis = int(np.argmin(half))
    stood = 0
    for seed in range(60):
        for item in clutter(seed, 0, middle, half, -3.0):
            points = item.mesh.points @ item.pose[:3, :3].T + item.pose[:3, 3]
            low = points[points[:, 2] < 10]  # what is as low as a board
            stood += 1
            assert not low.size or np.abs(low[:, axis] - middle[axis]).min() > edge
    assert stood >= 5
    assert not any(clutter(seed, 0, middle, half, -70.0) for seed in range(60))
