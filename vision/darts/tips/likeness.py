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
    border_mm, shown
        A streak that ends this near to the border of the picture goes on beyond it: then it may be short and
        without a flight, unless it shows so much of a dart's length that a flight should be seen.
    tilt, tilt_width
        Sine of the angle between dart and board normal; droop and wild throws stay below 0.5.
    point_mm, point_width_mm
        The end in the board is a point or a barrel, not a flight or the shadow of one.
    blur_px
        A thing's change is about so much wider than the thing: blur, sharpening's seam and the pixels it shares.
    bend_mm, bend_width_mm
        How much the middle of a dart's slices may wind: a dart and its shadow together make a bend.
    short_mm, short_width_mm
        Less of a dart than this is not read as one.
    body_mm2, body_width_mm2
        Area: a barrel alone has 300 mm², a flight 1,000.
    covered, covered_width
        Share of the length that shows change; a dart behind another may show half of it.
    barrel_mm, barrel_width_mm
        The third toward the board is point and barrel, 8 mm thick at most, and its edge in the picture. Fingers
        and stickers are thicker.
    flight_mm, flight_width_mm
        The other half has the flight, 30 mm and more, or a narrow one's 16; a straw, a cable, an insect, a shaft
        that lies in the spider has none.
    wings, wings_width
        Where along the dart its flight has its middle. Seen from ahead the blades of a flight make a cross, and
        one of them looks like a dart with wings at its middle.
    whole_mm2, whole_width_mm2
        Area of a dart of which all but the point stands out.
    doubtful
        What the last four leave when they fail: a dart before a dark wall, or in a fog of other changes, fails
        too, so what was seen is still said, and asks for a look.
    """

    rim_mm: float = 228.0
    border_mm: float = 8.0
    shown: float = 0.7
    tilt: float = 0.45
    tilt_width: float = 0.05
    point_mm: float = 11.0
    point_width_mm: float = 1.5
    blur_px: float = 2.0
    bend_mm: float = 3.2
    bend_width_mm: float = 0.5
    short_mm: float = 40.0
    short_width_mm: float = 4.0
    body_mm2: float = 110.0
    body_width_mm2: float = 20.0
    covered: float = 0.6
    covered_width: float = 0.07
    barrel_mm: float = 14.0
    barrel_width_mm: float = 0.7
    flight_mm: float = 13.0
    flight_width_mm: float = 1.0
    wings: float = 0.6
    wings_width: float = 0.025
    whole_mm2: float = 260.0
    whole_width_mm2: float = 25.0
    doubtful: float = 0.55


LIMITS = LikenessLimits()

_SHARES = np.linspace(0.2, 1.45, 26)
"""Of a dart's length that may show: the rest is hidden, or the dart is a long one or nearer to the camera."""


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
    tip_width_px, across_sd_px
        How wide it is at its foot, and how much its middle winds about the line.
    body_width_px, flight_width_px
        How wide it is toward the board and toward its end.
    wings_at
        Where along it what is wider than a barrel has its middle.
    """

    tip_px: Array
    along_px: Array
    length_px: float
    support: int
    covered: float
    tip_width_px: float = 0.0
    across_sd_px: float = 0.0
    body_width_px: float = 0.0
    flight_width_px: float = 0.0
    wings_at: float = 1.0


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
    tilt, share = tilt_needed(seen, lean)
    end = streak.tip_px + streak.along_px * (streak.length_px + limits.border_mm * mm_px)
    cut = bool(np.any(end < 1) or end[0] > size[0] - 2 or end[1] > size[1] - 2)
    area_mm2 = streak.support / mm_px**2
    steps = [
        _step(limits.tilt - tilt, limits.tilt_width),
        _step(area_mm2 - limits.body_mm2 * (0.3 if cut else 1.0), limits.body_width_mm2),
        _step(streak.covered - limits.covered, limits.covered_width),
        _step(limits.point_mm - (streak.tip_width_px - limits.blur_px) / mm_px, limits.point_width_mm),
        _step(limits.bend_mm - streak.across_sd_px / mm_px, limits.bend_width_mm),
    ]
    body_mm = (streak.body_width_px - limits.blur_px) / mm_px
    shape = [_step(limits.barrel_mm - body_mm, limits.barrel_width_mm)]
    if not cut:
        shape.append(_step(streak.wings_at - limits.wings, limits.wings_width))
        shape.append(_step(area_mm2 - limits.whole_mm2, limits.whole_width_mm2))
        steps.append(_step(150.0 * max(share, float(np.hypot(*seen))) - limits.short_mm, limits.short_width_mm))
    if not cut or np.hypot(*seen) > limits.shown * max(float(np.hypot(*lean)), limits.shown):
        shape.append(_step(streak.flight_width_px / mm_px - limits.flight_mm, limits.flight_width_mm))
    return float(np.prod(steps) * (limits.doubtful + (1 - limits.doubtful) * np.prod(shape)))


def tilt_needed(seen: Array, lean: Array) -> tuple[float, float]:
    """Say how far a dart has to lean from the board's normal to look as it does.

    Parameters
    ----------
    seen
        (2,) from tip to end in the picture, in dart's lengths at the board's scale.
    lean
        (2,) the same for a whole dart along the normal.

    Returns
    -------
    Sine of the angle, at least; and the share of a dart's length that then shows.
    """
    tilts = np.linalg.norm(seen / _SHARES[:, None] - lean, axis=1)
    best = int(np.argmin(tilts))
    return float(tilts[best]), float(_SHARES[best])


def _step(value: float, width: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value / width, -40, 40))))
