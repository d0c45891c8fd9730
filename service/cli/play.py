"""`tallycam play`: keep score by hand, in the terminal."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Annotated, Any

import typer

from engine import GAMES, Scoresheet, ScoresheetError, new_sheet, result
from engine import replay as replay_sheet
from service.cli.errors import CommandError
from service.hand import RefusedError, Session, prompt, typed
from service.sheet_files import SheetFileError, read_sheet, write_sheet

QUIT = ("quit", "exit", "q")


def command(
    game: Annotated[str, typer.Argument(help="finn, cricket or astrolabe.", show_default=False)],
    *,
    sides: Annotated[
        str | None, typer.Option(help="Names, by commas; the first begins. A,B where none are given.")
    ] = None,
    config: Annotated[str, typer.Option(help="Settings that differ from the defaults, as JSON.")] = "{}",
    sheet_file: Annotated[
        Path | None, typer.Option("--sheet", help="The scoresheet to keep: gone on with where it exists.")
    ] = None,
    umpire: Annotated[
        str | None, typer.Option(help="Corrections are this umpire's (in cricket they have to be an umpire's).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON at the end.")] = False,
) -> None:
    """Keep score by hand: type what happened (`T20 S5 -`, `7↓ 6↓ 9/ |2`), undo, correct; `help` says how."""
    session = Session(sheet=_opened(game, sides or "A,B", config, sheet_file), umpire=umpire, clock_ms=lambda: 0)
    session = with_changes(session, clock_ms=_match_clock(session.sheet))
    if sheet_file is None:
        print("This match is not kept: --sheet FILE keeps it.", file=sys.stderr)
    elif not sheet_file.exists():
        _written(sheet_file, session.sheet)  # better told now than after the first dart
    elif sides is not None and _names(sides) != session.sheet.sides:
        print(
            f"{sheet_file} stays a match of {', '.join(session.sheet.sides)}; --sides has no say.", file=sys.stderr
        )
    while True:
        line = _asked(session.sheet)
        if line is None or line.strip().lower() in QUIT:
            break
        try:
            sheet, said = typed(session, line)
        except RefusedError as refused:
            said = [str(refused)]
        else:
            if sheet_file is not None and sheet is not session.sheet:
                _written(sheet_file, sheet)
            session = with_changes(session, sheet=sheet)
        print("\n".join(said), file=sys.stderr if as_json else sys.stdout)
    if as_json:
        print(json.dumps(result(session.sheet), ensure_ascii=False))


def _opened(game: str, sides: str, config: str, sheet_file: Path | None) -> Scoresheet:
    if game not in GAMES:
        raise CommandError(f"there is no game {game!r}; takes {', '.join(GAMES)}")
    try:
        if sheet_file is not None and sheet_file.exists():
            kept = read_sheet(str(sheet_file))
            if kept.game != game:
                raise CommandError(f"{sheet_file} is a match of {kept.game}, not {game}")
            return kept
        return new_sheet(game, _names(sides), _settings(config))
    except ScoresheetError as error:
        raise CommandError(error.message) from None
    except SheetFileError as error:
        raise CommandError(str(error)) from None


def _names(sides: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in sides.split(","))


def _settings(config: str) -> dict[str, Any]:
    try:
        settings = json.loads(config)
    except ValueError as error:
        raise CommandError(f"--config is no JSON: {error}") from None
    if not isinstance(settings, dict):
        raise CommandError('--config takes a JSON object such as {"target": 50}')
    return settings


def _match_clock(sheet: Scoresheet) -> Callable[[], int]:
    """Give the match's clock: it goes on from the last action of the sheet."""
    steps = replay_sheet(sheet).steps
    past_ms = steps[-1].action.t_ms if steps else 0
    started = time.monotonic()
    return lambda: past_ms + int((time.monotonic() - started) * 1000)


def _asked(sheet: Scoresheet) -> str | None:
    """Give the next line, or None at the end of the input; the prompt goes to stderr: stdout is for data."""
    print(prompt(sheet), end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.removesuffix("\n") if line else None


def _written(path: Path, sheet: Scoresheet) -> None:
    try:
        write_sheet(path, sheet)
    except OSError as error:
        raise CommandError(f"{path}: cannot be written ({error.strerror})") from None
