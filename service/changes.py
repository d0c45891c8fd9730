"""Who listens to changes, and telling them: each listener has a queue that cannot grow without end.

Changes come from any thread; listeners live in the server's event loop. A listener that does not keep up is let
go: it connects again and is told what it missed, or begins with a snapshot.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

ROOM = 256
"""Messages a listener may lag behind before it is let go: some seconds of the liveliest match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What goes to listeners.

    Attributes
    ----------
    event
        `change`: numbered, kept, can be asked for again; `status`: what the camera is seeing right now; `board`:
        how a board is right now.
    match_id
        The match that it is about.
    number
        The change's number, None for a status.
    kind
        What happened: `entry.recorded`, `entry.amended`, …
    at
        When, by the wall clock (RFC 3339).
    data
        JSON of the message, written once for all listeners.
    """

    event: str
    match_id: str
    number: int | None
    kind: str
    at: str
    data: str


@dataclass(eq=False, slots=True)
class Listener:
    """One open stream: of one match, or of all with `match_id` None."""

    match_id: str | None
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[Message | None] = field(default_factory=lambda: asyncio.Queue(ROOM))
    dropped: bool = False

    def offer(self, message: Message | None) -> None:
        """Put a message in the queue; called in the listener's loop. One that finds no room ends the stream."""
        if self.dropped:
            return
        if message is None or self.queue.full():
            self.dropped = True
            while not self.queue.empty():
                self.queue.get_nowait()
            self.queue.put_nowait(None)
            return
        self.queue.put_nowait(message)

    async def messages(self, beat_s: float) -> AsyncIterator[Message | None]:
        """Give messages as they come, None after each `beat_s` of silence, until it is let go."""
        while True:
            try:
                message = await asyncio.wait_for(self.queue.get(), beat_s)
            except TimeoutError:
                yield None
                continue
            if message is None:
                return
            yield message


class Hub:
    """All listeners. `publish` and `close` may be called from any thread."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._rung: tuple[Callable[[], None], ...] = ()

    def join(self, match_id: str | None) -> Listener:
        """Begin to listen, from the running event loop."""
        listener = Listener(match_id, asyncio.get_running_loop())
        with self._lock:
            self._listeners.add(listener)
            closed = self._closed
        if closed:
            listener.offer(None)
        return listener

    def leave(self, listener: Listener) -> None:
        """End listening."""
        with self._lock:
            self._listeners.discard(listener)

    def whenever(self, ring: Callable[[], None]) -> None:
        """Have `ring` called at each change, from the thread that made it: it must be quick and never fail."""
        self._rung = (*self._rung, ring)

    def publish(self, message: Message) -> None:
        """Tell everyone whom it concerns."""
        self._each(message, lambda one: one.match_id in (None, message.match_id))
        for ring in self._rung:
            ring()

    def close(self) -> None:
        """End every stream, and those that come later at once."""
        with self._lock:
            self._closed = True
        self._each(None, lambda _: True)

    @property
    def closed(self) -> bool:
        """Whether every stream has been ended."""
        return self._closed

    @property
    def count(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def _each(self, message: Message | None, concerned: Callable[[Listener], bool]) -> None:
        with self._lock:
            listeners = [one for one in self._listeners if concerned(one)]
        for one in listeners:
            if not one.loop.is_closed():
                one.loop.call_soon_threadsafe(one.offer, message)
