"""Readings: segments, chances, what asks for a look, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from support.dart_scenes import Moment, draw, frames, plane, setup

from vision.darts.board import on_board
from vision.darts.find import BoardFit
from vision.darts.reading import DartsReading, read_darts, reading_of
from vision.darts.tips import Comparison, Dart
from vision.failure import Failure

Picture = NDArray[np.uint8]

BOARD = BoardFit(plane=plane())


def pictures(*moments: Moment) -> list[Picture]:
    return [frame.bgr() for frame in frames(moments)]


def dart_at(radius: float, degrees: float, sd_px: float = 0.7, confidence: float = 0.99) -> Dart:
    x, y = (float(v) for v in BOARD.plane.to_px(on_board(radius, degrees))[0])
    return Dart(
        tip_px=(x, y), plane_px=(x, y), cov_px=np.eye(2) * sd_px**2, axis_px=(0.0, -1.0), confidence=confidence
    )


def reading(*darts: Dart, changed: float = 0.01, unexplained: float = 0.0) -> DartsReading:
    seen = Comparison(darts=darts, changed_share=changed, unexplained_share=unexplained, movement=np.eye(2, 3))
    answer = reading_of(seen, BOARD)
    assert isinstance(answer, DartsReading)
    return answer


def nothing_read(largest_mm2: float, *, followed: bool = True) -> DartsReading:
    seen = Comparison(
        darts=(),
        changed_share=0.0,
        unexplained_share=0.0,
        movement=np.eye(2, 3),
        largest_mm2=largest_mm2,
        followed=followed,
    )
    answer = reading_of(seen, BOARD)
    assert isinstance(answer, DartsReading)
    return answer


def codes(answer: DartsReading) -> list[str]:
    return [item.code for item in answer.review]


@pytest.mark.parametrize(("largest_mm2", "asks"), [(0.0, []), (9.0, []), (15.0, ["UNEXPLAINED_CHANGE"])])
def test_no_dart_is_accepted_only_where_nothing_as_large_as_a_part_of_one_came(
    largest_mm2: float, asks: list[str]
) -> None:
    assert codes(nothing_read(largest_mm2)) == asks


def test_no_dart_on_no_board_asks() -> None:
    assert codes(nothing_read(0.0, followed=False)) == ["BOARD_NOT_SEEN"]


@pytest.mark.parametrize(
    ("radius", "degrees", "segment"),
    [(50, 0, "S20"), (103, 18, "T1"), (166, 90, "D6"), (0, 0, "DB"), (11, 45, "SB"), (195, 180, "MISS")],
)
def test_a_sure_dart_is_named_and_accepted(radius: float, degrees: float, segment: str) -> None:
    answer = reading(dart_at(radius, degrees))
    assert [dart.segment for dart in answer.darts] == [segment]
    assert answer.review == ()
    assert 0.9 < answer.confidence <= 1


def test_a_tip_on_a_wire_names_both_neighbours_and_asks() -> None:
    answer = reading(dart_at(60, 9.05))
    (dart,) = answer.darts
    assert {dart.segment, *dart.to_json()["alternatives"]} >= {"S20", "S1"}
    assert codes(answer) == ["ON_A_WIRE"]
    assert answer.confidence < 0.7


def test_alternatives_are_ranked_by_their_chance() -> None:
    (dart,) = reading(dart_at(105.5, 7.5, sd_px=3.0)).darts
    chances = list(dart.probabilities.values())
    assert chances == sorted(chances, reverse=True)
    assert dart.to_json()["alternatives"][0] == list(dart.probabilities)[1]
    assert sum(chances) == pytest.approx(1)


def test_a_vague_tip_asks() -> None:
    assert codes(reading(dart_at(60, 0, sd_px=9.0))) == ["TIP_UNSURE"]


def test_a_doubtful_dart_asks() -> None:
    answer = reading(dart_at(60, 0, confidence=0.5))
    assert codes(answer) == ["MAYBE_NO_DART"]
    assert answer.confidence < 0.51


def test_the_doubts_of_a_dart_are_passed_on() -> None:
    answer = reading(dart_at(60, 0), replace(dart_at(60, 90), doubts=("TIP_HIDDEN",)))
    assert [(item.code, item.dart) for item in answer.review] == [("TIP_HIDDEN", 1)]


@pytest.mark.parametrize("darts", [(), (dart_at(60, 0),)])
def test_change_that_no_dart_explains_asks(darts: tuple[Dart, ...]) -> None:
    assert codes(reading(*darts, unexplained=0.01)) == ["UNEXPLAINED_CHANGE"]


def test_a_board_that_may_be_turned_asks() -> None:
    seen = Comparison(darts=(dart_at(60, 0),), changed_share=0.01, unexplained_share=0.0, movement=np.eye(2, 3))
    answer = reading_of(seen, replace(BOARD, orientation_confidence=0.6))
    assert isinstance(answer, DartsReading)
    assert codes(answer) == ["BOARD_TURNED"]
    assert answer.confidence < 0.61


def test_a_vague_board_makes_every_dart_vague() -> None:
    seen = Comparison(darts=(dart_at(90, 0),), changed_share=0.01, unexplained_share=0.0, movement=np.eye(2, 3))
    answer = reading_of(seen, replace(BOARD, residual_mm=8.0))
    assert isinstance(answer, DartsReading)
    assert codes(answer) == ["TIP_UNSURE"]


def test_too_much_change_is_a_hand() -> None:
    answer = reading_of(
        Comparison(darts=(), changed_share=0.4, unexplained_share=0.4, movement=np.eye(2, 3)), BOARD
    )
    assert isinstance(answer, Failure)
    assert answer.code == "HAND_IN_VIEW"


@pytest.mark.parametrize("darts", [(), ((10.0, 103.0),)])
def test_a_hand_before_the_board_is_said(darts: tuple[tuple[float, float], ...]) -> None:
    before, after = pictures(Moment(), Moment(darts_mm=darts, hand_px=(320.0, 200.0)))
    answer = read_darts(setup(), after, before)
    assert isinstance(answer, Failure)
    assert answer.code == "HAND_IN_VIEW"


def test_a_pair_is_read_and_printed_as_the_contract_has_it() -> None:
    before, after = pictures(Moment(), Moment(darts_mm=((10.0, 103.0), (80.0, 20.0))))
    answer = read_darts(setup(), after, before)
    assert isinstance(answer, DartsReading)
    printed = answer.to_json()
    assert sorted(dart["segment"] for dart in printed["darts"]) == ["S13", "T20"]
    assert [action["segment"] for action in printed["actions"]] == [dart["segment"] for dart in printed["darts"]]
    assert set(printed["darts"][0]) == {"segment", "xy_mm", "tip_px", "confidence", "alternatives"}
    assert printed["review"] == []


def test_nothing_new_is_no_dart_and_no_question() -> None:
    before, after = pictures(Moment(darts_mm=((10.0, 103.0),)), Moment(darts_mm=((10.0, 103.0),)))
    answer = read_darts(setup(), after, before)
    assert isinstance(answer, DartsReading)
    assert (answer.darts, answer.review) == ((), ())


def test_a_single_picture_is_never_accepted_unseen() -> None:
    (picture,) = pictures(Moment(darts_mm=((-40.0, -60.0),)))
    answer = read_darts(setup(), picture)
    assert isinstance(answer, DartsReading)
    assert "NO_BEFORE" in codes(answer)
    assert answer.confidence <= 0.6


def test_pictures_of_two_sizes_are_no_pair() -> None:
    answer = read_darts(setup(), draw(Moment()), draw(Moment())[:-2])
    assert isinstance(answer, Failure)
    assert answer.code == "OTHER_SIZE"


def test_a_single_picture_is_not_compared_with_one_from_before() -> None:
    seen = Comparison(darts=(), changed_share=0.3, unexplained_share=0.3, movement=np.eye(2, 3))
    answer = reading_of(seen, BOARD, single=True)
    assert isinstance(answer, DartsReading)
    assert codes(answer) == ["NO_BEFORE"]
