"""Pictures of darts without one from before, for the learned tip finder: each another camera, light and visit."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import PlaneMap
from vision.synth.cricket.look import CricketScene, Dart, DartLook
from vision.synth.cricket.pairs import darts_seen, eye_of, plane_of, tip_share
from vision.synth.cricket.parts import build
from vision.synth.cricket.recipe import FAMILIES, camera, clear, light, scene, sensor, visit
from vision.synth.fast import FastEngine, need_fast
from vision.synth.scene import Bytes, Floats
from vision.synth.sensor import develop, expose
from vision.synth.textures import hsv

VIEWS = 12  # of one board: its textures are dear, a view is cheap
COUNTS = (0, 1, 2, 3, 4, 5, 6)
COUNT_SHARES = (0.12, 0.16, 0.2, 0.28, 0.12, 0.07, 0.05)  # more than in play: each teaches
ONE_COLOUR = 0.3  # share of sets that are of one colour from barrel to flight: black darts, plastic toys
OTHER_FAMILY = 0.35  # share of views from another kind of camera than the scene's own
SUNK = 0.35  # share of sets whose points stand in the board nearly to the barrel
SUNK_MM = (0.3, 9.0)  # so much of those points is seen
STUCK = 0.25  # share of sets that were stuck in by hand, or hang: leaning to any side
STUCK_LEAN = 0.45  # tangent of how far those lean at most


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Single:
    """One picture with all its darts.

    Attributes
    ----------
    picture : (H, W, 3) BGR
    plane : of the board, lens included
    eye_mm : (3,) where the camera is, board frame, z from the board
    tips_mm : (N, 2) where the darts stand
    visible : (N,) share of the last part of each dart that nothing hides
    darts : (H, W) whether a dart is seen there
    """

    picture: Bytes
    plane: PlaneMap
    eye_mm: Floats
    tips_mm: Floats
    visible: Floats
    darts: NDArray[np.bool_]


def singles(seed: int) -> Iterator[Single]:
    """Draw a board from `VIEWS` sides.

    Raises
    ------
    RuntimeError
        Where nothing can draw (no OpenGL): training has to stop, and say why.
    """
    engine = need_fast()
    rng = np.random.default_rng((seed, 311))
    first = scene(seed, darts=0)
    for _ in range(VIEWS):
        yield _single(_view(first, rng), engine, rng)


def _view(look: CricketScene, rng: np.random.Generator) -> CricketScene:
    family = str(rng.choice(FAMILIES)) if rng.random() < OTHER_FAMILY else look.family
    lamps, sky, ground = light(rng, family, look.board)
    darts = visit(rng, int(rng.choice(COUNTS, p=COUNT_SHARES)), look.board)
    return replace(
        look,
        darts=odd(darts, rng),
        camera=camera(rng, family, look.board),
        lamps=lamps,
        sky=sky,
        ground=ground,
        sensor=sensor(rng, family),
    )


def odd(darts: tuple[Dart, ...], rng: np.random.Generator) -> tuple[Dart, ...]:
    """Let some sets be of one colour, some stand deep in the board, some lean to any side."""
    if darts and rng.random() < ONE_COLOUR:
        darts = _in_one_colour(darts, rng)
    if rng.random() < SUNK:
        darts = tuple(replace(dart, deep_mm=dart.look.tip_mm - float(rng.uniform(*SUNK_MM))) for dart in darts)
    if rng.random() < STUCK:
        darts = _stuck(darts, rng)
    return darts


def _stuck(darts: tuple[Dart, ...], rng: np.random.Generator) -> tuple[Dart, ...]:
    """Lean darts to any side, those that then would go through one another but little."""
    leaning: list[Dart] = []
    for i, dart in enumerate(darts):
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0, STUCK_LEAN)
        own = replace(dart, lean=(float(far * np.sin(angle)), float(far * np.cos(angle))))
        leaning.append(own if all(clear(own, other) for other in (*leaning, *darts[i + 1 :])) else dart)
    return tuple(leaning)


def _in_one_colour(darts: tuple[Dart, ...], rng: np.random.Generator) -> tuple[Dart, ...]:
    """Paint a set in one colour, black in half of the sets."""
    tone = (
        (0.03, 0.03, 0.03) if rng.random() < 0.5 else hsv(float(rng.random()), 0.85, float(rng.uniform(0.3, 0.9)))
    )
    metal = float(rng.choice((0.0, 0.0, 0.3)))

    def painted(look: DartLook) -> DartLook:
        return replace(look, barrel=tone, shaft=tone, flight=tone, flight_mark=tone, barrel_metal=metal)

    return tuple(replace(dart, look=painted(dart.look)) for dart in darts)


def _single(look: CricketScene, engine: FastEngine, rng: np.random.Generator) -> Single:
    present = build(look)
    gain = float(np.exp(rng.normal(0, 0.1)))
    picture = expose(develop(engine.draw(present), look.sensor), look.sensor, rng, gain)
    return Single(
        picture=picture,
        plane=plane_of(look.camera),
        eye_mm=eye_of(look.camera),
        tips_mm=np.array([dart.tip_mm for dart in look.darts]).reshape(-1, 2),
        visible=np.array([tip_share(look, present, i, engine) for i in range(len(look.darts))]),
        darts=darts_seen(present, range(len(look.darts)), engine),
    )
