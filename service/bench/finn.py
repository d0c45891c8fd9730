"""`tallycam bench finn`: what reading a shot costs on one core, warm, and how much memory a reader takes.

A settled pair is what a board at work reads when all is at rest: its camera is known, and what the picture before
gives was made while the shot went on. With the camera found anew and that made as well it is what `tallycam read`
does. Times are processor time with one thread.
"""

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

from service.bench.darts import peak_mb, times_ms
from service.cli.errors import CommandError
from vision.assets import asset
from vision.evaluate.finn import Shot, load_shots
from vision.failure import Failure
from vision.finn.after import seen_after
from vision.finn.before import viewed
from vision.finn.ground import Ground, ground_of
from vision.finn.reading import PinsReading, read_pins, reading_of
from vision.finn.state import parse_state
from vision.frames import Picture
from vision.pictures import load_picture
from vision.setup import Setup, format_setup


def command(
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Shots with truth.json; the bundled ones without it.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each is read.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a settled pair, what is made before it, a pair whose camera is found anew, and a reader's memory."""
    found = measure(_shots(data), rounds)
    if as_json:
        print(json.dumps(found))
        return
    print(f"{found['pairs']} shots, one thread, warm")
    print(f"  settled pair             {found['pair_ms']:.0f} ms, 90 % within {found['pair_90_ms']:.0f} ms")
    print(f"  made while it goes on    {found['ground_ms']:.0f} ms")
    print(f"  pair, camera found       {found['alone_ms']:.0f} ms, 90 % within {found['alone_90_ms']:.0f} ms")
    print(f"  memory of a reader       {found['memory_mb']:.0f} MB at most")


def measure(shots: tuple[Shot, ...], rounds: int) -> dict[str, Any]:
    """Give median and 90th percentile in ms for both ways to read a pair, and the peak memory in MB."""
    cv2.setNumThreads(1)
    together, made, found, tasks = list[float](), list[float](), list[float](), []
    for shot in shots:
        setup, state = shot.setup(), {"pins": shot.truth["before"]}
        before, after = _picture(shot.folder / "before.jpg"), _picture(shot.folder / "after.jpg")
        places = parse_state(state)
        view = places if isinstance(places, Failure) else viewed(setup, before, places)
        if isinstance(view, Failure):
            raise CommandError(f"{shot.folder}: {view.message}")
        made += times_ms([partial(ground_of, view, before)], rounds)
        together += times_ms([partial(_read, ground_of(view, before), after, setup)], rounds)
        found += times_ms([partial(read_pins, setup, after, before, state)], rounds)
        pictures = {name: str((shot.folder / f"{name}.jpg").resolve()) for name in ("before", "after")}
        tasks.append(
            {
                "setup": format_setup(setup),
                "image": pictures["after"],
                "before": pictures["before"],
                "state": state,
            }
        )
    return {
        "pairs": len(shots),
        "pair_ms": round(float(np.median(together)), 1),
        "pair_90_ms": round(float(np.quantile(together, 0.9)), 1),
        "ground_ms": round(float(np.median(made)), 1),
        "alone_ms": round(float(np.median(found)), 1),
        "alone_90_ms": round(float(np.quantile(found, 0.9)), 1),
        "memory_mb": round(peak_mb(tasks), 1),
    }


def _read(ground: Ground, after: Picture, setup: Setup) -> PinsReading | Failure:
    seen = seen_after(ground, after)
    return seen if isinstance(seen, Failure) else reading_of(ground.view, seen, setup)


def _shots(data: Path | None) -> tuple[Shot, ...]:
    try:
        folder = data if data is not None else asset("datasets/samples/finn") / "stills"
    except FileNotFoundError:
        raise CommandError("no shots came with the program: give --data") from None
    shots = load_shots(folder)
    if isinstance(shots, Failure):
        raise CommandError(shots.message)
    return shots


def _picture(path: Path) -> Picture:
    picture = load_picture(path)
    if isinstance(picture, Failure):
        raise CommandError(picture.message)
    return picture
