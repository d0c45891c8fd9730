"""The point of a dart: where along its axis the change ends at the board."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.axis import LIMITS as AXIS_LIMITS
from vision.darts.tips.axis import Axis, AxisLimits
from vision.darts.tips.change import Change
from vision.darts.tips.doubt import LIMITS as DOUBT_LIMITS
from vision.darts.tips.doubt import other_ends_mm

Array = NDArray[np.float64]
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PointLimits:
    """How sure a tip is, one standard deviation; set so that 90 % of drawn tips lie within 1.6 of them.

    Attributes
    ----------
    along_px, faint_px
        Along the axis: at full contrast, and what is added where the point hardly stands out.
    along_mm
        Along the axis at best, however large the picture is: where a point goes into the bed is no sharp edge.
    shade_mm
        So far beyond the point the shadow goes that it throws on its own hole: this is taken off.
    other_share
        Where the dart may end elsewhere as well, so much of the way there is added.
    across_px, across_share
        Across it: at best, and how much of the scatter of the slices is added.
    """

    along_px: float = 1.2
    faint_px: float = 3.0
    along_mm: float = 0.8
    shade_mm: float = 0.5
    other_share: float = 0.25
    across_px: float = 0.5
    across_share: float = 1.5


LIMITS = PointLimits()

BESIDE_MM = 6.0
"""How far beside the axis its surroundings are looked at: a barrel is 3 to 4 mm from middle to edge."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where the dart is in the board.

    Attributes
    ----------
    xy_px
        (2,) the tip.
    along_sd_px
        How sure along the axis.
    across_sd_px
        How sure across it.
    others_px
        How far toward the flight, and how far the other way, it may be as well.
    """

    xy_px: Array
    along_sd_px: float
    across_sd_px: float
    others_px: tuple[float, float] = (0.0, 0.0)


def find_point(change: Change, axis: Axis, mm_px: float, limits: AxisLimits = AXIS_LIMITS) -> Point:
    """Follow the axis from the barrel toward the board to where change ends.

    Each station adds what it shows above `seen`; the end is where the sum is largest, so that a few stations
    without contrast are bridged by what comes after them, and noise beyond the point adds nothing. What shows as
    much beside the axis, on either side, is no point: the ghost that a codec leaves around a dart is wide.

    Parameters
    ----------
    change
        The two pictures compared.
    axis
        The dart's axis.
    mm_px
        Pixels a millimetre at the board.
    limits
        What counts as seen.
    """
    start = axis.span_px[0]
    inside, beyond = 0.35 * (axis.span_px[1] - start), 45.0 * mm_px
    step = 0.25
    stations = np.arange(start + inside, start - beyond, -step)
    profile = _profile(change.material, axis, stations)
    aside = BESIDE_MM * mm_px + 2.0
    beside = np.minimum(
        _profile(change.material, axis, stations, aside), _profile(change.material, axis, stations, -aside)
    )
    gain = np.minimum(profile, limits.strong) - np.maximum(limits.seen, beside)
    end = int(np.argmax(np.cumsum(gain)))
    tip_station, along_sd = _half_way(profile, stations, end, limits)
    tip_station += LIMITS.shade_mm * mm_px
    tip = axis.origin_px + tip_station * axis.along_px
    shade_mm, hidden_mm = other_ends_mm(change, axis, tip, mm_px)
    shade_mm, hidden_mm = (run if run > DOUBT_LIMITS.usual_mm else 0.0 for run in (shade_mm, hidden_mm))
    elsewhere = max(0.0, shade_mm - DOUBT_LIMITS.usual_mm, hidden_mm - DOUBT_LIMITS.usual_mm)
    along_sd = float(np.hypot(along_sd, np.hypot(LIMITS.along_mm, LIMITS.other_share * elsewhere) * mm_px))
    lever = (start + inside - tip_station) / max(axis.span_px[1] - start, 1.0)
    across = (
        axis.across_sd_px * (1 + lever) / np.sqrt(max(axis.slices / 6, 1.0)) * LIMITS.across_share
        + LIMITS.across_px
    )
    return Point(
        xy_px=tip,
        along_sd_px=along_sd,
        across_sd_px=float(across),
        others_px=(shade_mm * mm_px, hidden_mm * mm_px),
    )


def _profile(material: Map, axis: Axis, stations: Array, aside_px: float = 0.0) -> Array:
    """Sample change along the axis, or beside it: at each station the mean of a strip three pixels wide."""
    normal = np.array([-axis.along_px[1], axis.along_px[0]])
    centre = axis.origin_px + aside_px * normal + stations[:, None] * axis.along_px
    strip = centre[:, None, :] + np.array([-1.0, 0.0, 1.0])[None, :, None] * normal
    xy = strip.astype(np.float32)
    values = cv2.remap(material, xy[..., 0], xy[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(np.asarray(values, np.float64).mean(axis=1), np.float64)


def _half_way(profile: Array, stations: Array, end: int, limits: AxisLimits) -> tuple[float, float]:
    """Move the end to where change has fallen to half of what it was just inside."""
    inside = float(np.median(profile[max(0, end - 16) : end + 1]))
    half = max(0.5 * min(inside, 9 * limits.seen), 1.6)
    k = end
    while k + 1 < len(profile) and profile[k] > half:
        k += 1
    while k > 0 and profile[k - 1] < half:
        k -= 1
    contrast = inside / limits.seen
    return float(stations[k]), float(LIMITS.along_px + LIMITS.faint_px / max(contrast, 0.5))
