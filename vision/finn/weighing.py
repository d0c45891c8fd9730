"""Bodies that may be in a picture, weighed: what of it is new, what edges it has, whose colours.

A candidate is a body in a place. It is good if it covers what is new and little else, and if its outline meets
edges that were not there before. Many are weighed at once, by samples of what they would cover.
"""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.focus import TUNING as FOCUS
from vision.finn.looks import Looks
from vision.finn.maps import KINDS
from vision.finn.outlines import DROP, POINTS, Outlines, X, Y, outlines
from vision.finn.pins import Axis, Body
from vision.finn.state import BOARD_CM

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Ints = NDArray[np.intp]
Mask = NDArray[np.uint8]

UPRIGHT, LYING, LEANING, DISC = range(1, 5)
"""As in `KINDS`."""


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
    seen, least_px
        Bodies of which a smaller share or fewer pixels are seen cannot be judged.
    hidden_weight
        What is taken off a body of which nothing is seen.
    bevel_price
        Edges that a bevelled head must meet more than a flat one, for it is fitted more freely.
    """

    edge_weight: float = 0.8
    beside_weight: float = 0.35
    colour_weight: float = 0.5
    head_weight: float = 0.4
    seen: float = 0.3
    least_px: float = 12.0
    hidden_weight: float = 0.3
    bevel_price: float = 0.1


TUNING: Final = WeighingTuning()

NONE: Final = -1.0
"""What speaks for a body that cannot be here."""

_RINGS: Final = 4
_INNER: Final = np.sqrt((np.arange(_RINGS) + 0.5) / _RINGS)
"""Shares of the way from the middle of a body to its outline at which it is looked at: of equal areas."""

_BESIDE_PX: Final = np.array([1.0, 2.5])
_FOLLOWING: Final = np.roll(np.arange(POINTS), -1)
_BEFORE: Final = np.roll(np.arange(POINTS), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A body that may be here.

    Attributes
    ----------
    kind
        `upright`, `lying`, `leaning` or `disc`.
    axis
        Where.
    score
        What speaks for it: about 0 on a bare table, 1 to 2 where one is.
    """

    kind: str
    axis: Axis
    score: float


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
    fresh
        (H, W) 1 where something changed.
    log
        (H, W, 3) the picture in logarithms.
    looks
        How the pins look when they stand.
    slopes, numbered
        How heads are cut, and with what chance they show a number (`vision.finn.numbers.slopes_of`).
    camera, body, disc
        The camera and the sizes of pins and disc.
    layers
        What bodies are weighed by, as `layers_of` lays it.
    """

    weights: Floats
    hidden: Mask
    discs: Floats
    fresh: Mask
    log: Floats
    looks: Looks
    slopes: Array
    numbered: float
    camera: Camera
    body: Body
    disc: Body
    layers: Floats

    def sizes(self, kind: str) -> Body:
        """Give the size of what this kind of candidate is."""
        return self.disc if kind == "disc" else self.body

    def without(self, covered: Mask) -> "Scene":
        """Give the scene with what is covered, (H, W) 1, hidden too."""
        layers = self.layers.copy()
        x, y, width, height = cv2.boundingRect(covered)
        part = layers[y + 1 : y + 1 + height, x + 1 : x + 1 + width]
        part[covered[y : y + height, x : x + width] > 0] = _COVERED
        return replace(self, hidden=np.maximum(self.hidden, covered), layers=layers)


_SEEN, _INSIDE, _NEW, _DISC, _HEAD, _ACROSS, _DOWN = range(7)
_COVERED: Final = np.array([0, 1, 0, 0, 0, 0, 0], np.float32)


def layers_of(weights: Floats, hidden: Mask, discs: Floats, heads: Floats, edges: Floats) -> Floats:
    """Lay what bodies are weighed by side by side, 0 where something hides it.

    Parameters
    ----------
    weights, hidden, discs
        As `Scene` has them.
    heads
        (H, W) -1 colours of sides of pins … 1 colours of their heads; 0 where they are of one colour.
    edges
        (H, W, 2) slopes of the picture, levels a pixel, 0 where nothing changed.

    Returns
    -------
    NDArray
        (H + 2, W + 2, 7): what is seen at all, 1 within the picture, what is new, colours of disc and heads,
        slopes across and down; a frame of 0 around.
    """
    seen = 1 - hidden.astype(np.float32)
    shown = [cv2.multiply(one, seen) for one in (weights, discs, heads, *cv2.split(edges))]
    height, width = seen.shape
    laid = np.empty((height + 2, width + 2, 2 + len(shown)), np.float32)
    laid[[0, -1]] = laid[:, [0, -1]] = 0
    cv2.merge([seen, np.ones_like(weights), *shown], laid[1:-1, 1:-1])
    return laid


def judged(scene: Scene, kinds: Ints, rows: Array) -> Array:
    """Say what speaks for bodies of these kinds, (N,) as in `KINDS`, in these places, (N, COLUMNS): (N,)."""
    disc = kinds == DISC
    radius = np.where(disc, scene.disc.radius_cm, scene.body.radius_cm)
    height = np.where(disc, scene.disc.height_cm, scene.body.height_cm)
    around = outlines(rows, radius, height, scene.camera)
    spokes = around.ring_px - around.middle_px[..., None]
    following = spokes[..., _FOLLOWING]
    share = np.abs(spokes[0] * following[1] - spokes[1] * following[0])
    share = (share + share[:, _BEFORE]).astype(np.float32) / np.float32(4 * _RINGS)
    points = np.empty((2, len(rows), _RINGS + len(_BESIDE_PX) + 1, POINTS))
    np.multiply(_INNER[:, None], spokes[:, :, None], out=points[:, :, :_RINGS])
    points[:, :, :_RINGS] += around.middle_px[..., None, None]
    np.multiply(_BESIDE_PX[:, None], around.normals[:, :, None], out=points[:, :, _RINGS:-1])
    points[:, :, _RINGS:-1] += around.ring_px[:, :, None]
    points[:, :, -1] = around.ring_px
    shown = _sampled(scene.layers, points)
    looked = (share[:, None] @ shown[:, :_RINGS].sum(axis=1))[:, 0]
    seen, whole = np.maximum(looked[:, _SEEN], 1e-6), np.maximum(looked[:, _INSIDE], 1e-6)
    rim = shown[:, _RINGS:-1]
    beside = np.maximum(rim[..., _NEW], 0).sum(axis=(1, 2)) / np.maximum(rim[..., _SEEN].sum(axis=(1, 2)), 1.0)
    of_disc = looked[:, _DISC] / seen
    colour = TUNING.colour_weight * np.where(disc, of_disc, -of_disc)
    lies = (kinds == LYING) | (kinds == LEANING)
    colour -= np.where(lies, TUNING.head_weight * looked[:, _HEAD] / seen, 0.0)
    edge = _met(shown[:, -1], around) - np.where(rows[:, DROP] > 0, TUNING.bevel_price, 0.0)
    score = (
        looked[:, _NEW] / seen
        + TUNING.edge_weight * edge
        - TUNING.beside_weight * beside
        + colour
        - TUNING.hidden_weight * (1 - seen / whole)
    )
    # The board ends where pins can stand no more.
    falls = (kinds == UPRIGHT) & ~_on_board(rows)
    unseen = seen < np.maximum(TUNING.least_px, TUNING.seen * whole)
    return np.where(falls | unseen, NONE, score)


def _met(rim: Floats, around: Outlines) -> Array:
    """Say how well outlines meet edges, (N,) 0 to 1, where they are seen; `rim` is what layers show along them."""
    steep = np.abs(rim[..., _ACROSS] * around.normals[0] + rim[..., _DOWN] * around.normals[1])
    full = FOCUS.full_edge
    met = (np.minimum(steep, full) * rim[..., _SEEN]).sum(axis=1) / full
    return np.asarray(met / np.maximum(rim[..., _SEEN].sum(axis=1), 1.0))


def _sampled(layers: Floats, points: Array) -> Floats:
    """Give the layers at points, (2, …) px, which are lost: (…, 7)."""
    height, width = layers.shape[:2]
    np.rint(points, out=points)
    points += 1
    np.maximum(points, 0, out=points)
    np.minimum(points[0], width - 1, out=points[0])
    np.minimum(points[1], height - 1, out=points[1])
    points[1] *= width
    points[1] += points[0]
    return np.asarray(layers.reshape(height * width, -1).take(points[1].astype(np.intp), axis=0))


def _on_board(rows: Array) -> NDArray[np.bool_]:
    x, y = rows[:, X], rows[:, Y]
    return np.asarray((x >= 0) & (x <= BOARD_CM[0]) & (y >= 0) & (y <= BOARD_CM[1]))


def code_of(kind: str) -> int:
    """Give the place of a kind in `KINDS`."""
    return KINDS.index(kind)
