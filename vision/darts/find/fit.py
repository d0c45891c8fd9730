"""What finding a board gives: the value that everything after it builds on."""

from dataclasses import dataclass

from vision.darts.board import REGULATION, Rings
from vision.geometry import PlaneMap


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFit:
    """A dartboard in a picture.

    Attributes
    ----------
    plane
        Board (mm, y toward 20) to pixels and back.
    rings
        Radii in mm, as measured where the board is no regulation board.
    residual_px, residual_mm
        Root mean square distance between the lines of the model and those of the picture.
    orientation_confidence
        Chance that 20 is where the fit says; 1 where a person said so.
    """

    plane: PlaneMap
    rings: Rings = REGULATION
    residual_px: float = 0.0
    residual_mm: float = 0.0
    orientation_confidence: float = 1.0
