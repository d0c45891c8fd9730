"""A match for other programs: a table of what counted, or everything that is known of it as one JSON object."""

import csv
import io
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from engine import Scoresheet, format_sheet, result
from service.history import corrections, entries, history
from service.statistics import statistics
from service.store import Seen, SightingRow

JSON: TypeAlias = Any

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula, if a cell begins with it."""


def as_csv(sheet: Scoresheet) -> str:
    """Give a line for each action that counts, or would: what it was, what it brought, the scores after it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = [cell(name) for name in sheet.sides]
    head = ["id", "turn", "side", "name", "t_ms", "kind", "notation", "counted", "gain", *names]
    writer.writerow([*head, "by", "at", "corrected", "explanation"])
    for step in history(sheet, {}, {}):
        side = step["side"]
        scores = step["scores"] or [""] * len(names)
        gain = "" if side is None or step["gain"] is None else step["gain"][side]
        writer.writerow(
            [
                step["id"],
                step["turn"],
                "" if side is None else side,
                "" if side is None else names[side],
                step["action"]["t_ms"],
                step["action"]["kind"],
                cell(step["notation"]),
                int(step["counted"]),
                gain,
                *scores,
                cell(step["by"]),
                step["at"] or "",
                int(step["correction"] is not None),
                cell(step["explanation"]),
            ]
        )
    return out.getvalue()


def as_json(
    sheet: Scoresheet,
    seen: dict[int, Seen],
    decisions: dict[int, dict[str, str]],
    sightings: Sequence[SightingRow],
) -> dict[str, JSON]:
    """Give all that is known of a match: what a program needs to show, check or learn from it."""
    shown = {number: {**one.data, "model": one.model} for number, one in seen.items()}
    return {
        "export": 1,
        "scoresheet": format_sheet(sheet),
        "result": result(sheet),
        "entries": entries(sheet),
        "history": history(sheet, shown, decisions),
        "corrections": corrections(sheet),
        "statistics": statistics(sheet),
        "sightings": [
            {
                "id": row.id,
                "recording": row.watching_id,
                "number": row.number,
                "event": dict(row.event),
                "codes": [dict(code) for code in row.codes],
                "pictures": dict(row.pictures),
                "state": row.state,
                "entries": list(row.entries),
                "decision": row.decision,
                "by": row.by,
                "decided_at": row.decided_at,
            }
            for row in sightings
        ],
    }


def cell(text: str) -> str:
    """Give a text that a spreadsheet shows as it is and never runs."""
    return f"'{text}" if text.startswith(FORMULAS) else text
