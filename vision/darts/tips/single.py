"""Darts in one picture, without a picture from before: what the learned finder sees, and how sure that is."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.darts.find import BoardFit
from vision.darts.learned import LIMITS as FOUND
from vision.darts.learned import LearnedTip, Nets, Seen, find_tips, leaning
from vision.darts.tips.dart import Dart
from vision.darts.tips.pair import Comparison

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleLimits:
    """What one picture shows.

    Attributes
    ----------
    maybe
        Chance from which a place where no dart is reported asks.
    """

    maybe: float = 0.15


LIMITS: Final = SingleLimits()


def darts_in(image: Picture, board: BoardFit, asked: Nets | None = None) -> Comparison:
    """Find all darts that one picture shows.

    Parameters
    ----------
    image
        (H, W, 3) BGR.
    board
        The board as it lies in the picture.
    asked
        The networks, where not those in use.
    """
    seen = find_tips(image, board.plane, asked=asked)
    return Comparison(
        darts=tuple(dart_of(tip, board, seen.eye_mm) for tip in seen.tips if tip.chance >= FOUND.dart),
        changed_share=0.0,
        unexplained_share=0.0,
        movement=np.eye(2, 3),
        maybe_px=_maybe(seen, board),
        more=seen.more,
    )


def _maybe(seen: Seen, board: BoardFit) -> tuple[tuple[float, float], ...]:
    unsure = [tip.xy_mm for tip in seen.tips if LIMITS.maybe <= tip.chance < FOUND.dart]
    return tuple((float(x), float(y)) for x, y in board.plane.to_px(np.reshape(unsure, (-1, 2))))


def dart_of(tip: LearnedTip, board: BoardFit, eye_mm: Array) -> Dart:
    """Give a tip that the networks see as a dart; which way it lies is known of the eye's place alone."""
    at, cov_px = on_picture(tip, board)
    ahead = tip.xy_mm + 10.0 * np.array(leaning(eye_mm, tip.xy_mm))
    way = board.plane.to_px(ahead.reshape(1, 2))[0] - at
    way /= max(float(np.linalg.norm(way)), 1e-9)
    place = (float(at[0]), float(at[1]))
    return Dart(
        tip_px=place,
        plane_px=place,
        cov_px=cov_px,
        axis_px=(float(way[0]), float(way[1])),
        confidence=tip.chance,
    )


def on_picture(tip: LearnedTip, board: BoardFit) -> tuple[Array, Array]:
    """Give where a tip is in the picture, (2,) px, and its (2, 2) covariance there."""
    slope = board.plane.jacobian(tip.xy_mm)[0]
    return board.plane.to_px(tip.xy_mm.reshape(1, 2))[0], np.asarray(slope @ tip.cov_mm @ slope.T)
