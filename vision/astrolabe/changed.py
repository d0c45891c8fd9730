"""What differs between two pictures of one table seen flat, whatever the light did meanwhile."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.line import Planes
from vision.astrolabe.view import PX_PER_CM, TableView
from vision.changes import median, shift_of_edges

Picture = NDArray[np.uint8]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ChangedLimits:
    """What counts as a change.

    Attributes
    ----------
    dark
        Levels added before the logarithm, so that noise near black is none.
    change
        Least difference of logarithms in any channel: 0.12 is 13 %.
    noises
        It stands out of the pictures' own noise by this many standard deviations.
    noise_cap
        Levels, the noise of a bad camera; more is a large change, which must not hide itself.
    local_cm
        Slower changes than this are light: shadows of persons, exposure.
    speck_cm2
        Smaller spots are noise, or light that glass balls throw; a ball covers 5 cm².
    hand_cm2
        Larger ones are a hand or an arm: three balls in a heap, with their shadows, are smaller.
    wide_cm, wide_cm2
        What is neither of the table's colour nor in shade, is wider than this both ways and covers more than this,
        is a hand or an arm over the table: balls are narrower, lines thinner.
    hue, lit
        Difference of logarithms between channels, and of brightness from dark to light, that make another thing.
    shift_cm
        If all has moved by more than this the camera or the table was pushed.
    aligned
        Moved back, the edges then differ by less than this share: a few balls that moved alike are no push.
    tint, deep
        Differences of logarithms, between channels or in all of them, that no shadow makes.
    near_ball, core, ball
        What is within so many radii of a ball that moved is its own. What changed beyond is another ball if a disc
        of so many radii fits into it and it covers so much of a ball.
    """

    dark: float = 12.0
    change: float = 0.12
    noises: float = 5.0
    noise_cap: float = 8.0
    local_cm: float = 12.0
    speck_cm2: float = 2.0
    hand_cm2: float = 60.0
    wide_cm: float = 3.6
    wide_cm2: float = 20.0
    hue: float = 0.3
    lit: tuple[float, float] = (-1.2, 0.8)
    shift_cm: float = 0.2
    aligned: float = 0.9
    tint: float = 0.15
    deep: float = 0.8
    near_ball: float = 1.4
    core: float = 0.55
    ball: float = 0.4


LIMITS: Final = ChangedLimits()
_LEVELS: Final = np.arange(256, dtype=np.float32) + np.float32(LIMITS.dark)
_LOG: Final = np.log(_LEVELS)
_HALF: Final = 2
_CM: Final = PX_PER_CM / _HALF
_FEW: Final = 3
"""Of every so many pixels one says what is usual."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place that changed: its middle and box in cm, its area in cm²."""

    xy_cm: tuple[float, float]
    box_cm: tuple[float, float, float, float]
    area_cm2: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changed:
    """What differs.

    Attributes
    ----------
    mask
        (h, w) uint8, 1 where something changed, three pixels to the centimetre.
    other
        (h, w) uint8, 1 where it is no mere shadow or light.
    spots
        Its pieces, the largest first.
    shift_cm
        (x, y) by which everything moved.
    """

    mask: Mask
    other: Mask
    spots: tuple[Spot, ...]
    shift_cm: tuple[float, float]

    @property
    def hand(self) -> bool:
        """Whether something as large as a hand came or went."""
        return bool(self.spots) and self.spots[0].area_cm2 > LIMITS.hand_cm2

    @property
    def moved(self) -> bool:
        """Whether the camera or the table was pushed."""
        return bool(np.hypot(*self.shift_cm) > LIMITS.shift_cm)

    def share(self, xy_cm: tuple[float, float], radius_cm: float) -> float:
        """Give how much of a disc around a place of the table changed."""
        left, near = (max(0, int((at - radius_cm) * _CM - 0.5)) for at in xy_cm)
        right, far = (max(0, int((at + radius_cm) * _CM + 0.5)) for at in xy_cm)
        part = self.mask[near:far, left:right]
        rows, columns = np.mgrid[near : near + part.shape[0], left : left + part.shape[1]]
        inside = np.hypot((columns + 0.5) / _CM - xy_cm[0], (rows + 0.5) / _CM - xy_cm[1]) <= radius_cm
        return float(part[inside].mean()) if inside.any() else 0.0

    def beyond(self, places: Iterable[tuple[float, float]], radius_cm: float) -> tuple[tuple[float, float], ...]:
        """Give where something as large as a ball changed, cm, which is none of those that show at `places`, cm.

        Shadows are left out: those of a ball lie beside it, and are as large.
        """
        left = self.other.copy()
        for x, y in places:
            at = (round(x * _CM - 0.5), round(y * _CM - 0.5))
            cv2.circle(left, at, round(LIMITS.near_ball * radius_cm * _CM), 0, -1)
        width = round(2 * LIMITS.core * radius_cm * _CM)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
        _, _, stats, middles = cv2.connectedComponentsWithStats(cv2.morphologyEx(left, cv2.MORPH_OPEN, kernel))
        least = LIMITS.ball * np.pi * (radius_cm * _CM) ** 2
        return tuple(
            ((float(x) + 0.5) / _CM, (float(y) + 0.5) / _CM)
            for (x, y), area in zip(middles[1:], stats[1:, 4], strict=True)
            if area >= least
        )


def compare_flat(now: Picture, then: Picture, speck_cm2: float = LIMITS.speck_cm2) -> Changed:
    """Compare two pictures seen flat, each (h, w, 3) BGR; spots smaller than `speck_cm2` are left out."""
    soft = [cv2.split(cv2.blur(_halved(picture), (3, 3))) for picture in (now, then)]
    logs = [tuple(np.asarray(cv2.LUT(plane, _LOG), np.float32) for plane in planes) for planes in soft]
    few = (slice(None, None, _FEW), slice(None, None, _FEW))
    side = round(LIMITS.local_cm * _CM) | 1
    differences = []
    for new, old in zip(*logs, strict=True):
        one = new - old
        one -= median(one[few])
        differences.append(one - cv2.blur(one, (side, side)))
    usual = [np.abs(one[few]) * _LEVELS[old[few]] for one, old in zip(differences, soft[1], strict=True)]
    noise = min(median(np.stack(usual)) / 0.6745, LIMITS.noise_cap)
    least = LIMITS.change + LIMITS.noises * noise / _LEVELS
    over = [np.abs(one) > cv2.LUT(old, least) for one, old in zip(differences, soft[1], strict=True)]
    raw = (over[0] | over[1] | over[2]).view(np.uint8)
    crowd = cv2.boxFilter(raw, cv2.CV_8U, (3, 3), normalize=False)
    mask = np.asarray(((raw > 0) & (crowd >= 4)).astype(np.uint8))
    light = _mean((differences[0], differences[1], differences[2]))
    tint = np.max([np.abs(one - light) for one in differences], axis=0) > LIMITS.tint
    other = np.asarray(mask & (tint | (np.abs(light) > LIMITS.deep)), np.uint8)
    return Changed(mask=mask, other=other, spots=_spots(mask, speck_cm2), shift_cm=_shift(logs[0], logs[1]))


def covered(flat: Picture, view: TableView) -> bool:
    """Say whether something larger than balls lies over the board of a picture, (h, w, 3) BGR seen flat."""
    board = np.asarray(view.board[::_HALF, ::_HALF])
    logs = np.log(_halved(flat).astype(np.float32) + np.float32(LIMITS.dark))[: board.shape[0], : board.shape[1]]
    board = board[: logs.shape[0], : logs.shape[1]]
    beside = logs - np.median(logs[board][::_FEW], axis=0)
    light = beside.mean(axis=2)
    hue = np.abs(beside - light[..., None]).max(axis=2)
    other = ((hue > LIMITS.hue) | (light < LIMITS.lit[0]) | (light > LIMITS.lit[1])) & board
    width = round(LIMITS.wide_cm * _CM)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    wide = cv2.morphologyEx(other.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    return float(np.count_nonzero(wide)) / _CM**2 > LIMITS.wide_cm2


def _halved(picture: Picture) -> Picture:
    size = (picture.shape[1] // _HALF, picture.shape[0] // _HALF)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _spots(mask: Mask, speck_cm2: float) -> tuple[Spot, ...]:
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, middles = cv2.connectedComponentsWithStats(closed)
    areas = np.bincount(labels.ravel(), weights=mask.ravel(), minlength=count) / _CM**2
    found = []
    for k in range(1, count):
        if areas[k] >= speck_cm2:
            x, y, width, height = (float(v) / _CM for v in stats[k, :4])
            middle = ((float(middles[k][0]) + 0.5) / _CM, (float(middles[k][1]) + 0.5) / _CM)
            found.append(Spot(xy_cm=middle, box_cm=(x, y, x + width, y + height), area_cm2=float(areas[k])))
    return tuple(sorted(found, key=lambda spot: -spot.area_cm2))


def _shift(now: Planes, then: Planes) -> tuple[float, float]:
    edges = [cv2.Laplacian(cv2.GaussianBlur(_mean(part), (3, 3), 0), cv2.CV_32F) for part in (then, now)]
    x, y = shift_of_edges(edges[1], edges[0])
    if np.hypot(x, y) <= LIMITS.shift_cm * _CM:
        return x / _CM, y / _CM
    back = np.array([[1.0, 0.0, -x], [0.0, 1.0, -y]])
    moved = cv2.warpAffine(edges[1], back, edges[0].shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    better = np.abs(moved - edges[0]).mean() < LIMITS.aligned * np.abs(edges[1] - edges[0]).mean()
    return (x / _CM, y / _CM) if better else (0.0, 0.0)


def _mean(planes: Planes) -> NDArray[np.float32]:
    blue, green, red = planes
    return np.asarray((blue + green + red) / np.float32(3), np.float32)
