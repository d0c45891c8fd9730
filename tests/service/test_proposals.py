"""What another program saw goes the way of what a board sees: it counts, or a person is asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.boards_service import V1, Served, served
from support.service import UMPIRE


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        yield found


def begin(at: Served, game: str = "cricket", on_doubt: str = "mark") -> str:
    new = {"game": game, "sides": ["Ann", "Ben"], "on_doubt": on_doubt}
    match_id: str = at.ask("POST", "/matches", new, 201)["id"]
    return match_id


def propose(
    at: Served,
    match_id: str,
    action: dict[str, Any],
    *codes: str,
    status: int = 201,
    key: str | None = None,
    **more: object,
) -> Any:  # noqa: ANN401 - JSON
    body = {"action": action, "review": [{"code": code} for code in codes], **more}
    headers = {} if key is None else {"Idempotency-Key": key}
    answer = at.client.post(f"{V1}/matches/{match_id}/proposals", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def dart(segment: str, t_ms: int, **more: object) -> dict[str, Any]:
    return {"kind": "throw", "t_ms": t_ms, "segment": segment, **more}


def test_what_is_sure_counts_and_what_is_doubted_is_marked(at: Served) -> None:
    match_id = begin(at)
    told = propose(at, match_id, dart("T20", 1000), confidence=0.99, model="other 1.0")
    assert (told["state"], told["review"], told["match"]["result"]["scores"]) == ("written", None, [0, 0])
    told = propose(at, match_id, dart("S20", 2000), "ON_A_WIRE", confidence=0.5)
    step = told["match"]["history"][1]
    assert (told["state"], step["by"], step["seen"]["confidence"]) == ("written", "camera", 0.5)
    review = at.ask("GET", f"/reviews/{told['review']}")
    assert (review["codes"], review["entries"]) == ([{"code": "ON_A_WIRE"}], [2])


def test_a_doubt_waits_where_the_match_wants_it_and_the_rest_behind_it(at: Served) -> None:
    match_id = begin(at, on_doubt="wait")
    told = propose(at, match_id, dart("T20", 1000), "ON_A_WIRE")
    assert (told["state"], told["match"]["seq"]) == ("waiting", 0)
    assert propose(at, match_id, dart("S1", 2000))["state"] == "held"
    assert propose(at, match_id, {"kind": "end_turn", "t_ms": 3000})["state"] == "held"
    decision = {"decision": "accept", "by": UMPIRE}
    at.ask("POST", f"/reviews/{told['review']}/decision", decision, 201)
    (filled,) = at.ask("GET", "/reviews")["reviews"]
    assert filled["codes"] == [{"code": "FILLED_WITH_MISS"}]
    at.ask("POST", f"/reviews/{filled['id']}/decision", decision, 201)
    assert [action.get("segment") for action in at.actions(match_id)] == ["T20", "S1", "MISS", None]


def test_what_is_proposed_again_under_its_key_counts_once(at: Served) -> None:
    match_id = begin(at)
    for on_doubt, count in (("mark", 1), ("wait", 1)):
        at.ask("PUT", f"/matches/{match_id}/settings", {"on_doubt": on_doubt})
        first = propose(at, match_id, dart("T20", 1000), "ON_A_WIRE", key=on_doubt)
        again = propose(at, match_id, dart("T20", 1000), "ON_A_WIRE", key=on_doubt)
        assert (again["state"], again["review"], again["match"]["seq"]) == (first["state"], first["review"], count)
    assert propose(at, match_id, dart("T19", 1000), key="mark", status=422)["code"] == "KEY_USED"


def test_shots_of_the_other_games_can_be_proposed(at: Served) -> None:
    finn = begin(at, "finn")
    told = propose(at, finn, {"kind": "shot", "t_ms": 1000, "pins": {"7": "fallen"}})
    assert told["match"]["result"]["scores"] == [7, 0]
    marbles = begin(at, "astrolabe")
    moves = [{"ball": 0, "from": "hand", "to": [3, 1]}]
    told = propose(at, marbles, {"kind": "shot", "side": 0, "t_ms": 1000, "moves": moves})
    assert [entry["action"]["kind"] for entry in told["match"]["entries"]] == ["start_round", "shot"]


@pytest.mark.parametrize(
    ("game", "action", "status", "code"),
    [
        ("cricket", dart("T20", 1000, side=1), 409, "WRONG_SIDE"),
        ("cricket", dart("T21", 1000), 409, "UNKNOWN_SEGMENT"),
        ("cricket", {"kind": "throw", "segment": "T20"}, 422, "MALFORMED"),
        ("cricket", {"kind": "undo", "t_ms": 1000}, 409, "REFUSED"),
        ("cricket", {"kind": "throw", "segment": "T20", "t_ms": 2**60}, 422, "MALFORMED"),
        ("astrolabe", {"kind": "start_round", "t_ms": 1000}, 422, "MALFORMED"),
        ("finn", {}, 422, "MALFORMED"),
    ],
)
def test_what_cannot_be_proposed_is_refused(
    at: Served, game: str, action: dict[str, Any], status: int, code: str
) -> None:
    match_id = begin(at, game)
    assert propose(at, match_id, action, status=status)["code"] == code
    assert at.ask("GET", f"/matches/{match_id}")["seq"] == 0
    assert at.ask("GET", "/reviews")["reviews"] == []


def test_pictures_are_those_that_were_brought(at: Served) -> None:
    match_id = begin(at)
    name = at.boards.media.keep(b"a picture, for all that is asked of it here")
    told = propose(at, match_id, dart("T20", 1000), "ON_A_WIRE", pictures={"after": name})
    assert at.ask("GET", f"/reviews/{told['review']}")["pictures"] == {"after": name}
    refused = propose(at, match_id, dart("T20", 2000), pictures={"after": "0" * 64}, status=422)
    assert refused["code"] == "NO_SUCH_PICTURE"
