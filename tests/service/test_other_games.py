"""Whole matches of Finn Billiards and Astrolabe over the API: at every step the score is the rules' own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.program import tallycam
from support.service import UMPIRE, amend, opened, record, strike

from engine import GAMES, parse_sheet, replay, result
from service.api import create_app

CONFIGS: dict[str, dict[str, Any]] = {
    "finn": {"ride_the_rails": True, "good_offense": True},
    "astrolabe": {"blocking": True, "best_of": 3},
}


class Played:
    """A match over the API, held to the rules at every step."""

    def __init__(self, client: TestClient, game: str) -> None:
        body = {"game": game, "sides": ["Ann", "Ben"], "config": CONFIGS[game]}
        self.client = client
        self.path: str = client.post("/api/v1/matches", json=body).headers["location"]
        self.view: dict[str, Any] = client.get(self.path).json()

    def post(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask, hold the answer to the scoresheet's score, and give it."""
        answer = self.client.post(f"{self.path}/{what}", json={"expected_seq": self.view["seq"], **body})
        assert answer.status_code == 201, answer.text
        self.view = answer.json()
        assert self.view["result"] == result(parse_sheet(self.sheet()))
        return self.view

    def sheet(self) -> str:
        """Give the scoresheet."""
        return self.client.get(f"{self.path}/scoresheet").text


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path) as matches:
        yield TestClient(create_app(matches), base_url="http://localhost")


@pytest.mark.parametrize("game", ["finn", "astrolabe"])
@pytest.mark.long
def test_a_match_by_hand_corrected_in_the_middle_is_the_rules_at_every_step(
    client: TestClient, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match, rules = Played(client, game), GAMES[game]
    for seed in range(60):
        state = replay(parse_sheet(match.sheet())).state
        actions = list(rules.legal(state, seed))
        if not actions:
            break
        action = rules.format_action(actions[seed * 7 % len(actions)])
        ahead = client.post(f"{match.path}/preview", json={"entries": [record(action, "player")]}).json()
        told = match.post("entries", {"entry": record(action, "player")})
        assert ahead["previews"][0]["result"] == told["result"]
    assert match.view["seq"] >= 30
    shots = [step for step in match.view["history"] if step["action"]["kind"] == "shot"]
    changed = offered = 0
    for step in shots[:: max(1, len(shots) // 8)]:
        was = match.view["result"]
        offers = client.get(f"{match.path}/entries/{step['id']}/alternatives").json()["alternatives"]
        assert len({json.dumps(one["action"]) for one in offers}) == len(offers)
        assert step["action"] not in [one["action"] for one in offers]
        for one in offers[:2]:
            offered += 1
            told = match.post("entries", {"entry": amend(step["id"], one["action"])})
            assert told["result"] == one["preview"]["result"]
            changed += told["result"] != was
            undone = match.post("undo", {"by": UMPIRE})
            assert undone["result"] == was
    assert offered > 6
    assert changed > 0
    match.post("entries", {"entry": strike(shots[-1]["id"])})
    file = tmp_path / "match.jsonl"
    file.write_text(match.sheet(), encoding="utf-8")
    assert json.loads(tallycam(capsys, "score", str(file)).out) == match.view["result"]


def test_a_pin_that_leans_is_the_first_thing_a_fallen_one_may_have_been(client: TestClient) -> None:
    match = Played(client, "finn")
    match.post("entries", {"entry": record({"kind": "shot", "side": 0, "t_ms": 1, "pins": {"7": "fallen"}})})
    offers = client.get(f"{match.path}/entries/1/alternatives").json()["alternatives"]
    told = [one["notation"] for one in offers]
    assert (told[:4], told[-1]) == (["7/", "-", "7_", "7×"], "7↓ |1")
    assert {"9↓", "5↓"} < set(told[4:-1]), "its neighbours, for which its number may have been taken"
    assert [one["preview"]["result"]["scores"][0] for one in (*offers[:4], offers[-1])] == [0, 0, 0, 0, 8]


def test_a_ball_may_have_come_to_rest_beside_or_elsewhere_but_in_no_slot_that_is_not_there(
    client: TestClient,
) -> None:
    match = Played(client, "astrolabe")
    match.post("entries", {"entry": record({"kind": "start_round", "t_ms": 0})})
    shot = {"kind": "shot", "side": 0, "t_ms": 1, "moves": [{"ball": 0, "from": "hand", "to": [3, 1]}]}
    match.post("entries", {"entry": record(shot)})
    offers = client.get(f"{match.path}/entries/2/alternatives").json()["alternatives"]
    assert [one["notation"] for one in offers] == [">3.2", ">hand", ">grouped", ">gutter", ">2.1", ">out"]
