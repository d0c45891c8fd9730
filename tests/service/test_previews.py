"""Cameras looked at before a board has one: by their pictures, by name, closed again, and what is wrong said."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.boards_service import V1, Served, served
from support.dart_scenes import Moment, frames, held

from service.boards import previews
from service.boards.runtime import Patience
from service.config import CameraConfig
from service.fake_camera import FakeCamera

FPS = 10
WAITED_S = 60.0
"""A process takes so long to begin on a machine that does much else."""


@pytest.fixture(scope="module")
def camera() -> Iterator[FakeCamera]:
    still = list(frames(held(Moment(), 1, FPS), fps=FPS))
    with FakeCamera(lambda: still) as one:
        yield one


@pytest.fixture
def at(tmp_path: Path, camera: FakeCamera, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr("service.boards.boards.LOOK_S", WAITED_S)
    address = camera.url.replace("://", "://ann:secret@")
    gone = CameraConfig(name="In the attic", source="http://127.0.0.1:9/video")
    named = (CameraConfig(name="Over the board", source=address), gone)
    with served(tmp_path / "data", Patience(first_s=0.05, look_s=1.0), named=named) as found:
        yield found


def listed(at: Served, name: str) -> dict[str, Any]:
    """Give a camera of the list by its name."""
    found: dict[str, Any] = next(one for one in at.ask("GET", "/cameras")["cameras"] if one["name"] == name)
    return found


def test_a_camera_is_picked_by_its_picture_and_closed_again(
    at: Served, camera: FakeCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "OPEN_S", 0.5)
    source = listed(at, "Over the board")["source"]
    assert "secret" not in source
    seen = at.client.get(f"{V1}/cameras/picture", params={"source": source})
    assert (seen.status_code, seen.headers["x-size"]) == (200, "640x480")
    at.until(lambda: not any(one.running for one in at.boards.previews._open.values()))
    made = at.ask("POST", "/boards", {"name": "Den", "game": "cricket", "source": source}, 201)
    assert at.boards.table.get(made["id"]).source == camera.url.replace("://", "://ann:secret@")
    assert listed(at, "Over the board")["boards"] == ["Den"]


def test_a_camera_that_a_board_has_opened_is_seen_through_it(at: Served) -> None:
    source = listed(at, "Over the board")["source"]
    before = at.client.get(f"{V1}/cameras/picture", params={"source": source})
    board_id = at.ask("POST", "/boards", {"name": "Den", "game": "cricket", "source": source}, 201)["id"]
    assert at.client.get(f"{V1}/boards/{board_id}/picture").status_code == before.status_code == 200
    assert at.boards.previews._open == {}, "the board gets the camera for itself"
    assert at.client.get(f"{V1}/cameras/picture", params={"source": source}).status_code == 200
    assert at.boards.previews._open == {}


def test_what_is_wrong_with_a_camera_is_said(at: Served) -> None:
    begun = time.monotonic()
    away = at.client.get(f"{V1}/cameras/picture", params={"source": listed(at, "In the attic")["source"]})
    assert (away.status_code, away.json()["code"]) == (409, "NO_CAMERA")
    assert time.monotonic() - begun < 0.8 * WAITED_S, "nobody waits for a camera that refuses"
    for source in ("/etc/passwd", "http://127.0.0.1:9/other", "camera:7"):
        other = at.client.get(f"{V1}/cameras/picture", params={"source": source})
        assert (other.status_code, other.json()["code"]) == (404, "NO_SUCH_CAMERA")


@pytest.mark.long
def test_a_board_that_was_only_looked_at_lets_go_of_its_camera(at: Served) -> None:
    source = listed(at, "Over the board")["source"]
    board_id = at.ask("POST", "/boards", {"name": "Den", "game": "cricket", "source": source}, 201)["id"]
    assert at.client.get(f"{V1}/boards/{board_id}/picture").status_code == 200
    watched = at.boards.runtime._watched[board_id]
    at.until(lambda: not watched.running)
    at.until(lambda: not watched._thread.is_alive())
    assert watched._child is None
    assert at.ask("GET", f"/boards/{board_id}")["state"]["phase"] == "off"
