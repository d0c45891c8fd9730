"""`tallycam bench replay`, as typed, on a clip of a second."""

import json
from pathlib import Path

import pytest
from support.dart_scenes import Moment, frames, held, setup
from support.video_files import write_frames

from service.cli.main import main
from vision.setup import format_setup


def test_the_ratio_of_a_given_video_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    video = write_frames(tmp_path / "a.mp4", frames(held(Moment(), 2)), fps=10)
    (tmp_path / "setup.json").write_text(json.dumps(format_setup(setup())))
    with pytest.raises(SystemExit) as stop:
        main(["bench", "replay", "--video", str(video), "--setup", str(tmp_path / "setup.json"), "--json"])
    assert stop.value.code == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["clip"] == "a.mp4"
    assert found["frames"] == 20
    assert found["events"] == 0
    assert found["decode_ms"] > 0
    assert found["ratio"] == pytest.approx(found["replay_ms"] / found["decode_ms"], rel=0.5)


def test_a_video_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.mp4").write_text("no video")
    with pytest.raises(SystemExit) as stop:
        main(["bench", "replay", "--video", str(tmp_path / "a.mp4")])
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
