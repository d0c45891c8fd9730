"""A second look at a pair that comparing leaves in doubt: darts that the learned finder sees come between the two.

Comparing has no idea of a dart but a line with a thick end; a dart with its hard shadow, one of the board's own
colour, or two that cross are no such line. The networks know darts, and are shown the picture before as what the
board would show without them. A dart that both see lies where comparing says, which on real pictures is the
better measure, and is as sure as the surer says; what the networks alone see is always asked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.find import BoardFit
from vision.darts.learned import LIMITS as FOUND
from vision.darts.learned import LearnedTip, Nets, darts_at, find_tips
from vision.darts.tips.align import move
from vision.darts.tips.dart import Dart
from vision.darts.tips.pair import Comparison
from vision.darts.tips.pose import Pose
from vision.darts.tips.single import dart_of, on_picture

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

DART_MM: Final = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLimits:
    """What two looks at one pair have to do with each other; set on drawn pairs.

    Attributes
    ----------
    same_mm
        Tips no farther apart are one dart.
    seen
        Chance from which the networks bear out what comparing found.
    certain
        Below this confidence a dart that they do not bear out gives way to one that they see instead.
    body_mm
        What the networks alone see as near to the axis of a dart is a part of it.
    beyond_mm, hides
        A dart whose next so many mm show one in the picture before, with this chance on the mean, may go on behind
        that.
    sigmas
        Where comparing leaves open how far a dart reaches, it reaches no farther than so many standard deviations
        beyond where the networks see its tip.
    apart_mm
        What the networks see as near to a dart that was there before is that.
    """

    same_mm: float = 15.0
    seen: float = 0.1
    certain: float = 0.86
    body_mm: float = 8.0
    beyond_mm: float = 14.0
    hides: float = 0.3
    sigmas: float = 3.0
    apart_mm: float = 4.0


LIMITS: Final = SecondLimits()


def second_look(
    seen: Comparison,
    pair: tuple[Picture, Picture],
    board: BoardFit,
    known: Sequence[Dart] = (),
    asked: Nets | None = None,
) -> Comparison:
    """Put together what comparing and the networks see.

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
    asked
        The networks, where not those in use.

    Returns
    -------
    The same comparison with other darts; one of comparing's that gave way is asked about among `maybe_px`.
    """
    before, after = pair
    there = move(after, np.asarray(cv2.invertAffineTransform(seen.movement), np.float64))
    found = find_tips(there, board.plane, before, asked)
    old = [_place_mm(dart, board) for dart in known]
    tips = [tip for tip in found.tips if _away_mm(tip, old) > LIMITS.apart_mm]
    darts: list[Dart] = []
    doubted: list[Dart] = []
    for dart in sorted(seen.darts, key=lambda dart: -dart.confidence):
        at = [_place_mm(dart, board)]
        near = min(tips, key=lambda tip: _away_mm(tip, at), default=None)
        if near and near.chance >= LIMITS.seen and _away_mm(near, at) <= LIMITS.same_mm:
            tips.remove(near)
            darts.append(_together(dart, near, board))
        else:
            (darts if dart.confidence >= LIMITS.certain else doubted).append(dart)
    taken = [_place_mm(dart, board) for dart in darts]
    pose = Pose(board.plane, (before.shape[1], before.shape[0]))
    new = [
        _alone(tip, board, pose, seen.movement)
        for tip in tips
        if tip.chance >= FOUND.dart
        and _away_mm(tip, taken) > LIMITS.same_mm
        and not any(_on_body(tip, dart, board, pose) for dart in darts)
    ]
    dropped = tuple(dart.tip_px for dart in doubted) if new else ()
    darts += new or doubted
    ordered = tuple(sorted(darts, key=lambda dart: -dart.confidence))
    return replace(seen, darts=ordered, maybe_px=(*seen.maybe_px, *dropped), more=found.more)


def hidden_told(seen: Comparison, before: Picture, board: BoardFit, asked: Nets | None = None) -> Comparison:
    """Mark darts that may go on behind one that the networks see in the picture before: nobody saw their tips."""
    if not seen.darts:
        return seen
    beyond = np.concatenate([_beyond_mm(dart, board) for dart in seen.darts])
    chances = darts_at(before, board.plane, beyond, asked).reshape(len(seen.darts), -1)
    darts = (
        replace(dart, doubts=(*dart.doubts, "TIP_HIDDEN")) if there else dart
        for dart, there in zip(seen.darts, chances.mean(axis=1) > LIMITS.hides, strict=True)
    )
    return replace(seen, darts=tuple(darts))


def _place_mm(dart: Dart, board: BoardFit) -> Array:
    return np.asarray(board.plane.to_board(np.array([dart.plane_px]))[0])


def _away_mm(tip: LearnedTip, places_mm: Sequence[Array]) -> float:
    return min((float(np.hypot(*(tip.xy_mm - place))) for place in places_mm), default=np.inf)


def _on_body(tip: LearnedTip, dart: Dart, board: BoardFit, pose: Pose) -> bool:
    """Say whether a tip is seen on the body of a dart, as where one goes behind another's flight."""
    off = board.plane.to_px(tip.xy_mm.reshape(1, 2))[0] - dart.plane_px
    x, y = dart.axis_px
    aside = abs(float(off @ (-y, x))) / pose.mm_px(np.array(dart.plane_px))
    return 0.0 < float(off @ (x, y)) < dart.length_px and aside < LIMITS.body_mm


def _together(dart: Dart, tip: LearnedTip, board: BoardFit) -> Dart:
    """Give a dart that both see: where comparing sees it, as sure as the surer of the two."""
    others = _still_possible(dart, *on_picture(tip, board))
    return replace(dart, confidence=max(dart.confidence, tip.chance), others_px=others)


def _still_possible(dart: Dart, there: Array, cov: Array) -> tuple[float, float]:
    """Give how far along the axis, either way, the tip may still be when the networks see it there, px."""
    axis = np.array(dart.axis_px)
    along, reach = float(axis @ (there - dart.plane_px)), LIMITS.sigmas * float(np.sqrt(axis @ cov @ axis))
    inward, outward = dart.others_px
    return float(np.clip(along + reach, 0.0, inward)), float(np.clip(reach - along, 0.0, outward))


def _beyond_mm(dart: Dart, board: BoardFit) -> Array:
    """Give (8, 2) places where a dart would go on beyond its tip."""
    ends = np.array(dart.plane_px) - np.outer((0.0, 1.0), dart.axis_px)
    tip, on = board.plane.to_board(ends)
    way = (on - tip) / max(float(np.hypot(*(on - tip))), 1e-9)
    return np.asarray(tip + np.linspace(2.0, LIMITS.beyond_mm, 8)[:, None] * way)


def _alone(tip: LearnedTip, board: BoardFit, pose: Pose, movement: Array) -> Dart:
    """Give a tip as a dart that stands upright on the board: the networks do not say where its flight is."""
    dart = dart_of(tip, board, pose.eye_mm())
    lean = pose.lean_px(np.array(dart.plane_px), DART_MM)
    length = float(np.hypot(*lean))
    return replace(
        dart,
        tip_px=_moved(np.array(dart.plane_px), movement),
        axis_px=(float(lean[0]) / max(length, 1e-9), float(lean[1]) / max(length, 1e-9)),
        doubts=("MAYBE_NO_DART",),
        length_px=length,
    )


def _moved(at_px: Array, movement: Array) -> tuple[float, float]:
    x, y = movement[:, :2] @ at_px + movement[:, 2]
    return float(x), float(y)
