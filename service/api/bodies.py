"""Bodies as JSON that says one thing: a key that stands twice is a mistake, whichever of the two was meant."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.routing import APIRoute

from engine.forms import FormError
from engine.strict_json import DECODER


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
        value = DECODER.decode(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except FormError as error:
        raise _Refused(str(error)) from error
    except UnicodeEncodeError as error:
        raise _Refused("half of a surrogate pair is no text") from error
    except json.JSONDecodeError as error:
        raise _Refused(f"no JSON, line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise _Refused("no JSON that can be read: nested too deep") from error
    except ValueError as error:
        raise _Refused("no JSON that can be read: a number with thousands of digits") from error
    return value


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
