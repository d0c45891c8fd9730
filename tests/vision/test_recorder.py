"""What is kept of a live board: the very frames, whatever happens to process and disk."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import pytest
from support.dart_scenes import Moment, frames, held, reach, setup

from vision.clips import LEAD_MS, TAIL_MS, Stretch
from vision.events import event_line
from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.replay import replay
from vision.sources.grab import Decoder, Grab
from vision.sources.recorder import Recorder, RecorderLimits, make_room

FPS = 15
TIPS = ((10.0, 103.0), (-40.0, -60.0))


def grabs(moments: Sequence[Moment]) -> Iterator[tuple[Grab, Frame]]:
    """Give what a live camera gives of a drawn scene."""
    decoder = Decoder()
    for drawn in frames(moments, fps=FPS):
        jpeg = cv2.imencode(".jpg", drawn.bgr(), [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()
        grab = Grab(at_ns=drawn.t_ms * 1_000_000, jpeg=jpeg)
        frame = decoder.frame(grab, drawn.index, drawn.t_ms)
        assert frame is not None
        yield grab, frame


def watched(recorder: Recorder, moments: Sequence[Moment]) -> Iterator[Frame]:
    for grab, frame in grabs(moments):
        recorder.take(grab, frame)
        yield frame


def opened(path: Path) -> list[Frame]:
    source = open_frames(path)
    assert isinstance(source, FrameSource), source
    return [frame for frame in source if isinstance(frame, Frame)]


def told(found: Sequence[object]) -> list[str]:
    return [event_line(event) for event in found]  # type: ignore[arg-type]


def visit() -> list[Moment]:
    two = Moment(darts_mm=TIPS)
    return [
        *held(Moment(), 1, FPS),
        *held(Moment(darts_mm=TIPS[:1]), 1.5, FPS),
        *held(two, 1.5, FPS),
        *reach(two, Moment(), fps=FPS),
        *held(Moment(), 1.5, FPS),
    ]


def test_a_session_replayed_gives_the_very_events_of_the_live_run(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "clips", session=tmp_path / "session.mkv")
    live = told(list(replay(watched(recorder, visit()), setup())))
    recorder.close()
    assert len(live) == 3
    source = open_frames(tmp_path / "session.mkv")
    assert isinstance(source, FrameSource)
    assert told(list(replay(source, setup()))) == live


def test_a_clip_holds_the_very_frames_from_before_to_after(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    seen = []
    for frame in watched(recorder, held(Moment(), 6, FPS)):
        seen.append(frame)
        if frame.index == 50:
            recorder.want(Stretch(name="shot", from_ms=3000, to_ms=frame.t_ms))
            assert not list(tmp_path.iterdir())
    shown = [frame for frame in seen if 3000 - LEAD_MS <= frame.t_ms <= seen[50].t_ms + TAIL_MS]
    kept = opened(recorder.clips["shot"])
    assert [frame.t_ms for frame in kept] == [frame.t_ms - shown[0].t_ms for frame in shown]
    assert [frame.luma().tobytes() for frame in kept] == [frame.luma().tobytes() for frame in shown]


def test_the_last_seconds_take_no_more_memory_than_allowed(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, limits=RecorderLimits(ring_bytes=300_000))
    for frame in watched(recorder, held(Moment(), 4, FPS)):
        if frame.index == 45:
            recorder.want(Stretch(name="shot", from_ms=1000, to_ms=3000))
    recorder.close()
    assert recorder.clips["shot"].stat().st_size < 310_000


def test_recording_stops_before_the_disk_is_full_and_goes_on_after(tmp_path: Path) -> None:
    free = iter([5 << 30, 1 << 20, 5 << 30, 5 << 30])
    recorder = Recorder(tmp_path / "clips", session=tmp_path / "session.mkv", free=lambda _: next(free))
    stopped = []
    for frame in watched(recorder, held(Moment(), 7, FPS)):
        stopped.append(recorder.stopped is not None)
        if frame.index in (35, 80):
            recorder.want(Stretch(name=str(frame.index), from_ms=frame.t_ms, to_ms=frame.t_ms))
    recorder.close()
    assert (stopped[10], stopped[40], stopped[-1]) == (False, True, False)
    assert set(recorder.clips) == {"80"}
    assert 25 <= len(opened(tmp_path / "session.mkv")) <= 32  # what came before is whole


def test_a_disk_that_takes_nothing_stops_the_recording_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    recorder = Recorder(tmp_path / "file" / "clips", session=tmp_path / "file" / "session.mkv")
    assert len(list(watched(recorder, held(Moment(), 0.5, FPS)))) == 8
    recorder.close()
    assert isinstance(recorder.stopped, Failure)
    assert "scoring goes on" in recorder.stopped.message


def test_the_oldest_clips_make_room(tmp_path: Path) -> None:
    for age, name in enumerate("cab"):
        (tmp_path / name).write_bytes(bytes(100))
        os.utime(tmp_path / name, (1000 + age, 1000 + age))
    gone = make_room([tmp_path / "a", tmp_path / "c", tmp_path / "never"], 100)
    assert [path.name for path in gone] == ["c"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


WRITER = """
import sys, time
from pathlib import Path
import cv2, numpy as np
from vision.frames import Frame
from vision.sources.grab import Grab
from vision.sources.recorder import Recorder
recorder = Recorder(Path(sys.argv[1]), session=Path(sys.argv[1]) / "session.mkv")
picture = np.random.default_rng(1).integers(0, 255, (240, 320, 3), dtype=np.uint8)
jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
for index in range(100000):
    recorder.take(Grab(at_ns=0, jpeg=jpeg), Frame(index, 33 * index, bgr=picture))
    print(33 * index, flush=True)
"""


def killed(folder: Path, after: int) -> float:
    """Record in a process, kill it after so many frames; give how much is lost, s."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        written_ms = 0
        for line in writer.stdout:
            written_ms = int(line)
            if written_ms == 33 * after:
                writer.send_signal(signal.SIGKILL)
    return (written_ms - opened(folder / "session.mkv")[-1].t_ms) / 1000


def test_a_killed_recorder_loses_no_more_than_half_a_second(tmp_path: Path) -> None:
    assert killed(tmp_path, 200) <= 0.5


@pytest.mark.slow
def test_recorders_killed_twenty_times_lose_no_more_than_half_a_second(tmp_path: Path) -> None:
    for number in range(20):
        assert killed(tmp_path / str(number), 100 + 17 * number) <= 0.5
