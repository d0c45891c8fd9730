"""A recording as a camera, and a live one in trouble: it is said, and nobody is shown what is damaged."""

import http.client
import itertools
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import cache, partial
from urllib.parse import urlsplit

import numpy as np
import pytest

from service.fake_camera import FakeCamera, Switches, switched
from vision.failure import Failure
from vision.frames import Frame
from vision.sources import LiveSource, open_source
from vision.sources.live import LiveLimits
from vision.sources.mjpeg import open_mjpeg

WITHIN_S = 2.5


@cache
def film() -> tuple[Frame, ...]:
    """Draw a second of a block that wanders in noise."""
    chance = np.random.default_rng(3)
    shown = []
    for index in range(30):
        picture = np.full((120, 160, 3), 90, np.uint8)
        picture[30:70, 4 * index : 30 + 4 * index] = 220
        noisy = np.clip(picture + chance.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
        shown.append(Frame(index, index * 33, bgr=noisy))
    return tuple(shown)


@pytest.fixture
def camera() -> Iterator[FakeCamera]:
    with FakeCamera(film) as playing:
        yield playing


@pytest.fixture
def source(camera: FakeCamera) -> Iterator[LiveSource]:
    opened = open_source(camera.url)
    assert isinstance(opened, LiveSource), opened
    with closing(opened):
        yield opened


class Looker:
    """Iterates over a camera in a thread, as a board does."""

    def __init__(self, source: LiveSource) -> None:
        self.frames: list[Frame] = []
        self._source = source
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        self.frames.extend(frame for frame in self._source if isinstance(frame, Frame))

    def join(self) -> None:
        self._thread.join(5)
        assert not self._thread.is_alive()


def waited(source: LiveSource, *codes: str | None, within_s: float = WITHIN_S) -> float:
    """Wait until the camera is in that trouble; give how long it took."""
    begun = time.monotonic()
    while (trouble := source.trouble, None if trouble is None else trouble.code)[1] not in codes:
        assert time.monotonic() - begun < within_s, trouble
        time.sleep(0.01)
    return time.monotonic() - begun


def test_pictures_come_as_they_are_with_the_time_they_came(source: LiveSource) -> None:
    frames = [frame for frame in itertools.islice(source, 12) if isinstance(frame, Frame)]
    assert [frame.index for frame in frames] == list(range(12))
    assert frames[0].t_ms == 0
    assert all(late.t_ms > early.t_ms for early, late in itertools.pairwise(frames))
    assert frames[-1].t_ms > 100  # a busy machine catches up
    assert source.live
    assert source.size == (160, 120)
    apart = np.abs(frames[3].luma().astype(int) - frames[4].luma().astype(int))
    assert apart.max() > 60


def test_what_comes_while_somebody_reads_waits_its_turn(source: LiveSource) -> None:
    looking = iter(source)
    first = next(looking)
    time.sleep(0.5)
    later = list(itertools.islice(looking, 8))
    assert isinstance(first, Frame)
    assert all(isinstance(frame, Frame) for frame in later)
    assert later[-1].t_ms < 500  # type: ignore[union-attr]


def test_whoever_is_too_slow_sees_the_newest_picture(camera: FakeCamera) -> None:
    limits = LiveLimits(behind_s=0.15)
    late = LiveSource(partial(open_mjpeg, camera.url), "late", limits=limits)
    assert late.start() is None
    with closing(late):
        times = []
        for frame in itertools.islice(late, 3):
            assert isinstance(frame, Frame)
            times.append(frame.t_ms)
            time.sleep(0.5)
    assert all(later - sooner > 250 for sooner, later in itertools.pairwise(times))


@pytest.mark.parametrize(
    ("fault", "codes"),
    [
        ({"stall": True}, ("CAMERA_STALLED",)),
        ({"unplugged": True}, ("CAMERA_LOST", "NO_CAMERA")),
        ({"truncate": True}, ("DAMAGED_PICTURE",)),
        ({"resize": True}, ("SIZE_CHANGED",)),
    ],
    ids=str,
)
def test_trouble_is_said_and_passes(
    camera: FakeCamera, source: LiveSource, fault: dict[str, bool], codes: tuple[str, ...]
) -> None:
    looker = Looker(source)
    camera.switch(**fault)
    waited(source, *codes)
    before = len(looker.frames)
    camera.switch(**dict.fromkeys(fault, False))
    waited(source, None)
    time.sleep(0.3)
    source.close()
    looker.join()
    assert len(looker.frames) > before
    assert {frame.size for frame in looker.frames} == {(160, 120)}
    brightest = [int(frame.luma().max()) for frame in looker.frames]
    assert min(brightest) > 200  # what a broken JPEG lacks is grey


def test_faults_are_switched_over_http(camera: FakeCamera) -> None:
    address = urlsplit(camera.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=5)
    with closing(connection):
        connection.request("POST", "/switches", json.dumps({"black": True, "bump": [4, -2]}))
        answer = json.loads(connection.getresponse().read())
        assert (answer["black"], answer["bump"]) == (True, [4, -2])
        connection.request("POST", "/switches", json.dumps({"fog": True}))
        refused = connection.getresponse()
        assert refused.status == 400
        assert "fog" in json.loads(refused.read())["error"]
    assert camera.switches == Switches(black=True, bump=(4.0, -2.0))


@pytest.mark.parametrize(
    "values",
    [[], {"stall": 1}, {"light": True}, {"light": -1}, {"light": float("nan")}, {"bump": 3}, {"bump": [1e9, 0]}],
)
def test_what_is_no_switch_is_refused(values: object) -> None:
    assert isinstance(switched(Switches(), values), Failure)


def test_an_address_that_is_no_camera_is_one_sentence(camera: FakeCamera) -> None:
    for text in (
        camera.url.replace("/video", "/switches"),
        camera.url.replace("/video", "/else"),
        "http://127.0.0.1:9/video",
        "rtsp://user:secret@127.0.0.1:9/stream",
        "ftp://127.0.0.1/video",
        "camera:x",
    ):
        failure = open_source(text)
        assert isinstance(failure, Failure), text
        assert failure.code in ("NO_CAMERA", "NOT_MJPEG", "NO_SOURCE")
        assert "secret" not in failure.message


def test_closing_is_quick_whatever_the_camera_does(camera: FakeCamera, source: LiveSource) -> None:
    looker = Looker(source)
    camera.switch(stall=True)
    time.sleep(0.1)
    begun = time.monotonic()
    source.close()
    looker.join()
    assert time.monotonic() - begun < 1.0
