"""Measuring: figures of known answers, labels of all kinds, and the command on a drawn folder."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from support.dart_scenes import Moment, frames, plane
from support.program import tallycam

from vision.darts.board import on_board
from vision.darts.find import BoardFit
from vision.darts.reading import DartsReading, Review, read_dart
from vision.darts.tips import Dart
from vision.evaluate.cases import Case, load_cases
from vision.evaluate.darts import Verdict, failures, judge, points_of, score
from vision.evaluate.pictures import contact_sheet, reliability, reliability_diagram
from vision.evaluate.report import json_table, text_table
from vision.failure import Failure

BOARD = BoardFit(plane=plane())


def dart_at(radius: float, degrees: float) -> Dart:
    x, y = (float(v) for v in BOARD.plane.to_px(on_board(radius, degrees))[0])
    return Dart(tip_px=(x, y), plane_px=(x, y), cov_px=np.eye(2) * 0.3, axis_px=(0.0, -1.0), confidence=0.99)


S20, T20, S1, T1 = (dart_at(radius, degrees) for degrees in (0, 18) for radius in (60, 103))


def answer(*darts: Dart, asks: bool = False, confidence: float = 0.9) -> DartsReading:
    return DartsReading(
        darts=tuple(read_dart(dart, BOARD) for dart in darts),
        confidence=confidence,
        review=(Review(code="TIP_UNSURE"),) if asks else (),
        board=BOARD,
    )


def case(*segments: str) -> Case:
    return Case(group="drawn", name="one.png", image=Path("one.png"), segments=segments)


@pytest.mark.parametrize(
    ("segment", "points"), [("S20", 20), ("D5", 10), ("T19", 57), ("SB", 25), ("DB", 50), ("MISS", 0)]
)
def test_points_are_those_of_the_dart(segment: str, points: int) -> None:
    assert points_of(segment) == points


@pytest.mark.parametrize(
    ("true", "read", "exact", "extra", "missed"),
    [
        (("S20",), (S20,), 1, 0, 0),
        (("S20",), (T20,), 0, 1, 1),
        (("S20", "S1"), (S1, S20), 2, 0, 0),
        (("S20", "S20"), (S20,), 1, 0, 1),
        (("S20",), (S20, S1), 1, 1, 0),
        ((), (), 0, 0, 0),
        ((), (S1,), 0, 1, 0),
    ],
)
def test_a_verdict_counts_each_dart_once(
    true: tuple[str, ...], read: tuple[Dart, ...], exact: int, extra: int, missed: int
) -> None:
    verdict = judge(case(*true), answer(*read))
    assert (verdict.exact, verdict.extra, verdict.missed) == (exact, extra, missed)
    assert verdict.right == (extra == missed == 0)


def test_tips_are_matched_one_to_one_within_reach() -> None:
    true = (S20.tip_px, (S20.tip_px[0] + 30, S20.tip_px[1]))
    verdict = judge(Case(group="g", name="n", image=Path("n"), tips_px=true), answer(S20))
    assert (verdict.found, verdict.extra, verdict.missed, verdict.right) == (1, 0, 1, False)
    assert verdict.errors_px == (0.0,)
    assert verdict.errors_mm == pytest.approx((0.0,), abs=1e-9)


def test_a_picture_that_was_not_read_misses_all_its_darts() -> None:
    verdict = judge(case("S20", "S1"), Failure("NO_BOARD", "none"))
    assert (verdict.exact, verdict.missed, verdict.right, verdict.accepted) == (0, 2, False, False)


def four_verdicts() -> list[Verdict]:
    return [
        judge(case("S20"), answer(S20)),
        judge(case("T20"), answer(S20)),
        judge(case("S1"), answer(S20, asks=True, confidence=0.4)),
        judge(case("S20"), Failure("NO_BOARD", "none")),
    ]


def test_the_score_of_known_answers() -> None:
    total = score(four_verdicts())
    assert (total.pictures, total.boards, total.darts) == (4, 3, 4)
    assert total.exact == 0.25
    assert total.all_right == 0.25
    assert total.pcs == 25.0
    assert total.mase == (0 + 40 + 19 + 20) / 4
    assert (total.precision, total.recall) == (1 / 3, 0.25)
    assert (total.accepted, total.accepted_right) == (0.5, 0.5)
    assert total.wrong_accepted == ("one.png",)


def test_equal_totals_of_other_segments_count_for_pcs_alone() -> None:
    total = score([judge(case("S20", "S1"), answer(S1, S20)), judge(case("T1"), answer(dart_at(60, 234)))])
    assert points_of("T1") == 3
    assert total.all_right == 0.5
    assert total.pcs == 50.0


def test_figures_without_labels_are_left_out() -> None:
    total = score([judge(Case(group="g", name="n", image=Path("n"), count=1), answer(S20))])
    assert (total.exact, total.pcs, total.mase, total.px_median, total.all_right) == (None, None, None, None, 1.0)
    assert " - " in text_table({"g": total})


def test_the_table_names_what_was_wrong_and_accepted() -> None:
    scores = {"drawn": score(four_verdicts())}
    text = text_table(scores)
    assert text.splitlines()[-1] == "wrong and accepted: drawn/one.png"
    assert json.loads(json.dumps(json_table(scores)))["drawn"]["mase"] == 19.75


def test_failures_come_with_the_worst_first() -> None:
    worst, *others = failures(four_verdicts())
    assert worst.accepted
    assert len(others) == 2


def test_reliability_holds_confidence_against_what_was_right() -> None:
    assert reliability(four_verdicts()) == [(0.4, 0.0, 1), (0.9, 0.5, 2)]
    assert reliability_diagram(four_verdicts()).shape[2] == 3
    assert contact_sheet([]).ndim == 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Labelled drawn pictures: a pair, a sequence of three, a count, and one without any truth."""
    shown = [Moment(), Moment(darts_mm=((10.0, 103.0),)), Moment(darts_mm=((10.0, 103.0), (80.0, 20.0)))]
    tips = [[list(p) for p in plane().to_px(moment.darts_mm)] if moment.darts_mm else [] for moment in shown]
    for group in ("pairs", "row", "counts"):
        (tmp_path / group).mkdir()
        for k, frame in enumerate(frames(shown)):
            cv2.imwrite(str(tmp_path / group / f"{k}.png"), frame.bgr())
    labels = {
        "pairs": [{"before": "0.png", "after": "1.png", "segments": ["T20"], "tips_px": tips[1]}],
        "row": [{"image": f"{k}.png", "order": k, "tips_px": tips[k]} for k in (2, 0, 1)],
        "counts": [{"image": "0.png", "count": 0}, {"image": "1.png"}],
        "clip": [{"video": "clip.avi", "segments": ["S20"]}],
    }
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    return tmp_path


def test_labels_become_cases(folder: Path) -> None:
    cases = load_cases(folder)
    assert isinstance(cases, tuple)
    assert [(c.group, c.name, c.darts) for c in cases] == [
        ("pairs", "1.png", 1),
        ("row", "1.png", 1),
        ("row", "2.png", 1),
        ("counts", "0.png", 0),
    ]
    assert cases[2].before == folder / "row" / "1.png"


def test_tips_on_a_calibrated_board_have_segments(tmp_path: Path) -> None:
    corners = plane().to_px(on_board(170.0, np.array([-9.0, 171.0, 261.0, 81.0]))).tolist()
    tips = plane().to_px(on_board(100.0, np.array([0.0, 18.0]))).tolist()
    rings = [8.6, 18.4, 95, 106, 159, 170]
    labels = {"toy": [{"image": "a.png", "calibration_px": corners, "tips_px": tips, "rings_mm": rings}]}
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    cases = load_cases(tmp_path)
    assert isinstance(cases, tuple)
    assert cases[0].segments == ("T20", "T1")


@pytest.mark.parametrize("text", ["", "[]", '{"a": [{"image": "x", "tips_px": 3}]}', '{"a": 1}'])
def test_labels_that_are_none_are_said(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "labels.json").write_text(text, encoding="utf-8")
    ran = tallycam(capsys, "evaluate", "darts", "--data", str(tmp_path))
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_the_command_prints_a_line_a_group_and_draws(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "report"
    args = ("evaluate", "darts", "--data", str(folder), "--group", "pairs", "--out", str(out))
    ran = tallycam(capsys, *args)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[1].startswith("pairs")
    assert {path.name for path in out.iterdir()} == {"table.json", "reliability.png", "failures.png"}
    assert json.loads((out / "table.json").read_text(encoding="utf-8"))["pairs"]["pictures"] == 1


def test_an_unknown_group_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "evaluate", "darts", "--data", str(folder), "--group", "others")
    assert ran.status == 2
    assert "pairs" in ran.err
