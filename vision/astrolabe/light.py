"""What another light, exposure or white balance did to a picture: the table itself tells, for it is the same."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

LEVELS: Final = 256


@dataclass(frozen=True, slots=True)
class LightLimits:
    """How the curve of a channel is fitted.

    Attributes
    ----------
    step
        Levels that are taken together.
    pixels
        Fewer pixels of a level say nothing.
    same
        A light that changes no level by more than this is the same.
    """

    step: int = 8
    pixels: int = 20
    same: float = 4.0


LIMITS: Final = LightLimits()


def curves_between(now: Picture, then: Picture) -> Array | None:
    """Give what became of each level of each channel.

    Parameters
    ----------
    now, then
        (h, w, 3) BGR of one table, pixel by pixel the same places. What moved is outvoted.

    Returns
    -------
    NDArray or None
        (3, 256) levels now of levels then, rising; None where the light is the same.
    """
    fitted = [_curve(now[::2, ::2, channel].ravel(), then[::2, ::2, channel].ravel()) for channel in range(3)]
    curves = np.array([curve for curve, _ in fitted])
    if max(change for _, change in fitted) <= LIMITS.same:
        return None
    return curves


def carried(bgr: ArrayLike, curves: Array | None) -> Array:
    """Carry (…, 3) colours through curves of `curves_between`."""
    values = np.asarray(bgr, dtype=np.float64)
    if curves is None:
        return values
    levels = np.arange(LEVELS)
    return np.stack([np.interp(values[..., channel], levels, curves[channel]) for channel in range(3)], axis=-1)


def _curve(now: Picture, then: Picture) -> tuple[Array, float]:
    """Give the curve of one channel and the largest change of a level that occurs."""
    group = then // LIMITS.step
    points = [(0.0, 0.0)]
    for k in range(LEVELS // LIMITS.step):
        mine = group == k
        if np.count_nonzero(mine) >= LIMITS.pixels:
            points.append((float(np.mean(then[mine])), float(np.median(now[mine]))))
    known = np.array(points)
    change = float(np.max(np.abs(known[:, 1] - known[:, 0])))
    top, risen = known[-1]
    end = min(255.0, 255.0 * risen / top) if top > 0 else 255.0
    known = np.vstack([known, [255.0, max(end, risen)]]) if top < 255 else known
    rising = np.maximum.accumulate(known[:, 1])
    return np.interp(np.arange(LEVELS), known[:, 0], rising), change
