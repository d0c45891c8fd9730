"""Where two pictures of the same board differ, in units of noise, with shadows and changes of light taken out."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """How light and noise are told from a dart.

    Attributes
    ----------
    light_share
        Size of the window over which light may vary, as a share of the board's diameter. Wider than a flight
        (40 of 340 mm), so that a dart does not pass for a change of light.
    unchanged
        Differences beyond this many noise units have no say in the estimate of the light.
    least_noise
        Floor of the noise in grey levels: eight bits and JPEG leave about this much.
    tail
        Noise is at least this share of the 90th percentile of all differences: about half of it where noise is
        noise, more where the camera moved and everything has edges.
    edge
        Noise at an edge, as a share of its slope a pixel: what a shift of that many pixels makes.
    shift_px
        Shifts up to this are no change at all in `sure`.
    shadow_darkest
        A shadow on a board takes at most this share of the light away.
    shadow_tint
        Colour may turn by this much (chroma over luma) in a shadow.
    dark
        Below this brightness colour is noise, and nothing is taken for a shadow.
    contact_darkest, contact_levels
        Beside the point, where a dart shades its own hole, a loss of light up to this share and this many grey
        levels is shadow. (On white beds a steel point itself takes little more, so levels bind there.)
    """

    light_share: float = 0.18
    unchanged: float = 3.0
    least_noise: float = 1.6
    tail: float = 0.45
    edge: float = 0.15
    shift_px: int = 1
    shadow_darkest: float = 0.65
    shadow_tint: float = 0.035
    dark: float = 25.0
    contact_darkest: float = 0.15
    contact_levels: float = 8.0


LIMITS = ChangeLimits()

_SMALLER = 4
"""The light is compared at this fraction of the size."""


@dataclass(frozen=True, slots=True)
class Change:
    """Two pictures compared.

    Attributes
    ----------
    exact
        (H, W) difference of the pictures as they lie, in noise units, never negative.
    sure
        (H, W) the same, less whatever a small shift explains, and less shadows.
    material
        (H, W) the exact difference less what a mild shadow explains: what is left belongs to a thing.
    """

    exact: Map
    sure: Map
    material: Map


def compare(before: Picture, after: Picture, diameter_px: float, limits: ChangeLimits = LIMITS) -> Change:
    """Compare two aligned pictures.

    Parameters
    ----------
    before, after
        (H, W, 3) BGR of the same size.
    diameter_px
        How large the board looks.
    limits
        How light and noise are told from a dart.
    """
    new = after.astype(np.float32)
    lit = _relight(before, after, max(3.0, limits.light_share * diameter_px), limits)
    edge = _slope(_mean(lit)) * limits.edge
    low, high = _neighbourhood(lit, limits.shift_px)
    outside = np.maximum(np.maximum(new - high, low - new), 0.0)
    sure = _in_noise(outside, edge, limits)
    sure[_shadow(lit, new, limits)] = 0.0
    material = _in_noise(_unshaded(lit, new, limits), edge, limits)
    return Change(exact=_in_noise(new - lit, edge, limits), sure=sure, material=material)


def _mean(picture: Map) -> Map:
    """Average the three channels."""
    return np.asarray(cv2.transform(picture, np.full((1, 3), 1 / 3)), np.float32)


def _square(picture: Map) -> Map:
    """Add the squares of the three channels."""
    return np.asarray(cv2.transform(cv2.multiply(picture, picture), np.ones((1, 3))), np.float32)


def _slope(luma: Map) -> Map:
    across = cv2.Sobel(luma, cv2.CV_32F, 1, 0, scale=0.125)
    down = cv2.Sobel(luma, cv2.CV_32F, 0, 1, scale=0.125)
    return np.asarray(cv2.magnitude(across, down), np.float32)


def _unshaded(lit: Map, new: Map, limits: ChangeLimits) -> Map:
    """Give the difference that remains under the best mild shadow: one factor for the three channels."""
    along = np.asarray(cv2.transform(cv2.multiply(new, lit), np.ones((1, 3))), np.float32) / (_square(lit) + 1.0)
    least = 1.0 - np.minimum(limits.contact_darkest, limits.contact_levels / (_mean(lit) + 1.0))
    factor = np.clip(along, least, 1.0)
    return np.asarray(new - lit * factor[..., None], np.float32)


def _relight(before: Picture, after: Picture, sigma: float, limits: ChangeLimits) -> Map:
    """Give the old picture in the light of the new one: a gain for each channel that varies slowly.

    The gain is found at a quarter of the size: it varies far less than that.
    """
    height, width = before.shape[:2]
    small = (max(1, width // _SMALLER), max(1, height // _SMALLER))
    old = np.asarray(cv2.resize(before, small, interpolation=cv2.INTER_AREA), np.float32)
    new = np.asarray(cv2.resize(after, small, interpolation=cv2.INTER_AREA), np.float32)
    weight = np.ones(old.shape[:2], np.float32)
    gain = np.ones_like(old)
    for _ in range(3):
        gain = _blur(new * weight[..., None], sigma / _SMALLER) + 1e-3
        gain /= _blur(old * weight[..., None], sigma / _SMALLER) + 1e-3
        gain = np.clip(gain, 0.3, 3.0)
        residual = np.abs(new - old * gain).max(axis=2)
        noise = max(limits.least_noise, 1.48 * float(np.median(residual)))
        weight = (residual < limits.unchanged * noise).astype(np.float32) + 1e-3
    return np.asarray(before * cv2.resize(gain, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _blur(picture: Map, sigma: float) -> Map:
    """Blur widely and cheaply: at a size at which the window is a few pixels wide."""
    height, width = picture.shape[:2]
    step = int(max(1, min(8, sigma // 3)))
    small = cv2.resize(picture, (max(1, width // step), max(1, height // step)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / step)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _in_noise(difference: Map, edge: Map, limits: ChangeLimits) -> Map:
    """Put a difference in units of its noise: a floor for the whole picture, more at edges, where it moves."""
    size = np.sqrt(_square(difference))
    middle, upper = np.percentile(size[::3, ::3], (50, 90))
    noise = max(limits.least_noise, 1.2 * float(middle), limits.tail * float(upper))
    return np.asarray(size / (edge + noise), np.float32)


def _neighbourhood(picture: Map, shift_px: int) -> tuple[Map, Map]:
    kernel = np.ones((2 * shift_px + 1, 2 * shift_px + 1), np.uint8)
    return np.asarray(cv2.erode(picture, kernel), np.float32), np.asarray(cv2.dilate(picture, kernel), np.float32)


def _shadow(lit: Map, new: Map, limits: ChangeLimits) -> NDArray[np.bool_]:
    """Mark pixels that only lost light: darker by one factor in all channels, with the board's pattern kept."""
    bright_old, bright_new = _mean(lit) + 1.0, _mean(new) + 1.0
    share = bright_new / bright_old
    tint = np.abs(new / bright_new[..., None] - lit / bright_old[..., None]).max(axis=2)
    return np.asarray(
        (share < 1.0)
        & (share > 1.0 - limits.shadow_darkest)
        & (tint < limits.shadow_tint + limits.least_noise / bright_new)
        & (bright_new > limits.dark)
    )
