"""Bodies that may be in a picture, weighed: what of it is new, what edges it has, whose colours, whose look.

A candidate is a body in a place. It is good if it covers what is new and little else, if its outline meets edges
that were not there before, and if it looks like the pins of this game do.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.focus import outline_support
from vision.finn.looks import Look, ink, unlike
from vision.finn.pins import Axis, Body, drawn, outline_px
from vision.finn.state import BOARD_CM

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighingTuning:
    """What speaks for a body.

    Attributes
    ----------
    edge_weight
        What an outline that meets edges all around is worth, against an area that is new all over.
    beside_weight
        What new pixels right beside the outline take off: the body is larger, or elsewhere.
    colour_weight
        What the colour of the disc counts for discs and against pins, where the disc has its own.
    head_weight
        What the colour of heads counts against lying pins, which show their sides.
    seen
        Bodies of which less is seen cannot be judged.
    hidden_weight
        What is taken off a body of which nothing is seen.
    turn_from
        Lying pins from this score on are turned to find where their head is.
    drop
        Bevelled heads are lower on one side by so many radii, about.
    bevel_price
        Edges that a bevelled head must meet more than a flat one, for it is fitted more freely.
    look_weight, look_level
        What it counts that a standing body looks like one of the pins before, and how unlike (0 to 1) is neither.
    ink_weight, least_ink
        What a bare head takes off a standing body, where pins are numbered so that it shows by at least this.
        Sides of lying pins measured 0.01 to 0.12 of what numbered heads do.
    """

    edge_weight: float = 0.8
    beside_weight: float = 0.35
    colour_weight: float = 0.5
    head_weight: float = 0.4
    seen: float = 0.3
    hidden_weight: float = 0.3
    turn_from: float = 0.4
    drop: float = 1.6
    bevel_price: float = 0.1
    look_weight: float = 1.5
    look_level: float = 0.6
    ink_weight: float = 0.8
    least_ink: float = 0.05


TUNING: Final = WeighingTuning()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A body that may be here.

    Attributes
    ----------
    kind
        `upright`, `lying` or `disc`.
    axis
        Where.
    score
        What speaks for it: about 0 on a bare table, 1 to 2 where one is.
    rival
        What speaks for the best candidate of another kind in the same place.
    """

    kind: str
    axis: Axis
    score: float
    rival: float = -1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """What candidates are judged by.

    Attributes
    ----------
    weights
        (H, W) -1 bare table … 1 new.
    hidden
        (H, W) 1 where something known hides what may be behind it.
    discs
        (H, W) -1 colours of pins … 1 colours of the disc; 0 where it cannot be told.
    heads
        (H, W) -1 colours of sides of pins … 1 colours of their heads; 0 where they are of one colour.
    edges
        (H, W, 2) slopes of the picture, levels a pixel, 0 where nothing changed.
    log
        (H, W, 3) the picture in logarithms.
    looks
        How the pins look when they stand.
    ink
        How much is written on their heads (see `vision.finn.looks.ink`); 0 where nothing can be made out.
    camera, body, disc
        The camera and the sizes of pins and disc.
    """

    weights: Floats
    hidden: Mask
    discs: Floats
    heads: Floats
    edges: Floats
    log: Floats
    looks: tuple[Look, ...]
    ink: float
    camera: Camera
    body: Body
    disc: Body

    def sizes(self, kind: str) -> Body:
        """Give the size of what this kind of candidate is."""
        return self.disc if kind == "disc" else self.body


def judged(scene: Scene, kind: str, axis: Axis) -> float:
    """Say what speaks for a body here."""
    outline = outline_px(axis, scene.sizes(kind), scene.camera)
    low = np.floor(outline.min(axis=0)).astype(int) - 6
    high = np.ceil(outline.max(axis=0)).astype(int) + 7
    height, width = scene.weights.shape
    x0, y0, x1, y1 = max(0, low[0]), max(0, low[1]), min(width, high[0]), min(height, high[1])
    if x1 - x0 < 4 or y1 - y0 < 4 or (kind == "upright" and not _stands(axis)):
        return -1.0
    part, free = scene.weights[y0:y1, x0:x1], 1 - scene.hidden[y0:y1, x0:x1]
    body = drawn(outline - (x0, y0), part.shape)
    inside, beside = body * free, (cv2.dilate(body, _RING) - body) * free
    area, whole = int(cv2.countNonZero(inside)), int(cv2.countNonZero(body))
    if area < max(12, TUNING.seen * whole):
        return -1.0
    new = float(cv2.sumElems(part * inside)[0]) / area
    more = float(cv2.sumElems(np.maximum(part, 0) * beside)[0]) / max(1, int(cv2.countNonZero(beside)))
    disc = float(cv2.sumElems(scene.discs[y0:y1, x0:x1] * inside)[0]) / area
    edge = outline_support(outline, scene.edges, scene.hidden) - (TUNING.bevel_price if axis.drop_cm else 0.0)
    colour = TUNING.colour_weight * (disc if kind == "disc" else -disc)
    if kind in ("lying", "leaning"):
        colour -= TUNING.head_weight * float(cv2.sumElems(scene.heads[y0:y1, x0:x1] * inside)[0]) / area
    doubt = TUNING.hidden_weight * (1 - area / whole)
    return new + TUNING.edge_weight * edge - TUNING.beside_weight * more + colour - doubt


def _stands(axis: Axis) -> bool:
    """Say whether a pin can stand here: its middle is on the board."""
    return 0.0 <= axis.x_cm <= BOARD_CM[0] and 0.0 <= axis.y_cm <= BOARD_CM[1]


_RING: Final = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)).astype(np.uint8)


def refined(scene: Scene, kind: str, axis: Axis) -> Candidate:
    """Move and turn a body to where most speaks for it, by steps that shrink."""
    best, score = axis, judged(scene, kind, axis)
    for step in (0.6, 0.3, 0.12):
        moved = True
        for _ in range(6):
            if not moved:
                break
            moved = False
            for other in _neighbours(kind, best, step):
                value = judged(scene, kind, other)
                if value > score:
                    best, score, moved = other, value, True
    return Candidate(kind=kind, axis=best, score=score)


def _neighbours(kind: str, axis: Axis, step: float) -> Iterator[Axis]:
    for sign in (-1, 1):
        if kind in ("lying", "leaning"):
            along = sign * step * np.array([np.cos(axis.azimuth), np.sin(axis.azimuth)])
            yield replace(axis, x_cm=axis.x_cm + along[0], y_cm=axis.y_cm + along[1])
            yield replace(axis, x_cm=axis.x_cm - along[1], y_cm=axis.y_cm + along[0])
            yield replace(axis, azimuth=axis.azimuth + sign * step * 0.25)
        else:
            yield replace(axis, x_cm=axis.x_cm + sign * step)
            yield replace(axis, y_cm=axis.y_cm + sign * step)


def turned_best(scene: Scene, one: Candidate) -> Candidate:
    """Turn a lying pin end for end and around itself, to where the bevel of its head fits best."""
    if one.score < TUNING.turn_from:
        return one
    turns = [
        replace(one.axis, azimuth=one.axis.azimuth + flip, roll=roll, drop_cm=TUNING.drop * scene.body.radius_cm)
        for flip in (0.0, np.pi)
        for roll in np.arange(4) * np.pi / 2
    ]
    ranked = sorted(((judged(scene, "lying", axis), k) for k, axis in enumerate(turns)), reverse=True)
    best = max((refined(scene, "lying", turns[k]) for _, k in ranked[:2]), key=lambda other: other.score)
    return best if best.score > one.score else one


def looked(scene: Scene, one: Candidate) -> Candidate:
    """Count whether a standing body looks like one of the pins, and move it to where it does most."""

    def cost(look: Look, axis: Axis) -> float:
        return unlike(look, scene.log, (axis.x_cm, axis.y_cm), scene.camera, scene.hidden)

    steps = (-0.3, 0.0, 0.3)
    around = [replace(one.axis, x_cm=one.axis.x_cm + dx, y_cm=one.axis.y_cm + dy) for dx in steps for dy in steps]
    _, which = min((cost(look, axis), k) for k, look in enumerate(scene.looks) for axis in around)
    look = scene.looks[which]

    def worth(axis: Axis) -> float:
        looks_so = TUNING.look_weight * (TUNING.look_level - cost(look, axis))
        return judged(scene, "upright", axis) + looks_so

    best, score = one.axis, worth(one.axis)
    for step in (0.6, 0.3, 0.12):
        for _ in range(4):
            value, k = max((worth(axis), -k) for k, axis in enumerate(_neighbours("upright", best, step)))
            if value <= score:
                break
            best, score = list(_neighbours("upright", best, step))[-k], value
    return replace(one, axis=best, score=score - _unwritten(scene, best))


def _unwritten(scene: Scene, axis: Axis) -> float:
    """Say what it takes off a standing pin that no number shows on its head: sides of lying pins are bare."""
    if scene.ink < TUNING.least_ink:
        return 0.0
    seen = ink(scene.log, (axis.x_cm, axis.y_cm), scene.body, scene.camera, scene.hidden)
    return 0.0 if seen is None else TUNING.ink_weight * (1 - float(np.clip(2 * seen / scene.ink, 0, 1)))
