"""Pairs that comparing leaves in doubt: the networks' answers are given here, what is made of them is tested."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from support.dart_scenes import Moment, frames, plane

from vision.darts.find import BoardFit
from vision.darts.learned import LearnedTip, Seen, Votes
from vision.darts.reading import LIMITS as READING
from vision.darts.reading import DartsReading, read_pair, reading_of
from vision.darts.tips import Comparison, compare_pair, second
from vision.darts.tips.dart import Dart
from vision.darts.tips.second import hidden_told, second_look
from vision.failure import Failure

Picture = NDArray[np.uint8]
Say = Callable[..., None]

BOARD = BoardFit(plane=plane())
FIRST, SECOND = (10.0, 103.0), (-40.0, -60.0)
FIRST_PX = BOARD.plane.to_px([FIRST])[0]


def pictures(*moments: Moment) -> list[Picture]:
    return [frame.bgr() for frame in frames(moments, noise=1.5)]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Have the networks see tips (x, y, chance) mm come between the two pictures, and darts `there` before."""

    def given(
        *tips: tuple[float, float, float], more: float = 0.0, there: tuple[float, float] | None = None
    ) -> None:
        seen = Seen(
            tips=[LearnedTip(xy_mm=np.array([x, y]), cov_mm=np.eye(2), chance=c) for x, y, c in tips],
            more=more,
            votes=Votes(xy_mm=np.zeros((0, 2)), weight=np.zeros(0)),
            eye_mm=np.array([0.0, 0.0, 700.0]),
        )
        monkeypatch.setattr(second, "find_tips", lambda *_, **__: seen)
        monkeypatch.setattr(second, "darts_at", lambda _, __, at, ___: np.hypot(*(at - (there or (999, 0))).T) < 8)

    return given


def looked(seen: Comparison, pair: list[Picture], known: Sequence[Dart] = ()) -> DartsReading:
    found = reading_of(second_look(seen, (pair[0], pair[1]), BOARD, known), BOARD)
    assert isinstance(found, DartsReading)
    return found


def codes(reading: DartsReading | Failure) -> list[str]:
    assert isinstance(reading, DartsReading)
    return [item.code for item in reading.review]


def one_dart(confidence: float) -> tuple[list[Picture], Comparison]:
    """A pair with a dart at `FIRST`, of which comparing is so sure."""
    pair = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    seen = compare_pair(pair[0], pair[1], BOARD)
    return pair, replace(seen, darts=(replace(seen.darts[0], confidence=confidence),))


def test_what_comparing_is_unsure_of_gives_way_to_a_new_tip_and_both_are_asked_about(say: Say) -> None:
    pair, unsure = one_dart(0.5)
    say((*SECOND, 0.9))
    reading = looked(unsure, pair)
    (dart,) = reading.darts
    assert np.allclose(dart.xy_mm, SECOND, atol=0.01)
    assert codes(reading) == ["MAYBE_NO_DART", "MAYBE_ANOTHER_DART"]
    assert reading.review[1].px == unsure.darts[0].tip_px
    assert dart.dart.axis_px[1] < -0.8, "flights stand above the tip for a camera that looks from below"


def test_what_both_see_lies_where_comparing_says_as_sure_as_the_surer(say: Say) -> None:
    pair, unsure = one_dart(0.5)
    say((FIRST[0] + 2, FIRST[1], 0.9), (80.0, 20.0, 0.3))
    (dart,) = second_look(unsure, (pair[0], pair[1]), BOARD).darts
    assert dart == replace(unsure.darts[0], confidence=0.9)


def test_a_dart_reaches_no_farther_than_the_networks_see_it(say: Say) -> None:
    pair, seen = one_dart(0.9)
    open_end = replace(seen, darts=(replace(seen.darts[0], others_px=(40.0, 0.0)),))
    assert "TIP_UNSURE" in codes(reading_of(open_end, BOARD))
    say((*FIRST, 0.9))
    (dart,) = second_look(open_end, (pair[0], pair[1]), BOARD).darts
    assert 0.0 < dart.others_px[0] < 15.0, "three standard deviations of a millimetre, and what the two differ by"
    assert dart.others_px[1] == 0.0


def test_a_change_that_no_dart_explains_asks_unless_the_networks_see_no_more_darts(say: Say) -> None:
    pair, seen = one_dart(0.99)
    strange = replace(seen, unexplained_share=2 * READING.strange_share)
    assert codes(reading_of(strange, BOARD)) == ["UNEXPLAINED_CHANGE"]
    say((*FIRST, 0.9))
    assert codes(looked(strange, pair)) == []
    say((*FIRST, 0.9), more=0.6)
    reading = looked(strange, pair)
    assert codes(reading) == ["MAYBE_ANOTHER_DART"]
    assert reading.confidence < 0.4


def test_what_lies_on_the_body_of_a_dart_is_no_other(say: Say) -> None:
    pair, sure = one_dart(0.9)
    dart = sure.darts[0]
    middle = np.add(dart.plane_px, 0.5 * dart.length_px * np.array(dart.axis_px))
    x, y = BOARD.plane.to_board(np.array([middle]))[0]
    say((x, y, 0.95))
    assert len(looked(sure, pair).darts) == 1
    say((x + 40.0, y, 0.95))
    assert len(looked(sure, pair).darts) == 2


def test_a_dart_that_may_go_on_behind_an_earlier_one_asks_where_it_ends(say: Say) -> None:
    pair, unsure = one_dart(0.8)
    x, y = BOARD.plane.to_board(np.array([np.subtract(FIRST_PX, 6 * np.array(unsure.darts[0].axis_px))]))[0]
    say((*FIRST, 0.95), there=(x, y))
    assert codes(reading_of(hidden_told(unsure, pair[0], BOARD), BOARD)) == ["TIP_HIDDEN", "MAYBE_NO_DART"]
    say((*FIRST, 0.95), there=(x - 30.0, y))
    assert hidden_told(unsure, pair[0], BOARD) == unsure


def test_a_dart_that_was_there_is_not_seen_to_come(say: Say) -> None:
    pair, unsure = one_dart(0.5)
    known = replace(unsure.darts[0], plane_px=tuple(BOARD.plane.to_px([SECOND])[0]))
    say((SECOND[0] + 1, SECOND[1], 0.9))
    (stays,) = looked(unsure, pair, [known]).darts
    assert stays.dart == unsure.darts[0], "nothing takes the place of what comparing saw"
    (other,) = looked(unsure, pair).darts
    assert np.allclose(other.xy_mm, (SECOND[0] + 1, SECOND[1]), atol=0.01)


def test_a_sure_dart_stays_though_the_networks_do_not_see_it(say: Say) -> None:
    pair, sure = one_dart(0.98)
    say((*SECOND, 0.9))
    darts = looked(sure, pair).darts
    assert [dart.dart for dart in darts if dart.dart in sure.darts] == list(sure.darts)
    assert len(darts) == 2


def test_a_tip_lies_where_the_board_has_moved_to(say: Say) -> None:
    pair = pictures(Moment(), Moment(darts_mm=(FIRST,), shift_px=(6.0, -4.0)))
    seen = replace(compare_pair(pair[0], pair[1], BOARD), darts=())
    say((*SECOND, 0.9))
    (dart,) = looked(seen, pair).darts
    assert np.allclose(np.subtract(dart.tip_px, dart.dart.plane_px), (6.0, -4.0), atol=0.5)
    assert np.allclose(dart.xy_mm, SECOND, atol=0.01)


def test_a_clear_pair_is_not_looked_at_again(say: Say) -> None:
    say((*SECOND, 0.9))
    empty, one = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    for after, darts in ((empty, 0), (one, 1)):
        reading = read_pair(empty, after, BOARD)
        assert isinstance(reading, DartsReading)
        assert len(reading.darts) == darts, "what the networks would say is not heard"
