"""The things of a dartboard scene as meshes: board, surround, darts, room."""

from functools import lru_cache

import cv2
import numpy as np

from vision.synth import meshes, textures
from vision.synth.cricket.face import WIRE_LEVEL, face
from vision.synth.cricket.look import BoardLook, CricketScene, Dart, DartLook, RoomLook
from vision.synth.cricket.recipe import lamp_ring_mm
from vision.synth.scene import Floats, Item, Material, Mesh, Scene, Texture, pose_at, turn_z_to

HIDDEN_SHARE = 0.6  # of a board's radius: half the side of a square of wall behind it that nobody sees


def build(look: CricketScene, extra: tuple[Item, ...] = ()) -> Scene:
    """Put a scene together."""
    items = list(board_items(look.board)) + list(room_items(look.room, look.board))
    for i, dart in enumerate(look.darts):
        items += dart_items(dart, f"dart{i}")
    return Scene(
        items=tuple(items) + extra,
        lamps=look.lamps,
        camera=look.camera,
        sensor=look.sensor,
        sky=look.sky,
        ground=look.ground,
        screens=((0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 1.0, back(look.board))),
        unit_m=0.001,
    )


@lru_cache(maxsize=12)
def board_items(look: BoardLook) -> tuple[Item, ...]:
    """Give the board (face in the plane z = 0) and its surround."""
    half = look.radius_mm + 2
    steps = np.linspace(0, look.radius_mm, 5)
    flat = meshes.lathe([(r, 0.0) for r in steps[::-1]], 96)
    uv = np.stack([0.5 + flat.points[:, 0] / (2 * half), 0.5 - flat.points[:, 1] / (2 * half)], 1)
    top = meshes.mesh(flat.points, np.tile((0.0, 0, 1), (len(flat.points), 1)), uv, flat.triangles)
    skin = Material(
        texture=face(look),
        colour=(1, 1, 1),
        roughness=0.45 if look.soft_tip else 0.85,
        gloss=0.04 if look.soft_tip else 0.015,
        relief=1.2 if look.soft_tip else 0.8,
        wire_level=WIRE_LEVEL if look.steel else 1.2,
    )
    rim = meshes.lathe([(look.radius_mm, -look.thick_mm), (look.radius_mm, 0.0)], 96)
    side = Material(colour=(0.05, 0.05, 0.055), roughness=0.6)
    items = [Item(mesh=top, material=skin, key="board"), Item(mesh=rim, material=side, key="board")]
    if look.surround_mm:
        items.append(_surround(look))
    return tuple(items)


def _surround(look: BoardLook) -> Item:
    r0, r1 = look.radius_mm + 1.5, look.surround_mm
    body = meshes.lathe(
        [(r1, -look.thick_mm), (r1, -9.0), (r1 - 6, -4.0), (r0 + 5, -4.0), (r0, -9.0), (r0, -look.thick_mm)], 96
    )
    skin = Material(texture=_surround_print(look), colour=(1, 1, 1), roughness=0.7)
    return Item(mesh=body, material=skin, key="surround")


def _surround_print(look: BoardLook) -> Texture:
    """Foam with words along it; u around, v from outside in."""
    rng = np.random.default_rng((look.seed, 5))
    wide, tall = 2048, 256
    art = np.empty((tall, wide, 3), np.uint8)
    art[:] = [int(255 * c) for c in look.surround]
    ink = (235, 235, 235) if sum(look.surround) < 1.5 else (25, 25, 25)
    for word in look.words:
        scale = rng.uniform(1.2, 2.6)
        at = (int(rng.uniform(0, wide * 0.8)), int(tall * 0.58 + 10 * scale))
        cv2.putText(art, word, at, cv2.FONT_HERSHEY_DUPLEX, scale, ink, max(2, int(2 * scale)), cv2.LINE_AA)
    art = np.ascontiguousarray(art[:, ::-1])
    noise = textures.grain(512, 2.0, look.seed % 13)
    shade = cv2.convertScaleAbs(1 + 0.05 * np.tile(noise[:tall], (1, 4)), alpha=128)
    rgb = cv2.multiply(art, cv2.merge([shade] * 3), scale=1 / 128)
    return Texture(np.dstack([rgb, np.full((tall, wide), 128, np.uint8)]), tiles=True)


def axis_of(dart: Dart) -> Floats:
    """Give the unit vector from tip to flight, world frame."""
    axis = np.array([dart.lean[0], dart.lean[1], 1.0])
    return np.asarray(axis / np.linalg.norm(axis))


def along(dart: Dart, mm: float) -> Floats:
    """Point (3,) of the axis `mm` from where it meets the board (toward the flight)."""
    return np.array([*dart.tip_mm, 0.0]) + axis_of(dart) * mm


def flight_end(dart: Dart) -> Floats:
    """World point (3,) of the end of the flight."""
    return along(dart, dart.look.length_mm - dart.deep_mm)


def dart_items(dart: Dart, key: str) -> list[Item]:
    """Give a dart's parts, placed."""
    pose = pose_at(along(dart, -dart.deep_mm), turn_z_to(axis_of(dart), dart.spin_rad))
    return [Item(mesh=body, material=skin, pose=pose, key=key) for body, skin in dart_parts(dart.look)]


@lru_cache(maxsize=64)
def dart_parts(look: DartLook) -> tuple[tuple[Mesh, Material], ...]:
    """Give a dart's meshes along +z, point at the origin."""
    t, b = look.tip_mm, look.tip_mm + look.barrel_mm
    s = b + look.shaft_mm
    r = 1.2 if look.soft_tip else 1.1
    point = meshes.lathe([(0.05, 0), (r * 0.45, 1.5), (r, 5.0), (r, t - 2), (r * 1.5, t)], 12)
    rb, rs = look.barrel_r_mm, look.shaft_r_mm
    rng = np.random.default_rng((look.seed, 1))
    belly = rng.uniform(0.0, 0.25)
    swell = [(f, 0.8 + 0.2 * np.sin(np.pi * min(1.0, f * 1.5 + 0.2))) for f in np.linspace(0, 1, 9)]
    body = [(rb * (k + belly * np.sin(np.pi * f) * 0.5), t + f * look.barrel_mm) for f, k in swell]
    line = [(r * 1.3, t), *body, (rs * 0.9, b + 0.5)]
    barrel = meshes.lathe(line, 20)
    shaft = meshes.lathe([(rs, b), (rs * 0.75, b + 3), (rs * 0.75, s - 4), (rs * 1.1, s), (0.3, s + 2)], 12)
    fins = _fins(look, s - look.flight_mm * 0.12)
    return (
        (point, Material(colour=look.tip, metal=0.0 if look.soft_tip else 0.9, roughness=0.35)),
        (
            barrel,
            Material(
                colour=look.barrel,
                texture=_knurl(look.pattern),
                metal=look.barrel_metal,
                roughness=0.35,
                relief=0.5,
            ),
        ),
        (shaft, Material(colour=look.shaft, roughness=0.35, gloss=0.05)),
        (fins, Material(colour=(1, 1, 1), texture=_print(look), roughness=0.4, gloss=0.05)),
    )


_OUTLINES = {
    # (along, out) as shares of length and half width
    "standard": ((0, 0.08), (0.28, 1.0), (0.85, 1.0), (1.0, 0.8), (1.0, 0.0)),
    "slim": ((0, 0.08), (0.3, 0.62), (0.9, 0.66), (1.0, 0.4), (1.0, 0.0)),
    "kite": ((0, 0.08), (0.45, 1.0), (0.75, 0.9), (1.0, 0.1), (1.0, 0.0)),
    "pear": ((0, 0.08), (0.3, 0.55), (0.6, 0.95), (0.85, 0.95), (1.0, 0.5), (1.0, 0.0)),
}


def _fins(look: DartLook, base: float) -> Mesh:
    outline = np.array(_OUTLINES[look.flight_shape])
    length, half = look.flight_mm * 1.12, look.flight_w_mm / 2
    parts = []
    for k in range(4):
        angle = k * np.pi / 2
        way = np.array([np.cos(angle), np.sin(angle), 0])
        rim = (outline[:, :1] * length + base) * np.array([0, 0, 1.0]) + outline[:, 1:] * half * way
        points = np.vstack([[(0, 0, base)], rim])
        uv = np.vstack([[(0, 0)], outline])
        triangles = [(0, i, i + 1) for i in range(1, len(points) - 1)]
        normal = np.cross(way, (0, 0, 1.0))
        parts.append(meshes.mesh(points, np.tile(normal, (len(points), 1)), uv, triangles))
    return meshes.join(parts)


@lru_cache(maxsize=8)
def _knurl(pattern: int) -> Texture:
    v, u = np.mgrid[:128, :32].astype(np.float32)
    rings = np.sin(v / 128 * 2 * np.pi * (14 + 4 * (pattern % 3)))
    cross = np.sin(u / 32 * 2 * np.pi * 4 + v) * np.sin(u / 32 * 2 * np.pi * 4 - v)
    height = 0.5 + 0.35 * (rings if pattern % 2 else cross) * (np.abs(v / 128 - 0.5) < 0.42)
    tone = 255 * (0.75 + 0.35 * (height - 0.5))
    rgba = np.dstack([tone, tone, tone, height * 255])
    return Texture(np.clip(rgba, 0, 255).astype(np.uint8), tiles=True)


@lru_cache(maxsize=64)
def _print(look: DartLook) -> Texture:
    """Print a flight: plain, two colours, stripes, a device."""
    art = np.empty((128, 128, 3), np.uint8)
    art[:] = [int(255 * c) for c in look.flight]
    mark = tuple(int(255 * c) for c in look.flight_mark)
    match look.pattern % 5:
        case 1:
            art[:, 64:] = mark
        case 2:
            for x in range(16, 128, 32):
                art[:, x : x + 12] = mark
        case 3:
            cv2.circle(art, (74, 60), 28, mark, -1, cv2.LINE_AA)
            cv2.circle(art, (74, 60), 14, tuple(int(255 * c) for c in look.flight), -1, cv2.LINE_AA)
        case 4:
            cv2.putText(art, "TC", (30, 90), cv2.FONT_HERSHEY_DUPLEX, 2.2, mark, 6, cv2.LINE_AA)
    return textures.picture(np.ascontiguousarray(art.transpose(1, 0, 2)))


@lru_cache(maxsize=12)
def room_items(look: RoomLook, board: BoardLook) -> tuple[Item, ...]:
    """Give walls, floor and what stands about; the wall is behind the board."""
    behind = back(board)
    half = HIDDEN_SHARE * board.radius_mm
    hidden = (-half, -half, half, half)
    wall = _wall(look)
    rough = Material(texture=wall, colour=(1, 1, 1), roughness=0.8, relief=1.5)
    floor = Material(texture=textures.wood(look.floor, look.seed % 17), colour=(1, 1, 1), roughness=0.5)
    ceiling = Material(colour=(0.85, 0.85, 0.83), roughness=0.9)
    far = Material(colour=tuple(0.8 * c + 0.1 for c in look.wall), roughness=0.9)  # type: ignore[arg-type]
    items = [
        Item(mesh=meshes.plate((-2600, -1750), (2600, 900), behind, 4.0, hidden), material=rough, shadow=False),
        Item(mesh=_level(-1740, 4500), material=floor, shadow=False),
        Item(mesh=_level(890, 4500), material=ceiling, shadow=False),
        Item(mesh=meshes.box((-2700, -1750, 4400), (2700, 900, 4500)), material=far, shadow=False),
        Item(mesh=meshes.box((-2700, -1750, behind), (-2600, 900, 4500)), material=far, shadow=False),
        Item(mesh=meshes.box((2600, -1750, behind), (2700, 900, 4500)), material=far, shadow=False),
    ]
    items += _clutter(look, behind, _room_mm(look, board))
    if look.cabinet:
        items += _doors(look, board, behind)
    if look.frame:
        items += _lamp_ring(board)
    return tuple(items)


def back(board: BoardLook) -> float:
    """Give the z (mm) of the wall."""
    return -board.thick_mm - 2.0


def _wall(look: RoomLook) -> Texture:
    kind = {"wood": textures.wood, "cloth": textures.cloth}.get(look.wall_kind, textures.plaster)
    return kind(look.wall, look.seed % 23)


def _level(y: float, depth: float) -> Mesh:
    body = meshes.plate((-2600, -depth), (2600, 100), 0.0, 3.0)
    turn = pose_at((0, y, 0), np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]))
    return meshes.moved(body, turn)


def _room_mm(look: RoomLook, board: BoardLook) -> float:
    """Give how far from the bull the wall is taken: by the board, its surround, its open doors."""
    half = max(board.surround_mm, board.radius_mm) + 25.0
    return 2 * half + 40.0 if look.cabinet else half


def _clutter(look: RoomLook, back: float, taken_mm: float) -> list[Item]:
    """Pictures and shelves on the wall beside what hangs there, furniture and windows in the room."""
    rng = np.random.default_rng((look.seed, 7))
    items = []
    for _ in range(look.clutter):
        side = rng.choice([-1, 1])
        wide, tall = rng.uniform(80, 500, 2)
        x, y = side * max(rng.uniform(520, 1500), taken_mm + wide / 2), rng.uniform(-700, 500)
        tone = textures.hsv(rng.random(), rng.uniform(0, 0.6), rng.uniform(0.1, 0.9))
        deep = rng.choice([12, 20, 120])
        skin = Material(colour=tone, roughness=rng.uniform(0.3, 0.9))
        items.append(
            Item(
                mesh=meshes.box((x - wide / 2, y - tall / 2, back), (x + wide / 2, y + tall / 2, back + deep)),
                material=skin,
            )
        )
    for _ in range(look.clutter * 2):
        size = rng.uniform(150, 900, 3)
        at = np.array([rng.uniform(-2300, 2300), -1740 + size[1] / 2, rng.uniform(1500, 4200)])
        tone = textures.hsv(rng.random(), rng.uniform(0, 0.5), rng.uniform(0.08, 0.7))
        items.append(
            Item(
                mesh=meshes.box(at - size / 2, at + size / 2),
                material=Material(colour=tone, roughness=0.7),
                shadow=False,
            )
        )
    if rng.random() < 0.6:
        x = rng.uniform(-1800, 1200)
        pane = Material(colour=(0.9, 0.95, 1.0), glow=rng.uniform(0.8, 3.0))
        items.append(Item(mesh=meshes.box((x, -600, 4380), (x + 1000, 600, 4400)), material=pane, shadow=False))
    return items


def _doors(look: RoomLook, board: BoardLook, back: float) -> list[Item]:
    tone = textures.hsv(0.08, 0.5, 0.18 + 0.3 * ((look.seed // 7) % 10) / 10)
    skin = Material(texture=textures.wood(tone, look.seed % 19), colour=(1, 1, 1), roughness=0.45)
    half = max(board.surround_mm, board.radius_mm) + 25
    items = [
        Item(mesh=meshes.box((-half - 12, -half - 12, back), (half + 12, half + 12, back + 8)), material=skin)
    ]
    for side in (-1, 1):
        door = meshes.box((0, -half, 0), (half, half, 14))
        turn = np.radians(15 + (look.seed // 3) % 30) * side
        c, s = np.cos(turn), np.sin(turn)
        mirror = (
            meshes.moved(door, pose_at((0, 0, 0))) if side > 0 else meshes.box((-half, -half, 0), (0, half, 14))
        )
        place = pose_at((side * (half + 12), 0, back), np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]))
        items.append(Item(mesh=mirror, material=skin, pose=place))
    return items


def _lamp_ring(board: BoardLook) -> list[Item]:
    """Give the ring of light before the board and its struts."""
    radius, z = lamp_ring_mm(board)
    dark = Material(colour=(0.04, 0.04, 0.045), roughness=0.5)
    shell = meshes.lathe([(radius, z - 25), (radius + 14, z - 25), (radius + 14, z + 25), (radius, z + 25)], 96)
    band = meshes.lathe([(radius - 0.5, z - 22), (radius - 0.5, z + 22)], 96)
    light = Material(colour=(1.0, 0.98, 0.92), glow=2.5)
    items = [Item(mesh=shell, material=dark, shadow=False), Item(mesh=band, material=light, shadow=False)]
    for k in range(4):
        angle = np.pi / 4 + k * np.pi / 2
        way = np.array([np.cos(angle), np.sin(angle), 0])
        strut = meshes.bar(way * (radius + 8) + (0, 0, z), way * (board.radius_mm + 20) + (0, 0, -20), 7)
        items.append(Item(mesh=strut, material=dark, shadow=False))
    return items
