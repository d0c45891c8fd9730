"""What to do instead where a correction would stop the match: pure functions of the scoresheet.

To strike a dart of a visit that has ended leaves the visit one short, and the score stops there until somebody
puts it right. What was meant is mostly that the dart counts for nothing, which a miss does. Of Astrolabe nothing
is offered: what a shot brings decides who goes on, so that nothing else fits in its place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine import Entry, Insert, Scoresheet, Strike, append, effective, parse_entry, replay
from engine.cricket import EndTurn, Throw
from engine.finn import Shot as DiscShot

JSON: TypeAlias = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """An entry in the place of another, and what it does, in a sentence."""

    text: str
    entry: dict[str, JSON]


def remedies(sheet: Scoresheet, entry: Entry) -> list[Remedy]:
    """Give what can be written instead of an entry after which the score stops, so that it goes on.

    Parameters
    ----------
    sheet
        Before the entry.
    entry
        A correction that is not written yet.
    """
    if not isinstance(entry, Strike | Insert):
        return []
    before, after = replay(sheet).conflict, replay(append(sheet, entry)).conflict
    if after is None or after == before:
        return []
    return [one for one in _candidates(sheet, entry) if _goes_on(sheet, one, before)]


def _goes_on(sheet: Scoresheet, remedy: Remedy, before: object) -> bool:
    value = {"id": len(sheet.entries) + 1, **remedy.entry}
    return replay(append(sheet, parse_entry(sheet, value))).conflict in (None, before)


def _candidates(sheet: Scoresheet, entry: Entry) -> Iterator[Remedy]:
    acting = dict(effective(sheet.entries))
    match entry:
        case Strike() if entry.target in acting:
            nothing = _nothing(sheet, acting[entry.target])
            if nothing is not None:
                text, action = nothing
                yield Remedy(text=text, entry=_amend(entry, entry.target, action))
        case Insert():
            if isinstance(entry.action, Throw):
                for number in _misses_beside(sheet, entry.after):
                    own = sheet.rules.format_action(acting[number])
                    action = {**sheet.rules.format_action(entry.action), "side": own["side"], "t_ms": own["t_ms"]}
                    text = f"put it in the place of the miss in entry {number}: the visit keeps its three darts"
                    yield Remedy(text=text, entry=_amend(entry, number, action))


def _amend(entry: Strike | Insert, target: int, action: dict[str, JSON]) -> dict[str, JSON]:
    return {"entry": "amend", "target": target, "action": action, "by": entry.by, "reason": entry.reason}


def _nothing(sheet: Scoresheet, action: Any) -> tuple[str, dict[str, JSON]] | None:  # noqa: ANN401 - of any game
    """Give what counts for nothing in the place of an action, and keeps whose turn it is."""
    form = sheet.rules.format_action(action)
    match action:
        case Throw():
            return "count it as a miss: the visit keeps its three darts", {**form, "segment": "MISS"}
        case DiscShot():
            kept = {key: form[key] for key in ("kind", "side", "t_ms")}
            return "count it as a shot that knocked nothing over: the turns stay as they are", {**kept, "pins": {}}
    return None


def _misses_beside(sheet: Scoresheet, after: int) -> list[int]:
    """Give the misses of the visit in which something would follow entry `after`."""
    visit: list[int] = []
    inside = after == 0
    for number, action in effective(sheet.entries):
        inside = inside or number == after
        if isinstance(action, EndTurn):
            if inside:
                break
            visit.clear()
        elif isinstance(action, Throw) and action.segment == "MISS":
            visit.append(number)
    return visit if inside else []
