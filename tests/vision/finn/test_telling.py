"""When a pin that was seen is asked about: how surely it lies flat, and on which side of a border."""

from dataclasses import replace

import numpy as np
import pytest
from support.finn_scenes import PIN

from vision.finn.bodies import Found
from vision.finn.pins import lying
from vision.finn.telling import LIMITS, as_placed, flat_chance, is_another
from vision.setup import FinnTable


def _lies(x_cm: float = 60.0, *, saw: float = 0.98, score: float = 1.6, share: float = 1.0) -> Found:
    others = (1 - saw) / 3
    return Found(
        kind="lying",
        axis=lying((x_cm, 20.0), 0.3, PIN),
        chances=np.array([0.0, 1.0, 0.0, 0.0]),
        pixels=200.0,
        share=share,
        spread_px=1.0,
        score=score,
        saw=np.array([others, saw, others, others]),
    )


@pytest.mark.parametrize(
    ("saw", "score", "share", "sure"),
    [
        (0.98, 1.6, 1.0, True),
        (0.90, 2.0, 0.9, True),
        (0.60, 1.4, 0.9, False),
        (0.95, 0.1, 0.5, False),
        (0.80, 1.4, 0.4, False),
    ],
)
def test_a_pin_lies_for_sure_where_network_and_picture_say_so(
    saw: float, score: float, share: float, sure: bool
) -> None:
    chance = flat_chance(_lies(saw=saw, score=score, share=share))
    assert chance is not None
    assert (chance >= LIMITS.sure_flat) == sure


def test_what_the_network_did_not_see_has_no_such_chance() -> None:
    assert flat_chance(replace(_lies(), saw=None)) is None


def test_fb_24_a_pin_that_may_be_on_either_side_of_the_first_line_asks() -> None:
    beyond = replace(_lies(25.5), ways=(("lying", lying((24.5, 20.0), 0.3, PIN)),))
    rest = as_placed(beyond, PIN, FinnTable())
    assert (rest.state, rest.other) == ("fallen", "line")
    assert rest.confidence < LIMITS.sure_place
    assert as_placed(_lies(25.9), PIN, FinnTable()).confidence > LIMITS.sure_place


@pytest.mark.parametrize(
    ("y_cm", "azimuth", "saw", "state"),
    [
        (44.0, np.pi / 2, 0.98, "fallen"),  # its end is a centimetre short of the rail
        (46.5, np.pi / 2, 0.98, "leaning"),  # its end would be in the rail
        (45.6, np.pi / 3, 0.98, "fallen"),  # a corner of it touches the rail
        (45.6, np.pi / 3, 0.05, "leaning"),  # so it does, and the network saw it lean
        (47.3, 0.0, 0.98, "fallen"),  # along the rail
        (50.5, 0.0, 0.98, "leaning"),  # along the rail, on it
        (54.5, 0.0, 0.98, "off_board"),  # beside it
    ],
)
def test_fb_22_a_pin_that_would_reach_through_a_rail_leans_on_it(
    y_cm: float, azimuth: float, saw: float, state: str
) -> None:
    body = replace(_lies(), axis=lying((60.0, y_cm), azimuth, PIN))
    body = replace(body, saw=np.array([0.01, saw, 0.98 - saw, 0.01]))
    assert as_placed(body, PIN, FinnTable()).state == state


def test_a_head_that_shows_another_number_for_sure_asks() -> None:
    shown = np.full(12, 0.01)
    shown[9] = 0.89
    assert is_another(shown, "1")
    assert not is_another(shown, "10")
    shown[[5, 8]], shown[9] = 0.45, 0.01  # a 6 or a 9
    assert not is_another(shown, "9")
    assert not is_another(shown, "1")
