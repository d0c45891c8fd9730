"""What a picture's names say of its objects: boxes, shares that are seen, and whether a point is seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.scene import Bytes

REACH_PX = 3

Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 px, ends excluded."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Where one object is in a picture, as if nothing hid it.

    Attributes
    ----------
    mask
        (h, w) of a part of the picture that has all of it.
    corner
        (x, y) px where that part begins.
    """

    mask: NDArray[np.bool_]
    corner: tuple[int, int]

    @property
    def pixels(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self.mask))

    def box_px(self) -> list[int] | None:
        """Give the box [x0, y0, x1, y1] px, ends excluded, or None where nothing is in the picture."""
        rows, columns = np.flatnonzero(self.mask.any(1)), np.flatnonzero(self.mask.any(0))
        if not rows.size:
            return None
        x, y = self.corner
        return [int(columns[0]) + x, int(rows[0]) + y, int(columns[-1]) + 1 + x, int(rows[-1]) + 1 + y]

    def near(self, point: Any, reach: int) -> bool:  # noqa: ANN401 - anything that iterates
        """Whether it is within `reach` px of a point of the picture."""
        x, y = (round(float(v)) - at for v, at in zip(point, self.corner, strict=True))
        rows = slice(max(0, y - reach), max(0, y + reach + 1))
        return bool(self.mask[rows, max(0, x - reach) : max(0, x + reach + 1)].any())


class Named:
    """A picture's names: which object is seen where.

    Attributes
    ----------
    picture
        (H, W) uint8, 0 for nothing named, else 1 + index into `keys`.
    keys
        The objects' names.
    """

    def __init__(self, picture: Bytes, keys: Sequence[str]) -> None:
        self.picture, self.keys = picture, tuple(keys)
        self._counts = cv2.calcHist([picture], [0], None, [256], [0, 256]).ravel()

    def name(self, key: str) -> int:
        """Give what stands for an object in the picture."""
        return self.keys.index(key) + 1

    def share(self, key: str, whole: Part) -> float:
        """Give the share of an object that is seen."""
        return float(self._counts[self.name(key)] / max(1, whole.pixels))

    def shown(self, key: str, point: Any, reach: int = REACH_PX) -> bool:  # noqa: ANN401 - anything that iterates
        """Whether an object is seen within `reach` px of a point: nothing stands before it there."""
        x, y = (round(float(v)) for v in point)
        if not (0 <= x < self.picture.shape[1] and 0 <= y < self.picture.shape[0]):
            return False
        around = self.picture[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1]
        return bool((around == self.name(key)).any())
