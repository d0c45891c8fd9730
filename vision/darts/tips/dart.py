"""What is known of one dart."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dart:
    """A dart seen in a picture.

    Attributes
    ----------
    tip_px
        Where it is in the board, px of the picture it was seen in.
    plane_px
        The same point in the picture the board was found in: the two differ where the board moved between.
    cov_px
        (2, 2) covariance of the tip, px².
    axis_px
        Unit vector from tip to flight.
    confidence
        Chance that this is one dart with its tip within the covariance.
    doubts
        Codes of what makes it unsure: `TIP_HIDDEN`, `ENDS_UNSURE`, `NOT_A_DART`, …
    others_px
        How far along the axis, toward the flight and the other way, the tip may be as well.
    length_px
        From the tip to the last that was seen of it.
    """

    tip_px: tuple[float, float]
    plane_px: tuple[float, float]
    cov_px: Array = field(compare=False)
    axis_px: tuple[float, float]
    confidence: float
    doubts: tuple[str, ...] = ()
    others_px: tuple[float, float] = (0.0, 0.0)
    length_px: float = 0.0
