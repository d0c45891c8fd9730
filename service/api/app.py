"""The application: the routes, the page's files, problems in place of error pages, the guard around it all."""

import hashlib
import logging
import re
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from service.access import Access
from service.api import (
    asyncapi,
    configuring,
    devices,
    inspecting,
    keeping,
    labelling,
    metrics,
    reviewing,
    routes,
    stepping,
    streams,
    teaching,
    watching,
    wire,
)
from service.api import outlets as outlets_routes
from service.api.gate import Gate
from service.api.guard import Guard
from service.api.problems import SCHEMA, Problem, ProblemResponse, answer_problem, problem_response
from service.config import Settings
from service.matches import Matches
from service.outward.start import Outlets
from service.retention import Retention
from service.store import StoreRefused

if TYPE_CHECKING:
    from service.boards.boards import Boards

STATIC = Path(__file__).parents[1] / "static"
PAGES = (
    "/",
    "/tv",
    "/overlay",
    "/pair",
    "/devices",
    "/boards",
    "/board/{board_id}/setup",
    "/board/{board_id}/teach",
    "/labels",
    "/shadow",
    "/review",
    "/match/{match_id}",
    "/match/{match_id}/story",
    "/match/{match_id}/tv",
    "/match/{match_id}/overlay",
)
"""Addresses of the page: one file, which finds out by its address what to show."""


class Application(FastAPI):
    """FastAPI, with the form of a problem described once."""

    def openapi(self) -> dict[str, Any]:
        """Give the description of every route."""
        described = super().openapi()
        described["components"]["schemas"]["Problem"] = SCHEMA
        return described


def create_app(
    matches: Matches | None = None,
    hosts: Collection[str] = (),
    settings: Settings | None = None,
    *,
    access: Access | None = None,
    outlets: Outlets | None = None,
    boards: "Boards | None" = None,
    retention: Retention | None = None,
) -> FastAPI:
    """Give the application that serves these matches.

    Parameters
    ----------
    matches
        What it serves; opened and closed by the caller. None: an application to be described, not run.
    hosts
        Names it answers to besides the loopback ones and those of the settings.
    settings
        Of the service; the defaults without.
    access
        Who may do what; None: it answers to its own machine alone, and asks nobody.
    outlets
        Who is told of changes; started and closed by the caller.
    boards
        Its boards, closed by the caller; None: they begin with the first question about them.
    retention
        What looks after the room that pictures take; started and closed by the caller. None: nobody does.
    """
    kept = settings or Settings()
    app = Application(
        title="tallycam",
        version=version("tallycam"),
        summary="Matches kept by cameras, corrected by people.",
        description="Refusals are RFC 9457 problems. Live changes are server-sent events, a snapshot first.",
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.matches = matches
    app.state.settings = kept
    app.state.access = access
    app.state.outlets = outlets or Outlets()
    app.state.boards = boards
    app.state.retention = retention
    app.state.reviews = None
    app.state.inspection = None
    app.state.build = build_mark()
    app.include_router(routes.router, prefix="/api/v1")
    app.include_router(stepping.router, prefix="/api/v1")
    app.include_router(streams.router, prefix="/api/v1")
    app.include_router(watching.router, prefix="/api/v1")
    app.include_router(reviewing.router, prefix="/api/v1")
    app.include_router(keeping.router, prefix="/api/v1")
    app.include_router(inspecting.router, prefix="/api/v1")
    app.include_router(labelling.router, prefix="/api/v1")
    app.include_router(teaching.router, prefix="/api/v1")
    app.include_router(configuring.router, prefix="/api/v1", responses=routes.problems())
    app.include_router(devices.router, prefix="/api/v1")
    app.include_router(outlets_routes.router, prefix="/api/v1")
    app.include_router(metrics.router, prefix="/api/v1")
    app.include_router(asyncapi.router, prefix="/api/v1", responses=routes.problems())
    app.add_api_route(
        "/api/v1/health", health, tags=["service"], response_model=wire.Health, responses=routes.problems()
    )
    app.mount("/static", StaticFiles(directory=STATIC))
    for path in PAGES:
        app.add_api_route(path, page, include_in_schema=False, response_class=FileResponse)
    app.add_exception_handler(Problem, answer_problem)
    app.add_exception_handler(RequestValidationError, _not_of_the_form)
    app.add_exception_handler(HTTPException, _http_problem)
    app.add_exception_handler(StoreRefused, _not_kept)
    app.add_exception_handler(Exception, _fault)
    app.add_middleware(Gate, access=access)
    app.add_middleware(Guard, hosts=lambda: (*hosts, *kept.now.config.server.hosts))
    return app


log = logging.getLogger("tallycam.api")


def page() -> Response:
    """Give the page."""
    return FileResponse(STATIC / "index.html")


def health(request: Request) -> wire.Health:
    """Whether the service is there, which it is, what it holds."""
    matches: Matches = request.app.state.matches
    return wire.Health(
        status="ok",
        version=version("tallycam"),
        build=request.app.state.build,
        matches=len(matches.store.ids()),
        change=matches.last_change(),
        listeners=matches.hub.count,
    )


def build_mark() -> str:
    """Give a short mark of the page's files and the version: a page that sees another one loads itself anew."""
    marks = hashlib.sha256(version("tallycam").encode())
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            marks.update(path.read_bytes())
    return marks.hexdigest()[:12]


def _not_of_the_form(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, RequestValidationError)
    if _of_another_type(request, error):
        return problem_response(415, "UNSUPPORTED_MEDIA_TYPE", "a body comes as application/json")
    faults: list[dict[str, Any]] = [
        {"where": "/".join(str(part) for part in fault["loc"]), "message": fault["msg"]}
        for fault in error.errors()
    ]
    detail = "; ".join(f"{fault['where']}: {fault['message']}" for fault in faults[:3])
    return problem_response(422, "MALFORMED", detail, {"faults": faults})


def _of_another_type(request: Request, error: RequestValidationError) -> bool:
    """Say whether there is a body that was not even read as JSON, for its Content-Type is another."""
    if not any(fault["loc"][:1] == ("body",) for fault in error.errors()):
        return False
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    json_like = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    return not json_like and request.headers.get("content-length") != "0"


def _http_problem(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, HTTPException)
    status = 422 if error.status_code == 400 else error.status_code  # a body that is no JSON at all
    code = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 422: "MALFORMED"}.get(status, "REFUSED")
    answer = problem_response(status, code, str(error.detail))
    answer.headers.update(error.headers or {})
    if status == 405 and (methods := _methods(request)):
        answer.headers["Allow"] = ", ".join(methods)
    return answer


def _methods(request: Request) -> list[str]:
    """Give the methods that an address takes: several routes may share it, and each names its own alone."""
    paths: dict[str, dict[str, Any]] = request.app.openapi()["paths"]
    return sorted(
        method.upper()
        for template, methods in paths.items()
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), request.url.path)
        for method in methods
    )


def _not_kept(_request: Request, error: Exception) -> ProblemResponse:
    log.error("%s", error)  # it names folders of this machine
    told = "nothing was kept of this: the disk takes nothing, make room on it, or the data folder is gone"
    return problem_response(507, "NOT_KEPT", told)


def _fault(_request: Request, _error: Exception) -> ProblemResponse:
    return problem_response(500, "FAULT", "something went wrong in the service; its log says what")
