from functools import cache

import cv2
import numpy as np
import pytest
from support.astrolabe_scenes import BLACK, PALE, SIZE, WHITE, WOOD, Look, Picture, draw, setup_json, slot_cm

from vision.astrolabe.layout import find_layout
from vision.astrolabe.outline import FoundTable, find_table
from vision.calibration import draw_points, setup_by_points, setup_of_table, with_layout
from vision.failure import Failure
from vision.setup import AstrolabeTable, Setup, parse_setup

LOOKS = {
    "from above": Look(),
    "from the player": Look(eye_cm=(26.0, 5.0, 120.0), board=WOOD, comb=PALE, focal_px=800.0),
    "from the side": Look(
        eye_cm=(85.0, 62.0, 115.0), board=PALE, comb=BLACK, balls=(WHITE, BLACK), focal_px=800.0
    ),
}
BALLS = [(0, slot_cm(1, 2)), (1, slot_cm(1, 3)), (1, slot_cm(3, 5)), (0, (12.0, 40.0))]


@cache
def picture(look: str) -> Picture:
    return draw(LOOKS[look], BALLS)


def corners_px(look: str) -> list[tuple[float, float]]:
    return [(x, y) for x, y in setup_json(LOOKS[look], [])["board_px"]]


@pytest.mark.parametrize("look", LOOKS)
def test_combs_and_play_line_are_found_where_corners_are_placed_by_hand(look: str) -> None:
    slips = np.array([[2.0, -1.0], [-1.0, 1.5], [1.5, 1.0], [-2.0, 1.0]])
    points = [(x, y) for x, y in np.array(corners_px(look)) + slips]
    bare = setup_by_points("astrolabe", SIZE, points)
    assert isinstance(bare, Setup)
    setup = with_layout(bare, picture(look))
    assert setup.astrolabe is not None
    assert setup.notes["to_check"] == []
    assert setup.astrolabe.play_line_y_cm == pytest.approx(20.0, abs=0.8)
    edges = [x for gutter in setup.astrolabe.gutters_cm for x, _ in gutter[:2]]
    assert edges == pytest.approx([0.0, 3.6, 56.4, 60.0], abs=0.8)
    rows = setup.astrolabe.positions
    assert [row.slots for row in rows] == [5, 5, 5]
    assert [row.y_cm for row in rows] == pytest.approx([55.0, 80.0, 105.0], abs=1.2)
    for row in rows:
        assert row.x0_cm == pytest.approx(21.0, abs=0.6)
        assert row.pitch_cm == pytest.approx(4.5, abs=0.15)


@pytest.mark.parametrize("look", LOOKS)
def test_a_table_is_found_without_help_and_its_near_end_known(look: str) -> None:
    found = find_table(picture(look), AstrolabeTable())
    assert isinstance(found, FoundTable), found
    truth = parse_setup(setup_json(LOOKS[look], []))
    assert isinstance(truth, Setup)
    plane = truth.plane()
    assert not isinstance(plane, Failure)
    slots = [slot_cm(row, slot) for row in (1, 2, 3) for slot in (1, 3, 5)]
    off = np.linalg.norm(found.plane.to_px(slots) - plane.to_px(slots), axis=1)
    assert off.max() < 0.3 * 4.5 * float(plane.px_per_unit([[30.0, 80.0]])[0])


def test_a_turned_picture_of_a_table_is_the_same_table() -> None:
    upside_down = np.ascontiguousarray(picture("from above")[::-1, ::-1])
    setup = setup_of_table(upside_down)
    assert isinstance(setup, Setup)
    seen = np.array(SIZE) - 1 - np.array(setup.board_px)
    assert np.linalg.norm(seen - np.array(corners_px("from above")), axis=1).max() < 16


def test_corners_given_from_the_far_end_are_doubted() -> None:
    points = corners_px("from above")
    turned = setup_by_points("astrolabe", SIZE, [*points[2:], *points[:2]])
    assert isinstance(turned, Setup)
    said = " ".join(with_layout(turned, picture("from above")).notes["to_check"])
    assert "Play Line is not seen" in said
    assert "near left" in said


def test_what_a_person_said_of_combs_stays() -> None:
    given = parse_setup(setup_json(LOOKS["from above"], []))
    assert isinstance(given, Setup)
    assert with_layout(given, picture("from above")).astrolabe == given.astrolabe


def test_a_bare_table_has_no_combs_and_says_what_to_do() -> None:
    empty = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    noise = np.random.default_rng(1).normal(0, 6, empty.shape)
    bare = np.clip(empty + noise, 0, 255).astype(np.uint8)
    setup = setup_by_points("astrolabe", SIZE, corners_px("from above"))
    assert isinstance(setup, Setup)
    looked = with_layout(setup, bare)
    assert looked.astrolabe is not None
    assert looked.astrolabe.positions == ()
    said = " ".join(looked.notes["to_check"])
    assert all(name in said for name in ("positions", "play_line_y", "gutters_cm"))


@pytest.mark.parametrize("what", ["nothing", "a ladder"])
@pytest.mark.long
def test_what_is_no_table_is_refused_with_a_reason(what: str) -> None:
    bgr = np.random.default_rng(2).normal(110, 8, (SIZE[1], SIZE[0], 3)).clip(0, 255).astype(np.uint8)
    if what == "a ladder":
        cv2.rectangle(bgr, (80, 70), (880, 470), (30, 60, 90), 12)
        for x in range(200, 860, 200):
            cv2.line(bgr, (x, 70), (x, 470), (40, 40, 180), 4)
    found = find_table(bgr, AstrolabeTable())
    assert isinstance(found, Failure)
    assert found.code == "NO_TABLE"
    assert "by hand" in found.message


def test_an_overlay_shows_slots_and_play_line() -> None:
    setup = parse_setup(setup_json(LOOKS["from above"], []))
    assert isinstance(setup, Setup)
    black = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    drawn = draw_points(black, setup)
    plane = setup.plane()
    assert not isinstance(plane, Failure)
    for place in ((30.0, 20.0), (21.0 + 1.25, 55.0)):
        x, y = np.round(plane.to_px([place])[0]).astype(int)
        assert drawn[y - 2 : y + 3, x - 2 : x + 3].max() > 100


def test_a_found_layout_says_how_clear_it_is() -> None:
    setup = parse_setup(setup_json(LOOKS["from above"], []))
    assert isinstance(setup, Setup)
    plane = setup.plane()
    assert not isinstance(plane, Failure)
    layout = find_layout(picture("from above"), plane, AstrolabeTable())
    assert layout.comb > 0.9
    assert layout.line > 0.9
    assert layout.spine > 0.2
    assert layout.ends_cm == pytest.approx((3.6, 56.4), abs=0.8)
