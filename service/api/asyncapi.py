"""The streams described as AsyncAPI 3.0, from the same forms that a test holds the events to."""

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import Field, TypeAdapter

from service.api import wire
from service.api.watching import BoardState

router = APIRouter(tags=["changes"])


@dataclass(kw_only=True)
class Replaced:
    """An action that is other than it was; null where there was or is none."""

    id: int
    before: wire.Object | None
    after: wire.Object | None


@dataclass(kw_only=True)
class Change:
    """Something that happened to a match, in the order of `change`. Members may be added, none is taken away.

    `review` is the id of the review that it is about.
    """

    change: int
    match: str
    kind: str
    at: str
    seq: int
    result: wire.Result
    id: int | None = None
    review: int | None = None
    entry: wire.Object | None = None
    scores_before: list[int] | None = None
    corrects: list[Replaced] = field(default_factory=list)
    explanation: str | None = None
    seen: wire.Object | None = None
    say: str | None = None


@dataclass(kw_only=True)
class MatchSnapshot:
    """A match as it is now. `version` changes when the page's files do."""

    version: str
    change: int
    match: wire.Match


@dataclass(kw_only=True)
class MatchesSnapshot:
    """All matches as they are now."""

    version: str
    change: int
    matches: list[wire.Summary]


@dataclass(kw_only=True)
class Status(wire.LiveState):
    """What a camera or recording is doing for a match right now; not kept, not told again."""

    match: str = ""


@dataclass(kw_only=True)
class BoardStatus(BoardState):
    """How a board is right now, about once a second and when it changes; not kept, not told again."""

    board: str
    match: str | None


@dataclass(kw_only=True)
class Beat:
    """On a WebSocket, after some silence: the line is alive."""


FORMS: dict[str, Any] = {
    "match.snapshot": MatchSnapshot,
    "matches.snapshot": MatchesSnapshot,
    "watch.status": Status,
    "board.status": BoardStatus,
    "match.created": Change,
    "entry.recorded": Change,
    "entry.amended": Change,
    "entry.struck": Change,
    "entry.inserted": Change,
    "review.opened": Change,
    "review.changed": Change,
    "review.decided": Change,
    "beat": Beat,
}


OF_ALL = ("matches.snapshot", "board.status")
"""What is told only to those who follow all matches."""


@dataclass(kw_only=True)
class CloudEvent:
    """The envelope: CloudEvents 1.0. Deliver at least once; `id` with `source` tells a change that came twice."""

    specversion: Literal["1.0"]
    id: str
    source: str
    type: Annotated[str, Field(pattern=r"^tallycam\.[a-z.]+$")]
    time: str
    datacontenttype: Literal["application/json"]
    data: wire.Object
    subject: str | None = None
    sequence: str | None = None


@router.get("/asyncapi.json", response_model=wire.Object, summary="Describe the streams")
def get_asyncapi() -> JSONResponse:
    """Give this document."""
    return JSONResponse(describe())


def describe() -> dict[str, Any]:
    """Give the AsyncAPI document."""
    schemas: dict[str, Any] = {}
    for name, form in {"CloudEvent": CloudEvent, **{form.__name__: form for form in FORMS.values()}}.items():
        schema = TypeAdapter(form).json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[name] = schema
    messages = {kind: _message(kind, form) for kind, form in FORMS.items()}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "tallycam: live changes",
            "version": version("tallycam"),
            "description": (
                "Server-sent events, JSON lines for a reader that accepts application/x-ndjson, "
                "or a text frame each for a WebSocket on the same address."
            ),
            "license": {"name": "AGPL-3.0-or-later"},
        },
        "defaultContentType": "application/cloudevents+json",
        "channels": {
            "match": _channel(
                "/api/v1/matches/{match_id}/changes", [kind for kind in FORMS if kind not in OF_ALL]
            ),
            "all": _channel("/api/v1/changes", [kind for kind in FORMS if kind != "match.snapshot"]),
        },
        "operations": {
            "followMatch": {"action": "send", "channel": {"$ref": "#/channels/match"}},
            "followAll": {"action": "send", "channel": {"$ref": "#/channels/all"}},
        },
        "components": {"messages": messages, "schemas": schemas},
    }


_RESUME = {
    "type": "object",
    "properties": {
        "after": {
            "type": "integer",
            "minimum": 0,
            "description": "The last change you have; you are told what followed.",
        }
    },
}


def _channel(address: str, kinds: list[str]) -> dict[str, Any]:
    channel: dict[str, Any] = {
        "address": address,
        "messages": {kind: {"$ref": f"#/components/messages/{kind}"} for kind in kinds},
        "bindings": {"ws": {"method": "GET", "query": _RESUME}},
    }
    if "{match_id}" in address:
        channel["parameters"] = {"match_id": {"description": "The match's id."}}
    return channel


def _message(kind: str, form: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass, whichever
    data = {"type": {"const": f"tallycam.{kind}"}, "data": {"$ref": f"#/components/schemas/{form.__name__}"}}
    return {
        "name": f"tallycam.{kind}",
        "summary": (form.__doc__ or "").split("\n", 1)[0],
        "payload": {
            "allOf": [{"$ref": "#/components/schemas/CloudEvent"}, {"type": "object", "properties": data}]
        },
    }
