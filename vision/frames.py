"""Frames of a recording: exact times, the luma plane as it was decoded, colour only when somebody asks.

    source = open_frames(Path("match.mp4"))
    for frame in source: …

A file that breaks off says so: the last thing a source yields is then a `Failure` that names the place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from vision.failure import Failure
from vision.videos import ACCEPTED, decode, rounded

Picture = NDArray[np.uint8]

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
    least_fps, most_fps
        Rates of a folder: from one in a quarter of an hour to one in each millisecond, the unit of times.
    """

    side_px: int = 8192
    least_px: int = 64
    small_rows: int = 180
    least_fps: float = 0.001
    most_fps: float = 1000


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
    jumped_ms
        By how much the recording's clock jumped back before this frame; its times then go on from there.
    """

    __slots__ = ("_bgr", "_luma", "_part", "_small", "_turn", "_video", "index", "jumped_ms", "t_ms")

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
        self._part: tuple[slice, slice, Picture] | None = None
        self.jumped_ms = 0

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

    def small_part(self, rows: slice, columns: slice) -> Picture:
        """Give that part of the small picture, the very same values, without making the rest of it."""
        if self._small is not None:
            return self._small[rows, columns]
        if self._part is None or self._part[:2] != (rows, columns):
            self._part = (rows, columns, _shrink_part(self.luma(), rows, columns))
        return self._part[2]

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
    """Give how many pixels a side the small picture puts into one: a power of two, for halving is cheap."""
    factor = 1
    while min(height, width) // (factor * 2) >= LIMITS.small_rows:
        factor *= 2
    return factor


def shrink(luma: Picture) -> Picture:
    """Give the small picture of a brightness picture (H, W); a rest beyond a multiple of the factor is dropped."""
    height, width = luma.shape
    factor = scale_of(height, width)
    return _halved(luma[: height // factor * factor, : width // factor * factor], factor)


def _shrink_part(luma: Picture, rows: slice, columns: slice) -> Picture:
    factor = scale_of(*luma.shape)
    part = luma[rows.start * factor : rows.stop * factor, columns.start * factor : columns.stop * factor]
    return _halved(part, factor)


def _halved(picture: NDArray[Any], factor: int) -> Picture:
    while factor > 1:
        picture = cv2.resize(picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA)
        factor //= 2
    return picture.astype(np.uint8, copy=False)


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
    try:
        return _open(path, fps)
    except OSError as error:
        return Failure("NO_FILE", f"{path}: cannot be read ({error.strerror or error}).")


def _open(path: Path, fps: float | None) -> FrameSource | Failure:
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
    return Failure("NOT_A_VIDEO", f"{path}: no picture in it can be decoded; a video in {ACCEPTED} was expected.")


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
            yield Frame(index, rounded(index * self._interval_ms), bgr=bgr)


def _open_folder(path: Path, fps: float) -> FrameSource | Failure:
    if not LIMITS.least_fps <= fps <= LIMITS.most_fps:
        return Failure(
            "BAD_FPS",
            f"--fps {fps:g} is no rate; pictures a second, {LIMITS.least_fps:g} to {LIMITS.most_fps:g}.",
        )
    pictures = tuple(sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file()))
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
    try:
        data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    except OSError as error:
        return Failure("NOT_A_PICTURE", f"{path}: cannot be read ({error.strerror or error}).")
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except cv2.error:  # OpenCV raises where the header claims more pixels than it decodes
        picture = None
    if picture is None:
        return Failure("NOT_A_PICTURE", f"{path}: this is no picture that can be read.")
    return picture.astype(np.uint8, copy=False)


def _decode(path: Path) -> Iterator[Frame | Failure]:
    """Yield the frames of a video; a Failure as the last value if it cannot be read to its end."""
    size: tuple[int, int] | None = None
    for index, decoded in enumerate(decode(path)):
        if isinstance(decoded, Failure):
            yield decoded
            return
        t_ms, jumped_ms, video = decoded
        now = (video.width, video.height)
        problem = _wrong_size(path, now) if size is None else None if size == now else _resized(path, size, now)
        if problem is not None:
            yield problem
            return
        size = now
        frame = Frame(index, t_ms, video=video, turn=video.rotation % 360 // 90 * 90)
        frame.jumped_ms = jumped_ms
        yield frame


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
