"""`tallycam score`: results, explanations, exit statuses, and files that are no scoresheets."""

import gc
import json
from pathlib import Path

import pytest
from support.matches import sheet
from support.program import tallycam, type_in

import service.sheet_files
from engine import format_sheet, record, result
from engine.finn import shot

GOOD = format_sheet(sheet("finn", "7 6", "-"))
BAD = GOOD.replace("fallen", "flat")
CONFLICT = format_sheet(record(sheet("finn", "7 6"), shot(side=0, t_ms=9000)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"good": GOOD, "bad": BAD, "conflict": CONFLICT}.items():
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_one_result(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = tallycam(capsys, "score", str(folder / "good.jsonl"))
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out) == result(sheet("finn", "7 6", "-"))
    assert ran.out.count("\n") == 1
    assert gc.isenabled()


def test_a_conflict_is_told_and_the_status_is_1(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = tallycam(capsys, "score", str(folder / "conflict.jsonl"))
    assert (ran.status, ran.err) == (1, "")
    assert json.loads(ran.out)["conflict"] == {"id": 2, "reason": "WRONG_SIDE"}


def test_no_scoresheet_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = tallycam(capsys, "score", str(folder / "bad.jsonl"))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        f"tallycam: {folder}/bad.jsonl: line 2: action: pins: 6: "
        'got "flat", takes fallen, leaning, off_board or line\n'
    )


def test_several_files_have_a_line_each_and_the_highest_status(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    good, bad, conflict = (str(folder / f"{name}.jsonl") for name in ("good", "bad", "conflict"))
    ran = tallycam(capsys, "score", good, bad, conflict, str(folder / "none"), good)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.status, ran.err) == (2, "")
    assert [sorted(line)[0] for line in lines] == ["conflict", "error", "conflict", "error", "conflict"]
    assert lines[0] == lines[4]
    assert lines[3] == {"error": f"{folder}/none: no such file or directory"}
    assert tallycam(capsys, "score", good, conflict).status == 1
    assert tallycam(capsys, "score", good, good).status == 0


def test_explained_for_people_ends_with_the_result(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = tallycam(capsys, "score", "--explain", str(folder / "conflict.jsonl"))
    head, first, second, last = ran.out.splitlines()
    assert head == "finn: Ann, Ben"
    assert first.split("  ") == ["1", "Ann", "6↓ 7↓", "pins 7 and 6: +2 (FB-21)", "2:0"]
    assert second.endswith("(refused) WRONG_SIDE")
    assert json.loads(last)["scores"] == [2, 0]


def test_explained_as_json(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = tallycam(capsys, "score", "--explain", "--json", str(folder / "good.jsonl"))
    found = json.loads(ran.out)
    assert [line["text"] for line in found["explain"]] == [
        "pins 7 and 6: +2 (FB-21)",
        "air shot: −5, never below 0 (FB-25)",
    ]
    assert found["explain"][0]["scores"] == [2, 0]


def test_an_empty_match_can_be_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty").write_text(GOOD.split("\n")[0])
    assert tallycam(capsys, "score", "--explain", str(tmp_path / "empty")).out.startswith("finn: Ann, Ben\n{")


def test_names_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "sheet").write_text(GOOD.replace("Ann", "\\u001b[2JAnn"))
    assert "\x1b" not in tallycam(capsys, "score", "--explain", str(tmp_path / "sheet")).out


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, GOOD)
    assert tallycam(capsys, "score", "-").status == 0
    type_in(monkeypatch, b"\xff")
    assert tallycam(capsys, "score", "-").err == "tallycam: -: line 1: the byte 0xff is not UTF-8\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1: a blank line"),
        (b"\x00\x01\x02", "line 1: no JSON"),
        (GOOD.encode() + b"\xc3(", "line 4: the byte 0xc3 is not UTF-8"),
        (b'"' + b"a" * 100_000_000, "line 1: 100000001 characters"),
        (GOOD.encode() + b"\n", "line 4: a blank line"),
    ],
    ids=["empty", "binary", "bad UTF-8", "100 MB of one line", "blank line at the end"],
)
def test_bad_files(capsys: pytest.CaptureFixture[str], tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "sheet").write_bytes(data)
    ran = tallycam(capsys, "score", str(tmp_path / "sheet"))
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{tmp_path}/sheet: {says}" in ran.err


def test_folders_missing_files_and_odd_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert tallycam(capsys, "score", str(tmp_path)).err == f"tallycam: {tmp_path}: is a directory\n"
    assert "no such file" in tallycam(capsys, "score", str(tmp_path / "no")).err
    assert "null" in tallycam(capsys, "score", "a\0b").err
    ran = tallycam(capsys, "score", "bad\udcff", "bad\udcff")
    assert (ran.status, json.loads(ran.out.splitlines()[0])) == (2, {"error": "bad?: no such file or directory"})


def test_a_file_without_end_is_not_read_to_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.sheet_files, "MOST_BYTES", 100)
    (tmp_path / "long").write_text(GOOD)
    assert "line 2: more than 100 bytes" in tallycam(capsys, "score", str(tmp_path / "long")).err


def test_no_file_is_a_mistake_of_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "score")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
