"""The whole API against its own description: whatever comes, no fault, and no answer that is not declared.

`TALLYCAM_CASES` says how many requests each operation gets of each kind; 150 make it some three thousand.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
from service.matches import Matches

EACH = int(os.environ.get("TALLYCAM_CASES", "8"))
"""Requests to an operation: as many that are of the form, as many that are not."""

DECLARED = create_app().openapi()
OPERATIONS = sorted(
    f"{method.upper()} {path}" for path, methods in DECLARED["paths"].items() for method in methods
)
FREE = {"GET /api/v1/changes"}
"""Takes any text as the number of a change: what is none is passed over."""
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


@contextmanager
def served() -> Iterator[tuple[Any, Matches, list[str]]]:
    """Give the application of a store with a match of each game. Streams end after what they begin with."""
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as matches:
        ids = [played(matches, "T20 S20 S5", "T19", doubt=3)]
        ids += [matches.create(game, ["Ann", "Ben"]) for game in ("finn", "astrolabe")]
        matches.hub.close()
        yield create_app(matches), matches, ids


@st.composite
def requests(draw: st.DrawFn, operation: Any, mode: GenerationMode, ids: list[str]) -> "Case[Any]":  # noqa: ANN401
    """Draw a request; half of those of the form are to a match that there is, at the point where it is."""
    case: Case[Any] = draw(operation.as_strategy(generation_mode=mode))
    if mode is GenerationMode.NEGATIVE:
        return case
    if "match_id" in case.path_parameters and draw(st.booleans()):
        case.path_parameters["match_id"] = draw(st.sampled_from(ids))
    if isinstance(case.body, dict) and draw(st.booleans()):
        if "expected_seq" in case.body:
            case.body["expected_seq"] = draw(st.integers(0, 6))
        if "entry" in case.body and isinstance(case.body["entry"], dict):
            case.body["entry"] = draw(st.sampled_from(ENTRIES)) if draw(st.booleans()) else case.body["entry"]
            if "action" in case.body["entry"]:
                case.body["entry"] = {**case.body["entry"], "action": draw(st.sampled_from(ACTIONS))}
        if "by" in case.body:
            case.body["by"] = draw(st.sampled_from(["player", UMPIRE]))
    return case


@pytest.mark.parametrize("mode", list(GenerationMode), ids=["of the form", "not of the form"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_fault_and_no_answer_that_is_not_declared(name: str, mode: GenerationMode) -> None:
    method, path = name.split(" ")
    with served() as (app, _, ids):
        schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=HOST)
        operation = schema[path][method]
        bare = name in FREE or not (list(operation.iter_parameters()) or operation.body)
        if mode is GenerationMode.NEGATIVE and bare:
            pytest.skip("nothing can be wrong with it")
        checks = [*CHECKS, *([negative_data_rejection] if mode is GenerationMode.NEGATIVE else [])]

        @settings(max_examples=EACH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=requests(operation, mode, ids))
        def holds(case: "Case[Any]") -> None:
            case.call_and_validate(headers=HOST, checks=checks)

        holds()


@pytest.mark.parametrize("path", sorted({name.split(" ")[1] for name in OPERATIONS}))
def test_a_method_that_is_not_there_is_told_which_are(path: str) -> None:
    with served() as (app, _, ids):
        client = TestClient(app, base_url="http://localhost")
        real = path.replace("{match_id}", ids[0]).replace("{entry_id}", "1").replace("{name}", "0" * 64)
        declared = {method.upper() for method in DECLARED["paths"][path]}
        for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"} - declared:
            answer = client.request(method, real)
            assert answer.status_code == 405, method
            assert answer.json()["code"] == "METHOD_NOT_ALLOWED"
            assert {word.strip() for word in answer.headers["allow"].split(",")} - {"HEAD"} == declared
