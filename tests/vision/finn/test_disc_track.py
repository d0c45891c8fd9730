"""The disc on its way, and the cushions it touched."""

from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from support.finn_scenes import DISC, PIN, draw, scene_camera, scene_setup

from vision.finn.before import View, viewed
from vision.finn.ground import ground_of
from vision.finn.pins import standing
from vision.finn.shots import Basis, Moving, track_of, way_ahead, way_from
from vision.finn.state import START_CM
from vision.finn.track import DiscTracker, Sighting, board_cut, cushions_of, over_a_rail, went_off
from vision.finn.trail import Spots, followed
from vision.frames import Frame


def _track(points: Sequence[tuple[float, float] | None]) -> list[Sighting]:
    return [Sighting(frame=k, t_ms=33 * k, xy_cm=xy) for k, xy in enumerate(points) if xy is not None]


def _path(corners: Sequence[tuple[float, float]], step_cm: float) -> list[tuple[float, float]]:
    """Points every `step_cm` along a path of straight lines."""
    line = np.array(corners)
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    at = np.arange(0.0, float(lengths[-1]), step_cm)
    return [(float(np.interp(d, lengths, line[:, 0])), float(np.interp(d, lengths, line[:, 1]))) for d in at]


LEFT, RIGHT = 47.0, 2.0


@pytest.mark.parametrize(
    ("corners", "rails"),
    [
        ([(10, 24), (110, 28)], []),
        ([(10, 24), (50, LEFT), (110, 12)], ["left"]),
        ([(10, 24), (50, RIGHT), (110, 37)], ["right"]),
        ([(10, 24), (40, LEFT), (75, RIGHT), (110, 30)], ["left", "right"]),
        ([(10, 24), (85, 30), (70, 10)], []),  # off a pin in the middle of the board
        ([(10, 24), (60, LEFT)], []),  # comes to rest at the rail
    ],
)
@pytest.mark.parametrize("step_cm", [2.0, 9.0, 13.0])
def test_a_cushion_is_where_the_ways_there_and_back_meet_at_a_rail(
    corners: list[tuple[float, float]], rails: list[str], step_cm: float
) -> None:
    assert [one.rail for one in cushions_of(_track(_path(corners, step_cm)), DISC)] == rails


def test_a_cushion_is_found_though_the_disc_was_lost_around_it() -> None:
    points: list[tuple[float, float] | None] = list(_path([(10, 24), (50, LEFT), (110, 12)], 6.0))
    hidden = max(range(len(points)), key=lambda k: (points[k] or (0, 0))[1])
    points[hidden] = points[hidden - 1] = None
    assert [one.rail for one in cushions_of(_track(points), DISC)] == ["left"]


@pytest.mark.parametrize(
    ("last", "over"), [((28.0, 56.0), True), ((28.0, -4.0), True), ((28.0, 47.0), False), ((121.0, 56.0), False)]
)
def test_a_disc_that_was_seen_last_beyond_a_rail_may_have_touched_it(
    last: tuple[float, float], over: bool
) -> None:
    assert over_a_rail(_track([(17.0, 34.0), (22.0, 43.0), last])) == over
    assert not over_a_rail([])


def test_the_disc_is_seen_where_it_is_whatever_else_moves() -> None:
    setup = scene_setup()
    camera, cut = scene_camera(setup), board_cut(scene_camera(setup))
    pins = {name: standing(xy, PIN) for name, xy in START_CM.items()}
    tracker = DiscTracker(cut.of(draw(setup, pins, (13.0, 24.0))), (13.0, 24.0), cut, camera, DISC)
    fewer = {name: axis for name, axis in pins.items() if name != "6"}
    spots = tracker.look(cut.of(draw(setup, fewer, (60.0, 40.0), seed=2)))
    assert spots.xy_cm == pytest.approx(np.array([[60, 40]]), abs=0.8)
    assert spots.share == pytest.approx([1], abs=0.3)
    assert not len(tracker.look(cut.of(draw(setup, fewer, None, seed=2))).share)


def test_an_arm_of_the_discs_colour_is_not_taken_for_it() -> None:
    setup = scene_setup()
    camera, cut = scene_camera(setup), board_cut(scene_camera(setup))
    tracker = DiscTracker(cut.of(draw(setup, {}, (13.0, 24.0))), (13.0, 24.0), cut, camera, DISC)
    waits, left = (draw(setup, {}, place, seed=2) for place in ((13.0, 24.0), (22.0, 26.0)))
    for picture in (waits, left):
        cv2.line(picture, (700, 720), (640, 330), (190, 120, 40), 60)
    spots = [tracker.look(cut.of(picture)) for picture in (waits, left)]
    assert followed(spots, (13.0, 24.0)) == [None, pytest.approx((22, 26), abs=0.8)]


def test_the_way_that_explains_most_frames_is_the_discs() -> None:
    rng = np.random.default_rng(4)
    way = np.array([(25.0 + 9 * k, 26.0 + 2 * k) for k in range(8)])
    hand = np.array([15.0, 20.0]) + rng.normal(0, 0.1, (8, 2))  # nearer to where it waited, and there to stay
    frames = [Spots(np.array([hand[k], way[k]]), np.array([0.9, 0.7 + 0.1 * (k % 3)])) for k in range(8)]
    frames[5] = Spots(hand[5:6], np.array([1.0]))
    found = followed(frames, (13.0, 24.0))
    assert found == [None if k == 5 else pytest.approx(tuple(way[k])) for k in range(8)]
    assert followed([Spots(np.zeros((0, 2)), np.zeros(0))], (13.0, 24.0)) == [None]


def test_a_cut_keeps_the_whole_board() -> None:
    cut = board_cut(scene_camera(scene_setup()))
    whole = np.zeros((720, 1280, 3), np.uint8)
    cv2.rectangle(whole, (151, 258), (1128, 508), (255, 255, 255), -1)
    assert cv2.countNonZero(cut.of(whole)[..., 0]) == pytest.approx(978 * 251 / 4, rel=0.02)


def test_a_disc_that_is_followed_while_it_rolls_touched_what_it_is_found_to_have_touched_in_the_end() -> None:
    setup = scene_setup()
    pins = {name: standing(xy, PIN) for name, xy in START_CM.items()}
    waits, rolls = (13.0, 24.25), _path([(24, 31), (46, LEFT), (66, 34)], 9.0)
    before, *shown = [Frame(k, 33 * k, bgr=draw(setup, pins, xy, seed=k)) for k, xy in enumerate((waits, *rolls))]
    view = viewed(setup, before.bgr(), START_CM)
    assert isinstance(view, View)
    cut = board_cut(view.camera)
    moving = [Moving(frame=one.index, t_ms=one.t_ms, picture=cut.of(one.bgr())) for one in shown]
    ahead = way_ahead(Basis(ground=ground_of(view, before.bgr()), before=before), view, shown[0], shown[1])
    assert ahead is not None
    for upto in range(2, len(moving)):
        ahead.follow(moving[:upto])
    touched = cushions_of(track_of(ahead, moving, (1, 33)), view.disc)
    alone = track_of(way_from(ahead.start, before, view), moving, (1, 33))
    assert touched == cushions_of(alone, view.disc)
    assert [one.rail for one in touched] == ["left"]
    assert ahead.start == pytest.approx(waits, abs=0.8)


@pytest.mark.parametrize(
    ("places", "went"),
    [
        ([(13.0, 24.0), (25.0, 26.0), (47.0, 30.0)], True),
        ([(13.0, 24.0), (105.0, 16.0), (60.0, 20.0), (20.0, 22.0)], False),  # brought back by a hand
        ([(13.0, 24.0), (16.0, 24.0), (19.0, 25.0)], False),  # pushed a little
        ([(13.0, 24.0)], False),
    ],
)
def test_a_disc_that_is_brought_back_has_not_gone_off(places: Sequence[tuple[float, float]], went: bool) -> None:
    track = [Sighting(frame=k, t_ms=33 * k, xy_cm=xy) for k, xy in enumerate(places)]
    assert went_off(track) is went


def test_a_disc_that_still_waits_is_not_followed() -> None:
    setup = scene_setup()
    pins = {name: standing(xy, PIN) for name, xy in START_CM.items()}
    before, now = (Frame(k, 33 * k, bgr=draw(setup, pins, (13.0, 24.0), seed=k)) for k in (0, 1))
    view = viewed(setup, before.bgr(), START_CM)
    assert isinstance(view, View)
    assert way_ahead(None, view, before, now) is None
