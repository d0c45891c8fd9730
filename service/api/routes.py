"""Routes of matches. They take and give JSON and leave everything else to `service.matches`."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Header, Path, Request, Response
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse

from service.access import Role
from service.api import wire
from service.api.bodies import strict_router
from service.api.gate import require
from service.api.problems import REFERENCE, Problem
from service.matches import AgainstRules, Malformed, Matches, Refused
from service.media import KINDS, Media
from service.store import BoardTables, KeyUsed, NoSuchBoard, NoSuchMatch, Once, SightingTable, Stale
from service.tables import decided, differing

MatchId = Annotated[str, Path(pattern="^[0-9a-z]{1,32}$", description="The match's id.")]
EntryId = Annotated[int, Path(ge=1, le=2**31, description="The id of a record or insert.")]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare the problems that a route may answer with."""
    content = {"application/problem+json": {"schema": REFERENCE}}
    texts = {
        401: "No key, or one that does not open",
        403: "From a page of another origin, or more than the key's role may",
        404: "No such thing",
        408: "The body did not come in time",
        409: "The match has moved on, or it cannot be done now",
        413: "Too large",
        415: "A body of another type than the one that is taken",
        421: "A name that is not this service's",
        422: "Not of the form",
        429: "Too many wrong keys or codes",
        503: "The keys cannot be read",
    }
    every = {401, 403, 408, 413, 421, 429, 503}
    return {status: {"description": texts[status], "content": content} for status in {*statuses, *every}}


router = strict_router(tags=["matches"])

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=128,
        description="The same request under the same key is done once, however often it is sent.",
    ),
]


def once_of(request: Request, key: str | None, body: object) -> Once | None:
    """Give the key with a fingerprint of what is asked for under it."""
    if key is None:
        return None
    asked = json.dumps([request.method, request.url.path, asdict(body)], sort_keys=True)  # type: ignore[call-overload]
    return Once(key=key, fingerprint=hashlib.sha256(asked.encode()).hexdigest())


def matches_of(request: Request) -> Matches:
    """Give the matches that the application serves."""
    found: Matches = request.app.state.matches
    return found


@router.get("/matches", response_model=wire.Summaries, responses=problems())
def list_matches(request: Request) -> Response:
    """List all matches, the newest first."""
    return JSONResponse({"matches": matches_of(request).summaries()})


@router.post("/matches", status_code=201, response_model=wire.Match, responses=problems(404, 415, 422))
def create_match(request: Request, body: wire.NewMatch, key: Key = None) -> Response:
    """Begin a match; side 0 starts."""
    matches = matches_of(request)
    try:
        once = once_of(request, key, body)
        match_id = matches.create(body.game, body.sides, _config(matches, body), once, on_doubt=body.on_doubt)
    except NoSuchBoard as error:
        raise Problem(404, "NO_SUCH_BOARD", str(error)) from error
    except KeyUsed as error:
        raise Problem(422, "KEY_USED", str(error)) from error
    except Malformed as fault:
        raise Problem(422, "MALFORMED", str(fault)) from fault
    return JSONResponse(
        matches.view(match_id), status_code=201, headers={"Location": f"/api/v1/matches/{match_id}"}
    )


def _config(matches: Matches, body: wire.NewMatch) -> Mapping[str, Any]:
    """Give the settings of a new match, with what its board decides. Raises `NoSuchBoard`, `Malformed`."""
    if body.board is None:
        return body.config
    tables = BoardTables(matches.store)
    board, setup = tables.get(body.board), tables.setup(body.board)
    if board.game != body.game:
        raise Malformed(f"this is a board of {board.game}, the match is of {body.game}")
    there = None if setup is None else setup.setup
    config = {**decided(body.game, there), **body.config}
    if (differs := differing(body.game, config, there)) is not None:
        raise Malformed(differs)
    return config


@router.get("/matches/{match_id}", response_model=wire.Match, responses=problems(404, 422))
def get_match(request: Request, match_id: MatchId) -> Response:
    """Tell how a match stands: result, entries, what counted and why, corrections."""
    return _told(matches_of(request), match_id)


@router.get(
    "/matches/{match_id}/scoresheet",
    response_class=PlainTextResponse,
    responses={200: {"content": {"application/jsonl": {}}}, **problems(404, 422)},
)
def get_scoresheet(request: Request, match_id: MatchId) -> Response:
    """Give the match as the file that `tallycam score` reads."""
    try:
        text = matches_of(request).text(match_id)
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
    name = {"Content-Disposition": f'attachment; filename="match-{match_id}.jsonl"'}
    return Response(text, media_type="application/jsonl", headers=name)


@router.post(
    "/matches/{match_id}/entries",
    status_code=201,
    response_model=wire.Match,
    responses=problems(404, 409, 415, 422),
)
def append_entry(request: Request, match_id: MatchId, body: wire.NewEntry, key: Key = None) -> Response:
    """Write an entry: a record, or an umpire's amend, strike or insert; gives the match as it then stands."""
    matches = matches_of(request)
    if not isinstance(body.entry, wire.Record):
        require(request, Role.UMPIRE)
    with _Refusals(matches, match_id):
        matches.append(match_id, body.expected_seq, [(_plain(body.entry), None)], once_of(request, key, body))
        go_on(request, match_id)
        return _told(matches, match_id, status=201)


@router.post("/matches/{match_id}/preview", response_model=wire.Answer, responses=problems(404, 409, 415, 422))
def preview_entries(request: Request, match_id: MatchId, body: wire.Question) -> Response:
    """Look ahead at entries, each by itself or together: the result and the first conflict. Nothing is written."""
    matches = matches_of(request)
    with _Refusals(matches, match_id):
        previews = matches.preview(match_id, [_plain(entry) for entry in body.entries], together=body.together)
        return JSONResponse({"seq": len(matches.sheet(match_id).entries), "previews": previews})


@router.get(
    "/matches/{match_id}/entries/{entry_id}/alternatives",
    response_model=wire.Alternatives,
    responses=problems(404, 409, 422),
)
def get_alternatives(request: Request, match_id: MatchId, entry_id: EntryId) -> Response:
    """Offer what an entry may have been instead, likeliest first, each with the result that amending it gives."""
    matches = matches_of(request)
    with _Refusals(matches, match_id):
        return JSONResponse({"alternatives": matches.alternatives(match_id, entry_id)})


@router.post(
    "/matches/{match_id}/undo", status_code=201, response_model=wire.Match, responses=problems(404, 409, 415, 422)
)
def undo(request: Request, match_id: MatchId, body: wire.UndoRequest, key: Key = None) -> Response:
    """Take back a correction or the newest dart of the running turn; both stay in the log."""
    matches = matches_of(request)
    if body.by != "player":
        require(request, Role.UMPIRE)
    with _Refusals(matches, match_id):
        matches.undo(match_id, body.expected_seq, body.by, body.target, once=once_of(request, key, body))
        go_on(request, match_id)
        return _told(matches, match_id, status=201)


@router.post(
    "/matches/{match_id}/reviews",
    status_code=201,
    response_model=wire.Match,
    responses=problems(404, 409, 415, 422),
)
def decide(request: Request, match_id: MatchId, body: wire.Decision, key: Key = None) -> Response:
    """Say that a doubtful entry was read right."""
    matches = matches_of(request)
    with _Refusals(matches, match_id):
        matches.decide(match_id, body.entry, body.decision, body.by, once=once_of(request, key, body))
        return _told(matches, match_id, status=201)


@router.get(
    "/media/{name}",
    tags=["media"],
    response_class=FileResponse,
    responses={200: {"content": {kind: {} for kind in KINDS.values()}}, **problems(404, 422)},
)
def get_media(
    request: Request, name: Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="As entries name it.")]
) -> Response:
    """Give a picture or clip by its name, as entries and reviews have it."""
    found = Media(matches_of(request).store.media).find(name)
    if found is None:
        raise Problem(404, "NO_SUCH_PICTURE", "there is no picture of that name")
    return FileResponse(
        found, media_type=KINDS[found.suffix], headers={"Cache-Control": "private, max-age=31536000, immutable"}
    )


def go_on(request: Request, match_id: str) -> None:
    """Write what was seen and waited only for the match to be put right."""
    matches = matches_of(request)
    if SightingTable(matches.store).of(match_id=match_id, states=("waiting", "held"), limit=1):
        from service.sightings import Sightings  # noqa: PLC0415 - nothing of it is needed before a board watches

        Sightings(matches).flush(match_id)


class _Refusals:
    """Turns what a match refuses into problems; a stale writer is given the current state."""

    def __init__(self, matches: Matches, match_id: str) -> None:
        self.matches, self.match_id = matches, match_id

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        match error:
            case NoSuchMatch():
                raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
            case Stale():
                now = {"seq": error.seq, "match": self.matches.view(self.match_id)}
                raise Problem(409, "STALE", str(error), now) from error
            case KeyUsed():
                raise Problem(422, "KEY_USED", str(error)) from error
            case AgainstRules():
                raise Problem(409, error.reason, str(error)) from error
            case Refused():
                raise Problem(409, "REFUSED", str(error)) from error
            case Malformed():
                raise Problem(422, "MALFORMED", str(error)) from error


def _told(matches: Matches, match_id: str, status: int = 200) -> Response:
    with _Refusals(matches, match_id):
        view = matches.view(match_id)
        return Response(json.dumps(view, ensure_ascii=False), status, media_type="application/json")


def _plain(entry: object) -> Mapping[str, Any]:
    return {key: value for key, value in asdict(entry).items() if value is not None}  # type: ignore[call-overload]
