"""Bodies from what each pixel says: where they are in space, and who belongs together."""

import math

import cv2
import numpy as np
import pytest
from support.finn_scenes import DISC, PIN, scene_camera, scene_setup

from vision.finn.bird import SIZE, bird_of, known_pins, to_cm, to_px
from vision.finn.bodies import DISC as DISC_KIND
from vision.finn.bodies import LEANING, LIMITS, LYING, UPRIGHT, Found, bird_outline_of, bodies, placed
from vision.finn.maps import KINDS, Maps
from vision.finn.pins import Axis, Body, lying, standing

BIRD = bird_of(scene_camera(scene_setup()))
LEANS = Axis(x_cm=70.0, y_cm=3.0, z_cm=3.4, azimuth=-1.2, tilt=math.radians(70))


def _seen(axis: Axis, body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Middle and doubled axis as they are seen."""
    half = body.height_cm / 2 * axis.along
    low = LIMITS.cut * body.radius_cm * axis.along if body is PIN and axis.tilt == 0 else np.zeros(3)
    foot, head = BIRD.shadow(np.stack([axis.middle - half, axis.middle + half - low]))
    x, y = head - foot
    double = np.array([x * x - y * y, 2 * x * y]) / max(math.hypot(x, y), 1e-9)
    return (foot + head) / 2, double


def _maps(those: list[tuple[int, Axis, Body]]) -> Maps:
    """What a network that is always right would say; later bodies hide earlier ones."""
    chances = np.zeros((5, SIZE[1], SIZE[0]), np.float32)
    chances[0] = 1
    middles, doubles = np.zeros((2, SIZE[1], SIZE[0]), np.float32), np.zeros((2, SIZE[1], SIZE[0]), np.float32)
    ys, xs = np.mgrid[: SIZE[1], : SIZE[0]]
    for kind, axis, body in those:
        mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round(bird_outline_of(axis, body, BIRD)).astype(np.int32), (1,))
        middle, double = _seen(axis, body)
        mine = mask > 0
        chances[:, mine] = 0
        chances[kind, mine] = 1
        middles[:, mine] = np.stack([middle[0] - xs, middle[1] - ys])[:, mine]
        doubles[:, mine] = double[:, None]
    return Maps(chances=chances, middle_px=middles, double_px=doubles)


def _found(those: list[tuple[int, Axis, Body]]) -> list[Found]:
    return bodies(_maps(those), BIRD, PIN, DISC)[0]


def test_a_place_of_the_board_goes_to_its_pixel_and_back() -> None:
    places = np.array([[0.0, 0.0], [117.0, 49.0], [60.0, 10.0]])
    np.testing.assert_allclose(to_cm(to_px(places)), places)
    np.testing.assert_allclose(BIRD.shadow(np.column_stack([places, np.zeros(3)])), to_px(places))


def test_what_stands_leans_away_from_the_camera() -> None:
    foot, head = BIRD.shadow(np.array([[90.0, 25.0, 0.0], [90.0, 25.0, 7.5]]))
    away = BIRD.slant()[:, round(float(foot[1])), round(float(foot[0]))]
    assert float((head - foot) @ away) > 0.9 * math.hypot(*(head - foot)) * math.hypot(*away)


def test_a_pin_that_stood_is_drawn_from_its_foot_to_its_head() -> None:
    drawn = known_pins(BIRD, [(90.0, 25.0)], PIN)
    for z in (0.5, 4.0, 7.0):
        x, y = np.round(BIRD.shadow(np.array([[90.0, 25.0, z]]))[0]).astype(int)
        assert drawn[y, x] == 1
    assert drawn.sum() < 400


@pytest.mark.parametrize("axis", [standing((95.0, 40.0), PIN), standing((30.0, 8.0), PIN)])
def test_a_standing_pin_is_where_its_middle_is_seen(axis: Axis) -> None:
    there = placed("upright", *_seen(axis, PIN), BIRD, PIN)
    assert (there.x_cm, there.y_cm) == pytest.approx((axis.x_cm, axis.y_cm), abs=0.05)


@pytest.mark.parametrize("azimuth", [0.0, 0.4, 1.5, 2.8])
def test_a_lying_pin_points_as_it_is_seen_or_the_other_way(azimuth: float) -> None:
    axis = lying((88.0, 12.0), azimuth, PIN)
    there = placed("lying", *_seen(axis, PIN), BIRD, PIN)
    assert (there.x_cm, there.y_cm) == pytest.approx((88.0, 12.0), abs=0.05)
    assert abs(math.sin(there.azimuth - azimuth)) < 0.02


def test_a_leaning_pin_is_tilted_as_its_length_says() -> None:
    there = placed("leaning", *_seen(LEANS, PIN), BIRD, PIN)
    assert (there.x_cm, there.y_cm) == pytest.approx((70.0, 3.0), abs=1.2)
    assert math.degrees(there.tilt) > 45


def test_bodies_that_touch_are_told_apart_and_a_hidden_one_is_known_by_what_shows() -> None:
    those = [
        (LYING, lying((90.0, 30.0), 0.3, PIN), PIN),
        (LYING, lying((90.0, 33.2), 0.3, PIN), PIN),
        (UPRIGHT, standing((92.0, 27.0), PIN), PIN),
        (LEANING, LEANS, PIN),
        (DISC_KIND, standing((50.0, 20.0), DISC), DISC),
    ]
    found = _found(those)
    kinds = sorted(one.kind for one in found)
    assert kinds == ["disc", "leaning", "lying", "lying", "upright"]
    for kind, axis, _ in those[:3]:
        near = [one for one in found if one.kind == KINDS[kind]]
        gaps = [math.hypot(one.axis.x_cm - axis.x_cm, one.axis.y_cm - axis.y_cm) for one in near]
        assert min(gaps) < 0.15
    hidden = min((one for one in found if one.kind == "lying"), key=lambda one: one.share)
    assert 0.3 < hidden.share < 0.9
    assert all(one.sure > 0.95 for one in found)


def test_an_empty_board_holds_nothing() -> None:
    found, labels = bodies(_maps([]), BIRD, PIN, DISC)
    assert found == []
    assert (labels == -1).all()


def test_a_few_pixels_are_no_body() -> None:
    maps = _maps([(LYING, lying((60.0, 20.0), 0.0, PIN), PIN)])
    few = maps.chances[LYING] > 0
    few[:, : int(np.flatnonzero(few.any(axis=0))[-1])] = False
    few[: int(np.flatnonzero(few.any(axis=1))[-6])] = False
    chances = np.zeros_like(maps.chances)
    chances[0] = ~few
    chances[LYING] = few
    only = Maps(chances=chances, middle_px=maps.middle_px, double_px=maps.double_px)
    assert bodies(only, BIRD, PIN, DISC)[0] == []
