"""What a camera gives: a picture as it came, with the time at which it had come."""

import time
from dataclasses import dataclass
from typing import Any, Final, Protocol

import av
import cv2
import numpy as np
from av.error import FFmpegError
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame

from vision.failure import Failure
from vision.frames import Frame, Picture

_BEGIN, _END = b"\xff\xd8", b"\xff\xd9"

QUALITY: Final = 92
"""Of pictures that did not come as JPEG, where they are recorded."""

_CLOCK: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)

PADDING: Final = 64
"""Cameras may fill a JPEG up behind its end; more than this behind it is another fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grab:
    """One picture of a camera, in one of three forms.

    Attributes
    ----------
    at_ns
        Time, as `now_ns` has it, right after it had come.
    jpeg
        Its own bytes, where the camera sends JPEG.
    video
        Decoded, where it sends a stream whose pictures lean on each other.
    bgr
        (H, W, 3) as the driver converted it, where it gives nothing else.
    """

    at_ns: int
    jpeg: bytes | None = None
    video: VideoFrame | None = None
    bgr: Picture | None = None


def now_ns() -> int:
    """Give the time, ns, of a clock that nobody sets, and that goes on while the machine sleeps."""
    return time.clock_gettime_ns(_CLOCK) if _CLOCK is not None else time.monotonic_ns()


class Feed(Protocol):
    """One connection to a camera."""

    @property
    def refused(self) -> tuple[str, ...]:
        """What the camera adjusts by itself and would not have locked, in words."""
        ...

    def read(self) -> Grab | Failure:
        """Wait for the next picture; a failure ends the connection."""
        ...

    def close(self) -> None:
        """Let go of the camera; `read` then fails."""
        ...


def as_jpeg(grab: Grab) -> Grab:
    """Give a grab as JPEG, encoded where the camera did not: what is recorded is then what is looked at."""
    if grab.jpeg is not None:
        return grab
    bgr = grab.bgr if grab.video is None else grab.video.to_ndarray(format="bgr24")
    good, data = cv2.imencode(".jpg", np.asarray(bgr, np.uint8), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("a picture could not be encoded")
    return Grab(at_ns=grab.at_ns, jpeg=data.tobytes())


class Decoder:
    """Grabs to frames. A JPEG that is not whole, or damaged, gives none: it is never shown to anybody."""

    def __init__(self) -> None:
        self._codec: Any = None

    def frame(self, grab: Grab, index: int, t_ms: int) -> Frame | None:
        """Give the frame, or None if the picture is damaged."""
        if grab.jpeg is None:
            return Frame(index, t_ms, video=grab.video, bgr=grab.bgr)
        video = self._decoded(grab.jpeg) if is_whole(grab.jpeg) else None
        return None if video is None else Frame(index, t_ms, video=video)

    def _decoded(self, jpeg: bytes) -> VideoFrame | None:
        if self._codec is None:
            codec = VideoCodecContext.create("mjpeg", "r")
            codec.thread_count = 1
            codec.options = {"err_detect": "explode"}
            self._codec = codec
        try:
            frames = self._codec.decode(av.Packet(jpeg))
        except FFmpegError:
            self._codec = None
            return None
        video = frames[0] if frames else None
        return None if video is None or video.is_corrupt else video


def is_whole(jpeg: bytes) -> bool:
    """Say whether a JPEG has its beginning and its end."""
    return jpeg.startswith(_BEGIN) and _END in jpeg[-PADDING:]
