"""The whole loop on drawn scenes: nothing is scored that did not happen."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.dart_scenes import RATE, Moment, frames, held, reach, setup, visit

from engine import result
from vision.assets import asset
from vision.events import Event, event_line
from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.replay import replay
from vision.scribe import sheet_of
from vision.setup import Setup, load_setup

TIPS = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))
SEGMENTS = ["T20", "S7", "S13"]
EMPTY = Moment()
ONE, TWO, THREE = (Moment(darts_mm=TIPS[:count]) for count in (1, 2, 3))


def seen(shown: Iterable[Frame | Failure], lying: Mapping[str, Any] | None = None) -> list[Event]:
    events = list(replay(shown, setup(), lying=lying))
    assert all(isinstance(event, Event) for event in events), events[-1]
    return [event for event in events if isinstance(event, Event)]


def watched(moments: Iterable[Moment], *, fps: float = RATE, noise: float = 1.5) -> list[Event]:
    return seen(frames(moments, fps=fps, noise=noise))


def kinds(events: Iterable[Event]) -> list[str]:
    return [event.kind for event in events]


def segments(events: Iterable[Event]) -> list[str]:
    return [event.data["segment"] for event in events if event.kind == "throw"]


def codes(event: Event) -> list[str]:
    return [item["code"] for item in event.data["review"]]


@pytest.mark.parametrize("fps", [5, 12, 30])
def test_a_visit_is_three_throws_and_a_takeout(fps: int) -> None:
    shown = visit(TIPS, fps)
    events = watched(shown, fps=fps)
    assert kinds(events) == ["throw"] * 3 + ["takeout"]
    assert segments(events) == SEGMENTS
    assert [event.frame for event in events[:3]] == [fps, 2 * fps, 3 * fps]
    hands = [index for index, moment in enumerate(shown) if moment.hand_px is not None]
    takeout = events[3]
    assert hands[0] - 1 <= takeout.frame <= hands[0] + fps / 5
    assert hands[-1] - fps / 5 <= takeout.end_frame <= hands[-1] + 1
    assert takeout.data == {"darts": 3, "bounced_out": 0, "pulled": 3, "review": []}


@pytest.mark.parametrize(
    "light",
    [
        pytest.param(lambda _, k: 1 + 0.07 * np.sin(2.1 * k), id="flicker"),
        pytest.param(lambda moment, _: 1.3 if moment.hand_px else 1.0, id="exposure follows the hand"),
        pytest.param(lambda _, k: 1 - 0.3 * k / 60, id="evening"),
    ],
)
def test_light_does_not_score(light: Callable[[Moment, int], float]) -> None:
    shown = [replace(moment, light=light(moment, k)) for k, moment in enumerate(visit(TIPS))]
    events = [event for event in watched(shown) if event.kind != "light_changed"]
    assert kinds(events) == ["throw"] * 3 + ["takeout"]
    assert segments(events) == SEGMENTS


def test_a_noisy_camera_does_not_score() -> None:
    assert segments(watched(visit(TIPS), noise=8)) == SEGMENTS


def test_a_hand_that_only_reaches_in_is_a_hand() -> None:
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *reach(ONE, ONE), *held(ONE, 1), *held(TWO, 1)])
    assert kinds(events) == ["throw", "hand", "throw"]
    assert segments(events) == SEGMENTS[:2]


def test_somebody_walking_by_is_a_hand() -> None:
    by = [replace(ONE, hand_px=(-150.0 + 30 * k, 100.0), hand_width=200) for k in range(32)]
    assert kinds(watched([*held(ONE, 1), *by, *held(ONE, 1)])) == ["hand"]


def test_a_takeout_in_two_goes_is_one_takeout() -> None:
    shown = [*held(EMPTY, 1), *held(ONE, 1), *held(TWO, 1), *reach(TWO, ONE), *held(ONE, 1), *reach(ONE, EMPTY)]
    events = watched([*shown, *held(EMPTY, 1)])
    assert kinds(events) == ["throw", "throw", "takeout"]
    assert events[-1].data["pulled"] == 2
    assert codes(events[-1]) == ["FILLED_WITH_MISS"]


def test_a_dart_left_on_the_board_ends_the_visit_at_the_next_throw() -> None:
    shown = [*held(EMPTY, 1), *held(ONE, 1), *held(TWO, 1), *reach(TWO, ONE), *held(ONE, 1)]
    new = Moment(darts_mm=(TIPS[0], TIPS[2]))
    events = watched([*shown, *held(new, 1)])
    assert kinds(events) == ["throw", "throw", "takeout", "throw"]
    assert codes(events[2]) == ["DARTS_LEFT", "FILLED_WITH_MISS"]
    assert segments(events) == ["T20", "S7", "S13"]


def test_a_hand_that_moves_a_dart_scores_nothing() -> None:
    other = Moment(darts_mm=((60.0, -70.0),))
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *reach(ONE, other), *held(other, 1)])
    assert segments(events) == ["T20"]


def test_a_bounce_out_leaves_no_score() -> None:
    toward = [replace(EMPTY, flying_px=(420.0 - 15 * k, 150.0 + 6 * k)) for k in range(4)]
    falling = [replace(EMPTY, flying_px=(360.0 + 4 * k, 170.0 + 18 * k * k)) for k in range(5)]
    events = watched([*held(EMPTY, 1), *toward, *falling, *held(EMPTY, 1)])
    assert kinds(events) == ["bounce_out"]


def test_a_bounce_out_at_the_end_of_a_recording_is_seen() -> None:
    toward = [replace(EMPTY, flying_px=(420.0 - 15 * k, 150.0 + 6 * k)) for k in range(3)]
    assert kinds(watched([EMPTY, EMPTY, *toward, EMPTY], fps=30)) == ["bounce_out"]


def test_a_dart_that_falls_off_is_told() -> None:
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *held(TWO, 1), *held(ONE, 1)])
    assert kinds(events) == ["throw", "throw", "dart_fell"]
    assert events[-1].data["dart"] == 1


@pytest.mark.parametrize("fps", [10, 30])
def test_a_board_that_shakes_when_a_dart_hits_it_is_no_hand(fps: float) -> None:
    shaking = [(0.0, 5.0), (0.0, -4.0), (1.0, 3.0), (0.0, -2.0), (0.0, 1.0)]
    shown = [*held(EMPTY, 1, fps), *(replace(ONE, shift_px=shift) for shift in shaking), *held(ONE, 1, fps)]
    events = watched(shown, fps=fps)
    assert kinds(events) == ["throw"]
    assert segments(events) == ["T20"]


def stalled(moments: Iterable[Moment], after: int, gap_ms: int) -> list[Frame]:
    """Draw moments with a camera that stood still after a frame."""
    return [
        Frame(frame.index, frame.t_ms + (gap_ms if frame.index > after else 0), bgr=frame.bgr())
        for frame in frames(moments)
    ]


def test_two_darts_that_came_unseen_are_both_kept_and_ask() -> None:
    events = seen(stalled([*held(EMPTY, 1), *held(TWO, 1)], 9, 5000))
    assert kinds(events) == ["camera_stalled", "throw", "throw"]
    assert sorted(segments(events)) == ["S7", "T20"]
    assert all("SEVERAL_AT_ONCE" in codes(event) for event in events[1:])


def test_two_darts_in_one_moment_are_one_that_asks() -> None:
    (throw,) = watched([*held(EMPTY, 1), *held(TWO, 1)])
    assert throw.data["segment"] in ("S7", "T20")
    assert "MAYBE_ANOTHER_DART" in codes(throw)


def test_a_fourth_dart_asks() -> None:
    four = Moment(darts_mm=(*TIPS, (-90.0, 30.0)))
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *held(TWO, 1), *held(THREE, 1), *held(four, 1)])
    assert kinds(events) == ["throw"] * 4
    assert "FOURTH_DART" in codes(events[3])


def test_what_comes_and_stays_is_never_passed_over() -> None:
    (event,) = watched([*held(EMPTY, 1), *held(replace(EMPTY, blot_px=(330.0, 250.0)), 1)])
    assert event.kind in ("throw", "board_changed")


def test_switched_light_is_told_and_play_goes_on() -> None:
    dark = [replace(moment, light=0.5) for moment in (ONE, TWO)]
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *held(dark[0], 1), *held(dark[1], 1)])
    assert kinds(events) == ["throw", "light_changed", "throw"]
    assert segments(events) == SEGMENTS[:2]


def test_a_black_picture_scores_nothing() -> None:
    events = watched([*held(ONE, 1), *held(replace(ONE, light=0.0), 0.5), *held(ONE, 1)])
    assert kinds(events) == ["view_lost", "view_back"]


def test_a_bumped_camera_is_told_and_the_next_dart_is_right_or_asks() -> None:
    moved = [replace(moment, shift_px=(7.0, -4.0)) for moment in (ONE, TWO)]
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *held(moved[0], 1), *held(moved[1], 1)])
    assert kinds(events) == ["throw", "board_moved", "throw"]
    assert 5 < events[1].data["moved_mm"] < 10
    assert events[2].data["segment"] == "S7" or codes(events[2])


def test_a_takeout_after_a_bump_is_still_a_takeout() -> None:
    moved, bare = replace(ONE, shift_px=(5.0, 0.0)), replace(EMPTY, shift_px=(5.0, 0.0))
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *held(moved, 1), *reach(moved, bare), *held(bare, 1)])
    assert kinds(events) == ["throw", "board_moved", "takeout"]


def test_a_dart_that_moves_the_camera_is_read_where_it_stands() -> None:
    moved = replace(TWO, shift_px=(7.0, -4.0))
    events = watched([*held(EMPTY, 1), *held(ONE, 1), *held(moved, 1)])
    assert kinds(events) == ["throw", "board_moved", "throw"]
    assert np.hypot(*np.subtract(events[2].data["xy_mm"], TIPS[1])) < 2.5


@pytest.mark.parametrize(("since", "shift"), [(0, (6.0, -4.0)), (6, (-3.0, 9.0)), (14, (6.0, -4.0))])
def test_a_jolt_while_hands_pull_scores_nothing(since: int, shift: tuple[float, float]) -> None:
    pulling = reach(THREE, EMPTY)
    jolted = [replace(moment, shift_px=shift) if at >= since else moment for at, moment in enumerate(pulling)]
    after = replace(EMPTY, shift_px=shift)
    events = watched([*held(EMPTY, 1), *held(THREE, 2), *jolted, *held(after, 2)])
    told = kinds(events)
    assert told.count("throw") == 1  # three in one moment are one that asks
    assert told.index("throw") == 0
    assert told.count("takeout") == 1
    assert "board_moved" in told


def test_what_lies_there_at_the_start_is_pulled_and_not_scored() -> None:
    lying = {"darts": [{"xy_mm": list(TIPS[0])}]}
    shown = [*held(ONE, 1), *held(TWO, 1), *reach(TWO, EMPTY), *held(EMPTY, 1)]
    events = seen(frames(shown), lying)
    assert kinds(events) == ["throw", "takeout"]
    assert segments(events) == ["S7"]
    assert events[1].data["pulled"] == 2


@pytest.mark.parametrize("lying", [{}, {"pins": {}}, {"darts": [{"tip": 1}]}, {"darts": {"tip_px": [1, 2]}}])
def test_a_state_that_is_none_is_refused(lying: Mapping[str, Any]) -> None:
    (failure,) = replay(frames(held(EMPTY, 0.2)), setup(), lying=lying)
    assert isinstance(failure, Failure)
    assert failure.code == "BAD_STATE"


def test_a_stalled_camera_is_told() -> None:
    events = seen(stalled([*held(EMPTY, 1), *held(ONE, 1)], 15, 5000))
    assert kinds(events) == ["throw", "camera_stalled"]
    assert events[1].data == {"lost_ms": 5100}


def test_the_same_frames_give_the_same_events() -> None:
    first, second = ([event_line(event) for event in watched(visit(TIPS))] for _ in range(2))
    assert first == second


def test_events_come_as_soon_as_they_settle() -> None:
    fed: list[int] = []

    def source() -> Iterable[Frame]:
        for frame in frames(visit(TIPS)):
            fed.append(frame.t_ms)
            yield frame

    waits = [fed[-1] - event.t_ms for event in replay(source(), setup()) if isinstance(event, Event)][:3]
    assert max(waits) <= 200


def test_a_source_that_breaks_off_gives_its_events_first() -> None:
    shown = list(frames([*held(EMPTY, 1), *held(ONE, 1)]))
    broken = Failure("DAMAGED_VIDEO", "It breaks off.")
    events = list(replay([*shown, broken], setup()))
    assert [event.kind if isinstance(event, Event) else event for event in events] == ["throw", broken]


def test_a_table_without_points_and_a_wrong_size_are_refused() -> None:
    (failure,) = replay(frames(held(EMPTY, 0.2)), Setup(game="finn", image_size=(640, 480)))
    assert isinstance(failure, Failure)
    assert failure.code == "NO_POINTS"
    (failure,) = replay(frames(held(EMPTY, 0.2)), replace(setup(), image_size=(640, 640)))
    assert isinstance(failure, Failure)
    assert failure.code == "WRONG_SIZE"


def test_no_frames_and_no_board_are_refused() -> None:
    (failure,) = replay([], setup())
    assert isinstance(failure, Failure)
    assert failure.code == "NO_FRAMES"
    grey = [Frame(n, n * 33, bgr=np.full((480, 640, 3), 90, np.uint8)) for n in range(20)]
    (failure,) = replay(grey, Setup(game="cricket", image_size=(640, 480)))
    assert isinstance(failure, Failure)


def within(frames_apart: int, found: Sequence[int], true: Sequence[int]) -> bool:
    return len(found) == len(true) and all(
        abs(one - other) <= frames_apart for one, other in zip(found, true, strict=True)
    )


def real(path: Path, fps: float | None = None) -> list[Event]:
    source = open_frames(path, fps)
    assert isinstance(source, FrameSource)
    events = list(replay(source, Setup(game="cricket", image_size=source.size)))
    assert all(isinstance(event, Event) for event in events), events[-1]
    return [event for event in events if isinstance(event, Event)]


@pytest.mark.shared_data
def test_a_real_recording_has_all_its_throws_and_takeouts(shared_data: Path) -> None:
    events = real(shared_data / "darts/video-lightbox/dartscore_20191205_185227.avi")
    throws = [event.frame for event in events if event.kind == "throw"]
    takeouts = [(event.frame, event.end_frame) for event in events if event.kind == "takeout"]
    assert within(3, throws, [21, 34, 45, 117, 133, 148, 226, 241, 257])
    assert within(3, [first for first, _ in takeouts], [64, 170, 280])
    assert within(3, [last for _, last in takeouts], [84, 189, 296])
    assert len(events) == 12


@pytest.mark.shared_data
@pytest.mark.parametrize("fps", [5, 30])
def test_a_real_bounce_out_scores_nothing(shared_data: Path, fps: float) -> None:
    assert kinds(real(shared_data / "darts/sequence-bouncer", fps)) == ["bounce_out"]


def test_the_bundled_recording_is_read_as_it_was_made() -> None:
    folder = asset("datasets/samples/cricket")
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    source, camera = open_frames(folder / "clip.mp4"), load_setup(folder / "setup.json")
    assert isinstance(source, FrameSource)
    assert isinstance(camera, Setup)
    events = [event for event in replay(source, camera) if isinstance(event, Event)]
    throws = [event for event in events if event.kind == "throw"]
    takeouts = [event for event in events if event.kind == "takeout"]
    assert within(3, [event.frame for event in throws], [throw["frame"] for throw in truth["throws"]])
    assert segments(events) == [throw["segment"] for throw in truth["throws"]]
    assert within(3, [event.frame for event in takeouts], [first for first, _ in truth["takeouts"]])
    assert within(3, [event.end_frame for event in takeouts], [last for _, last in truth["takeouts"]])
    assert not [
        throw
        for throw in throws
        for first, last in truth["hands"]
        if first <= throw.end_frame and throw.frame <= last
    ]
    assert result(sheet_of(events, truth["sides"])) == truth["result"]
