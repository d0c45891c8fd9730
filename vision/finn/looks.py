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
    bevel
        The middle of a bevelled head lies so many radii below its highest point.
    """

    points: int = 160
    cap: float = 0.25
    gain: float = 0.25
    bevel: float = 0.8


TUNING: Final = LookTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """What one pin showed: points of its surface and their colours.

    Attributes
    ----------
    surface_cm
        (N, 3) from the middle of its foot.
    colours
        (N, 3) logarithms.
    """

    surface_cm: Array
    colours: Floats


def seen_pins(places: Sequence[Place], body: Body, camera: Camera, shape: tuple[int, ...]) -> NDArray[np.int16]:
    """Give (H, W) the place in the list of the standing pin seen at each pixel, -1 for none; near hide far."""
    owner = np.full(shape[:2], -1, np.int16)
    far = [-float(np.hypot(*(camera.eye_cm[:2] - xy))) for xy in places]
    for place in np.argsort(far, kind="stable"):
        draw(owner, outline_px(standing(places[place], body), body, camera), int(place))
    return owner


def looks_of(
    log: Floats, places: Sequence[Place], owner: NDArray[np.int16], body: Body, camera: Camera
) -> list[Look]:
    """Give the look of each standing pin of a picture (H, W, 3) in logarithms."""
    rows, columns = np.nonzero(owner >= 0)
    whose = owner[rows, columns]
    seen = [(rows[whose == place], columns[whose == place]) for place in range(len(places))]
    return [_look(log, xy, *mine, body, camera) for xy, mine in zip(places, seen, strict=True)]


def _look(  # noqa: PLR0917
    log: Floats, xy: Place, rows: NDArray[np.intp], columns: NDArray[np.intp], body: Body, camera: Camera
) -> Look:
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), TUNING.points)).astype(np.intp)
    rows, columns = rows[chosen], columns[chosen]
    surface = on_surface(np.column_stack([columns, rows]).astype(np.float64), xy, body, camera)
    return Look(surface_cm=surface, colours=log[rows, columns])


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


def unlike(look: Look, log: Floats, xy: Place, camera: Camera, hidden: NDArray[np.uint8] | None = None) -> float:
    """Say how unlike this look a picture is where the pin would stand: 0 the same, 1 nothing in common."""
    points = np.round(camera.to_px(look.surface_cm + np.array([*xy, 0.0]))).astype(np.intp)
    height, width = log.shape[:2]
    inside = (points[:, 0] >= 0) & (points[:, 1] >= 0) & (points[:, 0] < width) & (points[:, 1] < height)
    if hidden is not None:
        inside[inside] = hidden[points[inside, 1], points[inside, 0]] == 0
    if inside.sum() < len(points) // 4:
        return 1.0
    ratio = log[points[inside, 1], points[inside, 0]] - look.colours[inside]
    light = np.clip(np.median(ratio), -TUNING.gain, TUNING.gain)
    return float(np.mean(np.minimum(np.abs(ratio - light).max(axis=1), TUNING.cap)) / TUNING.cap)


def ink(
    log: Floats, xy: Place, body: Body, camera: Camera, hidden: NDArray[np.uint8] | None = None
) -> float | None:
    """Say how much is written on the head of a pin that stands here.

    Parameters
    ----------
    log
        (H, W, 3) logarithms.
    xy
        Its place, cm.
    body, camera
        Sizes and view.
    hidden
        (H, W), 1 where something else is seen.

    Returns
    -------
    float or None
        Contrast (logarithm) of what is in the middle of the head and not at its rim: a shadow or an edge crosses
        both. None where too little of the head is seen.
    """
    strongest = None
    for lower in (0.0, TUNING.bevel):
        points = np.round(camera.to_px(_HEAD * body.radius_cm + (*xy, body.height_cm - lower * body.radius_cm)))
        rim = np.round(camera.to_px(_RIM * body.radius_cm + (*xy, body.height_cm - lower * body.radius_cm)))
        values, around = (_values(log, part.astype(np.intp), hidden) for part in (points, rim))
        if values is None or around is None:
            continue
        contrast = float(np.percentile(np.abs(values - np.median(values)), 88))
        contrast -= float(np.percentile(np.abs(around - np.median(around)), 80))
        strongest = contrast if strongest is None else max(strongest, contrast)
    return strongest


def _values(log: Floats, points: NDArray[np.intp], hidden: NDArray[np.uint8] | None) -> Floats | None:
    height, width = log.shape[:2]
    inside = (points[:, 0] >= 0) & (points[:, 1] >= 0) & (points[:, 0] < width) & (points[:, 1] < height)
    if hidden is not None:
        inside[inside] = hidden[points[inside, 1], points[inside, 0]] == 0
    if inside.sum() < 0.7 * len(points):
        return None
    values = log[points[inside, 1], points[inside, 0]].mean(axis=1)
    slope = np.column_stack([points[inside], np.ones(int(inside.sum()))]).astype(np.float64)
    plane, *_ = np.linalg.lstsq(slope, values, rcond=None)
    return np.asarray(values - slope @ plane, np.float32)


def _disc_points() -> Array:
    across = np.linspace(-0.6, 0.6, 11)
    grid = np.stack(np.meshgrid(across, across), axis=2).reshape(-1, 2)
    grid = grid[np.hypot(grid[:, 0], grid[:, 1]) <= 0.6]
    return np.column_stack([grid, np.zeros(len(grid))])


_HEAD: Final = _disc_points()
_AROUND: Final = np.linspace(0, 2 * np.pi, 28, endpoint=False)
_RIM: Final = np.column_stack([0.75 * np.cos(_AROUND), 0.75 * np.sin(_AROUND), np.zeros(28)])
