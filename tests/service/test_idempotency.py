"""A request that is sent again under its key is done once: what it made is given again, nothing made twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.boards_service import V1, Served, sample_setup, served
from support.service import UMPIRE

from service.sightings import Sightings
from vision.events import Event

BOARD = {"name": "One", "game": "cricket", "source": "camera:9"}


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        yield found


def post(at: Served, path: str, body: object, key: str = "a key", status: int = 201) -> Any:  # noqa: ANN401 - JSON
    answer = at.client.post(f"{V1}{path}", json=body, headers={"Idempotency-Key": key})
    assert answer.status_code == status, answer.text
    return answer.json()


def doubtful(at: Served, on_doubt: str, *codes: str) -> str:
    """Begin a match in which a dart was seen; gives its id."""
    match_id = at.matches.create("cricket", ["Ann", "Ben"], on_doubt=on_doubt)
    for number, code in enumerate(codes, 1):
        data = {"segment": "S5", "xy_mm": [1.0, 2.0], "review": [{"code": code}]}
        event = Event(kind="throw", t_ms=1000 * number, frame=number, end_frame=number, data=data)
        at.boards.sightings.take(match_id, number, event, {})
    return match_id


def test_a_board_and_its_setups_are_made_once(at: Served) -> None:
    board = post(at, "/boards", BOARD)
    assert post(at, "/boards", BOARD) == board
    assert len(at.ask("GET", "/boards")["boards"]) == 1
    path, body = f"/boards/{board['id']}/setups", {"setup": sample_setup("cricket")}
    first = post(at, path, body, "another")
    assert post(at, path, body, "another") == first
    assert post(at, path, body, "a third")["version"] == 2
    assert post(at, path, body, "another") == first


def test_a_board_that_was_taken_away_is_not_made_again(at: Served) -> None:
    board = post(at, "/boards", BOARD)
    at.ask("DELETE", f"/boards/{board['id']}", status=204)
    assert post(at, "/boards", BOARD, status=404)["code"] == "NO_SUCH_BOARD"


def test_watching_is_begun_once(at: Served) -> None:
    board = post(at, "/boards", BOARD)
    at.boards.table.add_setup(board["id"], sample_setup("cricket"), "player", "now")
    path, body = f"/boards/{board['id']}/watching", {"match": at.matches.create("cricket", ["Ann", "Ben"])}
    watching = post(at, path, body, "another")["watching"]
    assert post(at, path, body, "another")["watching"] == watching
    assert at.ask("POST", path, body, 409)["code"] == "IN_USE"
    at.boards.stop(board["id"])
    assert post(at, path, body, "another")["watching"] is None, "it has been stopped since, and stays so"


@pytest.mark.parametrize("on_doubt", ["mark", "wait"])
@pytest.mark.parametrize(
    ("decision", "actions", "darts"),
    [
        ("accept", [], ["S5", "S5"]),
        ("correct", [{"kind": "throw", "side": 0, "segment": "T20"}], ["T20", "S5"]),
        ("strike", [], ["S5"]),
    ],
)
def test_a_review_is_decided_once(
    at: Served, on_doubt: str, decision: str, actions: list[dict[str, Any]], darts: list[str]
) -> None:
    match_id = doubtful(at, on_doubt, "ON_A_WIRE", "TIP_UNSURE")
    body = {"decision": decision, "by": UMPIRE, "actions": actions}
    told = post(at, "/reviews/1/decision", body)
    before = at.matches.last_change()
    assert post(at, "/reviews/1/decision", body) == told
    assert at.matches.last_change() == before
    assert at.ask("POST", "/reviews/1/decision", body, 409)["code"] == "DECIDED"
    post(at, "/reviews/2/decision", {"decision": "accept", "by": UMPIRE}, "another")
    history = at.ask("GET", f"/matches/{match_id}")["history"]
    assert [step["action"]["segment"] for step in history] == darts


@pytest.mark.parametrize("decision", ["accept", "correct", "strike"])
@pytest.mark.parametrize("on_doubt", ["mark", "wait"])
def test_a_decision_is_kept_with_all_that_it_does_or_not_at_all(
    at: Served, on_doubt: str, decision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = doubtful(at, on_doubt, "ON_A_WIRE")
    actions = [{"kind": "throw", "side": 0, "segment": "T20"}] if decision == "correct" else []
    before = at.matches.text(match_id), at.matches.last_change()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the power fails before the last of it is written")

    with monkeypatch.context() as patched:
        patched.setattr("service.store.store.write_done", broken)
        with pytest.raises(RuntimeError):
            post(at, "/reviews/1/decision", {"decision": decision, "by": UMPIRE, "actions": actions})
    assert (at.matches.text(match_id), at.matches.last_change()) == before
    assert at.ask("GET", "/reviews/1")["open"]
    assert not post(at, "/reviews/1/decision", {"decision": decision, "by": UMPIRE, "actions": actions})["open"]


def test_a_key_opens_one_request_alone(at: Served) -> None:
    post(at, "/boards", BOARD)
    assert post(at, "/boards", {**BOARD, "name": "Two"}, status=422)["code"] == "KEY_USED"
    assert post(at, "/matches", {"game": "cricket", "sides": ["A", "B"]}, status=422)["code"] == "KEY_USED"
    match_id = doubtful(at, "mark", "ON_A_WIRE")
    word = {"decision": "accept", "by": UMPIRE}
    assert post(at, "/reviews/1/decision", word, status=422)["code"] == "KEY_USED"
    new = {"match": match_id}
    board_id = at.ask("GET", "/boards")["boards"][0]["id"]
    assert post(at, f"/boards/{board_id}/watching", new, status=422)["code"] == "KEY_USED"
    setup = {"setup": sample_setup("cricket")}
    assert post(at, f"/boards/{board_id}/setups", setup, status=422)["code"] == "KEY_USED"


def test_what_waits_for_nobody_goes_on_with_the_next_start(tmp_path: Path) -> None:
    """Between a decision and what goes on behind it the service may have been killed."""
    with served(tmp_path) as at:
        match_id = doubtful(at, "wait", "ON_A_WIRE", "TIP_UNSURE")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Sightings, "flush", lambda *_: None)
            at.ask("POST", "/reviews/1/decision", {"decision": "strike", "by": UMPIRE}, 201)
        assert at.ask("GET", "/reviews")["reviews"][0]["state"] == "held"
    with served(tmp_path) as at:
        (review,) = at.ask("GET", f"/reviews?match={match_id}")["reviews"]
        assert review["state"] == "waiting"
        at.ask("POST", f"/reviews/{review['id']}/decision", {"decision": "accept", "by": UMPIRE}, 201)
