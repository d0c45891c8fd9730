"""How the pins of this game look when they stand: what each showed before, carried to another place.

Numbers, painted heads and shaded sides come along, so nothing about pins has to be known beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.light import Floats
from vision.finn.pins import Body, draw, outline_px, standing

Array = NDArray[np.float64]
Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookTuning:
    """How looks are compared.

    Attributes
    ----------
    points
        Of a pin that are compared.
    cap
        A difference of logarithms larger than this is simply another thing.
    gain
        The light may differ by so much from place to place.
    """

    points: int = 96
    cap: float = 0.25
    gain: float = 0.25


TUNING: Final = LookTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Looks:
    """What N pins showed: points of their surfaces and their colours.

    Attributes
    ----------
    surface_cm
        (N, points, 3) from the middle of the foot; of pins of which few are seen some stand there several times.
    colours
        (N, points, 3) logarithms.
    seen
        (N,) how many pixels of each were seen.
    """

    surface_cm: Array
    colours: Floats
    seen: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.seen)

    def of(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Looks":
        """Give the looks of some of them."""
        return Looks(surface_cm=self.surface_cm[which], colours=self.colours[which], seen=self.seen[which])


def seen_pins(places: Sequence[Place], body: Body, camera: Camera, shape: tuple[int, ...]) -> NDArray[np.int16]:
    """Give (H, W) the place in the list of the standing pin seen at each pixel, -1 for none; near hide far."""
    owner = np.full(shape[:2], -1, np.int16)
    far = [-float(np.hypot(*(camera.eye_cm[:2] - xy))) for xy in places]
    for place in np.argsort(far, kind="stable"):
        draw(owner, outline_px(standing(places[place], body), body, camera), int(place))
    return owner


def looks_of(log: Floats, places: Sequence[Place], owner: NDArray[np.int16], body: Body, camera: Camera) -> Looks:
    """Give the looks of standing pins of a picture (H, W, 3) in logarithms."""
    rows, columns = np.nonzero(owner >= 0)
    whose = owner[rows, columns]
    surface = np.zeros((len(places), TUNING.points, 3))
    colours = np.zeros((len(places), TUNING.points, 3), np.float32)
    seen = np.bincount(whose, minlength=len(places)).astype(np.intp)
    for place, xy in enumerate(places):
        mine = np.flatnonzero(whose == place)
        if not len(mine):
            continue
        chosen = mine[np.linspace(0, len(mine) - 1, TUNING.points).astype(np.intp)]
        at = np.column_stack([columns[chosen], rows[chosen]])
        surface[place] = on_surface(at.astype(np.float64), xy, body, camera)
        colours[place] = log[rows[chosen], columns[chosen]]
    return Looks(surface_cm=surface, colours=colours, seen=seen)


def on_surface(xy_px: Array, xy: Place, body: Body, camera: Camera) -> Array:
    """Give where on a standing pin (N, 2) px lie: (N, 3) cm from the middle of its foot."""
    foot, eye = np.asarray(xy), camera.eye_cm
    top = camera.to_plane(xy_px, body.height_cm) - foot
    ground = camera.to_plane(xy_px, 0.0) - eye[:2]
    from_eye = eye[:2] - foot
    a = np.sum(ground**2, axis=1)
    b = ground @ from_eye
    c = float(from_eye @ from_eye) - body.radius_cm**2
    part = np.clip((-b - np.sqrt(np.maximum(b * b - a * c, 0))) / np.maximum(a, 1e-9), 0, 1.2)
    height = np.clip(eye[2] * (1 - part), 0, body.height_cm)
    side = np.column_stack([from_eye + ground * part[:, None], height])
    lid = np.column_stack([top, np.full(len(top), body.height_cm)])
    on_lid = np.sum(top**2, axis=1) <= (1.05 * body.radius_cm) ** 2
    return np.where(on_lid[:, None], lid, side)


def unlike(  # noqa: PLR0917 - looks, and where in what picture they are looked for
    looks: Looks,
    which: NDArray[np.intp],
    log: Floats,
    places: Array,
    camera: Camera,
    hidden: NDArray[np.uint8] | None = None,
) -> Array:
    """Say how unlike looks, (N,) of `looks`, a picture is where pins would stand, (N, 2) cm: (N,).

    0 is the same, 1 nothing in common, or too little of the place to be seen.
    """
    surface = looks.surface_cm[which]
    surface[..., :2] += places[:, None]
    height, width = log.shape[:2]
    points = np.rint(camera.to_px(surface.reshape(-1, 3))).astype(np.intp)
    x, y = np.clip(points[:, 0], 0, width - 1), np.clip(points[:, 1], 0, height - 1)
    inside = (points[:, 0] == x) & (points[:, 1] == y)
    if hidden is not None:
        inside &= hidden[y, x] == 0
    inside = inside.reshape(len(which), -1)
    ratio = log[y, x].reshape(*inside.shape, 3) - looks.colours[which]
    blue, green, red = (np.ascontiguousarray(ratio[..., k]) for k in range(3))
    grey = np.asarray((blue + green + red) / 3, np.float32)
    light = np.clip(_middle(grey, inside), -TUNING.gain, TUNING.gain)
    low, high = np.minimum(np.minimum(blue, green), red), np.maximum(np.maximum(blue, green), red)
    miss = np.minimum(np.maximum(high - light[:, None], light[:, None] - low), TUNING.cap)
    count = inside.sum(axis=1)
    cost = (miss * inside).sum(axis=1) / np.maximum(count, 1) / TUNING.cap
    return np.where(count < inside.shape[1] // 4, 1.0, cost)


def _middle(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """Give the medians of the known ones of each row of (N, P)."""
    order = np.sort(np.where(known, values, np.inf), axis=1)
    count = np.maximum(known.sum(axis=1), 1)
    rows = np.arange(len(values))
    middle = (order[rows, (count - 1) // 2] + order[rows, count // 2]) / 2
    return np.asarray(np.where(np.isfinite(middle), middle, 0.0), np.float32)
