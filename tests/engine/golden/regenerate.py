"""Golden matches: a long scoresheet a game beside its full explained output.

`python tests/engine/golden/regenerate.py` writes the outputs anew from the scoresheets; look at the difference
before committing it. `--sheets` makes new scoresheets too, from sampled legal play with
corrections. A test compares.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

from support.matches import random_play, sheet_text  # noqa: E402

from engine import (  # noqa: E402
    GAMES,
    Scoresheet,
    amend,
    effective,
    format_sheet,
    insert,
    parse_sheet,
    replay,
    result,
    running_totals,
    strike,
)
from engine.sampling import numbers, pick  # noqa: E402
from service.cli.score import sentences  # noqa: E402

FOLDER = Path(__file__).resolve().parent
MATCHES: Mapping[str, dict[str, Any]] = {
    "finn": {"ride_the_rails": True, "good_offense": True, "defense_after_off_board": True},
    "cricket": {},
    "astrolabe": {"balls": 5, "blocking": True, "dead_slots": [[3, 5]], "ball_conversion": True, "best_of": 3},
}
LONGEST = 300
CORRECTIONS = 12
BY: Any = {"by": "umpire:Cho", "reason": "seen again"}


def explained(text: str) -> str:
    """Give the sentences of a match, its running totals and its result."""
    sheet = parse_sheet(text)
    totals = [json.dumps(asdict(total)) for total in running_totals(sheet)]
    return "\n".join([*sentences(sheet), "", *totals, "", json.dumps(result(sheet)), ""])


def made(game: str) -> str:
    """Give a match of sampled play with every kind of correction, the last of which makes a conflict."""
    config = MATCHES[game]
    steps = list(random_play(game, len(game), config=config, most=LONGEST))
    sheet = parse_sheet(sheet_text(game, [action for _, action, _ in steps], config=config))
    chance = numbers(len(game))
    kept = 0
    while kept < CORRECTIONS:
        changed = corrected(sheet, next(chance))
        if replay(changed).conflict is None:
            sheet, kept = changed, kept + 1
    while replay(changed := corrected(sheet, next(chance))).conflict is None:
        pass
    sheet = strike(changed, len(changed.entries), **BY)  # and takes it back
    late = [number for number, _ in effective(sheet.entries)][-20]
    return format_sheet(strike(sheet, late, **BY))


def corrected(sheet: Scoresheet, chance: int) -> Scoresheet:
    """Give the scoresheet with one more correction, a likely one or not."""
    chances = numbers(chance)
    played = replay(sheet)
    at = next(chances) % len(played.steps)
    step, before = played.steps[at], played.steps[at - 1].state if at else played.initial
    other = pick(chances, tuple(GAMES[sheet.game].legal(before, next(chances))))
    match next(chances) % 4:
        case 0:
            return amend(sheet, step.id, other, **BY)
        case 1:
            return insert(strike(sheet, step.id, **BY), step.id, other, **BY)
        case 2:
            return strike(sheet, step.id, **BY)
        case _:
            return strike(sheet, 1 + next(chances) % len(sheet.entries), **BY)


def main() -> None:
    """Write the outputs, and before them the scoresheets where asked to."""
    for game in MATCHES:
        path = FOLDER / f"{game}.jsonl"
        if "--sheets" in sys.argv:
            path.write_text(made(game), encoding="utf-8")
        path.with_suffix(".txt").write_text(explained(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
