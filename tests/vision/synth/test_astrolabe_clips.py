"""Scripts of Astrolabe clips: pure, and balls are where truth says."""

from itertools import pairwise

import pytest

pytest.importorskip("mujoco")

from vision.synth.astrolabe import clips
from vision.synth.astrolabe.clips import Clip
from vision.synth.astrolabe.look import PLAY_LINE_CM
from vision.synth.astrolabe.physics import place_of


@pytest.fixture(scope="module")
def clip() -> Clip:
    return clips.script(23, shots=3, fouls={})


def test_a_script_is_a_pure_function_of_its_seed(clip: Clip) -> None:
    again = clips.script(23, shots=3, fouls={})
    assert clip.reaches == again.reaches
    assert clips.balls_at(clip, 7.0) == clips.balls_at(again, 7.0)


def test_a_ball_comes_with_the_hand_and_stays_where_it_scored(clip: Clip) -> None:
    play = clip.plays[0]
    assert len(clips.balls_at(clip, 0.0)) == len(clip.first)
    assert len(clips.balls_at(clip, play.t_s - 0.1)) == len(clip.first) + 1
    last = clips.balls_at(clip, play.t_s + play.run.seconds + 0.2)[-1]
    assert place_of(last, clip.scene.look.table) == play.places[-1] == (1, 0)


def test_hands_hold_balls_only_while_they_are_there(clip: Clip) -> None:
    for reach in clip.reaches:
        assert clips.arms_at(clip, (reach.from_s + reach.to_s) / 2)
    assert not clips.arms_at(clip, 0.0)


def test_a_side_that_scores_shoots_again(clip: Clip) -> None:
    for before, after in zip(clip.plays, clip.plays[1:], strict=False):
        assert (after.side == before.side) == (not isinstance(before.places[-1], str))


def test_a_hand_that_goes_over_the_line_fouls_and_takes_its_ball_off() -> None:
    clip = clips.script(23, shots=2, fouls={"play_line": 1.0})
    first, second = clip.plays
    assert first.foul == second.foul == "play_line"
    assert second.side != first.side
    assert first.ids[-1] not in second.ids
    reach = next(one for one in clip.reaches if one.holds == first.ids[-1])
    assert max(y for _, (_, y, _) in reach.path) > PLAY_LINE_CM
    assert all(play.foul is None for play in clips.script(23, shots=1, fouls={}).plays)


def test_a_ball_that_is_caught_goes_with_the_hand_from_where_it_rolled() -> None:
    clip = clips.script(23, shots=2, fouls={"touched_moving_ball": 1.0})
    play = next(play for play in clip.plays if play.caught_s is not None)
    caught_s = play.t_s + play.caught_s if play.caught_s is not None else 0.0
    assert (play.foul, play.places[-1]) == ("touched_moving_ball", "hand")
    rolling = clips.balls_at(clip, caught_s - 0.02)[-1]
    held = clips.balls_at(clip, caught_s + 0.02)[-1]
    assert rolling.at_cm[1] > PLAY_LINE_CM
    assert abs(held.at_cm[1] - rolling.at_cm[1]) < 3
    assert len(clips.balls_at(clip, caught_s + 1.0)) == len(clips.balls_at(clip, caught_s)) - 1
    assert clips.arms_at(clip, caught_s)


def test_a_table_that_is_knocked_comes_back_and_moves_what_lies_on_it() -> None:
    clip = clips.script(23, shots=1, fouls={"interference": 1.0})
    (play,) = clip.plays
    assert play.shake is not None
    assert play.foul == "interference"
    times = [play.t_s + 0.01 * k for k in range(250)]
    moved = [abs(clips.moved_at(clip, t)[1]) for t in times]
    assert 0.5 < max(moved) < 6
    assert (moved[0], moved[-1]) == (0.0, 0.0)
    assert max(abs(b - a) for a, b in pairwise(moved)) < 0.6
    assert clips.moved_at(clip, play.t_s + play.shake.over_s + 0.01) == (0.0, 0.0)
