"""A recording replayed against its corrected scoresheet: what differs."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, TypeAlias

from engine import GAMES, Scoresheet, action_to_json, effective

Action: TypeAlias = tuple[int, dict[str, Any]]
"""The record that an action comes from, and the action as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A place where the replay says something else than the corrected scoresheet.

    Attributes
    ----------
    kind
        `other` (both have an action there, they differ), `missed` (only the scoresheet has it), `extra` (only the
        replay).
    expected, seen
        The actions as JSON, or None.
    expected_id, seen_id
        The records that they come from, or None.
    """

    kind: str
    expected: dict[str, Any] | None
    seen: dict[str, Any] | None
    expected_id: int | None = None
    seen_id: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the difference as `tallycam check --json` prints it."""
        return {"difference": self.kind, "expected": self.expected, "seen": self.seen}


def differences(corrected: Scoresheet, replayed: Scoresheet) -> tuple[Difference, ...]:
    """Compare what counts in two scoresheets of one game, action by action; times are not compared."""
    truth, seen = _actions(corrected), _actions(replayed)
    matcher = SequenceMatcher(a=[_key(one) for _, one in truth], b=[_key(one) for _, one in seen], autojunk=False)
    found: list[Difference] = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag != "equal":
            found += _paired(truth[a0:a1], seen[b0:b1])
    return tuple(found)


def _actions(sheet: Scoresheet) -> list[Action]:
    game = sheet.rules.name
    assert game in GAMES
    return [(record, action_to_json(game, action)) for record, action in effective(sheet.entries)]


def _key(action: dict[str, Any]) -> str:
    return repr(sorted((name, repr(value)) for name, value in action.items() if name != "t_ms"))


def _paired(truth: Sequence[Action], seen: Sequence[Action]) -> list[Difference]:
    found = []
    for one, other in zip_longest(truth, seen, fillvalue=(None, None)):
        kind = "missed" if other[1] is None else "extra" if one[1] is None else "other"
        found.append(Difference(kind=kind, expected=one[1], seen=other[1], expected_id=one[0], seen_id=other[0]))
    return found
