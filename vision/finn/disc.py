"""The disc before the shot: where it waited."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera, shifted
from vision.finn.evidence import Colours, colours_of, told_apart
from vision.finn.focus import outline_supports
from vision.finn.light import Floats, Mask, Pair
from vision.finn.pins import Axis, Body, drawn, outline_px, standing
from vision.finn.state import BOARD_CM

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscLimits:
    """When something that is gone was the disc.

    Attributes
    ----------
    reach_cm
        It waits between the near end and so far: the launch zone is 25 cm long by default.
    step_cm
        Grid of places.
    least
        Difference of logarithms of a pixel that shows something else.
    worth
        Mean of them, -1 to 1, around a place from which it is looked at.
    changed
        Share of its outline's area that changed when it left.
    own_colour
        Mean odds of its colours against those of the pins from which they tell the two apart.
    """

    reach_cm: float = 35.0
    step_cm: float = 0.75
    least: float = 0.10
    worth: float = 0.3
    changed: float = 0.6
    own_colour: float = 0.45


LIMITS: Final = DiscLimits()


def waiting(pair: Pair, slopes_px: Floats, camera: Camera, body: Body, pins: Mask) -> Axis | None:
    """Find where the disc was in the picture before and is no more, or None.

    `slopes_px` are those of the picture before, (H, W, 2), as `vision.finn.focus.edges_of` gives them.
    """
    rows, columns = _near_end(camera, body, slopes_px.shape)
    corner = (columns.start, rows.start)
    # Changes are known of every second pixel, from the first on.
    pins = pins[rows, columns][::2, ::2]
    change = pair.change[corner[1] // 2 :, corner[0] // 2 :][: pins.shape[0], : pins.shape[1]]
    new = np.clip((change - LIMITS.least) / 0.1, -1, 1).astype(np.float32)
    new[pins > 0] = -1
    smooth = cv2.blur(new, (5, 5))
    if smooth.size == 0 or float(smooth.max()) < LIMITS.worth:
        return None
    edges = slopes_px[rows, columns]
    xs, ys = np.meshgrid(np.arange(1.0, LIMITS.reach_cm, LIMITS.step_cm), np.arange(1.0, 48.0, LIMITS.step_cm))
    tops = camera.to_px(np.column_stack([xs.ravel(), ys.ravel(), np.full(xs.size, body.height_cm)]))
    at = np.rint((tops - corner) / 2).astype(int)
    inside = ((at >= 0) & (at < (smooth.shape[1], smooth.shape[0]))).all(axis=1)
    likely = np.flatnonzero(inside)
    likely = likely[smooth[at[likely, 1], at[likely, 0]] >= LIMITS.worth]
    places = np.column_stack([xs.ravel(), ys.ravel()])[likely]
    met = outline_supports(places, body, shifted(camera, corner), edges) if len(places) else np.zeros(0)
    best, score = None, LIMITS.changed
    for (x, y), edge in zip(places, met, strict=True):
        axis = standing((float(x), float(y)), body)
        value = _filled(new, (outline_px(axis, body, camera) - corner) / 2) + 0.5 * float(edge)
        if value > score:
            best, score = axis, value
    return best


def _near_end(camera: Camera, body: Body, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Give the part of the picture with the near end of the board in it; it begins at even pixels."""
    long, wide = LIMITS.reach_cm + 2, BOARD_CM[1] + 1
    corners = [[x, y, z] for x in (-1.0, long) for y in (-1.0, wide) for z in (0.0, body.height_cm)]
    seen = np.clip(camera.to_px(corners), 0, (shape[1], shape[0]))
    low, high = np.floor(seen.min(axis=0)).astype(int), np.ceil(seen.max(axis=0)).astype(int)
    low = low // 2 * 2
    return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))


def _filled(new: Floats, outline: Array) -> float:
    mask = drawn(outline, new.shape)
    return float(cv2.mean(new, mask)[0]) if mask.any() else -1.0


def disc_odds(then: Floats, now: Colours, disc: Mask, pins: Mask) -> Floats:
    """Give (H, W) -1 to 1: the colours of pins, those of the disc; all 0 where the two cannot be told apart.

    `then` is the picture before, (H, W, 3) logarithms, `now` the colours of the other one, as
    `vision.finn.evidence.colours_of` gives them.
    """
    inner = cv2.erode(disc, np.ones((3, 3), np.uint8)) > 0
    of_pins = pins > 0
    if not inner.any() or not of_pins.any():
        return np.zeros(now.shape, np.float32)
    odds = told_apart(colours_of(then[inner]), colours_of(then[of_pins]), LIMITS.own_colour)
    return np.zeros(now.shape, np.float32) if odds is None else odds[now]
