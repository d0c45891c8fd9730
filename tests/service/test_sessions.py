"""Whole sessions of cameras: kept where the settings say so, replayed as regression tests, let go in time."""

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from support.boards_service import Served, served
from support.dart_scenes import Moment, frames, held, setup
from support.service import opened

from service.boards.runtime import Patience
from service.cli.main import main
from service.config import Config, parse_config
from service.fake_camera import FakeCamera
from service.retention import Retention
from vision.frames import Frame
from vision.setup import format_setup
from vision.sources.grab import Grab
from vision.sources.recorder import Recorder

FPS = 10
ONE = Moment(darts_mm=((8.0, 70.0),))
TWO = Moment(darts_mm=((8.0, 70.0), (-40.0, -60.0)))
PLENTY = 1 << 30


def played(at: Served, *darts: Moment) -> tuple[str, int]:
    """Have a board watch darts through a camera, to its end; gives the match and the recording."""
    script = [*held(Moment(), 1.5, FPS), *(one for dart in darts for one in held(dart, 2.2, FPS))]
    with FakeCamera(lambda: frames(script, fps=FPS), loop=False) as camera:
        new = {"name": "One", "game": "cricket", "source": camera.url}
        board_id: str = at.ask("POST", "/boards", new, 201)["id"]
        at.ask("POST", f"/boards/{board_id}/setups", {"setup": format_setup(setup())}, 201)
        match_id = at.begin("cricket", board_id)
        at.until(lambda: camera.over and len(at.actions(match_id)) == len(darts), 60)
        at.ask("DELETE", f"/boards/{board_id}/watching")
    for one in at.ask("GET", f"/reviews?match={match_id}")["reviews"]:
        at.ask("POST", f"/reviews/{one['id']}/decision", {"decision": "accept", "by": "umpire:Cho"}, 201)
    return match_id, at.ask("GET", f"/recordings?match={match_id}")["recordings"][0]["id"]


@pytest.mark.long
def test_a_match_before_a_camera_is_kept_as_a_regression_test_that_check_takes(tmp_path: Path) -> None:
    with served(tmp_path / "data", Patience(first_s=0.05), PLENTY) as at:
        match_id, recording = played(at, ONE, TWO)
        kept = at.ask("POST", f"/recordings/{recording}/regression", status=201)
        folder = Path(kept["folder"])
        assert {file.name for file in folder.iterdir()} == {"match.jsonl", "recording.json", "video.mkv"}
        segments = [action["segment"] for action in at.actions(match_id)]
        command = [sys.executable, "-c", f"from {main.__module__} import main; main()", "check", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "2 actions, 0 differences\n"), (segments, done.stderr)
        path = at.boards.runtime.session(recording)
        assert path.exists()
        assert at.boards.runtime.filming(recording, begun=True) is None
        assert not path.exists(), "what broke off replays to something else"


@pytest.mark.long
def test_without_a_session_it_is_said_what_to_switch_on(tmp_path: Path) -> None:
    with served(tmp_path / "data", Patience(first_s=0.05), session_bytes=20_000) as at:
        _, recording = played(at, ONE)
        assert not at.boards.runtime.session(recording).exists(), "it took more than it may"
        refused = at.ask("POST", f"/recordings/{recording}/regression", status=409)
        assert refused["code"] == "NO_RECORDING"
        assert "set sessions_gb under [media]" in refused["detail"]


def settings(text: str) -> Config:
    return parse_config(f"[media]\n{text}\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("sessions_gb = 0.000002", {"2.mkv", "3.mkv"}),
        ("sessions_gb = 0.000001", {"3.mkv"}),
        ("", set()),
        ("sessions_gb = 1\ndays = 1", {"3.mkv"}),
    ],
    ids=["the oldest goes", "as many as must", "switched off", "too old"],
)
def test_sessions_go_when_they_are_old_or_too_many(tmp_path: Path, text: str, left: set[str]) -> None:
    now_s = 1_000_000_000.0
    with opened(tmp_path) as matches:
        folder = matches.store.folder / "sessions"
        folder.mkdir()
        for number, days in ((1, 3.0), (2, 2.0), (3, 0.5)):
            path = folder / f"{number}.mkv"
            path.write_bytes(bytes(1000))
            os.utime(path, (now_s - days * 86400,) * 2)
        Retention(matches, settings(text)).look(now_s)
        assert {path.name for path in folder.iterdir()} == left


def test_a_session_that_is_dropped_leaves_nothing_and_clips_go_on(tmp_path: Path) -> None:
    picture = np.full((48, 64, 3), 90, np.uint8)
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    session = tmp_path / "session.mkv"
    recorder = Recorder(tmp_path / "clips", session=session)
    for index in range(3):
        recorder.take(Grab(at_ns=index, jpeg=jpeg), Frame(index, 100 * index, bgr=picture))
    assert session.exists()
    recorder.drop_session()
    recorder.take(Grab(at_ns=3, jpeg=jpeg), Frame(3, 300, bgr=picture))
    recorder.close()
    assert not session.exists()
    assert recorder.stopped is None
