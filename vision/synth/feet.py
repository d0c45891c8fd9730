"""People who stand by a board on the floor: shoes, legs, and the body above where a camera sees so far, in cm."""

from functools import lru_cache

import numpy as np

from vision.synth import textures
from vision.synth.hands import blended
from vision.synth.scene import Colour, Item, Material, Mesh, pose_at

SHOE = (((0.0, 0.0, 3.6), (9.0, 0.0, 3.4), 3.8, 4.0), ((9.0, 0.0, 3.4), (19.0, 1.0, 3.0), 4.2, 3.6))
LEG = (
    ((-0.5, 0.0, 7.0), (-2.0, 0.0, 28.0), 4.4, 6.0),
    ((-2.0, 0.0, 28.0), (-3.0, 0.0, 48.0), 6.0, 6.4),
    ((-3.0, 0.0, 48.0), (-7.0, 0.0, 92.0), 6.4, 8.8),
)
BODY = (
    ((-8.0, -7.0, 94.0), (-8.0, 7.0, 94.0), 11.0, 11.0),
    ((-8.0, 0.0, 94.0), (-10.0, 0.0, 128.0), 13.0, 14.0),
    ((-10.0, -15.0, 136.0), (-10.0, 15.0, 136.0), 8.0, 8.0),
)


@lru_cache(maxsize=2)
def _bodies() -> tuple[Mesh, Mesh, Mesh]:
    return blended(SHOE, 0.9, 0.9), blended(LEG, 1.8, 0.9), blended(BODY, 3.0, 3.0)


def standing_by(
    rng: np.random.Generator, at: tuple[float, float], facing_rad: float, floor_cm: float
) -> list[Item]:
    """Give somebody whose ankles are about `at` (x, y) and who looks along an angle from x."""
    shoe, leg, body = _bodies()
    leather, cloth, shirt = (_tone(rng) for _ in range(3))
    parts = (
        (shoe, Material(colour=leather, roughness=float(rng.uniform(0.3, 0.8)))),
        (leg, Material(texture=textures.cloth(cloth, int(rng.integers(5))), colour=(1, 1, 1), roughness=0.9)),
    )
    c, s = float(np.cos(facing_rad)), float(np.sin(facing_rad))
    pose = pose_at((*at, floor_cm), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))
    items = [Item(mesh=body, material=Material(colour=shirt, roughness=0.9), pose=pose)]
    apart = float(rng.uniform(9, 14))
    for side in (-1.0, 1.0):
        turn = facing_rad + side * float(rng.uniform(-0.05, 0.35))
        across = np.array([-np.sin(facing_rad), np.cos(facing_rad)]) * side * apart
        c, s = float(np.cos(turn)), float(np.sin(turn))
        spot = np.append(np.asarray(at) + across + rng.normal(0, 2, 2), floor_cm)
        pose = pose_at(spot, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))
        items += [Item(mesh=part, material=skin, pose=pose) for part, skin in parts]
    return items


def _tone(rng: np.random.Generator) -> Colour:
    return textures.hsv(float(rng.random()), float(rng.uniform(0, 0.5)), float(rng.uniform(0.05, 0.6)))
