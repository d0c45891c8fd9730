"""The one place where Astrolabe scenes vary: a seed in, a scene, the balls that lie and a shot out.

What varies: cloth, frame, combs (wood, brass, painted), gutters, floor, tilt, size of ball and slots, colours of
the two sides (glass, swirled, opaque; near colours and clear ones too), what lies where; camera, lamps, sensor;
the shot and what comes of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.synth.astrolabe.look import (
    GUTTER_CM,
    TABLE_CM,
    AstrolabeLook,
    AstrolabeScene,
    BallLook,
    Marble,
    Table,
)
from vision.synth.astrolabe.physics import Run, Shake, Shot, place_of, pulls, rolled, simulate
from vision.synth.finn.recipe import sensor, table_light
from vision.synth.scene import Camera, Colour, Floats, fitted, look_at
from vision.synth.textures import hsv

Rng = np.random.Generator
WANTED = {"score": 0.38, "returned": 0.14, "gutter": 0.16, "grouped": 0.14, "knocked": 0.14, "shaken": 0.04}
TRIES = 14  # shots drawn for what is wanted to happen; the last one stands
VIEWS = ("over", "near", "side")
PAIRS: tuple[tuple[Colour, Colour], ...] = (
    ((0.10, 0.20, 0.75), (0.80, 0.08, 0.08)),
    ((0.12, 0.55, 0.28), (0.85, 0.58, 0.12)),
    ((0.92, 0.92, 0.90), (0.06, 0.06, 0.07)),
    ((0.10, 0.70, 0.75), (0.50, 0.15, 0.60)),
    ((0.88, 0.85, 0.15), (0.10, 0.50, 0.20)),
    ((0.80, 0.85, 0.88), (0.12, 0.25, 0.70)),
    ((0.75, 0.15, 0.12), (0.80, 0.42, 0.10)),  # near colours
    ((0.10, 0.30, 0.60), (0.10, 0.50, 0.55)),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moment:
    """A scene, the balls before the shot, the shooter, how physics played it, whether the table was knocked."""

    scene: AstrolabeScene
    before: tuple[Marble, ...]
    shooter: int
    run: Run
    shaken: bool = False


def moment(seed: int) -> Moment:
    """Draw everything from a seed."""
    rng = np.random.default_rng((seed, 701))
    scene = astrolabe_scene(rng, seed)
    table = scene.look.table
    wanted = str(rng.choice(list(WANTED), p=list(WANTED.values())))
    before = lying(rng, table, held=wanted == "knocked" or rng.random() < 0.2)
    shooter = int(rng.integers(0, 2))
    if wanted == "knocked":
        return _knocking(rng, scene, before, shooter)
    for _ in range(TRIES):
        aimed, bouncy = shot(rng, table, shooter), float(rng.uniform(0.2, 0.8))
        run = simulate(table, before, aimed, bouncy, _shake(rng) if wanted == "shaken" else None)
        if wanted in happenings(table, before, run) or (wanted == "shaken" and _moved(table, before, run)):
            break
    return Moment(scene=scene, before=before, shooter=shooter, run=run, shaken=wanted == "shaken")


def _knocking(rng: Rng, scene: AstrolabeScene, others: tuple[Marble, ...], shooter: int) -> Moment:
    """Let a ball lie on the tip of a tooth, where a hit on its side sends it into a slot, or off the comb.

    What lies in a slot is held by the comb on all sides that a ball can come from: nothing else can be knocked.
    """
    table = replace(scene.look.table, tooth_cm=float(rng.uniform(1.3, 1.8)), thick_cm=0.3)
    scene = replace(scene, look=replace(scene.look, table=table))
    for _ in range(TRIES):
        before, loose, way = perched(rng, table, others)
        x, y, _z = before[loose].at_cm
        aimed = striking(rng, table, shooter, (x - way * float(rng.uniform(1.3, 2.4)), y))
        if aimed is None or place_of(before[loose], table) != "grouped":
            continue
        run = simulate(table, before, aimed, float(rng.uniform(0.2, 0.8)))
        if _moved(table, before, run):
            return Moment(scene=scene, before=before, shooter=shooter, run=run)
    run = simulate(table, others, shot(rng, table, shooter))
    return Moment(scene=scene, before=others, shooter=shooter, run=run)


def perched(rng: Rng, table: Table, others: Sequence[Marble]) -> tuple[tuple[Marble, ...], int, int]:
    """Add a ball in a slot and one on the tip of the tooth beside it; gives all, that one's number and side."""
    radius = table.ball_cm / 2
    row, slot = int(rng.integers(0, len(table.rows_cm))), int(rng.integers(0, table.slots))
    way = int(rng.choice((-1, 1)))
    x, y = table.slot_cm(row, slot)
    kept = [
        ball
        for ball in others
        if place_of(ball, table) != "grouped" and place_of(ball, table) not in ((row, slot), (row, slot + way))
    ]
    sides = [int(v) for v in rng.integers(0, 2, 2)]
    held = Marble(side=sides[0], at_cm=(x, y + 0.02, radius))
    loose = Marble(side=sides[1], at_cm=(x + 0.9 * way, y + 0.95 * table.ball_cm, radius))
    settled = simulate(table, (held, loose), None).balls(99.0)
    return (*kept, *settled), len(kept) + 1, way


def striking(rng: Rng, table: Table, side: int, target: tuple[float, float]) -> Shot | None:
    """Aim so that the ball comes down past `target` (cm), touching no comb before; None if no way was found."""
    up, _ = pulls(table)
    down_to = target[1] + 0.9 * table.ball_cm
    for _ in range(40):
        start = (float(rng.uniform(6, TABLE_CM[0] - 6)), 8.0)
        top = min(target[1] + float(rng.uniform(3, 40)), TABLE_CM[1] - 4)
        found = Shot(side=side, from_cm=start, speed_cm_s=(0.0, float(np.sqrt(2 * up * (top - start[1])))))
        for _ in range(3):
            found = _nearer(table, found, target[0], down_to)
        if _free_way(table, rolled(table, found, down_to)):
            return found
    return None


def _nearer(table: Table, aimed: Shot, x_cm: float, down_to: float) -> Shot:
    """Turn a shot so that it comes down nearer to x."""
    vx, vy = aimed.speed_cm_s
    other = replace(aimed, speed_cm_s=(vx + 1.0, vy))
    first, second = (float(rolled(table, one, down_to)[-1, 0]) for one in (aimed, other))
    return replace(aimed, speed_cm_s=(vx + (x_cm - first) / (second - first), vy))


def _free_way(table: Table, way: Floats) -> bool:
    """Whether a ball on a way (N, 2) touches neither combs nor gutters nor the far wall."""
    radius = table.ball_cm / 2
    reach = table.pitch_cm / 2 + table.thick_cm + radius
    x, y = way[:, 0], way[:, 1]
    across = (x > table.first_cm - reach) & (x < table.slot_cm(0, table.slots - 1)[0] + reach)
    for row in table.rows_cm:
        low, high = row - 2 * radius - table.thick_cm, row + table.tooth_cm
        if (across & (y > low) & (y < high)).any():
            return False
    edge = GUTTER_CM + radius
    return bool(((x > edge) & (x < TABLE_CM[0] - edge)).all() and y.max() < TABLE_CM[1] - radius)


def _shake(rng: Rng) -> Shake:
    """Draw a knock on the table, mostly toward the player, which is where people stand."""
    push = (float(rng.normal(0, 1.5)), float(-rng.uniform(2.0, 5.0)))
    return Shake(t_s=float(rng.uniform(0.2, 1.2)), push=push, lasts_s=float(rng.uniform(0.08, 0.2)))


def _moved(table: Table, before: Sequence[Marble], run: Run) -> bool:
    return "knocked" in happenings(table, before, run)


def happenings(table: Table, before: Sequence[Marble], run: Run) -> set[str]:
    """Name what a shot did: where its ball went, and whether it moved another to a new place."""
    after = run.balls(run.seconds)
    end = place_of(after[-1], table)
    found = {"score" if not isinstance(end, str) else "returned" if end == "hand" else end}
    pairs = zip(before, after, strict=False)
    if any(place_of(old, table) != place_of(new, table) for old, new in pairs):
        found.add("knocked")
    return found


def astrolabe_scene(rng: Rng, seed: int) -> AstrolabeScene:
    """Draw a table, its room and its camera."""
    view = str(rng.choice(VIEWS, p=(0.5, 0.25, 0.25)))
    lamps, sky, ground = table_light(rng, (TABLE_CM[0] / 2, TABLE_CM[1] / 2, 0.0), 110.0)
    return AstrolabeScene(
        look=astrolabe_look(rng),
        camera=camera(rng, view),
        lamps=lamps,
        sky=sky,
        ground=ground,
        sensor=sensor(rng),
        view=view,
        seed=seed,
    )


def astrolabe_look(rng: Rng) -> AstrolabeLook:
    """Draw sizes, colours and materials."""
    first, second = PAIRS[int(rng.integers(len(PAIRS)))]
    kind = str(rng.choice(("glass", "swirl", "opaque"), p=(0.4, 0.2, 0.4)))
    swirls = [hsv(float(rng.random()), float(rng.uniform(0, 0.9)), float(rng.uniform(0.5, 1))) for _ in range(2)]
    cloth = hsv(float(rng.random()), float(rng.uniform(0.15, 0.7)), float(rng.uniform(0.15, 0.6)))
    comb = hsv(float(rng.uniform(0.05, 0.13)), float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.2, 0.8)))
    return AstrolabeLook(
        table=Table(
            ball_cm=float(rng.choice((2.2, 2.5, 2.5, 2.5))),
            tooth_cm=float(rng.uniform(2.8, 3.8)),
            comb_high_cm=float(rng.uniform(0.9, 1.8)),
            thick_cm=float(rng.uniform(0.3, 0.6)),
            wall_cm=float(rng.uniform(2.0, 4.0)),
            wall_high_cm=float(rng.uniform(2.5, 5.0)),
            tilt_deg=float(rng.uniform(4.0, 8.0)),
        ),
        cloth=cloth,
        cloth_kind=str(rng.choice(("cloth", "wood", "plain"), p=(0.6, 0.2, 0.2))),
        frame=hsv(float(rng.uniform(0.05, 0.1)), float(rng.uniform(0.3, 0.6)), float(rng.uniform(0.2, 0.7))),
        comb=comb,
        comb_metal=bool(rng.random() < 0.3),
        line=(0.9, 0.2, 0.15) if rng.random() < 0.6 else (0.92, 0.92, 0.9),
        gutter=(0.07, 0.07, 0.07) if rng.random() < 0.6 else hsv(float(rng.random()), 0.4, 0.3),
        floor=hsv(float(rng.random()), 0.75 * float(rng.beta(1.0, 3.5)), float(rng.uniform(0.15, 0.8))),
        floor_kind=str(rng.choice(("wood", "cloth", "plain"), p=(0.4, 0.3, 0.3))),
        balls=(
            BallLook(colour=first, second=swirls[0], kind=kind),
            BallLook(colour=second, second=swirls[1], kind=kind),
        ),
        clutter=int(rng.integers(0, 6)),
        seed=int(rng.integers(0, 10**6)),
    )


def lying(rng: Rng, table: Table, held: bool = False) -> tuple[Marble, ...]:
    """Draw what lies before a shot: balls of both sides in slots and gutters, one grouped where `held`."""
    radius, found = table.ball_cm / 2, []
    spots = [(row, slot) for row in range(len(table.rows_cm)) for slot in range(table.slots)]
    order = [spots[int(k)] for k in rng.permutation(len(spots))]
    count = int(rng.integers(0, 10))
    for spot in order[:count]:
        x, y = table.slot_cm(*spot)
        found.append((x + float(rng.normal(0, 0.15)), y + 0.02, radius))
    for k in range(int(rng.choice((0, 1, 2, 3), p=(0.55, 0.25, 0.15, 0.05)))):
        side = GUTTER_CM / 2 if rng.random() < 0.5 else TABLE_CM[0] - GUTTER_CM / 2
        found.append((side, radius + k * table.ball_cm * 1.02, radius - table.gutter_deep_cm))
    if held and found and found[0][2] == radius:
        x, y, _ = found[0]  # on a slope a ball stays only where something holds it: on one that lies in a slot
        found.append((x + float(rng.normal(0, 0.05)), y + table.ball_cm * 1.01, radius))
    marbles = [Marble(side=int(rng.integers(0, 2)), at_cm=at) for at in found]
    # Else nobody could tap a ball of that side: in a gutter a wall may hide it.
    for side in {0, 1} - {ball.side for ball in marbles if ball.at_cm[2] == radius}:
        x, y = table.slot_cm(*order[count + side])
        marbles.append(Marble(side=side, at_cm=(x, y + 0.02, radius)))
    settled = simulate(table, marbles, None).balls(99.0)
    return tuple(ball for ball in settled if place_of(ball, table) != "hand")


def shot(rng: Rng, table: Table, side: int) -> Shot:
    """Aim past a comb so that the ball rolls back into a slot, with a hand's error."""
    pull = 981 * np.sin(np.radians(table.tilt_deg)) / 1.4  # of a rolling ball
    y0 = 8.0
    for _ in range(40):
        row, slot = int(rng.integers(0, len(table.rows_cm))), int(rng.integers(0, table.slots))
        tx, ty = table.slot_cm(row, slot)
        top = min(float(rng.uniform(ty + 4, ty + 32)), TABLE_CM[1] + 14.0)
        x0 = float(rng.uniform(8, TABLE_CM[0] - 8))
        vy = float(np.sqrt(2 * pull * (top - y0)))
        t_down = (vy + np.sqrt(max(vy * vy - 2 * pull * (ty - y0), 0.0))) / pull
        vx = (tx - x0) / t_down
        t_up = [(vy - np.sqrt(max(vy * vy - 2 * pull * (y - 3 - y0), 0))) / pull for y in table.rows_cm if y < top]
        outside = [
            not (table.first_cm - 4.2 < x0 + vx * t < table.slot_cm(0, table.slots - 1)[0] + 4.2) for t in t_up
        ]
        if all(outside):
            break
    error = float(rng.choice((0.004, 0.012, 0.05)))
    return Shot(
        side=side,
        from_cm=(x0, y0),
        speed_cm_s=(vx + float(rng.normal(0, error)) * vy, vy * (1 + float(rng.normal(0, error)))),
    )


def camera(rng: Rng, view: str) -> Camera:
    """Draw a camera that sees the whole table; its long side lies along the picture's, as a rule."""
    sizes = ((1280, 720), (1280, 960), (1024, 768), (1920, 1080))
    size = sizes[int(rng.choice(4, p=(0.65, 0.2, 0.1, 0.05)))]
    wide, long = TABLE_CM
    eye = {
        "over": np.array([wide / 2 + rng.normal(0, 8), long / 2 + rng.normal(0, 12), rng.uniform(90, 150)]),
        "near": np.array([wide / 2 + rng.normal(0, 10), rng.uniform(0, 35), rng.uniform(85, 130)]),
        "side": np.array([wide + rng.uniform(20, 70), long / 2 + rng.normal(0, 15), rng.uniform(75, 130)]),
    }[view]
    aim = np.array([wide / 2 + rng.normal(0, 3), long / 2 + rng.normal(0, 4), 0.0])
    up = (-1.0, 0.0, 0.0) if rng.random() < 0.85 else (0.0, 1.0, 0.0)
    pose = look_at(eye, aim, float(rng.normal(0, 3)), up)
    probe = Camera(size=size, f_px=1000.0, cx_px=(size[0] - 1) / 2, cy_px=(size[1] - 1) / 2, pose=pose)
    corners = np.array([(x, y, z) for x in (-4, wide + 4) for y in (-4, long + 4) for z in (0, 5)], float)
    return fitted(probe, corners, float(rng.uniform(0.8, 0.98)), float(rng.normal(-0.03, 0.05)))
