"""Routes of reviews: what a person should look at, deciding, and what a match wants done about doubts."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, Literal, TypeVar

from fastapi import Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from service.api import wire
from service.api.bodies import strict_router
from service.api.problems import Problem
from service.api.routes import Key, MatchId, matches_of, once_of, problems
from service.api.watching import Media, boards_of
from service.matches import AgainstRules, Malformed, Refused
from service.reviews import Decided, NoSuchReview, NotPossible, Reviews
from service.sightings import OPEN
from service.store import KeyUsed, NoSuchMatch, SightingTable

router = strict_router(tags=["reviews"])

T = TypeVar("T")

_LOCK: Final = threading.Lock()

ReviewId = Annotated[int, Path(ge=1, le=2**53, description="The review's id.")]


@dataclass(kw_only=True)
class Review:
    """Something seen that a person should look at.

    `state`: `waiting` (the match waits for the decision), `held` (behind one that waits), `written` (it counts as
    `entries`, marked), `dropped`. `open`: nobody has decided, here or by correcting the entries. `pictures`: names
    of `before` and `after` (close up) and `before_whole` and `after_whole`. `clip`: where its clip is, or null.
    """

    id: int
    match: str
    watching: int | None
    state: Literal["waiting", "held", "written", "dropped"]
    open: bool
    event_kind: str
    t_ms: int
    at: str
    codes: list[wire.Object]
    confidence: float | None
    pictures: dict[str, str]
    clip: str | None
    entries: list[int]
    decision: Literal["accept", "correct", "strike"] | None
    by: str | None
    decided_at: str | None


@dataclass(kw_only=True)
class ReviewList:
    """What is to be looked at: what a match waits for first, then by age."""

    reviews: list[Review]


@dataclass(kw_only=True)
class WholeReview(Review):
    """With the event as it was seen, the actions that stand or would be written, what else it may have been.

    `strike`: what striking it comes to, null where nothing of it counts or it is decided; where the match would
    stop at it, `instead` says what may be meant.
    """

    event: wire.Object
    actions: list[wire.Object]
    alternatives: list[wire.Alternative]
    strike: wire.Ahead | None


@dataclass(kw_only=True)
class ReviewDecision:
    """`accept`: it was seen right. `correct`: it was `actions` instead. `strike`: it was nothing.

    Of a correction `t_ms` and `side` may be left out where one action stands in the place of one.
    """

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    decision: Literal["accept", "correct", "strike"]
    by: wire.Person
    actions: Annotated[list[wire.Object], Field(max_length=8)] = field(default_factory=list)
    reason: wire.Reason | None = None


@dataclass(kw_only=True)
class MatchSettings:
    """What is done about doubts: `mark` them and go on, or `wait` for a person before anything counts."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    on_doubt: Literal["mark", "wait"]


@dataclass(kw_only=True)
class Doubt:
    """Why a person should look, a word in capitals."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    code: Annotated[str, Field(strict=True, pattern="^[A-Z][A-Z0-9_]{0,39}$")]


@dataclass(kw_only=True)
class Proposal:
    """What another program saw: a throw, the end of a turn, a shot. `side` may be left out: whose turn it is.

    `review`: why a person should look, empty where there is no doubt. `pictures`: names of what shows it, as
    `POST /pictures` gives them, by `before`, `after`, `before_whole`, `after_whole`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    action: wire.Object
    review: Annotated[list[Doubt], Field(max_length=8)] = field(default_factory=list)
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    pictures: dict[Annotated[str, Field(pattern="^(before|after)(_whole)?$")], Media] = field(default_factory=dict)
    model: Annotated[str, Field(strict=True, max_length=80)] = ""


@dataclass(kw_only=True)
class Proposed:
    """What became of it: `written` (it counts), `waiting` for a person, `held` behind what waits; its review."""

    state: Literal["waiting", "held", "written", "dropped"]
    review: int | None
    match: wire.Match


def reviews_of(request: Request) -> Reviews:
    """Give the reviews of what the application serves."""
    state = request.app.state
    boards = boards_of(request)
    with _LOCK:
        if state.reviews is None:
            state.reviews = Reviews(matches_of(request), boards.sightings)
        found: Reviews = state.reviews
        return found


def _asked(work: Callable[[], T]) -> T:
    try:
        return work()
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
    except NoSuchReview as error:
        raise Problem(404, "NO_SUCH_REVIEW", str(error)) from error
    except KeyUsed as error:
        raise Problem(422, "KEY_USED", str(error)) from error
    except Decided as error:
        raise Problem(409, "DECIDED", str(error)) from error
    except AgainstRules as error:
        raise Problem(409, error.reason, str(error)) from error
    except Refused as error:
        raise Problem(409, "REFUSED", str(error)) from error
    except NotPossible as error:
        raise Problem(409, "NOT_POSSIBLE", str(error)) from error
    except Malformed as error:
        raise Problem(422, "MALFORMED", str(error)) from error


@router.get("/reviews", response_model=ReviewList, responses=problems(404, 422))
def list_reviews(
    request: Request,
    match: Annotated[str | None, Query(pattern="^[0-9a-z]{1,32}$", description="Of one match alone.")] = None,
    state: Annotated[Literal["open", "decided"], Query(description="To be decided, or decided.")] = "open",
) -> Response:
    """List what a person should look at, of all matches or of one."""
    reviews = reviews_of(request)

    def found() -> list[dict[str, object]]:
        if match is not None:
            matches_of(request).sheet(match)
        return reviews.queue(match, decided=state == "decided")

    return JSONResponse({"reviews": _asked(found)})


@router.get("/reviews/{review_id}", response_model=WholeReview, responses=problems(404, 422))
def get_review(request: Request, review_id: ReviewId) -> Response:
    """Give all there is to one: the event, pictures, what counts or would, what it may have been instead."""
    reviews = reviews_of(request)
    return JSONResponse(_asked(lambda: reviews.view(review_id)))


@router.post(
    "/reviews/{review_id}/decision",
    status_code=201,
    response_model=WholeReview,
    responses=problems(404, 409, 415, 422),
)
def decide_review(request: Request, review_id: ReviewId, body: ReviewDecision, key: Key = None) -> Response:
    """Decide; what waited behind it goes on by itself."""
    reviews, once = reviews_of(request), once_of(request, key, body)
    _asked(lambda: reviews.decide(review_id, body.decision, body.by, body.actions, body.reason, once=once))
    return JSONResponse(_asked(lambda: reviews.view(review_id)), status_code=201)


@router.post(
    "/matches/{match_id}/proposals",
    status_code=201,
    response_model=Proposed,
    responses=problems(404, 409, 415, 422),
)
def propose(request: Request, match_id: MatchId, body: Proposal, key: Key = None) -> Response:
    """Propose what was seen: it counts, or waits for a person, as what a board sees does."""
    reviews, once = reviews_of(request), once_of(request, key, body)
    media = boards_of(request).media
    for name in body.pictures.values():
        if media.find(name) is None:
            raise Problem(422, "NO_SUCH_PICTURE", f"there is no picture {name!r}")
    seen = {} if body.confidence is None else {"confidence": body.confidence}
    codes = [{"code": doubt.code} for doubt in body.review]

    def proposed() -> Response:
        row = reviews.sightings.propose(
            match_id, body.action, codes, pictures=body.pictures, model=body.model, once=once, **seen
        )
        told = {"state": row.state, "review": row.id if row.codes or row.state in OPEN else None}
        return JSONResponse({**told, "match": reviews.matches.view(match_id)}, status_code=201)

    return _asked(proposed)


@router.get("/matches/{match_id}/settings", response_model=MatchSettings, responses=problems(404, 422))
def get_match_settings(request: Request, match_id: MatchId) -> Response:
    """Tell what a match wants done about doubts."""
    matches = matches_of(request)
    _asked(lambda: matches.sheet(match_id))
    return JSONResponse({"on_doubt": SightingTable(matches.store).way(match_id)})


@router.put("/matches/{match_id}/settings", response_model=MatchSettings, responses=problems(404, 415, 422))
def set_match_settings(request: Request, match_id: MatchId, body: MatchSettings) -> Response:
    """Say what is done about doubts from now on; with `mark` what waits only for a person's word goes on."""
    reviews = reviews_of(request)
    _asked(lambda: SightingTable(reviews.matches.store).set_way(match_id, body.on_doubt))
    _asked(lambda: reviews.sightings.flush(match_id))
    return JSONResponse({"on_doubt": body.on_doubt})
