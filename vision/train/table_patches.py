"""Places of drawn tables of Astrolabe, cut out as `vision.astrolabe.learned` sees them, with what lies there.

Tables, lamps and cameras are the twin's; what lies on them is drawn here, in more ways than shots leave it and of
more colours: dark balls in dark gutters and on dark cloth, balls on teeth, beside each other, half behind a
wall.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.camera import camera_from_setup
from vision.astrolabe.learned import raw
from vision.astrolabe.looks import Looker
from vision.astrolabe.seeking import candidate_places
from vision.astrolabe.teaching import teach_colours
from vision.astrolabe.view import TableView, open_view
from vision.failure import Failure
from vision.setup import parse_setup
from vision.synth.astrolabe.look import GUTTER_CM, TABLE_CM, AstrolabeLook, AstrolabeScene, BallLook, Marble, Table
from vision.synth.astrolabe.parts import build
from vision.synth.astrolabe.physics import boxes
from vision.synth.astrolabe.recipe import astrolabe_scene
from vision.synth.astrolabe.truth import key_points, setup_of
from vision.synth.fast import FastEngine
from vision.synth.scene import Colour
from vision.synth.sensor import develop, expose
from vision.synth.textures import hsv

Array = NDArray[np.float64]
Rng = np.random.Generator
Point = tuple[float, float]

LAYOUTS: Final = 5
"""Times that balls are laid on one table: opening it costs as much as drawing it."""

OTHER_COLOURS: Final = 0.5
"""Share of tables whose balls have other colours than the twin's pairs."""

OTHER_COMBS: Final = 0.5
LIKE_BALL: Final = 0.5
"""Share of tables with combs of any colour; of these, the share in which they have the colour of balls."""

LIKE_TABLE: Final = 0.5
"""Of these, the share in which one side has about the colour of the cloth, or of the gutter."""

IN_SLOT: Final = 0.3
ON_TOOTH: Final = 0.3
BESIDE_ONE: Final = 0.3
ANYWHERE: Final = 0.3
"""Shares: slots with a ball, rows with one on a tooth, balls with one beside, gutter balls not at the near end."""

AT_BALL: Final = 0.3
"""So many radii beside its middle a place is still a ball's."""

SPREAD: Final = 5
"""Places of each ball, as near to its middle as that."""

BESIDE: Final = (0.85, 2.2)
"""Places so many radii beside a ball are none, where there is no other."""

IN_SIGHT: Final = 0.2
"""A ball of which less shows is neither a ball nor none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Places:
    """Places of pictures: (N, S, S, 3) BGR, (N, 2, S, S) likeness, (N,) what lies there.

    0 is no ball, 1 one of the first side's, 2 one of the other's.
    """

    pixels: NDArray[np.uint8]
    like: NDArray[np.float32]
    holds: NDArray[np.intp]


def places(seed: int, engine: FastEngine) -> Places | None:
    """Draw a table from a seed, lay balls on it several times, cut places out; None where it cannot be opened."""
    rng = np.random.default_rng((seed, 907))
    scene = astrolabe_scene(rng, seed)
    setup = parse_setup(setup_of(scene, lying(rng, scene.look.table)))
    if isinstance(setup, Failure) or setup.astrolabe is None:
        return None
    camera = camera_from_setup(setup, scene.camera.size)
    if isinstance(camera, Failure):
        return None
    view = open_view(setup.astrolabe, camera)
    found = [one for one in (_laid(rng, scene, view, engine) for _ in range(LAYOUTS)) if one is not None]
    if not found:
        return None
    return together(found)


def together(parts: Sequence[Places]) -> Places:
    """Join places of several pictures."""
    return Places(
        pixels=np.concatenate([one.pixels for one in parts]),
        like=np.concatenate([one.like for one in parts]),
        holds=np.concatenate([one.holds for one in parts]),
    )


def _laid(rng: Rng, scene: AstrolabeScene, view: TableView, engine: FastEngine) -> Places | None:
    if rng.random() < OTHER_COLOURS:
        scene = replace(scene, look=replace(scene.look, balls=_coloured(rng, scene.look)))
    if rng.random() < OTHER_COMBS:
        like_ball = scene.look.balls[int(rng.integers(0, 2))].colour
        comb = like_ball if rng.random() < LIKE_BALL else _colour(rng)
        scene = replace(scene, look=replace(scene.look, comb=comb))
    balls = lying(rng, scene.look.table)
    gain = float(np.exp(rng.normal(0, 0.05)))
    picture = expose(develop(engine.draw(build(scene, balls)), scene.sensor), scene.sensor, rng, gain)
    taps = {int(side): points for side, points in setup_of(scene, balls)["colours"].items()}
    colours = teach_colours(picture, view, taps)
    if isinstance(colours, Failure):
        return None
    looker = Looker(picture, view.flat(picture), view, colours)
    shown, known = _shown(scene, balls, engine, looker)
    near = rng.normal(0, 1, (SPREAD * len(known), 2))
    turned = near / np.hypot(*near.T)[:, None] * (AT_BALL * np.sqrt(rng.random(len(near))))[:, None]
    at = np.repeat(shown[known], SPREAD, axis=0) + turned * view.radius_cm
    holds = np.repeat(np.array([balls[k].side + 1 for k in known], np.intp), SPREAD)
    free = _free(rng, looker, shown, scene.look.table)
    pixels, like = raw(looker, np.concatenate([at, free]))
    return Places(pixels=pixels, like=like, holds=np.concatenate([holds, np.zeros(len(free), np.intp)]))


def lying(rng: Rng, table: Table) -> tuple[Marble, ...]:
    """Draw what lies on a table: in slots, gutters, on the board, on teeth, beside each other."""
    heap = _Heap(table)
    radius = table.ball_cm / 2
    _fill_combs(rng, table, heap)
    _fill_gutters(rng, table, heap)
    for _ in range(int(rng.integers(0, 5))):
        heap.add(float(rng.uniform(3, 57)), float(rng.uniform(2, 118)))
    for x, y, z in tuple(heap.at):  # beside what lies there, as a rule held by it
        if rng.random() < BESIDE_ONE and z == radius:
            way = np.radians(float(rng.uniform(15, 165)))
            far = table.ball_cm * float(rng.uniform(1.0, 1.06))
            heap.add(x + far * float(np.cos(way)), y + far * float(np.sin(way)))
    marbles = [Marble(side=int(rng.integers(0, 2)), at_cm=one, turn=_turn(rng)) for one in heap.at]
    for side in {0, 1} - {ball.side for ball in marbles if ball.at_cm[2] == radius}:
        while not heap.add(float(rng.uniform(6, 54)), float(rng.uniform(4, 116))):
            pass
        marbles.append(Marble(side=side, at_cm=heap.at[-1], turn=_turn(rng)))
    return tuple(marbles)


class _Heap:
    """Balls that lie on a table, none within another or within a comb."""

    def __init__(self, table: Table) -> None:
        self._radius = table.ball_cm / 2
        self._solids = [(low, high) for name, low, high in boxes(table) if name.startswith(("comb", "tooth"))]
        self.at: list[tuple[float, float, float]] = []

    def add(self, x: float, y: float, z: float | None = None) -> bool:
        """Lay a ball, on the board or so deep, if there is room; says whether there was."""
        radius, edge = self._radius, 0.0 if z is not None else GUTTER_CM + 0.4
        inside = edge + radius <= x <= TABLE_CM[0] - edge - radius and radius - 0.05 <= y <= TABLE_CM[1] - radius
        apart = all(np.hypot(x - a, y - b) >= 1.98 * radius for a, b, _ in self.at)
        near = [np.clip((x, y), low[:2], high[:2]) - (x, y) for low, high in self._solids]
        room = inside and apart and all(np.hypot(*way) >= 0.93 * radius for way in near)
        if room:
            self.at.append((x, y, radius if z is None else z))
        return room


def _fill_combs(rng: Rng, table: Table, heap: _Heap) -> None:
    radius = table.ball_cm / 2
    for row, y in enumerate(table.rows_cm):
        for slot in range(table.slots):
            if rng.random() < IN_SLOT:
                x = table.slot_cm(row, slot)[0]
                heap.add(x + float(rng.normal(0, 0.35)), y + 0.05 + abs(float(rng.normal(0, 0.08))))
        if rng.random() < ON_TOOTH:
            x = table.slot_cm(row, int(rng.integers(0, table.slots)))[0] + table.pitch_cm / 2
            off = radius * float(rng.uniform(0.95, 1.1))
            heap.add(x + float(rng.normal(0, 0.2)), y - radius + table.tooth_cm + off)


def _fill_gutters(rng: Rng, table: Table, heap: _Heap) -> None:
    radius = table.ball_cm / 2
    for middle in (GUTTER_CM / 2, TABLE_CM[0] - GUTTER_CM / 2):
        for k in range(int(rng.choice((0, 1, 2, 3, 5), p=(0.25, 0.35, 0.2, 0.1, 0.1)))):
            aside = float(np.clip(rng.normal(0, 0.25), -0.5, 0.5))
            anywhere = rng.random() < ANYWHERE
            y = float(rng.uniform(radius, 118)) if anywhere else radius + k * table.ball_cm * 1.02
            heap.add(middle + aside, y, radius - table.gutter_deep_cm)


def _turn(rng: Rng) -> tuple[float, float, float, float]:
    w, x, y, z = (float(v) for v in rng.normal(0, 1, 4))
    size = float(np.sqrt(w * w + x * x + y * y + z * z))
    return (w / size, x / size, y / size, z / size)


def _coloured(rng: Rng, look: AstrolabeLook) -> tuple[BallLook, BallLook]:
    """Draw colours of both sides that a person tells apart, one of them often that of the table."""
    while True:
        pair = [_colour(rng) for _ in range(2)]
        if rng.random() < LIKE_TABLE:
            like = np.asarray(look.cloth if rng.random() < 0.4 else look.gutter)
            pair[int(rng.integers(0, 2))] = tuple(
                float(v) for v in np.clip(like * np.exp(rng.normal(0, 0.25, 3)), 0, 1)
            )  # type: ignore[assignment]
        if np.abs(np.sqrt(np.array(pair[0])) - np.sqrt(np.array(pair[1]))).max() > 0.2:
            return replace(look.balls[0], colour=pair[0]), replace(look.balls[1], colour=pair[1])


def _colour(rng: Rng) -> Colour:
    dark = rng.random() < 0.3
    value = float(rng.uniform(0.03, 0.2) if dark else rng.uniform(0.1, 0.95))
    return hsv(float(rng.random()), float(rng.beta(1.5, 1.0)), value)


def _shown(
    scene: AstrolabeScene, balls: Sequence[Marble], engine: FastEngine, looker: Looker
) -> tuple[Array, list[int]]:
    """Give where balls show on the flat picture, (N, 2) cm, and which of them show enough of themselves."""
    points = key_points(scene, tuple(balls), engine)
    raised = looker.view.camera.at_height(looker.view.radius_cm)
    at = raised.to_board(np.array([point["centre_px"] for point in points]))
    return at, [k for k, point in enumerate(points) if point.get("visible", 0.0) >= IN_SIGHT]


def _free(rng: Rng, looker: Looker, shown: Array, table: Table) -> Array:
    """Draw places where no ball lies, most of them where one may be thought to lie, (N, 2) cm."""
    wide, long, radius = *TABLE_CM, looker.view.radius_cm
    found: list[Point] = []

    def add(x: float, y: float) -> None:
        if np.hypot(*(shown - (x, y)).T).min() >= BESIDE[0] * radius and 0 < x < wide and 0 < y < long:
            found.append((x, y))

    def some(count: int, place: Callable[[], Point]) -> None:
        for _ in range(count):
            add(*place())

    for _, _, (x, y) in tuple(looker.view.slots()) * 2:
        add(x + float(rng.normal(0, 0.3)), y + float(rng.normal(0, 0.15)))
    for x, y in candidate_places(looker):
        add(x, y)
    for x, y in np.repeat(shown, 2, axis=0):
        way, far = rng.uniform(0, 2 * np.pi), radius * rng.uniform(*BESIDE)
        add(float(x + far * np.cos(way)), float(y + far * np.sin(way)))
    gutters = (GUTTER_CM / 2, wide - GUTTER_CM / 2)
    some(
        20,
        lambda: (
            float(rng.choice(gutters) + rng.normal(0, 0.8)),
            float(rng.choice((rng.uniform(0.6, 4), rng.uniform(0.6, 9)))),
        ),
    )
    some(6, lambda: (float(rng.choice(gutters) + rng.normal(0, 0.7)), float(rng.uniform(1, 119))))
    some(4, lambda: (float(rng.uniform(0, wide)), float(rng.uniform(0, long))))
    teeth = [(low, high) for name, low, high in boxes(table) if name.startswith("tooth")]

    def at_tooth() -> Point:
        low, high = teeth[int(rng.integers(0, len(teeth)))]
        return float((low[0] + high[0]) / 2 + rng.normal(0, 0.4)), float(high[1] + rng.uniform(-0.5, 1.6))

    some(8, at_tooth)
    return np.array(found, np.float64).reshape(-1, 2)
