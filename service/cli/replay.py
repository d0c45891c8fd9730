"""`tallycam replay`: a recorded video, or a folder of pictures, through the whole pipeline."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.frames import FrameSource
    from vision.recording import Kept
    from vision.setup import Setup

SIDES = "Player 1,Player 2"


def command(
    *,
    video: Annotated[Path, typer.Argument(help="A video, or a folder of pictures in the order of their names.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write; new, or empty.")],
    setup: Annotated[
        Path | None,
        typer.Option("--setup", metavar="SETUP", help="Camera and board; without it a dartboard is looked for."),
    ] = None,
    sides: Annotated[str, typer.Option(metavar="A,B", help="Names; the first one begins.")] = SIDES,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="The match's config (JSON).")] = None,
    start: Annotated[
        Path | None, typer.Option(metavar="STATE", help="What already lies on the board (JSON).")
    ] = None,
    fps: Annotated[float | None, typer.Option(metavar="N", help="Pictures a second, for a folder.")] = None,
    media: Annotated[bool, typer.Option(help="Keep pictures and clips of each event.")] = True,
    keep_good: Annotated[
        bool, typer.Option("--keep-good", help="Of a damaged video, keep what comes before the damage.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Replay a recording: events, scoresheet, pictures and clips into DIR, whole or not at all."""
    from engine import ScoresheetError, new_sheet  # noqa: PLC0415 - a subcommand loads what it needs
    from vision.failure import Failure  # noqa: PLC0415
    from vision.frames import open_frames  # noqa: PLC0415
    from vision.recording import Source, folder_written_whole, keep  # noqa: PLC0415

    names = [name.strip() for name in sides.split(",")]
    settings = _json_object(config, "--config")
    lying = None if start is None else _json_object(start, "--start")
    frames = open_frames(video, fps)
    if isinstance(frames, Failure):
        raise CommandError(frames.message)
    camera = _setup(setup, frames)
    source = Source(path=video, setup=camera, fps=fps, lying=lying)
    try:
        new_sheet(camera.game, names, settings)  # refused now rather than after an hour of video
        with folder_written_whole(out) as folder:
            kept = keep(frames, source, folder, names, settings, media=media, keep_good=keep_good)
            if isinstance(kept, Failure):
                raise CommandError(kept.message)
    except ScoresheetError as error:
        raise CommandError(f"--sides or --config: {error.message}") from None
    except FileExistsError as error:
        there = error.filename or out
        raise CommandError(
            f"{there}: a file, or a folder that is not empty, is there already; name a new one"
        ) from None
    except OSError as error:
        raise CommandError(f"{out}: cannot be written ({error.strerror or error})") from None
    _show(kept, out, as_json=as_json)


def _setup(path: Path | None, frames: "FrameSource") -> "Setup":
    from vision.failure import Failure  # noqa: PLC0415
    from vision.setup import Setup, load_setup  # noqa: PLC0415

    if path is None:
        return Setup(game="cricket", image_size=frames.size)
    setup = load_setup(path)
    if isinstance(setup, Failure):
        raise CommandError(setup.message)
    return setup


def _json_object(path: Path | None, option: str) -> Mapping[str, Any]:
    from vision.json_text import read_json, why  # noqa: PLC0415

    if path is None:
        return {}
    try:
        value = read_json(path)
    except (OSError, ValueError) as error:
        raise CommandError(f"{option} {path}: cannot be read as JSON ({why(error)})") from None
    if not isinstance(value, dict):
        raise CommandError(f"{option} {path}: a JSON object is expected, not {type(value).__name__}")
    return value


def _show(kept: "Kept", out: Path, *, as_json: bool) -> None:
    from engine import result  # noqa: PLC0415
    from service.visits import visit_lines  # noqa: PLC0415

    for warning in kept.warnings:
        typer.echo(f"tallycam: {warning}", err=True)
    asking = sum(bool(event.data.get("review")) for event in kept.events)
    if as_json:
        counts: dict[str, int] = {}
        for event in kept.events:
            counts[event.kind] = counts.get(event.kind, 0) + 1
        answer = {"out": str(out), "events": counts, "review": asking, "result": result(kept.sheet)}
        print(json.dumps(answer, ensure_ascii=False))
        return
    for line in visit_lines(kept.sheet):
        print(line)
    print(f"{len(kept.events)} events, {asking} of them to look at; written to {out}")
