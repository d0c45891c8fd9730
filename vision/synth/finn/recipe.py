"""The one place where Finn Billiards scenes vary: a seed in, a scene, a start and a shot out.

What varies: board, rails and floor (wood, cloth, plain, colours), lines, pins (size, cut, number style, painted
caps or burnt numbers, low contrast), disc, crossbow's place, markers, clutter; camera (above, near end, side;
height, tilt, roll, field of view, distortion); lamps; sensor; how the pins stood before; how the disc is shot.
"""

from dataclasses import dataclass

import numpy as np

from vision.synth.finn.look import BOARD_CM, START_CM, FinnLook, FinnScene, Sizes
from vision.synth.finn.physics import Run, Shot, simulate
from vision.synth.finn.states import states
from vision.synth.scene import Camera, Colour, Floats, Lamp, Sensor, fitted, look_at
from vision.synth.textures import hsv

Rng = np.random.Generator
Places = dict[int, tuple[float, float, float]]
FIRST_CM = 25.0
TRIES = 8  # shots drawn for a scene whose pins are to come to lean, or to lie short of the first line
ZIGZAGS = (
    0.12  # share of ordinary shots that go to and fro between smooth, bouncy rails: else none had four cushions
)
VIEWS = ("over", "near", "side")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moment:
    """A scene, the pins before the shot (x, y in cm, turn), and the shot as physics played it."""

    scene: FinnScene
    before: Places
    start_layout: bool
    run: Run


def moment(seed: int) -> Moment:
    """Draw everything from a seed."""
    rng = np.random.default_rng((seed, 501))
    scene = finn_scene(rng, seed)
    sizes, start = scene.look.sizes, bool(rng.random() < 0.4)
    some_at = "" if start else str(rng.choice(("", "rails", "line"), p=(0.5, 0.36, 0.14)))
    chance = np.random.default_rng((seed, 521))
    to_and_fro = not some_at and chance.random() < ZIGZAGS
    for _ in range(TRIES if some_at else 1):
        if start:
            before = start_places(rng, 1.0 if rng.random() < 0.15 else 0.0)
        else:
            before = scattered(rng, sizes, some_at, scene.bow_y_cm)
        if some_at == "line":
            aimed = clipping(rng, sizes, next(iter(before.values())), scene.bow_y_cm)
        else:
            aimed = shot(rng, before, scene.bow_y_cm, some_at)
        slippery, bouncy = float(rng.uniform(0.08, 0.22)), float(rng.uniform(0.2, 0.9))
        if to_and_fro:
            aimed, slippery, bouncy = zigzag(chance, before, scene.bow_y_cm), 0.07, float(chance.uniform(0.8, 1.0))
        run = simulate(sizes, before, aimed, slippery, bouncy)
        if {"rails": "leaning", "line": "line"}.get(some_at) in states(run, sizes).values():
            break
    return Moment(scene=scene, before=before, start_layout=start, run=run)


def finn_scene(rng: Rng, seed: int) -> FinnScene:
    """Draw a table, its room and its camera."""
    sizes = Sizes(
        pin_cm=float(rng.choice((2.8, 3.0, 3.0, 3.3))),
        pin_high_cm=float(rng.choice((6.5, 7.5, 7.5, 8.5))),
        bevel=float(rng.choice((0.0, 0.45, 0.6, 0.75), p=(0.15, 0.3, 0.3, 0.25))),
        disc_cm=float(rng.choice((3.6, 4.0, 4.4))),
        rail_cm=float(rng.uniform(1.5, 2.5)),
        rail_high_cm=float(rng.uniform(1.6, 3.2)),
        legs_cm=float(rng.choice((1.5, 3.0, 6.0, 70.0), p=(0.35, 0.35, 0.2, 0.1))),
    )
    view = str(rng.choice(VIEWS, p=(0.5, 0.25, 0.25)))
    lamps, sky, ground = table_light(rng, (BOARD_CM[0] / 2, BOARD_CM[1] / 2, 0.0), 105.0)
    return FinnScene(
        look=finn_look(rng, sizes),
        camera=camera(rng, view),
        lamps=lamps,
        sky=sky,
        ground=ground,
        sensor=sensor(rng),
        bow_y_cm=float(np.clip(rng.normal(24.5, 7), 8, 41)),
        view=view,
        seed=seed,
    )


def finn_look(rng: Rng, sizes: Sizes) -> FinnLook:
    """Draw colours and marks."""
    board = (
        _wood(rng)
        if rng.random() < 0.7
        else hsv(float(rng.random()), float(rng.uniform(0.1, 0.7)), float(rng.uniform(0.3, 0.9)))
    )
    bright = sum(board) / 3
    pin = (
        _wood(rng, 0.65, 0.95) if rng.random() < 0.8 else hsv(float(rng.random()), float(rng.uniform(0, 0.8)), 0.8)
    )
    painted = rng.random() < 0.35
    cap = hsv(float(rng.random()), float(rng.uniform(0.5, 0.95)), float(rng.uniform(0.3, 0.9))) if painted else pin
    pale = sum(cap) / 3 < 0.45
    number: Colour = (0.93, 0.93, 0.9) if pale else (0.10, 0.07, 0.05) if rng.random() < 0.75 else (0.35, 0.2, 0.1)
    line = (0.9, 0.9, 0.9) if bright < 0.45 else (0.12, 0.11, 0.10)
    if rng.random() < 0.2:
        line = (0.6, 0.08, 0.08)
    return FinnLook(
        sizes=sizes,
        board=board,
        board_kind=str(rng.choice(("wood", "cloth", "plain"), p=(0.65, 0.2, 0.15))),
        rail=board if rng.random() < 0.4 else _wood(rng),
        line=line,
        line_cm=float(rng.uniform(0.15, 0.5)),
        floor=hsv(float(rng.random()), 0.75 * float(rng.beta(1.0, 3.5)), float(rng.uniform(0.15, 0.8))),
        floor_kind=str(rng.choice(("wood", "cloth", "plain"), p=(0.4, 0.35, 0.25))),
        pin=pin,
        cap=cap,
        number=number,
        number_style=str(rng.choice(("thin", "printed", "bold"), p=(0.25, 0.5, 0.25))),
        number_share=float(rng.uniform(0.42, 0.62)),
        body_number=False,
        disc=hsv(float(rng.random()), float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.08, 0.9))),
        clutter=int(rng.integers(0, 7)),
        markers=bool(rng.random() < 0.25),
        seed=int(rng.integers(0, 10**6)),
    )


def _wood(rng: Rng, low: float = 0.25, high: float = 0.85) -> Colour:
    return hsv(float(rng.uniform(0.05, 0.11)), float(rng.uniform(0.2, 0.65)), float(rng.uniform(low, high)))


def start_places(rng: Rng, loose_cm: float) -> Places:
    """Set the pins up for the start, by hand where `loose_cm` is not 0."""
    return {
        n: (
            x + float(rng.normal(0, 0.2 * loose_cm)),
            y + float(rng.normal(0, 0.2 * loose_cm)),
            float(rng.normal(0, 0.06)),
        )
        for n, (x, y) in START_CM.items()
    }


def scattered(rng: Rng, sizes: Sizes, some_at: str = "", bow_y_cm: float = 24.5) -> Places:
    """Let the pins stand as after some turns: spread from where they began, some far off, some for defense.

    With `some_at` three stand by the `rails`, to come to lean, or one at the first `line` across from the bow, to
    be pushed short of it.
    """
    places: Places = {}
    for number in rng.permutation(12) + 1:
        special = len(places) < {"rails": 3, "line": 1}.get(some_at, 0)
        while True:
            at = _special(rng, some_at, bow_y_cm) if special else _usual(rng, np.array(START_CM[int(number)]))
            edge = sizes.pin_cm / 2 + 0.1
            inside = FIRST_CM + 0.05 < at[0] < BOARD_CM[0] - edge and edge < at[1] < BOARD_CM[1] - edge
            free = all(np.hypot(at[0] - x, at[1] - y) > sizes.pin_cm + 0.15 for x, y, _ in places.values())
            if inside and free:
                break
        places[int(number)] = (float(at[0]), float(at[1]), float(rng.normal(0, 0.25)))
    return places


def _usual(rng: Rng, home: Floats) -> Floats:
    if rng.random() < 0.12:
        return np.array([rng.uniform(26, 80), rng.uniform(3, 46)])
    spread = rng.choice((1.5, 6.0, 14.0), p=(0.35, 0.4, 0.25))
    return np.asarray(home + rng.normal(0, spread, 2) + np.array([rng.normal(0, spread), 0]))


def _special(rng: Rng, where: str, bow_y_cm: float) -> Floats:
    """Stand a pin by a rail; or just behind the first line, where a steep shot can reach its far side."""
    if where == "line":
        across = 1.0 if bow_y_cm < BOARD_CM[1] / 2 else -1.0
        return np.array([FIRST_CM + rng.uniform(0.1, 0.9), BOARD_CM[1] / 2 + across * rng.uniform(8, 15.5)])
    from_rail = rng.uniform(1.8, 6)
    return np.array([rng.uniform(45, 110), from_rail if rng.random() < 0.5 else BOARD_CM[1] - from_rail])


def clipping(rng: Rng, sizes: Sizes, pin: tuple[float, float, float], bow_y_cm: float) -> Shot:
    """Pass a pin so steeply that the disc touches it from beyond: it falls back toward the thrower.

    Every other hit pushes a pin away from the thrower: without such shots none comes to lie short of the line.
    """
    turn = np.radians(rng.uniform(105, 135))
    normal = np.array([np.cos(turn), np.sin(turn) * np.sign(pin[1] - bow_y_cm)])
    touch = np.array(pin[:2]) - normal * (sizes.pin_cm + sizes.disc_cm) / 2
    way = touch - (14.0, bow_y_cm) + rng.normal(0, 0.2, 2)
    vx, vy = way / np.linalg.norm(way) * rng.uniform(210, 450)
    return Shot(
        from_cm=(14.0, bow_y_cm, 0.0),
        speed_cm_s=(float(vx), float(vy), 0.0),
        spin=float(rng.normal(0, 12)),
    )


def shot(rng: Rng, pins: Places, bow_y_cm: float, some_at: str = "") -> Shot:
    """Aim at a pin, or at a rail first, and shoot: slide or lob, soft to hard, with some spin."""
    start = np.array([14.0, bow_y_cm])
    aimed = int(rng.integers(3 if some_at == "rails" else len(pins)))
    target = np.array(list(pins.values())[aimed][:2])
    cushion = not some_at and rng.random() < 0.35
    if cushion:  # mirror the target in a rail, up to four times: that is where to aim
        times = int(rng.choice((1, 2, 3, 4), p=(0.55, 0.2, 0.15, 0.1)))
        up = rng.random() < 0.5
        target[1] = _unfolded(float(target[1]), times, bool(up))
    way = target - start + rng.normal(0, 1.2, 2)
    soft, middling, hard = rng.uniform(190, 290), rng.uniform(290, 480), rng.uniform(480, 750)
    shares = (0.0, 0.35, 0.65) if cushion else (0.25, 0.45, 0.3)
    speed = float(rng.choice((soft, middling, hard), p=shares))
    vx, vy = way / np.linalg.norm(way) * speed
    lob = rng.random() < 0.15 and not some_at
    return Shot(
        from_cm=(14.0, bow_y_cm, 1.0 if lob else 0.0),
        speed_cm_s=(float(vx), float(vy), float(rng.uniform(60, 190)) if lob else 0.0),
        spin=float(rng.normal(0, 12)),
    )


def zigzag(rng: Rng, pins: Places, bow_y_cm: float) -> Shot:
    """Shoot steeply at a rail, so that the disc goes from one to the other several times."""
    target = np.array(list(pins.values())[int(rng.integers(len(pins)))][:2])
    target[1] = _unfolded(float(target[1]), int(rng.integers(6, 9)), bool(rng.random() < 0.5))
    way = target - (14.0, bow_y_cm)
    vx, vy = way / np.linalg.norm(way) * rng.uniform(300, 520)
    return Shot(
        from_cm=(14.0, bow_y_cm, 0.0),
        speed_cm_s=(float(vx), float(vy), 0.0),
        spin=float(rng.normal(0, 12)),
    )


def _unfolded(y_cm: float, times: int, up: bool) -> float:
    """Give where a place y lies when the board is folded out over its rails `times` times, upward or downward."""
    wide = BOARD_CM[1]
    own = y_cm if times % 2 == 0 else wide - y_cm
    return own + (times * wide if up else -times * wide)


def camera(rng: Rng, view: str) -> Camera:
    """Draw a camera that sees the whole board."""
    size = ((1280, 720), (1280, 720), (1280, 960), (1024, 768), (1920, 1080))[
        int(rng.choice(5, p=(0.4, 0.25, 0.2, 0.1, 0.05)))
    ]
    long, wide = BOARD_CM
    eye = {
        "over": np.array([long / 2 + rng.normal(0, 12), wide / 2 + rng.normal(0, 8), rng.uniform(85, 150)]),
        "near": np.array([rng.uniform(-10, 35), wide / 2 + rng.normal(0, 10), rng.uniform(75, 125)]),
        "side": np.array([long / 2 + rng.normal(0, 20), rng.uniform(-75, -10), rng.uniform(60, 130)]),
    }[view]
    aim = np.array([long / 2 + rng.normal(0, 4), wide / 2 + rng.normal(0, 3), 0.0])
    up = (0.0, 1.0, 0.0)
    if view == "near" and rng.random() < 0.3:
        up = (1.0, 0.0, 0.0)
    pose = look_at(eye, aim, float(rng.normal(0, 3)), up)
    probe = Camera(size=size, f_px=1000.0, cx_px=(size[0] - 1) / 2, cy_px=(size[1] - 1) / 2, pose=pose)
    corners = np.array([(x, y, z) for x in (-6, long + 6) for y in (-3, wide + 3) for z in (0, 9)], float)
    return fitted(probe, corners, float(rng.uniform(0.78, 0.98)), float(rng.normal(-0.03, 0.05)))


def table_light(
    rng: Rng, middle: tuple[float, float, float], reach_cm: float
) -> tuple[tuple[Lamp, ...], Colour, Colour]:
    """Draw lamps over and beside a table of that middle and half length, and the light of the room."""
    warm = float(rng.uniform(-0.12, 0.2))
    tint = np.array([1 + warm, 1.0, 1 - warm])
    soft = float(rng.uniform(0.3, 1.1))
    lamps = []
    for _ in range(int(rng.integers(1, 4))):
        kind = str(rng.choice(("ceiling", "spot", "window"), p=(0.5, 0.25, 0.25)))
        far = {"ceiling": (120, 240), "spot": (90, 160), "window": (180, 350)}[kind]
        high = float(rng.uniform(*far))
        away = float(rng.uniform(0, 110) if kind != "window" else rng.uniform(200, 400))
        round_ = rng.uniform(0, 2 * np.pi)
        r, g, b = (float(v) for v in tint * rng.uniform(0.35, 0.9))
        lamps.append(
            Lamp(
                at=(middle[0] + away * float(np.cos(round_)), middle[1] + away * float(np.sin(round_)), high),
                toward=middle,
                colour=(r, g, b),
                radius=float(
                    {"ceiling": rng.uniform(5, 40), "spot": rng.uniform(1, 6), "window": rng.uniform(30, 70)}[kind]
                ),
                spread=float(np.degrees(np.arctan2(reach_cm, np.hypot(high, away)))) + 4,
            )
        )
    sky = tuple(float(v) for v in tint * soft * 0.5)
    ground = tuple(float(v) for v in tint * soft * rng.uniform(0.1, 0.25))
    return tuple(lamps), sky, ground  # type: ignore[return-value]


def sensor(rng: Rng) -> Sensor:
    """Draw what the camera does to the light."""
    return Sensor(
        exposure=float(np.exp(rng.normal(0.05, 0.25))),
        balance=(float(np.exp(rng.normal(0, 0.05))), 1.0, float(np.exp(rng.normal(0, 0.07)))),
        contrast=float(rng.uniform(0.9, 1.3)),
        saturation=float(rng.uniform(0.7, 1.2)),
        noise=float(rng.gamma(2.0, 1.2)),
        grain_px=float(rng.uniform(0.0, 1.1)),
        blur_px=float(min(rng.gamma(2.0, 0.35), 1.7)),
        sharpen=float(rng.choice((0.0, 0.0, 0.4, 0.8))),
        vignette=float(rng.uniform(0.0, 0.4)),
        jpeg=int(rng.integers(65, 97)),
    )
