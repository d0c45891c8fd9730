"""Whether a picture is good enough to play by: each check on bundled pictures, and on the same made worse."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from support.boards_service import sample_clip, sample_setup

from service.boards.health import Check, blur_effect, checks, frame_rate
from vision.failure import Failure
from vision.frames import Frame, open_frames
from vision.setup import Game, Setup, parse_setup

Picture = NDArray[np.uint8]
GAMES: tuple[Game, ...] = ("cricket", "finn", "astrolabe")


def first(game: Game) -> Picture:
    """Give the first picture of a bundled recording."""
    frames = open_frames(sample_clip(game))
    assert not isinstance(frames, Failure)
    frame = next(iter(frames))
    assert isinstance(frame, Frame)
    return frame.bgr()


def setup_of(game: Game) -> Setup:
    """Give its setup."""
    setup = parse_setup(sample_setup(game))
    assert isinstance(setup, Setup)
    return setup


def found(bgr: Picture, game: Game, setup: Setup | None) -> dict[str, Check]:
    """Give the checks by name."""
    return {one.name: one for one in checks(bgr, game, setup)}


@pytest.mark.parametrize("game", GAMES)
def test_bundled_recordings_are_good_to_play_by(game: Game) -> None:
    all_of = found(first(game), game, setup_of(game))
    assert list(all_of) == ["light", "glare", "focus", "size", "view", "fit"]
    assert {one.level for one in all_of.values()} == {"good"}
    assert not any(one.do for one in all_of.values())
    assert 0.3 < all_of["fit"].value < 2.5, "millimetres"


def test_without_a_setup_only_what_needs_none_is_said() -> None:
    assert list(found(first("finn"), "finn", None)) == ["light", "glare", "focus"]


def darker(bgr: Picture) -> Picture:
    return (bgr * 0.12).astype(np.uint8)


def blinded(bgr: Picture) -> Picture:
    return np.clip(bgr.astype(np.int32) * 3, 0, 255).astype(np.uint8)


def blurred(bgr: Picture) -> Picture:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 5), dtype=np.uint8)


def smaller(bgr: Picture) -> Picture:
    return np.asarray(cv2.resize(bgr, (640, 360), interpolation=cv2.INTER_AREA), dtype=np.uint8)


WORSE: list[tuple[str, Callable[[Picture], Picture]]] = [
    ("light", darker),
    ("glare", blinded),
    ("focus", blurred),
    ("size", smaller),
]


@pytest.mark.parametrize("game", GAMES[1:])
@pytest.mark.parametrize(("name", "worse"), WORSE, ids=[name for name, _ in WORSE])
def test_a_worse_picture_is_told_with_what_to_do(
    game: Game, name: str, worse: Callable[[Picture], Picture]
) -> None:
    check = found(worse(first(game)), game, setup_of(game))[name]
    assert check.level == "bad"
    assert check.do.endswith(".")


def test_a_board_that_reaches_out_of_the_picture_is_told() -> None:
    bgr = first("finn")
    moved = np.roll(bgr, 300, axis=1)
    value = sample_setup("finn")
    value["board_px"] = [[x + 300, y] for x, y in value["board_px"]]
    value["lens"] = None
    setup = parse_setup(value)
    assert isinstance(setup, Setup)
    view = found(moved, "finn", setup)["view"]
    assert (view.level, view.value < 90) == ("bad", True)


@pytest.mark.parametrize(("fps", "level"), [(30.0, "good"), (15.0, "fair"), (8.0, "bad")])
def test_few_pictures_a_second_are_told(fps: float, level: str) -> None:
    assert frame_rate(fps).level == level


def test_the_blur_effect_grows_with_the_blur() -> None:
    luma = np.asarray(cv2.cvtColor(first("cricket"), cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    rising = [blur_effect(np.asarray(cv2.GaussianBlur(luma, (0, 0), s), dtype=np.uint8)) for s in (1, 2, 4, 8)]
    assert rising == sorted(rising)
    assert blur_effect(np.zeros((50, 50), np.uint8)) == 1.0
