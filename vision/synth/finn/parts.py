"""Board, rails, crossbow, pins and disc as meshes, in cm."""

from functools import lru_cache

import cv2
import numpy as np

from vision.synth import meshes, textures
from vision.synth.feet import standing_by
from vision.synth.finn.look import BOARD_CM, FinnLook, FinnScene, Layout, Piece, Sizes
from vision.synth.finn.physics import pin_corners
from vision.synth.finn.states import rotation
from vision.synth.scene import Bytes, Colour, Floats, Item, Material, Mesh, Scene, Texture, pose_at

BYSTANDERS = 0.2
TABLE_LEGS_CM = 20.0  # boards higher than this over the floor stand on a table
EDGE_SHARE = 0.78  # of the room that things leave free about a board: about where its rails end
ROUND = 40  # sides of a drawn pin
ZONE_LINES_CM = (25.0, 55.0, 80.0, 105.0)


def build(look: FinnScene, layout: Layout, extra: tuple[Item, ...] = ()) -> Scene:
    """Put a scene together."""
    items = [*table_items(look.look), *bow_items(look.look, round(look.bow_y_cm, 2))]
    for number, piece in layout.pins:
        pose = pose_at(piece.at_cm, rotation(piece))
        items += [Item(mesh=m, material=s, pose=pose, key=f"pin{number}") for m, s in pin_parts(look.look, number)]
    if layout.disc is not None:
        pose = pose_at(layout.disc.at_cm, rotation(layout.disc))
        items += [Item(mesh=m, material=s, pose=pose, key="disc") for m, s in disc_parts(look.look)]
    return Scene(
        items=(*items, *extra),
        lamps=look.lamps,
        camera=look.camera,
        sensor=look.sensor,
        sky=look.sky,
        ground=look.ground,
        up=(0.0, 0.0, 1.0),
        screens=((0.0, 0.0, 1.0, -look.look.sizes.legs_cm),),
    )


@lru_cache(maxsize=8)
def table_items(look: FinnLook) -> tuple[Item, ...]:
    """Give floor, board with its lines, rails and what lies about."""
    sizes = look.sizes
    long, wide = BOARD_CM
    floor = ground(look.floor_kind, look.floor, look.seed % 13)
    board = Material(texture=_board_print(look), colour=(1, 1, 1), roughness=0.45, gloss=0.03, relief=0.01)
    side = surface("wood", look.rail, look.seed % 11, 0.5)
    under = (1.0, 1.0, long - 1.0, wide - 1.0)
    items = [
        Item(
            mesh=meshes.plate((-800, -800), (900, 850), -sizes.legs_cm, 17.0, under), material=floor, shadow=False
        ),
        walls(look.floor, -sizes.legs_cm),
        Item(mesh=meshes.plate((0, 0), (long, wide), 0.0), material=board, key="board"),
        Item(mesh=meshes.box((0, 0, -sizes.legs_cm), (long, wide, 0.0), False, False), material=side, key="board"),
    ]
    rail = meshes.box((0, 0, 0), (long, sizes.rail_cm, sizes.rail_high_cm + sizes.legs_cm), bottom=False)
    sides = (pose_at((0, y, -sizes.legs_cm)) for y in (-sizes.rail_cm, wide))
    rails = (Item(mesh=rail, material=side, pose=pose, key="rail") for pose in sides)
    return (*items, *rails, *clutter(look.seed, look.clutter, (long / 2, wide / 2), (70.0, 45.0), -sizes.legs_cm))


def surface(kind: str, colour: Colour, seed: int, roughness: float) -> Material:
    """Give wood, cloth or plain paint of a colour."""
    if kind == "plain":
        return Material(colour=colour, roughness=roughness)
    make = {"wood": textures.wood, "cloth": textures.cloth}[kind]
    return Material(texture=make(colour, seed), colour=(1, 1, 1), roughness=roughness, relief=0.03)


def ground(kind: str, colour: Colour, seed: int) -> Material:
    """Give what a board stands on: boards of a wood's colour, cloth, or paint."""
    if kind != "wood":
        return surface(kind, colour, seed, 0.75)
    bright = max(colour)
    wooden = (bright, bright * (0.72 + 0.02 * (seed % 7)), bright * (0.45 + 0.05 * (seed % 7)))
    return Material(texture=textures.planks(wooden, seed), colour=(1, 1, 1), roughness=0.55, relief=0.03)


def walls(floor: Colour, floor_cm: float) -> Item:
    """Give the walls of the room, far behind what a camera over a table sees but for its corners."""
    pale = tuple(0.5 + 0.35 * c for c in floor)
    body = meshes.box((-790, -790, floor_cm - 1), (890, 840, floor_cm + 600), lid=False, bottom=False)
    return Item(mesh=body, material=Material(colour=pale, roughness=0.9), shadow=False)  # type: ignore[arg-type]


def _board_print(look: FinnLook) -> Texture:
    """Draw the board's face with its zone lines: 16 px a cm."""
    scale = 16
    wide, tall = round(BOARD_CM[0] * scale), round(BOARD_CM[1] * scale)
    base = {"wood": textures.wood, "cloth": textures.cloth}.get(look.board_kind, textures.plaster)
    tile = base(look.board, look.seed % 17).rgba
    if look.board_kind == "wood":
        tile = np.asarray(cv2.resize(tile, (1024, 512)), np.uint8)
    art = np.tile(tile, (tall // tile.shape[0] + 1, wide // tile.shape[1] + 1, 1))[:tall, :wide].copy()
    ink = (*(round(255 * c) for c in look.line), 128)
    for x in ZONE_LINES_CM:
        at = round(x * scale)
        cv2.line(art, (at, 0), (at, tall), ink, max(1, round(look.line_cm * scale)), cv2.LINE_AA)
    if look.markers:
        _markers(art, look.seed)
    return Texture(art)


def _markers(art: Bytes, seed: int) -> None:
    """Print a square mark in each corner."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = 56
    for k, (x, y) in enumerate(((8, 8), (-8 - side, 8), (8, -8 - side), (-8 - side, -8 - side))):
        mark = cv2.aruco.generateImageMarker(dictionary, (seed * 4 + k) % 50, side - 12)
        patch = np.pad(mark, 6, constant_values=255)
        x0, y0 = x % art.shape[1], y % art.shape[0]
        art[y0 : y0 + side, x0 : x0 + side, :3] = patch[..., None]


def clutter(
    seed: int, count: int, middle: tuple[float, float], half_cm: tuple[float, float], floor_cm: float
) -> list[Item]:
    """Lay things about a table of that middle and half size, as lie on tables and floors where people play.

    By one in five that is on the floor somebody stands, at the long side that no camera looks over.
    """
    rng = np.random.default_rng((seed, 3))
    items = []
    for _ in range(count):
        size = rng.uniform((6, 6, 0.4), (30, 24, 12))
        spot = rng.uniform(-1.4, 1.4, 2) * half_cm
        axis = int(np.argmin(half_cm))
        spot[axis] = rng.choice((-1, 1)) * rng.uniform(1.0, 2.2) * half_cm[axis]
        tone = textures.hsv(float(rng.random()), float(rng.uniform(0, 0.8)), float(rng.uniform(0.1, 0.95)))
        turn = rng.uniform(0, np.pi)
        c, s = np.cos(turn), np.sin(turn)
        at = np.append(np.asarray(middle) + spot, floor_cm)
        pose = pose_at(at, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))
        skin = Material(colour=tone, roughness=float(rng.uniform(0.2, 0.9)))
        if rng.random() < 0.5:
            body = meshes.box(-size * (0.5, 0.5, 0), size * (0.5, 0.5, 1))
        else:
            body = meshes.lathe([(0, 0), (size[0] / 4, 0), (size[0] / 3.5, size[2]), (0, size[2])], 32, sharp=True)
        items.append(Item(mesh=body, material=skin, pose=pose))
    if rng.random() < BYSTANDERS and floor_cm > -TABLE_LEGS_CM:
        axis = int(np.argmin(half_cm))
        place = np.asarray(middle) + rng.uniform(-0.8, 0.8) * np.asarray(half_cm)
        way = 1.0 if axis == 1 else -1.0  # cameras at the side stand at -y of the board, at +x of the table
        place[axis] = middle[axis] + way * (EDGE_SHARE * half_cm[axis] + float(rng.uniform(24, 45)))
        facing = -np.pi / 2 if axis == 1 else 0.0
        items += standing_by(rng, (float(place[0]), float(place[1])), facing, floor_cm)
    return items


@lru_cache(maxsize=16)
def bow_items(look: FinnLook, y_cm: float) -> tuple[Item, ...]:
    """Give the crossbow at the near end: stock, bow, elastic."""
    skin = surface("wood", look.rail, (look.seed + 3) % 11, 0.5)
    dark = Material(colour=(0.08, 0.08, 0.08), roughness=0.6)
    stock = meshes.box((-14, y_cm - 1.3, 0.6), (9, y_cm + 1.3, 3.0))
    bow = meshes.box((7, y_cm - 10, 0.8), (9, y_cm + 10, 2.8))
    bands = [meshes.bar((8, y_cm + s * 9.5, 1.8), (1, y_cm + s * 1.2, 1.8), 0.16) for s in (-1, 1)]
    return (
        Item(mesh=stock, material=skin, key="bow"),
        Item(mesh=bow, material=skin, key="bow"),
        *(Item(mesh=band, material=dark, key="bow") for band in bands),
    )


@lru_cache(maxsize=96)
def pin_parts(look: FinnLook, number: int) -> tuple[tuple[Mesh, Material], ...]:
    """Give a pin: body, and the cut top with its number; the numbers face -x, where the thrower stands."""
    mantle, foot, top = _pin_meshes(look.sizes)
    wooden, plain = _wood_of(look)
    printed = Material(texture=_cap_print(look, number), colour=(1, 1, 1), roughness=0.4, relief=0.01)
    return (mantle, wooden), (foot, plain), (top, printed)


@lru_cache(maxsize=16)
def _pin_meshes(sizes: Sizes) -> tuple[Mesh, Mesh, Mesh]:
    corners = pin_corners(sizes, ROUND)
    return _mantle(corners), _cap(corners[:ROUND][::-1], sizes, down=True), _cap(corners[ROUND:], sizes)


@lru_cache(maxsize=16)
def _wood_of(look: FinnLook) -> tuple[Material, Material]:
    """Give a pin's wood, along it and across."""
    wood = textures.wood(look.pin, look.seed % 7, 256, 0.07)
    return Material(texture=wood, colour=(1, 1, 1), roughness=0.5), Material(colour=look.pin, roughness=0.6)


def _mantle(corners: Floats) -> Mesh:
    ring = np.vstack([corners[:ROUND], corners[:1]])
    top = np.vstack([corners[ROUND:], corners[ROUND : ROUND + 1]])
    normals = np.vstack([ring, ring]) * (1, 1, 0)
    share = np.linspace(0, 1, ROUND + 1)
    uv = np.vstack([np.column_stack([share * 0 + 0.05, share]), np.column_stack([share * 0 + 0.95, share])])
    return meshes.mesh(np.vstack([ring, top]), normals, uv, meshes.grid(2, ROUND + 1))


def _cap(rim: Floats, sizes: Sizes, down: bool = False) -> Mesh:
    """Give an end of a pin; the texture's up is +x, away from the thrower, its right is -y."""
    middle = rim.mean(0)
    normal = np.array([0, 0, -1.0]) if down else np.array([-sizes.bevel, 0, 1.0])
    points = np.vstack([middle, rim])
    uv = 0.5 + np.column_stack([-points[:, 1], -points[:, 0]]) / sizes.pin_cm
    k = np.arange(len(rim))
    fan = np.column_stack([np.zeros_like(k), 1 + k, 1 + (k + 1) % len(rim)])
    return meshes.mesh(points, np.tile(normal, (len(points), 1)), uv, fan)


def _cap_print(look: FinnLook, number: int) -> Texture:
    """Draw a number on a pin's top; 6 and 9 are underlined, as on sets that are turned about."""
    side = 192
    art = np.empty((side, side, 3), np.uint8)
    art[:] = [round(255 * c) for c in look.cap]
    noise = textures.grain(256, 2.5, (look.seed + number) % 9)[:side, :side]
    shade = cv2.convertScaleAbs(1 + 0.03 * noise, alpha=128)
    art = np.asarray(cv2.multiply(art, cv2.merge([shade] * 3), scale=1 / 128), np.uint8)
    height = look.number_share * side
    thick = max(2, round(height * {"thin": 0.09, "printed": 0.14, "bold": 0.2}[look.number_style]))
    text, font = str(number), cv2.FONT_HERSHEY_SIMPLEX
    scale = height / 21.0
    (width, tall), _ = cv2.getTextSize(text, font, scale, thick)
    fit = min(1.0, 0.66 * side / width)
    width, tall = round(width * fit), round(tall * fit)
    ink = tuple(round(255 * c) for c in look.number)
    origin = ((side - width) // 2, (side + tall) // 2)
    cv2.putText(art, text, origin, font, scale * fit, ink, max(2, round(thick * fit)), cv2.LINE_AA)
    if number in (6, 9):
        y = (side + tall) // 2 + round(0.09 * side)
        cv2.line(art, (origin[0], y), (origin[0] + width, y), ink, max(2, thick // 2), cv2.LINE_AA)
    return textures.picture(np.ascontiguousarray(art))


@lru_cache(maxsize=8)
def disc_parts(look: FinnLook) -> tuple[tuple[Mesh, Material], ...]:
    """Give the disc about its middle, edges a little round."""
    r, h = look.sizes.disc_cm / 2, look.sizes.disc_high_cm / 2
    body = meshes.lathe(
        [(0.01, -h), (r - 0.15, -h), (r, -h + 0.15), (r, h - 0.15), (r - 0.15, h), (0.01, h)], 40, True
    )
    return ((body, Material(colour=look.disc, roughness=0.35, gloss=0.05)),)


def number_point(piece: Piece, sizes: Sizes) -> tuple[Floats, Floats]:
    """Give where a pin's number is (3,) and which way it faces (3,), board frame."""
    turn = rotation(piece)
    top = np.array([0, 0, (sizes.pin_high_cm + sizes.pin_low_cm) / 2])
    facing = np.array([-sizes.bevel, 0, 1.0])
    return np.asarray(np.asarray(piece.at_cm) + turn @ top), turn @ (facing / np.linalg.norm(facing))
