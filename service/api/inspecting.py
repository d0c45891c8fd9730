"""Routes of looking closer: a clip picture by picture, a picture's health, a match kept as a regression test."""

import threading
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from fastapi import Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict

from service.api import wire
from service.api.bodies import strict_router
from service.api.keeping import RecordingId
from service.api.problems import Problem
from service.api.reviewing import ReviewId, reviews_of
from service.api.routes import matches_of, problems
from service.api.watching import BoardId, Media, asked, boards_of
from service.inspection import Clip, Inspection
from service.store import BoardTables, SightingTable

router = strict_router(tags=["recordings"])

_LOCK: Final = threading.Lock()

FrameNumber = Annotated[int, Path(ge=0, le=2**31, description="Of the picture, from 0.")]


@dataclass(kw_only=True)
class Frames:
    """The pictures of a clip: `times` in ms of the clip, when the event `begins` and has settled (`ends`)."""

    times: list[int]
    begins_ms: int
    ends_ms: int


@dataclass(kw_only=True)
class Regression:
    """A folder for `tallycam check`, on the machine that serves; `actions`: how many it holds the camera to."""

    folder: str
    actions: int


@dataclass(kw_only=True)
class ChecksRequest:
    """A picture to check, as a calibration names it; `setup`: where the board lies in it, null if unknown."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    picture: Media
    setup: wire.Object | None = None


@dataclass(kw_only=True)
class Check:
    """One thing that was measured: `said` in words, and what to `do` about it, empty where it is good."""

    name: Literal["light", "glare", "focus", "size", "view", "fit", "frame_rate"]
    level: Literal["good", "fair", "bad"]
    value: float
    unit: str
    said: str
    do: str


@dataclass(kw_only=True)
class Checks:
    """All that was measured."""

    checks: list[Check]


def inspection_of(request: Request) -> Inspection:
    """Give what looks into what the application's boards saw."""
    state = request.app.state
    boards, reviews = boards_of(request), reviews_of(request)
    with _LOCK:
        if state.inspection is None:
            state.inspection = Inspection(boards, reviews)
        found: Inspection = state.inspection
        return found


def _clip(request: Request, review_id: int) -> Clip:
    row = SightingTable(matches_of(request).store).get(review_id)
    if row is None:
        raise Problem(404, "NO_SUCH_REVIEW", f"there is no review {review_id}")
    inspection = inspection_of(request)
    return asked(lambda: inspection.clip(row))


@router.get("/reviews/{review_id}/frames", response_model=Frames, responses=problems(404, 409, 422))
def list_review_frames(request: Request, review_id: ReviewId) -> Response:
    """List the pictures of a clip, for stepping through it, whatever its format is."""
    clip = _clip(request, review_id)
    begins_ms, ends_ms = clip.event_ms
    return JSONResponse({"times": list(clip.times), "begins_ms": begins_ms, "ends_ms": ends_ms})


@router.get(
    "/reviews/{review_id}/frames/{number}",
    response_class=Response,
    responses={200: {"content": {"image/jpeg": {}}}, **problems(404, 409, 422)},
)
def get_review_frame(request: Request, review_id: ReviewId, number: FrameNumber) -> Response:
    """Give one picture of a clip as JPEG."""
    clip = _clip(request, review_id)
    if number >= len(clip.pictures):
        raise Problem(404, "NO_SUCH_FRAME", f"the clip has {len(clip.pictures)} pictures, from 0")
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(clip.pictures[number], media_type="image/jpeg", headers=headers)


@router.post(
    "/boards/{board_id}/checks",
    tags=["boards"],
    response_model=Checks,
    responses=problems(404, 409, 415, 422),
)
def check_picture(request: Request, board_id: BoardId, body: ChecksRequest) -> Response:
    """Say whether a picture of a board is good enough to play by, and what to do where it is not."""
    inspection = inspection_of(request)
    return JSONResponse({"checks": list(asked(lambda: inspection.checks(board_id, body.picture, body.setup)))})


@router.post(
    "/recordings/{recording_id}/regression",
    status_code=201,
    response_model=Regression,
    responses=problems(404, 409, 422),
)
def keep_regression(request: Request, recording_id: RecordingId) -> Response:
    """Keep a recording with its corrected scoresheet, as a folder that `tallycam check` replays and compares."""
    row = BoardTables(matches_of(request).store).watching(recording_id)
    if row is None:
        raise Problem(404, "NO_SUCH_RECORDING", f"there is no recording {recording_id}")
    inspection = inspection_of(request)
    kept = asked(lambda: inspection.keep(row))
    return JSONResponse({"folder": str(kept.folder), "actions": kept.actions}, status_code=201)
