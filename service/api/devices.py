"""Pairing devices, and the keys that they and programs hold."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

import segno
from fastapi import Request, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field, StringConstraints

from service.access import Access, Role
from service.access.pairing import GOOD_S
from service.api import wire
from service.api.bodies import strict_router
from service.api.gate import cookie, key_of, peer_of, refuse_guessing, role_of
from service.api.problems import Problem
from service.api.routes import problems
from service.network import own_address

LASTS_S: Final = 400 * 24 * 3600
"""Of a cookie: as long as browsers keep one. A key holds until it is taken back."""

router = strict_router(tags=["access"], prefix="/access")

RoleName = Literal["display", "scorer", "umpire", "admin"]
DeviceName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), Field(strict=True)
]


@dataclass(kw_only=True)
class Pair:
    """A code as it was typed, and what the device is to be called."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    code: Annotated[str, Field(strict=True, min_length=1, max_length=40)]
    name: DeviceName


@dataclass(kw_only=True)
class NewKey:
    """A key to make for a program."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    name: DeviceName
    role: RoleName


@dataclass(kw_only=True)
class NewCode:
    """What a device that types the code may do."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    role: RoleName


@dataclass(kw_only=True)
class Me:
    """Whoever asks: `gate` is false where the service answers to its own machine alone and asks nobody."""

    gate: bool
    role: Literal["nobody", "display", "scorer", "umpire", "admin"]
    name: str | None


@dataclass(kw_only=True)
class Device:
    """A key as lists show it."""

    id: str
    name: str
    role: RoleName
    made_at: str
    used_at: str | None


@dataclass(kw_only=True)
class Devices:
    """All keys."""

    keys: list[Device]


@dataclass(kw_only=True)
class MadeKey:
    """A new key; `secret` is shown this once."""

    key: Device
    secret: str


@dataclass(kw_only=True)
class OpenCode:
    """A code to type at the address `at`; `qr` draws that address with the code, `#` is a dark square."""

    code: str
    role: RoleName
    good_s: int
    at: str
    qr: list[str]


@router.get("/me", response_model=Me, responses=problems())
def get_me(request: Request) -> Response:
    """Say who asks, as the service sees it."""
    key = key_of(request)
    access = _maybe(request)
    return JSONResponse({"gate": access is not None, "role": role_of(request).word, "name": key and key.name})


@router.post("/pair", status_code=201, response_model=Me, responses=problems(401, 409, 422, 429))
def pair(request: Request, body: Pair) -> Response:
    """Make a key for the device that typed an open code, and hand it over as a cookie."""
    access = _access(request)
    refuse_guessing(access, request)
    role = access.pairing.redeem(body.code)
    if role is None:
        access.tries.wrong(peer_of(request.scope))
        raise Problem(401, "WRONG_CODE", "this code is not open: it is mistyped, used, or older than ten minutes")
    secret, key = access.keys.make(body.name, role)
    told = {"gate": True, "role": role.word, "name": key.name}
    return JSONResponse(told, 201, {"Set-Cookie": cookie(secret, LASTS_S)})


@router.post("/leave", status_code=204, responses=problems())
def leave(request: Request) -> Response:
    """Take back the key of whoever asks."""
    key, access = key_of(request), _maybe(request)
    if key is not None and access is not None:
        access.keys.revoke(key.id)
    return Response(status_code=204, headers={"Set-Cookie": cookie("", 0)})


@router.get("/keys", response_model=Devices, responses=problems(409))
def list_keys(request: Request) -> Response:
    """List the keys that hold."""
    return JSONResponse({"keys": [key.shown() for key in _access(request).keys.all()]})


@router.post("/keys", status_code=201, response_model=MadeKey, responses=problems(409, 422))
def make_key(request: Request, body: NewKey) -> Response:
    """Make a key for a program; what opens is in this answer and nowhere else."""
    secret, key = _access(request).keys.make(body.name, Role.named(body.role))
    return JSONResponse({"key": key.shown(), "secret": secret}, 201)


@router.delete("/keys/{key_id}", status_code=204, responses=problems(404, 409, 422))
def revoke_key(request: Request, key_id: Annotated[str, Field(pattern="^[0-9a-f]{1,64}$")]) -> Response:
    """Take a key back; its device is out with its next request."""
    if not _access(request).keys.revoke(key_id):
        raise Problem(404, "NO_SUCH_KEY", "there is no such key")
    return Response(status_code=204)


@router.post("/codes", status_code=201, response_model=OpenCode, responses=problems(409, 422))
def open_code(request: Request, body: NewCode) -> Response:
    """Open a code that gives a role to the device that types it within ten minutes."""
    code = _access(request).pairing.open(Role.named(body.role))
    host = _reachable(request.headers["host"])
    drawn = segno.make_qr(f"{request.url.scheme}://{host}/pair#{code.text}")
    rows = ["".join("#" if dark else "." for dark in row) for row in drawn.matrix]
    told: dict[str, Any] = {
        "code": code.text,
        "role": body.role,
        "good_s": GOOD_S,
        "at": f"{host}/pair",
        "qr": rows,
    }
    return JSONResponse(told, 201)


def _reachable(host: str) -> str:
    """Give the address for another device: an admin at the machine itself may have come by a loopback one."""
    name, _, port = host.rpartition(":")
    elsewhere = own_address() if name in ("127.0.0.1", "localhost", "[::1]") else None
    return f"{elsewhere}:{port}" if elsewhere else host


def _maybe(request: Request) -> Access | None:
    access: Access | None = request.app.state.access
    return access


def _access(request: Request) -> Access:
    access = _maybe(request)
    if access is None:
        raise Problem(
            409, "NO_GATE", "the service answers to its own machine alone; start it with --lan to pair devices"
        )
    return access
