"""What a live board saw, kept: the camera's own JPEGs, not encoded again, with the times that the watcher had.

A clip for each thing that happened is cut out of the last seconds; a whole session can be kept beside. Replaying a
session gives the very events of the live run, for its frames and their times are those of the watcher. Whatever
happens to the process, a file is whole up to its last half second. Recording stops before the disk is full.
"""

import shutil
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
from av.container import OutputContainer

from vision.clips import LEAD_MS, LONGEST_MS, TAIL_MS, Stretch
from vision.failure import Failure
from vision.frames import Frame
from vision.sources.grab import Grab

SUFFIX: Final = ".mkv"
_MS: Final = Fraction(1, 1000)
_OPTIONS: Final = {"fflags": "+bitexact", "flush_packets": "1", "cluster_time_limit": "200"}
"""Every frame is written at once, in pieces of a fifth of a second: what a killed process leaves can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderLimits:
    """What may be kept.

    Attributes
    ----------
    ring_bytes
        Of the last seconds, in memory.
    free_bytes
        With less room on the disk nothing is recorded, so that scores can still be written.
    look_ms
        How often the disk is looked at.
    """

    ring_bytes: int = 64 << 20
    free_bytes: int = 1 << 30
    look_ms: int = 2000


LIMITS: Final = RecorderLimits()


class Recorder:
    """Keeps what a camera gives; hand `take` to `open_source` as `kept`, or call it with each grab and its frame.

    Parameters
    ----------
    folder
        Where clips go; it is made when it is needed.
    session
        A file for the whole session, or None.
    limits
        What may be kept.
    free
        Gives the free bytes where a path is.
    """

    def __init__(
        self,
        folder: Path,
        *,
        session: Path | None = None,
        limits: RecorderLimits = LIMITS,
        free: Callable[[Path], int] | None = None,
    ) -> None:
        self.stopped: Failure | None = None
        self.clips: dict[str, Path] = {}
        self._folder, self._session, self._limits = folder, session, limits
        self._free = free or (lambda path: shutil.disk_usage(path).free)
        self._ring: deque[tuple[int, bytes]] = deque()
        self._ring_bytes = 0
        self._waiting: list[Stretch] = []
        self._size: tuple[int, int] | None = None
        self._film: _Film | None = None
        self._looked_ms = -limits.look_ms

    def take(self, grab: Grab, frame: Frame) -> None:
        """Keep a picture; called with every one that the watcher gets, before it gets it."""
        if grab.jpeg is None:
            return
        self._size = self._size or frame.size
        self._ring.append((frame.t_ms, grab.jpeg))
        self._ring_bytes += len(grab.jpeg)
        while self._ring_bytes > self._limits.ring_bytes or self._ring[0][0] < frame.t_ms - LONGEST_MS - LEAD_MS:
            self._ring_bytes -= len(self._ring.popleft()[1])
        self._look(frame.t_ms)
        with self._stopping():
            if self._session is not None and self.stopped is None:
                self._film = self._film or _Film(self._session, frame.size)
                self._film.write(frame.t_ms, grab.jpeg)
            for stretch in [one for one in self._waiting if end_ms(one) <= frame.t_ms]:
                self._cut(stretch)

    def want(self, stretch: Stretch) -> None:
        """Cut this out as soon as what comes after it has come; `clips` then has its path."""
        self._waiting.append(stretch)

    def drop_session(self) -> None:
        """Keep no session any more, nor what there is of it: a part of one replays to something else."""
        with suppress(OSError):
            if self._film is not None:
                self._film.close()
            if self._session is not None:
                self._session.unlink(missing_ok=True)
        self._film = self._session = None

    def close(self) -> None:
        """Finish what is open."""
        with self._stopping():
            for stretch in list(self._waiting):
                self._cut(stretch)
            if self._film is not None:
                self._film.close()
                self._film = None

    def _look(self, t_ms: int) -> None:
        """Stop recording while there is little room; a session that was stopped stays so, clips come again."""
        if t_ms - self._looked_ms < self._limits.look_ms:
            return
        self._looked_ms = t_ms
        there = next(path for path in (self._folder, *self._folder.parents) if path.exists())
        free = self._free(there)
        if free >= self._limits.free_bytes:
            self.stopped = None
        else:
            self._stop(f"only {free >> 20} MB are free where {self._folder} is")

    def _stop(self, why: str) -> None:
        self.stopped = Failure("NOT_RECORDING", f"Nothing is recorded any more: {why}; scoring goes on.")
        with suppress(OSError):
            if self._film is not None:
                self._film.close()
        self._film = self._session = None

    def _stopping(self) -> "_Stopping":
        return _Stopping(self._stop)

    def _cut(self, stretch: Stretch) -> None:
        self._waiting.remove(stretch)
        begin, end = stretch.from_ms - LEAD_MS, end_ms(stretch)
        shown = [(t_ms, jpeg) for t_ms, jpeg in self._ring if begin <= t_ms <= end]
        if not shown or self.stopped is not None or self._size is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{stretch.name}{SUFFIX}"
        work = path.with_name(f".{path.name}")
        film = _Film(work, self._size)
        for t_ms, jpeg in shown:
            film.write(t_ms - shown[0][0], jpeg)
        film.close()
        work.replace(path)
        self.clips[stretch.name] = path


def end_ms(stretch: Stretch) -> int:
    """Give when a clip ends, ms of its source."""
    return min(stretch.to_ms + TAIL_MS, stretch.from_ms + LONGEST_MS)


def make_room(clips: Iterable[Path], most_bytes: int) -> tuple[Path, ...]:
    """Delete clips, the oldest first, until the rest is no larger than this; give those that went.

    Parameters
    ----------
    clips
        Those that may go: what a person has still to look at is not among them.
    most_bytes
        What they may take together.
    """
    aged = []
    for path in clips:
        with suppress(OSError):
            state = path.stat()
            aged.append((state.st_mtime_ns, path, state.st_size))
    total = sum(size for _, _, size in aged)
    gone = []
    for _, path, size in sorted(aged):
        if total <= most_bytes:
            break
        with suppress(OSError):
            path.unlink()
            gone.append(path)
            total -= size
    return tuple(gone)


class _Stopping:
    """Turns a disk that takes no more into a recorder that stopped."""

    def __init__(self, stop: Callable[[str], None]) -> None:
        self._stop = stop

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, OSError):
            self._stop(error.strerror or "the disk takes no more")
            return True
        return False


class _Film:
    """A Matroska file of JPEGs, each with its time in ms."""

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        container: OutputContainer = av.open(str(path), "w", format="matroska", options=_OPTIONS)
        stream: Any = container.add_mux_stream("mjpeg", width=size[0], height=size[1])
        stream.time_base = _MS
        self._container, self._stream = container, stream

    def write(self, t_ms: int, jpeg: bytes) -> None:
        packet = av.Packet(jpeg)
        packet.time_base = _MS
        packet.pts = packet.dts = t_ms
        packet.is_keyframe = True
        packet.stream = self._stream
        self._container.mux(packet)

    def close(self) -> None:
        self._container.close()
