"""What a picture's names say of its objects: boxes, and whether a point is seen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

REACH_PX = 3


def box_px(mask: NDArray[np.bool_]) -> list[int] | None:
    """Give the box [x0, y0, x1, y1] px of a mask (H, W), ends excluded, or None of an empty one."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not rows.size:
        return None
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]


def shown(mask: NDArray[np.bool_], point: Any, reach: int = REACH_PX) -> bool:  # noqa: ANN401 - anything that iterates
    """Whether a mask (H, W) is seen within `reach` px of a point: nothing stands before it there."""
    x, y = (round(float(v)) for v in point)
    if not (0 <= x < mask.shape[1] and 0 <= y < mask.shape[0]):
        return False
    return bool(mask[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1].any())
