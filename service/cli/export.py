"""`tallycam export`: labelled pictures in the forms that others train with."""

import json
from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError

FORMATS = ("yolo", "coco")


def command(  # noqa: PLR0917 - options of the command line
    pictures: Annotated[Path, typer.Argument(help="a folder of labelled stills, as `tallycam synth` makes them")],
    out: Annotated[Path, typer.Option("--out", "-o", help="folder to write to; it must be new or empty")],
    form: Annotated[str, typer.Option("--format", help="yolo or coco")] = "coco",
    task: Annotated[str, typer.Option(help="for yolo: detect, pose or classify")] = "pose",
    val: Annotated[float, typer.Option(min=0.0, max=1.0, help="share of the pictures kept for validation")] = 0.2,
    as_json: Annotated[bool, typer.Option("--json", help="print the counts as JSON")] = False,
) -> None:
    """Write pictures with boxes and key points for training elsewhere; says how many of each class."""
    from vision.export.coco import write_coco  # noqa: PLC0415 - loads numpy
    from vision.export.labels import labelled_in  # noqa: PLC0415
    from vision.export.yolo import TASKS, write_yolo  # noqa: PLC0415 - loads OpenCV

    if form not in FORMATS:
        raise CommandError(f"--format {form!r}: it is one of {', '.join(FORMATS)}")
    if task not in TASKS:
        raise CommandError(f"--task {task!r}: it is one of {', '.join(TASKS)}")
    if not any(pictures.glob("*/truth.json")):
        raise CommandError(f"{pictures}: no labelled stills there (a folder of NAME/truth.json, NAME/after.jpg)")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise CommandError(f"{out}: it is not empty; an export goes to a new folder")
        labelled = labelled_in(pictures)
        found = write_coco(labelled, out, val) if form == "coco" else write_yolo(labelled, out, task, val)
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror or error}") from error
    except ValueError as error:
        raise CommandError(str(error)) from error
    if as_json:
        print(json.dumps(dict(sorted(found.items()))))
        return
    for name, count in sorted(found.items()):
        print(f"{count:6d}  {name}")
