"""What candidates are judged by: the pictures as maps of what is new, whose colour it has, and where edges are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.before import View
from vision.finn.bodies import Found
from vision.finn.camera import Camera, shifted
from vision.finn.disc import disc_odds
from vision.finn.evidence import Colours, colour_odds, colours_of, evidence, union
from vision.finn.focus import edges_of
from vision.finn.light import Pair
from vision.finn.looks import Looks
from vision.finn.pins import Axis, Body, drawn, outline_px, standing
from vision.finn.state import BOARD_CM, Place
from vision.finn.weighing import Floats, Scene, layers_of

Owner = NDArray[np.int16]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneTuning:
    """How pictures become maps.

    Attributes
    ----------
    margin_px
        So much around everything is looked at.
    around
        Outlines are this much wider when pins are painted over.
    changed
        Edges count where at least so much changed.
    own_head, head_px
        Mean odds from which heads have a colour of their own, and pixels (of a picture half as large) of heads and
        sides that have to be seen.
    least_look
        Points of a pin that have to be seen to say how it looks.
    shade_cm
        Shadows of pins are narrower than this.
    """

    margin_px: int = 60
    around: float = 1.12
    changed: float = 0.06
    own_head: float = 0.4
    head_px: int = 50
    least_look: int = 30
    shade_cm: float = 7.0


TUNING: Final = SceneTuning()


def scene_of(  # noqa: PLR0917
    view: View, pair: Pair, owner: Owner, free: Sequence[Found], stay: Sequence[Place], gone: Sequence[Place],
    disc_was: Axis | None, looks: Looks, heads: tuple[Array, float],
) -> Scene:  # fmt: skip
    """Lay out the part of the pictures in which something happened; takes what `fitted_bodies` takes.

    What is slow and smooth is looked at in pictures half as large.
    """
    rows, columns = _part(view, free, gone, owner.shape)
    camera = shifted(view.camera, (columns.start, rows.start))
    half_part = slice(rows.start // 2, -(-rows.stop // 2)), slice(columns.start // 2, -(-columns.stop // 2))
    mine, body = owner[rows, columns], view.body
    shape = mine.shape
    places = list(view.places.values())
    pins = (mine >= 0).astype(np.uint8)
    wide = Body(radius_cm=TUNING.around * body.radius_cm, height_cm=1.02 * body.height_cm)
    around = union([drawn(outline_px(standing(xy, wide), wide, camera), shape) for xy in places], shape)
    disc = np.zeros(shape, np.uint8)
    if disc_was is not None:
        disc = drawn(outline_px(disc_was, view.disc, camera), shape)
        around = np.maximum(around, cv2.dilate(disc, np.ones((5, 5), np.uint8)))
    corners = np.array([[0, 0, 0], [BOARD_CM[0], 0, 0], [*BOARD_CM, 0], [0, BOARD_CM[1], 0]], np.float64)
    part = _whole(pair.change[half_part], shape)
    fresh = np.asarray(cv2.dilate((part > TUNING.changed).astype(np.uint8), np.ones((3, 3), np.uint8)), np.uint8)
    grown = Body(radius_cm=1.05 * body.radius_cm, height_cm=body.height_cm)
    hidden = union([drawn(outline_px(standing(xy, body), grown, camera), shape) for xy in stay], shape)
    half = [np.ascontiguousarray(one[half_part]) for one in (pair.then, pair.now)]
    then, now = (colours_of(one) for one in half)
    pins, around, board, disc = (_half(one) for one in (pins, around, drawn(camera.to_px(corners), shape), disc))
    shade_px = TUNING.shade_cm / 2 * camera.px_per_cm((BOARD_CM[0] / 2, BOARD_CM[1] / 2, 0.0))
    weights = _whole(
        evidence((half[0], half[1]), (then, now), pins, around, board, shade_px, view.contrast), shape
    )
    discs = _whole(disc_odds(then, now, disc, pins), shape)
    tops = _whole(_heads((then, now), places, _half(mine), _halved(camera), body), shape)
    edges = edges_of(pair.picture[rows, columns]) * fresh[..., None]
    return Scene(
        weights=weights,
        hidden=hidden,
        discs=discs,
        fresh=fresh,
        log=pair.after[rows, columns],
        looks=looks.of(looks.seen >= TUNING.least_look),
        slopes=heads[0],
        numbered=heads[1],
        camera=camera,
        body=body,
        disc=view.disc,
        layers=layers_of(weights, hidden, discs, tops, edges),
    )


def _half(image: Any) -> Any:  # noqa: ANN401 - pictures of any kind
    return np.ascontiguousarray(image[::2, ::2])


def _halved(camera: Camera) -> Camera:
    lens = camera.lens
    return replace(camera, lens=replace(lens, f_px=lens.f_px / 2, cx_px=lens.cx_px / 2, cy_px=lens.cy_px / 2))


def _whole(image: Floats, shape: tuple[int, ...]) -> Floats:
    return np.asarray(cv2.resize(image, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)


def _part(view: View, free: Sequence[Found], gone: Sequence[Place], shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Give the part of the picture in which something happened; it begins at even pixels."""
    outlines = [outline_px(one.axis, view.disc if one.kind == "disc" else view.body, view.camera) for one in free]
    outlines += [outline_px(standing(xy, view.body), view.body, view.camera) for xy in gone]
    points = np.clip(np.concatenate(outlines), 0, (shape[1], shape[0]))
    low, high = (
        points.min(axis=0).astype(int) - TUNING.margin_px,
        points.max(axis=0).astype(int) + TUNING.margin_px,
    )
    low = np.maximum(low, 0) // 2 * 2
    return slice(int(low[1]), min(int(high[1]), shape[0])), slice(int(low[0]), min(int(high[0]), shape[1]))


def _heads(
    pair: tuple[Colours, Colours], places: Sequence[Place], owner: Owner, camera: Camera, body: Body
) -> Floats:
    """Give (H, W) -1 to 1: the colours of sides of pins, those of their heads; 0 where they have the same."""
    cap = Body(radius_cm=0.8 * body.radius_cm, height_cm=0.2 * body.height_cm)
    foot = Body(radius_cm=body.radius_cm, height_cm=0.55 * body.height_cm)
    shape = owner.shape
    high = [Axis(x_cm=x, y_cm=y, z_cm=0.9 * body.height_cm) for x, y in places]
    tops = union([drawn(outline_px(axis, cap, camera), shape) for axis in high], shape)
    feet = union([drawn(outline_px(standing(xy, foot), foot, camera), shape) for xy in places], shape)
    top = tops > 0
    side = (owner >= 0) & (feet > 0) & (cv2.dilate(tops, np.ones((3, 3), np.uint8)) == 0)
    nothing = np.zeros(shape, np.float32)
    if min(side.sum(), top.sum()) < TUNING.head_px:
        return nothing
    then, now = pair
    mine, theirs = then[top], then[side]
    own = min(float(colour_odds(mine, mine, theirs).mean()), float(-colour_odds(theirs, mine, theirs).mean()))
    return nothing if own < TUNING.own_head else colour_odds(now, mine, theirs)
