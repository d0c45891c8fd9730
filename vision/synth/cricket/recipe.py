"""The one place where dartboard scenes vary: a seed in, a scene out.

What varies, and over what: board (bristle with round wire, blade wire, soft-tip with holes, toy boards in other
colours, wear, number styles, words, surrounds), darts (bodies, flights, colours, lean, droop, depth, spin,
clusters), room (wall, cabinet, lamp ring, clutter), light (one to four lamps from a point to a window, rings, side
light, colour), camera family (ring, front, phone, box), place, tilt, roll, focal length, distortion, and sensor.
"""

from collections.abc import Sequence

import numpy as np

from vision.darts.board import REGULATION, Rings
from vision.synth.cricket.look import BoardLook, CricketScene, Dart, DartLook, RoomLook
from vision.synth.scene import Camera, Colour, Floats, Lamp, Sensor, fitted, look_at
from vision.synth.textures import hsv

FAMILIES = ("ring", "front", "phone", "box")
FAMILY_SHARES = (0.4, 0.3, 0.2, 0.1)
EYE_Y_MM = (-800.0, 820.0)  # a camera stays under the ceiling, 890 mm above the bull, and over the furniture
BOARD_POOL = 400  # boards that sets share, so that a worker may keep some; scenes choose by seed

Rng = np.random.Generator


def scene(seed: int, darts: int | None = None, family: str | None = None) -> CricketScene:
    """Draw a scene from its seed; `darts` in the board (0 to 3 at random otherwise, sometimes more)."""
    rng = np.random.default_rng((seed, 101))
    family = family or str(rng.choice(FAMILIES, p=FAMILY_SHARES))
    board = board_look(int(rng.integers(0, BOARD_POOL)), family)
    count = int(rng.choice((0, 1, 2, 3, 5), p=(0.08, 0.22, 0.25, 0.42, 0.03))) if darts is None else darts
    lamps, sky, ground = light(rng, family, board)
    return CricketScene(
        board=board,
        darts=visit(rng, count, board),
        room=room_look(rng, family, board),
        camera=camera(rng, family, board),
        lamps=lamps,
        sky=sky,
        ground=ground,
        sensor=sensor(rng, family),
        family=family,
        seed=seed,
    )


def _near(rng: Rng, colour: Colour, spread: float = 0.05) -> Colour:
    r, g, b = (float(np.clip(c + rng.normal(0, spread), 0.01, 0.98)) for c in colour)
    return (r, g, b)


def board_look(number: int, family: str) -> BoardLook:
    """Give board `number` of the pool (of the kind its family's rooms have)."""
    rng = np.random.default_rng((number, 103, len(family)))
    kind = str(rng.choice(("bristle", "soft", "toy"), p=(0.74, 0.14, 0.12)))
    tired = float(rng.beta(1.2, 2.0))
    dark, light = _near(rng, (0.07, 0.07, 0.07), 0.02), _near(rng, (0.83, 0.77, 0.62), 0.06)
    dark_ring, light_ring = _near(rng, (0.66, 0.10, 0.11), 0.05), _near(rng, (0.05, 0.40, 0.20), 0.05)
    if kind == "soft":
        dark, light = _near(rng, (0.10, 0.10, 0.11), 0.03), _near(rng, (0.85, 0.84, 0.82), 0.05)
        if rng.random() < 0.5:
            dark_ring, light_ring = _near(rng, (0.75, 0.12, 0.2)), _near(rng, (0.12, 0.2, 0.65))
    if kind == "toy":
        light = hsv(float(rng.random()), float(rng.uniform(0.3, 1.0)), float(rng.uniform(0.7, 1.0)))
        dark = _near(rng, (0.05, 0.05, 0.05), 0.03) if rng.random() < 0.8 else hsv(float(rng.random()), 0.7, 0.3)
        if rng.random() < 0.4:
            dark_ring, light_ring = light, dark
        elif rng.random() < 0.5:
            dark_ring, light_ring = hsv(float(rng.random()), 0.8, 0.7), hsv(float(rng.random()), 0.8, 0.6)
    rings = REGULATION if kind != "toy" else _odd_rings(rng)
    style = str(rng.choice(("wire", "printed", "bold"), p=(0.5, 0.3, 0.2) if kind == "bristle" else (0, 0.5, 0.5)))
    wire = {
        "bristle": float(rng.choice((0.5, 0.8, 1.1, 1.6))),
        "soft": 2.2,
        "toy": float(rng.choice((0.0, 0.8, 1.4))),
    }[kind]
    grey = float(rng.uniform(0.45, 0.8))
    surround = float(rng.uniform(320, 370)) if family in ("ring", "front") and rng.random() < 0.6 else 0.0
    return BoardLook(
        dark=dark,
        light=light,
        dark_ring=dark_ring,
        light_ring=light_ring,
        inner_bull=dark_ring,
        outer_bull=light_ring,
        number_ring=_near(rng, (0.05, 0.05, 0.055), 0.02)
        if rng.random() < 0.85
        else hsv(float(rng.random()), 0.6, 0.5),
        number=_near(rng, (0.82, 0.82, 0.80), 0.06) if style == "wire" else _near(rng, (0.93, 0.93, 0.9), 0.04),
        number_style=style,
        number_mm=float(rng.uniform(19, 27)),
        wire_mm=wire,
        wire=(grey, grey, grey * 0.98) if kind == "bristle" else _near(rng, (0.08, 0.08, 0.08), 0.04),
        steel=kind == "bristle",
        soft_tip=kind == "soft",
        wear=tired if kind == "bristle" else tired * 0.3,
        radius_mm=float(rng.uniform(222, 229)) if kind != "toy" else float(rng.uniform(205, 228)),
        thick_mm=float(rng.uniform(30, 40)) if kind == "bristle" else float(rng.uniform(10, 30)),
        words=_words(rng),
        surround_mm=surround,
        surround=_near(rng, (0.04, 0.04, 0.045), 0.02)
        if rng.random() < 0.6
        else hsv(float(rng.random()), float(rng.uniform(0, 0.9)), float(rng.uniform(0.3, 0.95))),
        seed=number,
        rings=rings,
    )


def _odd_rings(rng: Rng) -> Rings:
    double = float(rng.uniform(150, 174))
    treble = float(rng.uniform(0.58, 0.66)) * double
    wide = float(rng.uniform(7, 12))
    return Rings(
        bull=float(rng.uniform(5.5, 9)),
        outer_bull=float(rng.uniform(14.5, 19)),
        treble_inner=treble - wide,
        treble_outer=treble,
        double_inner=double - wide,
        double_outer=double,
    )


_SYLLABLES = ("TAL", "LY", "OAK", "POINT", "BRIS", "TLE", "NOR", "DIC", "ARC", "VEX", "PRO", "CUP", "FEN", "GATE")


def _words(rng: Rng) -> tuple[str, ...]:
    count = int(rng.integers(0, 4))
    return tuple("".join(rng.choice(_SYLLABLES, 2 if rng.random() < 0.7 else 3)) for _ in range(count))


def dart_look(rng: Rng, soft: bool = False) -> DartLook:
    """Draw a dart's body."""
    tones = ((0.75, 0.74, 0.72), (0.35, 0.34, 0.33), (0.10, 0.10, 0.10), (0.72, 0.58, 0.28), (0.55, 0.20, 0.15))
    r, g, b = rng.random(3)
    shaft: Colour = (float(r), float(g), float(b))
    if rng.random() < 0.6:
        shaft = _near(rng, ((0.05, 0.05, 0.05), (0.85, 0.85, 0.85))[int(rng.integers(2))])
    dark = rng.random() < 0.25
    return DartLook(
        tip_mm=float(rng.uniform(20, 26) if soft else rng.uniform(28, 40)),
        barrel_mm=float(rng.uniform(40, 55)),
        barrel_r_mm=float(rng.uniform(2.9, 4.0)),
        shaft_mm=float(rng.uniform(30, 52)),
        shaft_r_mm=float(rng.uniform(2.2, 3.2)),
        flight_mm=float(rng.uniform(36, 46)),
        flight_w_mm=float(rng.uniform(34, 46)),
        flight_shape=str(rng.choice(("standard", "standard", "slim", "kite", "pear"))),
        tip=(0.6, 0.6, 0.6)
        if not soft
        else _near(rng, (0.1, 0.1, 0.1), 0.05)
        if rng.random() < 0.6
        else (0.9, 0.9, 0.88),
        barrel=_near(rng, tones[int(rng.integers(len(tones)))], 0.04),
        barrel_metal=float(rng.choice((0.9, 0.9, 0.3))),
        shaft=shaft,
        flight=_near(rng, (0.05, 0.05, 0.06), 0.03)
        if dark
        else hsv(float(rng.random()), float(rng.choice((0.0, 0.7, 0.95))), float(rng.uniform(0.35, 0.95))),
        flight_mark=hsv(float(rng.random()), float(rng.uniform(0, 1)), float(rng.uniform(0.1, 1.0))),
        pattern=int(rng.integers(0, 30)),
        soft_tip=soft,
        seed=int(rng.integers(0, 10**6)),
    )


def place(rng: Rng, look: DartLook, tip_mm: tuple[float, float], soft: bool = False) -> Dart:
    """Let a dart stand in the board at a point, as darts do: flight a little above or below, seldom far off."""
    wild = rng.random() < 0.08
    up = float(rng.normal(0.10, 0.12 if not wild else 0.3))
    across = float(rng.normal(0.0, 0.09 if not wild else 0.22))
    deep = float(rng.uniform(5, 9) if soft else rng.uniform(5, 16))
    return Dart(
        look=look, tip_mm=tip_mm, lean=(across, up), deep_mm=deep, spin_rad=float(rng.uniform(0, np.pi / 2))
    )


def tip(rng: Rng, board: BoardLook) -> tuple[float, float]:
    """Draw where a dart lands (mm): around a field aimed at, as people throw; one in six anywhere.

    One in six is spread evenly over the narrow rings, so that every field of the board is hit in a small set.
    """
    if rng.random() < 0.33:
        radius = _anywhere(board, float(rng.random()))
        angle = rng.uniform(0, 2 * np.pi)
        return (float(radius * np.sin(angle)), float(radius * np.cos(angle)))
    rings = board.rings
    aims = (
        0.0,
        (rings.treble_inner + rings.treble_outer) / 2,
        (rings.double_inner + rings.double_outer) / 2,
        130.0,
        60.0,
    )
    radius = aims[int(rng.choice(5, p=(0.14, 0.34, 0.22, 0.18, 0.12)))]
    angle = int(rng.integers(0, 20)) * np.pi / 10
    spread = float(rng.choice((7.0, 16.0, 30.0)))
    at = np.array([np.sin(angle), np.cos(angle)]) * radius + rng.standard_normal(2) * spread
    far = float(np.hypot(*at))
    at *= min(1.0, board.radius_mm * 0.97 / max(far, 1e-6))
    return (float(at[0]), float(at[1]))


def _anywhere(board: BoardLook, share: float) -> float:
    """Give a radius (mm) for a share 0…1: its lower half over the board's area, its upper half over the rings."""
    if share < 0.45:
        return board.radius_mm * 0.97 * float(np.sqrt(share / 0.45))
    rings = board.rings
    bands = (
        (0.45, 0.48, 0.0, rings.bull),
        (0.48, 0.51, rings.bull, rings.outer_bull),
        (0.51, 0.72, rings.treble_inner, rings.treble_outer),
        (0.72, 1.0, rings.double_inner, rings.double_outer),
    )
    low, high, inner, outer = next(band for band in bands if share < band[1])
    return inner + (outer - inner) * (share - low) / (high - low)


def visit(rng: Rng, count: int, board: BoardLook) -> tuple[Dart, ...]:
    """Draw the darts of a visit: mostly one set, often close together, never through one another."""
    soft = board.soft_tip
    look = dart_look(rng, soft)
    cluster = rng.random() < 0.3
    darts: list[Dart] = []
    while len(darts) < count:
        own = look if rng.random() < 0.75 else dart_look(rng, soft)
        at = tip(rng, board)
        if cluster and darts:
            near = rng.normal(0, 9, 2)
            at = (darts[0].tip_mm[0] + float(near[0]), darts[0].tip_mm[1] + float(near[1]))
        dart = place(rng, own, at, soft)
        if all(clear(dart, other) for other in darts):
            darts.append(dart)
    return tuple(darts)


def clear(dart: Dart, other: Dart) -> bool:
    """Whether two darts' bodies pass one another (flights may brush)."""
    a, b = _ends(dart), _ends(other)
    steps = np.linspace(0, 1, 24)[:, None]
    first, second = a[0] + steps * (a[1] - a[0]), b[0] + steps * (b[1] - b[0])
    gap = np.linalg.norm(first[:, None] - second[None], axis=2).min()
    return bool(gap > dart.look.barrel_r_mm + other.look.barrel_r_mm - 0.5)


def _ends(dart: Dart) -> tuple[Floats, Floats]:
    axis = np.array([*dart.lean, 1.0])
    axis /= np.linalg.norm(axis)
    start = np.array([*dart.tip_mm, 0.0])
    return start, start + axis * (dart.look.length_mm - dart.deep_mm - dart.look.flight_mm * 0.6)


def room_look(rng: Rng, family: str, board: BoardLook) -> RoomLook:
    """Draw what is around."""
    return RoomLook(
        wall=hsv(float(rng.random()), float(rng.beta(1, 4)), float(rng.uniform(0.25, 0.95))),
        wall_kind=str(rng.choice(("plaster", "wood", "cloth"), p=(0.7, 0.15, 0.15))),
        floor=hsv(0.08, float(rng.uniform(0.2, 0.6)), float(rng.uniform(0.2, 0.6))),
        cabinet=family in ("front", "phone") and not board.surround_mm and rng.random() < 0.2,
        frame=bool(board.surround_mm) and rng.random() < 0.5,
        clutter=int(rng.integers(0, 5)),
        seed=int(rng.integers(0, 10**6)),
    )


def camera(rng: Rng, family: str, board: BoardLook) -> Camera:
    """Draw a camera of a family; always one that sees the whole double ring, or nearly."""
    size = {
        "ring": ((1280, 720), (800, 600), (640, 480), (1024, 768), (1280, 720)),
        "front": ((1280, 720), (1280, 720), (1024, 768), (960, 720)),
        "phone": ((960, 1280), (720, 1280), (1280, 720), (1280, 960)),
        "box": ((500, 500), (640, 480), (800, 600)),
    }[family]
    wide = size[int(rng.integers(len(size)))]
    if family == "ring":
        round_ = rng.uniform(0, 2 * np.pi)
        out, high = _off_the_lamps(float(rng.uniform(270, 400)), float(rng.uniform(170, 420)), board)
        aim = rng.normal(0, 25, 2)
    elif family == "front":
        round_ = rng.uniform(0, 2 * np.pi)
        out, high = rng.uniform(0, 330), rng.uniform(450, 900)
        aim = rng.normal(0, 20, 2)
    elif family == "phone":
        round_ = rng.choice((np.pi / 2, -np.pi / 2)) + rng.normal(0, 0.5)
        out, high = rng.uniform(150, 1300), rng.uniform(900, 2100)
        aim = rng.normal(0, 60, 2)
    else:
        round_ = rng.uniform(0, 2 * np.pi)
        out, high = rng.uniform(0, 150), rng.uniform(450, 650)
        aim = rng.normal(0, 10, 2)
    eye = np.array([np.sin(round_) * out, np.clip(np.cos(round_) * out, *EYE_Y_MM), high])
    roll = rng.normal(0, 4) if family != "ring" else rng.normal(0, 3)
    up = (0.0, 1.0, 0.0)
    if family == "ring":  # the camera's down is the board's near side, wherever it hangs
        up = (float(-np.sin(round_)), float(-np.cos(round_)), 0.0)
        if rng.random() < 0.25:
            up = (0.0, 1.0, 0.0)
    pose = look_at(eye, np.array([*aim, 0.0]), float(roll), up)
    k1 = float(rng.uniform(-0.28, -0.02)) if family == "ring" else float(rng.normal(-0.03, 0.04))
    probe = Camera(size=wide, f_px=1000.0, cx_px=(wide[0] - 1) / 2, cy_px=(wide[1] - 1) / 2, k1=0.0, pose=pose)
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    radius = board.rings.double_outer * 1.15
    rim = np.stack([np.sin(angle) * radius, np.cos(angle) * radius, 0 * angle], 1)
    k2 = float(rng.uniform(0.0, 0.03)) if family == "ring" else 0.0
    return fitted(probe, rim, float(rng.uniform(0.72, 1.03)), k1, k2)


def _off_the_lamps(out: float, high: float, board: BoardLook) -> tuple[float, float]:
    """Raise a camera that would sit in the ring of lamps, which some rooms have."""
    ring, z = lamp_ring_mm(board)
    return out, z + 55.0 if abs(out - ring) < 40 and abs(high - z) < 55 else high


def lamp_ring_mm(board: BoardLook) -> tuple[float, float]:
    """Give radius and height over the board's face of a ring of lamps about it."""
    return max(board.surround_mm, board.radius_mm) + 70.0, 190.0


def light(rng: Rng, family: str, board: BoardLook) -> tuple[tuple[Lamp, ...], Colour, Colour]:
    """Draw the lamps and the light of the room."""
    warm = float(rng.uniform(-0.12, 0.18))
    tint = np.array([1 + warm, 1.0, 1 - warm])
    kind = str(rng.choice(("ceiling", "ring", "window", "spot", "two"), p=(0.25, 0.3, 0.15, 0.15, 0.15)))
    soft = float(rng.uniform(0.15, 0.7))
    lamps: list[Lamp] = []
    if kind == "ring" or family == "box":
        radius, z = max(board.surround_mm, 300.0) + 60, float(rng.uniform(120, 300))
        start = rng.uniform(0, 2 * np.pi)
        for k in range(4):
            a = start + k * np.pi / 2
            lamps.append(
                _lamp(
                    (np.sin(a) * radius, np.cos(a) * radius, z),
                    tint * rng.uniform(0.2, 0.3),
                    rng.uniform(60, 160),
                    70,
                )
            )
    elif kind == "ceiling":
        at = (rng.uniform(-700, 700), rng.uniform(500, 880), rng.uniform(500, 1800))
        lamps.append(_lamp(at, tint * rng.uniform(0.7, 1.2), rng.uniform(30, 250)))
    elif kind == "window":
        at = (rng.choice((-1, 1)) * 2000, rng.uniform(-200, 500), rng.uniform(900, 3000))
        lamps.append(_lamp(at, tint[::-1] * rng.uniform(0.7, 1.3), rng.uniform(300, 600), 25))
    elif kind == "spot":
        at = (rng.uniform(-300, 300), rng.uniform(300, 800), rng.uniform(500, 900))
        lamps.append(_lamp(at, tint * rng.uniform(0.9, 1.5), rng.uniform(8, 40)))
        soft *= 0.6
    else:
        for side in (-1, 1):
            at = (side * rng.uniform(300, 900), rng.uniform(0, 700), rng.uniform(300, 1200))
            lamps.append(_lamp(at, tint * rng.uniform(0.3, 0.8), rng.uniform(20, 150)))
    sky = tuple(float(v) for v in tint * soft * 0.5)
    ground = tuple(float(v) for v in tint * soft * rng.uniform(0.2, 0.45))
    return tuple(lamps), sky, ground  # type: ignore[return-value]


def _lamp(at: Sequence[float], colour: Floats, radius: float, spread: float = 45.0) -> Lamp:
    x, y, z = (float(v) for v in at)
    far = float(np.hypot(np.hypot(x, y), z))
    needed = np.degrees(np.arctan2(330.0, far)) + 8.0
    r, g, b = (float(v) for v in colour)
    return Lamp(
        at=(x, y, z),
        toward=(0.0, 0.0, 0.0),
        colour=(r, g, b),
        radius=float(radius),
        spread=float(min(spread, max(needed, 12.0)) if far > 500 else min(75.0, max(needed, 60.0))),
    )


def sensor(rng: Rng, family: str) -> Sensor:
    """Draw what the camera does to the light."""
    poor = 1.0 if family in ("ring", "box") else 0.6
    return Sensor(
        exposure=float(np.exp(rng.normal(0.15, 0.28))),
        balance=(float(np.exp(rng.normal(0, 0.07))), 1.0, float(np.exp(rng.normal(0, 0.09)))),
        contrast=float(rng.uniform(0.9, 1.35)),
        saturation=float(rng.uniform(0.7, 1.25)),
        noise=float(rng.gamma(2.0, 1.6) * poor),
        grain_px=float(rng.uniform(0.0, 1.2)),
        blur_px=float(min(rng.gamma(2.0, 0.45), 2.4)),
        sharpen=float(rng.choice((0.0, 0.0, 0.4, 0.9))),
        vignette=float(rng.uniform(0.0, 0.5)),
        jpeg=int(rng.integers(55, 97)),
    )
