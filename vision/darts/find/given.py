"""The board as a SETUP has it: points placed by a person or by an earlier calibration."""

import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION
from vision.darts.find.fit import BoardFit
from vision.failure import Failure
from vision.geometry import reprojection_error_px
from vision.setup import Setup


def board_given(setup: Setup, size: tuple[int, int]) -> BoardFit | Failure:
    """Make the board of the SETUP's points for pictures of `size` (width, height) px.

    Returns
    -------
    BoardFit or Failure
        `NO_POINTS`, `BAD_POINTS` or `WRONG_SIZE`, as `Setup.plane` gives them.
    """
    own = setup.plane()
    plane = setup.plane(size)
    if isinstance(own, Failure):
        return own
    if isinstance(plane, Failure):
        return plane
    error_px = reprojection_error_px(own, setup.board_xy, setup.board_px)
    scale = float(np.mean(own.px_per_unit(setup.board_xy)))
    return BoardFit(
        plane=plane,
        rings=setup.rings or REGULATION,
        residual_px=float(setup.notes.get("residual_px", error_px * size[0] / setup.image_size[0])),
        residual_mm=float(setup.notes.get("residual_mm", error_px / scale)),
        orientation_confidence=float(setup.notes.get("orientation_confidence", 1.0)),
    )


def picture_size(bgr: NDArray[np.uint8]) -> tuple[int, int]:
    """Give (width, height) of an (H, W, 3) picture."""
    return int(bgr.shape[1]), int(bgr.shape[0])
