"""Pairs that comparing leaves in doubt: the networks' answers are given here, what is made of them is tested."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from support.dart_scenes import Moment, frames, plane

from vision.darts.find import BoardFit
from vision.darts.learned import LearnedTip, Seen
from vision.darts.reading import LIMITS, DartsReading, read_pair, reading_of
from vision.darts.tips import Comparison, compare_pair, second
from vision.darts.tips.second import second_look

Picture = NDArray[np.uint8]
Say = Callable[..., None]

BOARD = BoardFit(plane=plane())
FIRST, SECOND = (10.0, 103.0), (-40.0, -60.0)


def pictures(*moments: Moment) -> list[Picture]:
    return [frame.bgr() for frame in frames(moments, noise=1.5)]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Have the networks see tips (x, y, chance) mm in the picture before, which is looked at first, and after."""

    def given(*seen: Sequence[tuple[float, float, float]]) -> None:
        answers = iter(
            [
                Seen(
                    tips=[LearnedTip(xy_mm=np.array([x, y]), cov_mm=np.eye(2), chance=c) for x, y, c in tips],
                    eye_mm=np.array([0.0, 0.0, 700.0]),
                )
                for tips in seen
            ]
        )
        monkeypatch.setattr(second, "find_tips", lambda *_: next(answers))

    return given


def looked(seen: Comparison, pair: list[Picture]) -> DartsReading:
    found = reading_of(second_look(seen, (pair[0], pair[1]), BOARD, (), LIMITS.sure_dart), BOARD)
    assert isinstance(found, DartsReading)
    return found


def test_what_comparing_is_unsure_of_gives_way_to_a_new_tip_that_asks(say: Say) -> None:
    pair = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    seen = compare_pair(pair[0], pair[1], BOARD)
    unsure = replace(seen, darts=(replace(seen.darts[0], confidence=0.5),))
    say([], [(*SECOND, 0.9)])
    reading = looked(unsure, pair)
    (dart,) = reading.darts
    assert np.allclose(dart.xy_mm, SECOND, atol=0.01)
    assert [item.code for item in reading.review] == ["MAYBE_NO_DART"]
    assert dart.dart.axis_px[1] < -0.8, "flights stand above the tip for a camera that looks from below"


def test_what_was_there_before_or_is_not_likely_is_no_new_dart(say: Say) -> None:
    pair = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    seen = compare_pair(pair[0], pair[1], BOARD)
    unsure = replace(seen, darts=(replace(seen.darts[0], confidence=0.5),))
    say([(*SECOND, 0.2)], [(SECOND[0] + 5, SECOND[1], 0.9), (80.0, 20.0, 0.4)])
    assert second_look(unsure, (pair[0], pair[1]), BOARD, (), LIMITS.sure_dart) is unsure
    known = replace(seen.darts[0], tip_px=tuple(BOARD.plane.to_px([SECOND])[0]))
    say([], [(*SECOND, 0.9)])
    assert second_look(unsure, (pair[0], pair[1]), BOARD, [known], LIMITS.sure_dart) is unsure


def test_a_sure_dart_stays_and_is_not_found_twice(say: Say) -> None:
    pair = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    seen = compare_pair(pair[0], pair[1], BOARD)
    say([], [(FIRST[0] + 3, FIRST[1], 0.99), (*SECOND, 0.9)])
    darts = looked(seen, pair).darts
    assert [dart.dart for dart in darts if dart.dart in seen.darts] == list(seen.darts)
    assert len(darts) == 2


def test_a_tip_lies_where_the_board_has_moved_to(say: Say) -> None:
    pair = pictures(Moment(), Moment(darts_mm=(FIRST,), shift_px=(6.0, -4.0)))
    seen = replace(compare_pair(pair[0], pair[1], BOARD), darts=())
    say([], [(*SECOND, 0.9)])
    (dart,) = looked(seen, pair).darts
    assert np.allclose(np.subtract(dart.tip_px, dart.dart.plane_px), (6.0, -4.0), atol=0.5)
    assert np.allclose(dart.xy_mm, SECOND, atol=0.01)


def test_a_clear_pair_is_not_looked_at_again(say: Say) -> None:
    say()  # whoever asks gets no answer
    empty, one = pictures(Moment(), Moment(darts_mm=(FIRST,)))
    for after in (empty, one):
        assert isinstance(read_pair(empty, after, BOARD), DartsReading)
