"""A second look at a pair that comparing leaves in doubt: darts that the learned finder sees now, not before.

Comparing has no idea of a dart but a line with a thick end; a dart with its hard shadow, one of the board's own
colour, or two that cross are no such line. The networks know darts but not what is new. Together they say both.
What only the networks saw is always asked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.find import BoardFit
from vision.darts.learned import LearnedTip, find_tips
from vision.darts.tips.align import move
from vision.darts.tips.dart import Dart
from vision.darts.tips.pair import Comparison
from vision.darts.tips.pose import Pose
from vision.darts.tips.single import dart_of

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

DART_MM: Final = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLimits:
    """What is new; set on drawn pairs.

    Attributes
    ----------
    dart
        Chance from which a tip in the picture after is a dart.
    before, apart_mm
        Not a new one if the picture before has a tip of the first chance within the second of it.
    beside_mm
        Nor if comparing is sure of a dart as near as this.
    """

    dart: float = 0.5
    before: float = 0.1
    apart_mm: float = 8.0
    beside_mm: float = 15.0


LIMITS: Final = SecondLimits()


def second_look(
    seen: Comparison, pair: tuple[Picture, Picture], board: BoardFit, known: Sequence[Dart], sure: float
) -> Comparison:
    """Put what the networks find in place of what comparing is not sure of.

    Parameters
    ----------
    seen
        What comparing said.
    pair
        The pictures before and after, (H, W, 3) BGR.
    board
        The board as it lies in the first.
    known
        Darts in the first.
    sure
        Chance from which a dart of `seen` stands.

    Returns
    -------
    The same comparison with other darts, or `seen` where the networks find none that is new.
    """
    before, after = pair
    there = move(after, np.asarray(cv2.invertAffineTransform(seen.movement), np.float64))
    old = [tip.xy_mm for tip in find_tips(before, board.plane).tips if tip.chance >= LIMITS.before]
    old += [board.plane.to_board(np.array([dart.tip_px]))[0] for dart in known]
    stand = [dart for dart in seen.darts if dart.confidence >= sure]
    taken = [board.plane.to_board(np.array([dart.plane_px]))[0] for dart in stand]
    new = [
        tip
        for tip in find_tips(there, board.plane).tips
        if tip.chance >= LIMITS.dart
        and _away_mm(tip.xy_mm, old) > LIMITS.apart_mm
        and _away_mm(tip.xy_mm, taken) > LIMITS.beside_mm
    ]
    if not new:
        return seen
    pose = Pose(board.plane, (before.shape[1], before.shape[0]))
    found = [_dart(tip, board, pose, seen.movement) for tip in new]
    return replace(seen, darts=tuple(sorted((*stand, *found), key=lambda dart: -dart.confidence)))


def _away_mm(xy_mm: Array, others: Sequence[Array]) -> float:
    return min((float(np.hypot(*(xy_mm - other))) for other in others), default=np.inf)


def _dart(tip: LearnedTip, board: BoardFit, pose: Pose, movement: Array) -> Dart:
    """Give a tip as a dart that stands upright on the board: the networks do not say where its flight is."""
    dart = dart_of(tip, board, pose.eye_mm())
    moved = movement[:, :2] @ dart.plane_px + movement[:, 2]
    lean = pose.lean_px(np.array(dart.plane_px), DART_MM)
    length = float(np.hypot(*lean))
    return replace(
        dart,
        tip_px=(float(moved[0]), float(moved[1])),
        axis_px=(float(lean[0]) / max(length, 1e-9), float(lean[1]) / max(length, 1e-9)),
        doubts=("MAYBE_NO_DART",),
        length_px=length,
    )
