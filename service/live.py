"""A recording watched beside a match in a thread of this process, as the demo does it: frames in, entries out.

A fault in it ends the watching and is told, and never touches the service.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from service.evidence import evidence
from service.matches import Live, Matches
from service.media import Media
from service.sightings import Sightings
from service.store import Stale, StoreError
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame

Action: TypeAlias = Any
Reader: TypeAlias = Callable[[Iterator[Frame | Failure]], Iterator[Event | Failure]]

STATUS_MS = 1000
"""Listeners are told this often how far a recording is, in its own time."""

_PHASES = {
    "throw": "still",
    "takeout": "still",
    "hand": "hand",
    "board_hidden": "hidden",
    "camera_stalled": "stalled",
}

log = logging.getLogger("tallycam.live")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scribbled:
    """What the watcher wrote: the ids of the entries, the event they come from, and the actions."""

    ids: tuple[int, ...]
    event: Event
    actions: tuple[Action, ...]


class Watcher:
    """One source watched for one match.

    Parameters
    ----------
    matches, match_id
        Where entries go.
    frames
        What to watch; a `Failure` among them ends it.
    read
        Frames to events, as `vision.replay.replay` with its SETUP.
    source
        A name for people.
    realtime
        Whether to wait until each frame's time has come.
    wrote
        Called after entries were written, from the watcher's thread.
    ended
        Called when there is nothing more to come, from the watcher's thread.
    """

    def __init__(
        self,
        matches: Matches,
        match_id: str,
        frames: Iterable[Frame | Failure],
        read: Reader,
        *,
        source: str,
        realtime: bool,
        wrote: Callable[[Scribbled], None] | None = None,
        ended: Callable[[], None] | None = None,
    ) -> None:
        self.failure: Failure | None = None
        self._matches = matches
        self._media = Media(matches.store.media)
        self._match_id = match_id
        self._frames = frames
        self._read = read
        self._source = source
        self._realtime = realtime
        self._wrote = wrote
        self._ended = ended
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, name=f"watch-{match_id}", daemon=True)
        self._sightings = Sightings(matches)
        self._count = 0
        self._t_ms = 0
        self._phase = "still"

    def start(self) -> None:
        """Begin in a thread."""
        self._thread.start()

    def stop(self, wait_s: float = 1.0) -> None:
        """Ask to end and wait a little for it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def run(self) -> None:
        """Watch to the end, or until asked to stop."""
        try:
            self._watch()
        except StoreError:
            log.exception("watching %s ended: the store refused", self._source)
        except Exception:
            log.exception("watching %s ended by a fault", self._source)
            self._tell("FAULT", done=True, message="The watcher broke off; the match goes on by hand.")

    def _watch(self) -> None:
        for event in self._read(self._paced()):
            if self._stop.is_set():
                return
            if isinstance(event, Failure):
                self.failure = event
                self._tell(event.code, done=True, message=event.message)
                return
            self._phase = _PHASES.get(event.kind, self._phase)
            self._take(event)
        if not self._stop.is_set():
            self._tell("ended", done=True)
            if self._ended:
                self._ended()

    def _paced(self) -> Iterator[Frame | Failure]:
        begun = time.monotonic()
        told = -STATUS_MS
        for frame in self._frames:
            if isinstance(frame, Frame):
                ahead_s = frame.t_ms / 1000 - (time.monotonic() - begun)
                if self._realtime and ahead_s > 0 and self._stop.wait(ahead_s):
                    return
                if frame.t_ms - told >= STATUS_MS:
                    told = frame.t_ms
                    self._tell(self._phase, t_ms=frame.t_ms)
            if self._stop.is_set():
                return
            yield frame

    def _take(self, event: Event) -> None:
        """Write what an event stands for; where a person was quicker, look again and decide anew."""
        self._count += 1
        pictures = {name: self._media.keep(data) for name, data in evidence(event).items()}
        while not self._stop.is_set():
            try:
                taken = self._sightings.take(self._match_id, self._count, event, pictures)
            except Stale:
                continue
            self._t_ms = event.t_ms
            if taken is not None and taken.ids and self._wrote:
                self._wrote(Scribbled(ids=taken.ids, event=event, actions=taken.actions))
            return

    def _tell(
        self, phase: str, *, t_ms: int | None = None, done: bool = False, message: str | None = None
    ) -> None:
        at = t_ms if t_ms is not None else self._t_ms
        live = Live(source=self._source, phase=phase, t_ms=at, done=done, message=message)
        self._matches.watch(self._match_id, live)
