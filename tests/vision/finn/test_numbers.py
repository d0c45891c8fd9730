"""Numbers on heads of pins: how heads are cut, what the network says of them, and names told by them alone."""

import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest
from support.finn_numbers import CAMERA, SCATTERED, SETUP, numbered
from support.finn_scenes import PIN, draw

from vision.evaluate.digits import read_printed, turned
from vision.failure import Failure
from vision.finn.identity import assigned
from vision.finn.light import log_of
from vision.finn.naming import Named, named
from vision.finn.numbers import COUNT, HALF, SIDE, TURNS, Heads, cut, habit, name_costs, read_heads
from vision.finn.pins import lying, standing
from vision.finn.reading import PinsReading, read_pins
from vision.finn.state import PINS, START_CM


def test_a_head_is_cut_with_the_far_end_up_and_the_throwers_right_on_the_right() -> None:
    xy = (60.0, 20.0)
    log = np.zeros((720, 1280, 3), np.float32)
    for value, way in ((1.0, (1.2, 0.0)), (2.0, (0.0, -1.2))):
        spot = CAMERA.to_px([[xy[0] + way[0], xy[1] + way[1], PIN.height_cm]])[0]
        cv2.circle(log, (round(float(spot[0])), round(float(spot[1]))), 3, (value,) * 3, -1)
    crop = cut(log, [xy], PIN, CAMERA, [(0.0, 0.0)])[0]
    assert crop.shape == (SIDE, SIDE)
    ahead, right = (np.argwhere(np.abs(crop - value) < 0.4).mean(axis=0) for value in (1.0, 2.0))
    middle, reach = (SIDE - 1) / 2, SIDE / (2 * HALF)
    assert ahead[0] < middle - 0.4 * reach
    assert abs(ahead[1] - middle) < 0.5 * reach
    assert right[1] > middle + 0.4 * reach
    assert abs(right[0] - middle) < 0.5 * reach


def test_numbers_are_read_with_how_they_are_turned() -> None:
    names, places = list(SCATTERED), list(SCATTERED.values())
    for turn in (0.0, 90.0, 210.0):
        heads = read_heads(log_of(numbered(SCATTERED, turn)), places, PIN, CAMERA)
        turns = heads.chances.sum(axis=1).argmax(axis=1)
        plain = [k for k, name in enumerate(names) if name not in ("1", "6", "8", "9", "11")]
        off = (turns[plain] * 360 / TURNS - turn + 180) % 360 - 180
        assert np.abs(off).max() <= 31
        said = heads.chances.sum(axis=2).argmax(axis=1) + 1
        assert sum(str(said[k]) == names[k] for k in plain) >= len(plain) - 1


def test_bare_board_shows_no_number() -> None:
    heads = read_heads(log_of(numbered(SCATTERED)), [(30.0, 40.0), (48.0, 25.0), (112.0, 6.0)], PIN, CAMERA)
    assert heads.written.max() < 0.5


def _heads(shown: list[tuple[int, int, float]]) -> Heads:
    """Make heads that say a number at a turn with a chance; the rest nothing."""
    chances = np.zeros((len(shown), COUNT, TURNS))
    for row, (number, turn, chance) in enumerate(shown):
        chances[row, number - 1, turn] = chance
    return Heads(chances=chances, nothing=1 - chances.sum(axis=(1, 2)))


def test_the_way_the_others_are_turned_tells_6_from_9() -> None:
    """A 6 and a 9 without marks read two ways each; ten pins that all face one way leave one."""
    heads = _heads([(number, 3, 0.97) for number in (1, 2, 3, 4, 5, 7, 8, 10, 11, 12)])
    both = np.zeros((2, COUNT, TURNS))
    both[0, 5, 3] = both[0, 8, 9] = both[1, 8, 3] = both[1, 5, 9] = 0.48
    every = Heads(
        chances=np.concatenate([heads.chances, both]), nothing=np.concatenate([heads.nothing, [0.04, 0.04]])
    )
    names = assigned(PINS, name_costs(every, habit(every)))
    assert (names.bodies["6"], names.bodies["9"]) == (10, 11)
    assert names.chances["6"][10] > 0.97


def test_6_and_9_stay_unsure_where_every_pin_is_turned_otherwise() -> None:
    turns = (0, 5, 8, 2, 11, 6, 3, 9, 1, 7)
    heads = _heads([(n, t, 0.97) for n, t in zip((1, 2, 3, 4, 5, 7, 8, 10, 11, 12), turns, strict=True)])
    both = np.zeros((2, COUNT, TURNS))
    both[0, 5, 4] = both[0, 8, 10] = both[1, 8, 0] = both[1, 5, 6] = 0.48
    every = Heads(
        chances=np.concatenate([heads.chances, both]), nothing=np.concatenate([heads.nothing, [0.04, 0.04]])
    )
    names = assigned(PINS, name_costs(every, habit(every)))
    assert names.chances["6"].max() < 0.97
    assert names.chances["12"][9] > 0.97


@pytest.mark.long
def test_pins_anywhere_are_found_and_named_by_their_numbers_alone() -> None:
    found = named(SETUP, numbered(SCATTERED))
    assert isinstance(found, Named), found
    assert not found.missing
    sure = set(found.view.places) - set(found.unsure)
    far = {name: np.hypot(*np.subtract(found.view.places[name], SCATTERED[name])) for name in found.view.places}
    assert all(far[name] < 1.5 for name in sure)
    assert sum(value < 1.0 for value in far.values()) >= 11


@pytest.mark.long
def test_a_shot_is_read_without_a_state_and_names_who_fell() -> None:
    before = numbered(SCATTERED)
    after = numbered({name: xy for name, xy in SCATTERED.items() if name != "7"})
    fallen = draw(SETUP, {"7": lying((90.0, 5.0), 0.7, PIN)}, None, seed=3)
    bare = draw(SETUP, {}, None, seed=3)
    new = np.abs(fallen.astype(int) - bare).max(axis=2) > 25
    after[new] = fallen[new]
    reading = read_pins(SETUP, after, before)
    assert isinstance(reading, PinsReading), reading
    assert reading.pins["7"].state == "fallen"
    assert sum(pin.state == "upright" for pin in reading.pins.values()) == 11


def test_the_start_layout_needs_no_numbers() -> None:
    plain = draw(SETUP, {name: standing(xy, PIN) for name, xy in START_CM.items()}, None)
    found = named(SETUP, plain)
    assert isinstance(found, Named)
    assert found.view.places == START_CM


def test_pins_that_cannot_be_told_are_refused_not_guessed() -> None:
    found = named(SETUP, draw(SETUP, {"1": standing((60.0, 10.0), PIN)}, None))
    assert isinstance(found, Failure)
    assert found.code == "NO_STATE"


def test_the_card_tells_of_the_network_beside_it(root: Path) -> None:
    card = json.loads((root / "models" / "pin-numbers.json").read_text())
    data = (root / "models" / card["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == card["sha256"]
    assert len(data) < 12e6
    assert card["held_back"]["right_of_sure"] > 0.99


def test_the_network_says_what_it_said_when_it_was_trained(root: Path) -> None:
    card = json.loads((root / "models" / "pin-numbers.json").read_text())
    said = np.array(card["probe"]["said"])
    inputs = np.random.default_rng(card["probe"]["seed"]).normal(0, 1, (len(said), 1, SIDE, SIDE))
    session = onnxruntime.InferenceSession((root / "models" / card["file"]).read_bytes())
    answers = np.asarray(session.run(None, {"seen": inputs.astype(np.float32)})[0])
    assert len(said) == 50
    assert np.abs(answers[:, :3] - said).max() < 1e-3


@pytest.mark.shared_data
@pytest.mark.slow
def test_printed_digits_that_are_read_for_sure_are_right_however_they_are_turned(shared_data: Path) -> None:
    """All of the eight turns are right; half of them are sure."""
    read = []
    for path in sorted((shared_data / "tabletop" / "digits").glob("*.jpg")):
        picture = cv2.imread(str(path))
        assert picture is not None
        for turn in (0.0, 90.0, 225.0):
            number, chance = read_printed(turned(np.asarray(picture, np.uint8), turn))
            read.append((number == int(path.name[:2]), chance))
    right = np.array([one for one, _ in read])
    sure = np.array([chance for _, chance in read]) > 0.9
    assert right[sure].all()
    assert sure.mean() > 0.4
    assert right.mean() > 0.99
