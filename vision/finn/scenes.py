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
from vision.finn.evidence import Bare, bare_of, colours_of, evidence, told_apart, union
from vision.finn.focus import edges_of
from vision.finn.light import Mask, Pair
from vision.finn.looks import Looks
from vision.finn.pins import Axis, Body, draw, drawn, outline_px, standing
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
    board_px
        The board's own colours are taken from so far around the pins, in a picture half as large.
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
    board_px: int = 45
    around: float = 1.12
    changed: float = 0.06
    own_head: float = 0.4
    head_px: int = 50
    least_look: int = 30
    shade_cm: float = 7.0


TUNING: Final = SceneTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """What of a scene the picture before gives, in a picture half as large: what is slow there is smooth as well.

    Attributes
    ----------
    pins
        (H / 2, W / 2), 1 where pins are seen.
    bare
        The table without them.
    heads
        (BINS,) -1 to 1 that a colour is that of heads of pins and not of their sides; None: they have the same.
    """

    pins: Mask
    bare: Bare
    heads: Floats | None


def stage_of(view: View, half: Floats, owner: Owner) -> Stage:
    """Make ready what the picture before gives.

    Parameters
    ----------
    view
        The camera with the pins.
    half
        Every second pixel of the picture, either way, in logarithms.
    owner
        (H, W) whose each pixel is, as `vision.finn.looks.seen_pins` gives it.
    """
    camera, body, places = _halved(view.camera), view.body, list(view.places.values())
    mine = owner[::2, ::2]
    shape = mine.shape
    pins = (mine >= 0).astype(np.uint8)
    wide = Body(radius_cm=TUNING.around * body.radius_cm, height_cm=1.02 * body.height_cm)
    around = np.zeros(owner.shape, np.uint8)
    for xy in places:
        draw(around, outline_px(standing(xy, wide), wide, view.camera), 1)
    around = _half(around)
    corners = np.array([[0, 0, 0], [BOARD_CM[0], 0, 0], [*BOARD_CM, 0], [0, BOARD_CM[1], 0]], np.float64)
    x, y, w, h = cv2.boundingRect(around)
    reach = TUNING.board_px
    near = np.s_[max(0, y - reach) : y + h + reach, max(0, x - reach) : x + w + reach]
    board = np.zeros(shape, np.uint8)
    board[near] = _half(drawn(view.camera.to_px(corners), owner.shape))[near]
    shade_px = TUNING.shade_cm / 2 * view.camera.px_per_cm((BOARD_CM[0] / 2, BOARD_CM[1] / 2, 0.0))
    return Stage(
        pins=pins,
        bare=bare_of(half, pins, around, board, shade_px),
        heads=_heads(half, places, mine, camera, body),
    )


def scene_of(  # noqa: PLR0917
    view: View, pair: Pair, stage: Stage, free: Sequence[Found], stay: Sequence[Place], gone: Sequence[Place],
    disc_was: Axis | None, looks: Looks, heads: tuple[Array, float],
) -> Scene:  # fmt: skip
    """Lay out the part of the pictures in which something happened; takes what `fitted_bodies` takes."""
    rows, columns = _part(view, free, gone, pair.picture.shape)
    camera = shifted(view.camera, (columns.start, rows.start))
    half_part = slice(rows.start // 2, -(-rows.stop // 2)), slice(columns.start // 2, -(-columns.stop // 2))
    body = view.body
    shape = rows.stop - rows.start, columns.stop - columns.start
    now = pair.now[half_part]
    colours, bare = colours_of(now), stage.bare.of(*half_part)
    nothing = np.zeros(shape, np.float32)
    discs = nothing
    if disc_was is not None:
        disc = drawn(outline_px(disc_was, view.disc, camera), shape)
        bare = bare.without(_half(cv2.dilate(disc, np.ones((5, 5), np.uint8))))
        discs = _whole(disc_odds(pair.then[half_part], colours, _half(disc), stage.pins[half_part]), shape)
    changed = _whole(pair.change[half_part], shape) > TUNING.changed
    fresh = np.asarray(cv2.dilate(changed.astype(np.uint8), np.ones((3, 3), np.uint8)), np.uint8)
    grown = Body(radius_cm=1.05 * body.radius_cm, height_cm=body.height_cm)
    hidden = union([drawn(outline_px(standing(xy, body), grown, camera), shape) for xy in stay], shape)
    weights = _whole(evidence(now, colours, bare, view.contrast), shape)
    tops = nothing if stage.heads is None else _whole(stage.heads[colours], shape)
    edges = np.asarray(cv2.copyTo(edges_of(pair.picture[rows, columns]), fresh), np.float32)
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


def _heads(half: Floats, places: Sequence[Place], owner: Owner, camera: Camera, body: Body) -> Floats | None:
    """Give (BINS,) -1 to 1: the colours of sides of pins, those of their heads; None where they have the same."""
    cap = Body(radius_cm=0.8 * body.radius_cm, height_cm=0.2 * body.height_cm)
    foot = Body(radius_cm=body.radius_cm, height_cm=0.55 * body.height_cm)
    shape = owner.shape
    high = [Axis(x_cm=x, y_cm=y, z_cm=0.9 * body.height_cm) for x, y in places]
    tops = union([drawn(outline_px(axis, cap, camera), shape) for axis in high], shape)
    feet = union([drawn(outline_px(standing(xy, foot), foot, camera), shape) for xy in places], shape)
    top = tops > 0
    side = (owner >= 0) & (feet > 0) & (cv2.dilate(tops, np.ones((3, 3), np.uint8)) == 0)
    if min(side.sum(), top.sum()) < TUNING.head_px:
        return None
    return told_apart(colours_of(half[top]), colours_of(half[side]), TUNING.own_head)
