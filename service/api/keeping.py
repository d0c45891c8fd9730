"""Routes of what is kept: recordings with their events and clips, matches for other programs, statistics."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse

from service.api.problems import Problem
from service.api.reviewing import ReviewId
from service.api.routes import EntryId, MatchId, matches_of, problems
from service.api.watching import asked, boards_of
from service.boards.places import masked
from service.exports import as_csv, as_json
from service.media import KINDS
from service.statistics import statistics
from service.store import BoardTables, NoSuchMatch, SightingRow, SightingTable, WatchingRow

router = APIRouter(tags=["recordings"])

RecordingId = Annotated[int, Path(ge=1, le=2**53, description="The recording's id.")]


@dataclass(kw_only=True)
class Recording:
    """What a board saw of a match, from when it began to watch it to when it ended.

    `outcome`: `ended` with its source, `stopped`, or a failure's code; null while it goes on. `live`: of a camera.
    """

    id: int
    board: str
    match: str
    setup_version: int
    source: str
    live: bool
    begun_at: str
    ended_at: str | None
    outcome: str | None
    events: int


@dataclass(kw_only=True)
class RecordingList:
    """All recordings, the newest first."""

    recordings: list[Recording]


@dataclass(kw_only=True)
class SideStatistics:
    """What one side did."""

    name: str
    turns: int
    points: int
    points_per_turn: float
    best_turn: int
    counts: dict[str, int]
    hits: dict[str, int]


@dataclass(kw_only=True)
class Statistics:
    """What a match comes to by side, of all that counts."""

    actions: int
    turns: int
    sides: list[SideStatistics]


_CLIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {} for kind in KINDS.values() if kind.startswith("video/")}}
}


@router.get("/recordings", response_model=RecordingList, responses=problems(422))
def list_recordings(
    request: Request,
    match: Annotated[str | None, Query(pattern="^[0-9a-z]{1,32}$", description="Of one match alone.")] = None,
) -> Response:
    """List what boards saw, the newest first."""
    store = matches_of(request).store
    rows = BoardTables(store).watchings(match_id=match)
    return JSONResponse({"recordings": [_recording(request, row) for row in rows]})


@router.get("/recordings/{recording_id}", response_model=Recording, responses=problems(404, 422))
def get_recording(request: Request, recording_id: RecordingId) -> Response:
    """Tell of one recording."""
    return JSONResponse(_recording(request, _watching(request, recording_id)))


@router.get(
    "/recordings/{recording_id}/events",
    response_class=Response,
    responses={200: {"content": {"application/jsonl": {}}}, **problems(404, 422)},
)
def get_recording_events(request: Request, recording_id: RecordingId) -> Response:
    """Give every event that was seen, a line each, as `tallycam replay` writes `events.jsonl`."""
    row = _watching(request, recording_id)
    seen = SightingTable(matches_of(request).store).of(watching_id=row.id)
    text = "".join(json.dumps(one.event, ensure_ascii=False) + "\n" for one in seen)
    return Response(text, media_type="application/jsonl", headers=_named(f"events-{row.id}.jsonl"))


@router.get(
    "/reviews/{review_id}/clip",
    response_class=FileResponse,
    responses={**_CLIP, **problems(404, 409, 422)},
)
def get_review_clip(request: Request, review_id: ReviewId) -> Response:
    """Give the clip of what is to be looked at: from before it began to after it settled."""
    row = SightingTable(matches_of(request).store).get(review_id)
    if row is None:
        raise Problem(404, "NO_SUCH_REVIEW", f"there is no review {review_id}")
    return _clip(request, row)


@router.get(
    "/matches/{match_id}/entries/{entry_id}/clip",
    response_class=FileResponse,
    responses={**_CLIP, **problems(404, 409, 422)},
)
def get_entry_clip(request: Request, match_id: MatchId, entry_id: EntryId) -> Response:
    """Give the clip of an entry that a board saw."""
    for row in SightingTable(matches_of(request).store).of(match_id=match_id):
        if entry_id in row.entries:
            return _clip(request, row)
    raise Problem(404, "NOT_SEEN", "no board saw that entry")


@router.get(
    "/matches/{match_id}/export",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}, "application/json": {}}}, **problems(404, 422)},
)
def export_match(
    request: Request,
    match_id: MatchId,
    form: Annotated[
        Literal["csv", "json"],
        Query(alias="format", description="A table of what counted, or all that is known of the match."),
    ] = "csv",
) -> Response:
    """Give a match for other programs; its scoresheet is at `/scoresheet`."""
    matches = matches_of(request)
    try:
        with matches.turn():
            sheet, store = matches.sheet(match_id), matches.store
            if form == "csv":
                return Response(as_csv(sheet), media_type="text/csv", headers=_named(f"match-{match_id}.csv"))
            rows = SightingTable(store).of(match_id=match_id)
            whole = as_json(sheet, store.seen(match_id), store.decisions(match_id), rows)
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
    return JSONResponse(whole, headers=_named(f"match-{match_id}.json"))


@router.get("/matches/{match_id}/statistics", response_model=Statistics, responses=problems(404, 422))
def get_statistics(request: Request, match_id: MatchId) -> Response:
    """Tell what a match comes to by side: turns, points, the best turn, what was hit."""
    try:
        return JSONResponse(statistics(matches_of(request).sheet(match_id)))
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error


def _watching(request: Request, number: int) -> WatchingRow:
    row = BoardTables(matches_of(request).store).watching(number)
    if row is None:
        raise Problem(404, "NO_SUCH_RECORDING", f"there is no recording {number}")
    return row


def _recording(request: Request, row: WatchingRow) -> dict[str, Any]:
    boards = boards_of(request)
    return {
        "id": row.id,
        "board": row.board_id,
        "match": row.match_id,
        "setup_version": row.setup_version,
        "source": masked(row.source),
        "live": boards.runtime.is_live(row.source),
        "begun_at": row.begun_at,
        "ended_at": row.ended_at,
        "outcome": row.outcome,
        "events": boards.sightings.table.last_number(row.id),
    }


def _clip(request: Request, row: SightingRow) -> Response:
    boards = boards_of(request)
    path = asked(lambda: boards.clip(row))
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return FileResponse(path, media_type=KINDS[path.suffix], headers=headers)


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
