"""Clips to files: H.264 in MP4, the same bytes for the same pictures."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av

from vision.synth.scene import Bytes


def write_clip(path: Path, frames: Iterable[Bytes], fps: int, size: tuple[int, int], crf: int = 27) -> int:
    """Encode BGR frames (H, W, 3) and give their number; the file appears when it is whole.

    One thread, so that the bits do not depend on the machine's cores.
    """
    part = path.with_suffix(".part.mp4")
    count = 0
    options = {"crf": str(crf), "preset": "slow", "threads": "1", "x264-params": "keyint=100:threads=1"}
    with av.open(str(part), "w", options={"movflags": "+faststart", "fflags": "+bitexact"}) as out:
        stream = out.add_stream("libx264", rate=fps, options=options)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.time_base = Fraction(1, fps)
        stream.codec_context.thread_count = 1
        for picture in frames:
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts = count
            frame.time_base = Fraction(1, fps)
            out.mux(stream.encode(frame))
            count += 1
        out.mux(stream.encode())
    part.replace(path)
    return count
