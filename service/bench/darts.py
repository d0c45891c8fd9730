"""`tallycam bench darts`: what reading darts costs on one core, warm, and how much memory a reader takes.

Pairs are the pictures before and after each throw of a video, the board known; single pictures are those after,
the board found in each. Times are processor time with one thread; memory is the peak of a program of its own that
reads them as `tallycam read` does.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
import typer

from service.bench.replay import SAMPLE
from service.cli.errors import CommandError
from vision.assets import asset
from vision.darts.reading import read_darts
from vision.events import Event
from vision.failure import Failure
from vision.frames import Picture, open_frames
from vision.replay import replay
from vision.setup import Setup, format_setup, load_setup

PAIRS: Final = 9
"""Three visits: enough for a median that repeats to a tenth."""

ROUNDS: Final = 3

Pair = tuple[Picture, Picture]


def command(
    video: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A video with throws; the bundled one without it.")
    ] = None,
    setup: Annotated[Path | None, typer.Option(metavar="SETUP", help="Its camera and board.")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="How many throws are read.")] = PAIRS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a before/after pair, a single picture with the board found in it, and the memory of a reader."""
    camera = _camera(video, setup)
    path = video if video is not None else asset(SAMPLE) / "clip.mp4"
    found = measure(list(islice(_throws(path, camera), pairs)), camera)
    if as_json:
        print(json.dumps(found))
        return
    print(f"{found['pairs']} throws of {path.name}, one thread, warm")
    print(f"  pair, board known        {found['pair_ms']:.0f} ms, 90 % within {found['pair_90_ms']:.0f} ms")
    print(f"  single, board found      {found['single_ms']:.0f} ms, 90 % within {found['single_90_ms']:.0f} ms")
    print(f"  memory of a reader       {found['memory_mb']:.0f} MB at most")


def measure(pairs: list[Pair], camera: Setup, rounds: int = ROUNDS) -> dict[str, Any]:
    """Give median and 90th percentile in ms for a pair and a single picture, and the peak memory in MB."""
    if not pairs:
        raise CommandError("there is no throw in this video to measure on")
    cv2.setNumThreads(1)
    anywhere = replace(camera, board_px=(), board_xy=())
    together = times_ms([partial(read_darts, camera, after, before) for before, after in pairs], rounds)
    alone = times_ms([partial(read_darts, anywhere, after) for _, after in pairs], rounds)
    return {
        "pairs": len(pairs),
        "pair_ms": round(float(np.median(together)), 1),
        "pair_90_ms": round(float(np.quantile(together, 0.9)), 1),
        "single_ms": round(float(np.median(alone)), 1),
        "single_90_ms": round(float(np.quantile(alone, 0.9)), 1),
        "memory_mb": round(_memory_mb(pairs, camera, anywhere), 1),
    }


def _camera(video: Path | None, setup: Path | None) -> Setup:
    if (video is None) != (setup is None):
        raise CommandError("--video and --setup belong together: which video, and where its board is")
    try:
        camera = load_setup(setup if setup is not None else asset(SAMPLE) / "setup.json")
    except FileNotFoundError:
        raise CommandError("no recording came with the program: give --video and --setup") from None
    if isinstance(camera, Failure):
        raise CommandError(camera.message)
    if camera.game != "cricket" or not camera.board_px:
        raise CommandError(f"{setup}: this is no SETUP of a dartboard with points")
    return camera


def _throws(path: Path, camera: Setup) -> Iterable[Pair]:
    """Give the pictures at rest before and after each throw of a video."""
    frames = open_frames(path)
    if isinstance(frames, Failure):
        raise CommandError(frames.message)
    for event in replay(frames, camera):
        if isinstance(event, Event) and event.kind == "throw" and event.before and event.after:
            yield event.before.bgr(), event.after.bgr()


def times_ms(readers: Iterable[Callable[[], object]], rounds: int) -> list[float]:
    """Give the processor times of all rounds; the first call of each is not counted."""
    times = []
    for read in readers:
        read()
        for _ in range(rounds):
            began = time.process_time()
            read()
            times.append((time.process_time() - began) * 1000)
    return times


def _memory_mb(pairs: Iterable[Pair], camera: Setup, anywhere: Setup) -> float:
    """Give the peak memory of `tallycam read --batch` over the same pictures."""
    with tempfile.TemporaryDirectory() as folder:
        tasks = []
        for place, (before, after) in enumerate(pairs):
            files = {name: str(Path(folder) / f"{name}{place}.png") for name in ("before", "after")}
            cv2.imwrite(files["before"], before)
            cv2.imwrite(files["after"], after)
            image = {"image": files["after"]}
            tasks += [
                {"setup": format_setup(camera), **image, "before": files["before"]},
                {"setup": format_setup(anywhere), **image},
            ]
        return peak_mb(tasks)


def peak_mb(tasks: Iterable[dict[str, Any]]) -> float:
    """Give the peak memory of `tallycam read --batch` over these lines."""
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder) / "batch.jsonl"
        batch.write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
        program = (
            "import resource, sys; from service.cli.main import main\n"
            "try: main()\n"
            "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program, "read", "--batch", str(batch)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    return int(ran.stderr.split()[-1]) * _MAXRSS_BYTES / 1e6


_MAXRSS_BYTES: Final = 1 if sys.platform == "darwin" else 1024
"""Linux counts the peak in KiB, macOS in bytes."""
