"""`tallycam export`: labelled pictures for training elsewhere, drawn or of matches; a match to report."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.export.labels import Labelled

FORMATS = ("yolo", "coco", "fault")
LISTED = "examples.jsonl"
"""Of what was played: each example with what was said and true, and why it was left out, if it was."""


def command(  # noqa: PLR0917 - options of the command line
    pictures: Annotated[
        Path,
        typer.Argument(
            help="a folder of labelled stills, as `tallycam synth` makes them; or a data folder, for the shots of "
            "its matches that people looked at",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="folder to write to, new or empty; of a fault a zip file, new"),
    ],
    form: Annotated[
        str, typer.Option("--format", help="yolo, coco, or fault: a match to report, names left out")
    ] = "coco",
    task: Annotated[str, typer.Option(help="for yolo: detect, pose or classify")] = "pose",
    val: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="share of the pictures kept for validation; of matches all of one or none"
        ),
    ] = 0.2,
    config: Annotated[
        Path | None,
        typer.Option(help="of a data folder: the settings file, which says what may teach", dir_okay=False),
    ] = None,
    game: Annotated[str | None, typer.Option(help="of a data folder: of this game alone")] = None,
    match: Annotated[str | None, typer.Option(help="of a data folder: of this match alone")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="print the counts as JSON")] = False,
) -> None:
    """Write pictures with boxes and key points for training elsewhere; says how many of each class.

    With `--format fault` one match of a data folder is put into a zip file for whoever is to look into it: its
    scoresheet, events, setup, pictures and clips, without names of people, dates and reasons. Pictures show what
    the camera saw: look into it before you pass it on.
    """
    from vision.export.yolo import TASKS  # noqa: PLC0415 - loads OpenCV

    if form not in FORMATS:
        raise CommandError(f"--format {form!r}: it is one of {', '.join(FORMATS)}")
    if task not in TASKS:
        raise CommandError(f"--task {task!r}: it is one of {', '.join(TASKS)}")
    played = (pictures / "tallycam.db").is_file()
    if not played and (config or game or match or form == "fault"):
        raise CommandError(
            f"{pictures}: no data folder (tallycam.db), which --config, --game, --match and fault need"
        )
    if form == "fault":
        _fault(pictures, match, out, as_json=as_json)
        return
    if not played and not any(pictures.glob("*/truth.json")):
        raise CommandError(f"{pictures}: no labelled stills there (a folder of NAME/truth.json, NAME/after.jpg)")
    try:
        _new(out)
        if played:
            found, left = _played(pictures, out, (form, task, val), config, game, match)
        else:
            from vision.export.labels import labelled_in  # noqa: PLC0415

            found, left = _written(labelled_in(pictures), out, form, task, val), {}
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror or error}") from error
    except ValueError as error:
        raise CommandError(str(error)) from error
    _told(found, left if played else None, as_json=as_json)


def _told(found: Mapping[str, int], left: Mapping[str, int] | None, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({**dict(sorted(found.items())), **({} if left is None else {"left_out": left})}))
        return
    for name, count in sorted(found.items()):
        print(f"{count:6d}  {name}")
    for code, count in sorted((left or {}).items()):
        print(f"{count:6d}  left out: {code}")


def _is_data_folder(pictures: Path, *, of_play: bool) -> bool:
    """Tell a data folder from one of stills; raises `CommandError` for neither, or where only one would do."""
    if (pictures / "tallycam.db").is_file():
        return True
    if of_play:
        raise CommandError(
            f"{pictures}: no data folder (tallycam.db), which --config, --game, --match, fault need"
        )
    if not any(pictures.glob("*/truth.json")):
        raise CommandError(f"{pictures}: no labelled stills there (a folder of NAME/truth.json, NAME/after.jpg)")
    return False


def _new(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise CommandError(f"{out}: it is not empty; an export goes to a new folder")


def _written(labelled: "Iterable[Labelled]", out: Path, form: str, task: str, val: float) -> Mapping[str, int]:
    from vision.export.coco import write_coco  # noqa: PLC0415
    from vision.export.yolo import TASKS, write_yolo  # noqa: PLC0415

    if form == "coco":
        return write_coco(labelled, out, val)
    return write_yolo(labelled, out, next(one for one in TASKS if one == task), val)


def _played(  # noqa: PLR0917 - options of the command line
    data: Path,
    out: Path,
    how: tuple[str, str, float],
    config: Path | None,
    game: str | None,
    match: str | None,
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Write what was played; gives the counts by class, and of what was left out by code."""
    from service.cli.labels import settled  # noqa: PLC0415
    from service.labels.copied import copied  # noqa: PLC0415
    from service.labels.exported import Exported  # noqa: PLC0415
    from service.labels.labels import Wanted, labels_of  # noqa: PLC0415
    from service.store import StoreError  # noqa: PLC0415

    keep, folder = settled(config, data)
    try:
        with copied(folder) as matches:
            found = labels_of(matches, keep, Wanted(match=match, game=game))
            games = sorted({one.game for one in found})
            if not found:
                raise CommandError(f"{data}: nobody has looked at a shot there that may teach")
            if len(games) > 1:
                raise CommandError(f"{data}: matches of {' and '.join(games)}: choose one with --game")
            exported = Exported(matches, found, how[2])
            counts = _written(exported.labelled(), out, *how)
            (out / LISTED).write_text(exported.listed(), encoding="utf-8")
    except StoreError as error:
        raise CommandError(str(error)) from error
    return counts, exported.left_out


def _fault(data: Path, match: str | None, out: Path, *, as_json: bool) -> None:
    from service.labels.copied import copied  # noqa: PLC0415
    from service.labels.fault import write_fault  # noqa: PLC0415
    from service.store import StoreError  # noqa: PLC0415

    if match is None:
        raise CommandError("--format fault takes one match: name it with --match")
    try:
        with copied(data) as matches:
            parts = write_fault(matches, match, out)
    except StoreError as error:
        raise CommandError(str(error)) from error
    except FileExistsError:
        raise CommandError(f"{out} exists already; a fault is never written over a file") from None
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror or error}") from error
    print(json.dumps({"file": str(out), "parts": parts}) if as_json else f"{out}: {len(parts)} parts")
