"""What `tallycam read` says about a board of Finn Billiards: each pin's state and place, and what to look at."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.after import seen_after
from vision.finn.answer import PinsReading, ReadPin, Review
from vision.finn.before import viewed
from vision.finn.ground import ground_of
from vision.finn.naming import Named, named
from vision.finn.state import PINS, parse_state
from vision.finn.telling import reading_of
from vision.setup import Setup

__all__ = ["PinsReading", "ReadPin", "Review", "names_in_doubt", "read_pins", "reading_of"]

Picture = NDArray[np.uint8]


def read_pins(
    setup: Setup, image: Picture, before: Picture | None = None, state: Mapping[str, Any] | None = None
) -> PinsReading | Failure:
    """Say what every pin does after a shot.

    Parameters
    ----------
    setup
        For finn.
    image, before
        (H, W, 3) BGR: after the shot and before it.
    state
        A STATE: where each pin stood before; without one the start layout is expected, or the numbers on the pins
        are read.

    Returns
    -------
    PinsReading or Failure
        `NO_BEFORE`, `NO_STATE`, `OTHER_SIZE`, `BAD_STATE`, `PINS_NOT_THERE`, `SCENE_CHANGED`, `HAND_IN_VIEW`.
    """
    if before is None:
        return Failure(
            "NO_BEFORE", "Pins are told by where they stood: give the picture from before the shot too."
        )
    if before.shape != image.shape:
        return Failure(
            "OTHER_SIZE", "The pictures before and after differ in size: one camera, one setting for both."
        )
    known = _named_before(setup, before, state)
    if isinstance(known, Failure):
        return known
    seen = seen_after(ground_of(known.view, before), image)
    if isinstance(seen, Failure):
        return seen
    reading = reading_of(known.view, seen, setup)
    return reading if isinstance(reading, Failure) else _as_named(reading, known)


def _named_before(setup: Setup, before: Picture, state: Mapping[str, Any] | None) -> Named | Failure:
    if not state:
        return named(setup, before)
    places = parse_state(state)
    view = places if isinstance(places, Failure) else viewed(setup, before, places)
    return view if isinstance(view, Failure) else Named(view=view)


def _as_named(reading: PinsReading, known: Named) -> PinsReading:
    """Say which names are not certain of those that were read before the shot."""
    if not known.unsure and not known.missing:
        return reading
    lost = ReadPin(state="unknown", xy_cm=None, tilt_deg=None, confidence=0.0)
    pins = {name: reading.pins.get(name, lost) for name in PINS}
    doubts = [Review(code="NUMBER_UNSURE", pin=name, xy_cm=known.view.places[name]) for name in known.unsure]
    doubts += _not_found(known)
    chance = reading.confidence * known.chance
    return replace(reading, pins=pins, confidence=chance, review=(*doubts, *reading.review))


def names_in_doubt(known: Named, reading: PinsReading) -> list[Review]:
    """Say which pins of a shot have names that were read before it and are not certain; others matter not."""
    shot = [name for name in known.unsure if name in reading.pins and reading.pins[name].state != "upright"]
    return [*(Review(code="NUMBER_UNSURE", pin=name) for name in shot), *_not_found(known)]


def _not_found(known: Named) -> list[Review]:
    return [Review(code="PIN_NOT_FOUND", pin=name) for name in known.missing]
