"""Frames of a recording: exact times, the luma plane as it was decoded, colour only when somebody asks.

    source = open_frames(Path("match.mp4"))
    for frame in source: …

Files come from anywhere, so only a few containers and codecs are opened at all, nothing but local files is read,
and a file that breaks off says so: the last thing a source yields is then a `Failure` that names the place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
import cv2
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from vision.failure import Failure

Picture = NDArray[np.uint8]

CONTAINERS: Final = ("mov", "matroska", "webm", "avi", "mpegts")
"""What phones, cameras and recorders write; anything else is not even probed."""

CODECS: Final = ("h264", "hevc", "mjpeg", "mpeg4", "vp8", "vp9", "av1", "libdav1d")

SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})

_DIRECT_LUMA: Final = frozenset(
    {"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "yuv411p", "nv12", "nv21", "gray"}
)
"""Pixel formats whose first plane is 8-bit luma: it is used in place, without conversion or copy."""

_TURNS: Final = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_CLOCKWISE}
"""Display rotation in degrees (counter-clockwise, as the container states it) to OpenCV's word for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a file may ask for.

    Attributes
    ----------
    side_px, least_px
        Longest and shortest side of a picture: 8K is more than any camera for a board; below 64 px no wire shows.
    small_rows
        Rows of the small picture: the phase machine needs a dart's barrel to cover a pixel or two, and no more.
    missing_frames
        How many frame times may be absent at the end before a file counts as cut off; containers round.
    """

    side_px: int = 8192
    least_px: int = 64
    small_rows: int = 180
    missing_frames: int = 3


LIMITS: Final = Limits()
DEFAULT_FPS: Final = 5.0
"""A folder of pictures carries no times; without `--fps` its pictures count as 5 a second."""


class Frame:
    """One picture of a recording.

    Attributes
    ----------
    index
        0, 1, 2 … as decoded.
    t_ms
        Presentation time in whole milliseconds from the first frame.
    """

    __slots__ = ("_bgr", "_luma", "_small", "_turn", "_video", "index", "t_ms")

    def __init__(
        self, index: int, t_ms: int, *, video: VideoFrame | None = None, bgr: Picture | None = None, turn: int = 0
    ) -> None:
        self.index = index
        self.t_ms = t_ms
        self._video = video
        self._bgr = bgr
        self._turn = turn
        self._luma: Picture | None = None
        self._small: Picture | None = None

    def __repr__(self) -> str:
        return f"Frame(index={self.index}, t_ms={self.t_ms})"

    def luma(self) -> Picture:
        """(H, W) brightness: a view of the decoded plane where there is one; not to be written to."""
        if self._luma is None:
            if self._video is not None:
                self._luma = _turned(_plane(self._video), self._turn)
            else:
                self._luma = cv2.cvtColor(self.bgr(), cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
        return self._luma

    def small(self) -> Picture:
        """(H // k, W // k) brightness at the working scale: means of k x k pixels, k is `scale_of(H, W)`."""
        if self._small is None:
            self._small = shrink(self.luma())
        return self._small

    def bgr(self) -> Picture:
        """(H, W, 3) colours, converted on the first call."""
        if self._bgr is None:
            assert self._video is not None
            self._bgr = _turned(self._video.to_ndarray(format="bgr24"), self._turn)
        return self._bgr

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in px."""
        height, width = self.luma().shape
        return width, height


def scale_of(height: int, width: int) -> int:
    """Give how many pixels a side the small picture puts into one."""
    return max(1, min(height, width) // LIMITS.small_rows)


def shrink(luma: Picture) -> Picture:
    """Give the small picture of a brightness picture (H, W); a rest beyond a multiple of the factor is dropped."""
    height, width = luma.shape
    factor = scale_of(height, width)
    rows, columns = height // factor, width // factor
    if factor == 1:
        return luma
    whole = luma[: rows * factor, : columns * factor]
    return cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _plane(video: VideoFrame) -> Picture:
    if video.format.name in _DIRECT_LUMA:
        plane = video.planes[0]
        flat: Picture = np.frombuffer(plane, dtype=np.uint8)  # type: ignore[call-overload]
        return flat[: plane.line_size * video.height].reshape(video.height, plane.line_size)[:, : video.width]
    return video.to_ndarray(format="gray").astype(np.uint8, copy=False)


def _turned(picture: NDArray[Any], turn: int) -> Picture:
    return np.asarray(cv2.rotate(picture, _TURNS[turn]) if turn else picture, dtype=np.uint8)


class FrameSource:
    """Frames of one file or folder, in order; may be iterated more than once, each time from the start.

    Attributes
    ----------
    path
        Where they come from.
    size
        (width, height) in px as shown, after any rotation that the file asks for.
    """

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        self.path = path
        self.size = size

    def __iter__(self) -> Iterator[Frame | Failure]:
        raise NotImplementedError


def open_frames(path: Path | str, fps: float | None = None) -> FrameSource | Failure:
    """Open a video file, or a folder of pictures in the order of their names.

    Parameters
    ----------
    path
        The file or folder.
    fps
        Pictures a second of a folder (`DEFAULT_FPS` if None). A video has its own times, so there it must be None.

    Returns
    -------
    FrameSource or Failure
        `NO_FILE`, `EMPTY_FILE`, `NOT_A_VIDEO`, `NO_PICTURES`, `BAD_SIZE`, `BAD_FPS`; the first frame is decoded.
    """
    path = Path(path)
    if path.is_dir():
        return _open_folder(path, DEFAULT_FPS if fps is None else fps)
    if not path.is_file():
        return Failure("NO_FILE", f"{path}: there is no such file or folder.")
    if fps is not None:
        return Failure("BAD_FPS", f"{path}: a video has its own times; --fps is for a folder of pictures.")
    if path.stat().st_size == 0:
        return Failure("EMPTY_FILE", f"{path}: the file is empty; a video was expected.")
    return _open_video(path)


def _open_video(path: Path) -> FrameSource | Failure:
    for frame in _decode(path):
        if isinstance(frame, Failure):
            return frame
        return _VideoSource(path, frame.size)
    return Failure(
        "NOT_A_VIDEO", f"{path}: no picture in it can be decoded; a video in {_accepted()} was expected."
    )


class _VideoSource(FrameSource):
    def __iter__(self) -> Iterator[Frame | Failure]:
        return _decode(self.path)


class _FolderSource(FrameSource):
    def __init__(
        self, path: Path, size: tuple[int, int], pictures: tuple[Path, ...], interval_ms: Fraction
    ) -> None:
        super().__init__(path, size)
        self._pictures = pictures
        self._interval_ms = interval_ms

    def __iter__(self) -> Iterator[Frame | Failure]:
        for index, picture in enumerate(self._pictures):
            bgr = _load(picture)
            if isinstance(bgr, Failure):
                yield bgr
                return
            if (bgr.shape[1], bgr.shape[0]) != self.size:
                yield _resized(picture, self.size, (bgr.shape[1], bgr.shape[0]))
                return
            yield Frame(index, _rounded(index * self._interval_ms), bgr=bgr)


def _open_folder(path: Path, fps: float) -> FrameSource | Failure:
    if not 0 < fps <= 1000:
        return Failure("BAD_FPS", f"--fps {fps:g} is no rate; pictures a second, above 0 and at most 1000.")
    pictures = tuple(sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES))
    if not pictures:
        return Failure("NO_PICTURES", f"{path}: no picture in this folder (JPEG, PNG, BMP, WebP or TIFF).")
    first = _load(pictures[0])
    if isinstance(first, Failure):
        return first
    size = (first.shape[1], first.shape[0])
    problem = _wrong_size(path, size)
    if problem is not None:
        return problem
    return _FolderSource(path, size, pictures, 1000 / Fraction(fps).limit_denominator(1001))


def _load(path: Path) -> Picture | Failure:
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if picture is None:
        return Failure("NOT_A_PICTURE", f"{path}: this is no picture that can be read.")
    return picture.astype(np.uint8, copy=False)


def _decode(path: Path) -> Iterator[Frame | Failure]:
    """Yield the frames of a video; a Failure as the last value if the file cannot be read to its end."""
    options = {
        "protocol_whitelist": "file",
        "format_whitelist": ",".join(CONTAINERS),
        "codec_whitelist": ",".join(CODECS),
    }
    try:
        container = av.open(str(path), options=options)
    except (FFmpegError, OSError) as error:
        return (yield _unreadable(path, error))
    with container:
        if not container.streams.video:
            return (yield Failure("NOT_A_VIDEO", f"{path}: there is no video in this file."))
        stream = container.streams.video[0]
        if getattr(stream.codec_context, "name", None) not in CODECS:
            return (
                yield Failure("NOT_A_VIDEO", f"{path}: its codec is not one that is opened; {_accepted()} are.")
            )
        # One thread: frames are the same either way, and a second one only costs more processor time in all.
        stream.thread_type = "NONE"
        stream.codec_context.thread_count = 1
        yield from _frames(path, container.decode(stream), _Clock(stream, _promised_ms(container, stream)))


def _frames(path: Path, decoded: Iterator[VideoFrame], clock: "_Clock") -> Iterator[Frame | Failure]:
    size: tuple[int, int] | None = None
    index = 0
    try:
        for video in decoded:
            frame = Frame(index, clock.t_ms(index, video), video=video, turn=video.rotation % 360 // 90 * 90)
            if size is None and (problem := _wrong_size(path, (video.width, video.height))) is not None:
                return (yield problem)
            if video.is_corrupt:
                return (yield _damaged(path, frame.t_ms, index))
            if size is not None and size != (video.width, video.height):
                return (yield _resized(path, size, (video.width, video.height)))
            size = (video.width, video.height)
            yield frame
            index += 1
    except (FFmpegError, OSError):
        return (yield _damaged(path, clock.last_ms, index))
    if index == 0:
        yield Failure("NOT_A_VIDEO", f"{path}: no picture in it can be decoded.")
    elif clock.cut_off(index):
        yield _damaged(path, clock.last_ms, index)


class _Clock:
    """Presentation times of one stream in whole milliseconds from its first frame, never falling."""

    def __init__(self, stream: VideoStream, promised_ms: Fraction | None) -> None:
        self._base_ms = Fraction(stream.time_base or Fraction(1, 1000)) * 1000
        rate = stream.average_rate or stream.guessed_rate
        self._interval_ms = 1000 / Fraction(rate) if rate else Fraction(40)
        self._promised = stream.frames
        self._promised_ms = promised_ms
        self._first: int | None = None
        self.last_ms = 0

    def t_ms(self, index: int, video: VideoFrame) -> int:
        """Give the time of the frame; one without a stamp stands where the mean rate puts it."""
        if video.pts is None:
            exact = index * self._interval_ms
        else:
            self._first = video.pts if self._first is None else self._first
            exact = (video.pts - self._first) * self._base_ms
        self.last_ms = max(self.last_ms, _rounded(exact))
        return self.last_ms

    def cut_off(self, frames: int) -> bool:
        """Say whether the file promised more frames, and more time, than it held."""
        if self._promised_ms is None or (self._promised and frames >= self._promised):
            return False
        return self._promised_ms - self.last_ms > (LIMITS.missing_frames + 1) * self._interval_ms


def _promised_ms(container: InputContainer, stream: VideoStream) -> Fraction | None:
    """Give how long the file says its video is; None where it does not (a stream that was never closed)."""
    if stream.duration and stream.time_base:
        return stream.duration * Fraction(stream.time_base) * 1000
    if container.duration and len(container.streams) == 1 and not container.format.name.startswith("mpegts"):
        return Fraction(container.duration, 1000)
    return None


def _rounded(value: Fraction) -> int:
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def _accepted() -> str:
    return "MP4, MOV, MKV, WebM, AVI or MPEG-TS with H.264, H.265, MJPEG, MPEG-4, VP8, VP9 or AV1"


def _unreadable(path: Path, error: Exception) -> Failure:
    if isinstance(error, PermissionError):
        return Failure("NO_FILE", f"{path}: there is no permission to read it.")
    return Failure(
        "NOT_A_VIDEO", f"{path}: no video that can be opened, or one that was cut off; {_accepted()} are."
    )


def _damaged(path: Path, t_ms: int, frames: int) -> Failure:
    return Failure(
        "DAMAGED_VIDEO", f"{path}: the video is damaged or cut off after {frames} frames, at {t_ms} ms."
    )


def _resized(path: Path, size: tuple[int, int], now: tuple[int, int]) -> Failure:
    return Failure(
        "SIZE_CHANGED",
        f"{path}: the picture changes from {size[0]}x{size[1]} to {now[0]}x{now[1]}; all must have one size.",
    )


def _wrong_size(path: Path, size: tuple[int, int]) -> Failure | None:
    if min(size) < LIMITS.least_px or max(size) > LIMITS.side_px:
        return Failure(
            "BAD_SIZE",
            f"{path}: pictures of {size[0]}x{size[1]} px; a side has {LIMITS.least_px} to {LIMITS.side_px} px.",
        )
    return None
