"""Several boards watched at once on one machine: whether each tells all that happened, and what each costs.

Every board is `tallycam watch` in a process of its own, as the service has one a board; one loopback camera, in
another process, sends the same film to all of them.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from service.cli.errors import CommandError
from vision.events import Event
from vision.frames import Frame, FrameSource, open_frames
from vision.recording import EVENTS
from vision.replay import replay
from vision.setup import Setup, format_setup

FILM_S: Final = 27
EVERY_S: Final = 8
"""The first thing happens when every board has surely been opened."""

WARM_S: Final = 4.0
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def several(video: Path, setup: Setup, url: str, boards: int, folder: Path) -> dict[str, Any]:
    """Watch a camera with so many boards at once, for the length of its film.

    Parameters
    ----------
    video, setup
        What the camera plays, and the board in it.
    url
        Where the camera is.
    boards
        How many.
    folder
        Where they may write.

    Returns
    -------
    dict
        `events` that there are, `told` of them by all boards together, `dropped`; `frames` that the board with the
        fewest got, as a share of those sent; `cpu_ms_a_frame` of the mean board.
    """
    given = folder / "setup.json"
    given.write_text(json.dumps(format_setup(setup)), encoding="utf-8")
    outs = [folder / f"board-{number}" for number in range(boards)]
    running = [_watching(url, given, out) for out in outs]
    try:
        time.sleep(WARM_S)
        begun, before = time.monotonic(), [_cpu_s(one.pid) for one in running]
        time.sleep(FILM_S - 2 * WARM_S)
        spent = [_cpu_s(one.pid) - then for one, then in zip(running, before, strict=True)]
        lasted_s = time.monotonic() - begun
        for one in running:
            if one.wait(timeout=60):
                raise CommandError("a board of this measurement could not be watched")
    finally:
        for one in running:
            one.kill()
            one.wait()
    sent, happened = _happened(video, setup)
    told = [_told(out) for out in outs]
    rate = sent / FILM_S
    return {
        "boards": boards,
        "events": len(happened) * boards,
        "told": sum(min(len(one), len(happened)) for one in told),
        "dropped": sum(kind not in one for one in told for kind in happened),
        "frames": round(min(_rate(out) for out in outs) / rate, 3),
        "cpu_ms_a_frame": round(sum(spent) / boards / (lasted_s * rate) * 1000, 2),
    }


def _watching(url: str, setup: Path, out: Path) -> subprocess.Popen[bytes]:
    arguments = ["watch", url, "--setup", str(setup), "--out", str(out), "--seconds", str(FILM_S - WARM_S)]
    call = f"from service.cli.main import main; main({arguments!r})"
    return subprocess.Popen([sys.executable, "-c", call], stdout=subprocess.DEVNULL)


def _cpu_s(process: int) -> float:
    """Give the processor time that a process has had, s."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _happened(video: Path, setup: Setup) -> tuple[int, list[str]]:
    """Give how many frames a film has, and what a replay sees in it until the boards have stopped, as told."""
    frames = open_frames(video)
    assert isinstance(frames, FrameSource)
    count = sum(isinstance(frame, Frame) for frame in frames)
    events = [event for event in replay(frames, setup) if isinstance(event, Event)]
    return count, [_mark(event.kind, event.data) for event in events if event.t_ms < (FILM_S - 2 * WARM_S) * 1000]


def _told(out: Path) -> list[str]:
    lines = [json.loads(line) for line in (out / EVENTS).read_text(encoding="utf-8").splitlines()]
    return [_mark(line["event"], line) for line in lines]


def _mark(kind: str, data: Mapping[str, Any]) -> str:
    return f"{kind} {data.get('segment', '')}"


def _rate(out: Path) -> float:
    """Give the frames a second of a board's session."""
    frames = open_frames(out / "session.mkv")
    if not isinstance(frames, FrameSource):
        return 0.0
    times = [frame.t_ms for frame in frames if isinstance(frame, Frame)]
    return (len(times) - 1) / max(1, times[-1] - times[0]) * 1000 if len(times) > 1 else 0.0
