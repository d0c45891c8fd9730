"""Shots of another renderer, with other pins, read as a person would."""

import json
from collections import Counter
from pathlib import Path

import pytest

from vision.failure import Failure
from vision.finn.reading import PinsReading, read_pins
from vision.pictures import load_picture
from vision.setup import Setup, parse_setup


@pytest.mark.shared_data
@pytest.mark.parametrize("shot", ["002", "003", "006"])
def test_states_are_exact_where_they_can_be_told_and_asked_about_otherwise(shared_data: Path, shot: str) -> None:
    folder = shared_data / "finn" / shot
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    setup = parse_setup(
        {
            "game": "finn",
            "image_size": truth["size"],
            "board_px": truth["corners_px"],
            "board_cm": truth["corners_cm"],
            "lens": None,
            "pins": {f"{name}_cm": value for name, value in truth["pin_cm"].items()},
            "disc": {"diameter_cm": truth["disc_cm"], "height_cm": 2.0},
        }
    )
    before, after = load_picture(folder / "before.jpg"), load_picture(folder / "after.jpg")
    assert isinstance(setup, Setup)
    assert not isinstance(before, Failure)
    assert not isinstance(after, Failure)
    reading = read_pins(setup, after, before, {"pins": truth["before"]})
    assert isinstance(reading, PinsReading), reading
    expected = {name: pin["state"] for name, pin in truth["after"].items()}
    found = {name: pin.state for name, pin in reading.pins.items()}
    assert Counter(found.values()) == Counter(expected.values())
    if truth["decidable"]:
        assert found == expected
    else:
        assert reading.review
