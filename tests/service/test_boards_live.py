"""Boards that see through a camera of the network: what is wrong with it is said, and a killed reader goes on."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.boards_service import Served, served
from support.dart_scenes import Moment, frames, held, reach, setup

from service.boards.runtime import Patience
from service.fake_camera import FakeCamera
from vision.setup import format_setup

TIPS = ((8.0, 70.0), (-40.0, -60.0), (80.0, 20.0))
EMPTY, ONE, TWO, THREE = (Moment(darts_mm=TIPS[:count]) for count in range(4))
FPS = 10


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data", Patience(first_s=0.05)) as found:
        yield found


def board(at: Served, camera: FakeCamera) -> str:
    """Make a board that sees through the camera; gives its id."""
    new = {"name": "One", "game": "cricket", "source": camera.url}
    board_id: str = at.ask("POST", "/boards", new, 201)["id"]
    at.ask("POST", f"/boards/{board_id}/setups", {"setup": format_setup(setup())}, 201)
    return board_id


@pytest.mark.long
def test_a_camera_shows_its_newest_picture_and_what_is_wrong_with_it(at: Served) -> None:
    with FakeCamera(lambda: frames(held(ONE, 1, FPS), fps=FPS)) as camera:
        board_id = board(at, camera)
        shown = at.client.get(f"/api/v1/boards/{board_id}/picture")
        assert (shown.status_code, shown.headers["x-size"]) == (200, "640x480")
        assert at.ask("GET", f"/boards/{board_id}")["state"]["phase"] == "looking"
        camera.switch(unplugged=True)
        at.until(lambda: at.ask("GET", f"/boards/{board_id}")["state"]["code"] is not None, 10)
        camera.switch(unplugged=False)
        at.until(lambda: at.ask("GET", f"/boards/{board_id}")["state"]["code"] is None, 10)


def test_a_camera_that_is_not_there_is_said_when_somebody_looks(at: Served) -> None:
    with FakeCamera(lambda: frames(held(ONE, 1, FPS), fps=FPS)) as camera:
        url = camera.url
    board_id = at.ask("POST", "/boards", {"name": "One", "game": "cricket", "source": url}, 201)["id"]
    problem = at.ask("GET", f"/boards/{board_id}/picture", status=409)
    assert problem["code"] == "NO_CAMERA"
    assert "http" in problem["detail"]


@pytest.mark.slow
@pytest.mark.parametrize("down_for", ["a dart that lies", "a dart that came meanwhile"])
def test_a_reader_killed_between_two_darts_goes_on_and_no_dart_counts_twice(at: Served, down_for: str) -> None:
    script = [
        *held(EMPTY, 12, FPS),
        *held(ONE, 10, FPS),
        *held(TWO, 10, FPS),
        *held(THREE, 6, FPS),
        *reach(THREE, EMPTY, fps=FPS),
        *held(EMPTY, 4, FPS),
    ]
    with FakeCamera(lambda: frames(script, fps=FPS), loop=False) as camera:
        board_id = board(at, camera)
        match_id = at.begin("cricket", board_id)
        state = at.boards.runtime.state
        at.until(lambda: len(at.actions(match_id)) == 1)
        pid = state(board_id).pid
        assert pid is not None
        if down_for == "a dart that lies":
            os.kill(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGSTOP)
            begun = time.monotonic()
            at.until(lambda: time.monotonic() - begun > 11.0)
            os.kill(pid, signal.SIGKILL)
        at.until(lambda: len(at.actions(match_id)) >= 4 or camera.over)
        at.until(lambda: at.ask("GET", f"/boards/{board_id}")["state"]["code"] is not None)
    darts = [action.get("segment") for action in at.actions(match_id)]
    assert darts == ["S20", "S7", "S13", None]
    reviews = at.ask("GET", f"/reviews?match={match_id}")["reviews"]
    asked = [review["entries"] for review in reviews if {"code": "AFTER_A_GAP"} in review["codes"]]
    assert asked == ([] if down_for == "a dart that lies" else [[2]])
