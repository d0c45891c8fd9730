"""`tallycam labels`: what people said of what was seen, as labelled examples."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from service.config import LabelsConfig
    from service.labels.labels import Label

OFF = (
    'no shot may teach: the settings keep nothing for it; write keep = "corrected" or "reviewed" under [labels] '
    "and name the file with --config (docs/labels.md)"
)


def command(  # noqa: PLR0917 - options of the command line
    config: Annotated[Path | None, typer.Option(help="The settings file of the service.", dir_okay=False)] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the matches; without it the file's, or the user's data folder.", file_okay=False
        ),
    ] = None,
    match: Annotated[str | None, typer.Option(help="Of one match alone.")] = None,
    game: Annotated[str | None, typer.Option(help="Of one game alone.")] = None,
    label: Annotated[
        str | None, typer.Option(help="As T20, leaning, gutter; none: a person said it was nothing.")
    ] = None,
    error: Annotated[
        bool | None, typer.Option("--errors/--right", help="What the model had wrong, or right.")
    ] = None,
    above: Annotated[float | None, typer.Option(min=0, max=1, help="Confidence of at least so much.")] = None,
    below: Annotated[float | None, typer.Option(min=0, max=1, help="Confidence of less than this.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON line for each.")] = False,
) -> None:
    """List the shots that people looked at: what the model said, what was true, who said so.

    A label is read off its match: put a wrong one right by correcting the entry, on the page or by the API. The
    service may be running.
    """
    from service.labels.copied import copied  # noqa: PLC0415
    from service.labels.labels import Wanted, counts, labels_of  # noqa: PLC0415
    from service.store import StoreError  # noqa: PLC0415

    keep, folder = settled(config, data)
    wanted = Wanted(match=match, game=game, label=label, error=error, above=above, below=below)
    try:
        with copied(folder) as matches:
            found = labels_of(matches, keep, wanted)
    except StoreError as problem:
        raise CommandError(str(problem)) from problem
    if as_json:
        for one in found:
            print(json.dumps(one.to_json(), ensure_ascii=False))
        return
    for one in found:
        print(_line(one))
    told = counts(found)
    split = ", ".join(f"{count} matches {part}" for part, count in told["matches"].items())
    print(f"{told['examples']} examples, {told['errors']} the model had wrong; {split}")


def settled(config: Path | None, data: Path | None) -> "tuple[LabelsConfig, Path]":
    """Give what may be kept, and the data folder; raises `CommandError` where nothing may."""
    from service.cli.serve import data_folder  # noqa: PLC0415
    from service.config import Config, ConfigError, read_config  # noqa: PLC0415

    try:
        found = Config() if config is None else read_config(config)
    except ConfigError as problem:
        raise CommandError(str(problem)) from problem
    if found.labels.keep == "nothing":
        raise CommandError(OFF)
    named = found.data.folder
    own = None if named is None or config is None else config.parent / Path(named).expanduser()
    return found.labels, data or own or data_folder()


def _line(one: "Label") -> str:
    sure = "     " if one.confidence is None else f"{one.confidence:5.2f}"
    wrong = f"said {_short(one.said)}" if one.error else ""
    word = f"{' '.join(one.labels):<24} {one.decision:<8} {one.by:<20} {wrong}"
    return f"{one.id:6d}  {one.match}  {sure}  {word}".rstrip()


def _short(action: dict[str, object]) -> str:
    for name in ("segment", "pins", "moves"):
        if name in action:
            told = action[name]
            return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
    return json.dumps(action, ensure_ascii=False)
