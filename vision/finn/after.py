"""The picture after the shot against the one before: which pins stand as they did, and what else is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.before import View
from vision.finn.disc import disc_odds, waiting
from vision.finn.evidence import colour_odds, evidence, union
from vision.finn.focus import edges_of
from vision.finn.light import Floats, Mask, Pair, Picture, compared
from vision.finn.looks import ink, looks_of, seen_pins
from vision.finn.pins import Axis, Body, drawn, outline_px, standing
from vision.finn.search import BOARD_CM, Candidate, Scene, explained
from vision.finn.state import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterLimits:
    """What has stayed and what is new.

    Attributes
    ----------
    same
        Less of a pin than this changed: it stands as it did, whatever its slopes say.
    other
        More than this changed: it does not.
    slopes
        Between the two its slopes decide: agreement (-1 to 1) of 0.53 and more was measured on pins that stood
        still in another light, 0.31 at most on pins that moved by half a centimetre.
    around
        Outlines are this much wider when pins are painted over.
    changed
        Edges count where at least so much changed.
    own_head
        Mean odds from which heads have a colour of their own.
    """

    same: float = 0.1
    other: float = 0.5
    slopes: float = 0.45
    around: float = 1.12
    changed: float = 0.06
    own_head: float = 0.4


LIMITS: Final = AfterLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What the picture after shows.

    Attributes
    ----------
    pair
        The pictures, comparable.
    still
        Names of pins that stand as they did.
    moved
        Names of the others.
    bodies
        What stands and lies where it did not: pins, and the disc at most once.
    disc_left
        Where the disc waited and is no more, cm, or None.
    unexplained
        Area of what is new and none of these, in areas of a pin.
    scene
        What it was judged by.
    """

    pair: Pair
    still: tuple[str, ...]
    moved: tuple[str, ...]
    bodies: tuple[Candidate, ...]
    disc_left: Place | None
    unexplained: float
    scene: Scene


def seen_after(view: View, before: Picture, after: Picture, *, lying: bool = True) -> Seen | Failure:
    """Compare two pictures, (H, W, 3) BGR; what `compared` may say. `lying` false: all pins have been set up."""
    pair = compared(before, after)
    if isinstance(pair, Failure):
        return pair
    names, places = list(view.places), list(view.places.values())
    owner = seen_pins(places, view.body, view.camera, before.shape)
    still = _still(pair, before, owner, len(names))
    stay = [standing(xy, view.body) for xy, stays in zip(places, still, strict=True) if stays]
    disc = waiting(pair, before, view.camera, view.disc, (owner >= 0).astype(np.uint8))
    scene = _scene(view, pair, owner, disc, _hidden(view, stay, before.shape))
    gone = [xy for xy, stays in zip(places, still, strict=True) if not stays]
    found = explained(scene, len(gone), [(axis, view.body) for axis in stay], gone, lying=lying)
    return Seen(
        pair=pair,
        still=tuple(name for name, stays in zip(names, still, strict=True) if stays),
        moved=tuple(name for name, stays in zip(names, still, strict=True) if not stays),
        bodies=tuple(found),
        disc_left=None if disc is None else (disc.x_cm, disc.y_cm),
        unexplained=_unexplained(scene, found),
        scene=scene,
    )


def _still(pair: Pair, before: Picture, owner: NDArray[np.int16], count: int) -> list[bool]:
    """Say of each pin whether it stands as it did: its pixels have not changed, or their slopes have not."""
    then, now = edges_of(before), edges_of(pair.picture)
    stays = []
    for place in range(count):
        mine = cv2.erode((owner == place).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        if mine.sum() < 20:
            stays.append(False)
            continue
        changed = float(np.mean(pair.change[mine] > 0.12))
        a, b = then[mine].ravel(), now[mine].ravel()
        alike = float(a @ b) / max(float(np.sqrt((a @ a) * (b @ b))), 1e-6)
        stays.append(changed < LIMITS.same or (changed < LIMITS.other and alike > LIMITS.slopes))
    return stays


def _hidden(view: View, stay: Sequence[Axis], shape: tuple[int, ...]) -> Mask:
    wide = Body(radius_cm=1.05 * view.body.radius_cm, height_cm=view.body.height_cm)
    return union([drawn(outline_px(axis, wide, view.camera), shape) for axis in stay], shape)


def _scene(view: View, pair: Pair, owner: NDArray[np.int16], disc_was: Axis | None, hidden: Mask) -> Scene:
    camera, body, shape = view.camera, view.body, hidden.shape
    places = list(view.places.values())
    pins = (owner >= 0).astype(np.uint8)
    wide = Body(radius_cm=LIMITS.around * body.radius_cm, height_cm=1.02 * body.height_cm)
    around = union([drawn(outline_px(standing(xy, wide), wide, camera), shape) for xy in places], shape)
    disc = np.zeros(shape[:2], np.uint8)
    if disc_was is not None:
        disc = drawn(outline_px(disc_was, view.disc, camera), shape)
        around = np.maximum(around, cv2.dilate(disc, np.ones((5, 5), np.uint8)))
    corners = np.array([[0, 0, 0], [BOARD_CM[0], 0, 0], [*BOARD_CM, 0], [0, BOARD_CM[1], 0]], np.float64)
    fresh = cv2.dilate((pair.change > LIMITS.changed).astype(np.uint8), np.ones((3, 3), np.uint8))
    written = [ink(pair.before, xy, body, camera) for xy in places]
    return Scene(
        weights=evidence(pair, pins, around, drawn(camera.to_px(corners), shape)),
        hidden=hidden,
        discs=disc_odds(pair, disc, pins),
        heads=_heads(pair, places, owner, view),
        edges=edges_of(pair.picture) * fresh[..., None],
        log=pair.after,
        looks=tuple(looks_of(pair.before, places, owner, body, camera)),
        ink=float(np.percentile([value for value in written if value is not None] or [0.0], 30)),
        camera=camera,
        body=body,
        disc=view.disc,
    )


def _heads(pair: Pair, places: Sequence[Place], owner: NDArray[np.int16], view: View) -> Floats:
    """Give (H, W) -1 to 1: the colours of sides of pins, those of their heads; 0 where they have the same."""
    body, camera = view.body, view.camera
    cap = Body(radius_cm=0.8 * body.radius_cm, height_cm=0.2 * body.height_cm)
    foot = Body(radius_cm=body.radius_cm, height_cm=0.55 * body.height_cm)
    shape = owner.shape
    tops = union([drawn(outline_px(_at(xy, 0.9 * body.height_cm), cap, camera), shape) for xy in places], shape)
    feet = union([drawn(outline_px(standing(xy, foot), foot, camera), shape) for xy in places], shape)
    top = tops > 0
    side = (owner >= 0) & (feet > 0) & (cv2.dilate(tops, np.ones((5, 5), np.uint8)) == 0)
    nothing = np.zeros(shape, np.float32)
    if side.sum() < 200 or top.sum() < 200:
        return nothing
    own = colour_odds(pair.before, pair.before[top], pair.before[side])
    if min(float(own[top].mean()), float(-own[side].mean())) < LIMITS.own_head:
        return nothing
    return colour_odds(pair.after, pair.before[top], pair.before[side])


def _at(xy: Place, z_cm: float) -> Axis:
    return Axis(x_cm=xy[0], y_cm=xy[1], z_cm=z_cm)


def _unexplained(scene: Scene, found: Sequence[Candidate]) -> float:
    """Give the area of what is clearly new and no body covers, in areas of a pin that lies in the middle."""
    grown = np.ones((7, 7), np.uint8)
    covered = [
        drawn(outline_px(one.axis, scene.sizes(one.kind), scene.camera), scene.hidden.shape) for one in found
    ]
    known = cv2.dilate(union([scene.hidden, *covered], scene.hidden.shape), grown)
    wide = np.array([[-10, -10, 0], [127, -10, 0], [127, 59, 0], [-10, 59, 0]], np.float64)
    region = drawn(scene.camera.to_px(wide), scene.hidden.shape)
    new = ((scene.weights > 0.6) & (known == 0) & (region > 0)).astype(np.uint8)
    new = cv2.morphologyEx(new, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    side = scene.camera.px_per_cm((58.5, 24.5, 0.0))
    return float(new.sum()) / (side**2 * 2 * scene.body.radius_cm * scene.body.height_cm)
