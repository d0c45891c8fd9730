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
    trust: float = 0.7


TUNING: Final = EndTuning()

FOOT_LOW: Final = 0.4 / TURNS + 0.6 * around(0)
"""How numbers are turned on bevels: most have their foot at the low side."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Face:
    """A face that an end may be: whose, its middle, and what is right and up within it, (3,) each."""

    body: int
    middle: Array
    right: Array
    ahead: Array


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
    tried = [face for k, axis in enumerate(axes) for face in _faces(k, axis, body, camera)]
    tried = [face for face in tried if not _hidden(face, axes, others, body, camera)]
    if not tried:
        return Heads(chances=chances, nothing=nothing)
    crops = normal(
        faces(
            log,
            np.array([face.middle for face in tried]),
            np.array([face.right for face in tried]),
            np.array([face.ahead for face in tried]),
            body.radius_cm,
            camera,
        )
    )
    plain = 1 - chances_of(crops, 1)[:, -1]
    best: dict[int, int] = {}
    for k in np.argsort(-plain, kind="stable"):
        if plain[k] > TUNING.sure:
            best.setdefault(tried[k].body, int(k))
    if best:
        said = chances_of(crops[list(best.values())])
        for one, row in zip(best, said, strict=True):
            chances[one] = TUNING.trust * row[:-1].reshape(COUNT, TURNS)
            nothing[one] = 1 - chances[one].sum()
    return Heads(chances=chances, nothing=nothing)


def _faces(place: int, axis: Axis, body: Body, camera: Camera) -> list[_Face]:
    """Give the faces that the ends of a pin may be and that look to the camera."""
    along, found = axis.along, []
    across = np.cross(along, (0.0, 0.0, 1.0))
    across /= max(float(np.linalg.norm(across)), 1e-9)
    for out in (along, -along):
        for drop in TUNING.drops:
            for turn in np.arange(TUNING.turns if drop else 1) * 2 * np.pi / TUNING.turns:
                low = np.cos(turn) * across + np.sin(turn) * np.cross(out, across)
                # From the low side up to the high one; a face that is seen from outside is not mirrored.
                ahead = -low + drop / 2 * out
                right = np.cross(ahead, out)
                right /= np.linalg.norm(right)
                middle = axis.middle + (body.height_cm / 2 - drop / 2 * body.radius_cm) * out
                if _shows(middle, right, ahead, body.radius_cm, camera):
                    found += [
                        _Face(body=place, middle=middle + aside * out, right=right, ahead=ahead)
                        for aside in TUNING.aside_cm
                    ]
    return found


def _shows(middle: Array, right: Array, ahead: Array, radius_cm: float, camera: Camera) -> bool:
    sight = camera.eye_cm - middle
    facing = np.cross(right, ahead)
    cosine = float(facing @ sight / np.linalg.norm(sight) / np.linalg.norm(facing))
    size = 2 * radius_cm * camera.px_per_cm(middle)
    return cosine > TUNING.faces and size * cosine > TUNING.least_px


def _hidden(
    face: _Face, axes: Sequence[Axis], others: Sequence[tuple[Axis, Body]], body: Body, camera: Camera
) -> bool:
    """Say whether something nearer to the camera is seen where the middle of a face would be."""
    at = camera.to_px(face.middle[None])[0]
    eye = camera.eye_cm
    far = float(np.linalg.norm(eye - face.middle))
    lying = [(axis, body) for k, axis in enumerate(axes) if k != face.body]
    return any(
        float(np.linalg.norm(eye - axis.middle)) < far and _within(at, outline_px(axis, size, camera))
        for axis, size in (*lying, *others)
    )


def _within(point: Array, outline: Array) -> bool:
    """Say whether a point is inside a convex outline, (N, 2)."""
    sides = np.roll(outline, -1, axis=0) - outline
    to = point - outline
    turns = sides[:, 0] * to[:, 1] - sides[:, 1] * to[:, 0]
    return bool((turns >= 0).all() or (turns <= 0).all())
