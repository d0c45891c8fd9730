"""Refusals as RFC 9457 problems: `application/problem+json` with a code for programs and a sentence for people."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse


class ProblemResponse(JSONResponse):
    """A JSON answer of the problem type."""

    media_type = "application/problem+json"


class Problem(Exception):  # noqa: N818 - the name of the thing in the standard
    """A refusal on its way out of a route.

    Parameters
    ----------
    status
        The HTTP status.
    code
        A word in capitals, for programs.
    detail
        One sentence for people.
    more
        Members of the problem's own, as the current state of the match.
    headers
        Of the answer, as how long to wait.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.more = status, code, detail, dict(more or {})
        self.headers = dict(headers or {})


def problem_response(
    status: int, code: str, detail: str, more: Mapping[str, Any] | None = None
) -> ProblemResponse:
    """Give the answer for a refusal."""
    kind = "urn:tallycam:problem:" + code.lower().replace("_", "-")
    body = {"type": kind, "title": HTTPStatus(status).phrase, "status": status, "detail": detail, "code": code}
    return ProblemResponse({**body, **(more or {})}, status_code=status)


def answer_problem(_request: Request, problem: Exception) -> ProblemResponse:
    """Answer a `Problem`."""
    assert isinstance(problem, Problem)
    answer = problem_response(problem.status, problem.code, problem.detail, problem.more)
    answer.headers.update(problem.headers)
    return answer


REFERENCE: dict[str, Any] = {"$ref": "#/components/schemas/Problem"}
"""How the description of a route names it."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Problem",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "For programs: a word in capitals."},
    },
}
