"""Darts in one picture, without a picture from before: what the board would look like without them stands in."""

import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.expected import expected_picture
from vision.darts.tips.pair import Board, Comparison, compare_pair

Picture = NDArray[np.uint8]


def darts_in(image: Picture, board: Board) -> Comparison:
    """Find all darts that one picture shows.

    Parameters
    ----------
    image
        (H, W, 3) BGR.
    board
        The board as it lies in the picture.
    """
    return compare_pair(expected_picture(image, board.plane), image, board)
