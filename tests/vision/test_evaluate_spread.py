"""Measuring by several processes gives the figures of one."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import pytest
from support.dart_scenes import Moment, frames
from support.program import tallycam

from vision.darts.reading import DartsReading
from vision.evaluate.cases import Case
from vision.evaluate.darts import judge_all


@pytest.mark.slow
@pytest.mark.parametrize("game", ["finn", "astrolabe"])
def test_two_processes_measure_what_one_does(
    game: str, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for still in sorted((root / "datasets" / "samples" / game / "stills").glob("*/"))[:2]:
        shutil.copytree(still, tmp_path / still.name)
    told = []
    for workers in ("1", "2"):
        ran = tallycam(capsys, "evaluate", game, "--data", str(tmp_path), "--workers", workers, "--json")
        assert ran.status == 0
        told.append({name: value for name, value in json.loads(ran.out).items() if name != "seconds"})
    assert told[0] == told[1]
    assert 2 in (told[0].get("shots"), told[0].get("scenes", {}).get("scenes"))


@pytest.mark.long
def test_darts_are_judged_in_the_order_of_their_cases(tmp_path: Path) -> None:
    pictures = frames([Moment(), Moment(darts_mm=((10.0, 103.0),))])
    for name, picture in zip(("before", "after"), pictures, strict=True):
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture.bgr())
    after = Case(
        group="a", name="one", image=tmp_path / "after.png", before=tmp_path / "before.png", segments=("T20",)
    )
    cases = [after, replace(after, name="none", image=tmp_path / "gone.png"), replace(after, name="again")]
    alone, together = judge_all(cases), judge_all(cases, workers=2)
    assert [one.case.name for one in together] == ["one", "none", "again"]
    assert [(one.right, one.accepted, one.confidence) for one in together] == [
        (one.right, one.accepted, one.confidence) for one in alone
    ]
    assert isinstance(together[0].read, DartsReading)


def test_a_scheduler_that_does_not_answer_is_one_sentence(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.pool.ANSWER_S", 0.5)
    data = root / "datasets" / "samples" / "finn" / "stills"
    ran = tallycam(capsys, "evaluate", "finn", "--data", str(data), "--scheduler", "tcp://127.0.0.1:9")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "no dask scheduler answers" in ran.err
