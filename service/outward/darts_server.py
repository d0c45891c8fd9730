"""Serving the dart protocol: a small application on a port of its own, that only ever tells.

Its readers know nothing of keys, so it is off unless the settings name a port, and it answers to this machine
alone unless they say otherwise; a page of another origin is refused as everywhere.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Collection
from importlib.metadata import version
from typing import Any, Final

import uvicorn
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from service.api.guard import Guard
from service.matches import Matches
from service.outward.darts import news, state_of

BEAT_S: Final = 30.0
HANDS: Final = {"hand", "takeout", "hidden"}
"""What the camera sees when somebody is at the board."""


def darts_app(matches: Matches, hosts: Callable[[], Collection[str]] = tuple) -> Starlette:
    """Give the application."""

    def look() -> tuple[dict[str, Any] | None, bool]:
        match_id = matches.playing()
        view = None if match_id is None else matches.view(match_id)
        live = view and view["live"]
        return view, bool(live and not live["done"] and live["phase"] in HANDS)

    async def state(_request: Request) -> Response:
        view, hands = await run_sync(look)
        return JSONResponse(state_of(view, "Started", hands=hands))

    async def told_version(_request: Request) -> Response:
        return Response(version("tallycam"), media_type="text/plain")

    async def only_told(_request: Request) -> Response:
        """Answer what other tools ask a board to do: this one is run from its own page."""
        return JSONResponse({"detail": "this board is run from tallycam's page"}, 403)

    async def events(socket: WebSocket) -> None:
        listener = matches.hub.join(None)
        try:
            await socket.accept()
            view, hands = await run_sync(look)
            shown = state_of(view, "Started", hands=hands)
            await _tell(socket, shown)
            async for message in listener.messages(BEAT_S):
                if message is None:
                    continue
                view, hands = await run_sync(look)
                for change in news(shown, view, hands=hands):
                    shown = change
                    await _tell(socket, shown)
            await socket.close(1012)
        except WebSocketDisconnect:
            pass
        finally:
            matches.hub.leave(listener)

    app = Starlette(
        routes=[
            Route("/api/version", told_version),
            Route("/api/state", state),
            Route("/api/{rest:path}", only_told, methods=["POST", "PUT", "PATCH", "DELETE"]),
            WebSocketRoute("/api/events", events),
        ]
    )
    app.add_middleware(Guard, hosts=hosts)
    return app


async def _tell(socket: WebSocket, state: dict[str, Any]) -> None:
    with contextlib.suppress(RuntimeError):  # the reader has gone; the next look at it says so
        await socket.send_text(json.dumps({"type": "state", "data": state}))


class DartsServer:
    """The application in a thread of its own."""

    def __init__(self, app: Starlette, host: str, port: int) -> None:
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", access_log=False, lifespan="off",
            proxy_headers=False, server_header=False, ws="websockets-sansio", ws_max_size=16 * 1024,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="dart-protocol", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self, wait_s: float = 1.0) -> None:
        """End."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _run(self) -> None:
        with contextlib.suppress(SystemExit):  # uvicorn has said that the port is taken
            asyncio.run(self._server.serve())
