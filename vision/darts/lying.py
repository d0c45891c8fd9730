"""Darts known to be in the board, and whether one is still there: by the small pictures around its arrival.

A dart that came changed some pixels from what was behind it to itself. As long as those look more like the picture
after its arrival than like the one before, it is there. This needs no finding of darts in the picture, and neither
hands that were there meanwhile nor another light matter to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes import Mask, Region, compare
from vision.darts.tips import Dart
from vision.frames import Picture
from vision.geometry import PlaneMap
from vision.phases import Scene

LEAST_PIXELS: Final = 5
"""Fewer own small pixels than this say nothing about a dart; then the change around its tip is asked."""

TIP_REACH_PX: Final = 4
"""Half the side, in small pixels, of what is looked at around a tip: the dart's point and some of its barrel."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """What a dart changed: 1 where in `mask`, from `before` to `after`; all (h, w) of the region."""

    mask: Mask
    before: Picture
    after: Picture


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lying:
    """A dart in the board.

    Attributes
    ----------
    dart
        As it was read.
    trace
        What it changed when it came; None for one that was there from the start, or since the camera moved.
    thrown
        The number of its throw in this visit, from 0; None if it was not seen thrown.
    """

    dart: Dart
    trace: Trace | None = None
    thrown: int | None = None


def arrived(dart: Dart, scene: Scene, thrown: int, together: Sequence[Dart] = ()) -> Lying:
    """Remember a dart that the scene brought, perhaps together with others: each has the change next to it."""
    mask = scene.change.mask
    others = [_away(other, scene) for other in together if other is not dart]
    if others:
        mask = mask * (_away(dart, scene) <= np.min(others, axis=0))
    trace = Trace(mask=mask.astype(np.uint8, copy=False), before=scene.small_before, after=scene.small_after)
    return Lying(dart=dart, trace=trace, thrown=thrown)


def shares(darts: Sequence[Dart], scene: Scene) -> tuple[float, ...]:
    """Give what share of the scene's change lies nearest to each of some darts."""
    changed = scene.change.mask > 0
    if not darts or not np.any(changed):
        return (0.0,) * len(darts)
    nearest = np.argmin([_away(dart, scene)[changed] for dart in darts], axis=0)
    return tuple(float(np.mean(nearest == place)) for place in range(len(darts)))


def _away(dart: Dart, scene: Scene) -> NDArray[np.float64]:
    """Give the distance of each small pixel, (h, w), from a dart's line, in small pixels."""
    tip = _small_px(dart, scene.region)
    axis = np.asarray(dart.axis_px)
    rows, columns = np.indices(scene.change.mask.shape)
    beside = np.stack([columns - tip[0], rows - tip[1]], axis=-1)
    along = np.clip(beside @ axis, 0, dart.length_px / scene.region.factor)
    return np.asarray(np.linalg.norm(beside - along[..., None] * axis, axis=-1))


def _small_px(dart: Dart, region: Region) -> NDArray[np.float64]:
    corner = np.array([region.columns.start, region.rows.start])
    return np.asarray((np.asarray(dart.tip_px) + 0.5) / region.factor - 0.5 - corner, np.float64)


def overlaid(lying: Sequence[Lying], scene: Scene) -> tuple[Lying, ...]:
    """Take from the traces what the scene changed: a later dart in front says nothing about an earlier one."""
    return tuple(
        replace(one, trace=replace(one.trace, mask=one.trace.mask * (1 - scene.change.mask))) if one.trace else one
        for one in lying
    )


def untraced(lying: Sequence[Lying]) -> tuple[Lying, ...]:
    """Forget the traces: the camera moved, so that their pixels show something else."""
    return tuple(replace(one, trace=None) for one in lying)


def carried(lying: Sequence[Lying], old: PlaneMap, new: PlaneMap) -> tuple[Lying, ...]:
    """Give the darts in the picture of a board that moved; their traces are forgotten, see `untraced`."""

    def there(dart: Dart) -> Dart:
        x, y = new.to_px(old.to_board(np.array([dart.tip_px])))[0]
        return replace(dart, tip_px=(float(x), float(y)), plane_px=(float(x), float(y)))

    return tuple(replace(one, dart=there(one.dart), trace=None) for one in lying)


def is_gone(one: Lying, scene: Scene) -> bool:
    """Say whether a dart that was there before the scene is no longer there after it."""
    if one.trace is None or cv2.countNonZero(one.trace.mask) < LEAST_PIXELS:
        return _touched(one.dart, scene)
    return _resembles(scene.small_after, one.trace, scene.region)


def _resembles(now: Picture, trace: Trace, region: Region) -> bool:
    """Say whether the trace looks more as before the dart came than as after it."""
    like_before = compare(now, trace.before, region).levels
    like_after = compare(now, trace.after, region).levels
    inside = trace.mask > 0
    return float(np.mean(like_before[inside])) < float(np.mean(like_after[inside]))


def _touched(dart: Dart, scene: Scene) -> bool:
    """Say whether anything changed at the tip of a dart."""
    column, row = (round(float(place)) for place in _small_px(dart, scene.region))
    around = scene.change.mask[
        max(0, row - TIP_REACH_PX) : row + TIP_REACH_PX + 1,
        max(0, column - TIP_REACH_PX) : column + TIP_REACH_PX + 1,
    ]
    return int(np.count_nonzero(around)) >= LEAST_PIXELS
