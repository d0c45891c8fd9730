"""What is kept: recordings with events and clips, matches for other programs, statistics."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from support.boards_service import V1, Served, cut, sample_setup, served
from support.matches import SETTINGS, Setting, random_play
from support.service import amend, played, throw

from engine import Record, Scoresheet, new_sheet, record, result
from service.boards.framing import Said
from service.boards.runtime import Watched
from service.exports import as_csv
from service.statistics import statistics
from vision.clips import Stretch
from vision.events import Event, event_line
from vision.failure import Failure
from vision.frames import Frame, open_frames
from vision.recording import without_pictures
from vision.replay import replay
from vision.setup import parse_setup
from vision.sources.grab import Grab, as_jpeg
from vision.sources.recorder import Recorder


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        yield found


def sheet_of(setting: Setting, seed: int = 3, most: int = 60) -> Scoresheet:
    """Give a scoresheet of sampled actions."""
    sheet = new_sheet(setting.game, ["Ann", "Ben", "Cho", "Dee"][: setting.sides], setting.config)
    for _, action, _ in random_play(setting.game, seed, config=setting.config, sides=setting.sides, most=most):
        sheet = record(sheet, action)
    return sheet


@pytest.mark.long
def test_a_recording_is_listed_with_the_very_events_of_a_replay_and_clips_of_its_packets(
    at: Served, tmp_path: Path
) -> None:
    clip = cut("cricket", 4200, tmp_path / "clips")
    board_id = at.board("cricket", clip)
    match_id = at.begin("cricket", board_id)
    at.until(lambda: at.ended(board_id))
    (recording,) = at.ask("GET", f"/recordings?match={match_id}")["recordings"]
    assert (recording["board"], recording["outcome"], recording["live"]) == (board_id, "ended", False)
    assert at.ask("GET", f"/recordings/{recording['id']}") == recording
    frames, setup = open_frames(clip), parse_setup(sample_setup("cricket"))
    assert not isinstance(frames, Failure)
    assert not isinstance(setup, Failure)
    seen = [one for one in replay(frames, setup) if not isinstance(one, Failure)]
    told = at.client.get(f"{V1}/recordings/{recording['id']}/events").text
    assert told == "".join(event_line(without_pictures(one)) + "\n" for one in seen)
    assert recording["events"] == len(seen) >= 2
    shown = at.client.get(f"{V1}/matches/{match_id}/entries/1/clip")
    assert shown.headers["content-type"] == "video/mp4"
    with av.open(io.BytesIO(shown.content), "r") as video:
        assert len(list(video.decode(video=0))) >= 25
    assert at.client.get(f"{V1}/matches/{match_id}/entries/1/clip").content == shown.content
    assert at.ask("GET", f"/matches/{match_id}/entries/99/clip", status=404)["code"] == "NOT_SEEN"
    first = at.boards.sightings.table.of(match_id=match_id)[0]
    assert at.client.get(f"{V1}/reviews/{first.id}/clip").content == shown.content
    clip.unlink()
    assert at.ask("GET", f"/matches/{match_id}/entries/2/clip", status=409)["code"] == "NO_CLIPS"


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_statistics_add_up_to_the_match(setting: Setting) -> None:
    sheet = sheet_of(setting)
    found = statistics(sheet)
    assert found["actions"] == len(sheet.entries)
    assert [side["name"] for side in found["sides"]] == list(sheet.sides)
    final = result(sheet)
    if setting.game != "astrolabe":  # there a new game begins from nothing
        assert [side["points"] for side in found["sides"]] == final["scores"]
    kinds = [entry.action.kind for entry in sheet.entries if isinstance(entry, Record)]
    counted = sum(side["counts"].get("darts", 0) + side["counts"].get("shots", 0) for side in found["sides"])
    assert counted == kinds.count("throw") + kinds.count("shot")


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_table_has_a_line_for_each_action_with_the_scores_after_it(setting: Setting) -> None:
    sheet = sheet_of(setting)
    rows = list(csv.DictReader(io.StringIO(as_csv(sheet))))
    assert [int(row["id"]) for row in rows] == [entry.id for entry in sheet.entries]
    assert [int(rows[-1][name]) for name in sheet.sides] == result(sheet)["scores"]


def test_a_spreadsheet_runs_nothing_that_a_name_says() -> None:
    sheet = new_sheet("cricket", ["=1+1", "@SUM(A1)"])
    head = as_csv(sheet).splitlines()[0]
    assert "'=1+1,'@SUM(A1)" in head


def test_an_export_holds_all_that_is_known(at: Served) -> None:
    match_id = played(at.matches, "T20 S20 S5", "T19", doubt=3)
    at.matches.append(match_id, 5, [(amend(2, throw(0, "T20", 2000)), None)])
    whole = at.ask("GET", f"/matches/{match_id}/export?format=json")
    assert whole["scoresheet"] == at.matches.text(match_id)
    assert whole["result"] == at.ask("GET", f"/matches/{match_id}")["result"]
    assert whole["history"][2]["seen"]["review"] == [{"code": "NEAR_WIRE"}]
    assert json.dumps(whole["statistics"]) == json.dumps(at.ask("GET", f"/matches/{match_id}/statistics"))
    table = at.client.get(f"{V1}/matches/{match_id}/export")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"] == f'attachment; filename="match-{match_id}.csv"'
    assert at.ask("GET", "/matches/none/export", status=404)["code"] == "NO_SUCH_MATCH"
    assert at.ask("GET", f"/matches/{match_id}/export?format=xls", status=422)["code"] == "MALFORMED"


def test_the_clip_of_a_camera_is_kept_as_it_came_and_made_a_film_when_somebody_looks(
    at: Served, tmp_path: Path
) -> None:
    new = {"name": "One", "game": "cricket", "source": "camera:9"}
    board_id = at.ask("POST", "/boards", new, 201)["id"]
    row = at.boards.table.add_setup(board_id, sample_setup("cricket"), "player", "now")
    match_id, board = at.matches.create("cricket", ["Ann", "Ben"]), at.boards.table.get(board_id)
    watching = at.boards.table.begin(board, match_id, row.version, lying=None, zero_ms=0, at="now")
    watched = Watched(at.boards.runtime, board, watching, lambda _state: None)
    data = {"segment": "S5", "xy_mm": [1.0, 2.0], "review": [{"code": "ON_A_WIRE"}]}
    event = Event(kind="throw", t_ms=9000, frame=1, end_frame=2, data=data)
    watched._heard(Said({"say": "event", "number": 1, "line": event_line(event)}, {}))
    (review,) = at.ask("GET", "/reviews")["reviews"]
    assert review["clip"] is None, "it comes when what follows the dart has come"
    clip = filmed(tmp_path)
    watched._heard(Said({"say": "clip", "number": 1, "suffix": ".mkv"}, {"clip": clip}))
    watched._heard(Said({"say": "clip", "number": 99, "suffix": ".mkv"}, {"clip": clip}))
    (review,) = at.ask("GET", "/reviews")["reviews"]
    path = f"{V1}/reviews/{review['id']}/clip"
    assert (review["clip"], review["pictures"]) == (path, {})
    shown = at.client.get(path)
    assert (shown.status_code, shown.headers["content-type"]) == (200, "video/mp4")
    with av.open(io.BytesIO(shown.content), "r") as video:
        assert len(list(video.decode(video=0))) == 5
    assert at.client.get(path).content == shown.content
    for kept in at.boards.media.all():
        kept.unlink()
    assert at.ask("GET", "/reviews")["reviews"][0]["clip"] is None
    assert at.ask("GET", f"/reviews/{review['id']}/clip", status=409)["code"] == "NO_CLIPS"


def filmed(folder: Path) -> bytes:
    """Give a clip as a camera's recorder writes it."""
    recorder = Recorder(folder, free=lambda _path: 1 << 40)
    for number in range(5):
        frame = Frame(number, 100 * number, bgr=np.full((48, 63, 3), 40 * number, np.uint8))
        recorder.take(as_jpeg(Grab(at_ns=0, bgr=frame.bgr())), frame)
    recorder.want(Stretch(name="clip", from_ms=0, to_ms=400))
    recorder.close()
    return recorder.clips["clip"].read_bytes()


def test_a_review_says_where_its_clip_is(at: Served, tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b"a recording, for all that is asked of it here")
    board_id = at.ask("POST", "/boards", {"name": "One", "game": "cricket", "source": str(clip)}, 201)["id"]
    row = at.boards.table.add_setup(board_id, sample_setup("cricket"), "player", "now")
    match_id = at.matches.create("cricket", ["Ann", "Ben"])
    board = at.boards.table.get(board_id)
    watching = at.boards.table.begin(board, match_id, row.version, lying=None, zero_ms=0, at="now")
    data = {"segment": "S5", "xy_mm": [1.0, 2.0], "review": [{"code": "ON_A_WIRE"}]}
    event = Event(kind="throw", t_ms=9000, frame=1, end_frame=2, data=data)
    at.boards.sightings.take(match_id, 1, event, {}, watching_id=watching.id)
    at.boards.sightings.take(match_id, 1, event, {})
    seen, other = at.ask("GET", "/reviews")["reviews"]
    assert (seen["clip"], other["clip"]) == (f"{V1}/reviews/{seen['id']}/clip", None)
    clip.unlink()
    assert at.ask("GET", f"/reviews/{seen['id']}")["clip"] is None
