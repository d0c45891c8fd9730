"""`tallycam bench rescore`: many recordings scored again by one worker, by two, and by two of which one is killed.

Pieces of the bundled recordings, each cut out as a file of its own. Every run is a `tallycam rescore` as it is
typed, with nothing kept from before; the plain pipeline is one process that reads the same files one after the
other, one thread each. Wall clock and processor time of all processes, their start included.

same        whether each run saw, event by event, what the plain pipeline saw
speedup     one worker's wall clock to that of two: fair only where the machine has nothing else to do
overhead    one worker's processor time beyond the plain pipeline's
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import typer

from engine import format_sheet
from service.bench.servers import until
from service.cli.errors import CommandError
from service.rescoring.found import Recording, found_in
from vision.assets import asset
from vision.clips import Stretch, cut_clips
from vision.events import Event, event_from_line, event_line
from vision.failure import Failure
from vision.frames import open_frames
from vision.replay import replay
from vision.scribe import sheet_of
from vision.videos import decode, open_video

GAMES: Final = ("cricket", "finn", "astrolabe")
PROGRAM: Final = (sys.executable, "-c", "from service.cli.main import main; main()", "rescore")
PIECE_MS: Final = 6000
LEAST_SPEEDUP: Final = 1.7
MOST_OVERHEAD: Final = 10.0
"""Percent."""


def command(
    clips: Annotated[int, typer.Option(min=3, help="How many recordings.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure how scoring again grows with workers; some minutes, best with nothing else running."""
    with tempfile.TemporaryDirectory(prefix="tallycam-bench-") as folder:
        found = measured(Path(folder), clips)
    if as_json:
        print(json.dumps(found))
        return
    print(
        f"{found['clips']} recordings of {found['video_s']} s together, {found['events']} events;"
        f" {found['cores']} cores, load {found['load']}"
    )
    for name, one in found["runs"].items():
        print(f"  {name:24} {one['wall_s']:8.1f} s, {one['cpu_s']:8.1f} s of processor, same {one['same']}")
    print(f"two workers are {found['speedup']:.2f} times as fast as one (when quiet at least {LEAST_SPEEDUP})")
    print(f"overhead over the plain pipeline {found['overhead_percent']:.1f} % (at most {MOST_OVERHEAD:g} %)")


def measured(folder: Path, clips: int) -> dict[str, Any]:
    """Make recordings in a folder, run everything, and give the figures."""
    top = folder / "recordings"
    _cut(top, clips)
    runs = {"plain pipeline": _timed(lambda: _plain(top))}
    truth = {
        path.parent.name: path.read_text(encoding="utf-8").splitlines() for path in top.glob("*/events.jsonl")
    }
    _accept(top)
    for name, workers, kills in (
        ("one worker", 1, False),
        ("two workers", 2, False),
        ("one of two killed", 2, True),
    ):
        cache = folder / name
        runs[name] = _timed(lambda: _rescored(top, cache, workers, clips // 2 if kills else None))  # noqa: B023
        runs[name]["same"] = _events(cache) == {tuple(lines) for lines in truth.values()}
    one, two, plain = runs["one worker"], runs["two workers"], runs["plain pipeline"]
    plain["same"] = True
    return {
        "clips": len(truth),
        "video_s": round(sum(map(_seconds, top.glob("*/video.*"))), 1),
        "events": sum(map(len, truth.values())),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "runs": runs,
        "speedup": round(one["wall_s"] / two["wall_s"], 3),
        "overhead_percent": round(100 * (one["cpu_s"] / plain["cpu_s"] - 1), 2),
    }


def plain(top: str) -> None:
    """Read the recordings of a folder one after the other; leaves `events.jsonl` in each."""
    cv2.setNumThreads(1)
    for recording in found_in(Path(top)):
        assert isinstance(recording, Recording)
        frames = open_frames(recording.source.path)
        assert not isinstance(frames, Failure)
        seen = replay(frames, recording.source.setup)
        lines = [event_line(event) for event in seen if isinstance(event, Event)]
        (recording.folder / "events.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _cut(top: Path, clips: int) -> None:
    """Cut as many pieces out of the bundled recordings, of each game a third, evenly over its length."""
    for place, game in enumerate(GAMES):
        try:
            sample = asset(f"datasets/samples/{game}")
        except FileNotFoundError as error:
            raise CommandError(str(error)) from None
        count = (clips + len(GAMES) - 1 - place) // len(GAMES)
        last_ms = max(shown[0] for shown in decode(sample / "clip.mp4") if not isinstance(shown, Failure))
        for number in range(count):
            begin = number * max(0, last_ms - PIECE_MS) // max(1, count - 1)
            folder = top / f"{game}-{number:02d}"
            folder.mkdir(parents=True)
            # Pieces that begin at the same key frame still end elsewhere, so that each is another file.
            cut = cut_clips(
                sample / "clip.mp4", [Stretch(name="video", from_ms=begin, to_ms=begin + PIECE_MS)], folder
            )
            if isinstance(cut, Failure):
                raise CommandError(cut.message)
            (folder / "setup.json").write_bytes((sample / "setup.json").read_bytes())


def _seconds(video: Path) -> float:
    opened = open_video(video)
    if isinstance(opened, Failure):
        raise CommandError(opened.message)
    with opened[0] as container:
        return (container.duration or 0) / 1e6


def _plain(top: Path) -> None:
    call = "import sys; from service.bench.rescore import plain; plain(sys.argv[1])"
    subprocess.run([sys.executable, "-c", call, str(top)], check=True)


def _accept(top: Path) -> None:
    """Let what the plain pipeline saw be the scoresheet that was accepted."""
    for recording in found_in(top):
        assert isinstance(recording, Recording)
        lines = (recording.folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
        sheet = sheet_of(
            [event_from_line(line) for line in lines], ["Ann", "Ben"], game=recording.source.setup.game
        )
        (recording.folder / "match.jsonl").write_text(format_sheet(sheet), encoding="utf-8")


def _rescored(top: Path, cache: Path, workers: int, kill_after: int | None) -> None:
    """Run the command as it is typed; kill a worker once so many results are kept."""
    call = [*PROGRAM, str(top), "--workers", str(workers), "--cache", str(cache), "--json"]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        if kill_after is not None:
            until(lambda: len(list(cache.rglob("*.json"))) >= kill_after or process.poll() is not None, 3600)
            for worker in _workers(process.pid)[:1]:
                os.kill(worker, signal.SIGKILL)
    if process.returncode:
        raise CommandError(f"`tallycam rescore` ended with {process.returncode}: something is not as it was")


def _workers(pid: int) -> list[int]:
    """Give the processes that do the work of a program."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    found = []
    for child in map(int, children):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def _events(cache: Path) -> set[tuple[str, ...]]:
    kept = (json.loads(path.read_text(encoding="utf-8")) for path in cache.rglob("*.json"))
    return {tuple(one["events"]) for one in kept}


def _timed(done: Callable[[], object]) -> dict[str, Any]:
    wall, cpu = time.perf_counter(), _cpu_s()
    done()
    return {"wall_s": round(time.perf_counter() - wall, 2), "cpu_s": round(_cpu_s() - cpu, 2)}


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
