"""Routes of teaching: which pictures to take of a board's own pins or balls, and what they come to."""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from fastapi import Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from service.api import wire
from service.api.bodies import strict_router
from service.api.problems import Problem
from service.api.routes import problems
from service.api.watching import BoardId, Media, asked, boards_of
from service.teaching import taught
from vision.failure import Failure
from vision.teach.guide import steps

router = strict_router(tags=["boards"])


@dataclass(kw_only=True)
class TeachingStep:
    """A picture to take: what to `do` first; `truth`: what it shows then, null where the person has to say.

    `check`: it is kept for checking, not learnt from.
    """

    do: str
    truth: wire.Object | None
    check: bool


@dataclass(kw_only=True)
class TeachingSteps:
    """The pictures to take, in order."""

    steps: list[TeachingStep]


@dataclass(kw_only=True)
class Lesson:
    """A picture of known truth: `{"pins": {"7": "fallen"}}` or `{"slots": [[null, 0], …]}`.

    `before`: for pins, when all stood; `state`: where they stood, left out for the start layout.
    """

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    image: Media
    truth: wire.Object
    before: Media | None = None
    state: wire.Object | None = None
    check: Annotated[bool, Field(strict=True)] = False


@dataclass(kw_only=True)
class Lessons:
    """Pictures to learn from, and some to check by."""

    __pydantic_config__: ClassVar[ConfigDict] = wire.STRICT
    lessons: Annotated[list[Lesson], Field(min_length=2, max_length=40)] = field(default_factory=list)


@dataclass(kw_only=True)
class LessonScore:
    """How lessons are read: how many, right, asked about, wrong without a question (`silent`)."""

    lessons: int
    right: int
    asked: int
    silent: int


@dataclass(kw_only=True)
class LessonScores:
    """Before teaching and after."""

    before: LessonScore
    after: LessonScore


@dataclass(kw_only=True)
class Teaching:
    """What teaching comes to: post `setup` to the setups to keep it; null: it does not help, the setup stays.

    `check`: the lessons that were only checked by; `lessons`: those that were learnt from.
    """

    helped: bool
    changed: list[str]
    check: LessonScores
    lessons: LessonScores
    setup: wire.Object | None


@router.get("/teaching/{game}", response_model=TeachingSteps, responses=problems(404, 422))
def list_teaching_steps(game: Annotated[str, Path(pattern="^[a-z]{1,20}$")]) -> Response:
    """Say which pictures to take to teach a board of a game."""
    found = steps(game)
    if isinstance(found, Failure):
        raise Problem(404, found.code, found.message)
    return JSONResponse({"steps": [one.to_json() for one in found]})


@router.post("/boards/{board_id}/teaching", response_model=Teaching, responses=problems(404, 409, 415, 422))
def teach_board(request: Request, board_id: BoardId, body: Lessons) -> Response:
    """Choose what of the board's setup reads its own lessons better; takes up to some minutes, keeps nothing."""
    lessons: list[dict[str, Any]] = [
        {name: value for name, value in vars(one).items() if value is not None} for one in body.lessons
    ]
    return JSONResponse(asked(lambda: taught(boards_of(request), board_id, lessons)))
