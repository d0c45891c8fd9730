"""What stands before every route: whose name we answer to, who may change things, how large a request may be.

A page of another origin can neither read nor write anything here: the Host must be a name of ours (else a
foreign name that resolves to this machine could read everything), a change must come from our own origin or from
no page at all, and nothing carries permission by a forwarded header, for none is read.
"""

import asyncio
import ipaddress
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.problems import problem_response

BODY_LIMIT = 64 * 1024
"""Bytes of a request's body: the largest entry is some hundred bytes, a preview of many some ten thousand."""

LARGER = {"/api/v1/pictures": 24 * 1024 * 1024}
"""Where more is taken: a picture of 8K as a camera stores it."""

BODY_S = 30.0
"""A request's body has come within this, and a second more for each quarter of a megabyte that it may have."""

_SAFE = {"GET", "HEAD", "OPTIONS"}
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "x-frame-options": "DENY",
}


class Unfit(Exception):  # noqa: N818 - it never leaves this module
    """A body went past a limit while it was read; routes answer before they read only without a body."""


class Guard:
    """The ASGI layer around the application; `hosts` gives the names it answers to besides the loopback ones."""

    def __init__(self, app: ASGIApp, hosts: Callable[[], Collection[str]] = tuple) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with a limit on what comes in and our headers on what goes out."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        sender = _with_headers(send, scope)
        if scope["type"] == "websocket":
            if refusal is not None:
                await refuse_upgrade(scope, receive, send, *refusal)
                return
            await self.app(scope, receive, send)
            return
        if refusal is not None:
            await problem_response(*refusal)(scope, receive, sender)
            return
        await self._capped(scope, receive, sender)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        host = headers.getlist("host")
        if len(host) != 1 or not self.ours(host[0], scope.get("server")):
            return 421, "UNKNOWN_HOST", "this service does not answer to that name; use the address it printed"
        origins = headers.getlist("origin")
        asks = scope["type"] == "websocket" or scope["method"] not in _SAFE
        foreign = any(_place(origin) != host[0].lower() for origin in origins)
        if foreign and asks:
            return 403, "FOREIGN_ORIGIN", "a page of another origin may change nothing here"
        if headers.get("sec-fetch-site") == "cross-site" and scope["path"].startswith("/api/"):
            return 403, "FOREIGN_ORIGIN", "a page of another origin may read nothing here"
        if scope["path"].startswith("/api/") and any(part != part.strip() for part in scope["path"].split("/")):
            return 404, "NOT_FOUND", "there is nothing at this address"  # a number with a tab before it is none
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > limit_of(scope):
            return 413, "TOO_LARGE", f"a request's body may have {limit_of(scope)} bytes"
        return None

    def ours(self, host: str, server: Sequence[object] | None = None) -> bool:
        """Say whether a Host header names this service.

        It does by a loopback name or address, by a name that was allowed, or by the very address of this machine
        that the connection came in on (`server`): a foreign page knows no such address as its own.
        """
        name = host.lower()
        bare, _, port = name.rpartition(":") if not name.endswith("]") else (name, "", "0")
        bare, port = (bare, port) if bare else (port, "0")
        if not port.isdecimal():
            return False
        if bare in _LOOPBACK or bare in {host.lower() for host in self.hosts()}:
            return True
        try:
            address = ipaddress.ip_address(bare.strip("[]"))
        except ValueError:
            return False
        return address.is_loopback or (server is not None and str(address) == server[0])

    async def _capped(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application on a body that is no larger and comes no slower than it may."""
        limit = limit_of(scope)
        until = asyncio.get_running_loop().time() + BODY_S + limit / 2**18
        taken, whole, refusal = 0, False, None

        async def limited() -> Message:
            nonlocal taken, whole, refusal
            try:
                async with asyncio.timeout_at(None if whole else until):
                    message = await receive()
            except TimeoutError:
                refusal = problem_response(408, "TOO_SLOW", "the request's body did not come in time")
                refusal.headers["connection"] = "close"  # what comes of it later is no request
                raise Unfit from None
            taken += len(message.get("body", b""))
            whole = whole or not message.get("more_body", False)
            if taken > limit:
                refusal = problem_response(413, "TOO_LARGE", f"a request's body may have {limit} bytes")
                raise Unfit
            return message

        async def unless_refused(message: Message) -> None:
            if refusal is None:
                await send(message)

        with suppress(Unfit):
            await self.app(scope, limited, unless_refused)
        if refusal is not None:
            await refusal(scope, receive, send)


def _place(origin: str) -> str:
    """Give the host and port of an origin; empty for what is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def limit_of(scope: Scope) -> int:
    """Give how many bytes a request's body may have."""
    return LARGER.get(scope["path"], BODY_LIMIT)


async def refuse_upgrade(  # noqa: PLR0917 - the three of ASGI, the three of a problem
    scope: Scope, receive: Receive, send: Send, status: int, code: str, detail: str
) -> None:
    """Refuse a WebSocket with a problem; where the server cannot send one, by closing it."""
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await problem_response(status, code, detail)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": detail})


def _with_headers(send: Send, scope: Scope) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
        await send(message)

    return sender
