"""Connections that keep nobody waiting: who sends no whole request, or takes nothing of an answer, is let go.

The server itself waits for ever for the first request of a connection, and for the rest of a later one; a thousand
such connections would leave no place for anybody else.
"""

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S: Final = 20.0
"""Within this the head of a request has come; over the worst Wi-Fi it takes one."""


class Patient(H11Protocol):
    """HTTP/1.1 that waits so long for the head of a request, and no longer; the body's time is the guard's.

    The same for a reader from the moment that no more can be written to it: the system's own time-out for it looks
    only when it next asks, which it does ever more seldom, and not on every system.
    """

    request_s = REQUEST_S
    stuck_s = 20.0
    _waits: asyncio.TimerHandle | None = None
    _full: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._expect_nothing()
        self._taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come, and wait for the rest of a request's head."""
        super().data_received(data)
        ours = self.transport.get_protocol() is self  # a WebSocket has its own
        if ours and (self.cycle is None or self.cycle.response_complete):
            self._expect()
        else:
            self._expect_nothing()

    def on_response_complete(self) -> None:
        """Leave the time to the next request to the server."""
        self._expect_nothing()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Begin to wait for a reader that takes nothing."""
        super().pause_writing()
        self._full = self.loop.call_later(self.stuck_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it takes again."""
        self._taken()
        super().resume_writing()

    def _taken(self) -> None:
        if self._full is not None:
            self._full.cancel()
            self._full = None

    def _expect(self) -> None:
        if self._waits is None:
            self._waits = self.loop.call_later(self.request_s, self.transport.close)

    def _expect_nothing(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None
