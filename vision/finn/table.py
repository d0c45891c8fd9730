"""The bare table as it would be seen: the picture before the shot with its pins painted over."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTuning:
    """How pins are painted over, in px of the redrawn board.

    Attributes
    ----------
    edge_px
        Edges of pins reach so far beyond where they are thought to stand.
    shaded_px
        Beside pins the board is darker and takes their colour: so much of it is not used to paint over them.
    spreads
        What lies nearest is used first: spread of each blur, and its share where a finer one has nothing.
    margin_px
        So much around the pins is looked at.
    """

    edge_px: int = 1
    shaded_px: int = 3
    spreads: tuple[tuple[float, float], ...] = ((3.0, 1.0), (8.0, 1e-2), (24.0, 1e-4))
    margin_px: int = 40


TUNING: Final = TableTuning()


def painted(picture: Floats, pins: Mask) -> Floats:
    """Paint over pins, (H, W) 1, in a picture, (H, W, 3), with the board that lies around them."""
    x, y, w, h = cv2.boundingRect(pins)
    if w == 0:
        return picture
    margin = TUNING.margin_px
    rows, columns = slice(max(0, y - margin), y + h + margin), slice(max(0, x - margin), x + w + margin)
    part = picture[rows, columns]
    hidden = cv2.dilate(pins[rows, columns], _square(TUNING.edge_px))
    seen = (cv2.dilate(hidden, _square(TUNING.shaded_px)) == 0).astype(np.float32)
    total, weight = np.zeros_like(part), np.full_like(seen, 1e-9)
    for spread, share in TUNING.spreads:
        total += share * _blurred(part * seen[..., None], spread)
        weight += share * _blurred(seen, spread)
    table = picture.copy()
    table[rows, columns] = np.where(hidden[..., None] > 0, total / weight[..., None], part)
    return table


def _square(reach: int) -> Mask:
    return np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)


def _blurred(image: Floats, spread: float) -> Floats:
    """Blur widely and cheaply, made smaller first."""
    factor = max(1, int(spread / 2.5))
    if factor == 1:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), spread), np.float32)
    size = (max(1, image.shape[1] // factor), max(1, image.shape[0] // factor))
    small = cv2.GaussianBlur(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (0, 0), spread / factor)
    return np.asarray(cv2.resize(small, (image.shape[1], image.shape[0])), np.float32)
