"""What is new in a picture: pins are, shadows that came or went are not."""

import numpy as np
import pytest

from vision.finn.evidence import bare_of, colours_of, evidence

SHAPE = (120, 160)
WOOD, SHADE, FAINT, PIN = (80, 130, 190), (48, 78, 114), (65, 106, 156), (60, 70, 200)


def _log(*patches: tuple[slice, slice, tuple[int, int, int]]) -> np.ndarray:
    picture = np.full((*SHAPE, 3), WOOD, np.float32)
    for rows, columns, colour in patches:
        picture[rows, columns] = colour
    return np.log(picture + 16)


HERE = np.s_[50:70, 60:90]
STOOD = np.s_[20:40, 20:30]


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        (WOOD, WOOD, False),
        (WOOD, PIN, True),
        (SHADE, WOOD, False),  # a shadow that went
        (WOOD, FAINT, False),  # one that came
        (SHADE, PIN, True),  # a pin where one was
    ],
)
def test_only_what_is_of_another_colour_is_new(
    before: tuple[int, int, int], after: tuple[int, int, int], new: bool
) -> None:
    logs = [_log((*HERE, colour), (*STOOD, PIN)).astype(np.float32) for colour in (before, after)]
    pins, board = np.zeros(SHAPE, np.uint8), np.ones(SHAPE, np.uint8)
    pins[STOOD] = 1
    bare = bare_of(logs[0], pins, pins, board, 60.0)
    weight = evidence(logs[1], colours_of(logs[1]), bare)[HERE][4:-4, 4:-4].mean()
    assert (weight > 0.3) if new else (weight < 0.1)
