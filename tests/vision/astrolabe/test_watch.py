"""Whole turns on drawn tables: every shot once, nothing from hands, bodies over the Play Line."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest
from support.astrolabe_scenes import Ball, Look, Picture, draw, setup_json, slot_cm

from engine import result
from vision.events import Event, event_line
from vision.failure import Failure
from vision.frames import Frame
from vision.replay import replay
from vision.scribe import sheet_of
from vision.setup import Setup, parse_setup

LOOK = Look(noise=0.0)
LYING: tuple[Ball, ...] = ((0, slot_cm(2, 2)), (1, slot_cm(3, 4)), (1, (12.0, 70.0)))
INTO: Ball = (0, slot_cm(1, 4))
BACK: Ball = (1, (34.0, 1.8))
ARM = (30.0, 6.0)
OVER_LINE = (30.0, 30.0)

Moment = tuple[tuple[Ball, ...], tuple[float, float] | None]


ROOMY = replace(LOOK, focal_px=640.0)
"""The same from so far that something shows beside the table."""


def setup(look: Look = LOOK) -> Setup:
    parsed = parse_setup(setup_json(look, LYING[:2]))
    assert isinstance(parsed, Setup)
    return parsed


@cache
def drawn(balls: tuple[Ball, ...], arm: tuple[float, float] | None, look: Look = LOOK) -> Picture:
    return draw(look, list(balls), hand_to_cm=arm)


def held(balls: Iterable[Ball], seconds: float, arm: tuple[float, float] | None = None) -> list[Moment]:
    return [(tuple(balls), arm)] * round(seconds * 10)


def rolling(balls: Iterable[Ball], side: int, ways: Iterable[tuple[float, float]]) -> list[Moment]:
    return [((*balls, (side, at)), None) for at in ways]


def frames(moments: Iterable[Moment], fps: int = 10, look: Look = LOOK) -> Iterator[Frame]:
    rng = np.random.default_rng(4)
    for index, (balls, arm) in enumerate(moments):
        noisy = drawn(balls, arm, look) + rng.integers(-2, 3, (540, 960, 1))
        yield Frame(index, round(index * 1000 / fps), bgr=np.clip(noisy, 0, 255).astype(np.uint8))


def watched(moments: Iterable[Moment]) -> list[Event]:
    events = list(replay(frames(moments), setup()))
    assert all(isinstance(event, Event) for event in events), events[-1]
    return [event for event in events if isinstance(event, Event)]


def moves(event: Event) -> list[dict[str, Any]]:
    return list(event.data["action"]["moves"])


def up_to(x: float, y: float) -> list[tuple[float, float]]:
    return [(30.0 + (x - 30.0) * k / 5, 18.0 + (y - 18.0) * k / 5) for k in range(5)]


def shot(lying: Iterable[Ball], ball: Ball, arm: tuple[float, float] = ARM) -> list[Moment]:
    return [
        *held(lying, 1),
        *held(lying, 0.6, arm),
        *rolling(lying, ball[0], up_to(*ball[1])),
        *held([*lying, ball], 1.5),
    ]


@pytest.mark.long
def test_a_shot_into_a_slot_is_one_event() -> None:
    (event,) = watched(shot(LYING, INTO))
    assert event.kind == "shot"
    assert moves(event) == [{"ball": 0, "from": "hand", "to": [1, 4]}]
    assert event.data["review"] == []
    assert 14 <= event.frame <= 18
    assert 20 <= event.end_frame <= 23
    assert event.data["action"]["t_ms"] == event.t_ms == event.frame * 100


@pytest.mark.long
def test_a_ball_that_comes_back_is_a_shot_and_taking_it_up_is_none() -> None:
    moments = shot(LYING, BACK)
    events = watched([*moments, *held([*LYING, BACK], 0.3, (34.0, 2.0)), *held(LYING, 1.5)])
    assert [event.kind for event in events] == ["shot", "hand"]
    assert moves(events[0]) == [{"ball": 1, "from": "hand", "to": "hand"}]


@pytest.mark.long
def test_a_hand_that_comes_at_once_does_not_hide_the_shot() -> None:
    moments = shot(LYING, BACK)[:-10]
    events = watched([*moments, *held([*LYING, BACK], 0.4, (34.0, 2.0)), *held(LYING, 1.5)])
    assert [event.kind for event in events] == ["shot", "hand"]
    assert moves(events[0]) == [{"ball": 1, "from": "hand", "to": "hand"}]


def as_they_come(moments: Iterable[Moment], *, eager: bool = False) -> list[tuple[int, Event]]:
    """Watch; give with each event the frame with which it came."""
    newest = 0

    def fed() -> Iterator[Frame]:
        nonlocal newest
        for frame in frames(moments):
            newest = frame.index
            yield frame

    found = []
    for event in replay(fed(), setup(), eager=eager):
        assert isinstance(event, Event), event
        found.append((newest, event))
    return found


OUT_AGAIN: list[tuple[float, float]] = [(30.0 + 3 * k, 46.0 - 9.5 * k) for k in range(5)]
"""Out of a slot of the first position and down the slope."""


def test_a_shot_that_surely_rests_is_told_at_once() -> None:
    ((came, event),) = as_they_come(shot(LYING, INTO))
    assert event.kind == "shot"
    assert came - event.end_frame == 2  # 0.2 s at ten frames a second


def test_a_ball_that_rests_on_the_open_slope_is_told_once_it_is_seen_to_keep_its_place() -> None:
    ((came, event),) = as_they_come(shot(LYING, (1, (34.0, 66.0))))
    assert moves(event) == [{"ball": 1, "from": "hand", "to": "grouped"}]
    assert 2 <= came - event.end_frame <= 3


@pytest.mark.long
def test_as_32_a_ball_that_turns_round_is_told_where_it_comes_to_rest() -> None:
    turning = [66.0 - 12.5 * (0.1 * k) ** 2 for k in range(-4, 8)]  # on a slope of two degrees
    up_and_down = rolling(LYING, 1, [(34.0, y) for y in (*turning, 52.0, 38.0, 22.0, 8.0)])
    (event,) = watched([*shot(LYING, BACK)[:-20], *up_and_down, *held([*LYING, BACK], 1.5)])
    assert event.kind == "shot"
    assert moves(event) == [{"ball": 1, "from": "hand", "to": "hand"}]


@pytest.mark.long
def test_a_ball_that_leaves_its_slot_after_all_revises_the_shot() -> None:
    moments = [*shot(LYING, INTO)[:-11], *rolling(LYING, 0, OUT_AGAIN), *held([*LYING, (0, (45.0, 1.8))], 1.5)]
    told, revised = watched(moments)
    assert (told.kind, revised.kind) == ("shot", "shot_revised")
    assert moves(told) == [{"ball": 0, "from": "hand", "to": [1, 4]}]
    assert moves(revised) == [{"ball": 0, "from": "hand", "to": "hand"}]
    assert revised.data["shot_frame"] == told.frame
    assert revised.data["review"] == []
    (action,) = (entry.action for entry in sheet_of([told, revised], ["A", "B"], game="astrolabe").entries[1:])  # type: ignore[union-attr]
    assert action.moves[0].to == "hand"


def test_a_ball_that_left_its_slot_under_a_hand_is_asked_about() -> None:
    rolls = rolling(LYING, 0, OUT_AGAIN[:2])
    moments = [*shot(LYING, INTO)[:-11], *rolls, *held(LYING, 0.8, (34.0, 42.0)), *held(LYING, 1.5)]
    told, revised, *_ = watched(moments)
    assert (told.kind, revised.kind) == ("shot", "shot_revised")
    assert revised.data["review"] == [{"code": "NOT_SETTLED"}]


def test_a_hand_right_after_a_shot_was_told_leaves_it_as_it_was() -> None:
    moments = [*shot(LYING, BACK)[:-11], *held([*LYING, BACK], 0.4, (34.0, 2.0)), *held(LYING, 1.5)]
    events = watched(moments)
    assert [event.kind for event in events] == ["shot", "hand"]
    assert events[0].data["review"] == []


@pytest.mark.long
def test_what_is_read_while_it_is_awaited_that_it_stays_is_the_same() -> None:
    moments = [*shot(LYING, INTO)[:-11], *rolling(LYING, 0, OUT_AGAIN), *held([*LYING, (0, (45.0, 1.8))], 1.5)]
    lines = [[event_line(event) for _, event in as_they_come(moments, eager=eager)] for eager in (False, True)]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 2


def test_a_hand_alone_scores_nothing() -> None:
    events = watched([*held(LYING, 1), *held(LYING, 1, ARM), *held(LYING, 1.5)])
    assert [event.kind for event in events] == ["hand"]


def test_a_body_over_the_play_line_is_proposed_as_a_foul() -> None:
    (event,) = watched(shot(LYING, INTO, arm=OVER_LINE))
    assert event.data["action"]["foul"] == "play_line"
    assert {"code": "PLAY_LINE"} in event.data["review"]
    assert moves(event) == [{"ball": 0, "from": "hand", "to": [1, 4]}]


@pytest.mark.long
def test_a_grouped_ball_knocked_back_is_part_of_the_shot() -> None:
    lying = list(LYING)
    after: list[Ball] = [*lying[:2], (1, (14.0, 3.0)), (0, (58.0, 8.0))]
    moments = [
        *held(lying, 1),
        *held(lying, 0.6, ARM),
        *rolling(lying[:2], 0, up_to(12.0, 70.0)),
        *held(after, 1.5),
    ]
    (event,) = watched(moments)
    assert moves(event) == [
        {"ball": 0, "from": "hand", "to": "gutter"},
        {"ball": 1, "from": "grouped", "to": "hand"},
    ]


@pytest.mark.long
def test_shots_follow_each_other_and_make_a_sheet_that_the_rules_take() -> None:
    second: Ball = (0, slot_cm(2, 5))
    events = watched([*shot(LYING, INTO), *shot([*LYING, INTO], second)])
    assert [moves(event)[0]["to"] for event in events] == [[1, 4], [2, 5]]
    sheet = sheet_of(events, ["A", "B"], game="astrolabe")
    kinds = [entry.action.kind for entry in sheet.entries]  # type: ignore[union-attr]
    assert kinds == ["start_round", "shot", "shot"]
    assert result(sheet)["conflict"] is None
    assert result(sheet)["scores"] == [3, 0]


@pytest.mark.long
def test_the_same_frames_give_the_same_events() -> None:
    moments = shot(LYING, INTO)
    first, second = ([event_line(event) for event in watched(moments)] for _ in range(2))
    assert first == second


def test_a_recording_that_ends_in_the_shot_says_so() -> None:
    (event,) = watched(shot(LYING, INTO)[:-14])
    assert event.kind == "shot"
    assert {"code": "NOT_SETTLED"} in event.data["review"]


def test_a_recording_that_begins_with_a_hand_waits_until_it_is_gone() -> None:
    events = watched([*held(LYING, 0.8, OVER_LINE), *shot(LYING, INTO)])
    assert [event.kind for event in events] == ["shot"]


def test_what_lies_on_the_table_is_seen_not_told() -> None:
    (failure,) = replay(frames(held(LYING, 0.2)), setup(), lying={})
    assert isinstance(failure, Failure)
    assert failure.code == "BAD_STATE"


@pytest.mark.parametrize("light", [(0.7, 0.7, 0.7), (1.1, 1.0, 0.9)], ids=["darker", "cooler"])
def test_light_that_is_switched_is_no_shot(light: tuple[float, float, float]) -> None:
    shown = [*frames(held(LYING, 1))]
    other = draw(replace(LOOK, light=light), list(LYING))
    shown += [Frame(10 + k, 1000 + 100 * k, bgr=other) for k in range(15)]
    events = list(replay(shown, setup()))
    assert all(isinstance(event, Event) and event.kind == "light_changed" for event in events)


def caught(at: tuple[float, float], after: Iterable[Ball]) -> list[Moment]:
    """A ball rolls up, and down again to (30, 44), while a hand reaches to `at`; then all but `after` is gone."""
    ways = [(30.0, y) for y in (18.0, 34.0, 47.0, 57.0, 60.0, 58.0, 52.0, 44.0)]
    reaching = [((*LYING, (0, ways[-1])), at), *held(LYING, 0.5, at)] if not list(after) else []
    passing = [((*LYING, (0, (30.0, y))), at) for y in (36.0, 28.0, 20.0, 12.0)] if list(after) else []
    return [
        *held(LYING, 1),
        *held(LYING, 0.6, ARM),
        *rolling(LYING, 0, ways),
        *reaching,
        *passing,
        *held([*LYING, *after], 1.5),
    ]


@pytest.mark.long
def test_a_hand_that_takes_up_a_rolling_ball_is_proposed_as_a_foul_and_is_a_shot() -> None:
    (event,) = watched(caught((30.0, 36.0), []))
    assert event.kind == "shot"
    assert event.data["action"]["foul"] == "touched_moving_ball"
    assert moves(event) == [{"ball": 0, "from": "hand", "to": "hand"}]
    assert {"code": "BALL_TOUCHED"} in event.data["review"]


@pytest.mark.long
def test_a_hand_beside_a_rolling_ball_has_not_touched_it() -> None:
    event = watched(caught((46.0, 36.0), [(0, (30.0, 2.0))]))[0]
    assert event.data["action"]["foul"] == "play_line"
    assert moves(event) == [{"ball": 0, "from": "hand", "to": "hand"}]
    assert {"code": "BALL_TOUCHED"} not in event.data["review"]


def jolted(
    moments: Iterable[Moment], jolts: Mapping[int, tuple[float, float]], *, camera: bool = False
) -> list[Event]:
    """Watch a table in a room while it is moved by (x, y) px in some frames, or the `camera` is."""
    tones = np.random.default_rng(7).integers(40, 200, (54, 96, 3)).astype(np.uint8)
    room = cv2.resize(tones, (960, 540), interpolation=cv2.INTER_CUBIC)
    around = np.zeros((540, 960), np.uint8)
    outline = np.array(setup_json(ROOMY, LYING[:2])["board_px"])
    outline = outline.mean(axis=0) + (outline - outline.mean(axis=0)) * 1.05
    cv2.fillPoly(around, [np.round(outline).astype(np.int32)], (1,))

    def shown() -> Iterator[Frame]:
        for frame in frames(moments, look=ROOMY):
            step = np.array([[1.0, 0, 0], [0, 1.0, 0]])
            step[:, 2] = jolts.get(frame.index, (0.0, 0.0))
            moved, there = (cv2.warpAffine(one, step, (960, 540)) for one in (frame.bgr(), around))
            behind = cv2.warpAffine(room, step, (960, 540), borderMode=cv2.BORDER_REFLECT) if camera else room
            picture = np.where(there[..., None] > 0, moved, behind).astype(np.uint8)
            yield Frame(frame.index, frame.t_ms, bgr=picture)

    events = list(replay(shown(), setup(ROOMY)))
    assert all(isinstance(event, Event) for event in events), events
    return [event for event in events if isinstance(event, Event)]


KNOCK = {19: (2.0, 5.0), 20: (4.0, 9.0), 21: (2.0, 4.0)}


@pytest.mark.long
def test_a_table_that_is_struck_during_a_shot_is_proposed_as_a_foul() -> None:
    (event,) = jolted(shot(LYING, INTO), KNOCK)
    assert event.kind == "shot"
    assert event.data["action"]["foul"] == "interference"
    assert event.data["review"] == [{"code": "TABLE_STRUCK"}]
    assert moves(event) == [{"ball": 0, "from": "hand", "to": [1, 4]}]


def test_a_table_that_is_struck_between_shots_is_told_and_scores_nothing() -> None:
    (event,) = jolted(held(LYING, 3.5), KNOCK)
    assert (event.kind, event.data["review"]) == ("table_struck", [{"code": "TABLE_STRUCK"}])
    assert 0.5 <= event.data["moved_cm"] <= 2.5


@pytest.mark.long
def test_a_camera_that_is_jolted_strikes_no_table() -> None:
    (event,) = jolted(shot(LYING, INTO), KNOCK, camera=True)
    assert event.kind == "shot"
    assert "foul" not in event.data["action"]
    assert event.data["review"] == []
