"""Colours of balls: what light does to them, which ones are too near."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from vision.astrolabe.colours import Taught, apart, core_bgr, shade_of, strangeness, teach, too_near
from vision.astrolabe.light import carried, curves_between
from vision.evaluate.astrolabe import measure

RED, CRIMSON, BROWN, PINK = (10, 8, 225), (37, 7, 222), (30, 42, 210), (165, 152, 253)
BLUE, GREEN, YELLOW, WHITE, BLACK = (200, 120, 5), (131, 123, 12), (25, 216, 254), (240, 254, 254), (31, 22, 50)
APART = [(RED, BLUE), (BLUE, GREEN), (YELLOW, BROWN), (WHITE, BLACK), (PINK, WHITE), (RED, BLACK), (PINK, BLUE)]


def taught(*bgr: ArrayLike) -> Taught:
    return teach([shade_of(colour) for colour in bgr])


@pytest.mark.parametrize(("one", "other"), APART)
def test_colours_of_other_hue_or_brightness_are_told_apart(one: ArrayLike, other: ArrayLike) -> None:
    assert not too_near(taught(one), taught(other))
    assert apart(taught(one), taught(other)) > 1.5


@pytest.mark.parametrize(
    ("one", "other"), [(RED, BROWN), (RED, PINK), (BROWN, PINK), (RED, CRIMSON), (BLUE, BLUE)]
)
def test_colours_of_one_hue_are_refused(one: ArrayLike, other: ArrayLike) -> None:
    assert too_near(taught(one), taught(other))


@pytest.mark.parametrize(("one", "other"), APART)
@pytest.mark.parametrize(
    ("gain", "veil"),
    [(0.6, 0.0), (1.25, 0.0), (0.8, 25.0), (1.0, 15.0)],
    ids=["darker", "brighter", "darker and veiled", "veiled"],
)
def test_a_ball_stays_its_sides_in_other_light(one: ArrayLike, other: ArrayLike, gain: float, veil: float) -> None:
    sides = taught(one), taught(other)
    for mine, colour in enumerate((one, other)):
        seen = shade_of(np.clip(np.array(colour) * gain + veil, 0, 255))
        assert strangeness(seen, sides[mine]) < strangeness(seen, sides[1 - mine])


def test_a_highlight_is_not_the_colour_of_a_ball() -> None:
    pixels = np.concatenate([np.full((70, 3), (200, 120, 5)), np.full((30, 3), (255, 255, 255))])
    assert core_bgr(pixels) == pytest.approx((200, 120, 5))


def test_more_balls_teach_a_wider_colour() -> None:
    narrow, wide = taught(PINK), taught(PINK, (110, 80, 252), (185, 196, 254))
    odd = shade_of((120, 90, 250))
    assert strangeness(odd, wide) < strangeness(odd, narrow)


def test_the_table_tells_what_the_light_did() -> None:
    rng = np.random.default_rng(3)
    then = rng.integers(0, 220, (120, 60, 3)).astype(np.uint8)
    now = np.clip(then * np.array([0.7, 0.9, 1.1]) + rng.normal(0, 2, then.shape), 0, 255).astype(np.uint8)
    curves = curves_between(now, then)
    assert carried([[100.0, 100.0, 100.0]], curves)[0] == pytest.approx((70, 90, 110), abs=3)
    assert curves_between(then, then) is None
    assert carried((10.0, 20.0, 30.0), None) == pytest.approx((10, 20, 30))


@pytest.mark.shared_data
def test_real_balls_are_told_in_another_light(shared_data: Path) -> None:
    figures = measure(shared_data / "tabletop" / "ball-crops")
    assert isinstance(figures, dict)
    assert len(figures["colours"]) == 2
    for score in figures["colours"]:
        assert score["right"] >= 0.96 * score["balls"]
        assert score["pairs_wrong"] == {}
        assert set(score["refused"]) == {"BROWN/PINK", "BROWN/RED", "PINK/RED"}
