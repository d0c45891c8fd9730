"""Which pins stand as they did: their pixels and slopes have not changed, and what is seen there stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.bird import SIZE, Bird, bird_outline
from vision.finn.bodies import UPRIGHT, Found
from vision.finn.focus import edges_of
from vision.finn.light import Pair, Picture
from vision.finn.maps import Maps
from vision.finn.pins import Body, draw
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


def staying(  # noqa: PLR0917 - a scene, and what was found in it
    pair: Pair,
    before: Picture,
    owner: Owner,
    places: Sequence[Place],
    pins: Sequence[Found],
    looks: Sequence[float],
) -> dict[int, Stay]:
    """Give the pins that stand where they stood, by place in the list.

    Parameters
    ----------
    pair, before
        The pictures.
    owner
        (H, W) whose each pixel was, as `vision.finn.looks.seen_pins` gives it.
    places
        Where they stood, cm.
    pins
        The bodies that were found.
    looks
        How upright what is seen at each place looks now, 0 to 1; see `upright_there`.
    """
    same = unchanged(pair, before, owner, len(places))
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


def unchanged(pair: Pair, before: Picture, owner: Owner, count: int, *, alike: bool = True) -> list[bool]:
    """Say of each pin whether its pixels have not changed, or (`alike`) their slopes have not."""
    rows, columns = _box(owner)
    then, now = edges_of(before[rows, columns]), edges_of(pair.picture[rows, columns])
    change, part = pair.change[rows, columns], owner[rows, columns]
    stays = []
    for place in range(count):
        mine = np.nonzero(cv2.erode((part == place).astype(np.uint8), np.ones((3, 3), np.uint8)))
        if len(mine[0]) < LIMITS.least_px:
            stays.append(False)
            continue
        changed = float(np.mean(change[mine] > LIMITS.other_px))
        a, b = then[mine].ravel(), now[mine].ravel()
        same = float(a @ b) / max(float(np.sqrt((a @ a) * (b @ b))), 1e-6)
        stays.append(changed < LIMITS.same or (alike and changed < LIMITS.other and same > LIMITS.slopes))
    return stays


def _box(owner: Owner) -> tuple[slice, slice]:
    """Give the part of a picture with all pins in it, and a margin."""
    x, y, w, h = cv2.boundingRect((owner >= 0).astype(np.uint8))
    return slice(max(0, y - 4), y + h + 4), slice(max(0, x - 4), x + w + 4)


def upright_there(maps: Maps, bird: Bird, places: Sequence[Place], body: Body) -> list[float]:
    """Say how upright what is seen at each place looks, 0 to 1: of its outline that nearer pins did not hide."""
    owner = np.full((SIZE[1], SIZE[0]), -1, np.int16)
    far = [-float(np.hypot(*(bird.eye_cm[:2] - xy))) for xy in places]
    for place in np.argsort(far, kind="stable"):
        draw(owner, bird_outline(bird, places[place], body), int(place))
    upright = maps.chances[UPRIGHT]
    return [
        float(upright[owner == place].mean()) if (owner == place).any() else 0.0 for place in range(len(places))
    ]
