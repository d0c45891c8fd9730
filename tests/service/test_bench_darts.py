"""`tallycam bench darts`, as typed, on a drawn throw."""

import json
from pathlib import Path

import pytest
from support.dart_scenes import Moment, frames, held, setup
from support.program import tallycam
from support.video_files import write_frames

from vision.setup import format_setup


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of one throw with its SETUP, and one in which nothing happens."""
    here = tmp_path_factory.mktemp("bench")
    throw = [*held(Moment(), 1), *held(Moment(darts_mm=((10.0, 103.0),)), 2)]
    write_frames(here / "throw.mp4", frames(throw), fps=10)
    write_frames(here / "still.mp4", frames(held(Moment(), 1)), fps=10)
    (here / "setup.json").write_text(json.dumps(format_setup(setup())))
    (here / "nowhere.json").write_text('{"game": "cricket", "image_size": [640, 480]}')
    return here


@pytest.mark.long
def test_times_and_memory_of_a_throw_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = (
        "bench",
        "darts",
        "--video",
        str(folder / "throw.mp4"),
        "--setup",
        str(folder / "setup.json"),
        "--json",
    )
    found = json.loads(tallycam(capsys, *call).out)
    assert found["pairs"] == 1
    assert 1 < found["pair_ms"] <= found["pair_90_ms"] < 5000
    assert found["pair_ms"] < found["single_ms"] <= found["single_90_ms"]
    assert 50 < found["memory_mb"] < 2000


@pytest.mark.parametrize(
    ("video", "camera"), [("still.mp4", "setup.json"), ("throw.mp4", "nowhere.json"), ("none.mp4", "setup.json")]
)
def test_what_cannot_be_measured_is_said_in_one_line(
    video: str, camera: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tallycam(
        capsys, "bench", "darts", "--video", str(folder / video), "--setup", str(folder / camera), "--json"
    )
    assert (ran.status, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1


def test_a_video_needs_its_setup(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tallycam(capsys, "bench", "darts", "--video", str(folder / "throw.mp4")).status == 2
