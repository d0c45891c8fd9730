"""A camera that never lies and never lags: a thread keeps its pictures, and connects again when it is lost.

Reading a scene takes longer than one picture, so what comes meanwhile waits its turn, for a few seconds at most;
after that only the newest is kept, so that nobody ever goes on looking at the past. Every picture has the time at
which it had come. Damaged ones, and ones of another size, are shown to nobody.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from vision.failure import Failure
from vision.frames import Frame
from vision.sources.grab import Decoder, Feed, Grab, as_jpeg, now_ns

Opener = Callable[[], Feed | Failure]
Kept = Callable[[Grab, Frame], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLimits:
    """When a camera is in trouble, and how it is waited for.

    Attributes
    ----------
    first_s
        The first picture comes within this: some drivers take that long to set a size.
    stalled_s
        No picture for so long is a stall; network cameras pause for half a second, and a second lost is told late.
    behind_s
        Pictures wait for no longer than this; it is more than reading any scene takes.
    waiting
        Nor more than this many, whatever the camera's rate.
    again_s, longest_s
        Wait before connecting again; it doubles up to the longest.
    """

    first_s: float = 12.0
    stalled_s: float = 1.5
    behind_s: float = 3.0
    waiting: int = 90
    again_s: float = 0.25
    longest_s: float = 4.0


LIMITS: Final = LiveLimits()


class LiveCamera:
    """A camera that is watched; iterate over it once.

    Parameters
    ----------
    opener
        Connects to the camera; called again whenever it was lost.
    name
        For people.
    kept
        Called with each picture that is handed out, from the thread that iterates: the recorder.
    limits
        When a camera is in trouble.

    Attributes
    ----------
    size
        (width, height) in px of its first picture; pictures of other sizes are left out.
    age_ms
        How long the picture that was handed out last had waited.
    """

    live: Final = True

    def __init__(
        self, opener: Opener, name: str, *, kept: Kept | None = None, limits: LiveLimits = LIMITS
    ) -> None:
        self.name = name
        self.age_ms = 0.0
        self.size: tuple[int, int] | None = None
        self._opener, self._kept, self._limits = opener, kept, limits
        self._turn = threading.Condition()
        self._waiting: deque[Grab] = deque()
        self._feed: Feed | None = None
        self._lost: Failure | None = None
        self._odd: Failure | None = None
        self._heard = time.monotonic()
        self._closed = threading.Event()
        self._decoder = Decoder()
        self._thread = threading.Thread(target=self._read, name=f"camera {name}", daemon=True)

    def start(self) -> Failure | None:
        """Connect and wait for the first picture; a failure if there is none, and then it is closed."""
        self._thread.start()
        with self._turn:
            self._turn.wait_for(lambda: self._waiting or self._refused(), self._limits.first_s)
            first, failure = self._waiting[0] if self._waiting else None, self._lost
        if first is not None:
            shown = self._decoder.frame(first, 0, 0)
            self.size = None if shown is None else shown.size
            return None
        self.close()
        if failure is not None:
            return failure
        return Failure("NO_CAMERA", f"{self.name}: no picture within {self._limits.first_s:g} s.")

    @property
    def trouble(self) -> Failure | None:
        """What is wrong with the camera right now: lost, stalled, of another size, damaged pictures; else None."""
        if self._lost is not None:
            return self._lost
        silent_s = time.monotonic() - self._heard
        if silent_s > self._limits.stalled_s:
            return Failure("CAMERA_STALLED", f"{self.name}: no picture for {silent_s:.1f} s.")
        return self._odd

    @property
    def note(self) -> Failure | None:
        """What the camera would not have locked, as `NOT_LOCKED`; it is watched all the same."""
        feed = self._feed
        if feed is None or not feed.refused:
            return None
        words = ", ".join(feed.refused)
        return Failure(
            "NOT_LOCKED",
            f"{self.name}: adjusts {words} by itself and cannot be told not to; keep the light steady.",
        )

    def close(self) -> None:
        """Let go of the camera; whoever iterates comes to the end."""
        self._closed.set()
        with self._turn:
            feed = self._feed
            self._turn.notify_all()
        if feed is not None:
            feed.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=self._limits.first_s)

    def __iter__(self) -> Iterator[Frame | Failure]:
        """Give picture after picture until it is closed; times are ms from the first one."""
        first_ns: int | None = None
        index, last_ms = 0, -1
        while (grab := self._next()) is not None:
            first_ns = grab.at_ns if first_ns is None else first_ns
            # Containers hold whole milliseconds, so no two pictures may share one.
            t_ms = max(last_ms + 1, (grab.at_ns - first_ns) // 1_000_000)
            if self._kept is not None:
                grab = as_jpeg(grab)
            frame = self._trusted(grab, index, t_ms)
            if frame is None:
                continue
            if self._kept is not None:
                self._kept(grab, frame)
            index, last_ms = index + 1, t_ms
            yield frame

    def _refused(self) -> bool:
        """Say whether there is no camera at all; one that is slow with its first picture is waited for."""
        return self._lost is not None and self._lost.code not in ("CAMERA_STALLED", "CAMERA_LOST")

    def _trusted(self, grab: Grab, index: int, t_ms: int) -> Frame | None:
        """Give the frame if it is one to look at."""
        frame = self._decoder.frame(grab, index, t_ms)
        if frame is None:
            self._odd = Failure("DAMAGED_PICTURE", f"{self.name}: sends pictures that are damaged.")
            return None
        self.size = self.size or frame.size
        if frame.size != self.size:
            (width, height), (w, h) = self.size, frame.size
            self._odd = Failure("SIZE_CHANGED", f"{self.name}: sends {w}x{h} px now, not {width}x{height} px.")
            return None
        self._odd = None
        return frame

    def _next(self) -> Grab | None:
        """Wait for a picture that nobody has had; None when it is closed."""
        with self._turn:
            self._turn.wait_for(lambda: self._waiting or self._closed.is_set())
            if self._closed.is_set():
                return None
            grab = self._waiting.popleft()
        self.age_ms = (now_ns() - grab.at_ns) / 1e6
        return grab

    def _read(self) -> None:
        wait_s = self._limits.again_s
        while not self._closed.is_set():
            opened = self._opener()
            if isinstance(opened, Failure):
                self._lose(opened)
            else:
                with self._turn:
                    self._feed = opened
                if self._drain(opened):
                    wait_s = self._limits.again_s
                opened.close()
            self._closed.wait(wait_s)
            wait_s = min(2 * wait_s, self._limits.longest_s)

    def _drain(self, feed: Feed) -> bool:
        """Keep the newest picture of a connection until it ends; say whether one came at all."""
        came = False
        while not self._closed.is_set():
            grab = feed.read()
            if isinstance(grab, Failure):
                self._lose(grab)
                return came
            came = True
            with self._turn:
                self._queue(grab)
                self._lost, self._heard = None, time.monotonic()
                self._turn.notify_all()
        return came

    def _queue(self, grab: Grab) -> None:
        waiting, limits = self._waiting, self._limits
        if waiting and (grab.at_ns - waiting[0].at_ns > limits.behind_s * 1e9 or len(waiting) >= limits.waiting):
            waiting.clear()
        waiting.append(grab)

    def _lose(self, failure: Failure) -> None:
        with self._turn:
            self._lost = failure
            self._turn.notify_all()
