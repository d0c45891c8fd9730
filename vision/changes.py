"""What changed between two small pictures of one scene, whatever the light did meanwhile.

A picture is compared by the logarithm of its brightness, less the local mean of that difference: lamps, automatic
exposure, and the soft shadow of a person then leave nothing, while a dart or a hand, which hide what is behind
them, leave their outline and mostly their area. Brightness near black counts less (`dark`), for noise rules there.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.frames import Frame, Picture, scale_of

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLimits:
    """What counts as a changed pixel of the small picture.

    Attributes
    ----------
    dark
        Levels added before the logarithm. Camera noise at black is 2 to 5 levels; 12 keeps it below `change`.
    change
        Difference of logarithms: 0.15 is 16 %. Still pictures of cheap cameras differ by 0.02 to 0.07.
    light_share
        How much of a change of the whole light is added to `change`: clipped and coloured parts of a picture do
        not follow a lamp exactly.
    neighbours
        A changed pixel counts with this many changed in its 3 x 3 (itself among them): single ones are noise.
    spread
        The local mean is taken over 1 / spread of the shorter side, and of what did not change: wider than a
        flight, narrower than a shadow.
    speck
        Fewer changed pixels than this are nothing. A dart seen end on by a far camera changes about 20.
    noises
        A changed pixel stands out of the picture's own noise by this many standard deviations.
    noise_cap
        Levels, the noise of a bad camera at night at the small scale; more is a large change, which must not hide
        itself.
    filled, inside
        A hand changes this share of the square that it fills; of a square at the border at least `inside` counts.
        Measured: hands 0.5 to 1, darts whose flight is at the border up to 0.35.
    """

    dark: float = 12.0
    change: float = 0.15
    light_share: float = 0.35
    neighbours: int = 4
    spread: int = 8
    speck: int = 8
    noises: float = 5.0
    noise_cap: float = 8.0
    filled: float = 0.45
    inside: float = 0.7


LIMITS: Final = ChangeLimits()
_LOG: Final = np.log(np.arange(256) + LIMITS.dark).astype(np.float32)
_PER_LEVEL: Final = (1 / (np.arange(256) + LIMITS.dark)).astype(np.float32)
_RING: Final = np.ones((3, 3), np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region:
    """The part of the picture where changes matter, at the small scale.

    Attributes
    ----------
    rows, columns
        Its bounding box in the small picture.
    mask
        (h, w) uint8 of that box: 255 inside, 0 outside.
    edge
        (h, w) uint8: 1 along the border of the mask. Whoever reaches in crosses it.
    factor
        Pixels of the picture to one of the small picture.
    hand
        Side of a square, small pixels, that a hand fills and a dart, pin or ball does not.
    inside
        (h, w) bool of the mask.
    area
        Small pixels inside.
    """

    rows: slice
    columns: slice
    mask: Mask
    edge: Mask
    factor: int
    hand: int
    inside: NDArray[np.bool_]
    area: int

    def cut(self, small: Picture) -> Picture:
        """Give the box of a small picture, as a view."""
        return small[self.rows, self.columns]

    def seen(self, frame: Frame) -> Picture:
        """Give the box of a frame's small picture; nothing else of the frame is made small."""
        return frame.small_part(self.rows, self.columns)

    def draw(self, polygon_px: ArrayLike) -> Mask:
        """Fill a polygon, (N, 2) px of the picture, in the box: (h, w) uint8, 255 inside."""
        corner = np.array([self.columns.start, self.rows.start], np.float64)
        points = (np.asarray(polygon_px, np.float64) + 0.5) / self.factor - 0.5 - corner
        drawn = np.zeros(self.mask.shape, np.uint8)
        cv2.fillPoly(drawn, [np.round(np.clip(points, -9999, 9999)).astype(np.int32)], (255,))
        return drawn


def region_of(size: tuple[int, int], polygon_px: ArrayLike | None = None, hand_px: float | None = None) -> Region:
    """Make a region of pictures.

    Parameters
    ----------
    size
        (width, height) of the pictures.
    polygon_px
        (N, 2) px, the part that matters; None, or one beside the picture, is the whole.
    hand_px
        Side of a square, px, that a hand fills and nothing played with does; None: a seventh of the region.
    """
    width, height = size
    factor = scale_of(height, width)
    whole = _region(np.full((height // factor, width // factor), 255, np.uint8), factor, hand_px)
    drawn = whole.mask if polygon_px is None else whole.draw(polygon_px)
    return _region(drawn, factor, hand_px) if cv2.countNonZero(drawn) else whole


def _region(drawn: Mask, factor: int, hand_px: float | None) -> Region:
    x, y, w, h = cv2.boundingRect(drawn)
    mask = drawn[y : y + h, x : x + w].copy()
    inner = cv2.erode(
        cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0), np.ones((5, 5), np.uint8)
    )
    side = hand_px / factor if hand_px else float(np.sqrt(cv2.countNonZero(mask))) / 7
    return Region(
        rows=slice(y, y + h),
        columns=slice(x, x + w),
        mask=mask,
        edge=((mask > 0) & (inner[1:-1, 1:-1] == 0)).astype(np.uint8),
        factor=factor,
        hand=max(3, round(side)),
        inside=mask > 0,
        area=max(1, int(cv2.countNonZero(mask))),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Change:
    """What differs between two cut small pictures.

    Attributes
    ----------
    levels
        (h, w) float32, how much each pixel differs (difference of logarithms, light left out).
    mask
        (h, w) uint8, 1 where the scene itself changed.
    pixels, share
        How many, and as a share of the region.
    light
        Median difference of the logarithm of brightness: how much lighter the whole became.
    noise
        Standard deviation, levels, of the difference where nothing changed.
    """

    levels: NDArray[np.float32]
    mask: Mask
    pixels: int
    share: float
    light: float
    noise: float

    def __bool__(self) -> bool:
        return self.pixels >= LIMITS.speck


class Look:
    """A cut small picture with what comparing makes of it, made once however often it is compared."""

    __slots__ = ("_edges", "_log", "_smooth", "picture")

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._log: NDArray[Any] | None = None
        self._smooth: Look | None = None
        self._edges: NDArray[Any] | None = None

    @property
    def log(self) -> NDArray[Any]:
        """(h, w) float32 logarithm of brightness."""
        if self._log is None:
            self._log = cv2.LUT(self.picture, _LOG)
        return self._log

    @property
    def smooth(self) -> "Look":
        """The picture smoothed: a move by parts of a pixel smooths too."""
        if self._smooth is None:
            self._smooth = Look(cv2.GaussianBlur(self.picture, (5, 5), 0).astype(np.uint8, copy=False))
        return self._smooth

    @property
    def edges(self) -> NDArray[Any]:
        """(h, w) float32, what moves are told by."""
        if self._edges is None:
            softened = cv2.GaussianBlur(self.picture, (3, 3), 0)
            self._edges = cv2.Laplacian(cv2.LUT(softened, _LOG), cv2.CV_32F)
        return self._edges


def _look(picture: Picture | Look) -> Look:
    return picture if isinstance(picture, Look) else Look(picture)


def compare(now: Picture | Look, then: Picture | Look, region: Region) -> Change:
    """Compare two cut small pictures, each (h, w); see the module for how light is left out."""
    now, then = _look(now), _look(then)
    difference = cv2.subtract(now.log, then.log)
    light = median(difference[::4, ::4])
    side = (min(difference.shape) // LIMITS.spread) | 1
    beside = cv2.absdiff(difference, cv2.blur(difference, (side, side)))
    noise = _noise(beside[1::4, 1::4] / _PER_LEVEL[then.picture[1::4, 1::4]])
    thresholds = LIMITS.change + LIMITS.light_share * abs(light) + LIMITS.noises * noise * _PER_LEVEL
    needed = cv2.LUT(then.picture, thresholds)
    mask = _crowded(beside > needed, region)
    if cv2.countNonZero(mask) >= LIMITS.speck:
        beside = cv2.absdiff(difference, _mean_without(mask, difference, side))
        mask = _crowded(beside > needed, region)
    pixels = int(cv2.countNonZero(mask))
    levels = beside.astype(np.float32, copy=False)
    return Change(levels=levels, mask=mask, pixels=pixels, share=pixels / region.area, light=light, noise=noise)


def _crowded(changed: NDArray[np.bool_], region: Region) -> Mask:
    crowd = cv2.boxFilter(changed.view(np.uint8), cv2.CV_8U, (3, 3), normalize=False)
    return ((crowd >= LIMITS.neighbours) & region.inside).view(np.uint8)


def _mean_without(mask: Mask, difference: NDArray[Any], side: int) -> NDArray[Any]:
    """Give the local mean of what did not change: what did would change all around it as well, as a wide rim."""
    same = np.float32(1.0) - mask
    total, count = (cv2.blur(one, (side, side)) for one in (cv2.multiply(difference, same), same))
    return np.asarray(total / np.maximum(count, 1 / side**2), np.float32)


def median(values: NDArray[Any]) -> float:
    """Give what `numpy.median` gives of numbers without NaN, at a third of its cost."""
    flat = values.ravel()
    half = flat.size // 2
    if flat.size % 2:
        return float(np.partition(flat, half)[half])
    parted = np.partition(flat, (half - 1, half))
    return float(parted[half - 1 : half + 1].mean())


def _noise(levels: NDArray[Any]) -> float:
    """Give the standard deviation of noise from absolute differences, up to half of which are no noise."""
    quiet = levels.size * 3 // 10
    third = float(np.partition(levels, quiet, axis=None)[quiet])
    return min(third / 0.3853, LIMITS.noise_cap)


def reaching(change: Change, region: Region) -> Mask:
    """Give, as (h, w) uint8, the pieces of a change that hang together with the border of the region."""
    border = region.edge & change.mask
    if not cv2.countNonZero(border):
        return np.zeros_like(change.mask)
    count, label = cv2.connectedComponents(cv2.dilate(change.mask, _RING))
    outer = np.zeros(count, np.uint8)
    outer[label[border > 0]] = 1
    return np.asarray(outer[label] & change.mask, np.uint8)


def is_hand(reaches: Mask, region: Region) -> bool:
    """Say whether what reaches in is as thick somewhere as a hand: it fills a square of that size by `filled`."""
    if cv2.countNonZero(reaches) < LIMITS.filled * LIMITS.inside * region.hand**2:
        return False
    side = (region.hand, region.hand)
    seen = cv2.boxFilter(reaches, cv2.CV_32F, side, borderType=cv2.BORDER_CONSTANT)
    there = cv2.boxFilter(region.inside.astype(np.float32), cv2.CV_32F, side, borderType=cv2.BORDER_CONSTANT)
    return bool(np.any(seen >= LIMITS.filled * np.maximum(there, LIMITS.inside)))


def shift_between(now: Picture | Look, then: Picture | Look) -> tuple[float, float]:
    """Give how far `now` has moved against `then`, (x, y) in small pixels, by phase correlation of their edges."""
    return shift_of_edges(_look(now).edges, _look(then).edges)


def shift_of_edges(now: NDArray[Any], then: NDArray[Any]) -> tuple[float, float]:
    """Give how far edges, (h, w) float32, have moved against others, (x, y) pixels, by phase correlation.

    Given a window, `cv2.phaseCorrelate` writes into the pictures that it is asked about; and where a side has an
    odd number of pixels after it was padded, what it says is half a pixel off. So both is done here.
    """
    height, width = then.shape
    down, right = _even(height) - height, _even(width) - width
    window = _window(then.shape)
    seen = [
        cv2.copyMakeBorder(cv2.multiply(one, window), 0, down, 0, right, cv2.BORDER_CONSTANT)
        for one in (then, now)
    ]
    (x, y), _ = cv2.phaseCorrelate(seen[0], seen[1])
    return float(x), float(y)


@cache
def _window(shape: tuple[int, ...]) -> NDArray[Any]:
    """Give the window by which pictures of this shape are weighed before their phases are compared."""
    return np.asarray(cv2.createHanningWindow((shape[1], shape[0]), cv2.CV_32F))


@cache
def _even(length: int) -> int:
    """Give the next even length that a Fourier transform is fast for."""
    size = cv2.getOptimalDFTSize(length)
    return _even(size + 1) if size % 2 else size


def moved(picture: Picture, shift: tuple[float, float]) -> Picture:
    """Give the small picture moved by (x, y) small pixels, its border repeated."""
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float64)
    size = (picture.shape[1], picture.shape[0])
    return cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)
