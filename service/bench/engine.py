"""`tallycam bench engine`: how fast scoresheets become results.

For each game a long match of sampled legal play is measured: rebuilt whole from its text, and its actions applied
alone, in processor time, so that other programs do not count; and 1,000 scoresheets put through one call of
`tallycam score`, the start of the program included, by the clock and in processor time.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final

import typer

from engine import GAMES, effective, format_sheet, new_sheet, parse_sheet, replay, result
from engine.sampling import numbers, pick

ACTIONS: Final = 300
ROUNDS: Final = 50
SHEETS: Final = 1000
SEED: Final = 3
LONG: Final[Mapping[str, dict[str, Any]]] = {
    "finn": {"target": 1_000_000, "ride_the_rails": True, "good_offense": True},
    "cricket": {},
    "astrolabe": {"best_of": 999, "blocking": True},
}
"""Settings with which sampled play lasts for 300 actions."""


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure matches of 300 actions: rebuilt from text, applied alone, and 1,000 of them through one call."""
    found = {game: measure(game) for game in GAMES}
    clock_s, processor_s = score_files_s(SHEETS)
    if as_json:
        print(json.dumps({**found, "score_1000_files": {"clock_s": clock_s, "processor_s": processor_s}}))
        return
    for game, figures in found.items():
        print(
            f"{game:<10} {figures['actions']} actions rebuilt in {figures['rebuild_ms']:.2f} ms, "
            f"{figures['actions_per_s']:,} applied a second"
        )
    print(
        f"{SHEETS:,} scoresheets through one call of tallycam score in {clock_s} s ({processor_s} s of processor)"
    )


def measure(game: str) -> dict[str, Any]:
    """Give the number of actions, the median ms from text to result, and actions applied a second."""
    text = match_text(game)
    sheet = parse_sheet(text)
    actions = effective(sheet.entries)
    rebuild_s = median(_timed(lambda: result(parse_sheet(text))) for _ in range(ROUNDS))
    apply_s = median(_timed(lambda: replay(sheet)) for _ in range(ROUNDS))
    return {
        "actions": len(actions),
        "rebuild_ms": round(rebuild_s * 1000, 3),
        "actions_per_s": round(len(actions) / apply_s),
    }


def _timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def match_text(game: str, seed: int = SEED) -> str:
    """Give the text of a match of sampled legal play, 300 actions long."""
    rules = GAMES[game]
    sheet = new_sheet(game, ("Ann", "Ben"), LONG[game])
    state, chance = rules.initial(sheet.config, len(sheet.sides)), numbers(seed)
    lines = [format_sheet(sheet)]
    for number in range(1, ACTIONS + 1):
        action = pick(chance, tuple(rules.legal(state, next(chance))))
        state = rules.apply(state, action)
        entry = {"id": number, "entry": "record", "action": rules.format_action(action), "by": "camera"}
        lines.append(json.dumps(entry) + "\n")
    return "".join(lines)


def score_files_s(count: int) -> tuple[float, float]:
    """Give the seconds that one `tallycam score` takes for so many files, by the clock and of processor."""
    texts = [match_text(game, seed) for game in GAMES for seed in range(min(4, count))]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number:04}.jsonl" for number in range(count)]
        for number, path in enumerate(paths):
            path.write_text(texts[number % len(texts)], encoding="utf-8")
        call = [sys.executable, "-c", "from service.cli.main import main; main()", "score", *map(str, paths)]
        began, before = time.perf_counter(), os.times()
        subprocess.run(call, stdout=subprocess.DEVNULL, check=True)
        clock_s, after = time.perf_counter() - began, os.times()
    processor_s = after.children_user + after.children_system - before.children_user - before.children_system
    return round(clock_s, 2), round(processor_s, 2)
