"""Pictures before and after a dart, for the learned tip finder to train on: fast, and without files."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Lens, PlaneMap
from vision.synth.cricket.look import CricketScene
from vision.synth.cricket.parts import build, flight_end
from vision.synth.cricket.recipe import camera, light, scene, sensor, visit
from vision.synth.fast import FastEngine, keys, need_fast
from vision.synth.scene import Bytes, Camera, Floats, Lamp, Scene
from vision.synth.sensor import develop, expose

FLICKER = 0.03  # how the light may differ between two settled pictures, one standard deviation
EXPOSURE_STEP = 0.12  # the same where the camera's automatic exposure has moved between them
TWO_AT_ONCE = 0.15  # share of throws that are only seen together with the next
NOTHING_NEW = 0.35  # chance that a view has a pair without a new dart
OTHER_LIGHT = 0.25  # chance that a picture also exists in other light
VIEWS = 4  # of one board in one room: making their textures costs as much as drawing them
TIP_MM = 12.0  # how much of the dart from the board on counts as its tip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shot:
    """A picture with new darts, and the one from before them.

    Attributes
    ----------
    after, before : (H, W, 3) BGR; `before` is None where the darts are to be found in one picture
    plane : of the board, lens included
    tips_mm : (N, 2) where the new darts stand (all of them where there is no `before`)
    flights_px : (N, 2) where their flights end
    visible : (N,) share of the last `TIP_MM` of each dart that nothing hides
    known_mm : (M, 2) tips of darts that stood there before
    eye_mm : (3,) where the camera is, board frame, z from the board
    darts : (H, W) whether one of the new darts is seen there
    """

    after: Bytes
    before: Bytes | None
    plane: PlaneMap
    tips_mm: Floats
    flights_px: Floats
    visible: Floats
    known_mm: Floats
    eye_mm: Floats
    darts: NDArray[np.bool_]


def plane_of(camera: Camera) -> PlaneMap:
    """Give the map of the board's plane z = 0 for a camera."""
    inner = np.array([[camera.f_px, 0, camera.cx_px], [0, camera.f_px, camera.cy_px], [0, 0, 1.0]])
    matrix = inner @ np.column_stack([camera.pose[:3, 0], camera.pose[:3, 1], camera.pose[:3, 3]])
    lens = Lens(f_px=camera.f_px, cx_px=camera.cx_px, cy_px=camera.cy_px, k1=camera.k1, k2=camera.k2)
    return PlaneMap(homography=matrix / matrix[2, 2], lens=lens)


def eye_of(camera: Camera) -> Floats:
    """Give (3,) where a camera is, in the board's frame."""
    return np.asarray(-camera.pose[:3, :3].T @ camera.pose[:3, 3])


def shots(seed: int) -> Iterator[Shot]:
    """Draw a board, seen `VIEWS` times with a growing number of darts: each throw as a pair, some singles.

    Some of the pairs have nothing new: the light alone has changed.

    Raises
    ------
    RuntimeError
        Where nothing can draw (no OpenGL): training has to stop, and say why.
    """
    engine = need_fast()
    rng = np.random.default_rng((seed, 307))
    first = scene(seed, darts=0)
    for _ in range(VIEWS):
        yield from _view(_again(first, rng), engine, rng)


def _again(look: CricketScene, rng: np.random.Generator) -> CricketScene:
    """Give the same board and room with another camera, light and visit."""
    lamps, sky, ground = light(rng, look.family, look.board)
    return replace(
        look,
        darts=visit(rng, int(rng.choice((1, 2, 3, 4), p=(0.2, 0.25, 0.5, 0.05))), look.board),
        camera=camera(rng, look.family, look.board),
        lamps=lamps,
        sky=sky,
        ground=ground,
        sensor=sensor(rng, look.family),
    )


def _view(look: CricketScene, engine: FastEngine, rng: np.random.Generator) -> Iterator[Shot]:
    clean = [_clean(look, count, engine, rng) for count in range(len(look.darts) + 1)]
    known = 0
    for count in range(1, len(clean)):
        if rng.random() < TWO_AT_ONCE and count < len(clean) - 1:
            continue
        yield _shot(
            look, known, count, engine, _exposed(look, clean[count], rng), _exposed(look, clean[known], rng)
        )
        known = count
    for _ in range(1 + int(rng.random() < 0.4)):
        count = int(rng.integers(0, len(clean)))
        yield _shot(look, 0, count, engine, _exposed(look, clean[count], rng), None)
    if rng.random() < NOTHING_NEW:
        count = int(rng.integers(0, len(clean)))
        yield _shot(
            look, count, count, engine, _exposed(look, clean[count], rng), _exposed(look, clean[count], rng)
        )


def _clean(look: CricketScene, count: int, engine: FastEngine, rng: np.random.Generator) -> tuple[Bytes, Bytes]:
    """Draw the board with its first darts, in the scene's light and in one a little off (often the same)."""
    some = replace(look, darts=look.darts[:count])
    plain = develop(engine.draw(build(some)), look.sensor)
    if rng.random() > OTHER_LIGHT:
        return plain, plain
    lamps = tuple(_relit(lamp, rng) for lamp in look.lamps)
    return plain, develop(engine.draw(build(replace(some, lamps=lamps))), look.sensor)


def _relit(lamp: Lamp, rng: np.random.Generator) -> Lamp:
    """Dim and shift a lamp, as people standing about, clouds and swinging lamps do."""
    gain = float(np.exp(rng.normal(0, 0.25)))
    x, y, z = (float(v) for v in np.asarray(lamp.at) + rng.normal(0, 15, 3))
    r, g, b = lamp.colour
    return replace(lamp, colour=(r * gain, g * gain, b * gain), at=(x, y, z))


def _exposed(look: CricketScene, clean: tuple[Bytes, Bytes], rng: np.random.Generator) -> Bytes:
    gain = float(np.exp(rng.normal(0, FLICKER if rng.random() < 0.7 else EXPOSURE_STEP)))
    return expose(clean[int(rng.integers(2))], look.sensor, rng, gain)


def _shot(  # noqa: PLR0917 - one call, each name beside its value
    look: CricketScene, known: int, count: int, engine: FastEngine, after: Bytes, before: Bytes | None
) -> Shot:
    present = build(replace(look, darts=look.darts[:count]))
    new = look.darts[known:count]
    tips = np.array([dart.tip_mm for dart in new]).reshape(-1, 2)
    ends = np.array([flight_end(dart) for dart in new]).reshape(-1, 3)
    return Shot(
        after=after,
        before=before,
        plane=plane_of(look.camera),
        tips_mm=tips,
        flights_px=look.camera.to_px(ends).reshape(-1, 2),
        visible=np.array([tip_share(look, present, i, engine) for i in range(known, count)]),
        known_mm=np.array([dart.tip_mm for dart in look.darts[:known]]).reshape(-1, 2),
        eye_mm=eye_of(look.camera),
        darts=darts_seen(present, range(known, count), engine),
    )


def darts_seen(present: Scene, numbers: range, engine: FastEngine) -> NDArray[np.bool_]:
    """Say of each pixel, (H, W), whether one of these darts is seen there."""
    order = keys(present)
    return np.isin(engine.names(present), [order.index(f"dart{i}") + 1 for i in numbers])


def tip_share(look: CricketScene, present: Scene, number: int, engine: FastEngine) -> float:
    """Give the share of a dart's last `TIP_MM` before the board that is seen, by points along it."""
    dart = look.darts[number]
    axis = np.array([*dart.lean, 1.0])
    axis /= np.linalg.norm(axis)
    line = np.array([*dart.tip_mm, 0.0]) + np.linspace(1.0, TIP_MM, 12)[:, None] * axis
    seen = _lookup(engine.names(present), keys(present).index(f"dart{number}") + 1, look.camera.to_px(line))
    return float(seen.mean())


def _lookup(names: Bytes, name: int, px: Floats) -> NDArray[np.bool_]:
    """Whether an object is seen at, or right beside, points (N, 2) px."""
    found = np.zeros(len(px), bool)
    for dx, dy in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)):
        at = np.round(px + np.array((dx, dy))).astype(int)
        inside = (at >= 0).all(1) & (at[:, 0] < names.shape[1]) & (at[:, 1] < names.shape[0])
        found[inside] |= names[at[inside, 1], at[inside, 0]] == name
    return found
