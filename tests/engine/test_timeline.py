"""Corrections: which actions count, in which order, and what a whole match comes to."""

from typing import TypedDict

import pytest
from support.matches import sheet

from engine import (
    Conflict,
    Record,
    Scoresheet,
    ScoresheetError,
    Strike,
    Total,
    amend,
    effective,
    explain,
    insert,
    new_sheet,
    parse_sheet,
    preview,
    record,
    replay,
    result,
    result_of,
    running_totals,
    strike,
)
from engine.cricket import EndTurn, Throw
from engine.finn import Shot, shot


class By(TypedDict):
    by: str
    reason: str


BY: By = {"by": "player", "reason": "seen again"}


def pin(number: int, side: int = 0, t_ms: int = 0) -> Shot:
    return shot(side=side, t_ms=t_ms, pins={str(number): "fallen"})


def alone(*numbers: int) -> Scoresheet:
    """Give a match of one side that felled these pins, one a shot."""
    begun = new_sheet("finn", ["Ann"])
    for number in numbers:
        begun = record(begun, pin(number))
    return begun


def felled(match: Scoresheet) -> str:
    """Give the effective actions as `id:pin`."""
    return " ".join(f"{at}:{action.pins[0][0]}" for at, action in effective(match.entries))


def test_an_amend_puts_another_action_in_the_targets_place() -> None:
    assert felled(amend(alone(1, 2, 3), 2, pin(9), **BY)) == "1:1 2:9 3:3"


def test_the_newest_amend_that_is_not_struck_holds() -> None:
    match = amend(amend(alone(1), 1, pin(8), **BY), 1, pin(9), **BY)
    assert felled(match) == "1:9"
    match = strike(match, 3, **BY)
    assert felled(match) == "1:8"
    match = strike(match, 2, **BY)
    assert felled(match) == "1:1"


def test_a_struck_strike_brings_its_target_back_and_so_on() -> None:
    match = strike(alone(1, 2), 1, **BY)
    assert felled(match) == "2:2"
    match = strike(match, 3, **BY)
    assert felled(match) == "1:1 2:2"
    match = strike(match, 4, **BY)
    assert felled(match) == "2:2"


def test_two_strikes_of_one_entry_both_have_to_go() -> None:
    match = strike(strike(strike(alone(1), 1, **BY), 1, **BY), 2, **BY)
    assert felled(match) == ""
    assert felled(strike(match, 3, **BY)) == "1:1"


def test_an_amend_of_a_struck_record_waits_for_it() -> None:
    match = amend(strike(alone(1), 1, **BY), 1, pin(9), **BY)
    assert felled(match) == ""
    assert felled(strike(match, 2, **BY)) == "1:9"


def test_inserts_stand_in_id_order_each_followed_by_those_after_itself() -> None:
    match = alone(1, 2)  # 1 2
    match = insert(match, 1, pin(3), **BY)  # 1 3 2
    match = insert(match, 1, pin(4), **BY)  # 1 3 4 2
    match = insert(match, 3, pin(5), **BY)  # 1 3 5 4 2
    match = insert(match, 0, pin(6), **BY)  # 6 1 3 5 4 2
    match = insert(match, 0, pin(7), **BY)  # 6 7 1 …
    match = insert(match, 2, pin(8), **BY)
    match = record(match, pin(9))
    assert felled(match) == "6:6 7:7 1:1 3:3 5:5 4:4 2:2 8:8 9:9"


def test_an_insert_keeps_its_place_when_the_entry_it_follows_is_struck() -> None:
    match = insert(insert(alone(1, 2), 1, pin(3), **BY), 3, pin(4), **BY)
    assert felled(strike(match, 1, **BY)) == "3:3 4:4 2:2"
    assert felled(strike(match, 3, **BY)) == "1:1 4:4 2:2"


def test_an_insert_can_be_amended_and_struck() -> None:
    match = amend(insert(alone(1), 1, pin(2), **BY), 2, pin(5), **BY)
    assert felled(match) == "1:1 2:5"
    assert felled(strike(match, 2, **BY)) == "1:1"


def test_a_long_chain_of_inserts_and_strikes_needs_no_deep_stack() -> None:
    lines = [
        '{"scoresheet": 1, "game": "finn", "rules": "finn/1", "sides": ["Ann"], "config": {}}',
        '{"id": 1, "entry": "record", "by": "camera", '
        '"action": {"kind": "shot", "side": 0, "t_ms": 0, "pins": {}}}',
    ]
    lines += [
        f'{{"id": {at}, "entry": "insert", "after": {at - 1}, "action": {{"kind": "shot", "side": 0, "t_ms": 0, '
        f'"pins": {{}}}}, "by": "player", "reason": "x"}}'
        for at in range(2, 3001)
    ]
    lines += [
        f'{{"id": {at}, "entry": "strike", "target": {at - 1}, "by": "player", "reason": "x"}}'
        for at in range(3001, 6001)
    ]
    match = parse_sheet("\n".join(lines))
    assert len(effective(match.entries)) == 3000
    assert len(explain(match)) == 6000


def test_soft_replay_stops_at_the_first_refusal_with_the_state_so_far() -> None:
    begun = new_sheet("finn", ["Ann", "Ben"])
    match = record(record(record(begun, pin(7)), pin(5, side=1, t_ms=5)), pin(6, t_ms=4))
    played = replay(match)
    assert played.conflict == Conflict(id=3, reason="TIME_RUNS_BACK", detail="")
    assert [step.id for step in played.steps] == [1, 2]
    assert result(match)["conflict"] == {"id": 3, "reason": "TIME_RUNS_BACK"}
    assert result(match)["scores"] == [7, 5]
    assert result_of(match.rules, played.state) == {**result(match), "conflict": None}


def test_the_conflict_of_an_amended_action_has_the_records_id() -> None:
    match = amend(record(alone(7), pin(5)), 1, shot(side=0, t_ms=0, pins={"13": "fallen"}), **BY)
    assert replay(match).conflict == Conflict(id=1, reason="UNKNOWN_PIN", detail="")
    assert replay(match).state == replay(match).initial


def test_preview_shows_before_and_after_and_writes_nothing() -> None:
    match = alone(7, 6)
    shown = preview(match, Strike(id=3, target=1, by="player", reason="x"))
    assert (shown.before["scores"], shown.after["scores"], shown.conflict) == ([13], [6], None)
    assert len(match.entries) == 2
    with pytest.raises(ScoresheetError):
        preview(match, Strike(id=4, target=1, by="player", reason="x"))


def test_preview_names_the_first_conflict() -> None:
    match = sheet("cricket", "T20 - - .", "S5")
    shown = preview(match, Strike(id=6, target=4, by="umpire:Cho", reason="x"))
    assert shown.conflict == Conflict(id=5, reason="WRONG_SIDE", detail="")
    assert shown.after["conflict"] == {"id": 5, "reason": "WRONG_SIDE"}


def test_every_entry_is_explained_with_what_became_of_it() -> None:
    match = alone(1, 2, 3)
    match = amend(match, 1, pin(8), **BY)  # 4, replaced by 5
    match = amend(match, 1, pin(9), **BY)  # 5
    match = strike(match, 2, **BY)  # 6, struck by 7
    match = strike(match, 6, **BY)  # 7
    match = strike(match, 3, **BY)  # 8
    match = insert(match, 0, pin(4), **BY)  # 9
    lines = explain(match)
    assert [(line.id, line.depth, line.effect) for line in lines] == [
        (9, 0, "played"),
        (1, 0, "played"),
        (4, 1, "replaced"),
        (5, 1, "holds"),
        (2, 0, "played"),
        (6, 1, "struck"),
        (7, 2, "holds"),
        (3, 0, "struck"),
        (8, 1, "holds"),
    ]
    assert [line.scores for line in lines if line.depth == 0] == [(4,), (13,), (15,), None]
    assert lines[0].text == "pin 4: +4 (FB-20) [inserted: seen again]"
    assert lines[1].notation == "9↓"
    assert lines[2].text == "seen again [amends 1]"
    assert (lines[5].side, lines[5].notation) == (None, "")


def test_what_comes_after_a_conflict_is_unreached() -> None:
    match = record(record(alone(7), shot(side=0, t_ms=0, pins={"6": "fallen"}, placements={"6": (0, 0)})), pin(5))
    played, refused, unreached = explain(match)
    assert (played.effect, refused.effect, unreached.effect) == ("played", "refused", "unreached")
    assert refused.text == "OUTSIDE_DEFENSE_ZONE: pin 6 outside the defense zone (FB-31)"
    match = record(record(new_sheet("cricket", ["Ann", "Ben"]), EndTurn(side=0, t_ms=0)), EndTurn(side=0, t_ms=0))
    assert [line.text for line in explain(match)] == ["TURN_NOT_FULL", "comes after the conflict"]


def test_running_totals_have_a_point_a_turn() -> None:
    match = sheet("cricket", "DB - - .", "SB - - .", "DB -")
    assert running_totals(match) == [
        Total(turn=1, side=0, id=4, t_ms=1000, scores=(50, 0)),
        Total(turn=2, side=1, id=8, t_ms=2000, scores=(50, 25)),
    ]
    assert [total.scores for total in running_totals(alone(1, 2))] == [(1,), (3,)]


def test_an_empty_match_has_a_result() -> None:
    assert result(new_sheet("cricket", ["Ann", "Ben"]))["turn"] == 0
    assert running_totals(new_sheet("finn", ["Ann"])) == []
    assert explain(new_sheet("finn", ["Ann"])) == []


def test_entries_know_their_kind() -> None:
    match = record(new_sheet("cricket", ["Ann", "Ben"]), Throw(side=0, t_ms=0, segment="S20"), by="umpire:Cho")
    assert isinstance(match.entries[0], Record)
    assert match.entries[0].entry == "record"
