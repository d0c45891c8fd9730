"""Table, combs and balls as meshes, in cm: what is drawn is what physics hits."""

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np

from vision.synth import meshes, textures
from vision.synth.astrolabe.look import (
    GUTTER_CM,
    PLAY_LINE_CM,
    TABLE_CM,
    AstrolabeLook,
    AstrolabeScene,
    BallLook,
    Marble,
)
from vision.synth.astrolabe.physics import boxes
from vision.synth.finn.parts import clutter, ground, surface, walls
from vision.synth.scene import Item, Material, Mesh, Scene, Texture, pose_at, turn_of

LEGS_CM = 6.0
HIDDEN_CM = 6.0  # within the table's sides nobody sees the floor that is farther in than this


def build(
    look: AstrolabeScene,
    balls: tuple[Marble, ...],
    extra: tuple[Item, ...] = (),
    moved_cm: tuple[float, float] = (0.0, 0.0),
) -> Scene:
    """Put a scene together; the table, with the balls on it, stands `moved_cm` (x, y) beside its place."""
    pushed = pose_at((*moved_cm, 0.0))
    items = [replace(item, pose=pushed @ item.pose) for item in table_items(look.look)]
    items += room_items(look.look, hidden=moved_cm == (0.0, 0.0))
    for k, ball in enumerate(balls):
        pose = pushed @ pose_at(ball.at_cm, turn_of(ball.turn))
        for mesh, skin in ball_parts(look.look.balls[ball.side], look.look.table.ball_cm):
            items.append(Item(mesh=mesh, material=skin, pose=pose, key=f"ball{k}"))
    return Scene(
        items=(*items, *extra),
        lamps=look.lamps,
        camera=look.camera,
        sensor=look.sensor,
        sky=look.sky,
        ground=look.ground,
        up=(0.0, 0.0, 1.0),
        screens=((0.0, 0.0, 1.0, -LEGS_CM),),
    )


@lru_cache(maxsize=8)
def table_items(look: AstrolabeLook) -> tuple[Item, ...]:
    """Give bed with its play line, gutters, walls and combs."""
    wide, long = TABLE_CM
    frame = surface("wood", look.frame, look.seed % 11, 0.45)
    comb = Material(colour=look.comb, roughness=0.35 if look.comb_metal else 0.55, metal=0.85 * look.comb_metal)
    gutter = Material(colour=look.gutter, roughness=0.8)
    bed = Material(texture=_bed_print(look), colour=(1, 1, 1), roughness=0.8, gloss=0.02, relief=0.02)
    items = [Item(mesh=meshes.plate((GUTTER_CM, 0), (wide - GUTTER_CM, long)), material=bed, key="bed")]
    skins = {"bed": frame, "gutter": gutter, "wall": frame, "lip": frame, "comb": comb, "tooth": comb}
    for name, low, high in boxes(look.table):
        skin = next(value for key, value in skins.items() if name.startswith(key))
        body = meshes.box(low, high, lid=name != "bed", bottom=False)
        items.append(Item(mesh=body, material=skin, key=name.rstrip("0123456789_")))
    return tuple(items)


@lru_cache(maxsize=8)
def room_items(look: AstrolabeLook, hidden: bool) -> tuple[Item, ...]:
    """Give floor, the room's walls, and what stands about; what the table hides of the floor is left out."""
    floor = ground(look.floor_kind, look.floor, look.seed % 13)
    middle = (TABLE_CM[0] / 2, TABLE_CM[1] / 2)
    under = (HIDDEN_CM, HIDDEN_CM, TABLE_CM[0] - HIDDEN_CM, TABLE_CM[1] - HIDDEN_CM) if hidden else None
    return (
        Item(mesh=meshes.plate((-800, -800), (850, 900), -LEGS_CM, 17.0, under), material=floor, shadow=False),
        walls(look.floor, -LEGS_CM),
        *clutter(look.seed, look.clutter, middle, (45.0, 80.0), -LEGS_CM),
    )


def _bed_print(look: AstrolabeLook) -> Texture:
    """Draw the bed with its play line: 16 px a cm, the far end on top."""
    scale = 16
    wide, tall = round((TABLE_CM[0] - 2 * GUTTER_CM) * scale), round(TABLE_CM[1] * scale)
    base = {"wood": textures.wood, "cloth": textures.cloth}.get(look.cloth_kind, textures.plaster)
    tile = base(look.cloth, look.seed % 17).rgba
    art = np.tile(tile, (tall // tile.shape[0] + 1, wide // tile.shape[1] + 1, 1))[:tall, :wide].copy()
    y = tall - round(PLAY_LINE_CM * scale)
    cv2.line(art, (0, y), (wide, y), (*(round(255 * c) for c in look.line), 128), 5, cv2.LINE_AA)
    return Texture(art)


@lru_cache(maxsize=16)
def ball_parts(look: BallLook, ball_cm: float) -> tuple[tuple[Mesh, Material], ...]:
    """Give a ball; glass is drawn as what it shows: dark where it looks past, bright where light gathers below."""
    body = meshes.ball(ball_cm / 2, 28)
    if look.kind == "opaque":
        return ((body, Material(colour=look.colour, roughness=0.12, gloss=0.05)),)
    art = _swirl(look)
    return ((body, Material(colour=(1, 1, 1), texture=art, roughness=0.05, gloss=0.06, clear=0.7)),)


def _swirl(look: BallLook) -> Texture:
    """Paint bands of two colours around a ball; glass has but a faint band."""
    v, u = np.mgrid[:128, :256].astype(np.float32)
    wave = np.sin(u / 256 * 4 * np.pi + 2.2 * np.sin(v / 128 * 2 * np.pi))
    share = np.clip(wave * 1.5 - 0.4, 0, 1)[..., None] * (0.75 if look.kind == "swirl" else 0.12)
    rgb = 255 * (np.asarray(look.colour) * (1 - share) + np.asarray(look.second) * share)
    return textures.picture(np.clip(rgb, 0, 255).astype(np.uint8))
