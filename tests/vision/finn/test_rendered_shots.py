"""Shots of another renderer, with other pins, read as a person would."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from vision.failure import Failure
from vision.finn.reading import PinsReading, read_pins
from vision.pictures import load_picture
from vision.setup import Setup, parse_setup


@pytest.mark.shared_data
@pytest.mark.parametrize("shot", ["003", "006"])
def test_states_are_exact_where_they_can_be_told_and_asked_about_otherwise(shared_data: Path, shot: str) -> None:
    truth, reading = read(shared_data / "finn" / shot)
    expected, found = states(truth, reading)
    assert Counter(found.values()) == Counter(expected.values())
    if truth["decidable"]:
        assert found == expected
    else:
        assert reading.review


@pytest.mark.slow
@pytest.mark.shared_data
def test_of_all_shots_none_is_wrong_and_not_asked_about(shared_data: Path) -> None:
    exact = 0
    for folder in sorted(path.parent for path in (shared_data / "finn").glob("*/truth.json")):
        truth, reading = read(folder)
        expected, found = states(truth, reading)
        assert found == expected or reading.review, folder.name
        exact += truth["decidable"] and found == expected
    assert exact == 8


def read(folder: Path) -> tuple[Any, PinsReading]:
    """Read a shot with its STATE; gives its truth too."""
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
    return truth, reading


def states(truth: Any, reading: PinsReading) -> tuple[dict[str, str], dict[str, str]]:  # noqa: ANN401 - JSON
    """Give the states of all pins as they are and as they are read."""
    expected = {name: pin["state"] for name, pin in truth["after"].items()}
    return expected, {name: pin.state for name, pin in reading.pins.items()}
