"""A recording replayed against its corrected scoresheet: what differs."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from engine import GAMES, Scoresheet, action_to_json, effective


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
    """

    kind: str
    expected: dict[str, Any] | None
    seen: dict[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """Give the difference as `tallycam check --json` prints it."""
        return {"difference": self.kind, "expected": self.expected, "seen": self.seen}


def differences(corrected: Scoresheet, replayed: Scoresheet) -> tuple[Difference, ...]:
    """Compare what counts in two scoresheets of one game, action by action; times are not compared."""
    truth, seen = _actions(corrected), _actions(replayed)
    matcher = SequenceMatcher(a=[_key(one) for one in truth], b=[_key(one) for one in seen], autojunk=False)
    found: list[Difference] = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag != "equal":
            found += _paired(truth[a0:a1], seen[b0:b1])
    return tuple(found)


def _actions(sheet: Scoresheet) -> list[dict[str, Any]]:
    game = sheet.rules.name
    assert game in GAMES
    return [action_to_json(game, action) for _, action in effective(sheet.entries)]


def _key(action: dict[str, Any]) -> str:
    return repr(sorted((name, repr(value)) for name, value in action.items() if name != "t_ms"))


def _paired(truth: Sequence[dict[str, Any]], seen: Sequence[dict[str, Any]]) -> list[Difference]:
    both = min(len(truth), len(seen))
    return [
        *(Difference(kind="other", expected=a, seen=b) for a, b in zip(truth[:both], seen[:both], strict=True)),
        *(Difference(kind="missed", expected=one, seen=None) for one in truth[both:]),
        *(Difference(kind="extra", expected=None, seen=one) for one in seen[both:]),
    ]
