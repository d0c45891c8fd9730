"""`tallycam watch`, as typed: a camera is watched as it happens, and its recording replays to the same files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.dart_scenes import Moment, frames, held, setup
from support.video_files import write_frames

from engine import parse_sheet
from service.cli.main import main
from service.fake_camera import FakeCamera
from vision.frames import FrameSource, open_frames
from vision.setup import format_setup

TIP = (10.0, 103.0)


def called(*args: str) -> int | str | None:
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return stop.value.code


@pytest.fixture
def film(tmp_path: Path) -> FrameSource:
    shown = [*held(Moment(), 1.2, 15), *held(Moment(darts_mm=(TIP,)), 9, 15)]
    source = open_frames(write_frames(tmp_path / "film.mp4", frames(shown, fps=15), fps=15))
    assert isinstance(source, FrameSource)
    return source


@pytest.mark.long
def test_a_dart_before_a_camera_is_told_kept_and_replays_to_the_same(
    tmp_path: Path, film: FrameSource, capsys: pytest.CaptureFixture[str]
) -> None:
    camera_setup = tmp_path / "setup.json"
    camera_setup.write_text(json.dumps(format_setup(setup())))
    live, again = tmp_path / "live", tmp_path / "again"
    with FakeCamera(lambda: film, loop=False) as camera:
        arguments = ["--setup", str(camera_setup), "--seconds", "4", "--out", str(live)]
        assert called("watch", camera.url, *arguments) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["segment"] == "T20"
    assert [path.name for path in (live / "clips").iterdir()] == ["0000-throw.mkv"]
    parse_sheet((live / "match.jsonl").read_bytes())
    arguments = ["--setup", str(camera_setup), "--out", str(again), "--no-media"]
    assert called("replay", str(live / "session.mkv"), *arguments) == 0
    for name in ("events.jsonl", "match.jsonl", "recording.json"):
        assert (live / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.parametrize("source", ["http://127.0.0.1:9/video", "camera:none", "nowhere.mp4"])
def test_a_source_that_is_none_is_one_line(
    tmp_path: Path, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("watch", source, "--out", str(tmp_path / "out")) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_who_calls_a_camera_by_its_number_alone_is_told_how_cameras_are_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("watch", str(tmp_path / "0"), "--out", str(tmp_path / "out")) == 2
    assert "A camera is camera:0, camera:1, …, or as `tallycam cameras` lists it." in capsys.readouterr().err


def test_a_camera_that_is_not_there_is_one_line_and_opencv_is_quiet(root: Path, tmp_path: Path) -> None:
    call = f"from service.cli.main import main; main(['watch', 'camera:97', '--out', {str(tmp_path / 'out')!r}])"
    environment = {name: value for name, value in os.environ.items() if name != "OPENCV_LOG_LEVEL"}
    ran = subprocess.run(
        [sys.executable, "-c", call], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr == "tallycam: camera 97: cannot be opened; is it plugged in, and used by nobody else?\n"
