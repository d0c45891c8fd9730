"""What is accepted without a look: no thing that is no dart, and no end that the picture does not settle."""

import json
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from support.boards import draw_board, view
from support.no_darts import OUTLINES_MM, lay, shade

from vision.darts.board import on_board
from vision.darts.find import BoardFit
from vision.darts.reading import DartsReading, read_dart, read_darts, reading_of
from vision.darts.tips import Dart, compare_pair
from vision.darts.tips.hidden import is_hidden
from vision.events import Event
from vision.failure import Failure
from vision.frames import FrameSource, open_frames
from vision.geometry import PlaneMap
from vision.replay import replay
from vision.setup import Setup

Picture = NDArray[np.uint8]

SIZE = (640, 480)
VIEWS = {above: view(above=above, turned=20.0) for above in (90, 60)}
PLACES = ((60.0, 40.0, 0.6), (130.0, 200.0, 2.4), (103.0, 310.0, 5.0))
COLOURS = ((230, 235, 235), (40, 90, 160), (20, 20, 20))


@cache
def drawn(above: int, seed: int) -> Picture:
    """Draw an empty board, once somebody needs it: collecting tests draws nothing."""
    return draw_board(VIEWS[above], seed=seed, noise=2.0)


def accepted(above: int, after: Picture) -> list[str]:
    """Name the darts that would be scored without a look."""
    board = BoardFit(plane=VIEWS[above])
    answer = reading_of(compare_pair(drawn(above, 1), after, board), board)
    if isinstance(answer, Failure) or answer.review:
        return []
    return [dart.segment for dart in answer.darts]


@pytest.mark.parametrize("above", list(VIEWS))
@pytest.mark.parametrize("thing", list(OUTLINES_MM))
@pytest.mark.long
def test_what_is_no_dart_is_never_accepted_as_one(thing: str, above: int) -> None:
    plane = VIEWS[above]
    for (radius, degrees, turn), colour in zip(PLACES, COLOURS, strict=True):
        x, y = plane.to_px(on_board(radius, degrees))[0]
        assert accepted(above, lay(drawn(above, 2), OUTLINES_MM[thing], (x, y), turn, 1.1, colour)) == []


@pytest.mark.parametrize("thing", ["bar", "broad bar", "finger", "straw"])
def test_a_shadow_is_never_accepted_as_a_dart(thing: str) -> None:
    for radius, degrees, turn in PLACES:
        x, y = VIEWS[60].to_px(on_board(radius, degrees))[0]
        assert accepted(60, shade(drawn(60, 2), OUTLINES_MM[thing], (x, y), turn, 1.1)) == []


def ending(px: tuple[float, float], others_px: tuple[float, float]) -> Dart:
    return Dart(
        tip_px=px,
        plane_px=px,
        cov_px=np.eye(2) * 0.5,
        axis_px=(0.0, -1.0),
        confidence=0.99,
        others_px=others_px,
    )


@pytest.mark.parametrize(
    ("others_px", "segment_is_sure"),
    [((0.0, 0.0), True), ((8.0, 0.0), True), ((0.0, 8.0), True), ((40.0, 0.0), False), ((0.0, 80.0), False)],
)
def test_other_ends_of_a_dart_count_where_they_lie_in_other_segments(
    others_px: tuple[float, float], segment_is_sure: bool
) -> None:
    plane = view()
    board = BoardFit(plane=plane)
    x, y = (float(value) for value in plane.to_px(on_board(75.0, 0.0))[0])
    dart = read_dart(ending((x, y), others_px), board)
    assert dart.segment == "S20"
    assert sum(dart.probabilities.values()) == pytest.approx(1.0, abs=0.01)
    assert (dart.probabilities["S20"] > 0.95) == segment_is_sure


def covered(plane: PlaneMap, picture: Picture) -> Picture:
    """Put something in the middle of a bed, as wide as a flight."""
    x, y = (round(value) for value in plane.to_px(on_board(135.0, 90.0))[0])
    hidden = picture.copy()
    cv2.circle(hidden, (x, y), 17, (200, 60, 200), -1, cv2.LINE_AA)
    return hidden


@pytest.mark.parametrize("light", [0.7, 1.0])
def test_a_point_behind_an_earlier_flight_is_hidden(light: float) -> None:
    plane = view()
    picture = np.asarray(draw_board(plane, noise=2.0) * light, np.uint8)
    tip = plane.to_px(on_board(135.0, 90.0))[0] + np.array([0.0, -12.0])
    along = np.array([0.0, -1.0])
    assert is_hidden(covered(plane, picture), plane, tip, along)
    assert not is_hidden(picture, plane, tip, along)


@pytest.mark.shared_data
def test_real_pairs_are_read_and_none_is_wrong_unseen(shared_data: Path) -> None:
    labels = json.loads((shared_data / "darts/labels.json").read_text(encoding="utf-8"))["ring-cameras"]
    right = seen = 0
    for label in labels:
        before, after = (
            np.asarray(cv2.imread(str(shared_data / "darts/ring-cameras" / label[name])), np.uint8)
            for name in ("before", "after")
        )
        answer = read_darts(Setup(game="cricket", image_size=(800, 600)), after, before)
        assert isinstance(answer, DartsReading)
        same = [dart.segment for dart in answer.darts] == label["segments"]
        assert same or answer.review, label["after"]
        right += same
        seen += not answer.review
    assert right >= 29
    assert seen >= 0.85 * len(labels)


@pytest.mark.shared_data
def test_a_real_recording_is_read_and_none_is_wrong_unseen(shared_data: Path) -> None:
    (label,) = json.loads((shared_data / "darts/labels.json").read_text(encoding="utf-8"))["video-lightbox"]
    source = open_frames(shared_data / "darts/video-lightbox" / label["video"])
    assert isinstance(source, FrameSource)
    events = [
        event
        for event in replay(source, Setup(game="cricket", image_size=source.size))
        if isinstance(event, Event)
    ]
    throws = [event.data for event in events if event.kind == "throw"]
    assert len(throws) == 9
    assert len([event for event in events if event.kind == "takeout"]) == 3
    allowed = [label["on_a_wire"].get(str(n), [segment]) for n, segment in enumerate(label["segments"])]
    right = [throw["segment"] in names for throw, names in zip(throws, allowed, strict=True)]
    assert sum(right) >= 8
    assert all(same or throw["review"] for same, throw in zip(right, throws, strict=True))
