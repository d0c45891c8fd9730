"""The ASGI layer that asks who it is before any route is reached, over HTTP and WebSocket alike.

On loopback alone there is no gate: whoever is at the machine owns the service. With `--lan` every request needs a
key, those of the machine itself too, for a proxy or another user's program speaks from there as well. No forwarded
header is read.
"""

from http.cookies import CookieError, SimpleCookie
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.access import Access, Key, KeysDamaged, Role, needed
from service.api.guard import refuse_upgrade
from service.api.problems import Problem, problem_response

COOKIE: Final = "tallycam"
_ROLE: Final = "tallycam.role"
_KEY: Final = "tallycam.key"
_SAFE: Final = {"GET", "HEAD", "OPTIONS"}


def role_of(connection: HTTPConnection) -> Role:
    """Give the role of whoever asks; without a gate, the owner's."""
    return Role(connection.scope.get(_ROLE, Role.ADMIN))


def key_of(connection: HTTPConnection) -> Key | None:
    """Give the key of whoever asks; None without one, and without a gate."""
    key: Key | None = connection.scope.get(_KEY)
    return key


def require(connection: HTTPConnection, role: Role) -> None:
    """Refuse whoever has less than a role, where what is needed depends on what is asked; raises `Problem`."""
    if role_of(connection) < role:
        raise Problem(403, "ROLE_TOO_LOW", f"this takes the role {role.word} or more")


class Gate:
    """Lets through whoever has the role that the address needs; with no `access`, everybody."""

    def __init__(self, app: ASGIApp, access: Access | None) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the role in the scope."""
        if self.access is None or scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = _refusal(self.access, scope)
        if refusal is None:
            await _while_it_holds(self.app, self.access, scope, receive, send)
        elif scope["type"] == "websocket":
            await refuse_upgrade(scope, receive, send, *refusal[:3])
        else:
            answer = problem_response(*refusal[:3])
            answer.headers.update(refusal[3])
            await answer(scope, receive, send)


Refusal = tuple[int, str, str, dict[str, str]]


def _refusal(access: Access, scope: Scope) -> Refusal | None:
    """Give why a request may not pass; where it may, write into the scope who asks."""
    headers = Headers(scope=scope)
    secret, by_cookie = _secret(headers)
    try:
        key = None if secret is None else access.keys.find(secret)
    except KeysDamaged as error:
        return 503, "KEYS_DAMAGED", str(error), {}
    if secret is not None and key is None:
        return _unknown(access, peer_of(scope), by_cookie=by_cookie)
    scope[_ROLE], scope[_KEY] = Role.NOBODY if key is None else Role.named(key.role), key
    changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
    if by_cookie and changes and "origin" not in headers:
        return 403, "FOREIGN_ORIGIN", "a change under a cookie has to name the page it comes from", {}
    return _too_low(key, needed("WS" if scope["type"] == "websocket" else scope["method"], scope["path"]))


def _unknown(access: Access, peer: str, *, by_cookie: bool) -> Refusal:
    wait_s = access.tries.wait_s(peer)
    access.tries.wrong(peer)
    if wait_s:
        return _slow_down(wait_s)
    # The page of a device whose key was taken back is told to forget it, and so guesses but once.
    forget = {"Set-Cookie": cookie("", 0)} if by_cookie else {}
    return 401, "UNKNOWN_KEY", "there is no such key, or it was taken back", {**_ASK, **forget}


def _too_low(key: Key | None, role: Role | None) -> Refusal | None:
    held = Role.NOBODY if key is None else Role.named(key.role)
    if role is not None and held >= role:
        return None
    if key is None:
        return 401, "KEY_NEEDED", "pair this device first: open /pair and type the code", _ASK
    if role is None:
        return 404, "NOT_FOUND", "there is nothing at this address", {}
    return 403, "ROLE_TOO_LOW", f"this takes the role {role.word} or more; this key has {key.role}", {}


class _TakenBackError(OSError):
    """What the routes see as a reader that has gone."""


async def _while_it_holds(app: ASGIApp, access: Access, scope: Scope, receive: Receive, send: Send) -> None:
    """Run the application; a stream ends with the first message after its key was taken back."""
    key: Key | None = scope[_KEY]
    if key is None:
        await app(scope, receive, send)
        return
    begun = out = False

    async def checked(message: Message) -> None:
        nonlocal begun, out
        if begun and not access.keys.holds(key.id):
            out = True
            raise _TakenBackError
        await send(message)
        begun = message["type"] in ("http.response.body", "websocket.accept", "websocket.send")

    try:
        await app(scope, receive, checked)
    except Exception:
        if not out:
            raise
    if out and scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "the key was taken back"})
    elif out:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


_ASK: Final = {"WWW-Authenticate": "Bearer"}


def _slow_down(wait_s: int) -> Refusal:
    return 429, "TOO_MANY_TRIES", f"too many wrong tries; wait {wait_s} s", {"Retry-After": str(wait_s)}


def refuse_guessing(access: Access, connection: HTTPConnection) -> None:
    """Refuse whoever has guessed too often of late; raises `Problem`."""
    wait_s = access.tries.wait_s(peer_of(connection.scope))
    if wait_s:
        status, code, detail, headers = _slow_down(wait_s)
        raise Problem(status, code, detail, headers=headers)


def peer_of(scope: Scope) -> str:
    """Give the address that a request comes from, as the socket says."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def cookie(secret: str, lasts_s: int) -> str:
    """Give the `Set-Cookie` of a key. Without TLS it cannot be `Secure`; no script and no other page gets it."""
    return f"{COOKIE}={secret}; Max-Age={lasts_s}; Path=/; HttpOnly; SameSite=Strict"


def _secret(headers: Headers) -> tuple[str | None, bool]:
    """Give the secret that a request carries, and whether a cookie does: a header's goes first."""
    kind, _, secret = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and secret:
        return secret.strip(), False
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        morsel = None
    return (None, False) if morsel is None else (morsel.value, True)
