"""`tallycam evaluate`: what is read of labelled pictures against what is true."""

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.evaluate.darts import Verdict


def command(
    what: Annotated[
        Literal["darts", "astrolabe"], typer.Argument(metavar="WHAT", help="what is read: darts, astrolabe")
    ],
    data: Annotated[
        Path,
        typer.Option(
            help="darts: labels.json and a folder of pictures for each group;"
            " astrolabe: scenes with truth.json, clips, or balls cut out"
        ),
    ],
    *,
    group: Annotated[list[str] | None, typer.Option(help="measure this group alone; may be repeated")] = None,
    out: Annotated[
        Path | None, typer.Option(help="a folder for reliability.png and failures.png, and table.json")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the figures as JSON")] = False,
) -> None:
    """Read every labelled picture and print, group by group, how often the answer is right and how sure it was."""
    if what == "astrolabe":
        _astrolabe(data, as_json=as_json)
        return
    from vision.evaluate.cases import load_cases  # noqa: PLC0415 - loads OpenCV
    from vision.evaluate.darts import judge_all, score  # noqa: PLC0415
    from vision.evaluate.report import json_table, text_table  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    cases = load_cases(data)
    if isinstance(cases, Failure):
        raise CommandError(cases.message)
    names = {case.group for case in cases}
    for name in group or ():
        if name not in names:
            raise CommandError(f"{data}: there is no group {name!r}; there are {', '.join(sorted(names))}")
    chosen = [case for case in cases if not group or case.group in group]
    verdicts = list(judge_all(chosen))
    scores = {name: score(own) for name, own in groupby(verdicts, key=lambda verdict: verdict.case.group)}
    if len(scores) > 1:
        scores["all"] = score(verdicts)
    print(json.dumps(json_table(scores)) if as_json else text_table(scores))
    if out is not None:
        _draw(out, verdicts, json_table(scores))


def _astrolabe(data: Path, *, as_json: bool) -> None:
    from vision.evaluate.astrolabe import measure, text_of  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415

    figures = measure(data)
    if isinstance(figures, Failure):
        raise CommandError(figures.message)
    print(json.dumps(figures) if as_json else text_of(figures))


def _draw(out: Path, verdicts: "list[Verdict]", table: dict[str, object]) -> None:
    import cv2  # noqa: PLC0415

    from vision.evaluate.darts import failures  # noqa: PLC0415
    from vision.evaluate.pictures import contact_sheet, reliability_diagram  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    (out / "table.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    cv2.imwrite(str(out / "reliability.png"), reliability_diagram(verdicts))
    cv2.imwrite(str(out / "failures.png"), contact_sheet(failures(verdicts)))
