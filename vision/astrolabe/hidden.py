"""Balls of a colour that hides them: dark ones in a dark gutter, told by how the gutter looks further along."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.likeness import looked_up
from vision.astrolabe.view import AROUND, INSIDE, PX_PER_CM, TableView

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]
Sides = tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class HiddenLimits:
    """When a colour hides a ball, and what gives it away.

    Attributes
    ----------
    lost
        A ball hides if more than this share of its pixels are no likelier a ball's than the table's (`told`).
        Balls of other colours than the table reach 0.06, blue ones on dark blue felt 0.11 and more.
    told
        Logarithm of the ratio from which on a pixel speaks for a ball.
    along_cm
        A gutter is compared with itself this far both ways.
    change, above
        Difference of logarithms from there: so many times the gutter's median difference, but never less than the
        first of the two nor more than the second.
    around_cm, change_on_board, size
        The board is compared with what is so near around; by so much it differs; so many diameters wide and long.
    dark
        Levels added before the logarithm.
    area, long, wide
        What balls change, in areas and diameters of a ball: least and most; `wide` across, at least. More than
        four in a row are no balls but the shadow of a wall.
    gleam
        Difference of logarithms from what is around by which a lamp shows on a ball. Of 14 dark rendered balls in
        dark gutters the least has 0.29, of 49 shadows and noise two more than 0.25.
    """

    lost: float = 0.1
    told: float = 0.5
    along_cm: float = 15.0
    change: tuple[float, float] = (0.08, 0.2)
    above: float = 4.0
    around_cm: float = 8.0
    change_on_board: float = 0.1
    size: tuple[float, float] = (0.4, 2.2)
    dark: float = 12.0
    area: tuple[float, float] = (0.4, 4.5)
    long: tuple[float, float] = (0.7, 4.6)
    wide: float = 0.6
    gleam: float = 0.27


LIMITS: Final = HiddenLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """A place where a gutter is not as it is further along: middle, box (cm), for how many balls there is room.

    `gleams`: something small in it is brighter than all around, as a lamp on a ball is; shadows are smooth.
    """

    xy_cm: tuple[float, float]
    box_cm: tuple[float, float, float, float]
    balls: int
    gleams: bool

    def holds(self, xy_cm: tuple[float, float]) -> bool:
        """Say whether a point of the table lies in it."""
        left, near, right, far = self.box_cm
        return left <= xy_cm[0] <= right and near <= xy_cm[1] <= far


def hides(table: NDArray[np.float32], pixels: Array) -> bool:
    """Say whether balls with these pixels, (N, 3), can be overlooked where `table` tells balls from the rest."""
    if not len(pixels):
        return False
    told = looked_up(table, np.asarray(np.clip(pixels, 0, 255), np.uint8))
    return float(np.mean(told < LIMITS.told)) > LIMITS.lost


def hidden_sides(tables: tuple[NDArray[np.float32], NDArray[np.float32]], balls: tuple[Array, Array]) -> Sides:
    """Say of either side whether its balls can be overlooked where `tables` tell balls from the rest."""
    return hides(tables[0], balls[0]), hides(tables[1], balls[1])


def odd_in_gutters(flat: Picture, view: TableView) -> tuple[Odd, ...]:
    """Give places where a gutter is not as it is further along and which are as large as a ball, or as a few.

    Parameters
    ----------
    flat
        (h, w, 3) BGR, the table seen flat.
    view
        The table; gutters that run along it are looked at.
    """
    places: list[Odd] = []
    for area in view.table.gutters_cm:
        left, right = (max(0, round(edge(x for x, _ in area) * PX_PER_CM)) for edge in (min, max))
        near, far = (max(0, round(edge(y for _, y in area) * PX_PER_CM)) for edge in (min, max))
        strip = flat[near:far, left:right].astype(np.float32)
        if min(strip.shape[:2]) >= 3:
            places += _odd(strip, view.table.ball_cm, (left, near))
    return tuple(places)


def odd_on_board(flat: Picture, view: TableView) -> tuple[tuple[float, float], ...]:
    """Give the middles, cm, of places of ball size where the board is not as around them, the clearest first.

    Parameters
    ----------
    flat
        (h, w, 3) BGR, the table seen flat.
    view
        The table; combs and gutters are left out.
    """
    logs = np.log(cv2.blur(flat, (3, 3)).astype(np.float32) + np.float32(LIMITS.dark))
    size = round(LIMITS.around_cm * PX_PER_CM) | 1
    difference = np.abs(logs - cv2.blur(logs, (size, size))).max(axis=2)
    mask = ((difference > LIMITS.change_on_board) & view.board).astype(np.uint8)
    kernel = np.ones((3, 3), np.uint8)
    mask = cv2.morphologyEx(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel), cv2.MORPH_OPEN, kernel)
    _, _, stats, middles = cv2.connectedComponentsWithStats(mask)
    ball_px = view.table.ball_cm * PX_PER_CM
    found = []
    for (left, top, wide, long, _), (x, y) in zip(stats[1:], middles[1:], strict=True):
        if all(LIMITS.size[0] <= side / ball_px <= LIMITS.size[1] for side in (wide, long)):
            most = float(difference[top : top + long, left : left + wide].max())
            found.append((most, ((float(x) + 0.5) / PX_PER_CM, (float(y) + 0.5) / PX_PER_CM)))
    return tuple(xy for _, xy in sorted(found, reverse=True))


def unlike_others(patches: Picture, known: Sequence[bool]) -> Array:
    """Give how much each slot differs from what most slots look like.

    Parameters
    ----------
    patches
        (N, 33, 33, 3) BGR, as `TableView.patches` cuts them.
    known
        Whether a slot plainly holds a ball, so that it says nothing of what the others look like.

    Returns
    -------
    ndarray
        (N,) mean difference of logarithms inside of a ball, the light around it taken out.
    """
    logs = np.log(patches.astype(np.float32) + np.float32(LIMITS.dark))
    logs -= np.median(logs[:, AROUND], axis=1)[:, None, None]
    even = np.stack([cv2.blur(one, (5, 5)) for one in logs])
    others = [one for one, sure in zip(even, known, strict=True) if not sure]
    if not others:
        return np.zeros(len(patches))
    difference = np.abs(even - np.median(others, axis=0)).max(axis=3)
    return np.asarray(difference[:, INSIDE].mean(axis=1), np.float64)


def _odd(strip: NDArray[np.float32], ball_cm: float, corner: tuple[int, int]) -> list[Odd]:
    logs = np.log(strip + np.float32(LIMITS.dark))
    difference = np.abs(logs - _along(logs)).max(axis=2)
    told = np.clip(LIMITS.above * np.median(difference), *LIMITS.change)
    mask = cv2.morphologyEx((difference > told).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    _, _, stats, middles = cv2.connectedComponentsWithStats(mask)
    ball_px = ball_cm * PX_PER_CM
    even = cv2.blur(logs, (2, 2)).mean(axis=2)
    gleam = even - cv2.blur(even, (9, 9))
    found = []
    for (left, near, wide, long, area), (x, y) in zip(stats[1:], middles[1:], strict=True):
        balls = float(area) / (np.pi / 4 * ball_px**2)
        right_size = LIMITS.area[0] <= balls <= LIMITS.area[1] and wide >= LIMITS.wide * ball_px
        if right_size and LIMITS.long[0] <= long / ball_px <= LIMITS.long[1]:
            box = (corner[0] + left, corner[1] + near, corner[0] + left + wide, corner[1] + near + long)
            first, second, third, fourth = (float(v) / PX_PER_CM for v in box)
            middle = ((corner[0] + float(x) + 0.5) / PX_PER_CM, (corner[1] + float(y) + 0.5) / PX_PER_CM)
            room = max(1, round(float(long) / ball_px / 1.15))
            bright = gleam[near : near + long, left : left + wide]
            box_cm = (first, second, third, fourth)
            found.append(Odd(xy_cm=middle, box_cm=box_cm, balls=room, gleams=_has_spot(bright)))
    return found


def _has_spot(gleam: NDArray[np.float32]) -> bool:
    """Say whether something bright lies wholly within a piece: a wall, or what lies beside, reaches its rim."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((gleam >= LIMITS.gleam).astype(np.uint8))
    height, width = gleam.shape
    return any(
        left > 0 and top > 0 and left + wide < width and top + long < height
        for left, top, wide, long, _ in stats[1:].tolist()
    )


def _along(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give what each place of a strip, (h, w, 3), looks like further along: medians of its column."""
    reach, block = round(LIMITS.along_cm * PX_PER_CM), 2 * PX_PER_CM
    usual = np.empty_like(logs)
    for first in range(0, len(logs), block):
        usual[first : first + block] = np.median(logs[max(0, first - reach) : first + block + reach : 3], axis=0)
    return usual
