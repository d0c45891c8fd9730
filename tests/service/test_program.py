"""The program as a process: an output that takes nothing, an end in the middle of work."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.matches import sheet
from support.program import tallycam

from engine import format_sheet
from vision.assets import asset

PROGRAM = (sys.executable, "-c", "from service.cli.main import main; main()")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_an_output_that_is_full_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(format_sheet(sheet("cricket")), encoding="utf-8")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*PROGRAM, "score", str(path)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "tallycam: the output: No space left on device\n"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_replay_that_is_ended_leaves_nothing_behind(number: signal.Signals, status: int, tmp_path: Path) -> None:
    video = asset("datasets/samples/cricket") / "clip.mp4"
    # Where the tests were started in the background, an interrupt is ignored, and a child would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    replay = subprocess.Popen(
        [*PROGRAM, "replay", str(video), "--out", str(tmp_path / "out")], stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not any(tmp_path.iterdir()):
        assert time.monotonic() < until
        time.sleep(0.02)
    replay.send_signal(number)
    _, said = replay.communicate(timeout=60)
    assert (replay.returncode, said) == (status, "")
    assert not any(tmp_path.iterdir())


def test_a_folder_that_is_a_file_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "set"
    path.write_text("mine", encoding="utf-8")
    ran = tallycam(capsys, "synth", "finn", "-o", str(path), "--count", "1")
    assert ran.status == 2
    assert ran.err.splitlines()[-1] == f"tallycam: {path}: File exists"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["markers", "--game", "cricket"], "Invalid value for '--game': 'cricket' is not one of 'finn',"),
        (["evaluate", "darts", "--data", "X"], "X/labels.json: no labels that can be read (No such file"),
        (["read", "--batch", "X"], "X: this list cannot be read (No such file or directory)"),
        (["teach", "--guide", "fin"], "there is no game 'fin'; it is one of finn, cricket, astrolabe"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_without_the_inside_of_the_program(
    args: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = tallycam(capsys, *args)
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert ran.err.startswith(f"tallycam: {said}")
