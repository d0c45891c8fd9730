"""`tallycam synth`: make labelled pictures and clips of a game."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from service.cli.errors import CommandError

SAMPLE_SEED, SAMPLE_STILLS = 601, 6
LEAST_PERCENT = 99.5  # of scenes whose key points all lie on what they belong to


def command(  # noqa: PLR0917 - options of the command line
    game: Annotated[str, typer.Argument(help="finn, cricket or astrolabe", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="folder to write to; an unfinished set in it goes on. Without it: one of the cache, named by the "
            "recipe, that is printed; what is there is not drawn again",
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="stills, clips, or sample (the bundled recording and stills)")
    ] = "stills",
    count: Annotated[int, typer.Option(min=1, help="how many scenes")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="seed of the first; the others follow")] = 0,
    quality: Annotated[str, typer.Option(help="fast, or photo (stills only, by Blender)")] = "fast",
    workers: Annotated[int, typer.Option(min=0, help="processes; 0 for one a core")] = 0,
    scheduler: Annotated[str, typer.Option(help="address of a dask scheduler whose workers draw")] = "",
    blender: Annotated[
        str, typer.Option(envvar="TALLYCAM_BLENDER", help="a python that has bpy, for --quality photo")
    ] = "",
    shares: Annotated[
        bool, typer.Option("--shares", help="say how often what happens in these scenes, and draw none")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="hold the truth of these stills against their pixels, and keep none")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="print the manifest's rows, or what was counted")
    ] = False,
) -> None:
    """Make pictures or clips with their truth; the same seed gives the same files."""
    from vision.synth.sets import kept_in  # noqa: PLC0415
    from vision.synth.work import GAMES, KINDS, QUALITIES  # noqa: PLC0415 - loads OpenCV

    if game not in GAMES:
        raise CommandError(f"there is no game {game!r}; it is one of {', '.join(GAMES)}")
    if shares or check:
        (_shares if shares else _check)(game, kind, range(seed, seed + count), workers, as_json)
        return
    if kind == "sample":
        _sample(game, out)
        return
    if kind not in KINDS:
        raise CommandError(f"--kind {kind!r}: it is one of {', '.join(KINDS)}, sample")
    if quality not in QUALITIES or (kind, quality) == ("clips", "photo"):
        raise CommandError(
            f"--quality {quality!r}: it is one of {', '.join(QUALITIES)}, and photo draws stills only"
        )
    wanted = {"game": game, "kind": kind, "quality": quality, "seed": seed, "count": count, "blender": blender}
    folder = out or kept_in(game, kind, quality)
    rows = _made(wanted, folder, workers, scheduler)
    if as_json:
        for row in rows:
            print(json.dumps(row))
    else:
        print(folder if out is None else f"{len(rows)} {kind if len(rows) != 1 else kind[:-1]} in {out}")


def _made(wanted: dict[str, Any], out: Path, workers: int, scheduler: str) -> list[dict[str, Any]]:
    from vision.synth.order import Order  # noqa: PLC0415
    from vision.synth.work import make  # noqa: PLC0415 - loads OpenCV

    order = Order(folder=out, **wanted)
    label = f"{order.game} {order.kind}"
    stderr = typer.get_text_stream("stderr")
    bar = typer.progressbar(length=order.count, label=label, file=stderr, hidden=not stderr.isatty())
    try:
        with _in_one_sentence(order.game), bar:
            return make(order, workers or None, lambda: bar.update(1), scheduler or None)
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror or error}") from error


@contextmanager
def _in_one_sentence(game: str) -> Iterator[None]:
    """Say what keeps scenes from being drawn."""
    try:
        yield
    except RuntimeError as error:
        raise CommandError(str(error)) from error
    except ModuleNotFoundError as error:
        raise CommandError(f"{game} needs {error.name}: pip install 'tallycam[synth]'") from error


def _shares(game: str, kind: str, seeds: range, workers: int, as_json: bool) -> None:
    from vision.synth.shares import shares  # noqa: PLC0415 - loads OpenCV
    from vision.synth.work import KINDS  # noqa: PLC0415

    if kind not in KINDS:
        raise CommandError(f"--shares counts in {' and '.join(KINDS)}, not in {kind!r}")
    with _in_one_sentence(game):
        found = shares(game, kind, seeds, workers)
    if as_json:
        print(json.dumps(found))
        return
    print(f"{found['shots']} shots in {len(seeds)} {kind}")
    for name, percent in found["percent"].items():
        print(f"{percent:6.1f} %  {name}")


def _check(game: str, kind: str, seeds: range, workers: int, as_json: bool) -> None:  # noqa: ARG001
    from vision.synth.fast import open_fast  # noqa: PLC0415 - loads OpenCV
    from vision.synth.pixels import checked  # noqa: PLC0415
    from vision.synth.work import opened  # noqa: PLC0415

    with _in_one_sentence(game):
        found = checked(game, seeds, opened(open_fast()))
    if as_json:
        print(json.dumps(found))
    else:
        print(f"{found['percent_of_scenes']} % of {found['scenes']} scenes, {found['points']} key points")
        for seed, told in found["wrong"].items():
            print(f"seed {seed}: {'; '.join(told)}")
    if found["percent_of_scenes"] < LEAST_PERCENT:
        raise typer.Exit(1)


def _sample(game: str, out: Path | None) -> None:
    if out is None:
        raise CommandError("--kind sample takes a folder to write to: -o FOLDER")
    from vision.synth.fast import open_fast  # noqa: PLC0415 - loads OpenCV
    from vision.synth.work import opened  # noqa: PLC0415

    with _in_one_sentence(game):
        import_module(f"vision.synth.{game}.sample").write_sample(out, opened(open_fast()))
    stills = {"game": game, "kind": "stills", "quality": "fast", "seed": SAMPLE_SEED, "count": SAMPLE_STILLS}
    rows = _made(stills, out / "stills", 1, "")
    print(f"a clip and {len(rows)} stills in {out}")
