"""`tallycam read`: JSON always, one line of error, lists that go on after a bad line; pictures of all kinds."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from support.dart_scenes import Moment, frames, setup
from support.program import tallycam, type_in

from vision.failure import Failure
from vision.pictures import PictureLimits, decode_picture, load_picture, picture_fault
from vision.reading import Reader
from vision.setup import format_setup

Picture = NDArray[np.uint8]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SETUP, an empty board, and the board with a dart in treble 20."""
    here = tmp_path_factory.mktemp("read")
    (here / "setup.json").write_text(json.dumps(format_setup(setup())), encoding="utf-8")
    empty, full = (frame.bgr() for frame in frames([Moment(), Moment(darts_mm=((10.0, 103.0),))]))
    cv2.imwrite(str(here / "before.png"), empty)
    cv2.imwrite(str(here / "after.png"), full)
    (here / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    cv2.imwrite(str(here / "black.png"), np.zeros((480, 640, 3), np.uint8))
    cv2.imwrite(str(here / "dot.png"), np.full((1, 1, 3), 200, np.uint8))
    cv2.imwrite(str(here / "blurred.png"), cv2.GaussianBlur(full, (0, 0), 9))
    return here


def answers(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_pair_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(
        capsys,
        *("read", "--setup", str(folder / "setup.json"), "--before", str(folder / "before.png")),
        str(folder / "after.png"),
    )
    assert (ran.status, ran.err) == (0, "")
    (answer,) = answers(ran.out)
    assert [dart["segment"] for dart in answer["darts"]] == ["T20"]


@pytest.mark.parametrize(
    ("image", "code"),
    [
        ("broken.jpg", "NO_PICTURE"),
        ("missing.jpg", "NO_PICTURE"),
        ("black.png", "BLACK_PICTURE"),
        ("dot.png", "SMALL_PICTURE"),
        ("blurred.png", "BLURRED_PICTURE"),
    ],
)
def test_a_picture_that_cannot_be_read_prints_its_error_and_exits_2(
    image: str, code: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tallycam(capsys, "read", "--setup", str(folder / "setup.json"), str(folder / image))
    assert ran.status == 2
    (answer,) = answers(ran.out)
    assert answer["error"] == code
    assert answer["message"] in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_setup_that_is_none_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "read", "--setup", str(folder / "after.png"), str(folder / "after.png"))
    assert ran.status == 2
    assert answers(ran.out)[0]["error"] == "BAD_SETUP"


@pytest.mark.parametrize("args", [[], ["picture.jpg"], ["--batch", "list", "picture.jpg"], ["--batch", "missing"]])
def test_a_wrong_call_is_one_line(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "read", *args)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_a_list_is_answered_line_by_line_and_goes_on_after_faults(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {"setup": "setup.json", "image": "after.png", "before": "before.png"}
    lines = [
        json.dumps(good),
        "no json",
        "",
        json.dumps({"image": "after.png"}),
        json.dumps({**good, "image": 3}),
        json.dumps({**good, "camera": 1}),
        json.dumps({**good, "image": "broken.jpg"}),
        json.dumps({**good, "setup": json.loads((folder / "setup.json").read_text(encoding="utf-8"))}),
        json.dumps({**good, "before": None, "state": {}}),
    ]
    (folder / "list.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = tallycam(capsys, "read", "--batch", str(folder / "list.jsonl"))
    assert (ran.status, ran.err) == (0, "")
    codes = [answer.get("error", "read") for answer in answers(ran.out)]
    assert codes == ["read", *["BAD_LINE"] * 4, "NO_PICTURE", "read", "read"]


def test_a_list_may_come_from_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = {
        "setup": str(folder / "setup.json"),
        "image": str(folder / "after.png"),
        "before": str(folder / "before.png"),
    }
    type_in(monkeypatch, json.dumps(task))
    ran = tallycam(capsys, "read", "--batch", "-")
    assert [dart["segment"] for dart in answers(ran.out)[0]["darts"]] == ["T20"]


def scene() -> Picture:
    (frame,) = frames([Moment(darts_mm=((10.0, 103.0),))])
    return frame.bgr()


@pytest.mark.parametrize(
    ("suffix", "picture"),
    [
        (".png", cv2.cvtColor(scene(), cv2.COLOR_BGR2GRAY)),
        (".png", scene().astype(np.uint16) * 256),
        (".png", cv2.cvtColor(scene(), cv2.COLOR_BGR2BGRA)),
        (".jpg", scene()),
        (".webp", scene()),
        (".bmp", scene()),
        (".tiff", scene().astype(np.uint16) * 256),
    ],
)
def test_every_kind_of_picture_becomes_eight_bit_colour(suffix: str, picture: Picture, tmp_path: Path) -> None:
    path = tmp_path / f"picture{suffix}"
    cv2.imwrite(str(path), picture)
    loaded = load_picture(path)
    assert isinstance(loaded, np.ndarray)
    assert loaded.shape == (480, 640, 3)
    assert loaded.dtype == np.uint8
    assert np.abs(loaded.mean() - scene().mean()) < 6


def test_a_turned_picture_stands_upright() -> None:
    done, packed = cv2.imencode(".jpg", scene())
    assert done
    data = packed.tobytes()
    orientation = bytes.fromhex("0112 0003 00000001 0006 0000")
    exif = b"Exif\x00\x00MM" + bytes.fromhex("002a 00000008 0001") + orientation + bytes(4)
    marked = data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:]
    turned = decode_picture(marked)
    assert turned is not None
    assert turned.shape == (640, 480, 3)


@pytest.mark.parametrize("keep", [0, 1, 3, 100, 2000])
def test_a_cut_file_never_raises(keep: int, tmp_path: Path) -> None:
    for suffix in (".png", ".jpg"):
        done, packed = cv2.imencode(suffix, scene())
        assert done
        path = tmp_path / f"cut{suffix}"
        path.write_bytes(packed.tobytes()[:keep])
        assert isinstance(load_picture(path), np.ndarray | Failure)


@pytest.mark.parametrize(
    ("picture", "code"),
    [
        (np.zeros((480, 640, 3), np.uint8), "BLACK_PICTURE"),
        (np.full((480, 640, 3), 120, np.uint8), "FLAT_PICTURE"),
        (np.zeros((1, 1, 3), np.uint8), "SMALL_PICTURE"),
        (np.asarray(cv2.GaussianBlur(scene(), (0, 0), 8), np.uint8), "BLURRED_PICTURE"),
    ],
)
def test_what_shows_nothing_is_refused(picture: Picture, code: str) -> None:
    fault = picture_fault(picture)
    assert fault is not None
    assert fault.code == code


def test_a_sharp_picture_has_no_fault() -> None:
    assert picture_fault(scene()) is None


HOSTILE = [
    "[" * 200_000,
    '{"setup": "setup.json", "image": "a\\u0000b"}',
    '{"setup": "a\\u0000b", "image": "after.png"}',
    '{"setup": "setup.json", "image": "after.png", "state": "a\\u0000b"}',
    '{"setup": "setup.json", "image": "\\ud800"}',
    json.dumps({"setup": "setup.json", "image": "x" * 300}),
    json.dumps({"setup": "x" * 300, "image": "after.png"}),
    '{"setup": {"game": "cricket", "image_size": [1%s, 480]}, "image": "after.png"}' % ("0" * 400),
    json.dumps({"setup": "setup.json", "image": "no\u2028such.png"}, ensure_ascii=False),
]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_no_line_keeps_the_next_from_being_read(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = json.dumps({"setup": "setup.json", "image": "after.png", "before": "before.png"})
    (folder / "hostile.jsonl").write_text(f"\ufeff{line}\n{good}\n", encoding="utf-8")
    ran = tallycam(capsys, "read", "--batch", str(folder / "hostile.jsonl"))
    assert (ran.status, ran.err) == (0, "")
    assert [answer.get("error", "read") for answer in answers(ran.out)][1:] == ["read"]
    assert "error" in answers(ran.out)[0]


def test_a_reader_that_breaks_down_is_told_of_its_picture_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.darts.reading.read_darts", lambda *_: 1 / 0)
    task = json.dumps({"setup": "setup.json", "image": "after.png"})
    answer = Reader().read_line(task, folder)
    assert answer["error"] == "READER_FAULT"
    assert "ZeroDivisionError" in answer["message"]
    assert "after.png" in answer["message"]


def test_a_harmed_png_is_refused_in_silence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = cv2.imencode(".png", scene())[1].tobytes()
    middle = len(whole) // 2
    for data in (whole[:middle], whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], whole[:-12]):
        assert decode_picture(data) is None
    assert decode_picture(whole) is not None
    assert capfd.readouterr().err == ""


def test_a_file_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.pictures.LIMITS", PictureLimits(most_mb=1))
    endless = load_picture("/dev/zero")
    assert isinstance(endless, Failure)
    assert "larger than 1 MB" in endless.message
