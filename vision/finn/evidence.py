"""What speaks, pixel by pixel, for something new that stands or lies here, and what for the bare table.

The picture before is the table, with the pins painted over by the board around them. Shadows come and go: a pixel
that is only darker or lighter than the table, of the same colour, is nearly table. Where a pin stood and the table
is only guessed, the colours of pins and of the board around, both taken from the picture before, help to decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Colours = NDArray[np.int32]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceTuning:
    """How differences are weighed.

    Attributes
    ----------
    known, guessed
        Difference of colour (logarithms) that is usual where the table was seen, and where it was painted over.
    darker, lighter
        How much a change of brightness alone counts against one of colour.
    clear
        Usual differences from which a pixel is no table.
    colour_weight
        What colours of pins count against differences.
    shaded_px
        Beside pins the board is darker and takes their colour: so much of it is not used to paint over them.
    bins
        A side of the histogram of colours.
    """

    known: float = 0.045
    guessed: float = 0.065
    darker: float = 0.33
    lighter: float = 0.6
    clear: float = 2.5
    colour_weight: float = 0.7
    shaded_px: int = 3
    bins: int = 24


TUNING: Final = EvidenceTuning()

BY_CONTRAST: Final = (
    TUNING,
    EvidenceTuning(lighter=0.9, darker=0.4, clear=2.0),
    EvidenceTuning(lighter=1.0, darker=0.5, clear=1.5),
    EvidenceTuning(lighter=1.0, darker=0.7, clear=1.0),
)
"""For boards from which pins stand out less and less, as where both are of one wood: a change of brightness alone
says more there, and shadows are taken for pins more easily. Lessons choose (`vision.teach`)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bare:
    """The table without its pins, as the picture before shows it.

    Attributes
    ----------
    table
        (H, W, 3) logarithms, pins painted over.
    shade
        (H, W) by how much it is darker than all around it: it was in a shadow, perhaps.
    around
        (H, W), 1 where pins or their edges may have been, and the table is guessed.
    odds
        (BINS,) -1 to 1 that a colour is a pin's and not the board's; None: nobody knows.
    """

    table: Floats
    shade: Floats
    around: Mask
    odds: Floats | None

    def of(self, rows: slice, columns: slice) -> "Bare":
        """Give a part of it."""
        part = rows, columns
        return Bare(table=self.table[part], shade=self.shade[part], around=self.around[part], odds=self.odds)

    def without(self, mask: Mask) -> "Bare":
        """Give it with something else, (H, W) 1, painted over too."""
        if not mask.any():
            return self
        around = np.maximum(self.around, mask)
        return Bare(table=painted(self.table, around), shade=self.shade, around=around, odds=self.odds)


def bare_of(log: Floats, pins: Mask, around: Mask, board: Mask, shade_px: float) -> Bare:
    """Take the pins off a picture.

    Parameters
    ----------
    log
        The picture before, (H, W, 3) logarithms.
    pins
        (H, W), 1 where pins are seen in it.
    around
        The same and a little more: where pins or their edges may be.
    board
        (H, W), 1 on the board.
    shade_px
        Shadows before are narrower than this: where one was, a picture that is lighter is no news.
    """
    table = painted(log, around)
    bare = (board > 0) & (cv2.dilate(around, np.ones((7, 7), np.uint8)) == 0)
    odds = None
    if bare.any() and pins.any():
        odds = odds_of(colours_of(log[pins > 0]), colours_of(log[bare][::3]))
    return Bare(table=table, shade=_shade(_mean(table), shade_px), around=around, odds=odds)


def evidence(now: Floats, colours: Colours, bare: Bare, contrast: int = 0) -> Floats:
    """Weigh every pixel of the picture after.

    Parameters
    ----------
    now, colours
        The picture after, (H, W, 3) logarithms, and its colours, (H, W), as `colours_of` gives them.
    bare
        The table.
    contrast
        Place in `BY_CONTRAST`.

    Returns
    -------
    NDArray
        (H, W) from -1 (the bare table) to 1 (something new).
    """
    tuning = BY_CONTRAST[contrast]
    unsure = np.where(bare.around > 0, np.float32(tuning.guessed), np.float32(tuning.known))
    distance = _distance(now, bare, tuning) / unsure
    weight = np.clip((distance - np.float32(tuning.clear)) / 2, -1, 1)
    if bare.odds is None:
        return np.asarray(weight, np.float32)
    share = TUNING.colour_weight * np.where(bare.around > 0, np.float32(1), np.float32(0.3))
    return np.asarray(np.clip(weight + share * bare.odds[colours], -1, 1), np.float32)


def painted(log: Floats, where: Mask) -> Floats:
    """Paint over a part of a picture with what lies around it, near things first."""
    rows, columns = _box(where, 50)
    part, hidden = log[rows, columns], where[rows, columns]
    wide = 2 * TUNING.shaded_px + 1
    seen = (cv2.dilate(hidden, np.ones((wide, wide), np.uint8)) == 0).astype(np.float32)
    total, weight = np.zeros_like(part), np.zeros_like(seen)
    for spread, share in ((4.0, 1.0), (10.0, 1e-2), (30.0, 1e-4)):
        total += share * _blurred(part * seen[..., None], spread)
        weight += share * _blurred(seen, spread)
    table = log.copy()
    filled = total / np.maximum(weight, 1e-12)[..., None]
    table[rows, columns] = np.where(hidden[..., None] > 0, filled, part)
    return table


def _blurred(image: Floats, spread: float) -> Floats:
    """Blur widely and cheaply, at half the size or less."""
    factor = max(1, int(spread / 2.5))
    if factor == 1:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), spread), np.float32)
    size = (max(1, image.shape[1] // factor), max(1, image.shape[0] // factor))
    small = cv2.GaussianBlur(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (0, 0), spread / factor)
    return np.asarray(cv2.resize(small, (image.shape[1], image.shape[0])), np.float32)


def _box(mask: Mask, margin: int) -> tuple[slice, slice]:
    x, y, w, h = cv2.boundingRect(mask)
    if w == 0:
        return slice(0, 1), slice(0, 1)
    return slice(max(0, y - margin), y + h + margin), slice(max(0, x - margin), x + w + margin)


def _distance(now: Floats, bare: Bare, tuning: EvidenceTuning) -> Floats:
    """Give how far a pixel is from the table, whatever the shadow: colour fully, brightness partly."""
    blue, green, red = cv2.split(cv2.subtract(now, bare.table))
    light = (blue + green + red) / np.float32(3)
    colour = cv2.max(cv2.max(cv2.absdiff(blue, light), cv2.absdiff(green, light)), cv2.absdiff(red, light))
    lighter = np.float32(tuning.lighter) * np.maximum(0, light - bare.shade)
    return np.asarray(cv2.magnitude(colour, np.where(light < 0, np.float32(tuning.darker) * light, lighter)))


def _mean(log: Floats) -> Floats:
    blue, green, red = cv2.split(log)
    return np.asarray((blue + green + red) / np.float32(3), np.float32)


def _shade(grey: Floats, shade_px: float) -> Floats:
    """Give by how much (H, W) is darker than all around it within so many pixels: it was in a shadow, perhaps."""
    small = cv2.resize(grey, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), 1.0)
    wide = max(3, round(shade_px / 4)) | 1
    lit = cv2.morphologyEx(small, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide)))
    whole = cv2.resize(lit, (grey.shape[1], grey.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.maximum(0, whole - grey), np.float32)


def odds_of(these: Colours, those: Colours) -> Floats:
    """Give -1 to 1 for each colour, (BINS,): it is one of those, (N,), or one of these; all as `colours_of`."""
    ratio = np.log((_histogram(these) + np.float32(0.02)) / (_histogram(those) + np.float32(0.02)))
    return np.asarray(np.clip(ratio / 2, -1, 1), np.float32)


def told_apart(these: Colours, those: Colours, least: float) -> Floats | None:
    """Give `odds_of` colours, or None where both have nearly the same: mean odds of less than `least`."""
    odds = odds_of(these, those)
    apart = min(float(odds[these].mean()), float(-odds[those].mean()))
    return odds if apart >= least else None


def colours_of(log: Floats) -> Colours:
    """Give the colours of (…, 3) logarithms as numbers, alike ones the same."""
    scale = np.float32(TUNING.bins / (np.log(271.0) - np.log(16.0)))
    at = np.clip((log - np.float32(np.log(16.0))) * scale, 0, TUNING.bins - 1).astype(np.int32)
    return np.asarray((at[..., 0] * TUNING.bins + at[..., 1]) * TUNING.bins + at[..., 2])


def _rolled(steps: Sequence[tuple[int, int, int]]) -> NDArray[np.intp]:
    """Give where each colour comes from, (len(steps), BINS), if all are moved on by so many bins, around."""
    places = np.arange(BINS).reshape((TUNING.bins,) * 3)
    return np.stack([np.roll(places, step, axis=(0, 1, 2)).ravel() for step in steps])


BINS: Final = TUNING.bins**3
_LIGHTER: Final = _rolled([(k, k, k) for k in (-2, -1, 1, 2)])
_SHARES: Final = np.array([0.3, 0.6, 0.6, 0.3], np.float32)
_BESIDE: Final = [
    _rolled([(1, 0, 0), (-1, 0, 0)]),
    _rolled([(0, 1, 0), (0, -1, 0)]),
    _rolled([(0, 0, 1), (0, 0, -1)]),
]


def _histogram(colours: Colours) -> Floats:
    """Count colours, those a little lighter or darker too; 1 is the usual share of a bin that is used."""
    counts = np.bincount(colours.ravel(), minlength=BINS).astype(np.float32)
    spread = counts.copy()
    for places, share in zip(_LIGHTER, _SHARES, strict=True):
        spread += share * counts[places]
    for one, other in _BESIDE:
        spread = np.float32(0.5) * spread + np.float32(0.25) * (spread[one] + spread[other])
    return np.asarray(spread / np.float32(max(float(spread.max()), 1e-6)) * np.float32(4))


def union(masks: Sequence[Mask], shape: tuple[int, ...]) -> Mask:
    """Join masks (H, W) of a picture of this shape."""
    whole = np.zeros(shape[:2], np.uint8)
    for mask in masks:
        np.maximum(whole, mask, out=whole)
    return whole
