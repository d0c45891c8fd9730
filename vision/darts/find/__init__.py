"""Finding the dartboard in a picture without markers; `board_from_setup` where its points are known."""

import numpy as np
from numpy.typing import NDArray

from vision.darts.find.fit import BoardFit
from vision.darts.find.given import board_given, picture_size
from vision.darts.find.orient import which_is_twenty
from vision.darts.find.search import search
from vision.failure import Failure
from vision.setup import Setup

__all__ = ["BoardFit", "board_from_setup", "find_board"]


def find_board(bgr: NDArray[np.uint8]) -> BoardFit | Failure:
    """Find the dartboard in a picture, from any side, of any colours, with darts in it too.

    Parameters
    ----------
    bgr
        (H, W, 3).

    Returns
    -------
    BoardFit or Failure
        `NO_BOARD` with what was seen instead. A board is found surely or not at all; only which sector is 20 may
        stay open, as `orientation_confidence` says.
    """
    found = search(bgr)
    if isinstance(found, Failure):
        return found
    fit, support = found
    top, confidence = which_is_twenty(bgr, fit.plane)
    return BoardFit(
        plane=fit.plane.turned(-18.0 * top),
        rings=fit.rings,
        residual_px=support.residual_px,
        residual_mm=support.residual_mm,
        orientation_confidence=confidence,
    )


def board_from_setup(setup: Setup, bgr: NDArray[np.uint8]) -> BoardFit | Failure:
    """Give the board that a SETUP for cricket describes in a picture: its points where it has them, else found.

    Parameters
    ----------
    setup
        For cricket.
    bgr
        (H, W, 3), the picture before the throw where there is one.

    Returns
    -------
    BoardFit or Failure
        `WRONG_GAME`, `BAD_POINTS`, `WRONG_SIZE`, or `NO_BOARD`.
    """
    if setup.game != "cricket":
        return Failure("WRONG_GAME", f"The SETUP is for {setup.game}, a dartboard belongs to cricket.")
    return board_given(setup, picture_size(bgr)) if setup.board_px else find_board(bgr)
