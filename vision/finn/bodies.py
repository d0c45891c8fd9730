"""Pins and the disc, one by one, from what each pixel says: who belongs together, where each is, how it rests.

Every pixel of a pin points to its middle; those that point to one place are one pin. Their axis as it is seen, the
known size of a pin and the camera give its place in space.
"""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.bird import PX_PER_CM, SIZE, Bird, to_cm
from vision.finn.maps import KINDS, Maps
from vision.finn.pins import Axis, Body, frame_of, lying, standing

Array = NDArray[np.float64]
Labels = NDArray[np.int16]
Ints = NDArray[np.intp]

UPRIGHT, LYING, LEANING, DISC = range(1, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """How pixels become bodies.

    Attributes
    ----------
    bare
        A pixel that is bare with more chance than this belongs to no body.
    blur_px
        Middles that pixels point to scatter by about so much.
    peak
        Votes a pixel around a middle: a dozen pixels that agree.
    apart_px
        Middles of two bodies are farther apart than this.
    reach_px
        A pixel that points farther than this beside a middle is not of that body.
    least
        Pixels of a body that can be judged.
    cut
        Heads are cut aslant: the middle of one lies about so many radii below its highest point.
    as_good_cm
        Ways to lean whose axes are seen so nearly alike cannot be told apart.
    """

    bare: float = 0.5
    blur_px: float = 1.5
    peak: float = 0.5
    apart_px: float = 5.0
    reach_px: float = 6.0
    least: float = 10.0
    cut: float = 0.5
    as_good_cm: float = 0.3


LIMITS: Final = BodyLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """A body.

    Attributes
    ----------
    kind
        `upright`, `lying`, `leaning` or `disc`.
    axis
        Where.
    chances
        Of `KINDS[1:]`, (4,), what its pixels say together.
    pixels
        How much of it is seen, px of the redrawn board.
    share
        That against what would be seen of it if nothing hid it.
    spread_px
        How far apart its pixels think its middle is.
    seen_px
        (2, 2) where its middle is seen, and its doubled axis, as `Maps` has them.
    ways
        Kind to where it would be if it were of that kind; see `with_ways`.
    score
        What speaks for it when it is held against the picture (`vision.finn.fitting`).
    saw
        What the network said of its kind, as `chances` were before that; None: it saw nothing there.
    """

    kind: str
    axis: Axis
    chances: Array
    pixels: float
    share: float
    spread_px: float
    seen_px: Array | None = None
    ways: tuple[tuple[str, Axis], ...] = ()
    score: float = 0.0
    saw: Array | None = None

    @property
    def sure(self) -> float:
        """Chance that it is of its kind."""
        return float(self.chances[KINDS.index(self.kind) - 1])


def bodies(maps: Maps, bird: Bird, pin: Body, disc: Body) -> tuple[list[Found], Labels]:
    """Find the bodies on a redrawn board.

    Returns
    -------
    list of Found, NDArray
        And (H, W) whose each pixel is: its place in the list, -1 for none.
    """
    weight = 1 - maps.chances[0]
    ys, xs = np.nonzero(weight > 1 - LIMITS.bare)
    ends = np.asarray(np.column_stack([xs, ys]) + maps.middle_px[:, ys, xs].T, np.float64)
    votes = weight[ys, xs].astype(np.float64)
    is_disc = maps.chances[DISC, ys, xs] > maps.chances[1:DISC, ys, xs].sum(axis=0)
    whose, count = np.full(len(xs), -1), 0
    for mine in (np.flatnonzero(~is_disc), np.flatnonzero(is_disc)):
        middles = _peaks(ends[mine], votes[mine])
        if not len(middles):
            continue
        squares = ((ends[mine].T[:, :, None] - middles.T[:, None]) ** 2).sum(axis=0)
        nearest = squares.argmin(axis=1)
        near = squares[np.arange(len(nearest)), nearest] <= LIMITS.reach_px**2
        total = np.bincount(nearest[near], votes[mine[near]], len(middles))
        kept = np.where(total >= LIMITS.least, np.cumsum(total >= LIMITS.least) - 1 + count, -1)
        whose[mine[near]] = kept[nearest[near]]
        count += int((kept >= 0).sum())
    labels = np.full((SIZE[1], SIZE[0]), -1, np.int16)
    labels[ys, xs] = whose
    own = np.flatnonzero(whose >= 0)
    return _told(maps, bird, (pin, disc), (ys[own], xs[own]), ends[own], whose[own], count), labels


def _peaks(ends: Array, votes: Array) -> Array:
    """Give the middles, (N, 2) px, that many pixels point to."""
    at = np.round(ends).astype(np.intp)
    inside = (at[:, 0] >= 0) & (at[:, 1] >= 0) & (at[:, 0] < SIZE[0]) & (at[:, 1] < SIZE[1])
    heap = np.bincount(at[inside, 1] * SIZE[0] + at[inside, 0], votes[inside], SIZE[0] * SIZE[1])
    heap = heap.reshape(SIZE[1], SIZE[0]).astype(np.float32)
    smooth = cv2.GaussianBlur(heap, (0, 0), LIMITS.blur_px)
    top = (smooth > LIMITS.peak) & (smooth >= cv2.dilate(smooth, np.ones((5, 5), np.uint8)))
    ys, xs = np.nonzero(top)
    kept: list[tuple[float, float]] = []
    for k in np.argsort(-smooth[ys, xs], kind="stable"):
        spot = (float(xs[k]), float(ys[k]))
        if all(np.hypot(spot[0] - x, spot[1] - y) > LIMITS.apart_px for x, y in kept):
            kept.append(spot)
    return np.array(kept).reshape(-1, 2)


def _told(  # noqa: PLR0917 - a view, and what of it is whose
    maps: Maps, bird: Bird, sizes: tuple[Body, Body], at: tuple[Ints, Ints], ends: Array, whose: Ints, count: int
) -> list[Found]:
    """Tell `count` bodies by their pixels: where these are, the middles that they point to, whose each is."""
    weight = 1 - maps.chances[0][at].astype(np.float64)

    def sums(values: Array) -> Array:
        return np.asarray(np.bincount(whose, values, count), np.float64)

    def middle_of(weights: Array) -> Array:
        total = np.maximum(sums(weights), 1e-9)
        return np.asarray(np.column_stack([sums(weights * ends[:, k]) for k in (0, 1)]) / total[:, None])

    pixels = sums(weight)
    middles = middle_of(weight)
    near = ((ends - middles[whose]) ** 2).sum(axis=1) < (2 * LIMITS.blur_px) ** 2
    close = sums(near.astype(np.float64)) > 0
    middles[close] = middle_of(weight * near)[close]
    spread = np.sqrt(sums(weight * ((ends - middles[whose]) ** 2).sum(axis=1)) / np.maximum(pixels, 1e-9))
    chances = np.column_stack([sums(maps.chances[kind][at].astype(np.float64)) for kind in range(1, len(KINDS))])
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-9)
    doubles = np.column_stack([sums(weight * maps.double_px[k][at]) for k in (0, 1)])
    doubles /= np.maximum(pixels, 1e-9)[:, None]
    found = []
    for k in range(count):
        kind = KINDS[1 + int(chances[k].argmax())]
        body = sizes[1] if kind == "disc" else sizes[0]
        axis = placed(kind, middles[k], doubles[k], bird, body)
        whole = cv2.contourArea(bird_outline_of(axis, body, bird).astype(np.float32))
        found.append(
            Found(
                kind=kind,
                axis=axis,
                chances=chances[k],
                seen_px=np.stack([middles[k], doubles[k]]),
                pixels=float(pixels[k]),
                share=float(pixels[k] / max(whole, 1.0)),
                spread_px=float(spread[k]),
            )
        )
    return found


def with_ways(found: Found, bird: Bird, pin: Body, disc: Body) -> Found:
    """Give a body with where it would be if it were of each kind: only those that moved are taken for others."""
    if found.seen_px is None:
        return found
    middle, double = found.seen_px
    ways = tuple(
        (
            kind,
            found.axis
            if kind == found.kind
            else placed(kind, middle, double, bird, disc if kind == "disc" else pin),
        )
        for kind in KINDS[1:]
    )
    return replace(found, ways=ways)


def placed(kind: str, middle_px: Array, double_px: Array, bird: Bird, body: Body) -> Axis:
    """Give where a body is whose middle and doubled axis are seen there.

    Parameters
    ----------
    kind
        How it rests: `upright`, `lying`, `leaning` or `disc`.
    middle_px, double_px
        (2,) each, as `Maps` has them.
    bird, body
        The view and the body's size.
    """
    ground = to_cm(middle_px[None])[0]
    angle = 0.5 * float(np.arctan2(double_px[1], double_px[0]))
    if kind in ("upright", "disc"):
        x, y = _standing_at(ground, _axis_cm(body) if kind == "upright" else body.height_cm, bird)
        return standing((x, y), body)
    if kind == "lying":
        x, y = _at_height(ground, body.radius_cm, bird)
        return lying((x, y), angle, body)
    length = float(np.hypot(*double_px)) / PX_PER_CM
    return _leaning(ground, length * np.array([np.cos(angle), np.sin(angle)]), bird, body)


def _axis_cm(pin: Body) -> float:
    """Give the length of a pin's axis: its head is cut aslant, its middle is lower than its highest point."""
    return pin.height_cm - LIMITS.cut * pin.radius_cm


def _standing_at(ground: Array, high_cm: float, bird: Bird) -> tuple[float, float]:
    """Give where something stands of which foot and head are seen, on the mean, there on the ground."""
    part = (1 + bird.eye_cm[2] / (bird.eye_cm[2] - high_cm)) / 2
    xy = bird.eye_cm[:2] + (ground - bird.eye_cm[:2]) / part
    return float(xy[0]), float(xy[1])


def _at_height(ground: Array, z_cm: float, bird: Bird) -> tuple[float, float]:
    xy = bird.eye_cm[:2] + (ground - bird.eye_cm[:2]) * (1 - z_cm / bird.eye_cm[2])
    return float(xy[0]), float(xy[1])


_TILTS: Final = np.radians(np.arange(6.0, 90.1, 3.0))
_WAYS: Final = np.radians(np.arange(0.0, 360.0, 5.0))
_TILT, _WAY = (part.ravel() for part in np.meshgrid(_TILTS, _WAYS))
_ALONG: Final = np.column_stack([np.sin(_TILT) * np.cos(_WAY), np.sin(_TILT) * np.sin(_WAY), np.cos(_TILT)])
_LIES: Final = np.sin(_TILT)


def _leaning(ground: Array, seen_cm: Array, bird: Bird, body: Body) -> Axis:
    """Find the tilt and the way of a pin, one end on the board, that shows this axis, (2,) cm on the ground."""
    tilt, way, along = _TILT, _WAY, _ALONG
    middle_z = body.radius_cm * _LIES + body.height_cm / 2 * along[:, 2]
    eye = bird.eye_cm
    middle = eye[:2] + (ground - eye[:2]) * (1 - middle_z / eye[2])[:, None]
    half = body.height_cm / 2 * along
    ends = []
    for sign in (-1, 1):
        z = middle_z + sign * half[:, 2]
        ends.append(eye[:2] + (middle + sign * half[:, :2] - eye[:2]) / (1 - z / eye[2])[:, None])
    shown = ends[1] - ends[0]
    middle += (ground - (ends[0] + ends[1]) / 2) * (1 - middle_z / eye[2])[:, None]
    miss = np.minimum(np.linalg.norm(shown - seen_cm, axis=1), np.linalg.norm(shown + seen_cm, axis=1))
    # Leaning little toward the camera looks as leaning far to the side does: pins that lean lie nearly.
    good = np.flatnonzero(miss < miss.min() + LIMITS.as_good_cm)
    best = int(good[np.argmax(tilt[good])])
    return Axis(
        x_cm=float(middle[best, 0]),
        y_cm=float(middle[best, 1]),
        z_cm=float(middle_z[best]),
        azimuth=float(way[best]),
        tilt=float(tilt[best]),
    )


def bird_outline_of(axis: Axis, body: Body, bird: Bird) -> Array:
    """Give the outline of a body on the redrawn board, (N, 2) px."""
    frame = frame_of(axis)
    circle = body.radius_cm * _CIRCLE @ frame[:2]
    half = 0.5 * body.height_cm * frame[2]
    points = bird.shadow(np.concatenate([axis.middle - half + circle, axis.middle + half + circle]))
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float64)


_TURN: Final = np.linspace(0, 2 * np.pi, 20, endpoint=False)
_CIRCLE: Final = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
