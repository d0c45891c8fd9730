"""From entries, in the order they were written, to the actions that count, in the order they happened.

All records and inserts are placed first, struck ones too; then amendments and strikes say which count and as what.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.entries import Amend, AnyAction, Entry, Insert, Record, Strike


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What corrections come to: the entries that are struck, and the amend that holds for each amended one."""

    struck: frozenset[int]
    amended: dict[int, Amend]


def placed(entries: Sequence[Entry]) -> list[Record | Insert]:
    """Give all records and inserts as they follow one another, struck or not.

    Inserts after the same entry stand in id order, each followed by those after itself.
    """
    after: dict[int, list[Insert]] = {}
    records: list[Record] = []
    for entry in entries:
        if isinstance(entry, Insert):
            after.setdefault(entry.after, []).append(entry)
        elif isinstance(entry, Record):
            records.append(entry)
    if not after:
        return list(records)
    order: list[Record | Insert] = []
    waiting: list[Record | Insert] = [*reversed(records), *reversed(after.get(0, []))]
    while waiting:
        entry = waiting.pop()
        order.append(entry)
        waiting.extend(reversed(after.get(entry.id, [])))
    return order


def standing(entries: Sequence[Entry]) -> Standing:
    """Give what is struck and what is amended.

    A strike points backward, so whether it is struck itself is known when entries are gone through newest first.
    """
    struck: set[int] = set()
    amended: dict[int, Amend] = {}
    for entry in reversed(entries):
        if isinstance(entry, Strike) and entry.id not in struck:
            struck.add(entry.target)
        elif isinstance(entry, Amend) and entry.id not in struck:
            amended.setdefault(entry.target, entry)
    return Standing(struck=frozenset(struck), amended=amended)


def effective(entries: Sequence[Entry]) -> list[tuple[int, AnyAction]]:
    """Give the actions that count, each with the id of its record or insert."""
    records = [entry for entry in entries if isinstance(entry, Record)]
    if len(records) == len(entries):  # nothing was corrected
        return [(entry.id, entry.action) for entry in records]
    stands = standing(entries)
    return [
        (entry.id, stands.amended.get(entry.id, entry).action)
        for entry in placed(entries)
        if entry.id not in stands.struck
    ]
