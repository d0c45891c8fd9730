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


def evidence(  # noqa: PLR0917
    logs: tuple[Floats, Floats], colours: tuple[Colours, Colours], pins: Mask, around: Mask, board: Mask,
    shade_px: float, contrast: int = 0,
) -> Floats:  # fmt: skip
    """Weigh every pixel of the picture after.

    Parameters
    ----------
    logs
        Before and after, (H, W, 3) logarithms.
    colours
        Their colours, (H, W), as `colours_of` gives them.
    pins
        (H, W), 1 where pins are seen in the picture before.
    around
        The same and a little more: where pins or their edges may be.
    board
        (H, W), 1 on the board.
    shade_px
        Shadows before are narrower than this: where one was, a picture that is lighter is no news.
    contrast
        Place in `BY_CONTRAST`.

    Returns
    -------
    NDArray
        (H, W) from -1 (the bare table) to 1 (something new).
    """
    tuning = BY_CONTRAST[contrast]
    table = painted(logs[0], around)
    then, now = colours
    unsure = np.where(around > 0, tuning.guessed, tuning.known).astype(np.float32)
    distance = _distance(logs[1], table, shade_px, tuning) / unsure
    weight = np.clip((distance - tuning.clear) / 2, -1, 1)
    bare = (board > 0) & (cv2.dilate(around, np.ones((7, 7), np.uint8)) == 0)
    if not bare.any() or not pins.any():
        return np.asarray(weight, np.float32)
    odds = colour_odds(now, then[pins > 0], then[bare][::3])
    mixed = weight + TUNING.colour_weight * np.where(around > 0, odds, 0.3 * odds)
    return np.asarray(np.clip(mixed, -1, 1), np.float32)


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


def _distance(now: Floats, table: Floats, shade_px: float, tuning: EvidenceTuning) -> Floats:
    """Give how far a pixel is from the table, whatever the shadow: colour fully, brightness partly."""
    ratio = now - table
    light = ratio.mean(axis=2)
    colour = np.abs(ratio - light[..., None]).max(axis=2)
    lighter = tuning.lighter * np.maximum(0, light - _shade(table.mean(axis=2), shade_px))
    return np.asarray(np.sqrt(colour**2 + np.where(light < 0, tuning.darker * light, lighter) ** 2), np.float32)


def _shade(grey: Floats, shade_px: float) -> Floats:
    """Give by how much (H, W) is darker than all around it within so many pixels: it was in a shadow, perhaps."""
    small = cv2.resize(grey, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), 1.0)
    wide = max(3, round(shade_px / 4)) | 1
    lit = cv2.morphologyEx(small, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide)))
    whole = cv2.resize(lit, (grey.shape[1], grey.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.maximum(0, whole - grey), np.float32)


def colour_odds(now: Colours, these: Colours, those: Colours) -> Floats:
    """Give -1 to 1 for each of (H, W) colours: it is one of those, (N,), or one of these; all as `colours_of`."""
    ratio = np.log((_histogram(these) + 0.02) / (_histogram(those) + 0.02))
    return np.asarray(np.clip(ratio / 2, -1, 1).astype(np.float32)[now])


def colours_of(log: Floats) -> Colours:
    """Give the colours of (…, 3) logarithms as numbers, alike ones the same."""
    scale = np.float32(TUNING.bins / (np.log(271.0) - np.log(16.0)))
    at = np.clip((log - np.float32(np.log(16.0))) * scale, 0, TUNING.bins - 1).astype(np.int32)
    return np.asarray((at[..., 0] * TUNING.bins + at[..., 1]) * TUNING.bins + at[..., 2])


def _histogram(colours: Colours) -> NDArray[np.float64]:
    """Count colours, those a little lighter or darker too; 1 is the usual share of a bin that is used."""
    bins = TUNING.bins
    counts = np.bincount(colours.ravel(), minlength=bins**3).reshape(bins, bins, bins).astype(np.float32)
    spread = counts.copy()
    for step, share in ((-2, 0.3), (-1, 0.6), (1, 0.6), (2, 0.3)):
        spread += np.float32(share) * np.roll(counts, (step, step, step), axis=(0, 1, 2))
    for axis in range(3):
        spread = 0.5 * spread + 0.25 * (np.roll(spread, 1, axis) + np.roll(spread, -1, axis))
    return np.asarray(spread.ravel() / max(float(spread.max()), 1e-6) * 4)


def union(masks: Sequence[Mask], shape: tuple[int, ...]) -> Mask:
    """Join masks (H, W) of a picture of this shape."""
    whole = np.zeros(shape[:2], np.uint8)
    for mask in masks:
        np.maximum(whole, mask, out=whole)
    return whole
