"""Figures of the running service, in the text form that Prometheus reads."""

import resource
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from service.api.routes import matches_of, problems
from service.figures import gauge, gauges
from service.outward.start import Outlets
from service.retention import Retention
from service.store import SightingTable

router = APIRouter(tags=["service"])

BEGUN: Final = time.monotonic()


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {}}}, **problems()},
)
def get_metrics(request: Request) -> PlainTextResponse:
    """Give figures of matches, boards, doubts, receivers and storage."""
    text = "".join(_lines(request))
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _lines(request: Request) -> Iterator[str]:
    matches = matches_of(request)
    store = matches.store
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield from gauge("uptime_seconds", "Since the service began.", time.monotonic() - BEGUN)
    yield from gauge("cpu_seconds_total", "Of the service's own process.", used.ru_utime + used.ru_stime)
    yield from gauge("memory_peak_bytes", "The most the service's own process has held.", used.ru_maxrss * 1024)
    yield from gauge("matches", "Matches kept.", len(store.ids()))
    yield from gauge("changes_total", "Numbered changes so far.", matches.last_change())
    yield from gauge("listeners", "Open streams of changes.", matches.hub.count)
    waiting = SightingTable(store).of(states=("waiting", "held"))
    yield from gauge("doubts_waiting", "Seen, and waiting for a person.", len(waiting))
    free = shutil.disk_usage(store.folder).free
    yield from gauge("storage_free_bytes", "Free where matches are kept.", free)
    yield from _stored(request.app.state.retention)
    boards = request.app.state.boards
    views: list[Mapping[str, Any]] = [] if boards is None else boards.views()
    told: tuple[tuple[str, str, Callable[[Mapping[str, Any]], float]], ...] = (
        ("board_watching", "Whether a board watches a match.", lambda view: view["state"]["phase"] == "watching"),
        (
            "board_restarts_total",
            "How often a board's process was begun again.",
            lambda view: view["state"]["restarts"],
        ),
        ("board_frames_total", "Frames that a board has seen.", lambda view: view["state"]["frames"]),
    )
    for name, said, of in told:
        yield from gauges(name, said, [({"board": view["id"], "game": view["game"]}, of(view)) for view in views])
    outlets: Outlets = request.app.state.outlets
    sent = outlets.sent()
    yield from gauges(
        "outlet_waiting",
        "Changes that a receiver has not taken.",
        [({"outlet": one.name}, one.waiting) for one in sent],
    )
    yield from gauges(
        "outlet_failing",
        "Whether the last try to tell a receiver failed.",
        [({"outlet": one.name}, one.problem is not None) for one in sent],
    )


def _stored(retention: Retention | None) -> Iterator[str]:
    """Give what pictures and clips took when it was last looked: to look at all of them takes seconds."""
    if retention is None or retention.stored.bytes is None:
        return
    yield from gauge("storage_media_bytes", "Pictures and clips, some minutes ago.", retention.stored.bytes)
    yield from gauge("storage_media_budget_bytes", "What they may take.", retention.stored.budget)
