"""The disc before the shot: where it waited, and its colours."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.evidence import colour_odds
from vision.finn.focus import edges_of, outline_support
from vision.finn.light import Floats, Mask, Pair, Picture
from vision.finn.pins import Axis, Body, drawn, outline_px, standing

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscLimits:
    """When something that is gone was the disc.

    Attributes
    ----------
    reach_cm
        It waits between the near end and so far: the launch zone is 25 cm long by default.
    changed
        Share of its outline's area that changed when it left.
    own_colour
        Mean odds of its colours against those of the pins from which they tell the two apart.
    """

    reach_cm: float = 35.0
    changed: float = 0.6
    own_colour: float = 0.45


LIMITS: Final = DiscLimits()


def waiting(pair: Pair, before: Picture, camera: Camera, body: Body, pins: Mask) -> Axis | None:
    """Find where the disc was in the picture before and is no more, or None."""
    shape = pair.change.shape
    new = np.clip((pair.change - 0.10) / 0.1, -1, 1).astype(np.float32)
    new[pins > 0] = -1
    edges = edges_of(before)
    step = 0.75
    best, score = None, LIMITS.changed
    xs, ys = np.meshgrid(np.arange(1.0, LIMITS.reach_cm, step), np.arange(1.0, 48.0, step))
    middles = np.round(camera.to_px(np.column_stack([xs.ravel(), ys.ravel(), np.full(xs.size, body.height_cm)])))
    smooth = cv2.blur(new, (9, 9))
    for x, y, (column, row) in zip(xs.ravel(), ys.ravel(), middles.astype(int), strict=True):
        if not (0 <= row < shape[0] and 0 <= column < shape[1]) or smooth[row, column] < 0.3:
            continue
        axis = standing((float(x), float(y)), body)
        value = _filled(new, axis, body, camera) + 0.5 * outline_support(outline_px(axis, body, camera), edges)
        if value > score:
            best, score = axis, value
    return best


def _filled(new: Floats, axis: Axis, body: Body, camera: Camera) -> float:
    mask = drawn(outline_px(axis, body, camera), new.shape)
    return float(cv2.mean(new, mask)[0]) if mask.any() else -1.0


def disc_odds(pair: Pair, disc: Mask, pins: Mask) -> Floats:
    """Give (H, W) -1 to 1: the colours of pins, those of the disc; all 0 where the two cannot be told apart."""
    inner = cv2.erode(disc, np.ones((5, 5), np.uint8))
    nothing = np.zeros(pair.change.shape, np.float32)
    if not inner.any():
        return nothing
    odds = colour_odds(pair.after, pair.before[inner > 0], pair.before[pins > 0])
    own = colour_odds(pair.before, pair.before[inner > 0], pair.before[pins > 0])
    apart = min(float(own[inner > 0].mean()), float(-own[pins > 0].mean()))
    return odds if apart > LIMITS.own_colour else nothing
