"""Several cameras: tips weighed on the board, the odd one outvoted, disagreement asked about."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from support.dart_scenes import Moment, frames, plane, setup

from vision.darts.find import BoardFit
from vision.darts.fusion import FusedReading, fuse
from vision.darts.reading import DartsReading, Review, read_dart
from vision.darts.tips import Dart
from vision.failure import Failure
from vision.reading import Reader
from vision.setup import format_setup

BOARD = BoardFit(plane=plane())
LOST = Failure("NO_PICTURE", "the camera is gone")


def dart(
    xy_mm: tuple[float, float], *, sd_px: float = 1.0, along_deg: float = 90.0, confidence: float = 0.97
) -> Dart:
    x, y = (float(v) for v in BOARD.plane.to_px([xy_mm])[0])
    along = np.array([np.cos(np.radians(along_deg)), np.sin(np.radians(along_deg))])
    cov = 0.25 * np.eye(2) + sd_px**2 * np.outer(along, along)
    axis = (float(along[0]), float(along[1]))
    return Dart(tip_px=(x, y), plane_px=(x, y), cov_px=cov, axis_px=axis, confidence=confidence)


def view(*darts: Dart, review: tuple[str, ...] = ()) -> DartsReading:
    whole = tuple(Review(code=code) for code in review)
    return DartsReading(
        darts=tuple(read_dart(one, BOARD) for one in darts), confidence=0.9, review=whole, board=BOARD
    )


def fused(*views: DartsReading | Failure) -> FusedReading:
    answer = fuse(views)
    assert isinstance(answer, FusedReading)
    return answer


def codes(answer: FusedReading) -> list[str]:
    return [item.code for item in answer.review]


def test_cameras_that_agree_are_surer_than_each_alone() -> None:
    alone = view(dart((10.0, 103.0), sd_px=3.0))
    answer = fused(alone, view(dart((10.6, 102.5), sd_px=3.0, along_deg=0.0)))
    assert [d.segment for d in answer.darts] == ["T20"]
    assert answer.review == ()
    assert np.linalg.det(answer.darts[0].cov_mm) < 0.3 * np.linalg.det(alone.darts[0].cov_mm)


def test_each_camera_has_its_say_across_the_dart_where_it_is_sure() -> None:
    one = dart((20.0, 60.0), sd_px=8.0, along_deg=0.0)
    other = dart((12.0, 66.0), sd_px=8.0, along_deg=90.0)
    place = np.array(fused(view(one), view(other)).darts[0].xy_mm)
    exact = np.array([12.0, 60.0])
    assert np.hypot(*(place - exact)) < 2.5
    assert np.hypot(*(place - (20.0, 60.0))) > 5.0


def test_the_odd_camera_is_outvoted() -> None:
    answer = fused(view(dart((10.0, 103.0))), view(dart((60.0, -40.0))), view(dart((10.5, 103.4))))
    assert [d.segment for d in answer.darts] == ["T20"]
    assert answer.darts[0].tips_px[1] is None
    assert answer.review == ()


def test_a_tip_that_is_off_by_more_than_it_says_is_left_out_of_the_mean() -> None:
    answer = fused(view(dart((10.0, 103.0))), view(dart((14.9, 103.0))), view(dart((10.2, 103.1))))
    assert answer.darts[0].tips_px[1] is None
    assert answer.darts[0].xy_mm == pytest.approx((10.1, 103.05), abs=0.2)


def test_two_cameras_that_disagree_ask_and_name_both_answers() -> None:
    answer = fused(view(dart((10.0, 103.0))), view(dart((60.0, -40.0), confidence=0.9)))
    assert codes(answer)[0] == "VIEWS_DISAGREE"
    assert len(answer.darts) == 1
    assert answer.darts[0].segment == "T20"
    assert "S10" in answer.darts[0].to_json()["alternatives"] or "S15" in answer.darts[0].to_json()["alternatives"]
    assert answer.darts[0].confidence < 0.6


def test_a_dart_that_one_of_two_cameras_sees_is_told_and_asked_about() -> None:
    answer = fused(view(dart((10.0, 103.0))), view())
    assert [d.segment for d in answer.darts] == ["T20"]
    assert codes(answer) == ["SEEN_BY_ONE"]


def test_what_one_camera_doubts_is_no_dart_but_asks() -> None:
    answer = fused(view(dart((10.0, 103.0), confidence=0.4)), view(), view())
    assert answer.darts == ()
    assert codes(answer) == ["MAYBE_ANOTHER_DART"]


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_one_camera_lost_the_answer_goes_on(lost: int) -> None:
    views: list[DartsReading | Failure] = [view(dart((10.0 + 0.2 * k, 103.0))) for k in range(3)]
    views[lost] = LOST
    answer = fused(*views)
    assert [d.segment for d in answer.darts] == ["T20"]
    assert answer.review == ()
    assert answer.to_json()["views"][lost] == {"error": "NO_PICTURE", "message": "the camera is gone"}


def test_one_camera_left_answers_as_it_would_alone() -> None:
    hidden = replace(dart((10.0, 103.0)), doubts=("TIP_HIDDEN",))
    answer = fused(LOST, view(hidden, review=("UNEXPLAINED_CHANGE",)))
    assert codes(answer) == ["TIP_HIDDEN", "UNEXPLAINED_CHANGE"]


def test_two_that_are_sure_answer_the_doubts_of_a_third() -> None:
    hidden = replace(dart((10.0, 103.0), sd_px=9.0), doubts=("TIP_HIDDEN",))
    third = view(hidden, review=("UNEXPLAINED_CHANGE",))
    answer = fused(view(dart((10.0, 103.0))), third, view(dart((10.3, 103.0))))
    assert answer.review == ()
    assert codes(fused(third, view(dart((10.3, 103.0))))) == ["TIP_HIDDEN", "UNEXPLAINED_CHANGE"]


def test_darts_of_one_picture_are_never_one() -> None:
    near = (dart((10.0, 103.0)), dart((12.0, 104.0)))
    answer = fused(view(*near), view(*near))
    assert len(answer.darts) == 2
    assert answer.review == ()


def test_no_camera_at_all_is_a_failure() -> None:
    assert fuse([LOST, LOST]) == LOST
    assert not fuse([])


def line(folder: Path, *names: str) -> str:
    place = format_setup(setup())
    return json.dumps(
        {"views": [{"setup": place, "image": f"{name}.png", "before": "before.png"} for name in names]}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pictures of one dart, another elsewhere, and the board before."""
    here = tmp_path_factory.mktemp("views")
    shown = {"before": (), "left": ((10.0, 103.0),), "right": ((10.0, 103.0),), "else": ((60.0, -90.0),)}
    pictures = frames([Moment(darts_mm=tips) for tips in shown.values()])
    for name, frame in zip(shown, pictures, strict=True):
        cv2.imwrite(str(here / f"{name}.png"), frame.bgr())
    return here


def test_a_line_of_views_is_read_as_one_throw(folder: Path) -> None:
    answer = Reader().read_line(line(folder, "left", "else", "right", "missing"), folder)
    assert [d["segment"] for d in answer["darts"]] == ["T20"]
    assert len(answer["actions"]) == 1
    assert answer["review"] == []
    assert answer["darts"][0]["tips_px"][1] is None
    assert answer["views"][3]["error"] == "NO_PICTURE"


def test_a_line_whose_views_all_fail_says_why(folder: Path) -> None:
    assert Reader().read_line(line(folder, "missing", "gone"), folder)["error"] == "NO_PICTURE"


@pytest.mark.parametrize(
    "task",
    [
        {"views": []},
        {"views": "left.png"},
        {"views": ["left.png"]},
        {"views": [{"image": "left.png"}]},
        {"views": [{"setup": "s.json", "image": "left.png", "state": {}}]},
        {"views": [{"setup": "s.json", "image": 3}]},
        {"views": [{"setup": "s.json", "image": "left.png", "views": []}]},
        {"views": [{"setup": "s.json", "image": "left.png"}], "image": "left.png"},
    ],
)
def test_a_line_of_views_with_a_fault_is_refused(task: object, folder: Path) -> None:
    assert Reader().read_line(json.dumps(task), folder)["error"] == "BAD_LINE"
