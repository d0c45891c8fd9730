"""Clips out of a video without decoding it: its own packets, from the key frame before to shortly after."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
from av.container import OutputContainer
from av.error import FFmpegError
from av.packet import Packet
from av.video.stream import VideoStream

from vision.failure import Failure
from vision.videos import open_video, to_ms

LEAD_MS: Final = 1000
TAIL_MS: Final = 700
"""How much of the video is shown before an event begins and after it settled."""

LONGEST_MS: Final = 30_000
"""A clip is cut here: somebody may stand before the board for an hour."""

SUFFIX: Final = {"vp8": ".webm"}
"""Where `.mp4` cannot hold a codec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What a clip is to show: `from_ms` to `to_ms` from the first frame, in a file called `name` plus a suffix."""

    name: str
    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A packet apart from its container."""

    data: bytes
    pts: int
    dts: int
    duration: int
    key: bool


@dataclass(slots=True)
class _Writer:
    """A clip that is being written."""

    stretch: Stretch
    path: Path
    container: OutputContainer
    stream: VideoStream
    base: Fraction
    start: int | None = field(default=None)
    shown_from: int = 0
    shown_to: int = 0

    def write(self, piece: _Piece) -> None:
        """Write a packet, but none that is shown before the key frame: it leans on pictures that are not here."""
        if self.start is None:
            self.start, self.shown_from, self.shown_to = piece.dts, piece.pts, piece.pts
        if piece.pts < self.shown_from:
            return
        self.shown_to = max(self.shown_to, piece.pts)
        packet = Packet(piece.data)
        packet.time_base = self.base
        packet.pts, packet.dts = piece.pts - self.start, piece.dts - self.start
        packet.duration, packet.is_keyframe = piece.duration, piece.key
        packet.stream = self.stream
        self.container.mux(packet)


def cut_clips(video: Path, stretches: Sequence[Stretch], folder: Path) -> dict[str, Path] | Failure:
    """Cut stretches out of a video in one pass over its packets.

    Parameters
    ----------
    video
        The file; its first video stream is used, without sound.
    stretches
        In order of `from_ms`.
    folder
        Where the clips go; it is made if anything is written.

    Returns
    -------
    dict or Failure
        The path of each clip by its name; `NO_CLIPS` if its packets cannot be copied. A clip begins at the
        last key frame before its time, so it may be some seconds longer.
    """
    if not stretches:
        return {}
    opened = open_video(video)
    if isinstance(opened, Failure):
        return opened
    container, stream = opened
    folder.mkdir(exist_ok=True)
    cutter = _Cutter(stream, folder, stretches)
    try:
        with container:
            for packet in container.demux(stream):
                if packet.pts is not None and packet.dts is not None:
                    cutter.take(packet)
    except (FFmpegError, ValueError, OSError) as error:
        return Failure("NO_CLIPS", f"{video}: no clips, for its packets cannot be copied ({error}).")
    finally:
        cutter.close()
    return cutter.written


class _Cutter:
    """Hands each packet to the clips that it belongs to; keeps those since the last key frame."""

    def __init__(self, stream: VideoStream, folder: Path, stretches: Sequence[Stretch]) -> None:
        self.written: dict[str, Path] = {}
        self._stream = stream
        self._base = Fraction(stream.time_base or Fraction(1, 1000))
        self._folder = folder
        self._waiting = sorted(stretches, key=lambda one: one.from_ms)
        self._open: list[_Writer] = []
        self._since_key: list[_Piece] = []
        self._first: int | None = None

    def take(self, packet: "Packet[Any]") -> None:
        """Take the next packet of the stream."""
        assert packet.pts is not None
        assert packet.dts is not None
        self._first = packet.pts if self._first is None else self._first
        piece = _Piece(bytes(packet), packet.pts, packet.dts, packet.duration or 0, packet.is_keyframe)
        shown_ms = to_ms(piece.pts - self._first, self._base)
        decoded_ms = to_ms(piece.dts - self._first, self._base)
        # Before a picture that is shown later than all so far, nothing is missing between those that were written.
        over = [one for one in self._open if _end_ms(one.stretch) < decoded_ms and piece.pts > one.shown_to]
        for writer in over:
            self._finish(writer)
        if piece.key:
            self._since_key.clear()
        self._since_key.append(piece)
        for writer in self._open:
            writer.write(piece)
        while self._waiting and self._waiting[0].from_ms - LEAD_MS <= shown_ms:
            self._begin(self._waiting.pop(0))

    def close(self) -> None:
        """Finish what is open: the video has ended."""
        for writer in list(self._open):
            self._finish(writer)

    def _begin(self, stretch: Stretch) -> None:
        suffix = SUFFIX.get(self._stream.codec_context.name, ".mp4")
        path = self._folder / f"{stretch.name}{suffix}"
        container = av.open(str(path), "w", options={"fflags": "+bitexact", "movflags": "+faststart"})
        stream = container.add_stream_from_template(self._stream)
        writer = _Writer(stretch, path, container, stream, self._base)
        self._open.append(writer)
        for piece in self._since_key:
            writer.write(piece)

    def _finish(self, writer: _Writer) -> None:
        self._open.remove(writer)
        writer.container.close()
        self.written[writer.stretch.name] = writer.path


def _end_ms(stretch: Stretch) -> int:
    return min(stretch.to_ms + TAIL_MS, stretch.from_ms + LONGEST_MS)
