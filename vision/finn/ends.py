"""Numbers on the heads of pins that lie or lean: each is cut out as it lies and read like one that stands.

Which end is the head, and to which side its bevel looks, need not be known: the way in which a number shows most
plainly is taken. The low side of the bevel is where a number has its foot, so that a 6 is told from a 9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.numbers import COUNT, TURNS, Floats, Heads, around, chances_of, faces, normal
from vision.finn.pins import Axis, Body, outline_px

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTuning:
    """Which ends are looked at.

    Attributes
    ----------
    drops
        Heads are lower on one side by so many radii; 0 is flat.
    faces
        Cosine of the angle between a face and the view from which it is looked at.
    least_px
        A head that is seen less high than this shows no number that can be read: numbers are half as high.
    turns, aside_cm
        Ways that the low side may look, and how far along the pin its head may be aside of where it is thought.
    sure
        Chance of a number from which one is believed to be there.
    likely
        So many faces of a pin that show a number most plainly are looked at a little aside as well.
    trust
        How far what is read there is believed: an end that is bare or blurred may look like any number, and names
        that rest on it alone are to be asked about.
    """

    drops: tuple[float, ...] = (0.0, 0.9, 1.6)
    faces: float = 0.25
    least_px: float = 9.0
    turns: int = 8
    aside_cm: tuple[float, ...] = (-0.6, 0.0, 0.6)
    sure: float = 0.9
    likely: int = 4
    trust: float = 0.7


TUNING: Final = EndTuning()

FOOT_LOW: Final = 0.4 / TURNS + 0.6 * around(0)
"""How numbers are turned on bevels: most have their foot at the low side."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Faces:
    """Faces that ends may be: whose each is, (F,), its middle, and what is right and up within it, (F, 3) each.

    `ways` are those that differ only in how far aside they are, `straight` the one of them that is not.
    """

    bodies: NDArray[np.intp]
    ways: NDArray[np.intp]
    straight: NDArray[np.bool_]
    middles: Array
    right: Array
    ahead: Array

    def of(self, which: NDArray[np.bool_]) -> "_Faces":
        """Give some of them."""
        return _Faces(
            bodies=self.bodies[which],
            ways=self.ways[which],
            straight=self.straight[which],
            middles=self.middles[which],
            right=self.right[which],
            ahead=self.ahead[which],
        )

    def and_(self, other: "_Faces") -> "_Faces":
        """Give them and others."""
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in self.__slots__}
        return _Faces(**both)


def read_ends(
    log: Floats, axes: Sequence[Axis], others: Sequence[tuple[Axis, Body]], body: Body, camera: Camera
) -> Heads:
    """Read the heads of pins that do not stand.

    Parameters
    ----------
    log
        (H, W, 3) logarithms.
    axes
        N pins.
    others
        What may hide their heads, besides themselves.
    body, camera
        Sizes and view.

    Returns
    -------
    Heads
        N; each turned so far from the way in which the low side of its bevel is its foot. Nothing is read of those
        that look away.
    """
    chances, nothing = np.zeros((len(axes), COUNT, TURNS)), np.ones(len(axes))
    tried = _faces(axes, body, camera)
    tried = tried.of(~_hidden(tried, axes, others, body, camera))
    if not len(tried.bodies):
        return Heads(chances=chances, nothing=nothing)

    def shown(which: _Faces) -> tuple[Floats, Array]:
        crops = normal(faces(log, which.middles, which.right, which.ahead, body.radius_cm, camera))
        return crops, 1 - chances_of(crops, 1)[:, -1]

    straight = tried.of(tried.straight)
    crops, plain = shown(straight)
    order = np.lexsort((-plain, straight.bodies))
    first = np.searchsorted(straight.bodies[order], straight.bodies[order])
    likely = straight.ways[order[np.arange(len(order)) - first < TUNING.likely]]
    aside = tried.of(~tried.straight & np.isin(tried.ways, likely))
    tried = straight
    if len(aside.bodies):
        more, plainer = shown(aside)
        crops, plain = np.concatenate([crops, more]), np.concatenate([plain, plainer])
        tried = straight.and_(aside)
    best: dict[int, int] = {}
    for k in np.argsort(-plain, kind="stable"):
        if plain[k] > TUNING.sure:
            best.setdefault(int(tried.bodies[k]), int(k))
    if best:
        said = chances_of(crops[list(best.values())])
        for one, row in zip(best, said, strict=True):
            chances[one] = TUNING.trust * row[:-1].reshape(COUNT, TURNS)
            nothing[one] = 1 - chances[one].sum()
    return Heads(chances=chances, nothing=nothing)


def _faces(axes: Sequence[Axis], body: Body, camera: Camera) -> _Faces:
    """Give the faces that the ends of pins may be and that look to the camera."""
    along = np.array([axis.along for axis in axes])[:, None]
    across = np.cross(along, (0.0, 0.0, 1.0))
    across /= np.maximum(np.linalg.norm(across, axis=2, keepdims=True), 1e-9)
    out = np.concatenate([along, -along], axis=1)[:, :, None]
    # From the low side up to the high one; a face that is seen from outside is not mirrored.
    low = -(_LOW[:, :1] * across[:, None] + _LOW[:, 1:] * np.cross(out, across[:, None]))
    ahead = low + _DROP[:, None] / 2 * out
    right = np.cross(ahead, out)
    right /= np.linalg.norm(right, axis=3, keepdims=True)
    middle = np.array([axis.middle for axis in axes])[:, None, None]
    middle = middle + (body.height_cm / 2 - _DROP[:, None] / 2 * body.radius_cm) * out
    shows = _shows(middle, right, ahead, body.radius_cm, camera)
    aside = np.array(TUNING.aside_cm)[:, None]
    which, end, _ = np.nonzero(shows)
    outward = out[which, end, 0]
    count = len(TUNING.aside_cm)
    return _Faces(
        bodies=np.repeat(which, count),
        ways=np.repeat(np.arange(len(which)), count),
        straight=np.tile(np.array(TUNING.aside_cm) == 0, len(which)),
        middles=(middle[shows][:, None] + aside * outward[:, None]).reshape(-1, 3),
        right=np.repeat(right[shows], count, axis=0),
        ahead=np.repeat(ahead[shows], count, axis=0),
    )


_CUT: Final = [(drop, turn) for drop in TUNING.drops for turn in range(TUNING.turns if drop else 1)]
_DROP: Final = np.array([drop for drop, _ in _CUT])
_LOW: Final = np.array(
    [(np.cos(turn), np.sin(turn)) for turn in (2 * np.pi * turn / TUNING.turns for _, turn in _CUT)]
)
"""By how many radii heads may be lower on one side, and where that side looks, across the pin."""


def _shows(middle: Array, right: Array, ahead: Array, radius_cm: float, camera: Camera) -> NDArray[np.bool_]:
    """Say of faces, (…, 3), whether they look to the camera and are large enough to be read."""
    sight = camera.eye_cm - middle
    facing = np.cross(right, ahead)
    size = np.linalg.norm(sight, axis=-1) * np.linalg.norm(facing, axis=-1)
    cosine = np.sum(facing * sight, axis=-1) / size
    depth = middle @ camera.rotation[2] + camera.shift[2]
    px = 2 * radius_cm * camera.lens.f_px / np.maximum(depth, 1e-3)
    return np.asarray((cosine > TUNING.faces) & (px * cosine > TUNING.least_px))


def _hidden(
    tried: _Faces, axes: Sequence[Axis], others: Sequence[tuple[Axis, Body]], body: Body, camera: Camera
) -> NDArray[np.bool_]:
    """Say of faces, (F,), whether something nearer to the camera is seen where their middles would be."""
    hidden = np.zeros(len(tried.bodies), bool)
    if not len(hidden):
        return hidden
    at, far = camera.to_px(tried.middles), np.linalg.norm(camera.eye_cm - tried.middles, axis=1)
    for k, (axis, size) in enumerate((*((axis, body) for axis in axes), *others)):
        near = np.flatnonzero((np.linalg.norm(camera.eye_cm - axis.middle) < far) & (tried.bodies != k))
        if len(near):
            hidden[near] |= _within(at[near], outline_px(axis, size, camera))
    return hidden


def _within(points: Array, outline: Array) -> NDArray[np.bool_]:
    """Say of points, (F, 2), whether they are inside a convex outline, (N, 2)."""
    sides = np.roll(outline, -1, axis=0) - outline
    to = points[:, None] - outline
    turns = sides[:, 0] * to[..., 1] - sides[:, 1] * to[..., 0]
    return np.asarray((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1))
