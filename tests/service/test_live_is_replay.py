"""A board of each game watched live, and its recording replayed: the very same files come of both."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from service.cli.main import main
from service.fake_camera import FakeCamera, encoded
from vision.events import Event, event_line
from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.replay import replay
from vision.setup import Setup, load_setup
from vision.sources import LiveSource
from vision.sources.grab import Grab
from vision.sources.recorder import Recorder

SAMPLES: Final = Path("datasets/samples")


def called(*args: str) -> int | str | None:
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return stop.value.code


def film(path: Path, from_ms: int, to_ms: int, every: int = 1) -> Iterator[Frame]:
    """Give some frames of a recording, times and numbers counted from the first of them."""
    source = open_frames(path)
    assert isinstance(source, FrameSource), source
    for frame in source:
        assert isinstance(frame, Frame), frame
        if frame.t_ms >= to_ms:
            return
        if frame.t_ms >= from_ms and frame.index % every == 0:
            frame.t_ms -= from_ms
            yield frame


class Patient:
    """A camera that sends a film, its times unsteady as real ones are, and waits for whoever looks.

    So the machine may be as busy as it likes. It breaks off at the end, and then nobody answers any more.
    """

    refused = ()

    def __init__(self, frames: Iterator[Frame]) -> None:
        self.source: LiveSource | None = None
        self._frames, self._chance = frames, random.Random(3)
        self._taken = threading.Semaphore(1)
        self._opened = False

    def __call__(self) -> "Patient | Failure":
        if self._opened:
            return Failure("NO_CAMERA", "gone")
        self._opened = True
        return self

    def taken(self) -> None:
        """Say that the last picture was looked at."""
        self._taken.release()

    def read(self) -> Grab | Failure:
        """Give the next picture when the one before was taken."""
        self._taken.acquire()
        frame = next(self._frames, None)
        if frame is None:
            assert self.source is not None
            threading.Thread(target=self.source.close).start()
            return Failure("CAMERA_LOST", "the film is over")
        at_ms = frame.t_ms + self._chance.uniform(0, 12)
        return Grab(at_ns=round(at_ms * 1e6), jpeg=encoded(frame.bgr()))

    def close(self) -> None:
        """Let nobody wait."""
        self._taken.release()


def told(frames: object, setup: Setup, *, eager: bool = False) -> list[str]:
    found = list(replay(frames, setup, eager=eager))  # type: ignore[arg-type]
    assert all(isinstance(event, Event) for event in found), found[-1]
    return [event_line(event) for event in found if isinstance(event, Event)]


@pytest.mark.parametrize(
    ("game", "span_ms", "kinds"),
    [
        ("cricket", (900, 4200), {"throw"}),  # two darts, at 2.0 and 3.6 s
        ("finn", (1500, 3600), {"shot"}),  # the disc leaves at 2.0 s, all is at rest at 3.0 s
        ("astrolabe", (1000, 6000), {"shot"}),  # a ball comes over the line at 3.2 s and lies at 5.1 s
    ],
)
@pytest.mark.long
def test_what_was_seen_live_is_what_the_recording_shows(
    root: Path, tmp_path: Path, game: str, span_ms: tuple[int, int], kinds: set[str]
) -> None:
    sample = root / SAMPLES / game
    setup = load_setup(sample / "setup.json")
    assert isinstance(setup, Setup)
    camera = Patient(film(sample / "clip.mp4", *span_ms, every=2))
    recorder = Recorder(tmp_path / "clips", session=tmp_path / "session.mkv")

    def kept(grab: Grab, frame: Frame) -> None:
        recorder.take(grab, frame)
        camera.taken()

    source = camera.source = LiveSource(camera, "patient", kept=kept)
    assert source.start() is None
    with closing(source):
        live = told(source, setup, eager=True)
    recorder.close()
    assert kinds <= {json.loads(line)["event"] for line in live}
    recording = open_frames(tmp_path / "session.mkv")
    assert isinstance(recording, FrameSource)
    assert told(recording, setup) == live


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seconds", "kinds"),
    [
        ("cricket", 57, {"throw", "takeout"}),
        ("finn", 40, {"shot", "hand", "set_up"}),
        ("astrolabe", 36, {"shot"}),
    ],
)
def test_a_match_watched_as_typed_and_its_recording_come_to_the_same_files(
    root: Path, tmp_path: Path, game: str, seconds: float, kinds: set[str]
) -> None:
    sample = root / SAMPLES / game
    frames = open_frames(sample / "clip.mp4")
    assert isinstance(frames, FrameSource)
    setup, live, again = ["--setup", str(sample / "setup.json")], tmp_path / "live", tmp_path / "again"
    with FakeCamera(lambda: frames) as camera:
        assert called("watch", camera.url, *setup, "--seconds", str(seconds), "--out", str(live)) == 0
    assert called("replay", str(live / "session.mkv"), *setup, "--out", str(again), "--no-media") == 0
    lines = (live / "events.jsonl").read_bytes()
    assert kinds <= {json.loads(line)["event"] for line in lines.splitlines()}
    assert lines == (again / "events.jsonl").read_bytes()
    assert (live / "match.jsonl").read_bytes() == (again / "match.jsonl").read_bytes()
