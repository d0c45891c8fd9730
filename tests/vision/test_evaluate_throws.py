"""Measuring throws: cameras put together, events of a video against labels, and both in the command's table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.dart_scenes import frames as drawn
from support.dart_scenes import plane, visit
from support.program import tallycam
from support.video_files import write_frames

from vision.darts.find import BoardFit
from vision.darts.reading import DartsReading, Review, read_dart
from vision.darts.tips import Dart
from vision.evaluate.cases import Case
from vision.evaluate.darts import Verdict, judge
from vision.evaluate.throws import judge_events, put_together
from vision.events import Event
from vision.failure import Failure

BOARD = BoardFit(plane=plane())
LABEL = {
    "throws": [20, 40, 60],
    "segments": ["S20", "T5", "S1"],
    "takeouts": [[80, 95]],
    "on_a_wire": {"1": ["T5", "S5"]},
}


def event(kind: str, frame: int, segment: str = "S20", review: tuple[str, ...] = ()) -> Event:
    data: dict[str, Any] = {"segment": segment, "review": [{"code": code} for code in review]}
    return Event(kind=kind, t_ms=frame * 100, frame=frame, end_frame=frame + 4, data=data)


def test_events_are_paired_with_labels() -> None:
    seen = [event("throw", 21), event("throw", 38, "S5"), event("throw", 60, "S18"), event("takeout", 82)]
    found = judge_events("clip", LABEL, seen)
    assert (found.throws, found.found, found.extra, found.right) == (3, 3, 0, 2)
    assert (found.takeouts, found.takeouts_found) == (1, 1)
    assert (found.accepted, found.wrong_accepted) == (3, 1)


def test_a_throw_that_is_labelled_nowhere_is_extra_and_wrong() -> None:
    found = judge_events(
        "clip", LABEL, [event("throw", 20), event("throw", 90), event("throw", 94, review=("A",))]
    )
    assert (found.found, found.extra, found.right, found.accepted, found.wrong_accepted) == (1, 2, 1, 2, 1)
    assert found.takeouts_found == 0


def test_one_label_is_found_once() -> None:
    found = judge_events("clip", LABEL, [event("throw", 20), event("throw", 22)])
    assert (found.found, found.extra) == (1, 1)


def verdict(throw: str, camera: str, xy_mm: tuple[float, float] | None, *, asks: bool = False) -> Verdict:
    case = Case(group="g", name=f"{throw}{camera}", image=Path(camera), segments=("T20",), throw=throw)
    if xy_mm is None:
        return judge(case, Failure("NO_BOARD", "none"))
    x, y = (float(v) for v in BOARD.plane.to_px([xy_mm])[0])
    dart = Dart(tip_px=(x, y), plane_px=(x, y), cov_px=np.eye(2) * 0.3, axis_px=(0.0, -1.0), confidence=0.99)
    review = (Review(code="UNEXPLAINED_CHANGE"),) if asks else ()
    return judge(case, DartsReading(darts=(read_dart(dart, BOARD),), confidence=0.9, review=review, board=BOARD))


def test_cameras_are_put_together_by_throw() -> None:
    right, wrong = (10.0, 103.0), (60.0, -40.0)
    (found,) = put_together(
        [
            *(verdict("a", camera, xy) for camera, xy in (("0", right), ("1", wrong), ("2", right))),
            *(verdict("b", camera, xy) for camera, xy in (("0", wrong), ("1", wrong))),
            *(verdict("c", camera, xy) for camera, xy in (("0", None), ("1", right))),
            *(verdict("d", camera, None) for camera in "01"),
            verdict("e", "0", right),
        ]
    )
    assert (found.throws, found.found, found.right, found.accepted, found.wrong_accepted) == (4, 3, 2, 3, 1)
    assert "4 throws" in str(found)


def test_pictures_of_one_camera_are_no_throws() -> None:
    assert list(put_together([verdict("a", "0", (10.0, 103.0))])) == []


@pytest.mark.long
def test_the_command_replays_labelled_videos(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "clips").mkdir()
    write_frames(tmp_path / "clips/a.mp4", drawn(visit([(10.0, 103.0), (80.0, 20.0), (-60.0, -90.0)])), fps=10)
    label = {"video": "a.mp4", "throws": [10, 20, 30], "takeouts": [[40, 54]], "segments": ["T20", "S13", "S7"]}
    missing = label | {"video": "none.mp4"}
    (tmp_path / "labels.json").write_text(json.dumps({"clips": [label, missing]}), encoding="utf-8")
    ran = tallycam(capsys, "evaluate", "darts", "--data", str(tmp_path), "--group", "clips", "--json")
    assert ran.status == 0
    first, second = json.loads(ran.out)["throws"]
    assert (first["throws"], first["found"], first["extra"], first["right"]) == (3, 3, 0, 3)
    assert (first["takeouts"], first["takeouts_found"]) == (1, 1)
    assert second["code"] == "NO_FILE"
    plain = tallycam(capsys, "evaluate", "darts", "--data", str(tmp_path), "--group", "clips").out.splitlines()
    assert plain[0].startswith("clips/a.mp4 (video): 3 of 3 throws")
