"""A match step by step: how it stood after each action that counted."""

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from service.api import wire
from service.api.problems import Problem
from service.api.routes import MatchId, matches_of, problems
from service.store import NoSuchMatch

router = APIRouter(tags=["matches"])


@dataclass(kw_only=True)
class Step:
    """The result right after the action of entry `id`."""

    id: int
    result: wire.Object


@dataclass(kw_only=True)
class Steps:
    """The results after each action, in order; `seq` is how many entries the match had."""

    seq: int
    steps: list[Step]


@router.get("/matches/{match_id}/steps", response_model=Steps, responses=problems(404, 422))
def get_steps(request: Request, match_id: MatchId) -> Response:
    """Give how the match stood after each action that counts, corrections heeded: what a replay shows."""
    try:
        return JSONResponse(matches_of(request).steps(match_id))
    except NoSuchMatch as error:
        raise Problem(404, "NO_SUCH_MATCH", str(error)) from error
