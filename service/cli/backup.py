"""`tallycam backup`: a copy of the matches, taken while the service runs."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError


def command(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The copy; it must not exist yet.", dir_okay=False),
    ],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the matches; by default the user's data folder.", file_okay=False),
    ] = None,
) -> None:
    """Copy all matches of a data folder into one file, at one moment, while the service may be writing.

    To go back to it, end the service and put the file into the data folder as tallycam.db, without a
    tallycam.db-wal. Pictures lie in the folder's media/ and never change: copy that folder as it is. Of a damaged
    database what can be read is saved, what was dropped is said, and the exit status is 1.
    """
    from service.cli.serve import data_folder  # noqa: PLC0415
    from service.store import StoreRefused, back_up  # noqa: PLC0415

    try:
        made = back_up(data or data_folder(), output)
    except StoreRefused as error:
        raise CommandError(str(error)) from error
    print(json.dumps({"file": str(output), "matches": made.matches, "entries": made.entries}, ensure_ascii=False))
    if made.dropped:
        print(f"tallycam: the database is damaged; dropped: {made.dropped}", file=sys.stderr)
        raise typer.Exit(1)
