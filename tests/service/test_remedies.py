"""A correction that would stop the match says so before it is written, and what may be meant instead."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.boards_service import Served, served
from support.matches import random_play
from support.service import UMPIRE, played, strike, throw

from engine import Strike, new_sheet, record, replay
from service.remedies import remedies
from vision.events import Event


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        yield found


def preview(at: Served, match_id: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Ask what an entry comes to."""
    told = at.ask("POST", f"/matches/{match_id}/preview", {"entries": [dict(entry)]})
    found: dict[str, Any] = told["previews"][0]
    return found


def test_to_strike_a_dart_of_an_ended_visit_offers_a_miss_in_its_place(at: Served) -> None:
    match_id = played(at.matches, "T20 S20 S5", "T19")
    ahead = preview(at, match_id, strike(2))
    assert ahead["result"]["conflict"] == {"id": 4, "reason": "TURN_NOT_FULL"}
    (offer,) = ahead["instead"]
    assert "miss" in offer["text"]
    assert offer["entry"]["action"] == throw(0, "MISS", 2000)
    written = at.ask("POST", f"/matches/{match_id}/entries", {"expected_seq": 5, "entry": offer["entry"]}, 201)
    assert written["result"] == offer["result"]
    assert written["result"]["conflict"] is None


def test_a_dart_of_the_running_visit_is_struck_without_a_word(at: Served) -> None:
    match_id = played(at.matches, "T20 S20 S5", "T19")
    ahead = preview(at, match_id, strike(5))
    assert (ahead["result"]["conflict"], ahead["instead"]) == (None, [])


def test_a_dart_that_was_missed_goes_into_the_place_of_a_miss_of_its_visit(at: Served) -> None:
    match_id = played(at.matches, "S1 MISS S5", "MISS T19 MISS", "T1")
    insert = {"entry": "insert", "after": 5, "action": throw(1, "S7", 5500), "by": UMPIRE, "reason": "seen"}
    offers = preview(at, match_id, insert)["instead"]
    assert [offer["entry"]["target"] for offer in offers] == [5, 7]
    assert all(offer["entry"]["action"]["segment"] == "S7" for offer in offers)
    assert all(offer["result"]["conflict"] is None for offer in offers)


def test_what_stops_already_is_not_said_of_what_comes_later(at: Served) -> None:
    match_id = played(at.matches, "T20 S20 S5", "T19 S1 S1", "T18")
    at.matches.append(match_id, 9, [(strike(1), None)])
    assert preview(at, match_id, strike(6))["instead"] == []


def test_a_review_says_what_striking_it_comes_to(at: Served) -> None:
    match_id = at.matches.create("cricket", ["Ann", "Ben"])

    def sees(number: int, kind: str, *codes: str, **data: object) -> None:
        whole = {**data, "review": [{"code": code} for code in codes]}
        event = Event(kind=kind, t_ms=1000 * number, frame=number, end_frame=number, data=whole)
        at.boards.sightings.take(match_id, number, event, {})

    for number, codes in enumerate(((), ("MAYBE_NO_DART",), ()), 1):
        sees(number, "throw", *codes, segment="S5", xy_mm=[1.0, 2.0])
    (review,) = at.ask("GET", "/reviews")["reviews"]
    path = f"/reviews/{review['id']}"
    assert at.ask("GET", path)["strike"]["result"]["conflict"] is None
    sees(4, "takeout", darts=3)
    told = at.ask("GET", path)["strike"]
    assert told["result"]["conflict"]["reason"] == "TURN_NOT_FULL"
    action = told["instead"][0]["entry"]["action"]
    decided = at.ask("POST", f"{path}/decision", {"decision": "correct", "by": UMPIRE, "actions": [action]}, 201)
    assert (decided["open"], decided["strike"]) == (False, None)
    assert at.ask("GET", f"/matches/{match_id}")["result"] == told["instead"][0]["result"]


def test_of_what_waits_nothing_counts_that_could_be_struck(at: Served) -> None:
    match_id = at.matches.create("cricket", ["Ann", "Ben"], on_doubt="wait")
    data = {"segment": "S5", "xy_mm": [1.0, 2.0], "review": [{"code": "ON_A_WIRE"}]}
    at.boards.sightings.take(match_id, 1, Event(kind="throw", t_ms=1, frame=1, end_frame=1, data=data), {})
    assert at.ask("GET", "/reviews/1")["strike"] is None


@pytest.mark.parametrize("game", ["cricket", "finn"])
def test_every_remedy_keeps_the_match_going(game: str) -> None:
    sheet = new_sheet(game, ["Ann", "Ben"])
    for _, action, _ in random_play(game, 5, config={}, sides=2, most=40):
        sheet = record(sheet, action)
    offered = 0
    for number in range(1, len(sheet.entries) + 1):
        entry = Strike(id=len(sheet.entries) + 1, target=number, by=UMPIRE, reason="none")
        for remedy in remedies(sheet, entry):
            offered += 1
            assert remedy.entry["target"] == number
    assert replay(sheet).conflict is None
    assert offered > 0
