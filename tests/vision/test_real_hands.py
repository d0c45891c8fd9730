"""Real hands over a real board, and the empty board: hands are seen as hands, and nothing is scored."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from engine import Scoresheet
from vision.changes import region_of
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.phases import PhaseMachine, Scene
from vision.replay import replay
from vision.scribe import sheet_of
from vision.setup import Setup, parse_setup

OUTLINE_PX: Final = [[112, 402], [535, 402], [530, 0], [112, 0]]
"""The board with its border, in both clips; what is nearer to the players is cut off by the picture."""

HAND_PX: Final = 55.0
"""Side of a square that a hand fills here; the pieces are 20 px wide."""

HANDS: Final = ((30, 58), (63, 83), (89, 106), (147, 182), (193, 206), (219, 261))
"""First and last frames of `scholarsmate` in which a hand or sleeve is over the board, marked by eye; the heads of
two people that bend over it before and after (frames 6 to 27 and 287 to 302) are not among them."""

SETUPS: Mapping[str, Mapping[str, Any]] = {
    "finn": {"board_px": OUTLINE_PX, "board_cm": [[0, 0], [117, 0], [117, 49], [0, 49]]},
    "astrolabe": {
        "board_px": OUTLINE_PX,
        "board_cm": [[0, 0], [60, 0], [60, 57], [0, 57]],
        "table_cm": [60, 57],
        "play_line_y": 6,
        "positions": [
            {"y": 20, "x0": 21, "pitch": 4.5, "slots": 5},
            {"y": 30, "x0": 21, "pitch": 4.5, "slots": 5},
        ],
        "ball_cm": 2.5,
        "gutters_cm": [],
        "colours": {"0": [[140, 100], [140, 300]], "1": [[500, 100], [500, 300]]},
    },
    "cricket": {
        "board_px": [[323, 0], [535, 201], [323, 402], [112, 201]],
        "board_mm": [[0, 170], [170, 0], [0, -170], [-170, 0]],
    },
}


def clip(shared_data: Path, name: str) -> FrameSource:
    source = open_frames(shared_data / "tabletop/board-clips" / f"{name}.avi")
    assert isinstance(source, FrameSource), source
    return source


def scenes(source: FrameSource) -> list[Scene]:
    machine, found = PhaseMachine(region_of((640, 480), OUTLINE_PX, HAND_PX)), []
    for frame in source:
        assert isinstance(frame, Frame)
        assert machine.stall(frame) is None
        assert machine.trusts(frame)
        found.append(machine.step(frame))
    found.append(machine.finish())
    return [scene for scene in found if scene is not None]


@pytest.mark.shared_data
def test_hands_over_a_board_are_seen_as_hands(shared_data: Path) -> None:
    seen = [
        range(scene.began[0], scene.end_frame)
        for scene in scenes(clip(shared_data, "scholarsmate"))
        if scene.hands
    ]
    marked = [frame for first, last in HANDS for frame in range(first, last + 1)]
    found = [frame for frame in marked if any(frame in span for span in seen)]
    assert len(found) >= 0.95 * len(marked)
    assert not any(frame in span for span in seen for frame in (*range(6), *range(310, 334)))


@pytest.mark.shared_data
def test_nothing_happens_on_an_empty_board(shared_data: Path) -> None:
    assert scenes(clip(shared_data, "emptyBoard001")) == []


@pytest.mark.shared_data
@pytest.mark.parametrize("game", SETUPS)
@pytest.mark.parametrize("name", ["scholarsmate", "emptyBoard001"])
def test_hands_that_play_something_else_score_nothing(shared_data: Path, name: str, game: str) -> None:
    setup = parse_setup({"game": game, "image_size": [640, 480], "lens": None, **SETUPS[game]})
    assert isinstance(setup, Setup), setup
    told = list(replay(clip(shared_data, name), setup))
    events = [event for event in told if isinstance(event, Event)]
    assert not {event.kind for event in events} & {"throw", "shot", "shot_revised", "bounce_out"}
    sheet = sheet_of(events, ("A", "B"), game=game)
    assert isinstance(sheet, Scoresheet)
    assert not sheet.entries
    refused = [one.code for one in told if isinstance(one, Failure)]
    assert refused in ([], ["HAND_IN_VIEW"])  # the white squares are no table of Astrolabe's
    assert events or refused or name == "emptyBoard001"
