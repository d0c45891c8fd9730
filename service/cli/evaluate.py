"""`tallycam evaluate`: what is read of labelled pictures against what is true."""

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.evaluate.darts import Verdict
    from vision.evaluate.finn import Verdict as ShotVerdict


class Spread(TypedDict):
    """Who reads, as `vision.pool` has it."""

    workers: int
    scheduler: str | None


def command(
    what: Annotated[
        Literal["darts", "astrolabe", "finn"],
        typer.Argument(metavar="WHAT", help="what is read: darts, astrolabe, finn"),
    ],
    data: Annotated[
        Path,
        typer.Option(
            help="darts: labels.json and a folder of pictures for each group;"
            " astrolabe: scenes with truth.json, clips, or balls cut out; finn: folders with truth.json, or"
            " labels NN_….jpg"
        ),
    ],
    *,
    group: Annotated[list[str] | None, typer.Option(help="measure this group alone; may be repeated")] = None,
    out: Annotated[
        Path | None, typer.Option(help="a folder for reliability.png and failures.png, and table.json")
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="finn: without a STATE, so that numbers alone name the pins")
    ] = False,
    workers: Annotated[int, typer.Option(min=0, help="processes; 0 for one a core")] = 1,
    scheduler: Annotated[
        str, typer.Option(help="address of a dask scheduler whose workers read; they see the data under this path")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="print the figures as JSON")] = False,
) -> None:
    """Read every labelled picture and print, group by group, how often the answer is right and how sure it was."""
    spread: Spread = {"workers": workers, "scheduler": scheduler or None}
    folder = data.resolve() if scheduler else data
    try:
        match what:
            case "astrolabe":
                _astrolabe(folder, spread, as_json=as_json)
            case "finn":
                _finn(folder, out, spread, numbers=numbers, as_json=as_json)
            case "darts":
                _darts(folder, group, out, spread, as_json=as_json)
    except RuntimeError as error:
        raise CommandError(str(error)) from error


def _darts(data: Path, group: list[str] | None, out: Path | None, spread: "Spread", *, as_json: bool) -> None:
    from vision.evaluate.cases import load_cases  # noqa: PLC0415 - loads OpenCV
    from vision.evaluate.darts import judge_all, score  # noqa: PLC0415
    from vision.evaluate.report import json_table, text_table  # noqa: PLC0415
    from vision.evaluate.throws import put_together, video_groups, videos  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    cases = load_cases(data)
    if isinstance(cases, Failure):
        raise CommandError(cases.message)
    names = {case.group for case in cases} | video_groups(data)
    for name in group or ():
        if name not in names:
            raise CommandError(f"{data}: there is no group {name!r}; there are {', '.join(sorted(names))}")
    chosen = [case for case in cases if not group or case.group in group]
    verdicts = judge_all(chosen, **spread)
    scores = {name: score(own) for name, own in groupby(verdicts, key=lambda verdict: verdict.case.group)}
    if len(scores) > 1:
        scores["all"] = score(verdicts)
    throws = [*put_together(verdicts), *videos(data, group or ())]
    table = json_table(scores, throws)
    print(json.dumps(table) if as_json else text_table(scores, throws))
    if out is not None:
        _draw(out, verdicts, table)


def _astrolabe(data: Path, spread: "Spread", *, as_json: bool) -> None:
    from vision.evaluate.astrolabe import measure, text_of  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    figures = measure(data, **spread)
    if isinstance(figures, Failure):
        raise CommandError(figures.message)
    print(json.dumps(figures) if as_json else text_of(figures))


def _finn(data: Path, out: Path | None, spread: "Spread", *, numbers: bool, as_json: bool) -> None:
    from dataclasses import asdict  # noqa: PLC0415

    from vision.evaluate import finn  # noqa: PLC0415 - loads OpenCV
    from vision.failure import Failure  # noqa: PLC0415

    if any(data.glob("[01][0-9]_*.jpg")):
        _labels(data, as_json=as_json)
        return
    shots = finn.load_shots(data)
    if isinstance(shots, Failure):
        raise CommandError(shots.message)
    verdicts = finn.judge_all(shots, finn.without_state if numbers else finn.with_state, **spread)
    figures = finn.score(verdicts)
    names = finn.names_read(shots) if numbers else None
    table = {**asdict(figures), **({} if names is None else {"names": asdict(names)})}
    print(json.dumps(table) if as_json else finn.text_of(figures))
    if names is not None and not as_json:
        print(names.text())
    if out is not None:
        _draw_shots(out, [one for one in verdicts if not one.right], table)


def _labels(data: Path, *, as_json: bool) -> None:
    from dataclasses import asdict  # noqa: PLC0415

    from vision.evaluate.digits import measure_digits  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    figures = measure_digits(data)
    if isinstance(figures, Failure):
        raise CommandError(figures.message)
    share = figures.right / figures.labels
    print(json.dumps(asdict(figures)) if as_json else f"labels {figures.right} of {figures.labels} ({share:.1%})")


def _draw_shots(out: Path, wrong: "list[ShotVerdict]", table: dict[str, object]) -> None:
    import cv2  # noqa: PLC0415

    from vision.evaluate.finn_pictures import failures_sheet  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    (out / "table.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    cv2.imwrite(str(out / "failures.png"), failures_sheet(wrong))


def _draw(out: Path, verdicts: "list[Verdict]", table: dict[str, object]) -> None:
    import cv2  # noqa: PLC0415

    from vision.evaluate.darts import failures  # noqa: PLC0415
    from vision.evaluate.pictures import contact_sheet, reliability_diagram  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    (out / "table.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    cv2.imwrite(str(out / "reliability.png"), reliability_diagram(verdicts))
    cv2.imwrite(str(out / "failures.png"), contact_sheet(failures(verdicts)))
