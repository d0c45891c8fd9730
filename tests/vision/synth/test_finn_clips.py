"""Scripts of Finn Billiards clips: pure, and set up by the rules."""

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vision.synth.finn import clips
from vision.synth.finn.clips import Clip
from vision.synth.finn.look import BOARD_CM


@pytest.fixture(scope="module")
def clip() -> Clip:
    return clips.script(4, turns=2)


def test_a_script_is_a_pure_function_of_its_seed(clip: Clip) -> None:
    again = clips.script(4, turns=2)
    assert clip.carries == again.carries
    assert clip.reaches == again.reaches
    assert clips.layout_at(clip, 5.0) == clips.layout_at(again, 5.0)


def test_nothing_moves_before_the_first_shot(clip: Clip) -> None:
    assert clips.layout_at(clip, 0.0) == clips.layout_at(clip, clip.plays[0].t_s - 0.01)


def test_after_a_turn_every_pin_stands_where_the_script_says(clip: Clip) -> None:
    end = clips.layout_at(clip, clip.plays[1].t_s - 0.05)
    for number, piece in end.pins:
        x, y, _ = clip.places[1][number]
        assert np.hypot(piece.at_cm[0] - x, piece.at_cm[1] - y) < 0.3
        assert abs(piece.at_cm[2]) < 0.1
        assert 0 <= x <= BOARD_CM[0]
        assert 0 <= y <= BOARD_CM[1]


def test_pins_are_never_set_up_inside_one_another(clip: Clip) -> None:
    width = clip.scene.look.sizes.pin_cm
    for places in clip.places:
        spots = [np.array(place[:2]) for place in places.values()]
        gaps = [np.linalg.norm(a - b) for i, a in enumerate(spots) for b in spots[:i]]
        assert min(gaps) > width - 0.1


def test_a_hand_is_over_the_board_while_pieces_are_carried(clip: Clip) -> None:
    for carry in clip.carries:
        assert clips.arms_at(clip, (carry.t0_s + carry.t1_s) / 2)
