"""Corrections in any order: a state machine writes a scoresheet and a plain model says what has to count."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.matches import NAMES

from engine import (
    Amend,
    Insert,
    Scoresheet,
    Strike,
    amend,
    effective,
    format_sheet,
    insert,
    new_sheet,
    parse_sheet,
    preview,
    record,
    replay,
    result,
    strike,
)
from engine.cricket import Throw

BY: Any = {"by": "umpire:Cho", "reason": "seen again"}
SEGMENTS = st.sampled_from(["S20", "T19", "D11", "SB", "MISS", "S5"])


def is_struck(sheet: Scoresheet, number: int) -> bool:
    """Tell by the definition whether an entry is struck: some strike of it is not struck itself."""
    return any(
        isinstance(entry, Strike) and entry.target == number and not is_struck(sheet, entry.id)
        for entry in sheet.entries
    )


def place(sheet: Scoresheet) -> list[int]:
    """Give records and inserts in order by the definition: each is put right behind those after the same entry."""
    order: list[int] = []

    def follow(number: int) -> None:
        order.append(number)
        for entry in sheet.entries:
            if isinstance(entry, Insert) and entry.after == number:
                follow(entry.id)

    follow(0)
    for entry in sheet.entries:
        if entry.entry == "record":
            follow(entry.id)
    return order[1:]


class Journal(RuleBasedStateMachine):
    """A cricket match to which anything is appended that the form allows."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = new_sheet("cricket", NAMES[:2])

    def throw(self, segment: str) -> Throw:
        return Throw(side=0, t_ms=0, segment=segment)

    def actions(self) -> list[int]:
        return [entry.id for entry in self.sheet.entries if entry.entry in ("record", "insert")]

    @rule(segment=SEGMENTS)
    def record(self, segment: str) -> None:
        self.sheet = record(self.sheet, self.throw(segment))

    @rule(segment=SEGMENTS, data=st.data())
    def insert(self, segment: str, data: st.DataObject) -> None:
        after = data.draw(st.sampled_from([0, *self.actions()]))
        self.sheet = insert(self.sheet, after, self.throw(segment), **BY)

    @precondition(lambda self: self.actions())
    @rule(segment=SEGMENTS, data=st.data())
    def amend(self, segment: str, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(self.actions()))
        before = effective(self.sheet.entries)
        self.sheet = amend(self.sheet, target, self.throw(segment), **BY)
        restored = strike(self.sheet, len(self.sheet.entries), **BY)
        assert effective(restored.entries) == before, "striking an amend restores what it replaced"

    @precondition(lambda self: self.sheet.entries)
    @rule(data=st.data())
    def strike(self, data: st.DataObject) -> None:
        target = data.draw(st.integers(1, len(self.sheet.entries)))
        before = effective(self.sheet.entries)
        self.sheet = strike(self.sheet, target, **BY)
        undone = strike(self.sheet, len(self.sheet.entries), **BY)
        assert effective(undone.entries) == before, "undo is identity"
        redone = strike(undone, len(undone.entries), **BY)
        assert effective(redone.entries) == effective(self.sheet.entries), "undo, then redo is identity"

    @invariant()
    def what_counts_is_an_ordered_part_of_what_was_placed(self) -> None:
        placed = place(self.sheet)
        counted = [number for number, _ in effective(self.sheet.entries)]
        assert counted == [number for number in placed if not is_struck(self.sheet, number)]
        assert sorted(placed) == self.actions()

    @invariant()
    def the_newest_amend_that_is_not_struck_holds(self) -> None:
        for number, action in effective(self.sheet.entries):
            amends = [
                entry.action
                for entry in self.sheet.entries
                if isinstance(entry, Amend) and entry.target == number and not is_struck(self.sheet, entry.id)
            ]
            original: Any = self.sheet.entries[number - 1]
            assert action == (amends[-1] if amends else original.action)

    @invariant()
    def text_holds_all_of_it(self) -> None:
        assert parse_sheet(format_sheet(self.sheet)) == self.sheet

    @invariant()
    def preview_tells_what_appending_does(self) -> None:
        if self.sheet.entries:
            number = len(self.sheet.entries)
            entry = Strike(id=number + 1, target=number, **BY)
            shown = preview(self.sheet, entry)
            changed = strike(self.sheet, number, **BY)
            assert (shown.before, shown.after) == (result(self.sheet), result(changed))
            assert shown.conflict == replay(changed).conflict


TestJournal = Journal.TestCase
TestJournal.settings = settings(max_examples=60, stateful_step_count=30, deadline=None, derandomize=True)
