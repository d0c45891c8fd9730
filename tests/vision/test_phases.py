from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from support.dart_scenes import SIZE, Moment, draw, frames, held, reach, visit

from vision.changes import compare, region_of, shift_between, shift_of_edges
from vision.frames import Frame, shrink
from vision.phases import PhaseMachine, Scene
from vision.pulse import Stall

TIPS = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))
EMPTY = Moment()
ONE = Moment(darts_mm=TIPS[:1])


def watched(shown: Iterable[Frame]) -> tuple[list[Scene], list[Stall]]:
    machine = PhaseMachine(region_of(SIZE))
    scenes, stalls = [], []
    for frame in shown:
        stalls.append(machine.stall(frame))
        scenes.append(machine.step(frame))
    scenes.append(machine.finish())
    return [scene for scene in scenes if scene], [stall for stall in stalls if stall]


def small(moment: Moment, light: float = 1.0) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    grey = draw(moment).astype(np.float64).mean(axis=2) * light
    return np.asarray(shrink(np.clip(grey, 0, 255).astype(np.uint8)))


@pytest.mark.parametrize("light", [0.4, 0.7, 1.0, 1.2])
def test_a_dart_is_a_change_and_light_is_none(light: float) -> None:
    region = region_of(SIZE)
    assert not compare(small(EMPTY, light), small(EMPTY), region)
    seen = compare(small(ONE, light), small(EMPTY), region)
    assert seen
    assert 0.001 < seen.share < 0.02
    if light != 1.0:
        assert np.sign(seen.light) == np.sign(light - 1)


def test_a_soft_shadow_is_no_change() -> None:
    picture = small(EMPTY).astype(np.float64)
    ramp = 1 - 0.45 / (1 + np.exp(-(np.arange(picture.shape[1]) - 160) / 18))
    assert not compare((picture * ramp).astype(np.uint8), picture.astype(np.uint8), region_of(SIZE))


@pytest.mark.parametrize("level", [4, 250])
def test_what_lies_around_a_thing_is_no_change(level: int) -> None:
    then = np.full((240, 320), 90, np.uint8)
    now = then.copy()
    now[100:112, 150:163] = level
    seen = compare(now, then, region_of((320, 240)))
    assert 0.8 * 12 * 13 < seen.pixels < 1.3 * 12 * 13


def test_only_the_region_matters() -> None:
    corner = region_of(SIZE, [(0, 0), (120, 0), (120, 120), (0, 120)])
    now, then = (corner.cut(small(moment)) for moment in (ONE, EMPTY))
    assert not compare(now, then, corner)
    assert corner.mask.shape == (61, 61)


@pytest.mark.parametrize("shift", [(0.4, 0.0), (3.0, -2.0), (-9.0, 6.0)])
def test_a_shift_is_measured(shift: tuple[float, float]) -> None:
    now, then = small(replace(EMPTY, shift_px=shift)), small(EMPTY)
    assert np.allclose(np.array(shift_between(now, then)) * 2, shift, atol=0.25)


@pytest.mark.parametrize("fps", [5, 10, 25, 30, 60])
def test_a_visit_is_three_arrivals_and_hands_at_any_rate(fps: int) -> None:
    scenes, _ = watched(frames(visit(TIPS, fps), fps=fps))
    assert [scene.hands for scene in scenes] == [False, False, False, True]
    for number, scene in enumerate(scenes[:3], start=1):
        assert abs(scene.began[1] - 1000 * number) <= 1000 / fps
        assert scene.moved_ms <= 200
        assert scene.after.t_ms - scene.began[1] <= max(200, 2000 / fps)
        assert scene.before.t_ms < scene.began[1]


def test_what_will_be_settled_is_foreseen_and_is_the_very_scene() -> None:
    machine = PhaseMachine(region_of(SIZE))
    ahead, settled = [], []
    for frame in frames([*held(EMPTY, 1, 30), *held(ONE, 1, 30)], fps=30):
        scene = machine.step(frame)
        settled += [(frame.t_ms, scene)] if scene else []
        coming = machine.foreseen()
        ahead += [(frame.t_ms, coming)] if coming else []
    ((early_ms, coming),), ((late_ms, scene),) = ahead, settled
    assert coming is scene
    assert scene.after.t_ms == early_ms
    assert 60 <= early_ms - 1000 <= 100
    assert 150 <= late_ms - 1000 <= 200


def test_a_first_picture_that_is_like_no_other_is_not_the_scene() -> None:
    drawn_over = replace(EMPTY, blot_px=(320.0, 60.0))
    assert not watched(frames([drawn_over, *held(EMPTY, 1, 30)], fps=30))[0]
    (scene,), _ = watched(frames([drawn_over, *held(EMPTY, 0.1, 30), *held(ONE, 1, 30)], fps=30))
    assert scene.began[0] == 4


def test_what_stops_for_a_moment_and_goes_on_is_read_where_it_stays() -> None:
    stops = [Moment(darts_mm=((10.0 + 20 * k, 60.0),)) for k in range(4)]
    shown = [*held(EMPTY, 1, 30), *(one for stop in stops for one in [stop] * 4), *held(stops[-1], 1, 30)]
    (scene,), _ = watched(frames(shown, fps=30))
    assert scene.end_frame == 30 + 4 * 3
    assert scene.after.index > scene.end_frame


def test_noise_flicker_and_drift_are_still() -> None:
    for seed, noise in enumerate((0.0, 3.0, 8.0)):
        scenes, _ = watched(frames(held(EMPTY, 3), noise=noise, seed=seed + 1))
        assert not scenes
    flicker = [replace(EMPTY, light=1 + 0.07 * np.sin(2.1 * k)) for k in range(60)]
    assert not watched(frames(flicker))[0]
    drift = [replace(EMPTY, light=1 - 0.5 * k / 120) for k in range(120)]
    assert not watched(frames(drift, fps=30))[0]


def test_a_dart_arrives_in_spite_of_noise_flicker_and_drift() -> None:
    for lights in (1 + 0.07 * np.sin(2.1 * np.arange(20)), 1 - 0.4 * np.arange(20) / 30):
        moments = [*held(EMPTY, 1), *held(ONE, 1)]
        shown = [replace(moment, light=float(light)) for moment, light in zip(moments, lights, strict=True)]
        scenes, _ = watched(frames(shown, noise=4.0))
        assert [(scene.hands, scene.relit) for scene in scenes] == [(False, False)]


def test_switched_light_is_told_and_is_no_change_of_the_scene() -> None:
    dark = replace(ONE, light=0.5)
    (scene,), _ = watched(frames([*held(ONE, 1), *held(dark, 1)]))
    assert scene.relit
    assert not scene.change
    assert scene.change.light < -0.4


def test_a_bumped_camera_is_told_by_its_shift() -> None:
    moved = replace(ONE, shift_px=(5.0, -3.0))
    (scene,), _ = watched(frames([*held(ONE, 1), *held(moved, 1)]))
    assert scene.shift is not None
    assert np.allclose(np.array(scene.shift) * 2, (5, -3), atol=0.3)
    assert not scene.hands
    assert not scene.changed


def test_a_dart_and_a_bump_at_once_leave_the_dart() -> None:
    moved = replace(ONE, shift_px=(4.0, 2.0))
    (scene,), _ = watched(frames([*held(EMPTY, 1), *held(moved, 1)]))
    assert scene.shift is not None
    assert scene.change


def test_a_resting_hand_is_waited_for() -> None:
    resting = replace(ONE, hand_px=(320.0, 230.0))
    scenes, _ = watched(frames([*held(ONE, 1), *held(resting, 2.5), *held(ONE, 1)]))
    assert [(scene.hands, scene.covered, bool(scene.change)) for scene in scenes] == [(True, False, False)]


def test_what_hides_the_board_for_long_is_told_once_in_a_while() -> None:
    resting = replace(ONE, hand_px=(320.0, 230.0), hand_width=200)
    scenes, _ = watched(frames([*held(ONE, 1), *held(resting, 13), *held(ONE, 1)]))
    assert [scene.covered for scene in scenes] == [True, True, False]


def test_nothing_is_at_rest_while_hands_are_in() -> None:
    shown = [*held(ONE, 1), *reach(ONE, EMPTY), *held(EMPTY, 1)]
    scenes, _ = watched(frames(shown))
    inside = [index for index, moment in enumerate(shown) if moment.hand_px is not None]
    assert [scene.hands for scene in scenes] == [True]
    assert scenes[0].after.index > inside[-1]


def test_a_black_picture_is_told_and_changes_nothing() -> None:
    (scene,), _ = watched(frames([*held(ONE, 1), *held(replace(ONE, light=0.0), 0.7), *held(ONE, 1)]))
    assert scene.blind
    assert not scene.change


def test_a_gap_in_time_is_a_stall() -> None:
    shown = [Frame(n, n * 33 + (3000 if n > 40 else 0), bgr=draw(EMPTY)) for n in range(60)]
    scenes, stalls = watched(shown)
    assert not scenes
    assert [(stall.last, stall.first, stall.frozen) for stall in stalls] == [((40, 1320), (41, 4353), False)]


def test_slow_pictures_are_no_stall() -> None:
    assert not watched([Frame(n, n * 4000, bgr=draw(EMPTY)) for n in range(5)])[1]


def test_a_noisy_camera_that_freezes_is_told_once() -> None:
    live = list(frames(held(EMPTY, 3, 30), fps=30))
    frozen = [Frame(90 + n, 3000 + n * 33, bgr=live[-1].bgr()) for n in range(120)]
    stalls = watched([*live, *frozen])[1]
    assert [stall.frozen for stall in stalls] == [True]
    assert 1900 <= stalls[0].first[1] - stalls[0].last[1] <= 2200


def test_a_clean_drawing_that_never_changes_is_not_frozen() -> None:
    assert not watched(frames(held(EMPTY, 5), noise=0))[1]


def test_pictures_taken_one_by_one_are_each_at_rest() -> None:
    shown = [Moment(darts_mm=TIPS[:count]) for count in range(4)]
    scenes, _ = watched(frames(shown, fps=0.5))
    assert [scene.began[0] for scene in scenes] == [1, 2, 3]


def test_a_recording_that_ends_in_motion_gives_the_last_picture_unsettled() -> None:
    scenes, _ = watched(frames([*held(EMPTY, 1), ONE]))
    assert [scene.settled for scene in scenes] == [False]


def test_a_dart_in_flight_is_not_in_the_picture_before() -> None:
    flight = [replace(EMPTY, flying_px=(560.0 - 60 * k, 60.0 + 30 * k)) for k in range(3)]
    (scene,), _ = watched(frames([*held(EMPTY, 1), *flight, *held(ONE, 1)]))
    assert scene.began[0] in (10, 11)
    assert scene.before.index < 10


@pytest.mark.parametrize(
    "shape",
    [
        (360, 640),  # as a Fourier transform likes it
        (123, 211),  # padded to 125 rows, an odd number of them
        (135, 225),  # odd already
    ],
)
def test_a_shift_is_what_it_is_however_often_it_is_asked_for(shape: tuple[int, int]) -> None:
    chance = np.random.default_rng(7)
    then = chance.normal(size=shape).astype(np.float32)
    now = np.roll(then, (-3, 2), axis=(0, 1))
    kept = then.copy(), now.copy()
    first = shift_of_edges(now, then)
    assert np.allclose(first, (2, -3), atol=0.1)
    assert shift_of_edges(now, then) == first
    assert np.array_equal(then, kept[0])
    assert np.array_equal(now, kept[1])
