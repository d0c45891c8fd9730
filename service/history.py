"""A match as people look at it: what counted, why, what it brought, who corrected it.

Pure functions of the scoresheet and of what was seen and decided beside it.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from engine import Amend, Entry, Insert, Scoresheet, Strike, effective, format_entry, replay
from engine.playback import Replay
from engine.timeline import standing

JSON: TypeAlias = Any


def history(
    sheet: Scoresheet, seen: Mapping[int, JSON], decisions: Mapping[int, Mapping[str, str]]
) -> list[dict[str, JSON]]:
    """Give every effective action in order, those after a conflict too, which count for nothing.

    Each has the `turn` it belongs to (1, 2, 3 …), the side that acted, the scores after it and what each side
    gained.
    """
    played = replay(sheet)
    rules = sheet.rules
    amended = standing(sheet.entries).amended
    before, turn = played.initial, 1
    steps: list[dict[str, JSON]] = []
    states = {step.id: step.state for step in played.steps}
    for number, action in effective(sheet.entries):
        after = states.get(number)
        entry = sheet.entries[number - 1]
        told: dict[str, JSON] = {
            "explanation": "",
            "scores": None,
            "gain": None,
            "counted": False,
            "refused": _refused(played, number),
        }
        side = getattr(action, "side", None)
        if after is not None:
            scores, was = rules.scores(after), rules.scores(before)
            gain = [now - then for now, then in zip(scores, was, strict=True)]
            told = {
                "explanation": rules.describe(before, action),
                "scores": list(scores),
                "gain": gain,
                "counted": True,
                "refused": None,
            }
            side = rules.turn(before) if side is None else side
        steps.append(
            {
                "id": number,
                "turn": turn,
                "side": side,
                "action": rules.format_action(action),
                "notation": rules.notation(action),
                **told,
                "by": entry.by,
                "at": entry.at,
                "seen": seen.get(number),
                "decision": decisions.get(number),
                "correction": _correction(sheet, entry, amended.get(number)),
            }
        )
        if after is not None:
            turn += rules.ends_turn(before, action, after)
            before = after
    return steps


def _refused(played: Replay, number: int) -> str | None:
    return played.conflict.reason if played.conflict is not None and played.conflict.id == number else None


def _correction(sheet: Scoresheet, entry: Entry, amend: Amend | None) -> dict[str, JSON] | None:
    if amend is not None and not isinstance(entry, Amend | Strike):
        kind, by, reason, number = "amend", amend.by, amend.reason, amend.id
        replaces = sheet.rules.notation(entry.action)
    elif isinstance(entry, Insert):
        kind, by, reason, number, replaces = "insert", entry.by, entry.reason, entry.id, None
    else:
        return None
    return {"id": number, "entry": kind, "by": by, "reason": reason, "replaces": replaces}


def corrections(sheet: Scoresheet) -> list[dict[str, JSON]]:
    """Give every amend, strike and insert with what it did in short, and whether it still holds."""
    stands = standing(sheet.entries)
    holding = {amend.id for amend in stands.amended.values()}
    return [
        {
            "id": entry.id,
            "entry": entry.entry,
            "text": _short(sheet, entry),
            "by": entry.by,
            "reason": entry.reason,
            "at": entry.at,
            "holds": entry.id not in stands.struck and (not isinstance(entry, Amend) or entry.id in holding),
        }
        for entry in sheet.entries
        if isinstance(entry, Amend | Strike | Insert)
    ]


def _short(sheet: Scoresheet, entry: Entry) -> str:
    notation = sheet.rules.notation
    match entry:
        case Insert():
            return f"{notation(entry.action)} added"
        case Amend():
            return f"{notation(_acting(sheet, entry.target, entry.id))} → {notation(entry.action)}"
        case Strike():
            target = sheet.entries[entry.target - 1]
            if isinstance(target, Amend | Strike):
                return f"{_short(sheet, target)} undone"
            return f"{notation(_acting(sheet, entry.target, entry.id))} struck"
        case _:
            return notation(entry.action)


def _acting(sheet: Scoresheet, target: int, until: int) -> JSON:
    """Give the action that stood for a record or insert before entry `until` was written."""
    entry = sheet.entries[target - 1]
    assert not isinstance(entry, Strike)
    amend = standing(sheet.entries[: until - 1]).amended.get(target)
    return (amend or entry).action


def corrected(before: Scoresheet, after: Scoresheet) -> list[dict[str, JSON]]:
    """Give what the newest entry replaced: each action that is other than it was, before and after.

    Null stands for none. A record that merely follows replaces nothing.
    """
    was, now = dict(effective(before.entries)), dict(effective(after.entries))
    newest = after.entries[-1]
    form = after.rules.format_action
    return [
        {
            "id": number,
            "before": form(was[number]) if number in was else None,
            "after": form(now[number]) if number in now else None,
        }
        for number in sorted(was.keys() | now.keys())
        if was.get(number) != now.get(number) and (number != newest.id or isinstance(newest, Insert))
    ]


def entries(sheet: Scoresheet) -> list[dict[str, JSON]]:
    """Give the entries as the scoresheet's lines have them."""
    return [format_entry(sheet, entry) for entry in sheet.entries]


def sentence(sheet: Scoresheet, scores: list[int], notation: str, explanation: str, side: int | None) -> str:
    """Say a change in a sentence, for a screen reader or a caller's voice: only what changed and the new score."""
    who = "" if side is None else f"{sheet.sides[side]}: "
    why = explanation.split(": ", 1)[-1].rsplit(" (", 1)[0] if explanation else ""
    total = ", ".join(f"{name} {points}" for name, points in zip(sheet.sides, scores, strict=True))
    return f"{who}{notation}{f', {why}' if why else ''}. {total}."
