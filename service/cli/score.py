"""`tallycam score`: scoresheets through the rules."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer

from engine import Explained, Scoresheet, explain, result
from service.cli.errors import CommandError
from service.sheet_files import SheetFileError, read_sheet

REFUSED = 2
CONFLICT = 1
WIDEST_NOTATION = 24
"""Characters of the column; a longer one moves its own sentence only."""


def command(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Scoresheets; - for standard input.", show_default=False)
    ],
    explained: Annotated[
        bool, typer.Option("--explain", help="Say what each entry comes to, with its clauses, before the result.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Nothing but JSON: with --explain, the sentences as its `explain`.")
    ] = False,
) -> None:
    """Put scoresheets through the rules and print each result as JSON, one line each.

    Exit status: 0 no conflict, 1 a conflict, 2 a file that is no scoresheet; with several files the highest.
    """
    with _without_collector():
        raise typer.Exit(_score(files, explained=explained, as_json=as_json))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the collector of cycles: a match has none, and with many files it takes a fifth of the time."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _score(files: list[str], *, explained: bool, as_json: bool) -> int:
    if len(files) == 1:
        try:
            sheet = read_sheet(files[0])
        except SheetFileError as error:
            raise CommandError(str(error)) from None
        return _show(sheet, explained=explained, as_json=as_json)
    return max(_show_one_of_many(path, explained=explained, as_json=as_json) for path in files)


def _show_one_of_many(path: str, *, explained: bool, as_json: bool) -> int:
    try:
        sheet = read_sheet(path)
    except SheetFileError as error:
        print(_dump({"error": str(error)}))
        return REFUSED
    return _show(sheet, explained=explained, as_json=as_json)


def _show(sheet: Scoresheet, *, explained: bool, as_json: bool) -> int:
    """Print the result of a scoresheet and give the exit status."""
    found = result(sheet)
    if explained and as_json:
        found["explain"] = [asdict(line) for line in explain(sheet)]
    elif explained:
        for line in sentences(sheet):
            print("".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line))
    print(_dump(found))
    return CONFLICT if found["conflict"] else 0


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def sentences(sheet: Scoresheet) -> list[str]:
    """Give the explained match for people: number, side, notation, sentence and score of each entry."""
    lines = explain(sheet)
    id_width = max((len(str(line.id)) for line in lines), default=1)
    who_width = max((len(_who(sheet, line)) for line in lines), default=1)
    notation_width = min(max((len(line.notation) for line in lines), default=1), WIDEST_NOTATION)
    head = f"{sheet.game}: {', '.join(sheet.sides)}"
    return [
        head,
        *(
            f"{line.id:>{id_width}}  {_who(sheet, line):<{who_width}}  {line.notation:<{notation_width}}  "
            f"{_said(line)}".rstrip()
            for line in lines
        ),
    ]


def _who(sheet: Scoresheet, line: Explained) -> str:
    side = "" if line.side is None else sheet.sides[line.side]
    return "  " * line.depth + (f"{line.by}" if line.depth else side)


def _said(line: Explained) -> str:
    score = "" if line.scores is None else f"  {':'.join(map(str, line.scores))}"
    effect = "" if line.effect in ("played", "holds") else f"({line.effect}) "
    return f"{effect}{line.text}{score}"
