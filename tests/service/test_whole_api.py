"""The whole API against its own description: whatever comes, no fault, and no answer that is not declared.

`TALLYCAM_CASES` says how many requests each operation gets of each kind; how many they were stands at the end.
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from starlette.testclient import TestClient
from support.service import UMPIRE, amend, opened, played, record, strike, throw

from service.api import create_app
from service.boards.boards import Boards
from service.boards.child import Eyes
from service.boards.framing import Said
from vision.events import Event

EACH = int(os.environ.get("TALLYCAM_CASES", "8"))
"""Requests to an operation: as many that are of the form, as many that are not."""

DECLARED = create_app().openapi()
OPERATIONS = sorted(
    f"{method.upper()} {path}" for path, methods in DECLARED["paths"].items() for method in methods
)
FREE = {"GET /api/v1/changes", "POST /api/v1/pictures"}
"""The one takes any text as the number of a change, what is none is passed over; the other takes any bytes."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]
HOST = {"Host": "localhost"}
ACTIONS = [
    {"kind": "shot", "side": 0, "t_ms": 7, "pins": {"7": "fallen"}},
    {"kind": "start_round", "t_ms": 0},
    {"kind": "end_turn", "side": 0, "t_ms": 9000},
    throw(1, "T20", 9000),
    throw(0, "S99", 2**40),
]
ENTRIES = [record(throw(1, "T19", 9000), "player"), amend(2, throw(0, "S5", 2000)), strike(1)]


@pytest.fixture(scope="module", autouse=True)
def asked(request: pytest.FixtureRequest) -> Iterator[Counter[str]]:
    """Count the requests, and say how many they were."""
    found: Counter[str] = Counter()
    yield found
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f" {found.total()} requests to {len(found)} operations")  # noqa: T201


class Known(NamedTuple):
    """What there is: matches, a board."""

    matches: list[str]
    board: str


class Blind(Eyes):
    """Sees nothing, at once."""

    def ask(self, head: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> Said:  # noqa: ARG002
        """Say that it is no picture, or no setup."""
        return Said({"failure": {"code": "NOT_A_PICTURE", "message": "This is no picture."}}, {})


@contextmanager
def served() -> Iterator[tuple[Any, Known]]:
    """Give the application of a store with a match of each game, a board and something to look at.

    Streams end after what they begin with. What looks at pictures says of each that it is none, for no request
    here is to wait for a process; `test_boards.py` looks at real ones.
    """
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as matches:
        ids = [played(matches, "T20 S20 S5", "T19", doubt=3)]
        ids += [matches.create(game, ["Ann", "Ben"]) for game in ("finn", "astrolabe")]
        boards = Boards(matches)
        boards.eyes = Blind()
        board = boards.create("One", "cricket", folder, "fast")
        boards.table.add_setup(board.id, {"game": "cricket", "image_size": [640, 480]}, "player", "now")
        for number, code in enumerate(("ON_A_WIRE", "FOURTH_DART"), 1):
            data = {"segment": "S5", "xy_mm": [1.0, 2.0], "review": [{"code": code}]}
            event = Event(kind="throw", t_ms=9000 * number, frame=1, end_frame=2, data=data)
            boards.sightings.take(ids[0], number, event, {})
        matches.hub.close()
        try:
            yield create_app(matches, boards=boards), Known(ids, board.id)
        finally:
            boards.close()


def described(app: Any) -> Any:  # noqa: ANN401
    """Give what an application says of itself, as requests are drawn from it."""
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=HOST)


@pytest.fixture(scope="module")
def reading() -> Iterator[tuple[Any, Known, Any]]:
    """An application for all requests that change nothing; each operation that may gets one of its own."""
    with served() as (app, known):
        yield app, known, described(app)


@contextmanager
def asking(method: str, reading: tuple[Any, Known, Any]) -> Iterator[tuple[Any, Known]]:
    """Give the description that requests of a method are drawn from, and what there is."""
    if method == "GET":
        yield reading[2], reading[1]
        return
    with served() as (app, known):
        yield described(app), known


@st.composite
def requests(draw: st.DrawFn, operation: Any, mode: GenerationMode, known: Known) -> "Case[Any]":  # noqa: ANN401
    """Draw a request; half of those of the form are to what there is, at the point where it is."""
    case: Case[Any] = draw(operation.as_strategy(generation_mode=mode))
    if mode is GenerationMode.NEGATIVE:
        return case
    real = {
        "match_id": st.sampled_from(known.matches),
        "board_id": st.just(known.board),
        "review_id": st.integers(1, 3),
        "recording_id": st.integers(1, 2),
    }
    for name, values in real.items():
        if name in case.path_parameters and draw(st.booleans()):
            case.path_parameters[name] = draw(values)
    if isinstance(case.body, dict) and draw(st.booleans()):
        _fit(draw, case.body, known)
    return case


def _fit(draw: st.DrawFn, body: dict[str, Any], known: Known) -> None:
    """Have a body speak of what there is."""
    fitting = {
        "expected_seq": st.integers(0, 6),
        "match": st.sampled_from(known.matches),
        "actions": st.lists(st.sampled_from(ACTIONS), max_size=2),
        "by": st.sampled_from(["player", UMPIRE]),
    }
    for name in fitting.keys() & body.keys():
        body[name] = draw(fitting[name])
    if isinstance(body.get("entry"), dict):
        entry = draw(st.sampled_from(ENTRIES)) if draw(st.booleans()) else body["entry"]
        body["entry"] = {**entry, "action": draw(st.sampled_from(ACTIONS))} if "action" in entry else entry


@pytest.mark.parametrize("mode", list(GenerationMode), ids=["of the form", "not of the form"])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.long
def test_no_fault_and_no_answer_that_is_not_declared(
    name: str, mode: GenerationMode, asked: Counter[str], reading: tuple[Any, Known, Any]
) -> None:
    method, path = name.split(" ")
    with asking(method, reading) as (schema, known):
        operation = schema[path][method]
        bare = name in FREE or not (list(operation.iter_parameters()) or operation.body)
        if mode is GenerationMode.NEGATIVE and bare:
            pytest.skip("nothing can be wrong with it")
        checks = [*CHECKS, *([negative_data_rejection] if mode is GenerationMode.NEGATIVE else [])]

        @settings(max_examples=EACH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=requests(operation, mode, known))
        def holds(case: "Case[Any]") -> None:
            asked[name] += 1
            case.call_and_validate(headers=HOST, checks=checks)

        holds()


@pytest.mark.parametrize("path", sorted({name.split(" ")[1] for name in OPERATIONS}))
def test_a_method_that_is_not_there_is_told_which_are(path: str, reading: tuple[Any, Known, Any]) -> None:
    app, known, _ = reading
    client = TestClient(app, base_url="http://localhost")
    names = {"match_id": known.matches[0], "board_id": known.board, "name": "0" * 64}
    real = re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], "1"), path)
    declared = {method.upper() for method in DECLARED["paths"][path]}
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"} - declared:
        answer = client.request(method, real)
        assert answer.status_code == 405, method
        assert answer.json()["code"] == "METHOD_NOT_ALLOWED"
        assert {word.strip() for word in answer.headers["allow"].split(",")} - {"HEAD"} == declared
