"""The picture after the shot against the one before: which pins stand as they did, and what else is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.before import View
from vision.finn.bird import PX_PER_CM, Bird, to_px
from vision.finn.bodies import Found, Labels, bird_outline_of, bodies, with_ways
from vision.finn.disc import waiting
from vision.finn.fitting import fitted_bodies
from vision.finn.ground import Ground
from vision.finn.light import Mask, Pair, Picture, compared
from vision.finn.looks import Looks
from vision.finn.maps import Maps, maps_of
from vision.finn.numbers import read_heads
from vision.finn.pins import Axis, Body, draw, drawn, lying
from vision.finn.state import BOARD_CM, PINS, Place
from vision.finn.staying import Stay, staying, upright_there

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterLimits:
    """What has stayed and what is new.

    Attributes
    ----------
    overlap, overlap_standing
        Pins whose axes come nearer than this share of a diameter are in one place; places of standing ones are
        better known.
    near
        Where a pin stood and so much looks upright still one may stand a little aside.
    apart
        A pin cannot lie nearer to where one stands than this share of a diameter.
    shows
        A lying pin of which less than this share is seen is not.
    bare
        A pixel that is bare with more chance than this is no pin.
    beside_cm, beside
        Within so far of a standing body this share of what was seen to lie or lean must be hidden by none, or it
        is no other body than that.
    numbered
        Numbers count where heads showed theirs with this chance.
    other_number, own_number
        A head that shows another number with more chance than the one, and its own with less than the other, is
        another pin's.
    changed
        Difference of logarithms from which a pixel shows something else, whatever the shadows do.
    """

    overlap: float = 0.6
    overlap_standing: float = 0.8
    near: float = 0.1
    apart: float = 0.85
    shows: float = 0.3
    bare: float = 0.5
    changed: float = 0.35
    numbered: float = 0.6
    beside_cm: float = 3.5
    beside: float = 0.1
    other_number: float = 0.3
    own_number: float = 0.03


LIMITS: Final = AfterLimits()

_LOG: Final = np.log(np.arange(256, dtype=np.float32) + 16).reshape(1, 256)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What the picture after shows.

    Attributes
    ----------
    pair
        The pictures, comparable.
    still
        Names of pins that stand as they did.
    doubtful
        Those of them that something speaks against.
    moved
        Names of the others.
    bodies
        Pins that stand and lie where none stood.
    disc
        The disc, or None.
    disc_left
        Where the disc waited and is no more, cm, or None.
    unexplained
        Area of what is new and none of these, in areas of a pin.
    more
        Something else is there that may well be a pin.
    high
        (256, 448) of the redrawn board: where something is seen that is high enough to hide a lying pin.
    stay, bird
        Where pins stand as they did, cm, and how the board is redrawn.
    looks
        How each pin looked when it stood, in the order of the view's places.
    slopes, numbered
        How heads of these pins are cut, and with what chance they showed a number; see
        `vision.finn.numbers.slopes_of`.
    stands_out
        How much they differ from the board; see `vision.finn.maps.Base`.
    beside
        Places of bodies that stand, beside which something shows that does not, cm.
    """

    pair: Pair
    still: tuple[str, ...]
    doubtful: tuple[str, ...]
    moved: tuple[str, ...]
    bodies: tuple[Found, ...]
    disc: Found | None
    disc_left: Place | None
    unexplained: float
    more: bool
    high: NDArray[np.bool_]
    stay: tuple[Place, ...]
    bird: Bird
    looks: Looks
    slopes: Array
    numbered: float
    stands_out: float
    beside: tuple[Place, ...]


def seen_after(ground: Ground, after: Picture, *, stands: bool = False) -> Seen | Failure:
    """Compare a picture, (H, W, 3) BGR, with the one before; what `compared` may say.

    `stands`: all pins have likely been set up.
    """
    pair = compared(ground.still, after)
    if isinstance(pair, Failure):
        return pair
    view, owner, bird = ground.view, ground.owner, ground.bird
    names, places = list(view.places), list(view.places.values())
    known = (ground.stood >= 0).astype(np.uint8)
    now = bird.of(pair.picture)
    maps = maps_of(ground.base, now)
    found, labels = bodies(maps, bird, view.body, view.disc)
    upright = upright_there(maps, ground.stood, len(places))
    stays = staying(pair, ground.marks, places, found, upright)
    heads = ground.slopes, ground.numbered
    stays = _as_numbered(stays, names, found, view, pair, heads)
    taken = {stay.body for stay in stays.values()}
    free = [with_ways(one, bird, view.body, view.disc) for k, one in enumerate(found) if k not in taken]
    left = waiting(pair, ground.slopes_px, view.camera, view.disc, (owner >= 0).astype(np.uint8))
    stay = [xy for k, xy in enumerate(places) if k in stays]
    gone = [xy for k, xy in enumerate(places) if k not in stays]
    near = [xy for k, xy in enumerate(places) if k not in stays and upright[k] > LIMITS.near]
    fitted, more = fitted_bodies(
        view, pair, ground.stage, free, stay, gone, near, left, ground.looks, heads, stands=stands
    )
    discs = [one for one in (*fitted, *sorted(free, key=lambda one: -one.pixels)) if one.kind == "disc"]
    return Seen(
        pair=pair,
        still=tuple(name for k, name in enumerate(names) if k in stays),
        doubtful=tuple(name for k, name in enumerate(names) if k in stays and not stays[k].sure),
        moved=tuple(name for k, name in enumerate(names) if k not in stays),
        bodies=tuple(one for one in fitted if one.kind != "disc"),
        disc=discs[0] if discs else None,
        disc_left=None if left is None else (left.x_cm, left.y_cm),
        unexplained=_unexplained(ground.was, now, labels, _gone(maps, known, left, bird, view), view),
        more=more,
        high=_high(found, labels),
        stay=tuple(stay),
        bird=bird,
        looks=ground.looks,
        slopes=ground.slopes,
        numbered=ground.numbered,
        stands_out=ground.base.stands_out,
        beside=_beside(found, labels, fitted, ground),
    )


def _as_numbered(  # noqa: PLR0917
    stays: Mapping[int, Stay], names: Sequence[str], found: Sequence[Found], view: View, pair: Pair,
    heads: tuple[Array, float],
) -> dict[int, Stay]:  # fmt: skip
    """Leave out pins that changed and whose heads show another number now: others took their places."""
    changed = [k for k, stay in stays.items() if not stay.same and stay.body is not None]
    if not changed or heads[1] < LIMITS.numbered:
        return dict(stays)
    axes = [found[stays[k].body or 0].axis for k in changed]
    read = read_heads(pair.after, [(a.x_cm, a.y_cm) for a in axes], view.body, view.camera, heads[0])
    shown = read.chances.sum(axis=2)
    others = {
        k
        for k, chances in zip(changed, shown, strict=True)
        if chances.max() > LIMITS.other_number and chances[PINS.index(names[k])] < LIMITS.own_number
    }
    return {k: stay for k, stay in stays.items() if k not in others}


def _gone(maps: Maps, known: Mask, left: Axis | None, bird: Bird, view: View) -> NDArray[np.bool_]:
    """Give (H, W): where pins stood and the disc waited, and nothing is now."""
    was = known.copy()
    if left is not None:
        draw(was, bird_outline_of(left, view.disc, bird), 1)
    return np.asarray((was > 0) & (maps.chances[0] > LIMITS.bare), np.bool_)


def _unexplained(was: Picture, now: Picture, labels: Labels, gone: NDArray[np.bool_], view: View) -> float:
    """Give the area of what is clearly new and no body covers, nor a pin that is gone, in areas of a pin."""
    low, high = to_px(np.array([[-10.0, -10.0], [127.0, 59.0]])).astype(int)
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    ratio = cv2.subtract(cv2.LUT(now[part], _LOG), cv2.LUT(was[part], _LOG))
    usual = np.median(ratio[::4, ::4].reshape(-1, 3), axis=0)
    blue, green, red = (one - level for one, level in zip(cv2.split(ratio), usual.tolist(), strict=True))
    light = (blue + green + red) / 3
    colour = cv2.max(cv2.max(cv2.absdiff(blue, light), cv2.absdiff(green, light)), cv2.absdiff(red, light))
    other = cv2.magnitude(colour, np.where(light < 0, np.float32(0.4), np.float32(0.6)) * light) > LIMITS.changed
    explained = cv2.dilate(((labels >= 0) | gone)[part].astype(np.uint8), np.ones((7, 7), np.uint8))
    new = cv2.morphologyEx((other & (explained == 0)).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return float(new.sum()) / (PX_PER_CM**2 * 2 * view.body.radius_cm * view.body.height_cm)


def _beside(found: Sequence[Found], labels: Labels, fitted: Sequence[Found], ground: Ground) -> tuple[Place, ...]:
    """Give the places of standing bodies beside which more is seen of one that the network saw lie or lean."""
    view, bird = ground.view, ground.bird
    upright = [one.axis for one in fitted if one.kind == "upright"]
    known = [one.seen_px for one in fitted if one.kind != "upright" and one.seen_px is not None]
    places = list[Place]()
    for k, one in enumerate(found):
        if one.kind not in ("lying", "leaning") or any(one.seen_px is other for other in known):
            continue
        near = [a for a in upright if np.hypot(a.x_cm - one.axis.x_cm, a.y_cm - one.axis.y_cm) < LIMITS.beside_cm]
        if near:
            mine = (labels == k).astype(np.uint8)
            whole = int(mine.sum())
            for axis in near:
                draw(mine, bird_outline_of(axis, view.body, bird), 0)
            shows = cv2.erode(mine, _CROSS)
            if shows.sum() > LIMITS.beside * whole:
                places += [(axis.x_cm, axis.y_cm) for axis in near]
    return tuple(places)


_CROSS: Final = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))


def _high(found: Sequence[Found], labels: Labels) -> NDArray[np.bool_]:
    """Give (H, W): where something is seen that is high enough to hide a lying pin."""
    tall = [place for place, one in enumerate(found) if one.kind in ("upright", "leaning")]
    return np.isin(labels, tall)


def hideaway(seen: Seen, body: Body) -> float:
    """Say in what share of the places and ways in which a pin may lie on the board nobody would see it.

    What is high hides it. It cannot lie where pins stand; others that lie are too low to hide it.
    """
    high, stand, bird = seen.high, seen.stay, seen.bird
    free = cv2.resize((~high).astype(np.float32), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    feet = to_px(np.array(stand).reshape(-1, 2)) / 2
    width = round(LIMITS.apart * 2 * body.radius_cm * PX_PER_CM)
    shares = []
    first, last = (to_px(np.array([[0.0, 0.0], BOARD_CM])) / 2).astype(int)
    for turn in np.arange(8) * np.pi / 8:
        outline = bird_outline_of(lying((85.0, 24.5), float(turn), body), body, bird) / 2
        outline = outline - outline.mean(axis=0)
        half = int(np.abs(outline).max()) + 2
        kernel = drawn(outline + half, (2 * half + 1, 2 * half + 1)).astype(np.float32)
        shows = cv2.filter2D(free, cv2.CV_32F, kernel / max(1.0, float(kernel.sum())))
        reach = (body.height_cm / 2 - body.radius_cm) * PX_PER_CM / 2 * np.array([np.cos(turn), np.sin(turn)])
        for foot in feet:
            ends = np.round([foot - reach, foot + reach]).astype(int)
            cv2.line(shows, ends[0].tolist(), ends[1].tolist(), (1.0,), width)
        shares.append(float(np.mean(shows[first[1] : last[1], first[0] : last[0]] < LIMITS.shows)))
    return float(np.mean(shares))
