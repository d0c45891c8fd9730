"""`tallycam read`: what one picture shows, or each picture of a list."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.reading import Reader


def command(
    *,
    image: Annotated[Path | None, typer.Argument(help="the picture to read")] = None,
    setup: Annotated[Path | None, typer.Option(help="the SETUP file: which game, where the board is")] = None,
    before: Annotated[Path | None, typer.Option(help="the picture from before the shot")] = None,
    state: Annotated[Path | None, typer.Option(help="what was known before the shot")] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            help='a JSON-lines file of {"setup", "image", "before", "state"} or {"views"}; - reads stdin'
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON (it always does)")] = True,  # noqa: ARG001
) -> None:
    """Say what one picture shows.

    Always prints JSON. A picture that cannot be read gives {"error", "message"} and exit status 2; in a batch each
    line is answered, the failed ones with their error, and the exit status is 0. A line {"views": [{"setup",
    "image", "before"}, …]} is one throw at a dartboard as several cameras saw it: their tips are weighed together.
    """
    from vision.reading import Reader  # noqa: PLC0415 - loads OpenCV

    reader = Reader()
    if batch is not None:
        if image is not None:
            raise CommandError("give either one IMAGE or --batch LIST, not both")
        _read_list(reader, batch)
        return
    if image is None or setup is None:
        raise CommandError("read needs --setup SETUP and an IMAGE, or --batch LIST")
    answer = reader.read(setup=setup, image=image, before=before, state=state)
    print(json.dumps(answer))
    if "error" in answer:
        raise CommandError(answer["message"])


def _read_list(reader: "Reader", path: Path) -> None:
    from vision.json_text import why  # noqa: PLC0415

    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: this list cannot be read ({why(error)})") from None
    base = Path() if str(path) == "-" else path.parent
    for line in text.split("\n"):  # a name may hold what splitlines takes for the end of a line
        if line.strip():
            print(json.dumps(reader.read_line(line, base)), flush=True)
