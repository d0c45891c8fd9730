"""What lessons can choose of a SETUP for Astrolabe: which balls teach the two colours.

A person taps a ball or two. A lesson says which side's ball lies in each slot, so all of them can teach, each in
the middle: the colours are known better, and how far they wander from ball to ball is known at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from vision.astrolabe.camera import camera_from_setup
from vision.failure import Failure
from vision.setup import Setup
from vision.teach.lessons import Lesson

JSON: TypeAlias = Any

TRIED: Final = 3
"""Lessons whose balls are tried: those with the most of the rarer side."""


def ways(setup: Setup, lessons: Sequence[Lesson]) -> Iterator[Iterator[tuple[str, Mapping[str, JSON]]]]:
    """Give the one group of choices: the colours as a lesson's balls show them."""
    yield _colours(setup, lessons)


def _colours(setup: Setup, lessons: Sequence[Lesson]) -> Iterator[tuple[str, Mapping[str, JSON]]]:
    best = sorted(lessons, key=lambda one: -min(_count(one, side) for side in (0, 1)))
    for lesson in best[:TRIED]:
        taps = taps_of(setup, lesson.truth)
        if isinstance(taps, Failure) or not all(taps.values()):
            continue
        count = sum(map(len, taps.values()))
        image = str(lesson.task["image"])
        yield f"colours learnt from {count} balls", {"colours": taps, "colours_image": image}


def _count(lesson: Lesson, side: int) -> int:
    return sum(row.count(side) for row in lesson.truth)


def taps_of(setup: Setup, slots: Sequence[Sequence[int | None]]) -> dict[str, list[list[float]]] | Failure:
    """Give where the balls of each side are in a picture of `image_size`, px: in the middles of their slots.

    Returns
    -------
    dict or Failure
        Side, as text, to points; what `camera_from_setup` may say, `OTHER_SLOTS`.
    """
    table = setup.astrolabe
    if table is None or [len(row) for row in slots] != [line.slots for line in table.positions]:
        return Failure("OTHER_SLOTS", "The lesson has other slots than the SETUP.")
    camera = camera_from_setup(setup, setup.image_size)
    if isinstance(camera, Failure):
        return camera
    taps: dict[str, list[list[float]]] = {"0": [], "1": []}
    for row, line in zip(slots, table.positions, strict=True):
        for place, side in enumerate(row):
            if side is not None:
                centre = [line.x0_cm + place * line.pitch_cm, line.y_cm, table.ball_cm / 2]
                x, y = camera.to_px(np.array([centre]))[0]
                taps[str(side)].append([round(float(x), 1), round(float(y), 1)])
    return taps


def image_of(setup: Mapping[str, JSON]) -> Path | None:
    """Give the picture that a taught SETUP learns its colours from."""
    image = setup.get("colours_image")
    return None if image is None else Path(image)
