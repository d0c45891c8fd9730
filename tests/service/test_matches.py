"""What is done to a match: recorded, corrected, looked ahead at, taken back; and what listeners are told of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.service import UMPIRE, amend, opened, played, record, strike, throw, visits

from engine import parse_sheet, result
from service.matches import AgainstRules, Malformed, Matches, Refused
from service.store import Stale


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    with opened(tmp_path) as found:
        yield found


def test_a_match_is_the_same_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        match_id = played(matches, "T20 S20 S5", "T19 S19 S3", "T18 T18", doubt=3)
        matches.append(match_id, 10, [(amend(3, throw(0, "S20", 3000)), None)])
        matches.decide(match_id, 3, "confirmed", UMPIRE)
        before = matches.view(match_id)
    with opened(tmp_path) as matches:
        assert matches.view(match_id) == before


def test_the_result_is_what_the_rules_make_of_the_same_scoresheet(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19 S19 S3", "T18 T18")
    assert matches.view(match_id)["result"] == result(parse_sheet(matches.text(match_id)))


def test_history_says_what_counted_and_why(matches: Matches) -> None:
    view = matches.view(played(matches, "T20 S20 S5", "T20 MISS"))
    shown = [
        (step["turn"], step["side"], step["notation"], step["gain"], step["scores"]) for step in view["history"]
    ]
    assert shown[:3] == [
        (1, 0, "T20", [0, 0], [0, 0]),
        (1, 0, "S20", [20, 0], [20, 0]),
        (1, 0, "S5", [0, 0], [20, 0]),
    ]
    assert shown[4][:2] == (2, 1)
    assert "20 opened" in view["history"][0]["explanation"]


def test_a_preview_writes_nothing(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    before = matches.view(match_id)
    ahead = matches.preview(match_id, [amend(2, throw(0, "T20", 2000)), strike(1)])
    assert ahead[0]["result"]["scores"] == [60, 0]
    assert ahead[1]["result"]["conflict"] == {"id": 4, "reason": "TURN_NOT_FULL"}
    assert matches.view(match_id) == before


def test_a_correction_of_any_turn_changes_what_follows_and_keeps_both(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19 S19 S3", "T18")
    matches.append(match_id, 9, [(amend(2, throw(0, "S1", 2000), "it was the 1"), None)])
    view = matches.view(match_id)
    assert view["result"]["scores"] == [0, 19]
    step = view["history"][1]
    assert step["notation"] == "S1"
    assert step["correction"] == {
        "id": 10,
        "entry": "amend",
        "by": UMPIRE,
        "reason": "it was the 1",
        "replaces": "S20",
    }
    assert [entry["action"]["segment"] for entry in (view["entries"][1], view["entries"][9])] == ["S20", "S1"]
    assert [(one["text"], one["holds"]) for one in view["corrections"]] == [("S20 → S1", True)]


def test_a_correction_is_taken_back_and_stays_in_the_log(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    before = matches.view(match_id)["result"]
    matches.append(match_id, 4, [(amend(2, throw(0, "T20", 2000)), None)])
    matches.undo(match_id, 5, UMPIRE)
    view = matches.view(match_id)
    assert view["result"] == before
    assert view["seq"] == 6
    assert [one["holds"] for one in view["corrections"]] == [False, True]


def test_undo_takes_back_an_umpire_s_strike_and_then_what_came_before_it(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19")
    matches.append(match_id, 5, [(strike(1), None)])
    assert matches.view(match_id)["result"]["conflict"] is not None
    matches.undo(match_id, 6, UMPIRE)
    assert matches.view(match_id)["entries"][-1]["target"] == 6, "the strike, and no end of a turn"
    assert matches.view(match_id)["result"]["conflict"] is None
    matches.undo(match_id, 7, UMPIRE)
    assert matches.view(match_id)["entries"][-1]["target"] == 5, "what was taken back is not struck again"


def test_undo_takes_back_one_thing_after_another(matches: Matches) -> None:
    match_id = played(matches, "T20 S20")
    matches.append(match_id, 2, [(amend(1, throw(0, "S20", 1000)), None)])
    for left in ([20, 0], [0, 0]):
        seq = matches.view(match_id)["seq"]
        matches.undo(match_id, seq, UMPIRE)
        assert matches.view(match_id)["result"]["scores"] == left
    assert [step["notation"] for step in matches.view(match_id)["history"]] == ["T20"]


def test_a_player_takes_back_the_newest_dart_by_the_rules(matches: Matches) -> None:
    match_id = played(matches, "T20 S20")
    matches.undo(match_id, 2, "player")
    view = matches.view(match_id)
    assert view["entries"][-1]["action"]["kind"] == "undo"
    assert view["result"]["state"]["darts"] == ["T20"]
    matches.undo(match_id, 3, "player", target=1)
    assert matches.view(match_id)["result"]["state"]["darts"] == []


def test_a_player_cannot_take_back_an_ended_turn(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    with pytest.raises(AgainstRules) as refusal:
        matches.undo(match_id, 4, "player")
    assert refusal.value.reason == "NOTHING_TO_UNDO"
    assert matches.view(match_id)["seq"] == 4


def test_nothing_to_take_back_is_said(matches: Matches) -> None:
    with pytest.raises(Refused, match="nothing to take back"):
        matches.undo(matches.create("cricket", ["Ann", "Ben"]), 0, UMPIRE)


def test_what_a_player_keys_in_must_be_allowed(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    with pytest.raises(AgainstRules) as refusal:
        matches.append(match_id, 4, [(record(throw(0, "T20", 9000), "player"), None)])
    assert refusal.value.reason == "WRONG_SIDE"


def test_what_a_camera_saw_is_kept_even_where_the_score_stops_at_it(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    matches.append(match_id, 4, [(record(throw(0, "T20", 9000)), None)])
    view = matches.view(match_id)
    assert view["result"]["conflict"] == {"id": 5, "reason": "WRONG_SIDE"}
    last = view["history"][-1]
    assert (last["counted"], last["refused"], last["scores"]) == (False, "WRONG_SIDE", None)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"entry": "record", "action": {"kind": "throw"}, "by": "camera"}, "missing"),
        ({"entry": "record", "action": throw(0, "S20"), "by": "nobody"}, "by"),
        ({"entry": "amend", "target": 9, "action": throw(0, "S20"), "by": UMPIRE, "reason": "x"}, "earlier"),
        ({"entry": "strike", "target": 1, "by": "player", "reason": "x"}, "umpire"),
        ({**record(throw(0, "S20")), "id": 7}, "id"),
    ],
)
def test_what_makes_no_scoresheet_is_refused(matches: Matches, entry: dict[str, Any], words: str) -> None:
    match_id = played(matches, "T20")
    with pytest.raises(Malformed, match=words):
        matches.append(match_id, 1, [(entry, None)])
    assert matches.view(match_id)["seq"] == 1


def test_of_a_list_with_a_fault_nothing_is_written(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])
    with pytest.raises(Malformed):
        matches.append(match_id, 0, [(visits("T20")[0], None), ({"entry": "record"}, None)])
    assert matches.view(match_id)["seq"] == 0


def test_alternatives_begin_with_what_the_camera_thought_and_leave_out_what_stands(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", doubt=3)
    offers = [offer["action"]["segment"] for offer in matches.alternatives(match_id, 3)]
    assert offers[:2] == ["S20", "T5"]
    assert "S12" in offers
    assert "S5" not in offers
    assert offers[-1] == "MISS"
    assert len(offers) == len(set(offers)) <= 8


@pytest.mark.parametrize("segment", ["T20", "S7", "D3", "SB", "DB"])
def test_neighbours_are_offered_for_a_dart_that_no_camera_saw(matches: Matches, segment: str) -> None:
    match_id = played(matches, segment)
    offers = {offer["action"]["segment"] for offer in matches.alternatives(match_id, 1)}
    wanted = {
        "T20": {"S20", "T1", "T5", "D20"},
        "S7": {"S16", "S19", "T7"},
        "D3": {"S3", "D17", "D19"},
        "SB": {"DB"},
        "DB": {"SB"},
    }[segment]
    assert wanted <= offers


def test_a_miss_is_offered_segments(matches: Matches) -> None:
    match_id = played(matches, "MISS")
    offers = [offer["action"]["segment"] for offer in matches.alternatives(match_id, 1)]
    assert "S20" in offers
    assert "MISS" not in offers


def test_each_alternative_carries_the_score_that_saving_it_gives(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19")
    offer = matches.alternatives(match_id, 2)[0]
    matches.append(match_id, 5, [(amend(2, offer["action"]), None)])
    assert matches.view(match_id)["result"] == offer["preview"]["result"]


def test_an_entry_without_alternatives_has_none_and_a_correction_is_no_action(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    assert matches.alternatives(match_id, 4) == []
    matches.append(match_id, 4, [(amend(2, throw(0, "T20", 2000)), None)])
    with pytest.raises(Refused):
        matches.alternatives(match_id, 5)


def test_corrections_are_told_with_what_they_replace(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5")
    matches.append(match_id, 4, [(amend(2, throw(0, "T20", 2000)), None)])
    matches.undo(match_id, 5, UMPIRE)
    told = [json.loads(message.data) for message in matches.changes(0, match_id)]
    assert [one["kind"] for one in told] == [
        "match.created",
        *["entry.recorded"] * 4,
        "entry.amended",
        "entry.struck",
    ]
    assert told[1]["corrects"] == []
    amended, struck = told[-2:]
    assert [(one["id"], one["before"]["segment"], one["after"]["segment"]) for one in amended["corrects"]] == [
        (2, "S20", "T20")
    ]
    assert (amended["scores_before"], amended["result"]["scores"]) == ([20, 0], [60, 0])
    assert struck["corrects"][0]["after"]["segment"] == "S20"
    assert amended["say"] == "Ann: T20, +60. Ann 60, Ben 0."


def test_changes_told_again_are_the_ones_told_then(matches: Matches) -> None:
    told: list[str] = []
    matches.hub.publish = lambda message: told.append(message.data)  # type: ignore[method-assign]
    match_id = played(matches, "T20 S20 S5", "T19", doubt=3)
    matches.append(match_id, 5, [(amend(2, throw(0, "T20", 2000)), None)])
    matches.decide(match_id, 3, "confirmed", UMPIRE)
    assert [message.data for message in matches.changes(0, match_id)] == told


def test_a_stale_writer_is_told_where_the_match_stands(matches: Matches) -> None:
    match_id = played(matches, "T20")
    with pytest.raises(Stale):
        matches.append(match_id, 0, [(visits("T20")[0], None)])


@pytest.mark.parametrize(
    ("game", "sides", "config"),
    [
        ("cricket", ["Ann"], {}),
        ("finn", [], {}),
        ("finn", ["Ann"], {"target": 0}),
        ("cricket", ["A", "B"], {"x": 1}),
    ],
)
def test_a_match_that_no_game_knows_is_refused(
    matches: Matches, game: str, sides: list[str], config: dict[str, Any]
) -> None:
    with pytest.raises(Malformed):
        matches.create(game, sides, config)


def test_matches_of_all_games_are_listed_newest_first(tmp_path: Path) -> None:
    times = iter(f"2026-01-01T00:00:0{second}Z" for second in range(9))
    with opened(tmp_path) as found:
        matches = Matches(found.store, clock=lambda: next(times))
        ids = [matches.create(game, ["Ann", "Ben"]) for game in ("cricket", "finn", "astrolabe")]
        assert [one["id"] for one in matches.summaries()] == ids[::-1]
        assert all(one["result"]["scores"] == [0, 0] for one in matches.summaries())
