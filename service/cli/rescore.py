"""`tallycam rescore`: many recordings put through today's pipeline, held against what was accepted at the time."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from service.rescoring.found import Recording, Unusable
    from service.rescoring.run import Done, Pool

DIFFERS = 1


def command(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Recordings, at any depth: folders as `tallycam replay`, `tallycam watch` and the service keep "
            "them, with the video in them; or NAME.mp4 with NAME.setup.json and NAME.match.jsonl.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="REPORT", help="A new folder for index.html, report.json, clips of changes."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="A dask scheduler whose workers are to do it.")
    ] = "",
    cache: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where results are kept; by default the user's cache.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Score recordings again and say what is not as it was accepted at the time, with the clips.

    What was done once by the same program and networks is not done again, so a run that was broken off goes on
    where it was. Exit status: 0 all is as it was, 1 something is not or cannot be read, 2 a folder that cannot be
    used.
    """
    from service.rescoring.changes import compared  # noqa: PLC0415 - loads OpenCV
    from service.rescoring.found import Recording, found_in  # noqa: PLC0415
    from service.rescoring.report import lines_of, report_of, write_report  # noqa: PLC0415
    from service.rescoring.run import Pool  # noqa: PLC0415

    if not folder.is_dir():
        raise CommandError(f"{folder}: there is no such folder")
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CommandError(f"{out}: a file, or a folder that is not empty, is there already; name a new one")
    found = list(found_in(folder.resolve() if scheduler else folder))
    if not found:
        raise CommandError(f"{folder}: there is no recording in it, a video with recording.json or setup.json")
    done = _done(found, cache, Pool(workers=workers, scheduler=scheduler or None))
    known = {one.name: one for one in found if isinstance(one, Recording)}
    report = report_of([compared(one.name, known.get(one.name), done.outcomes[one.name]) for one in found], done)
    if out is not None:
        try:
            write_report(report, known, out)
        except OSError as error:
            raise CommandError(f"{out}: cannot be written ({error.strerror or error})") from None
    if as_json:
        print(json.dumps(report.to_json(), ensure_ascii=False))
    else:
        for line in lines_of(report, known):
            print(line)
        if out is not None:
            print(f"written to {out / 'index.html'}")
    raise typer.Exit(DIFFERS if report.changed else 0)


def _done(found: "list[Recording | Unusable]", cache: Path | None, pool: "Pool") -> "Done":
    from service.rescoring.kept import Results, usual_folder  # noqa: PLC0415
    from service.rescoring.run import rescore  # noqa: PLC0415
    from vision.models import ModelRefused  # noqa: PLC0415

    bar = typer.progressbar(
        length=len(found), label="recordings", show_pos=True, file=typer.get_text_stream("stderr")
    )
    try:
        with bar:
            return rescore(found, Results(cache or usual_folder()), pool, lambda: bar.update(1))
    except OSError as error:
        raise CommandError(f"{error.filename or cache}: {error.strerror or error}") from error
    except (RuntimeError, ModelRefused) as error:
        raise CommandError(str(error)) from error
