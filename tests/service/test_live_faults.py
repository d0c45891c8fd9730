"""A live match over the loopback camera, with a fault switched on in the middle of it: scored as without it."""

import random
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from typing import Any

import pytest
from support.dart_scenes import Moment, frames, held, reach, setup

from service.fake_camera import FakeCamera, Switches, encoded
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame
from vision.replay import replay
from vision.sources import LiveSource, open_source
from vision.sources.grab import Decoder, Grab

FPS = 15
TIPS = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))
FAULT_S = 2.6
NOTICED_S = 2.5
ALONE: Mapping[str, tuple[str, ...]] = {
    "stall": ("CAMERA_STALLED",),
    "unplugged": ("CAMERA_LOST", "NO_CAMERA"),
    "truncate": ("DAMAGED_PICTURE",),
    "resize": ("SIZE_CHANGED",),
}
"""Faults that the source itself tells; the others are told by events."""

FAULTS: tuple[dict[str, Any], ...] = (
    {"stall": True},
    {"unplugged": True},
    {"truncate": True},
    {"resize": True},
    {"freeze": True},
    {"black": True},
    {"light": 0.6},
    {"bump": (6, -4)},
    {"slow": 5.0},
    {"drop": 0.4},
)


@cache
def film() -> tuple[Frame, ...]:
    """Draw a visit with three seconds and a half to each dart, as people throw."""
    shown = held(Moment(), 5, FPS)
    for count in (1, 2, 3):
        shown = [*shown, *held(Moment(darts_mm=TIPS[:count]), 3.5, FPS)]
    shown = [*shown, *reach(Moment(darts_mm=TIPS), Moment(), fps=FPS), *held(Moment(), 2.5, FPS)]
    return tuple(frames(shown, fps=FPS))


def scored(events: Iterable[Event | Failure]) -> list[tuple[str, Any]]:
    found = [event for event in events if isinstance(event, Event) and event.kind in ("throw", "takeout")]
    return [(event.kind, event.data.get("segment")) for event in found]


@cache
def without_fault() -> list[tuple[str, Any]]:
    """Read the film as the camera sends it."""
    decoder = Decoder()
    sent = (decoder.frame(Grab(at_ns=0, jpeg=encoded(one.bgr())), one.index, one.t_ms) for one in film())
    return scored(replay(filter(None, sent), setup()))


class Mischief:
    """Switches a fault on at a moment, off again, and closes the source when the film is over."""

    def __init__(self, camera: FakeCamera, source: LiveSource, fault: Mapping[str, Any], at_s: float) -> None:
        self.noticed_s: float | None = None
        self._camera, self._source, self._fault, self._at_s = camera, source, fault, at_s
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Mischief":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _run(self) -> None:
        time.sleep(self._at_s)
        self._camera.switch(**self._fault)
        begun = time.monotonic()
        while (lasted := time.monotonic() - begun) < FAULT_S:
            if self.noticed_s is None and self._source.trouble is not None:
                self.noticed_s = lasted
            time.sleep(0.02)
        if "bump" not in self._fault:
            self._camera.switches = Switches()
        self._camera.wait()
        time.sleep(0.3)
        self._source.close()


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: next(iter(fault)))
def test_a_fault_in_the_middle_of_a_match_changes_nothing_of_it(fault: dict[str, Any]) -> None:
    at_s = random.Random(str(fault)).uniform(4.5, 12.5)
    expected = without_fault()
    assert [kind for kind, _ in expected] == ["throw", "throw", "throw", "takeout"]
    with FakeCamera(film, loop=False) as camera:
        source = open_source(camera.url)
        assert isinstance(source, LiveSource), source
        with closing(source), Mischief(camera, source, fault, at_s) as mischief:
            assert scored(replay(source, setup())) == expected
    if next(iter(fault)) in ALONE:
        assert mischief.noticed_s is not None
        assert mischief.noticed_s < NOTICED_S
