"""Whole turns drawn frame by frame: a shot once, none from hands, names told when the pins are set up again."""

import json
from collections.abc import Iterator, Mapping, Sequence

import cv2
import numpy as np
import pytest
from support.finn_scenes import PIN, Picture, draw, scene_setup

from engine import format_sheet, result
from vision.events import Event
from vision.failure import Failure
from vision.finn.before import View, viewed
from vision.finn.pins import Axis, lying, standing
from vision.finn.setting import SetUp, stood_already
from vision.finn.state import START_CM
from vision.frames import Frame
from vision.replay import replay
from vision.scribe import sheet_of

SETUP = scene_setup()
STANDING = {name: standing(xy, PIN) for name, xy in START_CM.items()}
WAITS = (13.0, 24.0)


def _pictures() -> Iterator[Picture]:
    seed = iter(range(10_000))

    def show(pins: Mapping[str, Axis], disc: tuple[float, float] | None) -> Picture:
        return draw(SETUP, pins, disc, seed=next(seed))

    after = {**STANDING, "7": lying((110.0, 40.0), 0.6, PIN), "9": lying((128.0, 24.0), 0.3, PIN)}
    again = {**STANDING, "7": standing((110.0, 40.0), PIN), "9": standing((111.0, 24.0), PIN)}
    yield from (show(STANDING, WAITS) for _ in range(20))
    yield from (
        show(STANDING, xy) for xy in ((24.0, 31.0), (36.0, 39.0), (47.0, 46.0), (58.0, 40.0), (69.0, 34.0))
    )
    yield from (show(after, None) for _ in range(25))
    yield from (_with_arm(show(after, None), reach) for reach in (150, 250, 300, 320, 320, 320, 300, 250, 150))
    yield from (show(again, None) for _ in range(45))
    yield from (_with_arm(show(again, None), reach) for reach in (150, 250, 300, 300, 250, 150))
    yield from (show(again, WAITS) for _ in range(45))


def _with_arm(picture: Picture, reach: int) -> Picture:
    cv2.line(picture, (980, 720), (960, 720 - reach), (45, 40, 60), 90, cv2.LINE_AA)
    return picture


def _watched(pictures: Sequence[Picture], *, eager: bool = False) -> list[Event]:
    frames = [Frame(k, 40 * k, bgr=picture) for k, picture in enumerate(pictures)]
    events = list(replay(frames, SETUP, eager=eager))
    assert not [event for event in events if isinstance(event, Failure)]
    return [event for event in events if isinstance(event, Event)]


@pytest.mark.long
def test_a_turn_is_one_shot_that_setting_up_makes_certain() -> None:
    pictures = list(_pictures())
    events = _watched(pictures)
    assert _watched(pictures, eager=True) == events
    assert [event.kind for event in events if event.kind.startswith("shot")] == ["shot", "shot_revised"]
    assert sum(event.kind == "hand" for event in events) == 2
    shot, revised = (event for event in events if event.kind.startswith("shot"))
    assert 19 <= shot.frame <= 21
    assert shot.data["action"]["cushions"] == 1
    assert "WHICH_PIN" in {item["code"] for item in shot.data["review"]}
    assert revised.data["shot_frame"] == shot.frame
    assert revised.data["action"]["pins"] == {"7": "fallen", "9": "off_board"}
    assert revised.data["review"] == []


def test_a_pin_that_nobody_has_touched_since_the_shot_had_stood() -> None:
    view = viewed(SETUP, draw(SETUP, STANDING, None), START_CM)
    assert isinstance(view, View)
    places = {**START_CM, "6": (60.0, 12.0)}
    after = draw(SETUP, {**STANDING, "6": lying(places["6"], 0.4, PIN)}, None, seed=1)
    now = draw(SETUP, {**STANDING, "6": standing(places["6"], PIN)}, None, seed=2)
    settled = SetUp(places=places, standing=frozenset(places), sure=True)
    assert stood_already(view, after, now, settled) == frozenset(START_CM) - {"6"}


@pytest.mark.long
def test_a_board_that_is_not_there_is_refused() -> None:
    empty = np.random.default_rng(0).integers(80, 120, (720, 1280, 3)).astype(np.uint8)
    frames: list[Frame] = [Frame(0, 0, bgr=empty)]
    (failure,) = replay(frames, SETUP)
    assert isinstance(failure, Failure)
    assert failure.code == "NO_STATE"


def test_fb_10_the_sides_of_a_recording_take_turns() -> None:
    shots = [
        Event(
            kind="shot",
            t_ms=1000 * k,
            frame=25 * k,
            end_frame=25 * k + 20,
            data={"action": {"kind": "shot", "side": 0, "t_ms": 1000 * k, "pins": {"1": "fallen"}, "cushions": 0}},
        )
        for k in range(3)
    ]
    sheet = sheet_of(shots, ("A", "B"), game="finn")
    assert [entry["action"]["side"] for entry in map(json.loads, format_sheet(sheet).splitlines()[1:])] == [
        0,
        1,
        0,
    ]
    assert result(sheet)["scores"] == [2, 1]
