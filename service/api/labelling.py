"""Routes of labelled examples: what people said of what was seen, as far as the settings let it teach."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from service.api import wire
from service.api.problems import Problem
from service.api.routes import matches_of, problems
from service.config import LabelsConfig
from service.labels.labels import Wanted, counts, labels_of
from service.shadow.shown import differences
from service.store import NoSuchMatch
from vision.models import ModelRefused, in_shadow, in_use, names

router = APIRouter(tags=["labels"])


@dataclass(kw_only=True)
class Label:
    """A labelled example: a shot, what the model said of it, and what a person made of it.

    It is read off the match, so a wrong one is put right by correcting its `entries`. `truth`: null where the
    person said it was nothing. `model`: hash of the networks that read it. `split`: the same for all of a match.
    """

    id: int
    match: str
    game: Literal["cricket", "finn", "astrolabe"]
    board: str | None
    setup_version: int | None
    kind: Literal["throw", "shot"]
    t_ms: int
    at: str
    entries: list[int]
    pictures: dict[str, str]
    said: wire.Object
    truth: wire.Object | None
    labels: list[str]
    error: bool
    confidence: float | None
    codes: list[str]
    decision: Literal["accept", "correct", "strike"]
    by: str
    model: str | None
    split: Literal["train", "val"]


@dataclass(kw_only=True)
class LabelCounts:
    """What all that were asked for come to; `matches`: how many of each split."""

    examples: int
    errors: int
    by_label: dict[str, int]
    matches: dict[str, int]


@dataclass(kw_only=True)
class LabelList:
    """Labels in the order in which they were seen; `more`: whether others follow the last.

    `keep`: what the settings let teach; with `nothing` there are none. `days`: so long each is an example.
    `counts` are of all, not of this part.
    """

    keep: Literal["nothing", "corrected", "reviewed"]
    days: float
    labels: list[Label]
    more: bool
    counts: LabelCounts


@dataclass(kw_only=True)
class ShadowRead:
    """What one reader said: `read` what would count, null for a refusal; `review` why a person would be asked."""

    read: wire.Object | list[Any] | None
    confidence: float | None
    review: list[str]


@dataclass(kw_only=True)
class ShadowDifference:
    """Pictures that the networks in use (`now`) and those in shadow (`candidate`) read otherwise.

    `right`: which of them was, once a person has said what is true; null before. `networks`: name to hash.
    """

    sighting: int
    match: str
    game: Literal["cricket", "finn", "astrolabe"]
    at: str
    now: ShadowRead
    candidate: ShadowRead
    networks: dict[str, str]
    right: Literal["now", "candidate", "both", "neither"] | None


@dataclass(kw_only=True)
class ShadowComparison:
    """Networks that run beside those in use, and where they differ, the newest first; they never score.

    `candidates`: name to hash. `since`: when the comparison began, null where none ever did. `right` counts the
    differences of this comparison; others are of candidates from before, as their `networks` say.
    """

    candidates: dict[str, str]
    since: str | None
    compared: int
    differed: int
    right: dict[str, int]
    differences: list[ShadowDifference]


@dataclass(kw_only=True)
class Network:
    """A network that reads pictures: `sha256` of its weights; `shipped`: it came with the program.

    `candidate`: hash of the one that runs beside it in shadow, null where none does.
    """

    name: str
    sha256: str
    shipped: bool
    candidate: str | None


@dataclass(kw_only=True)
class NetworkList:
    """The networks in use, by name."""

    models: list[Network]


@router.get("/models", response_model=NetworkList, responses=problems(409))
def list_models() -> Response:
    """List the networks in use (`tallycam models`), with those that run beside them."""
    try:
        beside = {one.name: one.sha256 for one in in_shadow()}
        used = [in_use(name) for name in names()]
    except ModelRefused as error:
        raise Problem(409, "MODEL_REFUSED", str(error)) from error
    told = [
        {"name": one.name, "sha256": one.sha256, "shipped": one.shipped, "candidate": beside.get(one.name)}
        for one in used
    ]
    return JSONResponse({"models": told})


@router.get("/shadow", response_model=ShadowComparison, responses=problems(422))
def get_shadow(
    request: Request, limit: Annotated[int, Query(ge=1, le=5000, description="Of the differences.")] = 100
) -> Response:
    """Tell where networks in shadow (`tallycam models shadow`) read otherwise than those in use."""
    matches = matches_of(request)
    told = differences(matches, matches.store.folder)
    return JSONResponse({**told, "differences": told["differences"][:limit]})


@router.get("/labels", response_model=LabelList, responses=problems(404, 422))
def list_labels(  # noqa: PLR0917 - filters
    request: Request,
    match: Annotated[str | None, Query(pattern="^[0-9a-z]{1,32}$", description="Of one match alone.")] = None,
    game: Annotated[
        Literal["cricket", "finn", "astrolabe"] | None, Query(description="Of one game alone.")
    ] = None,
    label: Annotated[
        str | None, Query(max_length=20, description="As `T20`, `leaning`, `gutter`; `none`: it was nothing.")
    ] = None,
    error: Annotated[bool | None, Query(description="Whether the model had it wrong.")] = None,
    above: Annotated[float | None, Query(ge=0, le=1, description="Confidence of at least so much.")] = None,
    below: Annotated[float | None, Query(ge=0, le=1, description="Confidence of less than this.")] = None,
    after: Annotated[int, Query(ge=0, le=2**53, description="The id of the last one of the part before.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """List labelled examples; `labels.keep` of the settings says whether there are any."""
    keep: LabelsConfig = request.app.state.settings.now.config.labels
    wanted = Wanted(match=match, game=game, label=label, error=error, above=above, below=below)
    try:
        found = labels_of(matches_of(request), keep, wanted)
    except NoSuchMatch as problem:
        raise Problem(404, "NO_SUCH_MATCH", str(problem)) from problem
    left = [one for one in found if one.id > after]
    return JSONResponse(
        {
            "keep": keep.keep,
            "days": keep.days,
            "labels": [one.to_json() for one in left[:limit]],
            "more": len(left) > limit,
            "counts": counts(found),
        }
    )
