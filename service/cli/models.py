"""`tallycam models`: the networks in use, what their cards say, putting a better one into use and going back."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.models import Model


def command(
    what: Annotated[str, typer.Argument(help="list, try, promote or back.", show_default=False)] = "list",
    name: Annotated[str | None, typer.Argument(help="Of the network, as pin-numbers.", show_default=False)] = None,
    folder: Annotated[
        Path | None,
        typer.Argument(help="try and promote: folder of the candidate's weights and card.", show_default=False),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the networks in use, put a better one into use, or go back.

    `try` and `promote` hold a candidate against the one in use, on examples that neither has learnt from: it must
    be better beyond noise, worse on no slice, and accept no more wrong answers. A promoted network lies in the
    folder that TALLYCAM_MODELS names. Exit status: 0 promoted, or would be; 1 refused.
    """
    from vision.models import ModelRefused, go_back, in_use, names  # noqa: PLC0415

    try:
        match what:
            case "list":
                _listed([in_use(one) for one in names()], as_json=as_json)
            case "back" if name is not None:
                _listed([go_back(name)], as_json=as_json)
            case "try" | "promote" if name is not None and folder is not None:
                _tried(name, folder, put=what == "promote", as_json=as_json)
            case _:
                raise CommandError("takes list, try NAME FOLDER, promote NAME FOLDER or back NAME")
    except ModelRefused as error:
        raise CommandError(str(error)) from error


def _listed(models: "list[Model]", *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"models": [_shown(model) for model in models]}))
        return
    for model in models:
        print(f"{model.name:<14} {model.sha256[:16]}  {'shipped' if model.shipped else 'promoted'}")


def _shown(model: "Model") -> dict[str, Any]:
    return {"name": model.name, "sha256": model.sha256, "shipped": model.shipped}


def _tried(name: str, folder: Path, *, put: bool, as_json: bool) -> None:
    from vision.evaluate.candidates import JUDGES  # noqa: PLC0415
    from vision.evaluate.promotion import text_of, verdict  # noqa: PLC0415
    from vision.models import in_use, promote, read_model  # noqa: PLC0415

    if name not in JUDGES:
        raise CommandError(f"nothing judges {name!r}; takes {', '.join(JUDGES)}")
    candidate = read_model(folder, name)
    found = verdict(JUDGES[name](in_use(name).path, candidate.path))
    if as_json:
        rows = [{key: getattr(row, key) for key in row.__slots__} for row in found.rows]
        print(
            json.dumps(
                {
                    "promoted": found.promoted and put,
                    "earned": found.promoted,
                    "reason": found.reason,
                    "rows": rows,
                }
            )
        )
    else:
        print(text_of(found))
    if not found.promoted:
        raise typer.Exit(1)
    if put:
        promote(candidate)
