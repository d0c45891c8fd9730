"""`tallycam teach`: a board's own pins or balls, from a few pictures of known truth, without training."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.teach.teaching import Taught


def command(
    lessons: Annotated[
        Path | None,
        typer.Argument(
            metavar="LESSONS", help="A file of lessons; docs/teach.md says its form.", show_default=False
        ),
    ] = None,
    setup: Annotated[Path | None, typer.Option(help="The board's SETUP.", dir_okay=False)] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="SETUP", help="Where to write the new SETUP, if it has helped."),
    ] = None,
    guide: Annotated[
        str | None, typer.Option(metavar="GAME", help="Say which pictures to take for finn or astrolabe, and end.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print what came of it as JSON.")] = False,
) -> None:
    """Choose what of a SETUP reads your own pins or balls better, and say how much it helps.

    Some lessons are learnt from, the others only checked by; the new SETUP is written if those are read no worse,
    and nothing more is wrong without a question. Exit status: 0 it has helped; 1 it has not, the SETUP stays.
    """
    from vision.failure import Failure  # noqa: PLC0415 - loads OpenCV
    from vision.setup import load_setup  # noqa: PLC0415
    from vision.teach.lessons import load_lessons  # noqa: PLC0415
    from vision.teach.teaching import teach  # noqa: PLC0415

    if guide is not None:
        _guide(guide, as_json=as_json)
        return
    if lessons is None or setup is None:
        raise CommandError("takes LESSONS and --setup SETUP; --guide GAME says which pictures to take")
    known = load_setup(setup)
    if isinstance(known, Failure):
        raise CommandError(known.message)
    read = load_lessons(lessons, known.game)
    if isinstance(read, Failure):
        raise CommandError(read.message)
    taught = teach(known, read)
    if isinstance(taught, Failure):
        raise CommandError(taught.message)
    print(json.dumps(taught.to_json()) if as_json else text_of(taught))
    if taught.setup is None:
        raise typer.Exit(1)
    if output is not None:
        try:
            output.write_text(json.dumps(taught.setup, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}") from error


def _guide(game: str, *, as_json: bool) -> None:
    """Print which pictures to take."""
    from engine import GAMES  # noqa: PLC0415 - a subcommand loads what it needs
    from vision.failure import Failure  # noqa: PLC0415
    from vision.teach.guide import steps  # noqa: PLC0415

    if game not in GAMES:
        raise CommandError(f"there is no game {game!r}; it is one of {', '.join(GAMES)}")
    found = steps(game)
    if isinstance(found, Failure):
        raise CommandError(found.message)
    print(json.dumps({"steps": [one.to_json() for one in found]}) if as_json else _listed(found))


def _listed(found: Sequence[object]) -> str:
    return "\n".join(f"{number}. {one}" for number, one in enumerate(found, 1))


def text_of(taught: "Taught") -> str:
    """Give it for people: what was changed, and how lessons are read before and after."""
    rows = [("learnt from", *taught.learnt), ("checked by", taught.before, taught.after)]
    lines = [
        f"{name:<12} {before.right} of {before.lessons} right, {before.asked} asked, {before.silent} wrong unasked"
        f"  ->  {after.right} right, {after.asked} asked, {after.silent} wrong unasked"
        for name, before, after in rows
    ]
    if taught.setup is not None:
        lines.append(f"taught: {'; '.join(taught.changed)}")
    elif taught.changed:
        lines.append("what helped the lessons did not help those to check by: the SETUP stays")
    else:
        lines.append("nothing that can be chosen helps: the SETUP stays")
    return "\n".join(lines)
