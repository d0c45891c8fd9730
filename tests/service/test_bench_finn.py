"""`tallycam bench finn`, as typed, on a drawn shot."""

import json
from pathlib import Path

import cv2
import pytest
from support.finn_numbers import SCATTERED, SETUP, SIZE, numbered
from support.program import tallycam

from vision.setup import format_setup


@pytest.mark.long
def test_times_and_memory_of_a_shot_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "000"
    folder.mkdir()
    left = {name: xy for name, xy in SCATTERED.items() if name != "5"}
    for name, places in (("before", SCATTERED), ("after", left)):
        cv2.imwrite(str(folder / f"{name}.jpg"), numbered(places))
    truth = {
        "decidable": True,
        "size": list(SIZE),
        "setup": format_setup(SETUP),
        "before": {name: list(xy) for name, xy in SCATTERED.items()},
        "after": {name: {"state": "upright", "xy_cm": list(xy)} for name, xy in SCATTERED.items()},
    }
    (folder / "truth.json").write_text(json.dumps(truth))
    found = json.loads(tallycam(capsys, "bench", "finn", "--data", str(tmp_path), "--rounds", "1", "--json").out)
    assert found["pairs"] == 1
    assert 1 < found["pair_ms"] < 20_000
    assert 1 < found["alone_ms"] < 20_000
    assert 50 < found["memory_mb"] < 2000


def test_a_folder_without_shots_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "bench", "finn", "--data", str(tmp_path), "--json")
    assert (ran.status, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
