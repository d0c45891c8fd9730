"""A live match over the loopback camera, with a fault switched on in the middle of it: scored as without it."""

import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import cache
from typing import Any

import pytest
from support.dart_scenes import Moment, frames, held, reach, setup

from service.fake_camera import FakeCamera, Switches, encoded, seen, switched
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame
from vision.replay import replay
from vision.sources import LiveSource, open_source
from vision.sources.grab import Decoder, Grab
from vision.sources.live import LiveLimits

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


Score = list[tuple[str, Any, bool]]
"""Throws and takeouts: kind, segment, whether it is asked about."""


def scored(events: Iterable[Event | Failure]) -> Score:
    found = [event for event in events if isinstance(event, Event) and event.kind in ("throw", "takeout")]
    return [(event.kind, event.data.get("segment"), bool(event.data.get("review"))) for event in found]


def alike(one: Score, other: Score) -> bool:
    """Say whether the same happened; a dart that is asked about either time may be another."""
    if [kind for kind, *_ in one] != [kind for kind, *_ in other]:
        return False
    return all(a[1] == b[1] or a[2] or b[2] for a, b in zip(one, other, strict=True))


@cache
def without_fault() -> Score:
    """Read the film as the camera sends it."""
    decoder = Decoder()
    sent = (decoder.frame(Grab(at_ns=0, jpeg=encoded(one.bgr())), one.index, one.t_ms) for one in film())
    return scored(replay(filter(None, sent), setup()))


PERMANENT = "bump"
ASKED = "AFTER_A_GAP"
BY_EVENT: Mapping[str, str] = {
    "freeze": "camera_frozen",
    "black": "view_lost",
    "light": "light_changed",
    "bump": "board_moved",
}


@cache
def plain() -> tuple[bytes, ...]:
    return tuple(encoded(one.bgr()) for one in film())


class Scripted:
    """A camera whose fault comes at a moment of its film, however long the machine takes over each picture.

    It is an opener and a feed of `vision.sources.live`. While nothing comes, the film's time passes at once.
    """

    refused = ()

    def __init__(self, fault: Mapping[str, Any], from_ms: float, for_ms: float) -> None:
        ((self.name, _),) = fault.items()
        self.source: LiveSource | None = None
        self.noticed = self.name not in ALONE
        self.at_ms, self.back_ms = 0, 0
        self._from_ms, self._to_ms = from_ms, float("inf") if self.name == PERMANENT else from_ms + for_ms
        self._switches = switched(Switches(), {name: _json(value) for name, value in fault.items()})
        self._gone = 0
        self._taken = threading.Semaphore(1)
        self._given = self._pictures()
        plain()  # drawn before anybody waits for it

    def __call__(self) -> "Scripted | Failure":
        if self._gone:
            self._seen_trouble()
        if self.name == "unplugged" and 0 < self._gone < 3:
            self._gone += 1
            return Failure("NO_CAMERA", "unplugged")
        return self

    def kept(self, _grab: Grab, frame: Frame) -> None:
        """Take note of a picture that the watcher gets."""
        self.at_ms = frame.t_ms
        if not self.back_ms and frame.t_ms >= self._to_ms:
            self.back_ms = frame.t_ms
        self._taken.release()

    def read(self) -> Grab | Failure:
        """Give the next picture when the one before was taken, or the failure that ends a connection."""
        found = next(self._given, None)
        if found is not None:
            return found
        assert self.source is not None
        self._taken.acquire()  # the watcher has the last picture: what comes of the film depends on no machine
        threading.Thread(target=self.source.close).start()
        return Failure("CAMERA_LOST", "the film is over")

    def close(self) -> None:
        """Let nobody wait."""
        self._taken.release()

    def _pictures(self) -> Iterator[Grab | Failure]:
        for frame, jpeg in zip(film(), plain(), strict=True):
            sent: bytes | None = jpeg
            if self._from_ms <= frame.t_ms < self._to_ms:
                sent = self._faulty(frame, jpeg)
                if sent is None:
                    yield from self._broken_off()
                    continue
            if self.name not in ALONE or sent is jpeg:
                self._taken.acquire()
                if not self.noticed and frame.t_ms >= self._to_ms:
                    self._seen_trouble()
            yield Grab(at_ns=frame.t_ms * 1_000_000, jpeg=sent)

    def _faulty(self, frame: Frame, jpeg: bytes) -> bytes | None:
        """Give what such a camera sends of a frame; None for nothing."""
        assert isinstance(self._switches, Switches)
        match self.name:
            case "stall" | "unplugged":
                return None
            case "truncate":
                return jpeg[: len(jpeg) // 2]
            case "freeze":
                return next(one for one, shown in zip(plain(), film(), strict=True) if shown.t_ms >= self._from_ms)
            case _:
                return encoded(seen(frame.bgr(), self._switches))

    def _broken_off(self) -> Iterator[Failure]:
        """End the connection, once."""
        if not self._gone:
            self._gone = 1
            code = "CAMERA_STALLED" if self.name == "stall" else "CAMERA_LOST"
            yield Failure(code, "nothing came for 2 s.")

    def _seen_trouble(self) -> None:
        """Wait until the source tells that something is wrong: it does as soon as it has had what came."""
        assert self.source is not None
        until = time.monotonic() + 60
        while self.source.trouble is None and time.monotonic() < until:
            time.sleep(0.005)
        self.noticed = self.source.trouble is not None and self.source.trouble.code in ALONE[self.name]


def _json(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def held_to_the_match(fault: Mapping[str, Any], from_ms: float, for_ms: float) -> bool:
    """Watch the match with a fault; give whether it was scored as without it, and hold what must hold anyway."""
    expected, camera = without_fault(), Scripted(fault, from_ms, for_ms)
    limits = LiveLimits(again_s=0.001, longest_s=0.001)
    source = LiveSource(camera, "scripted", kept=camera.kept, limits=limits)
    camera.source = source
    assert source.start() is None
    told: list[tuple[int, Event]] = []
    with closing(source):
        for event in replay(source, setup()):
            assert isinstance(event, Event), event
            told.append((camera.at_ms, event))
    assert camera.noticed
    if camera.name in BY_EVENT and for_ms > NOTICED_S * 1000:
        first = next(at_ms for at_ms, event in told if event.kind == BY_EVENT[camera.name])
        assert from_ms - 500 <= first <= from_ms + NOTICED_S * 1000 + 100
    end_ms = from_ms if camera.name == PERMANENT else from_ms + for_ms
    assert camera.name == PERMANENT or camera.back_ms - end_ms <= 3000
    late = [event for _, event in told if event.t_ms > end_ms + 3000 and event.kind in ("throw", "takeout")]
    assert not any({"code": ASKED} in event.data["review"] for event in late)
    events = [event for _, event in told]
    asks = any({"code": ASKED} in event.data.get("review", ()) for event in events)
    same = alike(scored(events), expected)
    assert same or asks, scored(events)
    return same


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
    assert [kind for kind, *_ in expected] == ["throw", "throw", "throw", "takeout"]
    with FakeCamera(film, loop=False) as camera:
        source = open_source(camera.url)
        assert isinstance(source, LiveSource), source
        with closing(source), Mischief(camera, source, fault, at_s) as mischief:
            assert alike(scored(replay(source, setup())), expected)
    if next(iter(fault)) in ALONE:
        assert mischief.noticed_s is not None
        assert mischief.noticed_s < NOTICED_S


@pytest.mark.parametrize("fault", FAULTS[:8], ids=lambda fault: next(iter(fault)))
@pytest.mark.long
def test_a_fault_while_a_dart_lands_is_told_and_false_scores_nothing(fault: dict[str, Any]) -> None:
    assert held_to_the_match(fault, 6000, FAULT_S * 1000) or fault.keys() & {"freeze"}


def test_a_dart_that_lands_as_soon_as_a_moved_board_rests_is_seen() -> None:
    assert held_to_the_match({PERMANENT: (6, -4)}, 11_608, 0)


def test_darts_that_are_pulled_while_the_camera_is_gone_score_no_other() -> None:
    assert held_to_the_match({"unplugged": True}, 14_210, FAULT_S * 1000)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS[:8], ids=lambda fault: next(iter(fault)))
def test_a_fault_at_twenty_moments_is_told_and_false_scores_nothing(fault: dict[str, Any]) -> None:
    chance = random.Random(str(fault))
    last_ms = film()[-1].t_ms
    same = [held_to_the_match(fault, chance.uniform(4200, last_ms - 3500), FAULT_S * 1000) for _ in range(20)]
    assert sum(same) >= 15, f"{sum(same)} of 20 scored as without the fault; the others ask"
