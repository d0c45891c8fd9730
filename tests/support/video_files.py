"""Video files written for a test: any container, codec, pixel format and times."""

import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from vision.frames import Frame

Picture = NDArray[np.uint8]
SIZE = (160, 120)
MATRIX_90 = (0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000)
"""Display matrix of a phone held upright: shown a quarter turn clockwise."""


def pictures(count: int = 20, size: tuple[int, int] = SIZE) -> list[Picture]:
    """Give RGB pictures with a bright block that wanders, each of its own grey."""
    made = []
    for index in range(count):
        picture = np.full((size[1], size[0], 3), 40 + 5 * index % 150, np.uint8)
        picture[20:44, 8 + 4 * index : 32 + 4 * index] = 250
        made.append(picture)
    return made


def write_video(
    path: Path,
    shown: Iterable[Picture],
    *,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    times_ms: Sequence[int] | None = None,
    fps: int = 10,
    settings: dict[str, str] | None = None,
    container: dict[str, str] | None = None,
    sound: bool = False,
) -> Path:
    """Write RGB pictures as a video; `times_ms` gives each its own time."""
    with av.open(str(path), "w", options=container or {}) as out:
        stream: Any = None
        audio = out.add_stream("aac", rate=8000, layout="mono") if sound else None
        for index, picture in enumerate(shown):
            if stream is None:
                stream = out.add_stream(codec, rate=fps, options=settings or {})
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = pixels
                stream.thread_count = 1
                if times_ms is not None:
                    stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=pixels)
            frame.time_base = Fraction(1, 1000) if times_ms is not None else Fraction(1, fps)
            frame.pts = times_ms[index] if times_ms is not None else index
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
        if audio is not None:
            silence = av.AudioFrame.from_ndarray(np.zeros((1, 16000), np.float32), format="fltp", layout="mono")
            silence.sample_rate = 8000
            out.mux(audio.encode(silence))
            out.mux(audio.encode())
    return path


def write_frames(path: Path, frames: Iterable[Frame], *, fps: int = 30) -> Path:
    """Write drawn frames as an H.264 video of good quality with a key frame every second."""
    shown = (np.ascontiguousarray(frame.bgr()[:, :, ::-1]) for frame in frames)
    return write_video(path, shown, fps=fps, settings={"crf": "20", "preset": "veryfast", "g": str(fps)})


def turned_by_90(path: Path) -> Path:
    """Set the display matrix of an MP4 file to a quarter turn."""
    data = bytearray(path.read_bytes())
    header = data.index(b"tkhd") + 4
    struct.pack_into(">9i", data, header + 40, *MATRIX_90)
    path.write_bytes(data)
    return path


def cut_to(path: Path, share: float, target: Path) -> Path:
    """Write the first part of a file."""
    data = path.read_bytes()
    target.write_bytes(data[: int(len(data) * share)])
    return target
