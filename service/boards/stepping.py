"""The pictures of a clip one by one: what a person steps through to see what a camera was unsure of."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.clips import LEAD_MS, TAIL_MS
from vision.failure import Failure
from vision.frames import Frame, open_frames

MOST: Final = 240
"""Pictures of a clip: eight seconds at 30 a second, 25 MB. Of a longer one some are left out, evenly."""

WIDE: Final = 1280
"""Pixels across: no screen beside a board shows more."""


def stepped(clip: Path, length_ms: int, quality: int) -> tuple[dict[int, bytes], tuple[int, int]] | Failure:
    """Give the pictures of a clip from shortly before its event begins.

    Parameters
    ----------
    clip
        The file: its end is cut to the event, its beginning to whatever key frame there was.
    length_ms
        How long the event took to settle.
    quality
        Of the JPEGs.

    Returns
    -------
    pair or Failure
        JPEGs by their time in ms from the first picture of the clip, and when the event began and had settled;
        what opening it may say, `NO_FRAMES`.
    """
    times = [frame.t_ms for frame in _good(clip)]
    if not times:
        opened = open_frames(clip)
        return opened if isinstance(opened, Failure) else Failure("NO_FRAMES", "There is no picture in the clip.")
    settled = max(0, times[-1] - TAIL_MS)
    begun = max(0, settled - length_ms)
    shown = [t_ms for t_ms in times if t_ms >= begun - LEAD_MS]
    wanted = set(shown[:: -(-len(shown) // MOST)])
    return {frame.t_ms: _jpeg(frame, quality) for frame in _good(clip) if frame.t_ms in wanted}, (begun, settled)


def _good(clip: Path) -> Iterator[Frame]:
    """Give the pictures up to where the clip is damaged, if it is."""
    frames = open_frames(clip)
    if isinstance(frames, Failure):
        return
    for frame in frames:
        if isinstance(frame, Failure):
            return
        yield frame


def _jpeg(frame: Frame, quality: int) -> bytes:
    bgr = frame.bgr()
    height, width = bgr.shape[:2]
    if width > WIDE:
        size = (WIDE, round(height * WIDE / width))
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    good, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not good:
        raise ValueError("a picture could not be encoded")
    return data.tobytes()
