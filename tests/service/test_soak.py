"""A match that goes on for long before a camera with faults: no memory, file or process is lost over it."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest
from support.dart_scenes import Moment, frames, held, reach, setup
from support.video_files import write_frames

from service.fake_camera import FakeCamera, Switches
from vision.frames import FrameSource, open_frames
from vision.setup import format_setup

FPS: Final = 15
TIPS: Final = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))
FAULTS: Final[tuple[dict[str, Any], ...]] = (
    {"stall": True},
    {"unplugged": True},
    {"truncate": True},
    {"resize": True},
    {"freeze": True},
    {"black": True},
    {"light": 0.6},
    {"drop": 0.4},
)
FAULT_S: Final = 2.5


@dataclass(frozen=True)
class Held:
    """What a process holds: resident bytes, open files, processes of its own."""

    memory: int
    files: int
    children: int


def held_by(process: int) -> Held:
    root = Path(f"/proc/{process}")
    (line,) = (line for line in (root / "status").read_text().splitlines() if line.startswith("VmRSS"))
    children = 0
    for task in (root / "task").iterdir():
        with suppress(OSError):  # it ended meanwhile
            children += len((task / "children").read_text().split())
    return Held(memory=int(line.split()[1]) * 1024, files=len(list((root / "fd").iterdir())), children=children)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> FrameSource:
    """A visit that can be played again and again: an empty board, three darts, hands that pull them."""
    shown = held(Moment(), 1.5, FPS)
    for count in (1, 2, 3):
        shown = [*shown, *held(Moment(darts_mm=TIPS[:count]), 2, FPS)]
    shown = [*shown, *reach(Moment(darts_mm=TIPS), Moment(), fps=FPS), *held(Moment(), 1.5, FPS)]
    path = write_frames(tmp_path_factory.mktemp("soak") / "film.mp4", frames(shown, fps=FPS), fps=FPS)
    source = open_frames(path)
    assert isinstance(source, FrameSource)
    return source


def mischief(camera: FakeCamera, clips: Path, until: float, every_s: float) -> Iterator[None]:
    """Switch one fault after another on and off again, and throw away what is kept of each event."""
    faults = cycle(FAULTS)
    while time.monotonic() < until:
        time.sleep(every_s)
        camera.switch(**next(faults))
        time.sleep(FAULT_S)
        camera.switches = Switches()
        for clip in clips.glob("*.mkv"):
            clip.unlink()
        yield


@pytest.mark.parametrize(
    ("span_s", "every_s", "growth"),
    [((14, 12), 1.0, 0.1), pytest.param((300, 3600), 12.0, 0.05, marks=pytest.mark.slow)],
)
@pytest.mark.long
def test_a_long_match_with_faults_loses_nothing(
    tmp_path: Path, film: FrameSource, span_s: tuple[float, float], every_s: float, growth: float
) -> None:
    given, out, told = tmp_path / "setup.json", tmp_path / "out", tmp_path / "told.jsonl"
    given.write_text(json.dumps(format_setup(setup())))
    with FakeCamera(lambda: film) as camera, told.open("w") as lines:
        arguments = ["watch", camera.url, "--setup", str(given), "--out", str(out), "--no-session"]
        call = f"from service.cli.main import main; main({arguments!r})"
        with subprocess.Popen([sys.executable, "-c", call], stdout=lines) as watching:
            samples: list[Held] = []
            try:
                while not told.stat().st_size and watching.poll() is None:  # with the first dart all is loaded
                    time.sleep(0.2)
                warm = time.monotonic() + span_s[0]
                rounds = mischief(camera, out / "clips", warm + span_s[1], every_s)
                samples.extend(held_by(watching.pid) for _ in rounds if time.monotonic() > warm)
            finally:
                watching.send_signal(signal.SIGINT)
    assert watching.returncode == 0
    assert told.read_text().count('"throw"') > 1
    assert len(samples) >= 2
    assert min(one.memory for one in samples[-3:]) <= (1 + growth) * samples[0].memory
    assert samples[-1].files <= samples[0].files + 3
    assert {one.children for one in samples} == {0}
