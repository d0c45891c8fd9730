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
    common
        Levels of fewer pixels than this share may be those of a few balls.
    otherwise
        If their brightness changed otherwise than that of the nearest common level, by this much of its logarithm,
        these balls moved away.
    dark
        Levels added before the logarithm.
    same
        A light that changes no level by more than this is the same.
    """

    step: int = 8
    pixels: int = 20
    common: float = 0.02
    otherwise: float = 0.3
    dark: float = 12.0
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


def _without_moved(points: Array, counts: NDArray[np.intp]) -> Array:
    """Leave out levels that hardly occur and changed otherwise than the others: they were things that moved."""
    usual = np.log((points[:, 1] + LIMITS.dark) / (points[:, 0] + LIMITS.dark))
    common = counts >= LIMITS.common * counts[0]
    common[0] = False
    if not common.any():
        return points
    nearest = np.abs(points[:, None, 0] - points[None, common, 0]).argmin(axis=1)
    kept = common | (np.abs(usual - usual[common][nearest]) <= LIMITS.otherwise)
    kept[0] = True
    return np.asarray(points[kept])


def _curve(now: Picture, then: Picture) -> tuple[Array, float]:
    """Give the curve of one channel and the largest change of a level that occurs."""
    groups = LEVELS // LIMITS.step
    group = then // LIMITS.step
    became = np.bincount(group * np.intp(LEVELS) + now, minlength=groups * LEVELS).reshape(groups, LEVELS)
    was = np.bincount(group, weights=then, minlength=groups)
    points, counts = [(0.0, 0.0)], [len(then)]
    for k, count in enumerate(became.sum(axis=1)):
        if count >= LIMITS.pixels:
            reached = np.cumsum(became[k])
            middle = np.searchsorted(reached, [(count + 1) // 2, count // 2 + 1]).mean()
            points.append((float(was[k] / count), float(middle)))
            counts.append(int(count))
    known = _without_moved(np.array(points), np.array(counts))
    change = float(np.max(np.abs(known[:, 1] - known[:, 0])))
    top, risen = known[-1]
    end = min(255.0, 255.0 * risen / top) if top > 0 else 255.0
    known = np.vstack([known, [255.0, max(end, risen)]]) if top < 255 else known
    rising = np.maximum.accumulate(known[:, 1])
    return np.interp(np.arange(LEVELS), known[:, 0], rising), change
