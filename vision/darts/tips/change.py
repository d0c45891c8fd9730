"""Where two pictures of the same board differ, in units of noise, with shadows and changes of light taken out."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Map = NDArray[np.float32]
Places = NDArray[Any]


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
    lamp_tint
        What one lamp of several no longer gives may be of another colour than what is left: colour then turns by
        up to this much, by one rule everywhere.
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
    lamp_tint: float = 0.12
    dark: float = 25.0
    contact_darkest: float = 0.15
    contact_levels: float = 8.0


LIMITS = ChangeLimits()

_SMALLER = 4
"""The light is compared at this fraction of the size."""

_LOOSE = 9
"""Pixels of a faint shadow this far apart are still one piece."""

_THIN = 3
"""Noise is measured at every third pixel in each direction."""


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
    lit, new
        (H, W, 3) the old picture in the new light, and the new one.
    unit
        Grey levels that are one unit of noise away from edges.
    """

    exact: Map
    sure: Map
    material: Map
    lit: Map
    new: Map
    unit: float


@dataclass(frozen=True, slots=True)
class Light:
    """What two pictures say of light and noise, so that a part of them can be compared as the whole would be.

    Attributes
    ----------
    gain
        (h, w, 3) factor from the old light to the new, at a fraction of the size.
    exact, outside, unshaded
        Noise in grey levels of the three differences that `Change` is made of.
    busy
        (h, w) where something may have changed, at the same fraction.
    """

    gain: Map
    exact: float
    outside: float
    unshaded: float
    busy: Picture


def weigh(before: Picture, after: Picture, diameter_px: float, limits: ChangeLimits = LIMITS) -> Light:
    """Take in the light and the noise of two aligned pictures, (H, W, 3) BGR each, at a fraction of the cost.

    Parameters
    ----------
    before, after
        (H, W, 3) BGR of the same size.
    diameter_px
        How large the board looks.
    limits
        How light and noise are told from a dart.
    """
    gain, busy = _relight(before, after, max(3.0, limits.light_share * diameter_px), limits)
    kernel = np.ones((2 * limits.shift_px + 1, 2 * limits.shift_px + 1), np.uint8)
    height, width = after[::_THIN, ::_THIN].shape[:2]
    factor = np.asarray(cv2.resize(gain, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    new = after[::_THIN, ::_THIN].astype(np.float32)
    lit = before[::_THIN, ::_THIN] * factor
    low = cv2.erode(before, kernel)[::_THIN, ::_THIN] * factor
    high = cv2.dilate(before, kernel)[::_THIN, ::_THIN] * factor
    outside = np.maximum(np.maximum(new - high, low - new), 0.0)
    return Light(
        gain=gain,
        exact=_noise(new - lit, limits),
        outside=_noise(outside, limits),
        unshaded=_noise(_unshaded(lit, new, limits), limits),
        busy=busy,
    )


def compare(
    before: Picture, after: Picture, light: Light, part: tuple[slice, slice], limits: ChangeLimits = LIMITS
) -> Change:
    """Compare a part of two aligned pictures.

    Parameters
    ----------
    before, after
        (H, W, 3) BGR of the same size.
    light
        What `weigh` said of them.
    part
        Rows and columns that are looked at.
    limits
        How light and noise are told from a dart.
    """
    rows, columns = part
    old, new = before[part], after[part].astype(np.float32)
    lit = np.asarray(old * _part_of(light.gain, before.shape[:2], rows, columns), np.float32)
    edge = _slope(_mean(lit)) * limits.edge
    low, high = _neighbourhood(lit, limits.shift_px)
    outside = np.maximum(np.maximum(new - high, low - new), 0.0)
    sure = _in_noise(outside, edge, light.outside)
    sure[_shadow(lit, new, limits)] = 0.0
    material = _in_noise(_unshaded(lit, new, limits), edge, light.unshaded)
    return Change(
        exact=_in_noise(new - lit, edge, light.exact),
        sure=sure,
        material=material,
        lit=lit,
        new=new,
        unit=light.unshaded,
    )


def _part_of(small: Map, shape: tuple[int, int], rows: slice, columns: slice) -> Map:
    """Enlarge a part of a small map to where it belongs in a picture of `shape`."""
    height, width = shape
    fx, fy = small.shape[1] / width, small.shape[0] / height
    place = np.array([[fx, 0, (columns.start + 0.5) * fx - 0.5], [0, fy, (rows.start + 0.5) * fy - 0.5]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (columns.stop - columns.start, rows.stop - rows.start)
    return np.asarray(cv2.warpAffine(small, place, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)


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
    factor = np.asarray(np.clip(along, least, 1.0), np.float32)
    return np.asarray(cv2.subtract(new, cv2.multiply(lit, cv2.merge([factor] * 3))), np.float32)


def _relight(before: Picture, after: Picture, sigma: float, limits: ChangeLimits) -> tuple[Map, Picture]:
    """Give what puts the old picture in the light of the new one, and where that leaves a difference.

    The gain for each channel varies slowly; it is found at a quarter of the size.
    """
    height, width = before.shape[:2]
    small = (max(1, width // _SMALLER), max(1, height // _SMALLER))
    old = np.asarray(cv2.resize(before, small, interpolation=cv2.INTER_AREA), np.float32)
    new = np.asarray(cv2.resize(after, small, interpolation=cv2.INTER_AREA), np.float32)
    weight = np.ones(old.shape[:2], np.float32)
    gain = np.ones_like(old)
    for _ in range(3):
        thrice = cv2.merge([weight] * 3)
        gain = _blur(np.asarray(cv2.multiply(new, thrice), np.float32), sigma / _SMALLER) + 1e-3
        gain /= _blur(np.asarray(cv2.multiply(old, thrice), np.float32), sigma / _SMALLER) + 1e-3
        gain = np.clip(gain, 0.3, 3.0)
        blue, green, red = cv2.split(np.abs(new - old * gain))
        residual = np.maximum(np.maximum(blue, green), red)
        noise = max(limits.least_noise, 1.48 * float(np.median(residual)))
        weight = (residual < limits.unchanged * noise).astype(np.float32) + 1e-3
    return gain, np.asarray(residual >= limits.unchanged * noise, np.uint8)


def _blur(picture: Map, sigma: float) -> Map:
    """Blur widely and cheaply: at a size at which the window is a few pixels wide."""
    height, width = picture.shape[:2]
    step = int(max(1, min(8, sigma // 3)))
    small = cv2.resize(picture, (max(1, width // step), max(1, height // step)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / step)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _noise(difference: Map, limits: ChangeLimits) -> float:
    """Give the noise of a difference, for the whole picture."""
    middle, upper = np.percentile(np.sqrt(_square(difference)), (50, 90))
    return max(limits.least_noise, 1.2 * float(middle), limits.tail * float(upper))


def _in_noise(difference: Map, edge: Map, noise: float) -> Map:
    """Put a difference in units of its noise: a floor for the whole picture, more at edges, where it moves."""
    return np.asarray(np.sqrt(_square(difference)) / (edge + noise), np.float32)


def _neighbourhood(picture: Map, shift_px: int) -> tuple[Map, Map]:
    kernel = np.ones((2 * shift_px + 1, 2 * shift_px + 1), np.uint8)
    return np.asarray(cv2.erode(picture, kernel), np.float32), np.asarray(cv2.dilate(picture, kernel), np.float32)


def _shadow(lit: Map, new: Map, limits: ChangeLimits) -> NDArray[np.bool_]:
    """Mark pixels that only lost light: darker by one factor in all channels, with the board's pattern kept."""
    bright_new = _mean(new) + 1.0
    turned = _turned(lit, new, bright_new)
    return _dimmed(lit, bright_new, limits) & (turned < limits.shadow_tint + limits.least_noise / bright_new)


def one_lamps_shadow(change: Change, at: tuple[Places, Places], limits: ChangeLimits = LIMITS) -> Places:
    """Say of pixels, rows (N,) and columns (N,), whether they lost the light of one lamp of whatever colour.

    Each channel then loses in proportion to what that lamp gives of it, the same proportions everywhere; they are
    taken from what seems to be shaded. A thing of one colour before a bed of one colour looks the same, so this is
    no proof that nothing stands there: it explains what no dart does.

    Returns
    -------
    (N,) bool.
    """
    if not len(at[0]):
        return np.zeros(0, bool)
    lit, new = (np.ascontiguousarray(picture[at][:, None]) for picture in (change.lit, change.new))
    bright_new = _mean(new) + 1.0
    maybe = _dimmed(lit, bright_new, limits) & (_turned(lit, new, bright_new) < limits.lamp_tint)
    if not np.any(maybe):
        return maybe[:, 0]
    lost = np.median(1.0 - new[maybe] / (lit[maybe] + 1.0), axis=0)
    colour = (lost / max(float(lost.mean()), 1e-3)).astype(np.float32)
    depth = (_mean(lit) + 1.0 - bright_new) / (_mean(lit * colour) + 1.0)
    left = np.asarray(lit * (1.0 - depth[..., None] * colour), np.float32)
    shade = maybe & (_turned(left, new, bright_new) < limits.shadow_tint + limits.least_noise / bright_new)
    # On beds too dark to tell a colour it goes on as it came.
    dim = (shade | ((bright_new <= limits.dark) & (bright_new < _mean(lit) + 1.0)))[:, 0]
    mask = np.zeros(change.sure.shape, np.uint8)
    mask[at] = dim
    piece = cv2.connectedComponents(cv2.dilate(mask, np.ones((_LOOSE, _LOOSE), np.uint8)))[1][at]
    return dim & np.isin(piece, np.unique(piece[shade[:, 0]]))


def _dimmed(lit: Map, bright_new: Map, limits: ChangeLimits) -> NDArray[np.bool_]:
    share = bright_new / (_mean(lit) + 1.0)
    return np.asarray((share < 1.0) & (share > 1.0 - limits.shadow_darkest) & (bright_new > limits.dark))


def _turned(lit: Map, new: Map, bright_new: Map) -> Map:
    """Give how far colour, whatever the brightness, turned in the channel where it turned most."""
    bright_old = _mean(lit) + 1.0
    hue_new, hue_old = cv2.divide(new, cv2.merge([bright_new] * 3)), cv2.divide(lit, cv2.merge([bright_old] * 3))
    blue, green, red = cv2.split(cv2.absdiff(hue_new, hue_old))
    return np.asarray(np.maximum(np.maximum(blue, green), red), np.float32)
