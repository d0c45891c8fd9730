"""`tallycam synth`: make labelled pictures and clips of a game."""

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from service.cli.errors import CommandError


def command(  # noqa: PLR0917 - options of the command line
    game: Annotated[str, typer.Argument(help="finn, cricket or astrolabe", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="folder to write to; an unfinished set in it goes on")],
    kind: Annotated[str, typer.Option(help="stills, clips, or sample (the bundled recording)")] = "stills",
    count: Annotated[int, typer.Option(min=1, help="how many scenes")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="seed of the first; the others follow")] = 0,
    quality: Annotated[str, typer.Option(help="fast, or photo (stills only, by Blender)")] = "fast",
    workers: Annotated[int, typer.Option(min=0, help="processes; 0 for one a core")] = 0,
    scheduler: Annotated[str, typer.Option(help="address of a dask scheduler whose workers draw")] = "",
    blender: Annotated[
        str, typer.Option(envvar="TALLYCAM_BLENDER", help="a python that has bpy, for --quality photo")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="print the manifest's rows")] = False,
) -> None:
    """Make pictures or clips with their truth; the same seed gives the same files."""
    from vision.synth.order import Order  # noqa: PLC0415
    from vision.synth.work import GAMES, KINDS, QUALITIES, make  # noqa: PLC0415 - loads OpenCV

    if game not in GAMES:
        raise CommandError(f"there is no game {game!r}; it is one of {', '.join(GAMES)}")
    if kind == "sample":
        _sample(game, out)
        return
    if kind not in KINDS:
        raise CommandError(f"--kind {kind!r}: it is one of {', '.join(KINDS)}, sample")
    if quality not in QUALITIES:
        raise CommandError(f"--quality {quality!r}: it is one of {', '.join(QUALITIES)}")
    if (kind, quality) == ("clips", "photo"):
        raise CommandError("--quality photo draws stills only; clips are --quality fast")
    order = Order(game=game, kind=kind, quality=quality, seed=seed, count=count, folder=out, blender=blender)
    try:
        with typer.progressbar(length=count, label=f"{game} {kind}", file=typer.get_text_stream("stderr")) as bar:
            rows = make(order, workers or None, lambda: bar.update(1), scheduler or None)
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror or error}") from error
    except RuntimeError as error:
        raise CommandError(str(error)) from error
    except ModuleNotFoundError as error:
        raise CommandError(f"{game} needs {error.name}: pip install 'tallycam[synth]'") from error
    for row in rows if as_json else ():
        print(json.dumps(row))


def _sample(game: str, out: Path) -> None:
    from vision.failure import Failure  # noqa: PLC0415 - loads OpenCV
    from vision.synth.fast import open_fast  # noqa: PLC0415

    engine = open_fast()
    if isinstance(engine, Failure):
        raise CommandError(engine.message)
    module = import_module(f"vision.synth.{game}.sample")
    module.write_sample(out, engine)
