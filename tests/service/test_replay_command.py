"""`tallycam replay` and `tallycam check`, as typed."""

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from support.dart_scenes import Moment, frames, held, setup, visit
from support.video_files import cut_to, write_frames

from engine import amend, format_sheet, new_sheet, strike
from engine.cricket import Throw
from service.cli.main import main
from vision.recording import read_match
from vision.setup import format_setup

TIPS = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `visit.mp4` and `setup.json`."""
    folder = tmp_path_factory.mktemp("material")
    write_frames(folder / "visit.mp4", frames(visit(TIPS)), fps=10)
    (folder / "setup.json").write_text(json.dumps(format_setup(setup())))
    return folder


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    assert isinstance(stop.value.code, int)
    return stop.value.code


def replayed(material: Path, out: Path, *more: object) -> int:
    return run("replay", "--setup", material / "setup.json", material / "visit.mp4", "--out", out, *more)


def test_replay_prints_visits_and_writes_the_folder(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replayed(material, tmp_path / "out", "--sides", "Ann,Ben") == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0].split() == ["Ann", "T20", "S7", "S13", "0", ":", "0"]
    assert said.err == ""
    assert run("score", tmp_path / "out/match.jsonl") == 0
    assert json.loads(capsys.readouterr().out)["turn"] == 1


def test_replay_prints_json(material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replayed(material, tmp_path / "out", "--json", "--no-media") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["events"] == {"throw": 3, "takeout": 1}
    assert answer["result"]["conflict"] is None
    assert answer["review"] == 0


def test_replay_takes_a_folder_of_pictures(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for frame in frames([*held(Moment(), 0.5), *held(Moment(darts_mm=TIPS[:1]), 0.5)]):
        cv2.imwrite(str(pictures / f"{frame.index:03d}.png"), frame.bgr())
    found = run(
        "replay", pictures, "--fps", 10, "--setup", material / "setup.json", "--out", tmp_path / "out", "--json"
    )
    assert found == 0
    assert json.loads(capsys.readouterr().out)["events"] == {"throw": 1}
    assert sorted(path.name for path in (tmp_path / "out/frames").iterdir()) == [
        "0000-throw-after.jpg",
        "0000-throw-before.jpg",
    ]


def test_what_cannot_be_replayed_is_one_sentence_and_leaves_nothing(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.mp4").write_text("hello")
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "bad.json").write_text("[]")
    whole = write_frames(tmp_path / "whole.mkv", frames(held(Moment(), 4)), fps=10)
    cut_to(whole, 0.6, tmp_path / "cut.mkv")
    grey = tmp_path / "grey"
    grey.mkdir()
    for n in range(3):
        cv2.imwrite(str(grey / f"{n}.png"), np.full((480, 640, 3), 90, np.uint8))
    out = tmp_path / "out"
    board = ("--setup", material / "setup.json")
    cases = [
        (tmp_path / "text.mp4", *board),
        (tmp_path / "empty.mp4", *board),
        (tmp_path / "absent.mp4", *board),
        (tmp_path / "cut.mkv", *board),
        (grey,),
        (whole, "--setup", tmp_path / "absent.json"),
        (whole, "--setup", tmp_path / "bad.json"),
        (whole, *board, "--fps", 5),
        (whole, *board, "--sides", "Ann"),
        (whole, *board, "--config", tmp_path / "bad.json"),
        (whole, *board, "--start", tmp_path / "absent.json"),
    ]
    for case in cases:
        assert run("replay", *case, "--out", out) == 2, case
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("tallycam: ")
        assert said.err.count("\n") == 1
        assert not out.exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_folder_with_something_in_it_is_left_alone(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("mine")
    assert replayed(material, tmp_path) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_scoresheet_of_another_game_is_not_compared(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert replayed(material, out) == 0
    shutil.copy(material / "visit.mp4", out / "video.mp4")
    (out / "match.jsonl").write_text(format_sheet(new_sheet("finn", ["Ann", "Ben"])))
    capsys.readouterr()
    assert run("check", out) == 2
    assert "a match of finn, but the recording is of cricket" in capsys.readouterr().err


def test_a_way_through_a_file_is_named(material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    assert replayed(material, tmp_path / "file" / "out") == 2
    assert f"{tmp_path / 'file'}: a file" in capsys.readouterr().err


def test_wrong_names_are_refused_before_the_video_is_watched(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = write_frames(tmp_path / "whole.mkv", frames(held(Moment(), 4)), fps=10)
    cut = cut_to(whole, 0.6, tmp_path / "cut.mkv")
    board = ("--setup", material / "setup.json", "--out", tmp_path / "out")
    assert run("replay", cut, *board) == 2
    assert "cut off" in capsys.readouterr().err
    assert run("replay", cut, *board, "--sides", "Ann") == 2
    assert "--sides" in capsys.readouterr().err


def test_check_says_what_differs_from_the_corrected_scoresheet(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert replayed(material, out) == 0
    shutil.copy(material / "visit.mp4", out / "video.mp4")
    capsys.readouterr()
    assert run("check", out) == 0
    assert capsys.readouterr().out == "4 actions, 0 differences\n"

    sheet = read_match(out)
    right = Throw(side=0, t_ms=1000, segment="T5")
    sheet = amend(sheet, 1, right, by="umpire:Cho", reason="it was the 5")
    sheet = strike(sheet, 2, by="umpire:Cho", reason="thrown after time")
    (out / "match.jsonl").write_text(format_sheet(sheet))
    assert run("check", out) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "3 actions, 2 differences"
    assert run("check", out, "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert sorted(one["difference"] for one in answer["differences"]) == ["extra", "other"]
    assert {"kind": "throw", "side": 0, "t_ms": 1000, "segment": "T5"} in [
        one["expected"] for one in answer["differences"]
    ]


def test_check_refuses_what_it_cannot_use(
    material: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", tmp_path / "absent") == 2
    assert run("check", tmp_path) == 2
    assert run("check", tmp_path, "--video", material / "visit.mp4") == 2
    assert replayed(material, tmp_path / "out", "--no-media") == 0
    (tmp_path / "out/match.jsonl").write_text("no sheet")
    assert run("check", tmp_path / "out", "--video", material / "visit.mp4") == 2
    assert capsys.readouterr().err.count("\n") == 4
