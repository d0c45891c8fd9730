"""Video files from anywhere, opened carefully: decoded pictures with exact times, and where a file breaks off.

Only a few containers and codecs are opened at all, nothing but local files is read, and one thread decodes.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from vision.failure import Failure

CONTAINERS: Final = ("mov", "matroska", "webm", "avi", "mpegts")
"""What phones, cameras and recorders write; anything else is not even probed."""

CODECS: Final = ("h264", "hevc", "mjpeg", "mpeg4", "vp8", "vp9", "av1", "libdav1d")

ACCEPTED: Final = "MP4, MOV, MKV, WebM, AVI or MPEG-TS with H.264, H.265, MJPEG, MPEG-4, VP8, VP9 or AV1"

MOST_PIXELS: Final = 8192 * 8192
"""A picture that says it is larger is not decoded: a file of some kilobytes can ask for all memory there is."""

JUMPED_MS: Final = 500
"""A clock that falls back by more than this was set, or begins anew: a recorder that joined two files. Less is a
writer that rounds, and such a frame has the time of the one before."""

MISSING_FRAMES: Final = 3
"""How many frame times may be absent at the end before a file counts as cut off; containers round."""


def open_video(path: Path) -> tuple[InputContainer, VideoStream] | Failure:
    """Open a video file.

    Returns
    -------
    (InputContainer, VideoStream) or Failure
        The container, to be closed by the caller, and its first video stream; `NOT_A_VIDEO` or `NO_FILE`.
    """
    options = {
        "protocol_whitelist": "file",
        "format_whitelist": ",".join(CONTAINERS),
        "codec_whitelist": ",".join(CODECS),
    }
    try:
        container = av.open(str(path), options=options, metadata_errors="replace")
    except PermissionError:
        return Failure("NO_FILE", f"{path}: there is no permission to read it.")
    except (FFmpegError, OSError, ValueError):
        return _not_a_video(path, f"no video that can be opened, or one that was cut off; {ACCEPTED} are")
    if not container.streams.video:
        container.close()
        return _not_a_video(path, "there is no video in this file")
    stream = container.streams.video[0]
    if getattr(stream.codec_context, "name", None) not in CODECS:
        container.close()
        return _not_a_video(path, f"its codec is not one that is opened; {ACCEPTED} are")
    stream.codec_context.options = {"max_pixels": str(MOST_PIXELS)}
    # One thread: frames are the same either way, and a second one only costs more processor time in all.
    stream.thread_type = "NONE"
    stream.codec_context.thread_count = 1
    return container, stream


def decode(path: Path) -> Iterator[tuple[int, int, VideoFrame] | Failure]:
    """Yield each picture of a video with its time, whole milliseconds from the first.

    Yields
    ------
    (int, int, VideoFrame) or Failure
        The time, and by how much the file's clock jumped back before it (0 nearly always), both in ms.
        A failure is the last value: as `open_video` has them, or `DAMAGED_VIDEO` with the place.
    """
    opened = open_video(path)
    if isinstance(opened, Failure):
        yield opened
        return
    container, stream = opened
    with container:
        clock = _Clock(stream, _promised_ms(container, stream))
        index = 0
        try:
            for video in container.decode(stream):
                if video.is_corrupt:
                    return (yield _damaged(path, clock.last_ms, index))
                before_ms = clock.jumped_ms
                yield clock.t_ms(index, video), clock.jumped_ms - before_ms, video
                index += 1
        except (FFmpegError, OSError):
            return (yield _damaged(path, clock.last_ms, index))
        if index == 0:
            yield _not_a_video(path, "no picture in it can be decoded")
        elif clock.cut_off(index):
            yield _damaged(path, clock.last_ms, index)


def to_ms(stamp: int, base: Fraction) -> int:
    """Give a time stamp of `base` seconds as whole milliseconds, halves up."""
    return rounded(stamp * base * 1000)


class _Clock:
    """Presentation times of one stream in whole milliseconds from its first frame, never falling.

    `jumped_ms` is how far its clock has jumped back in all; times go on as if it had not.
    """

    def __init__(self, stream: VideoStream, promised_ms: Fraction | None) -> None:
        self._base_ms = Fraction(stream.time_base or Fraction(1, 1000)) * 1000
        rate = stream.average_rate or stream.guessed_rate
        self._interval_ms = 1000 / Fraction(rate) if rate else Fraction(40)
        self._promised = stream.frames
        self._promised_ms = promised_ms
        self._first: int | None = None
        self.last_ms = 0
        self.jumped_ms = 0

    def t_ms(self, index: int, video: VideoFrame) -> int:
        """Give the time of the frame; one without a stamp stands where the mean rate puts it."""
        if video.pts is None:
            exact = index * self._interval_ms
        else:
            self._first = video.pts if self._first is None else self._first
            exact = (video.pts - self._first) * self._base_ms + self.jumped_ms
        if self.last_ms - exact > JUMPED_MS:
            jump_ms = self.last_ms - rounded(exact) + rounded(self._interval_ms)
            self.jumped_ms, exact = self.jumped_ms + jump_ms, exact + jump_ms
        self.last_ms = max(self.last_ms, rounded(exact))
        return self.last_ms

    def cut_off(self, frames: int) -> bool:
        """Say whether the file promised more frames, and more time, than it held."""
        if self._promised_ms is None or (self._promised and frames >= self._promised):
            return False
        return self._promised_ms - self.last_ms > (MISSING_FRAMES + 1) * self._interval_ms


def _promised_ms(container: InputContainer, stream: VideoStream) -> Fraction | None:
    """Give how long the file says its video is at least; None where it does not (one that was never closed).

    Some writers count from zero, some from the first picture: the shorter of the two is taken.
    """
    base_ms = Fraction(stream.time_base or 0) * 1000
    late_ms = max(0, stream.start_time or 0) * base_ms
    if stream.duration and base_ms:
        return stream.duration * base_ms - late_ms
    if container.duration and len(container.streams) == 1 and not container.format.name.startswith("mpegts"):
        return Fraction(container.duration, 1000) - late_ms
    return None


def rounded(value: Fraction) -> int:
    """Round to a whole number, halves up."""
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def _not_a_video(path: Path, what: str) -> Failure:
    return Failure("NOT_A_VIDEO", f"{path}: {what}.")


def _damaged(path: Path, t_ms: int, frames: int) -> Failure:
    return Failure(
        "DAMAGED_VIDEO", f"{path}: the video is damaged or cut off after {frames} frames, at {t_ms} ms."
    )
