"""`tallycam bench pipeline`: what watching costs, recorded and live, and how soon after a motion an event comes.

All in one run. The clips are noisy 720p of about 5 Mbit/s: one on which nothing happens, one with a dart every
15 s. The camera is the loopback one, in a process of its own, on which nothing happens either.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
import typer

from service.bench.replay import film, measure
from service.bench.several import EVERY_S as BOARDS_EVERY_S
from service.bench.several import FILM_S, several
from service.cli.errors import CommandError
from vision.assets import asset
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.replay import replay
from vision.setup import Setup, load_setup
from vision.sources import LiveSource, open_source

GAMES: Final = ("cricket", "finn", "astrolabe")
EVERY_S: Final = 15
SHORT_S: Final = 16
WARM_S: Final = 2.0
LIVE_S: Final = 8.0
QUIET: Final = 2.0
"""Noise of the idle camera, levels: its JPEGs then have 100 kB, as webcams' do."""

TOLD: Final = frozenset({"throw", "shot"})


def command(
    seconds: Annotated[int, typer.Option(min=2, help="Length of the noisy clips.")] = 60,
    rounds: Annotated[int, typer.Option(min=1, help="How often each clip is measured.")] = 1,
    boards: Annotated[int, typer.Option(min=0, help="So many boards are watched at once; 0: none.")] = 4,
    games: Annotated[str, typer.Option(metavar="A,B", help="Whose events are timed.")] = ",".join(GAMES),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure what watching costs, and how long an event takes."""
    cv2.setNumThreads(1)
    wanted = [name.strip() for name in games.split(",") if name.strip()]
    if not set(wanted) <= set(GAMES):
        raise CommandError(f"--games {games}: takes some of {', '.join(GAMES)}")
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, every_s in (("nothing happens", None), (f"a dart every {EVERY_S} s", EVERY_S)):
            path, setup = film(Path(folder) / "noisy.mp4", seconds, every_s)
            found[name] = measure(path, setup, rounds)
        path, setup = film(Path(folder) / "still.mp4", SHORT_S, None, QUIET)
        found["idle camera"] = idle(path, setup)
        if boards:
            path, setup = film(Path(folder) / "boards.mp4", FILM_S, BOARDS_EVERY_S, QUIET)
            with playing(path) as url:
                found["boards at once"] = several(path, setup, url, boards, Path(folder))
    for game in wanted:
        found[f"events of {game}"] = delays(*_bundled(game))
    found["memory"] = {"most_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    if as_json:
        print(json.dumps(found))
        return
    for name, one in found.items():
        print(f"{name}: {', '.join(f'{key} {value}' for key, value in one.items())}")


def idle(video: Path, setup: Setup) -> dict[str, Any]:
    """Watch a 720p camera on which nothing happens: CPU ms a frame all in, and how old frames are."""
    with playing(video) as url, closing(_opened(url)) as source:
        ages: list[float] = []
        begun, cpu = 0.0, 0.0

        def frames() -> Iterator[Frame | Failure]:
            nonlocal begun, cpu
            until = time.monotonic() + WARM_S
            for frame in source:
                if not begun and time.monotonic() > until:
                    begun, cpu = time.monotonic(), time.process_time()
                if begun:
                    ages.append(source.age_ms)
                yield frame
                if begun and time.monotonic() - begun > LIVE_S:
                    return

        for event in replay(frames(), setup):
            if isinstance(event, Failure):
                raise CommandError(event.message)
        spent_ms = (time.process_time() - cpu) * 1000
    return {
        "frames": len(ages),
        "cpu_ms_a_frame": round(spent_ms / len(ages), 2),
        "age_p50_ms": _share(ages, 50),
        "age_p95_ms": _share(ages, 95),
    }


class _Reckoning:
    """What a camera's watcher would be at, were it done with each frame after the time that a clock says."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.late_ms: list[float] = []
        self._clock = clock
        self._free_ms = self._began = 0.0

    def takes(self, t_ms: int) -> None:
        """Take a frame: it is looked at when it has come and the one before is done."""
        self._free_ms, self._began = max(self._free_ms, t_ms), self._clock()

    def done(self) -> None:
        """End with a frame: the next one is asked for."""
        self._free_ms += (self._clock() - self._began) * 1000

    def tells(self, rested_ms: int) -> None:
        """Take down an event about what came to rest at that time."""
        self.late_ms.append(self._free_ms + (self._clock() - self._began) * 1000 - rested_ms)


def delays(video: Path, setup: Setup) -> dict[str, Any]:
    """Give how long after the last motion an event comes, were the recording a camera.

    Nobody waits: it is reckoned from how long each frame took, once by the wall clock and once by processor time,
    which other programs do not lengthen.
    """
    frames = open_frames(video)
    assert isinstance(frames, FrameSource)
    came: list[int] = []
    wall, cpu = both = _Reckoning(time.perf_counter), _Reckoning(time.process_time)

    def fed() -> Iterator[Frame | Failure]:
        for frame in frames:
            if isinstance(frame, Frame):
                came.append(frame.t_ms)
                for one in both:
                    one.takes(frame.t_ms)
            yield frame
            for one in both:
                one.done()

    for event in replay(fed(), setup, eager=True):
        if isinstance(event, Event) and event.kind in TOLD:
            for one in both:
                one.tells(came[event.end_frame])
    return {
        "events": len(wall.late_ms),
        "p50_ms": _share(wall.late_ms, 50),
        "p95_ms": _share(wall.late_ms, 95),
        "cpu_p50_ms": _share(cpu.late_ms, 50),
        "cpu_p95_ms": _share(cpu.late_ms, 95),
    }


def _share(values: list[float], percent: int) -> float:
    return round(float(np.percentile(values, percent)), 1) if values else 0.0


@contextmanager
def playing(video: Path) -> Iterator[str]:
    """Play a video as a camera in another process; gives its address."""
    call = f"from service.cli.main import main; main(['fake-camera', {str(video)!r}, '--port', '0'])"
    with subprocess.Popen([sys.executable, "-c", call], stdout=subprocess.PIPE, text=True) as player:
        try:
            assert player.stdout is not None
            yield player.stdout.readline().split(" ")[0]
        finally:
            player.terminate()


def _opened(url: str) -> LiveSource:
    source = open_source(url)
    if not isinstance(source, LiveSource):
        raise CommandError(f"{url}: the camera of this measurement gives nothing")
    return source


def _bundled(game: str) -> tuple[Path, Setup]:
    try:
        folder = asset(f"datasets/samples/{game}")
    except FileNotFoundError as error:
        raise CommandError(str(error)) from None
    setup = load_setup(folder / "setup.json")
    if isinstance(setup, Failure):
        raise CommandError(setup.message)
    return folder / "clip.mp4", setup
