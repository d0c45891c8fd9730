"""Bodies as JSON that says one thing: a key that stands twice is a mistake, whichever of the two was meant."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.routing import APIRoute


class _Refused(HTTPException):
    def __init__(self, detail: str) -> None:
        super().__init__(422, detail)


class StrictRequest(Request):
    """A request whose JSON is refused where a reader of it could be in doubt."""

    async def json(self) -> Any:  # noqa: ANN401 - JSON
        """Give the body; a key that stands twice, a number that is none and half a character are refused."""
        if not hasattr(self, "_json"):
            self._json = strict_json(await self.body())
        return self._json


def strict_json(body: bytes) -> Any:  # noqa: ANN401 - JSON
    """Give the value of a JSON text in UTF-8; raises `HTTPException` (422) with one sentence."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise _Refused(f"the byte 0x{body[error.start]:02x} at {error.start} is not UTF-8") from error
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _Refused("half of a surrogate pair is no text") from error
    except json.JSONDecodeError as error:
        raise _Refused(f"no JSON, line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise _Refused("no JSON that can be read: nested too deep") from error
    except ValueError as error:
        raise _Refused("no JSON that can be read: a number with thousands of digits") from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"the key {json.dumps(twice[:60])} stands twice")
    return found


def _constant(name: str) -> NoReturn:
    raise _Refused(f"no JSON: {name} is no number")


class StrictRoute(APIRoute):
    """A route whose body is read so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give what answers a request."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly


def strict_router(**options: Any) -> APIRouter:  # noqa: ANN401 - as `APIRouter` takes them
    """Give a router of such routes."""
    return APIRouter(route_class=StrictRoute, **options)
