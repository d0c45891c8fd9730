"""Looking closer: a clip picture by picture, and a match kept as a regression test that `tallycam check` takes."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from support.boards_service import V1, Served, cut, sample_setup, served
from support.service import amend, throw

from service.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inspection")


@pytest.fixture(scope="module")
def at(folder: Path) -> Iterator[Served]:
    with served(folder / "data") as found:
        yield found


@pytest.fixture(scope="module")
def watched(at: Served, folder: Path) -> tuple[str, int]:
    """A match of a short recording that has ended: its id and the recording's."""
    board_id = at.board("cricket", cut("cricket", 4200, folder / "clips"))
    match_id = at.begin("cricket", board_id)
    at.until(lambda: at.ended(board_id))
    (recording,) = at.ask("GET", f"/recordings?match={match_id}")["recordings"]
    return match_id, recording["id"]


def check(folder: Path) -> tuple[int, str]:
    """Run `tallycam check`; gives its status and what it printed."""
    command = [sys.executable, "-c", f"from {main.__module__} import main; main()", "check", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.long
def test_a_clip_is_stepped_through_picture_by_picture(at: Served, watched: tuple[str, int]) -> None:
    sighting = at.boards.sightings.table.of(match_id=watched[0])[0]
    path = f"/reviews/{sighting.id}/frames"
    told = at.ask("GET", path)
    times = told["times"]
    assert times == sorted(set(times))
    assert len(times) >= 25
    assert times[0] <= told["begins_ms"] < told["ends_ms"] <= times[-1]
    pictures = [at.client.get(f"{V1}{path}/{number}") for number in (0, len(times) - 1)]
    assert [one.headers["content-type"] for one in pictures] == ["image/jpeg"] * 2
    first, last = (cv2.imdecode(np.frombuffer(one.content, np.uint8), cv2.IMREAD_COLOR) for one in pictures)
    assert first is not None
    assert last is not None
    assert first.shape == last.shape == (720, 1280, 3)
    assert np.abs(first.astype(int) - last.astype(int)).max() > 60, "a dart came in between"
    assert at.ask("GET", f"{path}/{len(times)}", status=404)["code"] == "NO_SUCH_FRAME"
    assert at.ask("GET", "/reviews/999/frames", status=404)["code"] == "NO_SUCH_REVIEW"


@pytest.mark.long
def test_a_picture_is_checked_with_and_without_a_setup(at: Served, watched: tuple[str, int]) -> None:
    sighting = at.boards.sightings.table.of(match_id=watched[0])[0]
    board = at.ask("GET", "/boards")["boards"][0]
    body = {"picture": sighting.pictures["after_whole"], "setup": sample_setup("cricket")}
    told = at.ask("POST", f"/boards/{board['id']}/checks", body)["checks"]
    assert [one["name"] for one in told] == ["light", "glare", "focus", "size", "view", "fit", "frame_rate"]
    assert told[-1] == {**told[-1], "value": 25.0, "unit": "a second", "level": "good", "do": ""}
    bare = at.ask("POST", f"/boards/{board['id']}/checks", {"picture": body["picture"]})["checks"]
    assert [one["name"] for one in bare] == ["light", "glare", "focus", "frame_rate"]
    lost = {"picture": "0" * 64}
    assert at.ask("POST", f"/boards/{board['id']}/checks", lost, 422)["code"] == "NO_SUCH_PICTURE"
    assert at.ask("POST", "/boards/none/checks", lost, 404)["code"] == "NO_SUCH_BOARD"


@pytest.mark.long
def test_a_match_is_kept_as_a_regression_test_that_check_takes(at: Served, watched: tuple[str, int]) -> None:
    match_id, recording = watched
    waiting = at.ask("GET", f"/reviews?match={match_id}")["reviews"]
    for one in waiting:
        at.ask("POST", f"/reviews/{one['id']}/decision", {"decision": "accept", "by": "umpire:Cho"}, 201)
    kept = at.ask("POST", f"/recordings/{recording}/regression", status=201)
    folder = Path(kept["folder"])
    assert folder.is_relative_to(at.matches.store.media.parent)
    assert {file.name for file in folder.iterdir()} == {"match.jsonl", "recording.json", "video.mp4"}
    assert check(folder) == (0, f"{kept['actions']} actions, 0 differences\n")
    view = at.ask("GET", f"/matches/{match_id}")
    first = view["history"][0]["action"]
    wrong = throw(first["side"], "T1" if first["segment"] != "T1" else "T2", first["t_ms"])
    at.matches.append(match_id, view["seq"], [(amend(1, wrong), None)])
    again = at.ask("POST", f"/recordings/{recording}/regression", status=201)
    assert again["folder"] == kept["folder"], "the newest corrections take the place of those before"
    status, said = check(folder)
    assert (status, f"expected {wrong['segment']} of side {first['side']}" in said) == (1, True)


def test_what_is_no_whole_truth_is_not_kept(at: Served, watched: tuple[str, int], folder: Path) -> None:
    match_id, recording = watched
    board_id = at.board("cricket", folder / "clips" / "cricket.mp4", pace="real")
    at.ask("POST", f"/boards/{board_id}/watching", {"match": match_id}, 201)
    assert at.ask("POST", f"/recordings/{recording}/regression", status=409)["code"] == "NOT_POSSIBLE"
    at.ask("DELETE", f"/boards/{board_id}/watching")
    newest = at.ask("GET", f"/recordings?match={match_id}")["recordings"][0]["id"]
    assert "only a part" in at.ask("POST", f"/recordings/{newest}/regression", status=409)["detail"]
    shutil.rmtree(folder / "clips")
    assert at.ask("POST", f"/recordings/{recording}/regression", status=409)["code"] == "NO_RECORDING"
    assert at.ask("POST", "/recordings/99/regression", status=404)["code"] == "NO_SUCH_RECORDING"
