"""Pins let fall against rails, other pins and the disc, so that many come to lean: shots alone show too few.

Of a hundred shots a handful end with a pin that leans on another or on the disc, and drawing one costs seconds.
Pins that are held where something may catch them and let go lean in every way that physics allows, and lie beside
what did not hold them, for the price of one settling. Some stand a little aside of where they stood, some are of
the board's colour, and some scenes lie in hard light.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.synth.finn.look import BOARD_CM, FinnLook, FinnScene, Layout, Piece, Sizes
from vision.synth.finn.physics import settle
from vision.synth.finn.recipe import Moment, Places, finn_scene, scattered, start_places
from vision.synth.finn.states import states

Array = NDArray[np.float64]
Rng = np.random.Generator

TRIES: Final = 6
"""Times that pins are let fall for one that leans."""

MOST: Final = 5
"""Pins of one scene that are let fall."""

HOLDERS: Final = {"rail": 0.35, "pin": 0.4, "disc": 0.15, "nothing": 0.1}
"""What catches a pin, and how often."""

PUSHED_CM: Final = (0.5, 1.5)
"""How far a pin stands aside of where it stood: where one stood and one stands overlap."""

ALIKE: Final = 0.3
"""Share of scenes whose pins are of the board's colour."""

HARD: Final = 0.3
"""Share of scenes in hard light."""

_CLEAR_CM: Final = 0.15


def dropped(seed: int) -> Moment | None:
    """Draw a scene whose pins were let fall; None where none came to lean."""
    rng = np.random.default_rng((seed, 541))
    scene = _harder(finn_scene(rng, seed), rng)
    sizes = scene.look.sizes
    for _ in range(TRIES):
        before = start_places(rng, 1.0) if rng.random() < 0.4 else scattered(rng, sizes)
        run = settle(sizes, held(rng, before, sizes), bouncy=float(rng.uniform(0.1, 0.5)))
        if "leaning" in states(run, sizes).values():
            return Moment(scene=scene, before=before, start_layout=False, run=run)
    return None


def held(rng: Rng, before: Places, sizes: Sizes) -> Layout:
    """Hold some pins where something may catch them; the others stand, some a little aside."""
    numbers = [int(n) for n in rng.permutation(list(before))]
    falling, standing = numbers[: int(rng.integers(2, MOST + 1))], numbers[MOST:]
    stand = {n: np.array(before[n][:2]) for n in standing}
    for n in standing[: int(rng.integers(0, 4))]:
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(*PUSHED_CM)
        moved = stand[n] + far * np.array([np.cos(way), np.sin(way)])
        others = [xy for other, xy in stand.items() if other != n]
        if _free(moved[None], others, sizes) and (moved > 0).all() and (moved < BOARD_CM).all():
            stand[n] = moved
    disc = rng.uniform((20, 4), (112, 45))
    if not _free(disc[None], list(stand.values()), sizes):
        disc = np.array([-20.0, -20.0])
    pieces = {n: _upright(xy, before[n][2] + float(rng.normal(0, 0.2))) for n, xy in stand.items()}
    taken: list[Array] = []
    for n in falling:
        placed = _caught(rng, list(stand.values()), disc, taken, sizes)
        if placed is not None:
            pieces[n], line = placed
            taken.append(line)
    lies = Piece(at_cm=(float(disc[0]), float(disc[1]), sizes.disc_high_cm / 2), turn=(1.0, 0.0, 0.0, 0.0))
    missing = {n: _upright(np.array([60.0 + 4 * n, -60.0]), 0.0) for n in before if n not in pieces}
    return Layout(pins=tuple(sorted({**missing, **pieces}.items())), disc=lies)


def _caught(
    rng: Rng, stand: list[Array], disc: Array, taken: list[Array], sizes: Sizes
) -> tuple[Piece, Array] | None:
    """Hold one pin where something may catch it, in nobody's way: the pin, and what of the board is under it."""
    radius, high = sizes.pin_cm / 2, sizes.pin_high_cm
    for _ in range(20):
        holder = str(rng.choice(list(HOLDERS), p=list(HOLDERS.values())))
        way, lift, tilt = rng.uniform(0, 2 * np.pi), rng.uniform(0.05, 0.6), np.radians(rng.uniform(25, 88))
        free = stand
        if holder == "rail":
            up = rng.random() < 0.5
            way = (1 if up else -1) * np.pi / 2 + rng.normal(0, 0.6)
            reach = high * np.sin(tilt)
            aside = rng.uniform(-0.6 * reach, radius)
            foot = np.array([rng.uniform(4, 113), BOARD_CM[1] - 0.2 * reach if up else 0.2 * reach])
            foot[1] += aside if up else -aside
            lift += sizes.rail_high_cm * rng.uniform(0.3, 1.0)
        elif holder == "pin":
            other = stand[int(rng.integers(len(stand)))]
            apart = rng.uniform(2.1 * radius, 0.9 * high)
            foot = other - apart * np.array([np.cos(way), np.sin(way)])
            way += rng.normal(0, 0.15)
            tilt = _against(apart, radius, high) * rng.uniform(0.9, 1.0)
            free, lift = [xy for xy in stand if xy is not other], 0.02
        elif holder == "disc":
            middle = disc + rng.normal(0, 1.2, 2)
            tilt = np.radians(rng.uniform(60, 90))
            foot = middle - rng.uniform(0.2, 0.9) * high * np.sin(tilt) * np.array([np.cos(way), np.sin(way)])
            lift += sizes.disc_high_cm
        else:
            foot = rng.uniform((27, 2), (115, 47))
        along = np.array([np.cos(way), np.sin(way)])
        line = foot + np.linspace(0, high * np.sin(tilt), 6)[:, None] * along
        if _free(line, free, sizes) and _free(line, taken, sizes):
            low = lift + radius * float(np.sin(tilt))
            at = (float(foot[0]), float(foot[1]), low)
            return Piece(at_cm=at, turn=_tilted(way, float(tilt), float(rng.uniform(0, 2 * np.pi)))), line
    return None


def _against(apart: float, radius: float, high: float) -> float:
    """Give the tilt at which a pin whose foot is so far from a standing one meets it, radians."""
    tilt = 0.1
    for _ in range(6):
        tilt = float(np.arcsin(np.clip((apart - radius - radius * np.cos(tilt)) / high, 0.02, 0.98)))
    return tilt


def _free(points: Array, others: list[Array], sizes: Sizes) -> bool:
    """Say whether a pin over points, (N, 2) cm, is in the way of none over others, (2,) or (M, 2) each."""
    gaps = [np.linalg.norm(points[:, None] - np.atleast_2d(other)[None], axis=2).min() for other in others]
    return min(gaps, default=np.inf) > sizes.pin_cm + _CLEAR_CM


def _upright(xy: Array, turn: float) -> Piece:
    half = turn / 2
    return Piece(
        at_cm=(float(xy[0]), float(xy[1]), 0.001), turn=(float(np.cos(half)), 0.0, 0.0, float(np.sin(half)))
    )


def _tilted(way: float, tilt: float, roll: float) -> tuple[float, float, float, float]:
    """Give the turn of a pin that leans the way `way` and is turned around itself."""
    return _times(_about((-np.sin(way), np.cos(way), 0), tilt), _about((0, 0, 1), roll))


def _about(axis: tuple[float, float, float], angle: float) -> tuple[float, float, float, float]:
    x, y, z = (float(v) * float(np.sin(angle / 2)) for v in axis)
    return (float(np.cos(angle / 2)), x, y, z)


def _times(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Give the turn that makes first the other and then the one."""
    w, x, y, z = one
    a, b, c, d = other
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )


def _harder(scene: FinnScene, rng: Rng) -> FinnScene:
    """Give some scenes pins of the board's colour, and some light that is hard and too bright."""
    if rng.random() < ALIKE:
        scene = replace(scene, look=_alike(scene.look, rng))
    if rng.random() < HARD:
        lamps = tuple(replace(lamp, radius=float(rng.uniform(0.5, 3.0))) for lamp in scene.lamps[:2])
        dark = float(rng.uniform(0.3, 0.8))
        sky, ground = (tuple(dark * v for v in colour) for colour in (scene.sky, scene.ground))
        bright = scene.sensor.exposure * float(rng.uniform(1.1, 1.8))
        scene = replace(
            scene,
            lamps=lamps,
            sky=(sky[0], sky[1], sky[2]),
            ground=(ground[0], ground[1], ground[2]),
            sensor=replace(scene.sensor, exposure=bright),
        )
    return scene


def _alike(look: FinnLook, rng: Rng) -> FinnLook:
    bare = look.cap == look.pin
    red, green, blue = np.clip(np.array(look.board) * np.exp(rng.normal(0, 0.12, 3) + rng.normal(0, 0.1)), 0.02, 1)
    pin = (float(red), float(green), float(blue))
    return replace(look, pin=pin, cap=pin if bare else look.cap)
