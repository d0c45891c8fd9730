"""The club's pages and answers: wall, matches across boards, players, results, figures. None changes anything."""

import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import wraps
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from service.api.guard import Guard
from service.api.problems import problem_response
from service.figures import gauge, gauges
from service.venue import questions
from service.venue.club import Club
from service.venue.intake import Look
from service.venue.tally import read_sheet

JSON: TypeAlias = Any

STATIC: Final = Path(__file__).parents[1] / "static"
FRESH_S: Final = 0.5
"""However many screens ask, the wall is looked up no oftener."""
PLAYERS_S: Final = 10.0
"""The same for players: all matches are added up."""
SILENT_S: Final = 60.0
"""A board that has said nothing for so long is shown as quiet: nobody plays, or it is off."""
PAGES: Final = ("/", "/matches", "/players", "/match/{board}/{match}")
"""Addresses of the page: one file, which finds out by its address what to show."""

Answer: TypeAlias = Callable[[Request], Response]


@dataclass
class Kept:
    """The last answer to a question that many ask, looked up again when it is older than `fresh_s`."""

    ask: Callable[[], JSON]
    fresh_s: float
    value: JSON = None
    at_s: float = float("-inf")
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> JSON:
        """Give the answer; raises what asking raises."""
        with self.lock:
            if time.monotonic() - self.at_s >= self.fresh_s:
                self.value = self.ask()
                self.at_s = time.monotonic()
            return self.value


class Answers:
    """What the club answers, a method an address."""

    def __init__(self, club: Club) -> None:
        self._club = club
        self._engine = club.engine
        self._playing = Kept(lambda: questions.playing(club.engine), FRESH_S)
        self._players = Kept(lambda: questions.players(club.engine), PLAYERS_S)

    def wall(self, _request: Request) -> Response:
        """Give every board with the match it plays; what was known last while the database is away."""
        problem = self._club.keeper.problem
        try:
            matches = self._playing()
        except SQLAlchemyError:
            matches, problem = self._playing.value or {}, problem or "the database is away"
        looks, now_s = self._club.intake.look(), time.monotonic()
        boards = [_board(name, looks[name], matches.get(name), now_s) for name in sorted(looks)]
        return JSONResponse({"boards": boards, "database": problem, "broker": self._club.link.problem})

    def matches(self, request: Request) -> Response:
        """Give matches across boards."""
        asked = request.query_params
        limit = _whole(asked.get("limit"), 100)
        found = questions.matches(
            self._engine, asked.get("board"), asked.get("player"), limit=limit, before=asked.get("before")
        )
        return JSONResponse({"matches": found})

    def match(self, request: Request) -> Response:
        """Give one match."""
        found = questions.match(self._engine, request.path_params["board"], request.path_params["match"])
        return _no_match() if found is None else JSONResponse(found)

    def scoresheet(self, request: Request) -> Response:
        """Give one match as the file that `tallycam score` reads."""
        found = read_sheet(self._engine, request.path_params["board"], request.path_params["match"])
        return _no_match() if found is None else PlainTextResponse(found[0], media_type="application/jsonl")

    def players(self, _request: Request) -> Response:
        """Give every player."""
        return JSONResponse({"players": self._players()})

    def results_json(self, _request: Request) -> Response:
        """Give every match with its result."""
        return JSONResponse({"results": list(questions.results(self._engine))})

    def results_csv(self, _request: Request) -> Response:
        """Give the same as a table."""
        lines = questions.results_csv(questions.results(self._engine))
        first = list(islice(lines, 2))  # a database that is away is found out before the answer begins
        headers = {"Content-Disposition": 'attachment; filename="results.csv"'}
        return StreamingResponse(chain(first, lines), media_type="text/csv; charset=utf-8", headers=headers)

    def health(self, _request: Request) -> Response:
        """Say whether broker and database are there."""
        problems = [one for one in (self._club.keeper.problem, self._club.link.problem) if one is not None]
        told = {"status": "failing" if problems else "ok", "version": version("tallycam"), "problems": problems}
        return JSONResponse(told, 503 if problems else 200)

    def metrics(self, _request: Request) -> Response:
        """Give figures."""
        return PlainTextResponse("".join(_figures(self._club)), media_type="text/plain; version=0.0.4")


def club_app(club: Club, hosts: Collection[str] = ()) -> Starlette:
    """Give the application.

    Parameters
    ----------
    club
        What it shows.
    hosts
        Names that it answers to besides the loopback ones.
    """
    answers = Answers(club)
    api: dict[str, Answer] = {
        "wall": answers.wall,
        "matches": answers.matches,
        "matches/{board}/{match}": answers.match,
        "matches/{board}/{match}/scoresheet": answers.scoresheet,
        "players": answers.players,
        "results.json": answers.results_json,
        "results.csv": answers.results_csv,
        "health": answers.health,
        "metrics": answers.metrics,
    }
    app = Starlette(
        routes=[
            *(Route(f"/api/v1/{path}", _answering(answer), methods=["GET"]) for path, answer in api.items()),
            *(Route(path, _page, methods=["GET"]) for path in PAGES),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: _refused},
    )
    app.add_middleware(Guard, hosts=lambda: hosts)
    return app


def _page(_request: Request) -> Response:
    return FileResponse(STATIC / "venue.html")


def _answering(answer: Answer) -> Answer:
    """Say that the database is away in place of failing."""

    @wraps(answer)
    def answered(request: Request) -> Response:
        try:
            return answer(request)
        except SQLAlchemyError:
            return problem_response(503, "DATABASE_AWAY", "the club's database does not answer; try again")

    return answered


def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}.get(error.status_code, "REFUSED")
    answer = problem_response(error.status_code, code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


def _no_match() -> Response:
    return problem_response(404, "NO_SUCH_MATCH", "no board has handed over a match of that id")


def _whole(text: str | None, default: int) -> int:
    return min(int(text), questions.MOST) if text is not None and text.isdecimal() and len(text) < 6 else default


def _board(name: str, look: Look, match: JSON, now_s: float) -> dict[str, JSON]:
    heard_s = None if look.heard_s is None else round(now_s - look.heard_s, 1)
    return {
        "board": name,
        "have": look.have,
        "behind": look.behind,
        "lag_s": None if look.lag_s is None else round(look.lag_s, 3),
        "heard_s": heard_s,
        "quiet": heard_s is None or heard_s > SILENT_S,
        "problem": look.problem,
        "match": match,
    }


def _figures(club: Club) -> Iterator[str]:
    looks = club.intake.look()
    by_board = [({"board": name}, look) for name, look in sorted(looks.items())]
    yield from gauge("venue_boards", "Boards that have handed anything over.", len(looks))
    yield from gauge("venue_kept_total", "Changes kept since the start.", club.intake.kept_total)
    yield from gauge("venue_transactions_total", "Transactions since the start.", club.keeper.transactions)
    yield from gauge(
        "venue_database_failing", "Whether the last try to keep failed.", club.keeper.problem is not None
    )
    yield from gauge("venue_broker_failing", "Whether there is no broker.", club.link.problem is not None)
    came = [({"came": kind.value}, count) for kind, count in club.intake.counts.items()]
    yield from gauges("venue_messages_total", "Messages by what they were.", came)
    lags = sorted(club.intake.lags_s)
    if lags:
        parts = [
            ({"quantile": str(part)}, lags[min(len(lags) - 1, int(part * len(lags)))]) for part in (0.5, 0.99)
        ]
        yield from gauges("venue_lag_seconds", "From a board's log into the database, of the last 10,000.", parts)
    yield from gauges(
        "venue_board_behind", "Changes of the board's log not kept.", [(at, look.behind) for at, look in by_board]
    )
    yield from gauges("venue_board_have", "The newest change kept.", [(at, look.have) for at, look in by_board])
    yield from gauges(
        "venue_board_failing",
        "Whether something is wrong with what a board sends.",
        [(at, look.problem is not None) for at, look in by_board],
    )
    try:
        kept = questions.totals(club.engine)
    except SQLAlchemyError:
        return
    yield from gauge("venue_database_bytes", "Size of the database.", kept["bytes"])
