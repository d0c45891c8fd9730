"""Doubts: marked and counted, or waiting for a person; what waits behind one goes on in its order."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.boards_service import Served, served
from support.service import UMPIRE, amend, record, throw

from service.sightings import Taken
from vision.events import Event


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        yield found


class Seeing:
    """What sees one match, without a camera."""

    def __init__(self, at: Served, game: str, on_doubt: str, **more: object) -> None:
        new = {"game": game, "sides": ["Ann", "Ben"], "on_doubt": on_doubt, **more}
        self.at = at
        self.match_id: str = at.ask("POST", "/matches", new, 201)["id"]
        self.number = 0

    def sees(self, kind: str, t_ms: int, *codes: str, **data: object) -> Taken:
        """See something."""
        self.number += 1
        whole = {**data, "review": [{"code": code} for code in codes]}
        event = Event(kind=kind, t_ms=t_ms, frame=t_ms // 40, end_frame=t_ms // 40 + 5, data=whole)
        taken = self.at.boards.sightings.take(self.match_id, self.number, event, {})
        assert taken is not None
        return taken

    def throws(self, segment: str, t_ms: int, *codes: str) -> Taken:
        """See a dart."""
        return self.sees("throw", t_ms, *codes, segment=segment, xy_mm=[1.0, 103.0], confidence=0.8)

    def shoots(self, t_ms: int, *codes: str, pins: Mapping[str, str], confidence: float = 0.8) -> Taken:
        """See a shot of Finn Billiards."""
        action = {"kind": "shot", "side": 0, "t_ms": t_ms, "pins": dict(pins), "cushions": 0}
        return self.sees("shot", t_ms, *codes, action=action, pins={}, confidence=confidence)

    def revises(self, t_ms: int, shot_ms: int, *codes: str, pins: Mapping[str, str]) -> Taken:
        """See a shot of Finn Billiards otherwise, later."""
        action = {"kind": "shot", "side": 0, "t_ms": shot_ms, "pins": dict(pins), "cushions": 0}
        return self.sees("shot_revised", t_ms, *codes, shot_frame=shot_ms // 40, action=action, confidence=0.97)

    @property
    def darts(self) -> list[str]:
        """The segments that count, a dot for the end of a turn."""
        history = self.at.ask("GET", f"/matches/{self.match_id}")["history"]
        return [step["action"].get("segment", ".") for step in history]

    @property
    def scores(self) -> list[int]:
        """Scores of the match."""
        scores: list[int] = self.at.ask("GET", f"/matches/{self.match_id}")["result"]["scores"]
        return scores

    def open(self) -> list[dict[str, Any]]:
        """What is to be looked at."""
        found: list[dict[str, Any]] = self.at.ask("GET", f"/reviews?match={self.match_id}")["reviews"]
        return found

    def decide(self, number: int, decision: str, *actions: Mapping[str, Any], status: int = 201) -> Any:  # noqa: ANN401
        """Decide."""
        body = {"decision": decision, "by": UMPIRE, "actions": [dict(action) for action in actions]}
        return self.at.ask("POST", f"/reviews/{number}/decision", body, status)


# Marked


def test_marked_doubts_count_and_are_looked_at_later(at: Served) -> None:
    seeing = Seeing(at, "cricket", "mark")
    seeing.throws("T20", 1000)
    seeing.throws("S5", 2000, "ON_A_WIRE")
    seeing.throws("S20", 3000)
    seeing.sees("takeout", 5000, darts=3)
    assert (seeing.darts, seeing.scores) == (["T20", "S5", "S20", "."], [20, 0])
    (review,) = seeing.open()
    assert (review["state"], review["codes"], review["entries"]) == ("written", [{"code": "ON_A_WIRE"}], [2])
    whole = at.ask("GET", f"/reviews/{review['id']}")
    assert whole["event"]["segment"] == "S5"
    assert whole["actions"] == [throw(0, "S5", 2000)]
    offered = next(one for one in whole["alternatives"] if one["notation"] == "S20")
    decided = seeing.decide(review["id"], "correct", offered["action"])
    assert (decided["open"], decided["decision"], decided["by"]) == (False, "correct", UMPIRE)
    assert at.ask("GET", f"/matches/{seeing.match_id}")["result"] == offered["preview"]["result"]
    assert seeing.open() == []
    assert [one["id"] for one in at.ask("GET", "/reviews?state=decided")["reviews"]] == [review["id"]]
    assert seeing.decide(review["id"], "accept", status=409)["code"] == "DECIDED"


def test_a_doubt_that_was_settled_at_its_entry_is_no_longer_asked_about(at: Served) -> None:
    seeing = Seeing(at, "cricket", "mark")
    seeing.throws("S5", 1000, "ON_A_WIRE")
    seeing.throws("S1", 2000, "TIP_UNSURE")
    assert len(seeing.open()) == 2
    path = f"/matches/{seeing.match_id}"
    at.ask("POST", f"{path}/reviews", {"entry": 1, "decision": "confirmed", "by": "player"}, 201)
    at.ask("POST", f"{path}/entries", {"expected_seq": 2, "entry": amend(2, throw(0, "S20", 2000))}, 201)
    assert seeing.open() == []


def test_what_nobody_could_score_is_asked_about_and_can_be_put_where_it_happened(at: Served) -> None:
    seeing = Seeing(at, "cricket", "mark")
    seeing.throws("T20", 1000)
    seeing.sees("board_changed", 2000, "NO_DART_FOUND")
    seeing.throws("S1", 3000)
    (review,) = seeing.open()
    assert (review["event_kind"], review["entries"], review["state"]) == ("board_changed", [], "written")
    seeing.decide(review["id"], "correct", {"kind": "throw", "side": 0, "segment": "T19"})
    assert seeing.darts == ["T20", "T19", "S1"]
    assert seeing.open() == []


def test_a_fourth_dart_is_asked_about(at: Served) -> None:
    seeing = Seeing(at, "cricket", "mark")
    for number in range(4):
        seeing.throws("T20", 1000 * number)
    assert seeing.darts == ["T20"] * 3
    (review,) = seeing.open()
    assert review["codes"] == [{"code": "FOURTH_DART"}]
    seeing.decide(review["id"], "strike")
    assert seeing.open() == []


def test_each_change_of_a_review_is_told_by_number(at: Served) -> None:
    seeing = Seeing(at, "cricket", "mark")
    seeing.throws("S5", 1000, "ON_A_WIRE")
    seeing.decide(seeing.open()[0]["id"], "accept")
    kinds = [change.kind for change in at.matches.changes(0, seeing.match_id)]
    assert kinds == [
        "match.created",
        "entry.recorded",
        "review.opened",
        "review.decided",
        "review.decided",
    ]


# Waiting


def test_what_follows_a_doubt_waits_behind_it_and_goes_on_in_order(at: Served) -> None:
    seeing = Seeing(at, "cricket", "wait")
    seeing.throws("T20", 1000)
    assert seeing.throws("S5", 2000, "ON_A_WIRE").state == "waiting"
    assert seeing.throws("S20", 3000).state == "held"
    assert seeing.sees("takeout", 5000, darts=3).state == "held"
    assert seeing.throws("T19", 9000).state == "held"
    assert seeing.darts == ["T20"]
    waiting, *held = seeing.open()
    assert (waiting["state"], [one["state"] for one in held]) == ("waiting", ["held"] * 3)
    assert seeing.decide(held[0]["id"], "accept", status=409)["code"] == "DECIDED"
    whole = at.ask("GET", f"/reviews/{waiting['id']}")
    assert whole["actions"] == [throw(0, "S5", 2000)]
    assert whole["alternatives"]
    seeing.decide(waiting["id"], "accept")
    assert seeing.darts == ["T20", "S5", "S20", ".", "T19"]
    assert seeing.open() == []
    assert seeing.scores == [20, 0]


def test_a_doubt_that_waited_is_written_as_the_person_says(at: Served) -> None:
    seeing = Seeing(at, "cricket", "wait")
    seeing.throws("S5", 1000, "ON_A_WIRE")
    seeing.throws("S1", 2000, "TIP_UNSURE")
    seeing.decide(seeing.open()[0]["id"], "correct", {"kind": "throw", "side": 0, "segment": "T20"})
    assert seeing.darts == ["T20"]
    (second,) = seeing.open()
    assert second["state"] == "waiting"
    seeing.decide(second["id"], "strike")
    assert (seeing.darts, seeing.open()) == (["T20"], [])
    entry = at.ask("GET", f"/matches/{seeing.match_id}")["entries"][0]
    assert (entry["by"], entry["action"]["t_ms"]) == (UMPIRE, 1000)


def test_misses_that_nobody_saw_wait_too(at: Served) -> None:
    seeing = Seeing(at, "cricket", "wait")
    seeing.throws("T20", 1000)
    assert seeing.sees("takeout", 5000, darts=1).state == "waiting"
    (review,) = seeing.open()
    assert review["codes"] == [{"code": "FILLED_WITH_MISS"}]
    whole = at.ask("GET", f"/reviews/{review['id']}")
    assert [action.get("segment") for action in whole["actions"]] == ["MISS", "MISS", None]
    path = f"/matches/{seeing.match_id}/entries"
    at.ask("POST", path, {"expected_seq": 1, "entry": record(throw(0, "S20", 2000), "player")}, 201)
    seeing.decide(review["id"], "accept")
    assert seeing.darts == ["T20", "S20", "MISS", "."]


def test_with_marking_chosen_what_waited_goes_on(at: Served) -> None:
    seeing = Seeing(at, "cricket", "wait")
    seeing.throws("S5", 1000, "ON_A_WIRE")
    seeing.throws("S1", 2000)
    path = f"/matches/{seeing.match_id}/settings"
    assert at.ask("GET", path) == {"on_doubt": "wait"}
    at.ask("PUT", path, {"on_doubt": "mark"})
    assert seeing.darts == ["S5", "S1"]
    assert [one["state"] for one in seeing.open()] == ["written"]


def test_what_waits_is_there_after_a_restart_and_counts_once(tmp_path: Path) -> None:
    with served(tmp_path) as at:
        seeing = Seeing(at, "cricket", "wait")
        seeing.throws("S5", 1000, "ON_A_WIRE")
        seeing.throws("T20", 2000)
    with served(tmp_path) as at:
        seeing.at = at
        seeing.decide(seeing.open()[0]["id"], "accept")
        assert seeing.darts == ["S5", "T20"]


# The rules' word


def test_what_the_rules_refuse_never_counts_by_itself(at: Served) -> None:
    seeing = Seeing(at, "astrolabe", "mark")

    def shot(side: int, t_ms: int, slot: int) -> Taken:
        moves = [{"ball": side, "from": "hand", "to": [3, slot]}]
        action = {"kind": "shot", "side": side, "t_ms": t_ms, "moves": moves}
        return seeing.sees("shot", t_ms, action=action, confidence=0.9)

    assert shot(0, 1000, 1).state == "written"
    path = f"/matches/{seeing.match_id}"
    turn = at.ask("GET", path)["result"]["turn"]
    assert shot(1 - turn, 3000, 2).state == "waiting", "the shot of the side on turn was not seen"
    assert shot(turn, 5000, 3).state == "held"
    view = at.ask("GET", path)
    assert view["result"]["conflict"] is None
    assert [entry["action"]["kind"] for entry in view["entries"]] == ["start_round", "shot"]
    waiting = seeing.open()[0]
    assert [code["code"] for code in waiting["codes"]] == ["RULES_REFUSE"]
    assert seeing.decide(waiting["id"], "accept", status=409)["code"] == "NOT_POSSIBLE"
    moves = [{"ball": turn, "from": "hand", "to": "hand"}]
    missed = {"kind": "shot", "side": turn, "t_ms": 2000, "moves": moves}
    at.ask("POST", f"{path}/entries", {"expected_seq": 2, "entry": record(missed, "player")}, 201)
    view = at.ask("GET", path)
    assert [entry["action"].get("side") for entry in view["entries"][2:]] == [turn, 1 - turn]
    assert view["result"]["conflict"] is None
    (behind,) = seeing.open()
    assert (behind["state"], view["result"]["turn"]) == ("waiting", 1 - turn), "that side scored and goes on"
    seeing.decide(behind["id"], "strike")
    assert seeing.open() == []


# Revised


def test_a_shot_that_setting_up_tells_otherwise_is_amended_by_the_camera(at: Served) -> None:
    seeing = Seeing(at, "finn", "mark")
    seeing.shoots(1000, "WHICH_PIN", pins={"7": "fallen"})
    assert seeing.scores == [7, 0]
    seeing.revises(4000, 1000, pins={"9": "fallen"})
    assert (seeing.scores, seeing.open()) == ([9, 0], [])
    entries = at.ask("GET", f"/matches/{seeing.match_id}")["entries"]
    assert [(entry["entry"], entry["by"]) for entry in entries] == [("record", "camera"), ("amend", "camera")]


def test_a_later_look_that_says_the_same_for_sure_writes_nothing_and_asks_nobody(at: Served) -> None:
    seeing = Seeing(at, "finn", "mark")
    seeing.shoots(1000, "WHICH_PIN", pins={"7": "fallen"})
    assert len(seeing.open()) == 1
    seeing.revises(4000, 1000, pins={"7": "fallen"})
    view = at.ask("GET", f"/matches/{seeing.match_id}")
    assert (view["seq"], seeing.scores, seeing.open()) == (1, [7, 0], [])
    assert view["history"][0]["seen"]["review"] == []


def test_a_later_look_that_still_doubts_goes_on_asking(at: Served) -> None:
    seeing = Seeing(at, "finn", "mark")
    seeing.shoots(1000, pins={"7": "fallen"})
    assert seeing.open() == []
    seeing.revises(4000, 1000, "COUNT_CHANGED", pins={"7": "fallen", "9": "fallen"})
    assert seeing.scores == [2, 0]
    (review,) = seeing.open()
    assert (review["event_kind"], review["codes"]) == ("shot", [{"code": "COUNT_CHANGED"}])
    seeing.decide(review["id"], "correct", {"kind": "shot", "pins": {"7": "fallen"}})
    assert (seeing.scores, seeing.open()) == ([7, 0], [])


def test_a_shot_that_a_person_has_put_right_stays_as_it_is(at: Served) -> None:
    seeing = Seeing(at, "finn", "mark")
    seeing.shoots(1000, "WHICH_PIN", pins={"7": "fallen"})
    seeing.decide(seeing.open()[0]["id"], "correct", {"kind": "shot", "pins": {"8": "fallen"}})
    assert seeing.scores == [8, 0]
    seeing.revises(4000, 1000, pins={"9": "fallen"})
    assert seeing.scores == [8, 0]
    (review,) = seeing.open()
    assert review["codes"] == [{"code": "REVISED_LATER"}]
    seeing.decide(review["id"], "accept")
    assert (seeing.scores, seeing.open()) == ([8, 0], [])


def test_a_shot_that_waits_goes_on_when_a_later_look_leaves_no_doubt(at: Served) -> None:
    seeing = Seeing(at, "finn", "wait")
    assert seeing.shoots(1000, "WHICH_PIN", pins={"7": "fallen"}).state == "waiting"
    seeing.revises(4000, 1000, pins={"9": "fallen"})
    assert (seeing.scores, seeing.open()) == ([9, 0], [])
    seeing.shoots(9000, pins={})
    sides = [entry["action"]["side"] for entry in at.ask("GET", f"/matches/{seeing.match_id}")["entries"]]
    assert sides == [0, 1]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/reviews/99", None, 404, "NO_SUCH_REVIEW"),
        ("/reviews?match=none", None, 404, "NO_SUCH_MATCH"),
        ("/reviews?match=NO", None, 422, "MALFORMED"),
        ("/reviews/1/decision", {"decision": "accept", "by": "camera"}, 422, "MALFORMED"),
        ("/reviews/1/decision", {"decision": "correct", "by": UMPIRE}, 409, "NOT_POSSIBLE"),
        ("/reviews/1/decision", {"decision": "accept", "by": UMPIRE, "actions": [{}]}, 409, "NOT_POSSIBLE"),
        ("/reviews/1/decision", {"decision": "correct", "by": UMPIRE, "actions": [{}]}, 422, "MALFORMED"),
    ],
)
def test_what_does_not_fit_is_refused(at: Served, path: str, body: object, status: int, code: str) -> None:
    seeing = Seeing(at, "cricket", "mark")
    seeing.throws("S5", 1000, "ON_A_WIRE")
    answer = at.ask("GET" if body is None else "POST", path, body, status)
    assert answer["code"] == code
    assert len(seeing.open()) == 1
