"""`tallycam models`: the networks in use, what their cards say, putting a better one into use and going back."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.evaluate.promotion import Judged
    from vision.models import Model


def command(
    what: Annotated[
        str,
        typer.Argument(help="list, try, promote, back, shadow, unshadow or differences.", show_default=False),
    ] = "list",
    name: Annotated[str | None, typer.Argument(help="Of the network, as pin-numbers.", show_default=False)] = None,
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="try, promote, shadow: folder of the candidate's weights and card.", show_default=False
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="differences: folder of the matches, by default the user's; try, promote: judge on its held-back "
            "matches too.",
            file_okay=False,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="try, promote with --data: the settings file, which says what may teach.", dir_okay=False
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the networks in use, put a better one into use, go back, or run one in shadow.

    `try` and `promote` hold a candidate against the one in use, on examples that neither has learnt from: it must
    be better beyond noise, worse on no slice, and accept no more wrong answers. A promoted network lies in the
    folder that TALLYCAM_MODELS names. Exit status: 0 promoted, or would be; 1 refused.

    `shadow` has the service read whatever boards see by a candidate too, and write down where it differs from the
    one in use, until `unshadow`; `differences` lists that. Nothing in shadow ever scores.
    """
    from vision.models import ModelRefused, end_shadow, go_back, in_use, names, read_model, shadow  # noqa: PLC0415

    try:
        match what:
            case "list":
                _listed([in_use(one) for one in names()], as_json=as_json)
            case "back" if name is not None:
                _listed([go_back(name)], as_json=as_json)
            case "try" | "promote" if name is not None and folder is not None:
                own = None if data is None else (data, config)
                _tried(name, folder, own, put=what == "promote", as_json=as_json)
            case "shadow" if name is not None and folder is not None:
                shadow(read_model(folder, name))
            case "unshadow" if name is not None:
                end_shadow(name)
            case "differences":
                _differences(data, as_json=as_json)
            case _:
                raise CommandError(
                    "takes list, try NAME FOLDER, promote NAME FOLDER, back NAME, shadow NAME FOLDER, "
                    "unshadow NAME or differences"
                )
    except ModelRefused as error:
        raise CommandError(str(error)) from error


def _own(name: str, own: "tuple[Path, Path | None]", both: tuple[Path, Path]) -> "list[Judged]":
    """Judge both on the board's own held-back matches."""
    from service.cli.labels import settled  # noqa: PLC0415
    from service.labels.copied import copied  # noqa: PLC0415
    from service.labels.judged import judge_own  # noqa: PLC0415
    from service.labels.labels import labels_of  # noqa: PLC0415
    from service.store import StoreError  # noqa: PLC0415

    data, config = own
    keep, folder = settled(config, data)
    try:
        with copied(folder) as matches:
            return judge_own(matches, labels_of(matches, keep), name, *both)
    except StoreError as error:
        raise CommandError(str(error)) from error


def _listed(models: "list[Model]", *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"models": [_shown(model) for model in models]}))
        return
    for model in models:
        print(f"{model.name:<14} {model.sha256[:16]}  {'shipped' if model.shipped else 'promoted'}")


def _differences(data: Path | None, *, as_json: bool) -> None:
    from service.cli.serve import data_folder  # noqa: PLC0415
    from service.labels.copied import copied  # noqa: PLC0415
    from service.shadow.shown import differences  # noqa: PLC0415
    from service.store import StoreError  # noqa: PLC0415

    folder = data or data_folder()
    try:
        with copied(folder) as matches:
            told = differences(matches, folder)
    except StoreError as error:
        raise CommandError(str(error)) from error
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
        return
    for one in told["differences"]:
        now, new = (_read(one[which]) for which in ("now", "candidate"))
        print(f"{one['sighting']:6d}  {one['match']}  {now:<34} {new:<34} {one['right'] or ''}".rstrip())
    print(f"{told['compared']} readings compared, {told['differed']} differed")


def _read(said: "dict[str, Any]") -> str:
    read = "refused" if said["read"] is None else json.dumps(said["read"], ensure_ascii=False)
    return f"{read}{' asks' if said['review'] else ''}"


def _shown(model: "Model") -> dict[str, Any]:
    return {"name": model.name, "sha256": model.sha256, "shipped": model.shipped}


def _tried(name: str, folder: Path, own: "tuple[Path, Path | None] | None", *, put: bool, as_json: bool) -> None:
    from vision.evaluate.candidates import JUDGES  # noqa: PLC0415
    from vision.evaluate.promotion import text_of, verdict  # noqa: PLC0415
    from vision.models import in_use, promote, read_model  # noqa: PLC0415

    if name not in JUDGES:
        raise CommandError(f"nothing judges {name!r}; takes {', '.join(JUDGES)}")
    candidate = read_model(folder, name)
    both = in_use(name).path, candidate.path
    try:
        examples = JUDGES[name](*both)
    except RuntimeError as error:
        raise CommandError(str(error)) from error
    found = verdict([*examples, *(() if own is None else _own(name, own, both))])
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
