"""One text names any source: a file, a folder, an address, a device."""

import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.sources.grab import Feed
from vision.sources.live import Kept, LiveCamera, Opener
from vision.sources.mjpeg import open_mjpeg
from vision.sources.stream import open_stream
from vision.sources.webcam import open_webcam

NUMBERED: Final = "camera:"
"""`camera:0` is the machine's first camera, for systems whose cameras have no names."""

OPENERS: Final[Mapping[str, Callable[[str], Feed | Failure]]] = {
    "http": open_mjpeg,
    "https": open_mjpeg,
    "rtsp": open_stream,
}

LiveSource = LiveCamera


class RecordedSource:
    """A video or folder of pictures: it can be looked at again from the start.

    Attributes
    ----------
    size
        (width, height) in px.
    """

    live: Final = False
    trouble: Final = None
    note: Final = None

    def __init__(self, frames: FrameSource) -> None:
        self.size: tuple[int, int] | None = frames.size
        self.name = str(frames.path)
        self._frames = frames

    def __iter__(self) -> Iterator[Frame | Failure]:
        return iter(self._frames)

    def close(self) -> None:
        """There is nothing to let go of."""


Source: TypeAlias = LiveCamera | RecordedSource


def open_source(text: str, *, fps: float | None = None, kept: Kept | None = None) -> Source | Failure:
    """Open whatever pictures come from.

    Parameters
    ----------
    text
        Path of a video, of a folder of pictures or of a camera's device; `http://`, `https://` (MJPEG) or
        `rtsp://`; `camera:0`.
    fps
        Rate of a folder of pictures.
    kept
        For a camera: called with each picture that is handed out and its frame.

    Returns
    -------
    Source or Failure
        A camera's first picture has come. `NO_CAMERA`, `NOT_MJPEG`, `NO_SOURCE`, or as `open_frames` has them.
    """
    opener = _opener(text)
    if isinstance(opener, Failure):
        return opener
    if opener is not None:
        camera = LiveCamera(opener, _name(text), kept=kept)
        failure = camera.start()
        return camera if failure is None else failure
    frames = open_frames(Path(text).expanduser(), fps)
    return frames if isinstance(frames, Failure) else RecordedSource(frames)


def _opener(text: str) -> Opener | Failure | None:
    """Give what connects to a camera; None for what is no camera."""
    scheme, colon, _ = text.partition("://")
    if colon:
        return _address_opener(scheme.lower(), text)
    number = text.removeprefix(NUMBERED)
    if text.startswith(NUMBERED):
        if not (number.isascii() and number.isdigit()):
            return Failure("NO_SOURCE", f"{text}: `camera:` is followed by a number, from 0.")
        return partial(open_webcam, int(number), {})
    return partial(open_webcam, text, {}) if _is_device(Path(text)) else None


def _address_opener(scheme: str, text: str) -> Opener | Failure:
    if scheme not in OPENERS:
        return Failure("NO_SOURCE", f"{_name(text)}: an address begins with http, https or rtsp.")
    if not _is_address(text):
        return Failure("NO_SOURCE", f"{_name(text)}: this address has no host, or one or a port that is none.")
    return partial(OPENERS[scheme], text)


def _is_address(text: str) -> bool:
    """Say whether an address names a host, and a port that there is, if any."""
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _is_device(path: Path) -> bool:
    if path.is_relative_to("/dev/v4l"):  # a camera that is not plugged in now is still one
        return True
    try:
        return stat.S_ISCHR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _name(text: str) -> str:
    head, colon, rest = text.partition("://")
    return f"{head}://{rest.rpartition('@')[2]}" if colon else text
