"""`tallycam evaluate finn`: figures of shots of known truth, names read from numbers, failures drawn."""

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree
from typing import Any

import cv2
import numpy as np
import pytest
from support.finn_numbers import SCATTERED, SETUP, SIZE, numbered
from support.program import tallycam

from vision.evaluate.digits import DigitScore, measure_digits
from vision.failure import Failure
from vision.setup import format_setup


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two shots of the same board: one in which nothing fell, and one whose truth says that 7 fell."""
    folder = tmp_path_factory.mktemp("shots")
    picture = numbered(SCATTERED)
    _write(folder / "000", [picture, picture], _truth({}))
    _write(folder / "001", [picture, picture], _truth({"7": "fallen"}))
    return folder


def _truth(states: dict[str, str]) -> dict[str, Any]:
    return {
        "decidable": True,
        "numbers_seen_before": [int(name) for name in SCATTERED],
        "size": list(SIZE),
        "setup": format_setup(SETUP),
        "before": {name: list(xy) for name, xy in SCATTERED.items()},
        "after": {n: {"state": states.get(n, "upright"), "xy_cm": list(xy)} for n, xy in SCATTERED.items()},
    }


def _write(folder: Path, pictures: Sequence[np.ndarray[Any, np.dtype[np.uint8]]], truth: dict[str, Any]) -> None:
    folder.mkdir()
    for name, picture in zip(("before", "after"), pictures, strict=True):
        cv2.imwrite(str(folder / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    (folder / "truth.json").write_text(json.dumps(truth))


def test_what_was_read_is_held_against_the_truth_and_failures_are_drawn(
    shots: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tallycam(capsys, "evaluate", "finn", "--data", str(shots), "--out", str(tmp_path), "--json")
    assert ran.status == 0, ran.err
    told = json.loads(ran.out)
    assert (told["shots"], told["exact"], told["wrong"]) == (2, 1, ["001"])
    assert told["confusion"] == {"fallen": {"upright": 1}, "upright": {"upright": 23}}
    assert told["wrong_accepted"] == ["001"]
    assert json.loads((tmp_path / "table.json").read_text()) == told
    sheet = cv2.imread(str(tmp_path / "failures.png"))
    assert sheet is not None
    assert sheet.shape[1] == 3 * 640


@pytest.mark.long
def test_names_are_counted_where_the_pins_of_these_numbers_stand(
    shots: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copytree(shots / "000", tmp_path / "000")
    ran = tallycam(capsys, "evaluate", "finn", "--data", str(tmp_path), "--numbers", "--json")
    names = json.loads(ran.out)["names"]
    assert names["seen"] == 12
    assert names["right"] >= 11
    assert names["wrong_sure"] == []
    assert names["unread"] == []


def test_a_folder_without_shots_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "evaluate", "finn", "--data", str(tmp_path))
    assert ran.status == 2
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("edge", [False, True])
def test_labels_are_read_at_all_turns(tmp_path: Path, capsys: pytest.CaptureFixture[str], edge: bool) -> None:
    label = np.full((104, 104, 3), (180, 205, 220), np.uint8)
    cv2.putText(label, "5", (34, 72), cv2.FONT_HERSHEY_SIMPLEX, 2.0, (30, 30, 40), 6, cv2.LINE_AA)
    if edge:
        label[:, :26] = (40, 40, 50)  # the table beside the label
    cv2.imwrite(str(tmp_path / "05_01.jpg"), label)
    assert measure_digits(tmp_path) == DigitScore(labels=8, right=8, wrong=())
    assert isinstance(measure_digits(tmp_path / "none"), Failure)
    ran = tallycam(capsys, "evaluate", "finn", "--data", str(tmp_path))
    assert ran.out == "labels 8 of 8 (100.0%)\n"
