import json
from pathlib import Path

import cv2
import pytest
from support.boards import draw_board, view
from support.program import tallycam

from vision.setup import Setup, load_setup

CORNERS = "100,400;560,420;500,120;140,110"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictures") / "board.png"
    cv2.imwrite(str(path), draw_board(view(above=50, turned=40)))
    return path


@pytest.fixture(scope="module")
def wall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictures") / "wall.png"
    picture = draw_board(view(px_per_mm=8, middle=(-3000, -3000)), noise=25)
    cv2.rectangle(picture, (60, 60), (500, 400), (20, 40, 60), 3)
    cv2.imwrite(str(path), picture)
    return path


def test_a_dartboard_is_found_and_its_setup_written(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, png = tmp_path / "setup.json", tmp_path / "overlay.png"
    args = [str(board), "--game", "cricket", "-o", str(out), "--json", "--overlay", str(png)]
    ran = tallycam(capsys, "calibrate", *args)
    assert ran.status == 0
    told = json.loads(ran.out)
    assert told["orientation_confidence"] > 0.9
    assert told["residual_mm"] < 0.6
    assert told["to_check"] == []
    setup = load_setup(out)
    assert isinstance(setup, Setup)
    assert setup.image_size == (640, 480)
    drawn = cv2.imread(str(png))
    assert drawn is not None
    assert drawn.shape == (480, 640, 3)


def test_a_person_reads_what_to_check(board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "calibrate", str(board), "--game", "cricket", "-o", str(tmp_path / "s.json"))
    assert ran.status == 0
    assert "fit to 0." in ran.out


def test_a_picture_without_a_board_ends_in_one_sentence_and_no_file(
    wall: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "setup.json"
    ran = tallycam(capsys, "calibrate", str(wall), "--game", "cricket", "-o", str(out))
    assert ran.status == 2
    assert "No dartboard was found" in ran.err
    assert ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("game", ["finn", "astrolabe"])
def test_a_table_is_placed_by_hand(
    game: str, wall: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "setup.json"
    refused = tallycam(capsys, "calibrate", str(wall), "--game", game, "-o", str(out))
    assert refused.status == 2
    assert "--points" in refused.err
    ran = tallycam(capsys, "calibrate", str(wall), "--game", game, "-o", str(out), "--points", CORNERS)
    assert ran.status == 0
    setup = load_setup(out)
    assert isinstance(setup, Setup)
    assert setup.board_px[0] == (100.0, 400.0)


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--game", "chess"], "--game is finn, cricket or astrolabe"),
        (["--game", "finn", "--points", "1,2;3"], "--points is a list of points"),
        (["--game", "finn", "--points", "1,2;3,4"], "4 points of the board stand against 2"),
        (["--game", "finn", "--points", "a,b"], "--points is a list of points"),
        (["--game", "finn", "--points", "nan,1;9,1;9,9;1,9"], "--points is a list of points"),
        (["--game", "finn", "--points", CORNERS, "--known", "1e400,1;9,1;9,9;1,9"], "--known is a list of points"),
        (["--game", "finn", "--points", CORNERS, "--known", "0,0;1,1"], "2 points of the board stand against 4"),
        (["--game", "cricket", "--twenty", "1,2;3,4"], "--twenty is one point"),
    ],
)
def test_a_mistake_ends_in_one_sentence(
    args: list[str], why: str, board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tallycam(capsys, "calibrate", str(board), *args, "-o", str(tmp_path / "setup.json"))
    assert ran.status == 2
    assert why in ran.err
    assert not list(tmp_path.iterdir())


def test_a_missing_picture_ends_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("none.png", "none.mp4"):
        ran = tallycam(capsys, "calibrate", str(tmp_path / name), "--game", "cricket", "-o", str(tmp_path / "s"))
        assert ran.status == 2
        assert name in ran.err


def test_a_setup_that_cannot_be_written_leaves_no_draft(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "setup.json").mkdir()
    ran = tallycam(capsys, "calibrate", str(board), "--game", "cricket", "-o", str(tmp_path / "setup.json"))
    assert (ran.status, len(ran.err.splitlines())) == (2, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["setup.json"]
