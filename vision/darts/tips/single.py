"""Darts in one picture, without a picture from before: what the board would look like without them stands in."""

import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.change import ChangeLimits
from vision.darts.tips.expected import expected_picture
from vision.darts.tips.pair import Board, Comparison, PairLimits, compare_pair

Picture = NDArray[np.uint8]

CHANGE = ChangeLimits(edge=1.0, shift_px=2, least_noise=4.0)
"""Wires lie a little beside where the fold of the other sectors has them, beds differ by their wear."""

PAIR = PairLimits(sure=7.0, core_mm2=25.0, core_within_mm=172.0, inner_mm2=8.0)
"""Holes and worn spots of a used board are up to 20 mm²; parts of a dart are larger. Numbers and
letters outside the double ring look like darts, so none begins there."""


def darts_in(image: Picture, board: Board) -> Comparison:
    """Find all darts that one picture shows.

    Parameters
    ----------
    image
        (H, W, 3) BGR.
    board
        The board as it lies in the picture.
    """
    expected = expected_picture(image, board.plane)
    return compare_pair(expected, image, board, limits=PAIR, change_limits=CHANGE)
