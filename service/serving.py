"""Running the application: one server, one address, an end within a second."""

import asyncio
import contextlib
import errno
import resource
import signal
import socket
import threading
from collections.abc import Callable, Collection, Generator, Sequence
from typing import TYPE_CHECKING

import uvicorn
from starlette.types import ASGIApp

from service.access import Access
from service.api import create_app
from service.config import Settings
from service.connections import Patient
from service.matches import Matches
from service.outward.start import Outlets
from service.retention import Retention
from service.shadow.runner import Shadow
from service.store import BoardTables, SightingTable

if TYPE_CHECKING:
    from service.boards.boards import Boards

PORT = 8180
"""The most that three darts can score, with an 8 before it."""

GRACE_S = 0.6
"""How long an answer that is under way may take at the end; streams end at once."""


SEND_ROOM = 128 * 1024
"""Bytes that the system keeps for a reader that lags: with the queue of messages, all that one can cost."""


class AddressTaken(Exception):  # noqa: N818 - it says what is the case
    """The address cannot be had; the text is one sentence."""


def bind(host: str, port: int) -> socket.socket:
    """Take an address (port 0: any free one); raises `AddressTaken`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((host, port))
        taken.listen(128)
    except (OSError, OverflowError) as error:
        taken.close()
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise AddressTaken(
                f"port {port} on {host} is in use; end what uses it or choose another with --port"
            ) from error
        raise AddressTaken(
            f"port {port} on {host} cannot be opened: {getattr(error, 'strerror', error)}"
        ) from error
    return taken


def address(taken: socket.socket) -> str:
    """Give what to type into a browser."""
    host, port = taken.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


class Server(uvicorn.Server):
    """uvicorn, ended by SIGINT and SIGTERM without re-raising them, and ending open streams first."""

    def __init__(self, app: ASGIApp, end_streams: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            http=Patient,
            proxy_headers=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=16 * 1024,
            ws_per_message_deflate=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=32 * 1024,
        )
        super().__init__(config)
        self._end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then as uvicorn does."""
        self._end_streams()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Take both signals as the wish to end; where they belong to another thread, leave them alone."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ours = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in ours}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(
    matches: Matches,
    taken: socket.socket,
    hosts: Collection[str] = (),
    settings: Settings | None = None,
    *,
    access: Access | None = None,
    outlets: Outlets | None = None,
) -> None:
    """Serve until a signal asks to end; the socket is closed then.

    `access` is who may, beyond this machine; `outlets`, who is told of changes: started and ended here.
    """
    kept = settings or Settings()
    told = outlets or Outlets()
    _take_all_descriptors()
    kept.whenever(lambda config: _let_go_of_the_stuck(taken, config.streams.stuck_s))
    kept.watch()
    retention = Retention(matches, kept.now.config)
    kept.whenever(retention.set)
    told.start()
    app = create_app(
        matches, hosts, kept, access=access, outlets=told, boards=_resumed(matches, kept), retention=retention
    )
    retention.start()
    shadow = Shadow(matches)
    shadow.start()
    try:
        _run(Server(app, matches.hub.close), [taken])
    finally:
        retention.close()
        shadow.close()
        told.close()
        kept.close()
        if app.state.boards is not None:
            app.state.boards.close()


def run(app: ASGIApp, taken: socket.socket) -> None:
    """Serve an application without streams until a signal asks to end; the socket is closed then."""
    _run(Server(app, lambda: None), [taken])


def _resumed(matches: Matches, settings: Settings) -> "Boards | None":
    """Go on with what was seen and waits for nobody, and with the boards that watched when the service ended."""
    open_ = SightingTable(matches.store).of(states=("waiting", "held"), limit=1)
    if not open_ and not BoardTables(matches.store).watchings(running=True):
        return None
    from service.boards.boards import Boards  # noqa: PLC0415 - without a board nothing of it is needed

    boards = Boards(
        matches,
        session_bytes=lambda: settings.now.config.media.session_bytes,
        named=lambda: settings.now.config.cameras,
    )
    boards.resume()
    return boards


def _take_all_descriptors() -> None:
    """Hold as many connections as the system lets us: every reader is one, and the usual limit is a thousand."""
    with contextlib.suppress(OSError, ValueError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _let_go_of_the_stuck(taken: socket.socket, stuck_s: int) -> None:
    """End a connection whose reader takes nothing for so long, and hold little for it until then.

    Without it a reader that neither reads nor leaves would be held for hours, for nothing more can be sent that
    would tell. WebSockets have the system's time-out alone, which they inherit from the socket that listens.
    """
    Patient.stuck_s = float(stuck_s)
    with contextlib.suppress(OSError):
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_ROOM)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, stuck_s * 1000)


def _run(server: Server, sockets: Sequence[socket.socket]) -> None:
    asyncio.run(server.serve(list(sockets)))
