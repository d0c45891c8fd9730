"""Boards over the API: named, set up, looked through, watching a match in processes that may die."""

import json
import os
import random
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from support.boards_service import Served, cut, sample_clip, sample_setup, served
from support.service import Service, ask, free_port, running

from service.api import asyncapi
from service.boards.runtime import Patience
from service.changes import Hub, Message
from vision.events import event_line
from vision.failure import Failure
from vision.frames import open_frames
from vision.recording import without_pictures
from vision.replay import replay
from vision.setup import parse_setup

QUICK = Patience(first_s=0.02, longest_s=0.1, silent_s=3.0)


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a recording of the first visit of the bundled match."""
    return cut("cricket", 10_800, tmp_path_factory.mktemp("clips"))


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data", QUICK) as found:
        yield found


def lines_of(game: str, clip: Path) -> list[str]:
    """Give the events of a recording as the loop sees them without any service."""
    frames, setup = open_frames(clip), parse_setup(sample_setup(game))
    assert not isinstance(frames, Failure)
    assert not isinstance(setup, Failure)
    return [event_line(without_pictures(one)) for one in replay(frames, setup) if not isinstance(one, Failure)]


def seen_lines(at: Served, match_id: str) -> list[str]:
    """Give the events that the service kept of a match."""
    rows = at.boards.sightings.table.of(match_id=match_id)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return [json.dumps(row.event, ensure_ascii=False) for row in rows]


# What a board is


def test_a_board_is_made_changed_and_taken_away(at: Served, visit: Path) -> None:
    new = {"name": "One", "game": "cricket", "source": str(visit)}
    board = at.ask("POST", "/boards", new, 201)
    assert (board["name"], board["pace"], board["setup_version"], board["watching"]) == ("One", "real", None, None)
    assert board["state"]["phase"] == "off"
    assert at.ask("PATCH", f"/boards/{board['id']}", {"name": "Two"})["name"] == "Two"
    assert [one["id"] for one in at.ask("GET", "/boards")["boards"]] == [board["id"]]
    assert at.ask("DELETE", f"/boards/{board['id']}", status=204) is None
    assert at.ask("GET", f"/boards/{board['id']}", status=404)["code"] == "NO_SUCH_BOARD"
    assert at.ask("GET", "/boards")["boards"] == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "a\nb"}, "MALFORMED"),
        ({"name": "   "}, "MALFORMED"),
        ({"source": "/no/such/file.mp4"}, "BAD_SOURCE"),
        ({"source": "exec:rm -rf"}, "BAD_SOURCE"),
        ({"source": "camera:0"}, None),
        ({"source": "ftp://host/clip.mp4"}, "BAD_SOURCE"),
        ({"source": "file:///etc/passwd"}, "BAD_SOURCE"),
        ({"source": "rtsp://[::1"}, "BAD_SOURCE"),
        ({"source": "rtsp:///live"}, "BAD_SOURCE"),
        ({"source": "http://camera:99999/video"}, "BAD_SOURCE"),
        ({"source": "http://camera:door/video"}, "BAD_SOURCE"),
        ({"source": "rtsp://ann:secret@[fe80::1]:554/live"}, None),
        ({"game": "chess"}, "MALFORMED"),
        ({"pace": "slow"}, "MALFORMED"),
    ],
)
def test_what_is_no_board_is_refused(at: Served, visit: Path, change: dict[str, str], says: str | None) -> None:
    new = {"name": "One", "game": "cricket", "source": str(visit), **change}
    answer = at.ask("POST", "/boards", new, 201 if says is None else 422)
    assert says is None or answer["code"] == says


def test_the_password_of_a_camera_is_shown_to_nobody(at: Served) -> None:
    new = {"name": "One", "game": "cricket", "source": "rtsp://ann:secret@10.0.0.9/live"}
    board = at.ask("POST", "/boards", new, 201)
    assert board["source"] == "rtsp://•••@10.0.0.9/live"
    assert "secret" not in at.client.get("/api/v1/boards").text
    refused = at.ask("PATCH", f"/boards/{board['id']}", {"source": board["source"]}, 422)
    assert refused["code"] == "BAD_SOURCE"


def test_the_cameras_of_the_machine_are_listed(at: Served) -> None:
    cameras = at.ask("GET", "/cameras")["cameras"]
    assert all(camera["source"] and camera["name"] for camera in cameras)


# Setting up


def test_a_board_is_found_in_its_picture_looked_at_and_kept(at: Served, visit: Path) -> None:
    new = {"name": "One", "game": "cricket", "source": str(visit)}
    path = f"/boards/{at.ask('POST', '/boards', new, 201)['id']}"
    picture = at.client.get(f"/api/v1{path}/picture")
    assert (picture.headers["content-type"], picture.headers["x-size"]) == ("image/jpeg", "1280x720")
    found = at.ask("POST", f"{path}/calibrations", {})
    assert found["setup"]["residual_mm"] < 1.0
    for name in (found["picture"], found["overlay"]):
        assert at.client.get(f"/api/v1/media/{name}").content.startswith(b"\xff\xd8\xff")
    kept = at.ask("POST", f"{path}/setups", {"setup": found["setup"], "by": "umpire:Cho"}, 201)
    assert (kept["version"], kept["by"]) == (1, "umpire:Cho")
    points = [[579.58, 79.55], [865.04, 256.16], [675.46, 575.5], [360.75, 478.19]]
    by_hand = at.ask("POST", f"{path}/calibrations", {"picture": found["picture"], "points_px": points})
    assert by_hand["setup"]["board_px"] == points
    assert by_hand["overlay"] != found["overlay"]
    again = at.ask("POST", f"{path}/calibrations", {"picture": found["picture"], "setup": kept["setup"]})
    assert again["overlay"] not in (found["picture"], by_hand["overlay"])
    assert at.ask("POST", f"{path}/setups", {"setup": by_hand["setup"]}, 201)["version"] == 2
    assert [one["version"] for one in at.ask("GET", f"{path}/setups")["setups"]] == [2, 1]
    assert at.ask("GET", f"{path}/setups/1")["setup"] == kept["setup"]
    assert at.ask("GET", f"{path}/setups/3", status=404)["code"] == "NO_SUCH_SETUP"


def test_a_picture_without_a_board_comes_back_for_points_to_be_placed(at: Served, visit: Path) -> None:
    import cv2  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    noise = np.random.default_rng(3).integers(0, 255, (480, 640, 3), np.uint8)
    data = cv2.imencode(".png", cv2.GaussianBlur(noise, (9, 9), 0))[1].tobytes()
    brought = at.client.post("/api/v1/pictures", content=data, headers={"Content-Type": "image/png"})
    assert brought.status_code == 201
    assert (brought.json()["width"], brought.json()["height"]) == (640, 480)
    board_id = at.ask("POST", "/boards", {"name": "One", "game": "cricket", "source": str(visit)}, 201)["id"]
    body = {"picture": brought.json()["name"]}
    problem = at.ask("POST", f"/boards/{board_id}/calibrations", body, 409)
    assert (problem["code"], problem["picture"]) == ("NO_BOARD", body["picture"])


@pytest.mark.parametrize(
    ("kind", "data", "status", "code"),
    [
        ("image/jpeg", b"no picture", 422, "NOT_A_PICTURE"),
        ("image/jpeg", b"", 422, "NOT_A_PICTURE"),
        ("text/html", b"<img>", 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("image/png", b"\x89PNG" + bytes(25 * 1024 * 1024), 413, "TOO_LARGE"),
    ],
)
def test_what_is_no_picture_is_refused(at: Served, kind: str, data: bytes, status: int, code: str) -> None:
    answer = at.client.post("/api/v1/pictures", content=data, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"game": "finn"}, "BAD_SETUP"),
        ({"game": "chess"}, "BAD_SETUP"),
        ({"image_size": [0, 0]}, "BAD_SETUP"),
        ({"colours_image": "/etc/passwd"}, "NO_SUCH_PICTURE"),
    ],
)
def test_a_setup_that_is_none_is_not_kept(at: Served, visit: Path, change: dict[str, Any], code: str) -> None:
    board_id = at.board("cricket", visit)
    setup = {**sample_setup("cricket"), **change}
    assert at.ask("POST", f"/boards/{board_id}/setups", {"setup": setup}, 422)["code"] == code
    assert len(at.ask("GET", f"/boards/{board_id}/setups")["setups"]) == 1


# Watching


@pytest.mark.long
def test_a_board_watches_a_match_once_set_up_and_nothing_else(at: Served, visit: Path) -> None:
    match_id = at.ask("POST", "/matches", {"game": "cricket", "sides": ["Ann", "Ben"]}, 201)["id"]
    bare = at.ask("POST", "/boards", {"name": "Bare", "game": "cricket", "source": str(visit)}, 201)["id"]
    assert at.ask("POST", f"/boards/{bare}/watching", {"match": match_id}, 409)["code"] == "NO_SETUP"
    board_id = at.board("cricket", visit, pace="real")
    assert at.ask("POST", f"/boards/{board_id}/watching", {"match": "none"}, 404)["code"] == "NO_SUCH_MATCH"
    other = at.ask("POST", "/matches", {"game": "finn", "sides": ["Ann", "Ben"]}, 201)["id"]
    assert at.ask("POST", f"/boards/{board_id}/watching", {"match": other}, 409)["code"] == "WRONG_GAME"
    assert (
        at.ask("POST", f"/boards/{board_id}/watching", {"match": match_id}, 201)["watching"]["match"] == match_id
    )
    assert at.ask("POST", f"/boards/{board_id}/watching", {"match": match_id}, 409)["code"] == "IN_USE"
    assert at.ask("DELETE", f"/boards/{board_id}", status=409)["code"] == "IN_USE"
    at.until(lambda: at.ask("GET", f"/boards/{board_id}")["state"]["frames"] > 5)
    shown = at.client.get(f"/api/v1/boards/{board_id}/picture")
    assert shown.content.startswith(b"\xff\xd8\xff")
    stopped = at.ask("DELETE", f"/boards/{board_id}/watching")
    assert stopped["watching"] is None
    assert at.ask("GET", f"/matches/{match_id}")["live"]["done"]
    at.ask("DELETE", f"/boards/{board_id}", status=204)


class Heard(Hub):
    """Keeps what is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Message] = []

    def publish(self, message: Message) -> None:
        """Keep it."""
        self.told.append(message)


@pytest.mark.long
def test_how_a_board_is_is_told_to_who_follows_all_matches(at: Served, tmp_path: Path) -> None:
    hub = at.matches.hub = Heard()
    gone = tmp_path / "gone.mp4"
    gone.write_bytes(b"no video")
    board_id = at.board("cricket", gone)
    match_id = at.begin("cricket", board_id)
    at.until(lambda: at.ended(board_id))
    told = [message for message in hub.told if message.kind == "board.status"]
    assert {(message.event, message.match_id, message.number) for message in told} == {("board", "", None)}
    form = TypeAdapter(asyncapi.FORMS["board.status"])
    last = form.validate_json(told[-1].data)
    assert (last.board, last.match, last.phase, last.code) == (board_id, match_id, "failed", "NOT_A_VIDEO")
    assert json.loads(told[-1].data).keys() == form.dump_python(last).keys()


@pytest.mark.long
def test_killed_at_random_moments_nothing_is_lost_or_twice_and_the_events_are_the_very_ones(
    at: Served, tmp_path: Path
) -> None:
    kills_and_goes_on(at, cut("cricket", 5900, tmp_path / "clips"), after=(0, 1, 2), seed=5)


def begun_again(at: Served, board_id: str, pid: int | None) -> bool:
    """Say whether a board has another process, or needs none any more."""
    return at.boards.runtime.state(board_id).pid not in (pid, None) or at.ended(board_id)


def kills_and_goes_on(at: Served, clip: Path, after: Sequence[int], seed: int) -> None:
    """Kill a board's process a moment after so many actions each time; hold what it wrote to an unkilled run.

    The recording waits for its own time: at the pace of the machine a moment is seconds of play, and it can be
    over before the last kill.
    """
    chance = random.Random(seed)
    board_id = at.board("cricket", clip, pace="real")
    match_id = at.begin("cricket", board_id)
    state = at.boards.runtime.state
    acknowledged: list[dict[str, Any]] = []
    for count in after:
        at.until(lambda: state(board_id).phase == "watching" and len(at.actions(match_id)) >= count)  # noqa: B023
        time.sleep(chance.uniform(0.0, 0.1))
        now = at.actions(match_id)
        assert now[: len(acknowledged)] == acknowledged
        acknowledged, pid = now, state(board_id).pid
        assert pid is not None, "the recording ended too early to be of use"
        os.kill(pid, signal.SIGKILL)
        at.until(lambda: begun_again(at, board_id, pid))  # noqa: B023 - it is done with before the next pid
    at.until(lambda: at.ended(board_id))
    assert at.ask("GET", f"/boards/{board_id}")["state"]["restarts"] == len(after)
    assert seen_lines(at, match_id) == lines_of("cricket", clip)
    assert at.actions(match_id)[: len(acknowledged)] == acknowledged


@pytest.mark.slow
def test_killed_twenty_times_nothing_is_lost_or_twice(at: Served, tmp_path: Path) -> None:
    clip = cut("cricket", 19_500, tmp_path / "clips")
    for seed in range(5):
        moments = sorted(random.Random(seed).choices(range(7), k=4))
        kills_and_goes_on(at, clip, after=moments, seed=seed)


@pytest.mark.slow
def test_a_stopped_process_is_taken_for_stuck_and_another_goes_on(at: Served, visit: Path) -> None:
    board_id = at.board("cricket", visit)
    match_id = at.begin("cricket", board_id)
    at.until(lambda: at.boards.runtime.state(board_id).phase == "watching")
    pid = at.boards.runtime.state(board_id).pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    assert at.ask("GET", "/health")["status"] == "ok"
    at.until(lambda: at.ended(board_id))
    assert at.ask("GET", f"/boards/{board_id}")["state"]["restarts"] >= 1
    assert [action.get("segment") for action in at.actions(match_id)] == ["T20", "S20", "S20", None]


@pytest.mark.parametrize("leave_s", [0.0, 30.0])
@pytest.mark.long
def test_a_match_goes_on_where_it_was_when_the_service_begins_again(
    tmp_path: Path, visit: Path, leave_s: float
) -> None:
    with served(tmp_path / "data", replace(QUICK, leave_s=leave_s)) as at:
        board_id = at.board("cricket", visit)
        match_id = at.begin("cricket", board_id)
        at.until(lambda: len(at.actions(match_id)) >= 1)
    with served(tmp_path / "data", QUICK) as at:
        at.until(lambda: at.ended(board_id))
        assert seen_lines(at, match_id) == lines_of("cricket", visit)
        assert [action.get("segment") for action in at.actions(match_id)] == ["T20", "S20", "S20", None]


@pytest.mark.slow
def test_when_the_service_is_killed_its_processes_end_and_the_next_one_goes_on(tmp_path: Path) -> None:
    clip = cut("cricket", 19_500, tmp_path / "clips")
    folder, chance = tmp_path / "data", random.Random(11)
    new = {"name": "One", "game": "cricket", "source": str(clip), "pace": "fast"}
    acknowledged: list[dict[str, Any]] = []
    with running("--data", str(folder), port=free_port()) as (service, base):
        board_id = ask(base, "POST", "/boards", new)["id"]
        ask(base, "POST", f"/boards/{board_id}/setups", {"setup": sample_setup("cricket")})
        match_id = ask(base, "POST", "/matches", {"game": "cricket", "sides": ["Ann", "Ben"]})["id"]
        ask(base, "POST", f"/boards/{board_id}/watching", {"match": match_id})
        children: set[int] = set()
        for _ in range(4):
            until(lambda: ask(base, "GET", f"/boards/{board_id}")["state"]["phase"] == "watching")  # noqa: B023
            time.sleep(chance.uniform(0.1, 1.5))
            acknowledged = [one["action"] for one in ask(base, "GET", f"/matches/{match_id}")["entries"]]
            children |= children_of(service.process.pid)
            service.end(signal.SIGKILL)
            until(lambda: not any(alive(pid) for pid in children))  # noqa: B023
            port = free_port()
            service = Service("serve", "--port", str(port), "--data", str(folder))  # noqa: PLW2901
            base = f"http://127.0.0.1:{port}"  # noqa: PLW2901
            service.ready(base)
            again = [one["action"] for one in ask(base, "GET", f"/matches/{match_id}")["entries"]]
            assert again[: len(acknowledged)] == acknowledged
        until(lambda: ask(base, "GET", f"/boards/{board_id}")["watching"] is None)
        (recording,) = ask(base, "GET", "/recordings")["recordings"]
        assert recording["outcome"] == "ended"
        with urllib.request.urlopen(f"{base}/api/v1/recordings/{recording['id']}/events") as told:
            assert told.read().decode().splitlines() == lines_of("cricket", clip)
        service.end()
    assert len(children) >= 4


def until(found: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + within_s
    while not found():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


def children_of(pid: int) -> set[int]:
    """Give the processes that a process began."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for task in tasks for child in task.read_text(encoding="ascii").split()}


def alive(pid: int) -> bool:
    """Say whether there is a process, one that waits to be buried aside."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.long
def test_a_source_that_is_gone_is_said_and_the_match_goes_on_by_hand(
    at: Served, tmp_path: Path, visit: Path
) -> None:
    gone = tmp_path / "gone.mp4"
    gone.write_bytes(visit.read_bytes())
    board_id = at.board("cricket", gone)
    gone.write_bytes(b"no video at all")
    match_id = at.begin("cricket", board_id)
    at.until(lambda: at.ended(board_id))
    state = at.ask("GET", f"/boards/{board_id}")["state"]
    assert (state["phase"], state["code"]) == ("failed", "NOT_A_VIDEO")
    live = at.ask("GET", f"/matches/{match_id}")["live"]
    assert (live["phase"], live["done"]) == ("NOT_A_VIDEO", True)
    assert at.ask("GET", f"/boards/{board_id}/picture", status=409)["code"] == "NOT_A_VIDEO"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["cricket", "finn", "astrolabe"])
def test_a_whole_match_from_a_recording_as_camera_is_what_the_loop_sees(at: Served, game: str) -> None:
    board_id = at.board(game, sample_clip(game))
    match_id = at.begin(game, board_id)
    at.until(lambda: at.ended(board_id), 1500)
    assert at.ask("GET", f"/boards/{board_id}")["state"]["phase"] == "ended"
    assert seen_lines(at, match_id) == lines_of(game, sample_clip(game))
    result = at.ask("GET", f"/matches/{match_id}")["result"]
    assert result["conflict"] is None
    assert len(at.actions(match_id)) >= 3


def test_only_the_last_picture_at_rest_is_kept_and_none_of_what_has_ended(at: Served, visit: Path) -> None:
    board = at.boards.table.get(at.board("cricket", visit))
    match_id = at.matches.create("cricket", ["Ann", "Ben"])
    runtime = at.boards.runtime
    watching = at.boards.table.begin(board, match_id, 1, lying=None, zero_ms=0, at="now")
    for number in (1, 2, 3):
        runtime.keep_rest(watching.id, number, b"picture %d" % number)
    assert runtime.rest(watching.id, 2) == b"picture 2", "the third one's sighting was not kept"
    runtime.drop_rests(watching.id, 3)
    assert (runtime.rest(watching.id, 2), runtime.rest(watching.id, 3)) == (None, b"picture 3")
    at.boards.stop(board.id)
    assert runtime.rest(watching.id, 3) is None
