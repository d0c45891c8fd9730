"""What is done to a scoresheet: begun, and appended to. Each gives a new one; the old one stays as it was."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack

from engine.entries import Amend, AnyAction, Entry, Insert, Record, Scoresheet, Strike
from engine.games import GAMES
from engine.sheet_text import format_entry, parse_entry, parse_sheet

_ANY_SIDE: Final = 1 << 31


class Optional(TypedDict, total=False):
    """What any entry may have beside; nothing of it affects the result."""

    at: str | None
    evidence: tuple[str | int, ...] | None
    model: str | None


def new_sheet(game: str, sides: Sequence[str], config: Mapping[str, Any] | None = None) -> Scoresheet:
    """Give a scoresheet without entries; `config` as in the file. Raises `ScoresheetError`."""
    rules = GAMES[game].rules if game in GAMES else None
    header = {"scoresheet": 1, "game": game, "rules": rules, "sides": list(sides), "config": dict(config or {})}
    return parse_sheet(json.dumps(header))


def append(sheet: Scoresheet, entry: Entry) -> Scoresheet:
    """Give the scoresheet with one entry more. Raises `ScoresheetError` where a reader of the file would."""
    return replace(sheet, entries=(*sheet.entries, parse_entry(sheet, format_entry(sheet, entry))))


def _next(sheet: Scoresheet) -> int:
    return len(sheet.entries) + 1


def record(
    sheet: Scoresheet, action: AnyAction, *, by: str = "camera", **optional: Unpack[Optional]
) -> Scoresheet:
    """Append an action that was seen or keyed in."""
    return append(sheet, Record(id=_next(sheet), action=action, by=by, **optional))


def amend(
    sheet: Scoresheet, target: int, action: AnyAction, *, by: str, reason: str, **optional: Unpack[Optional]
) -> Scoresheet:
    """Put another action in the place of a record or insert."""
    return append(sheet, Amend(id=_next(sheet), target=target, action=action, by=by, reason=reason, **optional))


def strike(sheet: Scoresheet, target: int, *, by: str, reason: str, **optional: Unpack[Optional]) -> Scoresheet:
    """Take away the effect of an earlier entry, whatever it is."""
    return append(sheet, Strike(id=_next(sheet), target=target, by=by, reason=reason, **optional))


def insert(
    sheet: Scoresheet, after: int, action: AnyAction, *, by: str, reason: str, **optional: Unpack[Optional]
) -> Scoresheet:
    """Put an action right after a record or insert, or at the start (0)."""
    return append(sheet, Insert(id=_next(sheet), after=after, action=action, by=by, reason=reason, **optional))


def action_from_json(game: str, value: object, sides: int | None = None) -> AnyAction:
    """Give the action of a JSON value; with no number of sides any index will do. Raises `FormError`."""
    rules = GAMES[game]
    return rules.parse_action(value, sides or rules.most_sides or _ANY_SIDE)


def action_to_json(game: str, action: AnyAction) -> dict[str, Any]:
    """Give the action as JSON."""
    return GAMES[game].format_action(action)
