"""Which pins stand as they did: their pixels and slopes have not changed, and what is seen there stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.bodies import UPRIGHT, Found
from vision.finn.focus import edges_of
from vision.finn.light import Floats, Pair
from vision.finn.maps import Maps
from vision.finn.state import Place

Owner = NDArray[np.int16]


@dataclass(frozen=True, slots=True, kw_only=True)
class StayLimits:
    """When a pin has stayed.

    Attributes
    ----------
    same
        Less of a pin than this changed: it stands as it did, whatever its slopes say.
    other
        More than this changed: it does not.
    slopes
        Between the two its slopes decide: agreement (-1 to 1) of 0.53 and more was measured on pins that stood
        still in another light, 0.31 at most on pins that moved by half a centimetre.
    other_px
        Difference of logarithms from which a pixel of a pin changed.
    least_px
        Pixels of a pin that have to be seen for that.
    stands_cm
        A standing pin found so near to where one stood is that one; where nothing changed, twice as far.
    upright
        Where a pin stood so much has to look upright, or it has gone.
    gone
        Less than this looks upright there: it has gone, though little changed.
    """

    same: float = 0.1
    other: float = 0.5
    slopes: float = 0.45
    other_px: float = 0.12
    least_px: int = 20
    stands_cm: float = 0.7
    upright: float = 0.5
    gone: float = 0.15


LIMITS: Final = StayLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A pin that stands as it did.

    Attributes
    ----------
    body
        Its place in the list of bodies, or None.
    sure
        Nothing speaks against it.
    same
        It looks the same.
    """

    body: int | None
    sure: bool
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """What is seen of one standing pin, ready to be looked at again.

    Attributes
    ----------
    part
        Rows and columns of the picture; they begin at even pixels.
    inner
        (h, w) of that part: where the pin is seen, its rim apart.
    slopes
        (2 N,) its slopes there.
    """

    part: tuple[slice, slice]
    inner: NDArray[np.bool_]
    slopes: Floats


def marks_of(owner: Owner, slopes_px: Floats, count: int) -> tuple[Mark | None, ...]:
    """Give what is seen of each of `count` pins, None of those of which too little is.

    Parameters
    ----------
    owner
        (H, W) whose each pixel is, as `vision.finn.looks.seen_pins` gives it.
    slopes_px
        (H, W, 2) slopes of the picture, as `vision.finn.focus.edges_of` gives them.
    count
        How many.
    """
    return tuple(_mark(owner, slopes_px, place) for place in range(count))


def _mark(owner: Owner, slopes_px: Floats, place: int) -> Mark | None:
    mine = (owner == place).astype(np.uint8)
    x, y, w, h = cv2.boundingRect(mine)
    # Changes are known of every second pixel, from the first on.
    left, top = max(0, x - 4) // 2 * 2, max(0, y - 4) // 2 * 2
    part = slice(top, y + h + 4), slice(left, x + w + 4)
    inner = cv2.erode(mine[part], np.ones((3, 3), np.uint8)) > 0
    if inner.sum() < LIMITS.least_px:
        return None
    return Mark(part=part, inner=inner, slopes=slopes_px[part][inner].ravel())


def staying(
    pair: Pair,
    marks: Sequence[Mark | None],
    places: Sequence[Place],
    pins: Sequence[Found],
    looks: Sequence[float],
) -> dict[int, Stay]:
    """Give the pins that stand where they stood, by place in the list.

    Parameters
    ----------
    pair, marks
        The pictures, and what was seen of each pin before, as `marks_of` gives it.
    places
        Where they stood, cm.
    pins
        The bodies that were found.
    looks
        How upright what is seen at each place looks now, 0 to 1; see `upright_there`.
    """
    same = unchanged(pair, marks)
    gaps = sorted(
        (float(np.hypot(pin.axis.x_cm - xy[0], pin.axis.y_cm - xy[1])), k, place)
        for k, xy in enumerate(places)
        for place, pin in enumerate(pins)
        if pin.kind == "upright"
    )
    stays: dict[int, Stay] = {}
    taken: set[int] = set()
    for gap, k, place in gaps:
        near = LIMITS.stands_cm * (2 if same[k] else 1)
        if gap < near and k not in stays and place not in taken and (same[k] or looks[k] > LIMITS.upright):
            stays[k] = Stay(body=place, sure=looks[k] > LIMITS.upright, same=same[k])
            taken.add(place)
    for k, kept in enumerate(same):
        if kept and k not in stays and looks[k] > LIMITS.gone:
            stays[k] = Stay(body=None, sure=looks[k] > LIMITS.upright, same=True)
    return stays


def unchanged(pair: Pair, marks: Sequence[Mark | None], *, alike: bool = True) -> list[bool]:
    """Say of each pin whether its pixels have not changed, or (`alike`) their slopes have not."""
    return [mark is not None and _same(pair, mark, alike=alike) for mark in marks]


def _same(pair: Pair, mark: Mark, *, alike: bool) -> bool:
    """Say whether what is seen of one pin has not changed; see `unchanged`."""
    rows, columns = mark.part
    half = mark.inner[::2, ::2]
    change = pair.change[rows.start // 2 :, columns.start // 2 :][: half.shape[0], : half.shape[1]]
    changed = float(np.mean(change[half] > LIMITS.other_px)) if half.any() else 1.0
    if changed < LIMITS.same or not alike or changed >= LIMITS.other:
        return changed < LIMITS.same
    a, b = mark.slopes, edges_of(pair.picture[mark.part])[mark.inner].ravel()
    return float(a @ b) / max(float(np.sqrt((a @ a) * (b @ b))), 1e-6) > LIMITS.slopes


def upright_there(maps: Maps, stood: Owner, count: int) -> list[float]:
    """Say how upright what is seen at each of `count` places looks, 0 to 1: of what nearer pins did not hide.

    `stood` is (H, W) of the redrawn board, as `vision.finn.ground.seen_from_above` gives it.
    """
    upright = maps.chances[UPRIGHT]
    return [float(upright[stood == place].mean()) if (stood == place).any() else 0.0 for place in range(count)]
