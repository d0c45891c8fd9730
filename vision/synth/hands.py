"""Hands and arms as smooth bodies: limbs blended into one surface, skin and sleeve.

The hand is described in cm about the grip (where thumb and finger meet), the arm running off along -z of its own
frame: +z points where the fingers point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.synth import meshes, textures
from vision.synth.scene import Colour, Floats, Item, Material, Mesh, Texture

Limb = tuple[tuple[float, float, float], tuple[float, float, float], float, float]

# A right hand that holds something thin between thumb and first fingers; left hands are mirrored.
PINCH: tuple[Limb, ...] = (
    ((0.0, -0.3, -9.5), (0.2, 0.2, -5.5), 2.3, 2.5),  # wrist to palm
    ((0.9, 0.9, -8.0), (1.6, 1.4, -4.2), 2.0, 1.5),  # outer palm
    ((1.0, 0.6, -4.8), (1.2, 2.3, -2.2), 0.95, 0.85),  # forefinger, three bones
    ((1.2, 2.3, -2.2), (0.6, 1.9, -0.6), 0.85, 0.78),
    ((0.6, 1.9, -0.6), (0.15, 0.7, 0.4), 0.78, 0.62),
    ((1.9, 0.6, -4.8), (2.3, 2.5, -2.3), 0.95, 0.85),  # middle finger
    ((2.3, 2.5, -2.3), (1.6, 2.2, -0.4), 0.85, 0.75),
    ((1.6, 2.2, -0.4), (0.8, 1.0, 0.5), 0.75, 0.62),
    ((2.7, 0.4, -5.0), (3.4, 2.0, -3.0), 0.9, 0.8),  # ring finger
    ((3.4, 2.0, -3.0), (2.8, 1.9, -1.2), 0.8, 0.7),
    ((2.8, 1.9, -1.2), (2.0, 0.9, -0.6), 0.7, 0.6),
    ((3.3, -0.1, -5.6), (4.2, 1.1, -4.0), 0.8, 0.7),  # little finger
    ((4.2, 1.1, -4.0), (3.7, 1.2, -2.6), 0.7, 0.6),
    ((3.7, 1.2, -2.6), (3.1, 0.6, -2.2), 0.6, 0.5),
    ((-0.9, -0.6, -7.2), (-1.7, -0.9, -4.0), 1.4, 1.05),  # thumb
    ((-1.7, -0.9, -4.0), (-1.3, -0.9, -1.6), 1.0, 0.85),
    ((-1.3, -0.9, -1.6), (-0.35, -0.5, 0.3), 0.85, 0.65),
)
FLAT: tuple[Limb, ...] = (
    ((0.0, 0.0, -9.5), (0.0, 0.0, -5.0), 2.3, 2.3),
    ((1.6, 0.0, -8.5), (1.9, 0.0, -4.0), 1.7, 1.4),
    ((-1.2, 0.0, -8.0), (-1.5, 0.0, -4.4), 1.6, 1.3),
    ((-2.4, 0.1, -4.4), (-2.7, 0.4, -0.6), 0.9, 0.65),
    ((-0.8, 0.1, -4.0), (-0.8, 0.5, 0.6), 0.95, 0.65),
    ((0.9, 0.1, -4.0), (1.0, 0.5, 0.2), 0.92, 0.62),
    ((2.5, 0.1, -4.4), (3.0, 0.3, -1.2), 0.8, 0.55),
    ((-1.8, -0.4, -7.5), (-3.8, -0.6, -4.6), 1.2, 0.75),
)
ARM_CM = 125.0  # long enough that its end is out of every picture


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLook:
    """Skin, sleeve (None for bare), from where the sleeve begins behind the grip (cm), left or right, size."""

    skin: Colour
    sleeve: Colour | None
    sleeve_cm: float
    left: bool
    size: float
    flat: bool
    seed: int


def arm_look(rng: np.random.Generator) -> ArmLook:
    """Draw a person's arm."""
    light = float(rng.uniform(0.25, 0.9))
    skin = (0.33 + 0.55 * light, 0.2 + 0.5 * light, 0.14 + 0.42 * light)
    tone = textures.hsv(float(rng.random()), float(rng.uniform(0, 0.8)), float(rng.uniform(0.08, 0.9)))
    return ArmLook(
        skin=skin,
        sleeve=tone if rng.random() < 0.7 else None,
        sleeve_cm=float(rng.uniform(11, 32)),
        left=bool(rng.random() < 0.3),
        size=float(rng.uniform(0.88, 1.12)),
        flat=bool(rng.random() < 0.2),
        seed=int(rng.integers(0, 10**6)),
    )


Path = tuple[tuple[float, tuple[float, float, float]], ...]


def grip_at(path: Path, t_s: float) -> Floats:
    """Give where a grip (3,) is at a time on its way through points at times, slow at each of them."""
    times = [t for t, _ in path]
    i = int(np.clip(np.searchsorted(times, t_s) - 1, 0, len(times) - 2))
    share = float(np.clip((t_s - times[i]) / (times[i + 1] - times[i]), 0, 1))
    share = share * share * (3 - 2 * share)
    a, b = np.asarray(path[i][1]), np.asarray(path[i + 1][1])
    return np.asarray(a + share * (b - a))


def arm_items(look: ArmLook, pose: Floats, scale: float, key: str = "hand") -> list[Item]:
    """Give an arm whose grip lies at the origin of `pose`; `scale` is world units a cm."""
    return [Item(mesh=part, material=skin, pose=pose, key=key) for part, skin in _arm(look, scale)]


@lru_cache(maxsize=12)
def _arm(look: ArmLook, scale: float) -> tuple[tuple[Mesh, Material], ...]:
    limbs = list(FLAT if look.flat else PINCH)
    limbs.append(((0.0, -0.3, -9.5), (-0.5, -1.0, -14.0), 2.35, 2.7))
    limbs.append(((-0.5, -1.0, -14.0), (-3.0, -5.0, -ARM_CM), 2.7, 5.2))
    body = blended(tuple(limbs))
    parts = [
        (
            body,
            Material(
                colour=(1, 1, 1),
                texture=_skin(look.skin, look.seed % 5),
                roughness=0.55,
                gloss=0.03,
                relief=0.05 * scale,
            ),
        )
    ]
    if look.sleeve is not None:
        start = np.array([-0.5, -1.0, -14.0])
        end = np.array([-3.1, -5.2, -ARM_CM])
        way = (end - start) / np.linalg.norm(end - start)
        first = start + way * max(0.0, look.sleeve_cm - 14.0)
        tube = _sleeve(first, end)
        cloth = textures.cloth(look.sleeve, look.seed % 9)
        parts.append(
            (tube, Material(colour=(1, 1, 1), texture=cloth, roughness=0.9, gloss=0.01, relief=0.1 * scale))
        )
    grow = look.size * scale
    flip = np.array([-1.0 if look.left else 1.0, 1.0, 1.0])
    return tuple(
        (
            meshes.mesh(
                part.points * flip * grow,
                part.normals * flip,
                part.uv,
                part.triangles[:, ::-1] if look.left else part.triangles,
            ),
            skin,
        )
        for part, skin in parts
    )


def _sleeve(start: Floats, end: Floats) -> Mesh:
    length = float(np.linalg.norm(end - start))
    profile = [
        (3.1, 0.0),
        (3.9, 0.0),
        (4.0, 0.6),
        (3.8, 1.4),
        (4.2, 3.0),
        (4.1, 4.5),
        (4.6, 7.0),
        (4.5, 9.5),
        (4.9, 14.0),
        (4.8, 17.0),
        (6.2, length),
    ]
    tube = meshes.lathe(profile, 24)
    z = (end - start) / length
    x = np.cross((0, 1.0, 0), z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], 1)
    pose[:3, 3] = start
    tube = meshes.moved(tube, pose)
    return meshes.mesh(tube.points, tube.normals, tube.uv * (2, 6), tube.triangles)


@lru_cache(maxsize=16)
def _skin(colour: Colour, seed: int) -> Texture:
    shade = 0.05 * textures.grain(256, 40, seed) + 0.03 * textures.grain(256, 3, seed + 1)
    return textures.coloured(colour, shade, np.clip(0.5 + 0.15 * textures.grain(256, 4, seed + 2), 0, 1))


@lru_cache(maxsize=8)
def blended(limbs: tuple[Limb, ...], cell: float = 0.42, blend: float = 0.45) -> Mesh:
    """Give the surface of limbs (round cones) that flow into one another.

    Parameters
    ----------
    limbs : start, end, radius at the start, radius at the end
    cell : edge of the grid
    blend : how far two limbs flow together
    """
    ends = np.array([[*a, *b] for a, b, _, _ in limbs])
    widest = max(max(r0, r1) for _, _, r0, r1 in limbs) + 2 * cell
    low = np.minimum(ends[:, :3].min(0), ends[:, 3:].min(0)) - widest
    high = np.maximum(ends[:, :3].max(0), ends[:, 3:].max(0)) + widest
    axes = [np.arange(lo, hi + cell, cell) for lo, hi in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    field = _distance(points, limbs, blend)
    return surface(field, low, cell)


def _distance(points: Floats, limbs: Sequence[Limb], blend: float) -> Floats:
    total = np.zeros(points.shape[:-1])
    for a, b, r0, r1 in limbs:
        start, way = np.asarray(a), np.subtract(b, a)
        share = np.clip(((points - start) @ way) / (way @ way), 0, 1)
        gap = np.linalg.norm(points - start - share[..., None] * way, axis=-1) - (r0 + (r1 - r0) * share)
        total += np.exp(-np.clip(gap / blend * 2.5, -40, 40))
    return np.asarray(-blend / 2.5 * np.log(np.maximum(total, 1e-30)))


def surface(field: Floats, low: Floats, cell: float) -> Mesh:
    """Give the zero surface of a field sampled on a grid, by surface nets."""
    inside = field < 0
    shape = np.array(field.shape) - 1
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    total, count = np.zeros((*shape, 3)), np.zeros(tuple(shape))
    for i, a in enumerate(corners):
        for b in corners[i + 1 :]:
            if sum(abs(p - q) for p, q in zip(a, b, strict=True)) != 1:
                continue
            fa, fb = _corner(field, a), _corner(field, b)
            cut = (fa < 0) != (fb < 0)
            t = np.where(cut, fa / np.where(fa == fb, 1, fa - fb), 0)
            total += np.where(cut[..., None], np.asarray(a) + t[..., None] * np.subtract(b, a), 0)
            count += cut
    used = count > 0
    number = np.full(tuple(shape), -1)
    number[used] = np.arange(int(used.sum()))
    cells = np.argwhere(used)
    points = low + cell * (cells + total[used] / count[used][:, None])
    slopes = np.stack(list(np.gradient(field)), -1)[tuple(cells.T)]
    quads = np.concatenate([_quads(inside, number, axis) for axis in range(3)])
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    uv = points[:, [0, 2]] * 0.07 + points[:, [1, 1]] * 0.05
    return meshes.mesh(points, slopes, uv, triangles)


def _corner(field: Floats, at: tuple[int, int, int]) -> Floats:
    return field[tuple(slice(d, field.shape[i] - 1 + d) for i, d in enumerate(at))]


def _quads(inside: NDArray[np.bool_], number: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    b, c = (axis + 1) % 3, (axis + 2) % 3
    first = np.moveaxis(inside, axis, 0)
    change = np.moveaxis(first[:-1] != first[1:], 0, axis)
    at = np.argwhere(change)
    keep = (at[:, b] > 0) & (at[:, c] > 0) & (at[:, b] < number.shape[b]) & (at[:, c] < number.shape[c])
    at = at[keep]
    ring = []
    for db, dc in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
        cell = at.copy()
        cell[:, b] += db
        cell[:, c] += dc
        ring.append(number[tuple(cell.T)])
    return np.stack(ring, 1)
