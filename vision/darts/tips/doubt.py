"""Where else a dart may end: a shadow that runs on from its point, a point in the colour of the bed behind it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.axis import Axis
from vision.darts.tips.change import Change

Array = NDArray[np.float64]
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DoubtLimits:
    """When an end is not the only one that the picture allows; set on drawn pairs.

    Attributes
    ----------
    reach_mm
        So far to both sides of the end others are looked for: a steel point with half a barrel is 35 mm long.
    pause_mm
        A stretch that is no shadow, or stands out, ends a run when it is longer than this; wires are shorter.
    darkest, lightest
        What is left of the light in a shadow that may pass for a dart.
    residual
        A shadow leaves the colour of what it falls on, within this many noise units.
    faint
        Change of fewer noise units than this may be anything, so the dart may end before it.
    contrast
        A point that differs from the bed behind it by fewer noise units than this is not seen: it is thinner than
        the strip that is looked at, so half of it is lost.
    dark
        Beds below this brightness swallow a dark point; if the dart ends where such a bed begins, or ends blunt,
        it may go on.
    blunt_mm
        An end wider than this is a barrel's: a point is 2.5 mm thick, and blurred twice that.
    point_mm
        So much of a point stands out of the board at most. Where a barrel ends, the point that it must have is not
        seen, on whatever bed.
    alike
        And at least this share of what the dart is further in; less is the taper of a barrel's front.
    border_mm
        So far around the end the beginning of a bed counts.
    usual_mm
        Runs up to this are found at ends that are right.
    """

    reach_mm: float = 32.0
    pause_mm: float = 1.5
    darkest: float = 0.45
    lightest: float = 1.02
    residual: float = 2.6
    faint: float = 5.0
    contrast: float = 4.5
    dark: float = 60.0
    alike: float = 0.7
    border_mm: float = 4.0
    blunt_mm: float = 5.0
    point_mm: float = 30.0
    usual_mm: float = 3.0


LIMITS = DoubtLimits()

_END_MM, _BARREL_MM = (2.0, 5.0), (4.0, 10.0)
"""From the end inward: where an end's width is taken, and a barrel's to hold it against."""

_INSIDE_MM = ((0.5, 2.5), (2.0, 5.0), (4.0, 8.0))
"""From the end inward: where the colours are taken that a dart may go on in."""


def other_ends_mm(
    change: Change, axis: Axis, tip_px: Array, mm_px: float, limits: DoubtLimits = LIMITS
) -> tuple[float, float]:
    """Say how far from the end found the dart may end as well.

    Parameters
    ----------
    change
        The two pictures in one light.
    axis
        The dart's axis in it.
    tip_px
        (2,) the end found.
    mm_px
        Pixels a millimetre at the board.
    limits
        When an end is not the only one.

    Returns
    -------
    How far toward the flight the change may be a shadow or is faint, and how far beyond the end a dart would not
    show; mm.
    """
    step = 0.5 / max(mm_px, 1.0)
    stations = np.arange(-limits.reach_mm, limits.reach_mm, step)
    lit = _strip(change.lit, axis, tip_px, stations * mm_px)
    new = _strip(change.new, axis, tip_px, stations * mm_px)
    inward, outward = stations > 0, stations < -1.0
    left = (new * lit).sum(axis=1) / ((lit * lit).sum(axis=1) + 1.0)
    residual = np.linalg.norm(new - left[:, None] * lit, axis=1) / change.unit
    shade = (left > limits.darkest) & (left < limits.lightest) & (residual < limits.residual)
    colours = [np.median(new[(stations >= low) & (stations < high)], axis=0) for low, high in _INSIDE_MM]
    shade |= _strip(change.material, axis, tip_px, stations * mm_px) < limits.faint
    inside = np.median(lit[(stations > 0.5) & (stations < limits.border_mm)], axis=0)
    beyond = np.median(lit[(stations < -1.0) & (stations > -limits.border_mm)], axis=0)
    begins = np.linalg.norm(inside - beyond) > limits.contrast * change.unit
    blunt = _is_blunt(change, axis, tip_px, mm_px, limits)
    if np.mean(beyond) < limits.dark and (begins or blunt):
        colours.append(beyond)
    stands_out = np.min([np.linalg.norm(lit - colour, axis=1) for colour in colours], axis=0) / change.unit
    hidden = stands_out < limits.contrast
    pause = limits.pause_mm / step
    unseen = step * _run(hidden[outward][::-1], pause)
    return step * _run(shade[inward], pause), max(unseen, limits.point_mm if blunt else 0.0)


def _is_blunt(change: Change, axis: Axis, tip_px: Array, mm_px: float, limits: DoubtLimits) -> bool:
    """Say whether the dart ends as wide as it is further in: at its barrel, its point unseen."""
    end, inner = (_width_mm(change, axis, tip_px, mm_px, part) for part in (_END_MM, _BARREL_MM))
    return end > limits.blunt_mm and end > limits.alike * inner


def _width_mm(change: Change, axis: Axis, tip_px: Array, mm_px: float, part_mm: tuple[float, float]) -> float:
    """Give how wide the dart is over a part of it from its end: where change is more than half of its most."""
    normal = np.array([-axis.along_px[1], axis.along_px[0]])
    along, across = np.linspace(*part_mm, 5), np.arange(-7.0, 7.1, 0.5)
    xy = tip_px + mm_px * (along[:, None, None] * axis.along_px + across[None, :, None] * normal)
    x, y = xy[..., 0].astype(np.float32), xy[..., 1].astype(np.float32)
    seen = cv2.remap(change.material, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    profile = np.asarray(seen, np.float64).mean(axis=0)
    return 0.5 * float(np.count_nonzero(profile > 0.5 * profile.max()))


def _run(marks: NDArray[np.bool_], pause: float) -> int:
    """Give how far from the beginning marks go on without a longer pause."""
    places = np.append(-1, np.flatnonzero(marks))
    breaks = np.flatnonzero(np.diff(places) > pause + 1)
    return int(places[breaks[0]] if len(breaks) else places[-1]) + 1


def _strip(picture: Map, axis: Axis, tip_px: Array, stations_px: Array) -> Array:
    """Sample colours along the axis, (N, 3): at each station the mean of a strip three pixels wide."""
    normal = np.array([-axis.along_px[1], axis.along_px[0]])
    centre = tip_px + stations_px[:, None] * axis.along_px
    strip = (centre[:, None, :] + np.array([-1.0, 0.0, 1.0])[None, :, None] * normal).astype(np.float32)
    values = cv2.remap(picture, strip[..., 0], strip[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.asarray(values, np.float64).mean(axis=1), np.float64)
