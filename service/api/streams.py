"""Live changes as server-sent events, JSON lines or WebSocket frames: a snapshot first, then each by its number.

A reader that names the last change it has (`Last-Event-ID`, on a WebSocket `?after=N`) is told what it missed, as
it was told then, in place of the snapshot. Each event is a CloudEvent 1.0, described in `service.api.asyncapi`.
Corrections are changes of their own and say what they replace. `status` (what the camera sees now) and `beat` have
no number and are not told again.
"""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, TypeAlias

from anyio import create_task_group
from anyio.abc import TaskGroup
from anyio.to_thread import run_sync
from fastapi import APIRouter, Header, Request, WebSocket
from fastapi.responses import StreamingResponse
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocketDisconnect

from service.api.guard import refuse_upgrade
from service.api.problems import Problem
from service.api.routes import MatchId, matches_of, problems
from service.changes import Listener, Message
from service.config import Settings
from service.envelope import cloud_event
from service.matches import Matches, now
from service.store import NoSuchMatch

AGAIN = 64
"""Missed changes told one by one: some visits. A reader that missed more gets a snapshot, which is less to send
and to work out, for each change is told with the score as it was then."""

AWAY = (1012, "the service ends")
LAGGED = (1013, "you do not keep up; come back with the number of the last change that you have")
"""How a WebSocket is closed: code and reason."""

BEAT = Message(event="beat", match_id="", number=None, kind="beat", at="", data="{}")

Form: TypeAlias = Callable[[Message], str]

router = APIRouter(tags=["changes"])

_EVENT = {
    "type": "object",
    "description": "An event of the stream.",
    "properties": {
        "event": {"enum": ["snapshot", "change", "status", "beat"]},
        "id": {"type": "string", "pattern": "^[0-9]+$", "description": "The change's number."},
        "data": {"type": "string", "description": "A CloudEvent 1.0 as JSON, see asyncapi.json; of a beat `{}`."},
    },
}
_DOC: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/event-stream": {"schema": _EVENT},
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
        "description": "Events, without end; JSON lines for a reader that accepts those",
    }
}
LastEvent = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID", description="The last change you have; what is no number of one is passed over."
    ),
]


class NdjsonStream(StreamingResponse):
    """The same, a JSON object a line, for `curl -N … | jq`; an empty line is a beat."""

    media_type = "application/x-ndjson"


class EventStream(StreamingResponse):
    """An answer that goes on until the reader leaves or the service ends."""

    media_type = "text/event-stream"


@router.get("/changes", response_class=EventStream, responses={**_DOC, **problems(422)})
async def all_changes(request: Request, last_event_id: LastEvent = None) -> StreamingResponse:
    """Tell the changes of all matches; the snapshot is the list of matches."""
    return await _stream(request, None, last_event_id)


@router.get("/matches/{match_id}/changes", response_class=EventStream, responses={**_DOC, **problems(404, 422)})
async def match_changes(request: Request, match_id: MatchId, last_event_id: LastEvent = None) -> StreamingResponse:
    """Tell the changes of one match; the snapshot is the match as `GET` gives it."""
    try:
        await run_sync(matches_of(request).sheet, match_id)
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
    return await _stream(request, match_id, last_event_id)


async def _stream(request: Request, match_id: str | None, last: str | None) -> StreamingResponse:
    matches = matches_of(request)
    listener = matches.hub.join(match_id)
    build: str = request.app.state.build
    lines = "application/x-ndjson" in request.headers.get("accept", "")
    known = _number(last or "")
    events = _events(matches, listener, build, known, _line if lines else _event, beat_s=_beat_s(request))
    return (NdjsonStream if lines else EventStream)(events, headers={"x-accel-buffering": "no"})


def _number(text: str) -> int | None:
    """Give the number of a change that a reader names, or None: it then begins with a snapshot."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None


def _beat_s(connection: HTTPConnection) -> float:
    """Give the silence after which a beat is sent, so that both ends notice a dead line."""
    settings: Settings = connection.app.state.settings
    return settings.now.config.streams.beat_s


@router.websocket("/changes")
async def all_frames(websocket: WebSocket) -> None:
    """Tell the changes of all matches as WebSocket frames."""
    await _talk(websocket, None)


@router.websocket("/matches/{match_id}/changes")
async def match_frames(websocket: WebSocket, match_id: str) -> None:
    """Tell the changes of one match as WebSocket frames."""
    try:
        await run_sync(websocket.app.state.matches.sheet, match_id)
    except NoSuchMatch as error:
        asgi = websocket.scope, websocket.receive, websocket.send
        await refuse_upgrade(*asgi, 404, "NO_SUCH_MATCH", str(error))
        return
    await _talk(websocket, match_id)


async def _talk(websocket: WebSocket, match_id: str | None) -> None:
    """Send frames until the reader leaves, lags too far behind or the service ends; what it sends is not read."""
    matches: Matches = websocket.app.state.matches
    after = websocket.query_params.get("after", "")
    await websocket.accept()
    listener = matches.hub.join(match_id)
    known = _number(after)
    frames = _events(matches, listener, websocket.app.state.build, known, _frame, beat_s=_beat_s(websocket))
    try:
        async with create_task_group() as group:
            group.start_soon(_until_it_leaves, websocket, group)
            async for frame in frames:
                await websocket.send_text(frame)
            await websocket.close(*(AWAY if matches.hub.closed else LAGGED))
            group.cancel_scope.cancel()
    except* (WebSocketDisconnect, OSError):
        pass
    finally:
        matches.hub.leave(listener)


async def _until_it_leaves(websocket: WebSocket, group: TaskGroup) -> None:
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
    group.cancel_scope.cancel()


async def _events(
    matches: Matches, listener: Listener, build: str, last: int | None, form: Form, *, beat_s: float
) -> AsyncIterator[str]:
    try:
        told, first = await run_sync(_begin, matches, listener.match_id, build, last)
        for one in first:
            yield form(one)
        async for message in listener.messages(beat_s):
            if message is None:
                yield form(BEAT)
            elif message.number is None or message.number > told:
                yield form(message)
    finally:
        matches.hub.leave(listener)


def _begin(matches: Matches, match_id: str | None, build: str, last: int | None) -> tuple[int, list[Message]]:
    """Give the number up to which the reader is told by these first events, and the events."""
    newest = matches.last_change(match_id)
    if last is not None and last <= newest:
        missed = matches.changes(last, match_id, AGAIN + 1)
        if len(missed) <= AGAIN:
            return max([last, *(message.number or 0 for message in missed)]), missed
    if match_id is None:
        shown: dict[str, Any] = {"change": newest, "matches": matches.summaries()}
    else:
        view = matches.view(match_id)
        newest = view["change"]
        shown = {"change": newest, "match": view}
    data = json.dumps({"version": build, **shown}, ensure_ascii=False)
    kind = "matches.snapshot" if match_id is None else "match.snapshot"
    told = Message(event="snapshot", match_id=match_id or "", number=newest, kind=kind, at=now(), data=data)
    return newest, [told]


@lru_cache(maxsize=16)
def _told_as_frame(message: Message) -> str:
    return cloud_event(message)


def _frame(message: Message) -> str:
    return cloud_event(replace(BEAT, at=now())) if message is BEAT else _told_as_frame(message)


@lru_cache(maxsize=16)
def _line(message: Message) -> str:
    return "\n" if message is BEAT else f"{cloud_event(message)}\n"


@lru_cache(maxsize=16)
def _event(message: Message) -> str:
    if message is BEAT:
        return "event: beat\ndata: {}\n\n"
    number = "" if message.number is None else f"id: {message.number}\n"
    return f"{number}event: {message.event}\ndata: {cloud_event(message)}\n\n"
