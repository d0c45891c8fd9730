"""Who may do what when other machines may ask: each route, role and transport; guessing; pairing."""

import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import Response
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect
from support.program import tallycam
from support.service import amend, opened, played, record, throw

from service.access import GRANTED, RULES, Access, Key, KeyRing, KeysDamaged, Pairing, Role, Tries, needed
from service.api import create_app
from service.matches import Matches

V1 = "/api/v1"
HOST = "http://192.168.1.20:8180"
SOCKET = "ws://192.168.1.20:8180"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A service behind a gate, a key of each role, a match."""

    app: FastAPI
    access: Access
    matches: Matches
    secrets: dict[Role, str]
    match_id: str

    def client(self, role: Role | None = None, peer: str = "192.168.1.30") -> TestClient:
        """Give a client on another machine, with a key in its header."""
        headers = {} if role is None else {"Authorization": f"Bearer {self.secrets[role]}"}
        client = TestClient(self.app, base_url=HOST, headers=headers, client=(peer, 50000))
        client.raise_server_exceptions = False  # type: ignore[attr-defined]
        return client


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    access = Access(keys=KeyRing(tmp_path / "keys.json"))
    held = {role: access.keys.make(role.word, role)[0] for role in GRANTED}
    with opened(tmp_path) as matches:
        app = create_app(matches, hosts=["192.168.1.20"], access=access)
        yield Place(app=app, access=access, matches=matches, secrets=held, match_id=played(matches, "T20 S20 S5"))


def problem(answer: Response, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is a refusal, and give it."""
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    assert body["code"] == code
    return body


def addresses(place: Place) -> Iterator[tuple[str, str]]:
    """Give method and an address of every route, WebSocket among them, ids filled in; what ends a key last."""
    names = {
        "match_id": place.match_id, "entry_id": "1", "name": "0" * 64, "key_id": "00000000",
    }  # fmt: skip
    yield from (("WS", f"{V1}/changes"), ("WS", f"{V1}/matches/{place.match_id}/changes"))
    described = place.app.openapi()["paths"]
    for path, methods in sorted(described.items(), key=lambda one: one[0].endswith("/leave")):
        filled = path.format_map(_Filled(names))
        yield from ((method.upper(), filled) for method in methods)


class _Filled(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


def test_every_route_has_a_rule(place: Place) -> None:
    described = list(addresses(place))
    assert len(described) > 15
    assert [one for one in described if needed(*one) is None] == []


def test_every_rule_is_of_some_route(place: Place) -> None:
    pages = ["/", "/tv", "/pair", "/devices", "/match/x/story", "/static/app.js"]
    asked = [*addresses(place), *(("GET", path) for path in (*pages, f"{V1}/openapi.json"))]
    unused = [
        rule for rule in RULES if not any(rule.method == m and rule.path.fullmatch(path) for m, path in asked)
    ]
    assert unused == []


@pytest.mark.parametrize("role", [None, *GRANTED], ids=lambda role: "nobody" if role is None else role.word)
def test_each_route_lets_in_the_roles_of_its_rule_and_no_other(place: Place, role: Role | None) -> None:
    client = place.client(role)
    held = Role.NOBODY if role is None else role
    for method, path in addresses(place):
        rule = needed(method, path)
        assert rule is not None
        if method == "GET" and path.endswith("/changes"):
            continue  # a stream without end: the WebSocket of the same address is asked
        status = _knock(client, method, path)
        if held >= rule:
            assert status not in (401, 403), (method, path)
        else:
            assert status == (401 if role is None else 403), (method, path)


def _knock(client: TestClient, method: str, path: str) -> int:
    if method != "WS":
        return client.request(method, path).status_code
    try:
        with client.websocket_connect(SOCKET + path):
            return 101
    except WebSocketDenialResponse as denied:
        return denied.status_code
    except WebSocketDisconnect as closed:
        return {1008: 403}.get(closed.code, closed.code)


def test_what_no_rule_names_is_closed_to_an_admin_too(place: Place) -> None:
    for path in (f"{V1}/nothing", f"{V1}/matches/{place.match_id}/%2e%2e/%2e%2e/config", "/docs", f"{V1}/config/"):
        assert place.client(Role.ADMIN).get(path).status_code == 404
        assert place.client().get(path).status_code in (401, 404)


def test_a_scorer_records_but_only_an_umpire_corrects(place: Place) -> None:
    scorer, umpire = place.client(Role.SCORER), place.client(Role.UMPIRE)
    path = f"{V1}/matches/{place.match_id}"
    dart = {"expected_seq": 4, "entry": record(throw(1, "T19", 9000), "player")}
    assert scorer.post(f"{path}/entries", json=dart).status_code == 201
    fix = {"expected_seq": 5, "entry": amend(2, throw(0, "T20", 2000))}
    problem(scorer.post(f"{path}/entries", json=fix), 403, "ROLE_TOO_LOW")
    problem(scorer.post(f"{path}/undo", json={"expected_seq": 5, "by": "umpire:Me"}), 403, "ROLE_TOO_LOW")
    assert umpire.post(f"{path}/entries", json=fix).status_code == 201


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_keys_open_nothing_and_are_slowed_down(place: Place, count: int) -> None:
    client = place.client()
    statuses = []
    for number in range(count):
        guess = f"tally_{secrets.token_urlsafe(32)}"
        way = {"Authorization": f"Bearer {guess}"} if number % 2 else {"Cookie": f"tallycam={guess}"}
        statuses.append(client.get(f"{V1}/matches", headers=way).status_code)
    assert statuses[:10] == [401] * 10
    assert set(statuses[10:]) == {429}
    assert place.client(Role.DISPLAY).get(f"{V1}/matches").status_code == 200, "who has a key is not kept out"


def test_a_device_is_paired_once_by_a_code(place: Place) -> None:
    code = place.client(Role.ADMIN).post(f"{V1}/access/codes", json={"role": "umpire"}).json()
    assert code["good_s"] == 600
    assert len({len(row) for row in code["qr"]} | {len(code["qr"])}) == 1
    phone = place.client()
    problem(phone.get(f"{V1}/matches"), 401, "KEY_NEEDED")
    typed = f" {code['code'][:4].lower()}-{code['code'][4:]} "
    answer = phone.post(f"{V1}/access/pair", json={"code": typed, "name": "Ann's phone"})
    assert answer.status_code == 201
    assert answer.json() == {"gate": True, "role": "umpire", "name": "Ann's phone"}
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    assert phone.get(f"{V1}/matches").status_code == 200
    again = place.client().post(f"{V1}/access/pair", json={"code": code["code"], "name": "another"})
    problem(again, 401, "WRONG_CODE")
    key = next(one for one in place.access.keys.all() if one.name == "Ann's phone")
    assert place.client(Role.ADMIN).delete(f"{V1}/access/keys/{key.id}").status_code == 204
    refused = phone.get(f"{V1}/matches")
    problem(refused, 401, "UNKNOWN_KEY")
    assert "Max-Age=0" in refused.headers["set-cookie"]


def test_a_change_under_a_cookie_has_to_come_from_our_page(place: Place) -> None:
    client = place.client()
    cookie = {"Cookie": f"tallycam={place.secrets[Role.ADMIN]}"}
    path, body = f"{V1}/matches", {"game": "cricket", "sides": ["A", "B"]}
    problem(client.post(path, json=body, headers=cookie), 403, "FOREIGN_ORIGIN")
    problem(
        client.post(path, json=body, headers={**cookie, "Origin": "http://evil.example"}), 403, "FOREIGN_ORIGIN"
    )
    assert client.post(path, json=body, headers={**cookie, "Origin": HOST}).status_code == 201
    assert _knock(client, "WS", f"{V1}/changes") == 401
    foreign = {**cookie, "Origin": "http://evil.example"}
    with (
        pytest.raises((WebSocketDenialResponse, WebSocketDisconnect)),
        client.websocket_connect(f"{SOCKET}{V1}/changes", headers=foreign),
    ):
        pass


def test_a_name_that_resolves_here_and_forwarded_headers_open_nothing(place: Place) -> None:
    admin = place.client(Role.ADMIN)
    problem(admin.get(f"{V1}/matches", headers={"Host": "rebound.example"}), 421, "UNKNOWN_HOST")
    local = {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=127.0.0.1"}
    problem(place.client().get(f"{V1}/matches", headers=local), 401, "KEY_NEEDED")
    problem(place.client(peer="127.0.0.1").get(f"{V1}/matches"), 401, "KEY_NEEDED")


def test_no_secret_is_ever_told_again(place: Place, tmp_path: Path) -> None:
    admin = place.client(Role.ADMIN)
    made = admin.post(f"{V1}/access/keys", json={"name": "overlay", "role": "display"}).json()
    secret = made["secret"]
    told = [
        admin.request(method, path).text
        for method, path in addresses(place)
        if method == "GET" and not path.endswith("/changes")
    ]
    for text in (*told, (tmp_path / "keys.json").read_text(encoding="utf-8")):
        assert secret not in text
        assert secret.removeprefix("tally_") not in text
    assert (tmp_path / "keys.json").stat().st_mode & 0o077 == 0
    assert place.client().get(f"{V1}/matches", headers={"Authorization": f"Bearer {secret}"}).status_code == 200


def test_without_a_gate_the_owner_is_asked_for_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        client = TestClient(create_app(matches), base_url="http://127.0.0.1")
        assert client.get(f"{V1}/access/me").json() == {"gate": False, "role": "admin", "name": None}
        problem(client.post(f"{V1}/access/codes", json={"role": "scorer"}), 409, "NO_GATE")
        assert client.get(f"{V1}/config").status_code == 200


def test_codes_end_and_the_oldest_makes_room() -> None:
    now = 0.0
    pairing = Pairing(clock=lambda: now)
    first = pairing.open(Role.SCORER)
    now = 599.0
    others = [pairing.open(Role.DISPLAY) for _ in range(15)]
    assert pairing.redeem(first.text) is Role.SCORER
    assert pairing.redeem(first.text) is None
    now = 599.0 + 601
    assert pairing.redeem(others[0].text) is None


def test_tries_of_one_peer_and_of_all_are_counted() -> None:
    now = 0.0
    tries = Tries(clock=lambda: now)
    for _ in range(10):
        assert tries.wait_s("a") == 0
        tries.wrong("a")
    assert tries.wait_s("a") == 61
    assert tries.wait_s("b") == 0
    for number in range(50):
        tries.wrong(f"c{number}")
    assert tries.wait_s("b") > 0
    now = 61.0
    assert tries.wait_s("a") == tries.wait_s("b") == 0


def test_keys_are_heeded_when_another_process_changes_them(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    service, beside = KeyRing(path), KeyRing(path)
    secret, key = beside.make("overlay", Role.DISPLAY)
    found = service.find(secret)
    assert found is not None
    assert found.id == key.id
    assert beside.revoke(key.id)
    os.utime(path, ns=(1, 1))
    assert service.find(secret) is None
    assert not service.revoke(key.id)


def test_the_last_use_of_a_key_is_kept_to_the_hour(tmp_path: Path) -> None:
    now = datetime(2026, 11, 1, 12, tzinfo=UTC)
    ring = KeyRing(tmp_path / "keys.json", clock=lambda: now)
    secret, _ = ring.make("tv", Role.DISPLAY)

    def used() -> str | None:
        key = ring.find(secret)
        assert isinstance(key, Key)
        return ring.all()[0].used_at

    assert used() == "2026-11-01T12:00:00Z"
    now += timedelta(minutes=59)
    assert used() == "2026-11-01T12:00:00Z"
    now += timedelta(minutes=2)
    assert used() == "2026-11-01T13:01:00Z"


@pytest.mark.parametrize(
    "text",
    ["", "null", "[1]", '[{"id": 1}]', "\0", '[{"id":"1","name":"x","role":"king","hash":"","made_at":""}]'],
)
def test_a_damaged_file_of_keys_opens_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KeysDamaged, match="cannot be read"):
        KeyRing(path)


def test_a_file_of_keys_that_is_damaged_meanwhile_opens_nothing_and_says_so(place: Place) -> None:
    path = place.access.keys.path
    good = path.read_text(encoding="utf-8")
    path.write_text(good[:-40], encoding="utf-8")
    problem(place.client(Role.ADMIN).get(f"{V1}/matches"), 503, "KEYS_DAMAGED")
    path.write_text(good, encoding="utf-8")
    assert place.client(Role.ADMIN).get(f"{V1}/matches").status_code == 200


def test_keys_are_kept_at_the_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ("--data", str(tmp_path))
    assert tallycam(capsys, "access", *data).out == "no key: no device is paired\n"
    made = json.loads(tallycam(capsys, "access", "add", "LED ring", "--role", "display", "--json", *data).out)
    assert made["key"]["name"] == "LED ring"
    assert made["secret"].startswith("tally_")
    listed = tallycam(capsys, "access", "list", *data).out
    assert "LED ring" in listed
    assert made["secret"] not in listed
    assert tallycam(capsys, "access", "revoke", made["key"]["id"], *data).status == 0
    assert tallycam(capsys, "access", "revoke", made["key"]["id"], *data).status == 2
    wrong = tallycam(capsys, "access", "add", "x", "--role", "king", *data)
    assert wrong.err == "tallycam: there is no role 'king'; takes display, scorer, umpire, admin\n"


def test_an_open_stream_ends_when_its_key_is_taken_back(place: Place) -> None:
    key = next(one for one in place.access.keys.all() if one.role == "display")
    with place.client(Role.DISPLAY).websocket_connect(f"{SOCKET}{V1}/changes") as socket:
        assert socket.receive_json()["type"] == "tallycam.matches.snapshot"
        place.access.keys.revoke(key.id)
        place.matches.append(place.match_id, 4, [(record(throw(1, "T19", 9000)), None)])
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 1008
