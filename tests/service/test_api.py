"""The API as its callers see it: what it takes, what it refuses and how, what it lets nobody do."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from httpx2 import Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from starlette.testclient import TestClient
from support.service import UMPIRE, amend, opened, played, record, strike, throw

from engine import effective, new_sheet, parse_sheet, result
from engine import record as record_action
from service.api import asyncapi, create_app, wire
from service.api.guard import BODY_LIMIT
from service.envelope import cloud_event
from service.matches import Matches

V1 = "/api/v1"


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    with opened(tmp_path) as found:
        yield found


@pytest.fixture
def app(matches: Matches) -> FastAPI:
    return create_app(matches)


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://localhost:8180", raise_server_exceptions=False)


def problem(answer: Response, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is a problem as RFC 9457 has it, and give its members."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"].startswith("urn:tallycam:problem:")
    assert body["detail"]
    return body


def test_a_match_is_begun_played_corrected_and_undone(client: TestClient) -> None:
    begun = client.post(f"{V1}/matches", json={"game": "cricket", "sides": ["Ann", "Ben"]})
    assert begun.status_code == 201
    path = begun.headers["location"]
    for seq, segment in enumerate(("T20", "S20", "S5")):
        entry = record(throw(0, segment, seq), "player")
        told = client.post(f"{path}/entries", json={"expected_seq": seq, "entry": entry})
        assert told.status_code == 201, told.text
    assert told.json()["result"]["scores"] == [20, 0]
    fix = amend(2, throw(0, "T20", 1))
    ahead = client.post(f"{path}/preview", json={"entries": [fix]}).json()
    assert (ahead["seq"], ahead["previews"][0]["result"]["scores"]) == (3, [60, 0])
    assert client.get(path).json()["seq"] == 3
    fixed = client.post(f"{path}/entries", json={"expected_seq": 3, "entry": fix}).json()
    assert fixed["result"] == ahead["previews"][0]["result"]
    undone = client.post(f"{path}/undo", json={"expected_seq": 4, "by": UMPIRE})
    assert undone.json()["result"]["scores"] == [20, 0]
    assert client.get(f"{V1}/matches").json()["matches"][0]["seq"] == 5


@pytest.mark.parametrize("game", ["finn", "astrolabe"])
def test_the_other_games_are_kept_by_the_same_routes(client: TestClient, game: str) -> None:
    path = client.post(f"{V1}/matches", json={"game": game, "sides": ["Ann", "Ben"]}).headers["location"]
    action = {
        "finn": {"kind": "shot", "side": 0, "t_ms": 5, "pins": {"7": "fallen"}},
        "astrolabe": {"kind": "start_round", "t_ms": 5},
    }[game]
    told = client.post(f"{path}/entries", json={"expected_seq": 0, "entry": record(action)})
    assert told.status_code == 201, told.text
    text = client.get(f"{path}/scoresheet").text
    assert told.json()["result"] == result(parse_sheet(text))


def test_answers_are_as_openapi_says(client: TestClient, matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19 S19 S3", "T18", doubt=3)
    client.post(
        f"{V1}/matches/{match_id}/entries", json={"expected_seq": 9, "entry": amend(2, throw(0, "T1", 2000))}
    )
    at = f"{V1}/matches/{match_id}"
    answers: list[tuple[Any, Any]] = [
        (wire.Match, client.get(at)),
        (wire.Match, client.post(f"{at}/reviews", json={"entry": 3, "decision": "confirmed", "by": UMPIRE})),
        (wire.Summaries, client.get(f"{V1}/matches")),
        (wire.Alternatives, client.get(f"{at}/entries/3/alternatives")),
        (wire.Answer, client.post(f"{at}/preview", json={"entries": [amend(1, throw(0, "S1", 1000))]})),
        (wire.Health, client.get(f"{V1}/health")),
    ]
    for form, answer in answers:
        assert answer.is_success, answer.text
        body = answer.json()
        read = TypeAdapter(form).validate_python(body)
        assert TypeAdapter(form).dump_python(read, exclude_none=False).keys() == body.keys()


def test_a_stale_writer_gets_the_current_state(client: TestClient, matches: Matches) -> None:
    match_id = played(matches, "T20 S20")
    answer = client.post(
        f"{V1}/matches/{match_id}/entries", json={"expected_seq": 1, "entry": record(throw(0, "S5", 3000))}
    )
    body = problem(answer, 409, "STALE")
    assert body["seq"] == 2
    assert body["match"]["result"]["state"]["darts"] == ["T20", "S20"]


def test_a_request_sent_twice_under_one_key_is_done_once(client: TestClient, matches: Matches) -> None:
    key = {"idempotency-key": "match-1"}
    body = {"game": "cricket", "sides": ["Ann", "Ben"]}
    first, again = (client.post(f"{V1}/matches", json=body, headers=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert len(matches.summaries()) == 1
    path = first.headers["location"]
    steps: list[tuple[str, dict[str, Any]]] = [
        ("entries", {"expected_seq": 0, "entry": record(throw(0, "T20", 1))}),
        ("undo", {"expected_seq": 1, "by": UMPIRE}),
        ("reviews", {"entry": 1, "decision": "confirmed", "by": UMPIRE}),
    ]
    for number, (what, asked) in enumerate(steps):
        key = {"idempotency-key": f"step-{number}"}
        first, again = (client.post(f"{path}/{what}", json=asked, headers=key) for _ in range(2))
        assert first.status_code == again.status_code == 201, again.text
        assert first.json() == again.json()
    other = {"expected_seq": 2, "entry": record(throw(0, "S1", 1))}
    problem(client.post(f"{path}/entries", json=other, headers={"idempotency-key": "step-0"}), 422, "KEY_USED")
    problem(client.post(f"{V1}/matches", json=body, headers={"idempotency-key": "step-0"}), 422, "KEY_USED")


def test_what_the_rules_refuse_is_told_by_their_code(client: TestClient, matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    body = {"expected_seq": 4, "entry": record(throw(0, "S20", 4000), "player")}
    problem(client.post(f"{V1}/matches/{match_id}/entries", json=body), 409, "WRONG_SIDE")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/matches/nosuch", None, 404, "NO_SUCH_MATCH"),
        ("GET", "/matches/nosuch/scoresheet", None, 404, "NO_SUCH_MATCH"),
        ("GET", "/matches/nosuch/changes", None, 404, "NO_SUCH_MATCH"),
        ("GET", "/matches/..%2f..%2fetc", None, 404, "NOT_FOUND"),
        ("GET", "/matches/A B", None, 422, "MALFORMED"),
        ("GET", "/nothing", None, 404, "NOT_FOUND"),
        ("DELETE", "/matches", None, 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/matches", {"game": "chess", "sides": ["A", "B"]}, 422, "MALFORMED"),
        ("POST", "/matches", {"game": "cricket", "sides": ["A"]}, 422, "MALFORMED"),
        ("POST", "/matches", {"game": "cricket", "sides": ["A", 1]}, 422, "MALFORMED"),
        ("POST", "/matches", {"game": "cricket", "sides": ["A", "B"], "more": 1}, 422, "MALFORMED"),
        ("POST", "/matches", [], 422, "MALFORMED"),
        ("POST", "/matches/nosuch/undo", {"expected_seq": 0, "by": "player"}, 404, "NO_SUCH_MATCH"),
        ("POST", "/matches/nosuch/undo", {"expected_seq": "0", "by": "player"}, 422, "MALFORMED"),
        ("POST", "/matches/nosuch/undo", {"expected_seq": True, "by": "player"}, 422, "MALFORMED"),
        ("POST", "/matches/nosuch/undo", {"expected_seq": 0.0, "by": "player"}, 422, "MALFORMED"),
        ("GET", "/media/" + "0" * 64, None, 404, "NO_SUCH_PICTURE"),
        ("GET", "/media/..%2f..%2ftallycam.db", None, 404, "NOT_FOUND"),
        ("GET", "/media/tallycam.db", None, 422, "MALFORMED"),
    ],
)
def test_refusals_are_problems(  # noqa: PLR0917 - a row of the table
    client: TestClient, method: str, path: str, body: object, status: int, code: str
) -> None:
    answer = (
        client.request(method, V1 + path, json=body) if body is not None else client.request(method, V1 + path)
    )
    problem(answer, status, code)


SCRAPS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**40) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Draw a request that is nearly right: one of its values, at any depth, is replaced by a scrap."""
    action = {**throw(0, draw(st.sampled_from(["T20", "MISS", "S99", ""]))), "t_ms": draw(st.integers(-1, 9999))}
    entry = draw(st.sampled_from([record(action), record(action, "player"), amend(1, action), strike(1)]))
    path, body = draw(
        st.sampled_from(
            [
                ("entries", {"expected_seq": 3, "entry": entry}),
                ("preview", {"entries": [entry, entry]}),
                ("undo", {"expected_seq": 3, "by": UMPIRE, "target": 2}),
                ("reviews", {"entry": 2, "decision": "confirmed", "by": "player"}),
                ("", {"game": "cricket", "sides": ["Ann", "Ben"], "config": {}}),
            ]
        )
    )
    spoilt = json.loads(json.dumps(body))
    spot: Any = spoilt
    while True:
        places = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
        place = draw(st.sampled_from(places))
        if isinstance(spot[place], dict | list) and spot[place] and draw(st.booleans()):
            spot = spot[place]
            continue
        if draw(st.booleans()):
            spot[place] = draw(SCRAPS)
        elif isinstance(spot, dict):
            spot[draw(st.text(max_size=8))] = draw(SCRAPS)
        return path, spoilt


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(request=bodies())
@pytest.mark.long
def test_whatever_comes_is_answered_as_declared(
    client: TestClient, app: FastAPI, matches: Matches, request: tuple[str, dict[str, Any]]
) -> None:
    tail, body = request
    match_id = played(matches, "T20 S20 S5")
    path = f"/matches/{match_id}/{tail}" if tail else "/matches"
    content = json.dumps(body, allow_nan=True).encode()
    answer = client.post(V1 + path, content=content, headers={"content-type": "application/json"})
    declared = app.openapi()["paths"][f"{V1}/matches" + (f"/{{match_id}}/{tail}" if tail else "")]["post"][
        "responses"
    ]
    assert str(answer.status_code) in declared, answer.text
    if not answer.is_success:
        problem(answer, answer.status_code, answer.json()["code"])
    assert matches.view(match_id)["seq"] in {4, 5}


def test_broken_json_is_a_problem(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    problem(client.post(f"{V1}/matches", content=b'{"game": ', headers=headers), 422, "MALFORMED")
    problem(client.post(f"{V1}/matches", content=b"\xff\xfe", headers=headers), 422, "MALFORMED")
    half = b'{"game": "cricket", "sides": ["\\ud800", "B"]}'
    problem(client.post(f"{V1}/matches", content=half, headers=headers), 422, "MALFORMED")
    deep = b'{"game": "cricket", "sides": ["A", "B"], "config": ' + b"[" * 20000 + b"]" * 20000 + b"}"
    problem(client.post(f"{V1}/matches", content=deep, headers=headers), 422, "MALFORMED")
    half = b'{"expected_seq": 0, "by": "umpire:\\ud800"}'
    problem(client.post(f"{V1}/matches/nosuch/undo", content=half, headers=headers), 422, "MALFORMED")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"game": "cricket", "game": "finn", "sides": ["A", "B"]}', 'the key "game" stands twice'),
        (b'{"game": "finn", "sides": ["A", "B"], "config": {"a": 1, "a": 1}}', 'the key "a" stands twice'),
        (b'{"game": "finn", "sides": ["A", "B"], "config": {"a": NaN}}', "NaN is no number"),
        (b'{"game": "finn", "sides": ["A", "B"], "config": {"a": -Infinity}}', "-Infinity is no number"),
        (b'{"game": "finn", "sides": ["A\xff", "B"]}', "the byte 0xff at 29 is not UTF-8"),
        (b'{"game": "finn", "sides": ["\\ud83d", "B"]}', "half of a surrogate pair"),
        ('{"game": "finn", "sides": ["A", "B"]}'.encode("utf-16"), "is not UTF-8"),
        (b'{"game": "finn", "sides": [' + b"9" * 5000 + b', "B"]}', "thousands of digits"),
        (b'{"game": "finn", "sides": [' + b"[" * 20000, "nested too deep"),
        (b'{"game": "finn",\n "sides": [}', "line 2, column 12"),
    ],
)
def test_a_body_that_may_mean_two_things_or_nothing_is_refused_in_a_sentence(
    client: TestClient, body: bytes, says: str
) -> None:
    answer = client.post(f"{V1}/matches", content=body, headers={"content-type": "application/json"})
    assert says in problem(answer, 422, "MALFORMED")["detail"]


def test_every_body_is_read_so(client: TestClient) -> None:
    """A key that stands twice is refused by each address that takes JSON, whatever else is wrong with it."""
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    asked = 0
    for path, methods in paths.items():
        for method, operation in methods.items():
            if "application/json" not in operation.get("requestBody", {}).get("content", {}):
                continue
            asked += 1
            answer = client.request(
                method,
                re.sub(r"\{\w+\}", "1", path),
                content=b'{"a": 1, "a": 1}',
                headers={"content-type": "application/json"},
            )
            assert 'the key "a" stands twice' in problem(answer, 422, "MALFORMED")["detail"], path
    assert asked > 10


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8180",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "",
        "[::1",
        "localhost:x",
    ],
)
def test_a_name_that_is_not_ours_gets_nothing(client: TestClient, host: str) -> None:
    for path in (f"{V1}/matches", "/", "/static/app.js"):
        problem(client.get(path, headers={"host": host}), 421, "UNKNOWN_HOST")


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8180", "LOCALHOST", "127.0.0.1:1", "127.3.2.1", "[::1]:8180", "[::1]"]
)
def test_loopback_names_are_ours(client: TestClient, host: str) -> None:
    assert client.get(f"{V1}/health", headers={"host": host}).status_code == 200


def test_a_host_that_was_allowed_is_ours(matches: Matches) -> None:
    client = TestClient(create_app(matches, ["darts.local"]), base_url="http://darts.local:8180")
    assert client.get(f"{V1}/health").status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:9999", "https://evil.example:8180"]
)
def test_a_foreign_page_changes_nothing(client: TestClient, matches: Matches, origin: str) -> None:
    body = {"game": "cricket", "sides": ["A", "B"]}
    problem(client.post(f"{V1}/matches", json=body, headers={"origin": origin}), 403, "FOREIGN_ORIGIN")
    assert matches.summaries() == []


def test_a_foreign_page_reads_nothing(client: TestClient) -> None:
    headers = {"sec-fetch-site": "cross-site"}
    problem(client.get(f"{V1}/matches", headers=headers), 403, "FOREIGN_ORIGIN")
    answer = client.get(f"{V1}/matches", headers={"origin": "http://evil.example"})
    assert "access-control-allow-origin" not in answer.headers


def test_our_own_page_may_change_things(client: TestClient) -> None:
    body = {"game": "cricket", "sides": ["A", "B"]}
    answer = client.post(f"{V1}/matches", json=body, headers={"origin": "http://localhost:8180"})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_what_a_form_can_send_is_not_taken(client: TestClient, matches: Matches, kind: str) -> None:
    body = b'{"game": "cricket", "sides": ["A", "B"]}'
    assert client.post(f"{V1}/matches", content=body, headers={"content-type": kind}).status_code in {415, 422}
    assert matches.summaries() == []


def test_large_bodies_are_refused_told_or_not(client: TestClient) -> None:
    body = b'{"game": "' + b"x" * BODY_LIMIT + b'"}'
    headers = {"content-type": "application/json"}
    problem(client.post(f"{V1}/matches", content=body, headers=headers), 413, "TOO_LARGE")

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(body), 4096):
            yield body[start : start + 4096]

    problem(client.post(f"{V1}/matches", content=pieces(), headers=headers), 413, "TOO_LARGE")


def test_every_answer_carries_the_headers_that_keep_pages_apart(client: TestClient, matches: Matches) -> None:
    match_id = played(matches, "T20")
    for path in ("/", "/static/app.js", f"/match/{match_id}", f"{V1}/matches", f"{V1}/nothing", "/nothing"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == ("no-store" if path.startswith("/api") else "no-cache")


def test_forwarded_headers_are_not_believed(client: TestClient) -> None:
    headers = {"x-forwarded-host": "localhost", "host": "evil.example", "x-forwarded-for": "127.0.0.1"}
    problem(client.get(f"{V1}/matches", headers=headers), 421, "UNKNOWN_HOST")


def test_openapi_declares_what_may_be_refused(app: FastAPI) -> None:
    described = app.openapi()
    assert described["openapi"].startswith("3.1")
    assert "HTTPValidationError" not in described["components"]["schemas"]
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            for status, answer in route["responses"].items():
                kinds = set(answer.get("content", {}))
                assert kinds == {"application/problem+json"} or status.startswith("2"), (path, method, status)
            assert route["operationId"]
            assert route["summary"]
            assert {"403", "421"} <= set(route["responses"]), path
    ids = [route["operationId"] for methods in described["paths"].values() for route in methods.values()]
    assert len(ids) == len(set(ids))


def _routes(routes: Iterable[Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield from ((method, prefix + route.path) for method in route.methods or ())
        elif hasattr(route, "original_router"):
            yield from _routes(route.original_router.routes, V1)
        else:
            yield ("*", route.path)


def references(value: object) -> Iterator[str]:
    """Give every reference in a JSON value."""
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_asyncapi_describes_every_event_that_is_told(client: TestClient, matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19", doubt=3)
    matches.append(match_id, 5, [(amend(2, throw(0, "T20", 2000)), None)])
    matches.undo(match_id, 6, UMPIRE)
    matches.decide(match_id, 3, "confirmed", UMPIRE)
    told = [json.loads(cloud_event(message)) for message in matches.changes(0)]
    for event in told:
        envelope = TypeAdapter(asyncapi.CloudEvent).validate_python(event)
        form = asyncapi.FORMS[envelope.type.removeprefix("tallycam.")]
        read = TypeAdapter(form).dump_python(TypeAdapter(form).validate_python(event["data"]))
        assert event["data"].keys() <= read.keys()
    assert [event["id"] for event in told] == [str(number) for number in range(1, len(told) + 1)]
    described = client.get(f"{V1}/asyncapi.json").json()
    for reference in references(described):
        spot = described
        for part in reference.removeprefix("#/").split("/"):
            spot = spot[part]
        assert spot


def test_each_step_is_how_the_match_stood_after_it(client: TestClient, matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19 S19 S3")
    matches.append(match_id, 8, [(amend(2, throw(0, "S19", 2000)), None)])
    told = client.get(f"{V1}/matches/{match_id}/steps").json()
    assert told["seq"] == 9
    sheet = matches.sheet(match_id)
    again = new_sheet("cricket", sheet.sides)
    for (number, action), step in zip(effective(sheet.entries), told["steps"], strict=True):
        again = record_action(again, action)
        assert step == {"id": number, "result": result(again)}
    assert told["steps"][-1]["result"] == client.get(f"{V1}/matches/{match_id}").json()["result"]
    problem(client.get(f"{V1}/matches/nosuch/steps"), 404, "NO_SUCH_MATCH")


def test_a_fault_is_a_problem_without_inner_details(client: TestClient, matches: Matches) -> None:
    matches.store.folder = None  # type: ignore[assignment]
    matches.store.ids = lambda: 1 / 0  # type: ignore[assignment, return-value, method-assign]
    body = problem(client.get(f"{V1}/matches"), 500, "FAULT")
    assert "ZeroDivision" not in str(body)


@pytest.mark.parametrize(
    "path", ["/static/../api/app.py", "/static/%2e%2e/live.py", "/static/..%2flive.py", "/static//etc/passwd"]
)
def test_the_pages_files_are_all_that_can_be_had(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_page_is_small_and_needs_nothing_from_elsewhere(root: Path) -> None:
    files = [path for path in (root / "service" / "static").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 310_000  # of which no view loads more than 150 kB
    for path in files:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text
        assert "innerHTML" not in text


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream"])
def test_a_body_of_another_type_is_said_to_be_one(client: TestClient, kind: str) -> None:
    body = '{"game": "cricket", "sides": ["Ann", "Ben"]}'
    answer = client.post(f"{V1}/matches", content=body, headers={"Content-Type": kind})
    problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "sides",
    [["Ann", "Ann"], ["Ann", " ann "], ["Ann", "B\nen"], ["Ann", "B\x00en"], ["Ann", "\u2028"], ["Ann", "  "]],
)
def test_sides_have_names_that_people_can_tell_apart(client: TestClient, sides: list[str]) -> None:
    problem(client.post(f"{V1}/matches", json={"game": "cricket", "sides": sides}), 422, "MALFORMED")


def test_a_time_that_no_reader_can_hold_is_refused(client: TestClient, matches: Matches) -> None:
    match_id = played(matches)
    for t_ms, status in ((2**53, 422), (2**53 - 1, 201)):
        body = {"expected_seq": 0, "entry": record(throw(0, "T20", t_ms), "player")}
        assert client.post(f"{V1}/matches/{match_id}/entries", json=body).status_code == status


def test_who_was_away_for_long_is_told_how_it_stands_and_not_each_change(matches: Matches) -> None:
    match_id = played(matches, *["T20 S20 S5", "T19 S19 S3"] * 12)
    matches.hub.close()
    client = TestClient(create_app(matches), base_url="http://localhost:8180")
    newest = matches.last_change(match_id)
    for last, kind in ((newest - 5, "event: change"), (newest - 90, "event: snapshot")):
        told = client.get(f"{V1}/matches/{match_id}/changes", headers={"Last-Event-ID": str(last)}).text
        events = [line for line in told.splitlines() if line.startswith("event: ")]
        assert set(events) == {kind}
        assert len(events) == (5 if kind == "event: change" else 1)
