"""Files, folders and devices behind one interface; which camera is which; webcams that refuse things."""

import itertools
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from support.video_files import pictures, write_video

from vision.failure import Failure
from vision.frames import Frame
from vision.sources import LiveSource, RecordedSource, cameras, open_source
from vision.sources.grab import Decoder, Grab, is_whole
from vision.sources.webcam import WebcamFeed, open_webcam


def jpeg(level: int = 90, size: tuple[int, int] = (64, 64)) -> bytes:
    picture = np.full((size[1], size[0]), level, np.uint8)
    picture[: size[1] // 2] = 200
    return cv2.imencode(".jpg", picture)[1].tobytes()


def test_a_recording_is_a_source_that_can_be_looked_at_again(tmp_path: Path) -> None:
    source = open_source(str(write_video(tmp_path / "a.mp4", pictures(5))))
    assert isinstance(source, RecordedSource)
    assert not source.live
    first, second = ([frame.t_ms for frame in source if isinstance(frame, Frame)] for _ in range(2))
    assert first == second == [0, 100, 200, 300, 400]


def test_what_is_no_source_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("no video")
    for text in (str(tmp_path / "a.mp4"), str(tmp_path / "b.mp4"), "/dev/v4l/by-id/usb-none-video-index0"):
        failure = open_source(text)
        assert isinstance(failure, Failure)
        assert failure.message.count("\n") == 0


def test_a_damaged_jpeg_gives_no_picture() -> None:
    whole = jpeg()
    decoder = Decoder()
    assert is_whole(whole)
    good = decoder.frame(Grab(at_ns=0, jpeg=whole), 0, 0)
    assert good is not None
    assert good.luma()[:8].mean() > 190
    for broken in (whole[: len(whole) // 2], whole[2:], b"", b"\xff\xd8\xff\xd9", whole[:200] + b"\xff\xd9"):
        assert decoder.frame(Grab(at_ns=0, jpeg=broken), 1, 1) is None
    assert decoder.frame(Grab(at_ns=0, jpeg=whole), 2, 2) is not None


def plug(root: Path, number: int, serial: str, port: str, *, index: int = 0, by_id: str | None = None) -> None:
    """Make what a kernel shows of a camera."""
    usb = root / f"sys/devices/usb/{port}"
    node = usb / f"interface/video4linux/video{number}"
    node.mkdir(parents=True)
    for name, text in (("idVendor", "046d"), ("idProduct", "0825"), ("serial", serial)):
        (usb / name).write_text(text + "\n")
    (node / "name").write_text("HD Webcam\n")
    (node / "index").write_text(f"{index}\n")
    (node / "device").symlink_to(usb / "interface")
    shown = root / f"sys/class/video4linux/video{number}"
    shown.parent.mkdir(parents=True, exist_ok=True)
    shown.symlink_to(node)
    (root / "dev").mkdir(exist_ok=True)
    (root / f"dev/video{number}").touch()
    links = [("by-path", f"pci-{port}-video-index{index}"), *([("by-id", by_id)] if by_id else [])]
    for kind, name in links:
        link = root / "dev/v4l" / kind / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(root / f"dev/video{number}")


@pytest.mark.skipif(not hasattr(cv2, "CAP_V4L2"), reason="Linux's names of cameras")
def test_a_camera_is_named_by_itself_and_twins_by_their_ports(tmp_path: Path) -> None:
    plug(tmp_path, 0, "A1", "1.2", by_id="usb-HD_A1-video-index0")
    plug(tmp_path, 1, "A1", "1.2b", index=1)
    (alone,) = cameras(tmp_path)
    assert alone.source == "/dev/v4l/by-id/usb-HD_A1-video-index0"
    assert (alone.vendor, alone.product, alone.serial, alone.by_port) == ("046d", "0825", "A1", False)
    plug(tmp_path, 10, "A1", "1.3", by_id="usb-HD_A1-video-index0")
    twins = cameras(tmp_path)
    assert [one.device for one in twins] == ["/dev/video0", "/dev/video10"]
    assert [one.source for one in twins] == [
        "/dev/v4l/by-path/pci-1.2-video-index0",
        "/dev/v4l/by-path/pci-1.3-video-index0",
    ]
    assert all(one.by_port for one in twins)


class FakeCapture:
    """A webcam as OpenCV shows it: what it adjusts by itself, what it refuses, what it gives."""

    def __init__(self, gives: Sequence[Any], refuses: Sequence[int] = ()) -> None:
        self._gives, self._refuses = itertools.chain(gives, itertools.repeat(None)), refuses
        self.values = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
            cv2.CAP_PROP_EXPOSURE: 157.0,
            cv2.CAP_PROP_AUTO_WB: 1.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
            cv2.CAP_PROP_AUTOFOCUS: 1.0,
            cv2.CAP_PROP_FOCUS: 30.0,
        }
        self.released = False

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, Any]:
        given = next(self._gives)
        return given is not None, given

    def get(self, prop: int) -> float:
        return self.values.get(prop, 0.0)

    def set(self, prop: int, value: float) -> bool:
        if prop in self._refuses:
            return False
        self.values[prop] = value
        return True

    def release(self) -> None:
        self.released = True


def test_a_webcam_is_asked_for_mjpg_first_and_its_own_bytes_are_kept() -> None:
    asked: list[Sequence[int]] = []
    whole = jpeg()

    def make(_device: str | int, _backend: int, params: Sequence[int]) -> FakeCapture:
        asked.append(params)
        return FakeCapture([np.frombuffer(whole, np.uint8).reshape(1, -1), np.zeros((64, 64, 3), np.uint8)])

    feed = open_webcam(0, {}, make)
    assert not isinstance(feed, Failure)
    first, second, end = (feed.read() for _ in range(3))
    assert isinstance(first, Grab)
    assert isinstance(second, Grab)
    assert first.jpeg == whole
    assert second.bgr is not None
    assert isinstance(end, Failure)
    assert "USB bus" in end.message
    assert list(asked[0][::2]).index(cv2.CAP_PROP_FOURCC) < list(asked[0][::2]).index(cv2.CAP_PROP_FRAME_WIDTH)


def test_what_a_webcam_adjusts_by_itself_is_locked_and_locked_again() -> None:
    locked = {cv2.CAP_PROP_EXPOSURE: 157.0}
    picture = np.frombuffer(jpeg(), np.uint8)
    capture = FakeCapture([picture] * 3, refuses=[cv2.CAP_PROP_AUTOFOCUS])
    capture.values[cv2.CAP_PROP_EXPOSURE] = 20.0  # as it is after it was plugged in again
    feed = open_webcam(0, locked, lambda *_: capture)
    assert not isinstance(feed, Failure)
    assert isinstance(feed.read(), Grab)
    assert capture.values[cv2.CAP_PROP_EXPOSURE] == 157.0
    assert capture.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert locked[cv2.CAP_PROP_WB_TEMPERATURE] == 4600.0
    assert feed.refused == ("focus",)
    feed.close()
    assert capture.released


def test_what_a_camera_would_not_lock_is_said_while_it_is_watched() -> None:
    picture = np.frombuffer(jpeg(), np.uint8)
    locked = {cv2.CAP_PROP_EXPOSURE: 157.0}
    captures = iter([FakeCapture([picture] * 3, refuses=[cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_AUTO_WB])])

    def opener() -> WebcamFeed | Failure:
        capture = next(captures, None)
        return Failure("NO_CAMERA", "unplugged") if capture is None else open_webcam(0, locked, lambda *_: capture)

    source = LiveSource(opener, "camera 0")
    assert source.start() is None
    with closing(source):
        assert isinstance(next(iter(source)), Frame)
        note = source.note
    assert note is not None
    assert note.code == "NOT_LOCKED"
    assert "white balance, focus" in note.message


@pytest.mark.parametrize("text", ["rtsp://[::1", "http://", "rtsp://:8554/a", "http://a:99999/", "https://a:0/x"])
def test_an_address_that_is_none_is_said_to_be_none(text: str) -> None:
    failure = open_source(text)
    assert isinstance(failure, Failure)
    assert failure.code == "NO_SOURCE"
