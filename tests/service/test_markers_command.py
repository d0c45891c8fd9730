import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from support.program import tallycam


@pytest.mark.parametrize("name", ["sheet.pdf", "sheet.svg"])
def test_a_sheet_is_written_in_the_form_its_name_says(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / name
    ran = tallycam(capsys, "markers", "--game", "finn", "--paper", "Letter", "-o", str(out), "--json")
    assert ran.status == 0
    told = json.loads(ran.out)
    assert [one["id"] for one in told["markers"]] == [0, 1, 2, 3]
    assert told["markers"][0]["corner"] == "near right"
    assert out.read_bytes()[:5] in (b"%PDF-", b"<svg ")


def test_another_kind_of_file_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "markers", "-o", str(tmp_path / "sheet.png"))
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert ".pdf or .svg" in ran.err


def test_a_table_without_markers_is_not_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = np.random.default_rng(0).integers(60, 200, (480, 640, 3)).astype(np.uint8)
    cv2.imwrite(str(tmp_path / "table.png"), cv2.GaussianBlur(picture, (0, 0), 1.2))
    out = tmp_path / "setup.json"
    ran = tallycam(capsys, "calibrate", str(tmp_path / "table.png"), "--game", "finn", "-o", str(out))
    assert ran.status == 2
    assert "tallycam markers" in ran.err
    assert not out.exists()
