"""Darts in one picture, without a picture from before: what the learned finder sees, and how sure that is."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.darts.find import BoardFit
from vision.darts.learned import LearnedTip, Seen, find_tips, leaning
from vision.darts.tips.dart import Dart
from vision.darts.tips.pair import Comparison

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleLimits:
    """What one picture shows.

    Attributes
    ----------
    dart
        Chance from which a tip is reported as a dart: about half of the F1 that is reached on boards held back,
        where F1 is highest for chances that are true (Lipton, Elkan, Naryanaswamy: Optimal Thresholding of
        Classifiers to Maximize F1 Measure, 2014).
    maybe
        Chance from which a place where none is reported asks.
    """

    dart: float = 0.35
    maybe: float = 0.15


LIMITS: Final = SingleLimits()


def darts_in(image: Picture, board: BoardFit) -> Comparison:
    """Find all darts that one picture shows.

    Parameters
    ----------
    image
        (H, W, 3) BGR.
    board
        The board as it lies in the picture.
    """
    seen = find_tips(image, board.plane)
    return Comparison(
        darts=tuple(dart_of(tip, board, seen.eye_mm) for tip in seen.tips if tip.chance >= LIMITS.dart),
        changed_share=0.0,
        unexplained_share=0.0,
        movement=np.eye(2, 3),
        maybe_px=_maybe(seen, board),
    )


def _maybe(seen: Seen, board: BoardFit) -> tuple[tuple[float, float], ...]:
    unsure = [tip.xy_mm for tip in seen.tips if LIMITS.maybe <= tip.chance < LIMITS.dart]
    return tuple((float(x), float(y)) for x, y in board.plane.to_px(np.reshape(unsure, (-1, 2))))


def dart_of(tip: LearnedTip, board: BoardFit, eye_mm: Array) -> Dart:
    """Give a tip that the networks see as a dart; which way it lies is known of the eye's place alone."""
    ahead = tip.xy_mm + 10.0 * np.array(leaning(eye_mm, tip.xy_mm))
    at, beyond = board.plane.to_px(np.stack([tip.xy_mm, ahead]))
    way = (beyond - at) / max(float(np.linalg.norm(beyond - at)), 1e-9)
    slope = board.plane.jacobian(tip.xy_mm)[0]
    place = (float(at[0]), float(at[1]))
    return Dart(
        tip_px=place,
        plane_px=place,
        cov_px=np.asarray(slope @ tip.cov_mm @ slope.T),
        axis_px=(float(way[0]), float(way[1])),
        confidence=tip.chance,
    )
