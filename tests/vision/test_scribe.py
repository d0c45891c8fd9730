from collections.abc import Sequence
from typing import Any

import pytest

from engine import format_sheet, parse_sheet, replay, result
from engine.cricket import EndTurn, Throw, Undo
from vision.events import Event
from vision.scribe import Visit, proposals, scribe, sheet_of

SIDES = ("Ann", "Ben")


def happened(*words: str) -> list[Event]:
    """Make events a second apart: a segment is a throw, `fell:1` names a dart, other words are kinds."""
    events = []
    for place, word in enumerate(words):
        kind, _, dart = word.partition(":")
        data: dict[str, Any] = {"dart": int(dart)} if dart else {}
        if kind[0].isupper():
            kind, data = "throw", {"segment": kind}
        events.append(Event(kind=kind, t_ms=1000 * (place + 1), frame=place, end_frame=place, data=data))
    return events


def written(events: Sequence[Event]) -> str:
    words = []
    for entry in sheet_of(events, SIDES).entries:
        action = getattr(entry, "action", None)
        assert isinstance(action, Throw | EndTurn)
        words.append(f"{action.side}:{action.segment}" if isinstance(action, Throw) else f"{action.side}.")
    return " ".join(words)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(
            "T20 S5 DB takeout S1", "0:T20 0:S5 0:DB 0. 1:S1", id="FC-03: three darts, takeout, the other"
        ),
        pytest.param("T20 takeout", "0:T20 0:MISS 0:MISS 0.", id="FC-03: darts nobody saw are misses"),
        pytest.param("T20 bounce_out S5 takeout", "0:T20 0:S5 0:MISS 0.", id="FC-03: so is one that bounced out"),
        pytest.param("bounce_out bounce_out takeout", "0:MISS 0:MISS 0:MISS 0.", id="FC-03: even if all did"),
        pytest.param("bounce_out S1 S2 S3 takeout", "0:S1 0:S2 0:S3 0.", id="a bounce-out too many is none"),
        pytest.param("S1 S2 S3 S4 takeout S5", "0:S1 0:S2 0:S3 0. 1:S5", id="FC-03: no fourth dart"),
        pytest.param("takeout S1", "0:S1", id="a takeout without a dart thrown is none"),
        pytest.param("S1 S2 S3", "0:S1 0:S2 0:S3", id="FC-31: no takeout, no end of turn"),
        pytest.param("T20 T19 dart_fell:1 S5 takeout", "0:T20 0:MISS 0:S5 0.", id="FC-03: the newest fell"),
        pytest.param("T20 T19 S5 dart_fell:0 takeout", "0:MISS 0:T19 0:S5 0.", id="FC-03: an older one fell"),
        pytest.param(
            "S1 S2 S3 S4 dart_fell:3 takeout", "0:S1 0:S2 0:S3 0.", id="what was not written cannot fall"
        ),
        pytest.param(
            "hand S1 light_changed S2 board_moved S3 takeout", "0:S1 0:S2 0:S3 0.", id="the rest is none"
        ),
        pytest.param("", "", id="nothing happened"),
    ],
)
def test_events_become_visits(events: str, expected: str) -> None:
    assert written(happened(*events.split())) == expected


def test_what_is_written_is_a_scoresheet_without_conflict() -> None:
    sheet = sheet_of(happened("T20", "T20", "S5", "takeout", "DB", "takeout", "T20", "takeout"), SIDES)
    assert parse_sheet(format_sheet(sheet)) == sheet
    assert result(sheet)["conflict"] is None
    assert result(sheet)["scores"] == [120, 50]
    assert all(getattr(entry, "by", None) == "camera" for entry in sheet.entries)


def test_times_never_fall() -> None:
    late = Event(kind="throw", t_ms=9000, frame=90, end_frame=91, data={"segment": "S1"})
    early = Event(kind="takeout", t_ms=8000, frame=80, end_frame=99)
    times = [proposal.action.t_ms for proposal in proposals([late, early])]
    assert times == [9000, 9000, 9000, 9000]


def test_one_event_at_a_time_comes_to_the_same_state_as_the_whole() -> None:
    events = happened("T20", "T19", "S5", "dart_fell:0", "takeout", "S3", "bounce_out", "takeout")
    visit, actions = Visit(), list[Throw | Undo | EndTurn]()
    for event in events:
        visit, new = scribe(visit, event)
        actions += new
    sheet = sheet_of([], SIDES)
    state, rules = replay(sheet).state, sheet.rules
    for action in actions:
        assert rules.check(state, action) is None
        state = rules.apply(state, action)
    assert rules.summary(state) == rules.summary(replay(sheet_of(events, SIDES)).state)


def test_the_sheet_ends_with_the_match() -> None:
    opening = [f"T{number}" for number in range(11, 21)]
    words: list[str] = []
    for start in range(0, 12, 3):
        for _ in SIDES:
            words += [*(opening[start : start + 3] + ["MISS"] * 3)[:3], "takeout"]
    sheet = sheet_of(happened(*words, "T20", "takeout"), SIDES)
    assert result(sheet)["over"] is True
    assert result(sheet)["conflict"] is None
    assert len(sheet.entries) == len(words)


def test_evidence_stands_with_the_action_of_its_event() -> None:
    sheet = sheet_of(happened("T20", "takeout"), SIDES, evidence={0: ("frames/a.jpg",), 1: ("clips/b.mp4",)})
    shown = [entry.evidence for entry in sheet.entries]
    assert shown == [("frames/a.jpg",), *[("clips/b.mp4",)] * 3]
