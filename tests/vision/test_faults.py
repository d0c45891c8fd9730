"""A camera's faults in the middle of a match: told, nothing false scored, and the match as it was without them."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from support.dart_scenes import Moment, frames, held, reach, setup

from vision.events import Event
from vision.frames import Frame
from vision.replay import replay

Picture = NDArray[Any]

FPS = 15
VISITS = (((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0)), ((-45.0, 80.0), (30.0, -90.0), (-12.0, 60.0)))
SHIFT = np.array([[1, 0, 6.0], [0, 1, -4.0]])


def stalled(_first: Picture, _now: Picture) -> Picture | None:
    return None


def frozen(first: Picture, _now: Picture) -> Picture:
    return first


def black(_first: Picture, now: Picture) -> Picture:
    return np.full_like(now, 2)


def dimmed(_first: Picture, now: Picture) -> Picture:
    return cv2.convertScaleAbs(now, alpha=0.6)


def blurred(_first: Picture, now: Picture) -> Picture:
    return cv2.GaussianBlur(now, (0, 0), 5)


def blinded(_first: Picture, now: Picture) -> Picture:
    return cv2.convertScaleAbs(now, alpha=5)


Fault = Callable[[Picture, Picture], Picture | None]
FAULTS: Mapping[Fault, str] = {
    stalled: "camera_stalled",
    frozen: "camera_frozen",
    black: "view_lost",
    dimmed: "light_changed",
    blurred: "view_lost",
    blinded: "view_lost",
}


@cache
def film(visits: int) -> tuple[Frame, ...]:
    """Draw visits with three seconds and a half to each dart, as people throw."""
    shown = held(Moment(), 4.2, FPS)
    for tips in VISITS[:visits]:
        for count in (1, 2, 3):
            shown = [*shown, *held(Moment(darts_mm=tips[:count]), 3.5, FPS)]
        shown = [*shown, *reach(Moment(darts_mm=tips), Moment(), fps=FPS), *held(Moment(), 3, FPS)]
    return tuple(frames(shown, fps=FPS))


def shown_with(fault: Fault, shown: Sequence[Frame], from_ms: float, for_ms: float) -> Iterator[Frame]:
    """Give frames as a camera would that has a fault for a while."""
    first, index = None, 0
    for frame in shown:
        picture: Picture | None = frame.bgr()
        if from_ms <= frame.t_ms < from_ms + for_ms:
            first = frame.bgr() if first is None else first
            picture = fault(first, frame.bgr())
        if picture is not None:
            yield Frame(index, frame.t_ms, bgr=picture.astype(np.uint8, copy=False))
            index += 1


def seen(shown: Iterator[Frame] | Sequence[Frame]) -> list[Event]:
    events = list(replay(shown, setup()))
    assert all(isinstance(event, Event) for event in events), events[-1]
    return [event for event in events if isinstance(event, Event)]


def scored(events: Sequence[Event]) -> list[tuple[str, Any]]:
    return [(event.kind, event.data.get("segment")) for event in events if event.kind in ("throw", "takeout")]


@cache
def without_fault(visits: int) -> list[tuple[str, Any]]:
    return scored(seen(film(visits)))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_dart_that_lands_meanwhile_is_scored_when_the_view_is_back(fault: Fault) -> None:
    events = seen(shown_with(fault, film(1), 6900, 2600))  # the second dart lands at 7.7 s
    assert scored(events) == without_fault(1)
    told = next(event for event in events if event.kind == FAULTS[fault])
    assert 6800 <= told.t_ms <= 6900 + 2600
    if fault is not dimmed:
        landed = next(event for event in events if event.data.get("segment") == "S7")
        assert {"code": "AFTER_A_GAP"} in landed.data["review"]


@pytest.mark.long
def test_what_came_in_the_moment_of_a_bump_may_still_be_pulled() -> None:
    bumped = [cv2.warpAffine(frame.bgr(), SHIFT, (640, 480), borderMode=cv2.BORDER_REPLICATE) for frame in film(1)]
    shown = [
        Frame(frame.index, frame.t_ms, bgr=moved.astype(np.uint8) if frame.t_ms >= 4200 else frame.bgr())
        for frame, moved in zip(film(1), bumped, strict=True)
    ]
    events = seen(shown)
    assert scored(events)[-1][0] == "takeout"
    assert sum(kind == "throw" for kind, _ in scored(events)) == 3


def test_a_hand_in_the_first_picture_after_a_gap_is_waited_for() -> None:
    hand = next(frame.t_ms for frame in film(1) if frame.t_ms > 14_900)
    events = seen(shown_with(stalled, film(1), hand - 1800, 2000))
    assert scored(events) == without_fault(1)


def test_the_end_of_a_lost_view_says_how_long_it_was() -> None:
    events = seen(shown_with(black, film(1), 5000, 1000))
    lost, back = (event for event in events if event.kind.startswith("view_"))
    assert (lost.data["why"], lost.t_ms // 100) == ("dark", 50)
    assert 900 <= back.data["lost_ms"] <= 1100


def test_every_fault_of_a_camera_comes_with_a_picture_and_leaves_the_board_as_it_was_known() -> None:
    for fault in (stalled, black):
        for event in seen(shown_with(fault, film(1), 5000, 2000)):
            assert (event.shown is not None) == (event.kind in ("camera_stalled", "view_lost", "view_back"))
            assert event.shown is None or event.after is None


@pytest.mark.parametrize("hz", [3.0, 10.0])
def test_light_that_flickers_is_told_once_and_scores_as_steady_light_does(hz: float) -> None:
    def lit(frame: Frame, at: int) -> Picture:
        swing = 1 + 0.08 * np.sin(2 * np.pi * hz * frame.t_ms / 1000 + at / 40)
        return np.asarray(np.clip(frame.bgr() * swing, 0, 255), np.uint8)

    shown = [Frame(one.index, one.t_ms, bgr=lit(one, 0)) for one in film(1)]
    events = seen(shown)
    assert scored(events) == without_fault(1)
    told = [event for event in events if event.kind == "flicker"]
    assert len(told) == (1 if hz == 10.0 else 0)  # what is slower may be a hand
    assert all(event.shown is not None and 0.03 < event.data["swing"] < 0.2 for event in told)


@pytest.mark.long
def test_steady_light_does_not_flicker() -> None:
    assert not [event for event in seen(film(2)) if event.kind == "flicker"]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_twenty_moments_of_a_match_are_scored_as_without_the_fault(fault: Fault) -> None:
    chance = random.Random(fault.__name__)
    last_ms = film(2)[-1].t_ms
    for _ in range(20):
        from_ms, for_ms = chance.uniform(4200, last_ms - 5500), chance.uniform(500, 3000)
        events = seen(shown_with(fault, film(2), from_ms, for_ms))
        asks = any({"code": "AFTER_A_GAP"} in event.data.get("review", ()) for event in events)
        assert scored(events) == without_fault(2) or asks, (from_ms, for_ms)
