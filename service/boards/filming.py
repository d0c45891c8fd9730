"""A camera's own JPEGs, as they were kept, made into a film that browsers play: H.264 in MP4, or VP8 in WebM."""

import io
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
from av.codec import Codec
from av.codec.codec import UnknownCodecError
from av.error import FFmpegError
from av.video.frame import VideoFrame

from vision.failure import Failure

_MS: Final = Fraction(1, 1000)

_WAYS: Final[tuple[tuple[str, str, dict[str, str], dict[str, str]], ...]] = (
    ("libx264", ".mp4", {"preset": "superfast", "crf": "25"}, {"movflags": "+faststart"}),
    ("libvpx", ".webm", {"deadline": "realtime", "cpu-used": "6", "crf": "12", "b": "4M"}, {}),
)
"""Codec, suffix, options of both, the better first: not every build of FFmpeg has both. A clip of three seconds
takes half a second of processor and a fifth of the room; wires of a board are as sharp as in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """The bytes of a file, and its suffix."""

    data: bytes
    suffix: str


def film(clip: bytes) -> Film | Failure:
    """Encode a clip anew, each picture at its own time.

    Returns
    -------
    Film or Failure
        `NO_CLIPS` if it cannot be read or nothing here encodes video.
    """
    for codec, suffix, options, more in _WAYS:
        if not _is_there(codec):
            continue
        try:
            return Film(data=_filmed(clip, codec, options, suffix, more), suffix=suffix)
        except (FFmpegError, ValueError, IndexError) as error:
            return Failure("NO_CLIPS", f"The clip cannot be shown ({error}).")
    return Failure("NO_CLIPS", "The clip cannot be shown: this build of FFmpeg encodes neither H.264 nor VP8.")


def _filmed(clip: bytes, codec: str, options: dict[str, str], suffix: str, more: dict[str, str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="tallycam-film-") as folder:  # what comes first is written last
        path = Path(folder) / f"film{suffix}"
        with (
            av.open(io.BytesIO(clip), "r", format="matroska") as source,
            av.open(str(path), "w", options=more) as target,
        ):
            _encode(source, target, codec, options)
        return path.read_bytes()


def _is_there(codec: str) -> bool:
    try:
        Codec(codec, "w")
    except UnknownCodecError:
        return False
    return True


def _encode(source: Any, target: Any, codec: str, options: dict[str, str]) -> None:  # noqa: ANN401 - PyAV's containers
    stream: Any = None
    for frame in source.decode(video=0):
        width, height = frame.width // 2 * 2, frame.height // 2 * 2
        if stream is None:
            stream = target.add_stream(codec, rate=Fraction(1000), options=options)
            stream.width, stream.height, stream.pix_fmt, stream.time_base = width, height, "yuv420p", _MS
            stream.codec_context.time_base = _MS
            stream.codec_context.thread_count = 2
        target.mux(stream.encode(_at(frame, width, height)))
    if stream is None:
        raise ValueError("it holds no picture")
    target.mux(stream.encode(None))


def _at(frame: VideoFrame, width: int, height: int) -> VideoFrame:
    """Give a picture in the form that is encoded, at its own time in ms."""
    assert frame.pts is not None
    assert frame.time_base is not None
    shown = frame.reformat(width, height, "yuv420p")
    shown.pts, shown.time_base = round(frame.pts * frame.time_base / _MS), _MS
    return shown
