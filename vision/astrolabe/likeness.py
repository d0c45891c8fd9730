"""How much more a colour belongs to balls of a side than to everything else on this table, colour by colour.

What balls look like is known from those that were taught, all their pixels, lit brighter and darker; what the
rest looks like, from the picture at hand itself, in which balls cover hardly anything. The logarithm of the ratio
of the two needs no model of wood, felt, combs, shadows or glare: what is common on the table is no sign of a ball.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.astrolabe.view import TableView

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Table = NDArray[np.float32]

BINS: Final = 32
_SHIFT: Final = 3


@dataclass(frozen=True, slots=True)
class LikenessLimits:
    """How colours are counted.

    Attributes
    ----------
    lit
        A ball is taught as seen and in so many times its light, with this weight: places on a table differ about
        so much, and mostly less.
    ball_blur, table_blur
        Standard deviation, in bins of 8 levels, by which counts are spread: few pixels teach a ball, many the
        rest.
    floor
        Share that any colour may have of either.
    most
        No pixel says more than this, one way or the other: a highlight is no proof against a ball.
    rare
        A colour with less than this share of the table is rare: one thing the size of a ball is 7e-4 of the table
        and has some twenty colours, the shadows in fifteen slots are four times that.
    every
        Of the table's pixels, each so-manieth is counted.
    """

    lit: tuple[tuple[float, float], ...] = (
        (0.7, 0.15), (0.8, 0.4), (0.9, 1.0), (1.0, 1.0), (1.12, 0.4), (1.25, 0.15),
    )  # fmt: skip
    ball_blur: float = 1.0
    table_blur: float = 0.8
    floor: float = 2e-5
    most: float = 3.0
    rare: float = 5e-5
    every: int = 2


LIMITS: Final = LikenessLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Likeness:
    """Tables of one picture, each (32, 32, 32) float32 over BGR.

    Attributes
    ----------
    board, gutter
        By side: logarithm of how much likelier a pixel on the board (in a gutter) is a ball's than anything
        else's.
    rare_board, rare_gutter
        1 where a colour hardly occurs there.
    """

    board: tuple[Table, Table]
    gutter: tuple[Table, Table]
    rare_board: Table
    rare_gutter: Table


def likeness_of(flat: Picture, view: TableView, balls: tuple[Array, Array]) -> Likeness:
    """Learn a picture's colours.

    Parameters
    ----------
    flat
        (h, w, 3) BGR, the table seen flat.
    view
        The table.
    balls
        By side (N, 3), pixels of balls of that side, in the light of this picture.
    """
    taught = tuple(_counted_lit(pixels) for pixels in balls)
    tables: list[tuple[Table, Table]] = []
    rare: list[Table] = []
    everywhere = _counted(flat[~view.gutters][:: LIMITS.every], LIMITS.table_blur)
    there = view.gutters
    gutter = _counted(flat[there][:: LIMITS.every], LIMITS.table_blur) if there.any() else everywhere
    for others in (everywhere, gutter):
        tables.append((_ratio(taught[0], others), _ratio(taught[1], others)))
        rare.append((others < LIMITS.rare).astype(np.float32))
    return Likeness(board=tables[0], gutter=tables[1], rare_board=rare[0], rare_gutter=rare[1])


def looked_up(table: Table, pixels: Picture) -> Table:
    """Give the value of each pixel: (…, 3) BGR to (…)."""
    return looked_up_at(table, bins_of(pixels))


def looked_up_at(table: Table, bins: NDArray[np.int32]) -> Table:
    """Give the value of each bin of `bins_of`: (…) to (…)."""
    return np.take(table.reshape(-1), bins)


def _ratio(ball: Array, others: Array) -> Table:
    ratio = np.log((ball + LIMITS.floor) / (others + LIMITS.floor))
    return np.clip(ratio, -LIMITS.most, LIMITS.most).astype(np.float32)


def _counted_lit(pixels: Array) -> Array:
    """Count the colours of a side's balls in the light that they were taught in, and in more and less of it."""
    total = np.zeros(BINS**3)
    for gain, weight in LIMITS.lit:
        lit = np.clip(np.asarray(pixels, np.float64) * gain, 0, 255)
        total += weight * _counts(np.asarray(lit, np.uint8))
    return _spread(total / sum(weight for _, weight in LIMITS.lit), LIMITS.ball_blur)


def bins_of(pixels: Picture) -> NDArray[np.int32]:
    """Give where in a table each pixel is: (…, 3) BGR to (…)."""
    parts = (pixels >> _SHIFT).astype(np.int32)
    return np.asarray((parts[..., 0] * BINS + parts[..., 1]) * BINS + parts[..., 2])


def _counted(pixels: ArrayLike, blur: float) -> Array:
    """Give the share of each colour among (N, 3) uint8 pixels as (32, 32, 32), blurred."""
    return _spread(_counts(np.asarray(pixels, np.uint8)), blur)


def _counts(pixels: Picture) -> Array:
    index = bins_of(pixels.reshape(-1, 3))
    return np.bincount(index, minlength=BINS**3) / max(1, len(index))


def _spread(counts: Array, blur: float) -> Array:
    cube = counts.reshape(BINS, BINS, BINS)
    for axis in range(3):
        cube = _blurred(cube, blur, axis)
    return cube


def _blurred(counts: Array, blur: float, axis: int) -> Array:
    reach = int(np.ceil(3 * blur))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / blur) ** 2)
    weights /= weights.sum()
    moved = np.moveaxis(counts, axis, 0)
    padded = np.pad(moved, ((reach, reach), (0, 0), (0, 0)), mode="edge")
    total = sum(weight * padded[k : k + BINS] for k, weight in enumerate(weights))
    return np.moveaxis(np.asarray(total), 0, axis)
