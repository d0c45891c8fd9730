"""Whether something stood before the board where a dart ends: then its point may be behind it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.pose import Plane

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HiddenLimits:
    """When a place looks as no bed of the board does.

    Attributes
    ----------
    from_mm, to_mm
        Where it is looked, from the end of the dart outward: what hides a point touches the end that is seen.
    beside_mm
        How far to both sides, along the dart's last piece too: a dart beside an earlier one merges with it. The
        nearer line is for darts so close that the further one misses the earlier of them.
    inner_mm
        Nearer to the bull than this ten sectors are no ten places.
    levels
        A place differs from most of its ten likes by more grey levels than wear, dirt and uneven light make.
    spread, most_levels
        And by more than this times what these differ among themselves, be that as much as it may.
    dimmest, brightest
        By this factor the light on the board may vary from one side to the other.
    share
        So much of the places has to differ: wires do over 1 mm.
    """

    from_mm: float = 1.5
    to_mm: float = 12.0
    beside_mm: tuple[float, float] = (4.0, 7.0)
    inner_mm: float = 20.0
    levels: float = 28.0
    spread: float = 4.0
    most_levels: float = 50.0
    dimmest: float = 0.6
    brightest: float = 1.6
    share: float = 0.5


LIMITS = HiddenLimits()

_TURNS = np.radians(36.0 * np.arange(10))


def is_hidden(
    before: Picture, plane: Plane, tip_px: Array, along_px: Array, limits: HiddenLimits = LIMITS
) -> bool:
    """Say whether, before, something other than the board was seen where the dart would go on, or beside it.

    Every place of the board has nine like it, two sectors on; their median is what it should look like.

    Parameters
    ----------
    before
        (H, W, 3) BGR.
    plane
        The board in it.
    tip_px, along_px
        (2,) the end of the dart and the unit vector from there to its flight.
    limits
        When a place looks as no bed does.
    """
    tip = plane.to_board(tip_px.reshape(1, 2))[0]
    ahead = plane.to_board((tip_px - along_px).reshape(1, 2))[0] - tip
    ahead = ahead / max(float(np.hypot(*ahead)), 1e-9)
    normal = np.array([-ahead[1], ahead[0]])
    beyond = tip + np.linspace(limits.from_mm, limits.to_mm, 12)[:, None] * ahead
    along = tip + np.linspace(-limits.to_mm, limits.to_mm, 17)[:, None] * ahead
    lines = (beyond, *(along + aside * normal for near in limits.beside_mm for aside in (-near, near)))
    outer = [line for line in lines if np.hypot(*line.T).min() >= limits.inner_mm]
    if not outer:
        return False
    marks = _strange(before, plane, np.vstack(outer), limits)
    ends = np.cumsum([len(line) for line in outer])[:-1]
    return any(np.mean(line) > limits.share for line in np.split(marks, ends))


def _strange(before: Picture, plane: Plane, places: Array, limits: HiddenLimits) -> NDArray[np.bool_]:
    """Mark those of (N, 2) mm that look as their nine likes on the board do not."""
    turned = np.stack(
        [places @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) for turn in _TURNS]
    )
    px = plane.to_px(turned.reshape(-1, 2)).reshape(len(_TURNS), -1, 2).astype(np.float32)
    seen = cv2.remap(before, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    colours = np.asarray(seen, np.float64)
    usual = np.median(colours, axis=0)
    light = (colours * usual).sum(axis=2) / ((usual * usual).sum(axis=1) + 1.0)
    light = np.clip(light, limits.dimmest, limits.brightest)
    apart = np.abs(colours - light[..., None] * usual).max(axis=2)
    bound = np.clip(limits.spread * np.median(apart, axis=0), limits.levels, limits.most_levels)
    return np.asarray(apart[0] > bound)
