"""How much a streak is like a dart: its foot on the board, its lean, its length, its size."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.pose import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LikenessLimits:
    """What darts in a board have in common; each is a middle and a width of a soft step.

    Attributes
    ----------
    rim_mm
        Tips lie within this radius; further out there is wall.
    lean, lean_width
        Sine of the angle between dart and board normal across the line of sight; leagues' darts stay below 0.35.
    short_mm, short_width_mm
        Darts seen whole are longer than this, in millimetres of a dart pointing as the board's normal does.
    long_mm, long_width_mm
        And shorter than this.
    body_mm2, body_width_mm2
        Area: a barrel alone has 300 mm², a flight 1,000.
    covered, covered_width
        Share of the length that shows change; a dart behind another may show flight and point alone.
    """

    rim_mm: float = 228.0
    lean: float = 0.55
    lean_width: float = 0.05
    short_mm: float = 45.0
    short_width_mm: float = 5.0
    long_mm: float = 230.0
    long_width_mm: float = 12.0
    body_mm2: float = 110.0
    body_width_mm2: float = 20.0
    covered: float = 0.35
    covered_width: float = 0.05


LIMITS = LikenessLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """A line of change with a foot.

    Attributes
    ----------
    tip_px, along_px
        (2,) its foot in the picture the board was found in, and the unit vector from there to its end.
    length_px
        How long it is.
    support
        How many changed pixels belong to it.
    covered
        Share of its length that shows change.
    """

    tip_px: Array
    along_px: Array
    length_px: float
    support: int
    covered: float


def dart_likeness(streak: Streak, pose: Pose, size: tuple[int, int], limits: LikenessLimits = LIMITS) -> float:
    """Give a number from 0 (no dart) to 1 (nothing against it).

    Parameters
    ----------
    streak
        What was seen.
    pose
        The camera.
    size
        Width and height of the picture: what leaves it is not short.
    limits
        What darts have in common.
    """
    foot = pose.plane.to_board(streak.tip_px.reshape(1, 2))[0]
    if not np.hypot(*foot) < limits.rim_mm:
        return 0.0
    mm_px = pose.mm_px(streak.tip_px)
    lean = pose.lean_px(streak.tip_px, 150.0) / (150.0 * mm_px)
    seen = streak.along_px * streak.length_px / (150.0 * mm_px)
    # The part of the lean that shows: the dart's direction in the picture less that of the normal.
    across = abs(float(streak.along_px[0] * lean[1] - streak.along_px[1] * lean[0]))
    end = streak.tip_px + streak.along_px * (streak.length_px + 6.0)
    cut = bool(np.any(end < 1) or end[0] > size[0] - 2 or end[1] > size[1] - 2)
    whole = 150.0 * float(np.hypot(*seen)) / max(float(np.hypot(*lean)), 0.35)
    backward = float(streak.along_px @ lean) + limits.lean
    steps = [
        _step(limits.lean - across, limits.lean_width),
        _step(backward, limits.lean_width),
        _step(limits.long_mm - whole, limits.long_width_mm),
        _step(
            streak.support / mm_px**2 - limits.body_mm2 * (0.3 if cut else 1.0),
            limits.body_width_mm2,
        ),
        _step(streak.covered - limits.covered, limits.covered_width),
    ]
    if not cut:
        steps.append(_step(whole - limits.short_mm, limits.short_width_mm))
    return float(np.prod(steps))


def _step(value: float, width: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value / width, -40, 40))))
