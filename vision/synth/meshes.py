"""Meshes made by code: turned bodies, boxes, plates, bars, limbs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from vision.synth.scene import Floats, Mesh


def mesh(points: ArrayLike, normals: ArrayLike, uv: ArrayLike, triangles: ArrayLike) -> Mesh:
    """Pack anything numpy takes into a `Mesh`, normals made unit."""
    normals = np.asarray(normals, np.float32).reshape(-1, 3)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(
        np.ascontiguousarray(points, np.float32).reshape(-1, 3),
        np.ascontiguousarray(normals / np.maximum(length, 1e-12), np.float32),
        np.ascontiguousarray(uv, np.float32).reshape(-1, 2),
        np.ascontiguousarray(triangles, np.int32).reshape(-1, 3),
    )


def grid(rows: int, columns: int) -> Floats:
    """Triangles (M, 3) of a grid of `rows` by `columns` vertices in row order."""
    r, c = np.mgrid[: rows - 1, : columns - 1].reshape(2, -1)
    a = r * columns + c
    b, d, e = a + 1, a + columns, a + columns + 1
    return np.concatenate([np.stack([a, b, e], 1), np.stack([a, e, d], 1)])


def lathe(profile: Sequence[tuple[float, float]], sides: int = 24, sharp: bool = False) -> Mesh:
    """Turn a profile of (radius, z) about the z axis.

    Texture u runs once around, v along the profile. Normals are smooth along the profile unless `sharp`: then
    each band has its own.
    """
    line = np.asarray(profile, float)
    if sharp:
        parts = [lathe(line[i : i + 2], sides) for i in range(len(line) - 1)]  # type: ignore[arg-type]
        return join(parts, v_ranges=_shares(line))
    step = np.gradient(line, axis=0)
    outward = np.stack([step[:, 1], -step[:, 0]], 1)
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    c, s = np.cos(angle), np.sin(angle)
    points = np.stack([line[:, :1] * c, line[:, :1] * s, np.broadcast_to(line[:, 1:], (len(line), sides + 1))], -1)
    normals = np.stack(
        [outward[:, :1] * c, outward[:, :1] * s, np.broadcast_to(outward[:, 1:], (len(line), sides + 1))], -1
    )
    u, v = np.meshgrid(angle / (2 * np.pi), _shares(line))
    return mesh(points, normals, np.stack([u, v], -1), grid(len(line), sides + 1)[:, ::-1])


def _shares(line: Floats) -> Floats:
    along = np.concatenate([[0], np.linalg.norm(np.diff(line, axis=0), axis=1).cumsum()])
    return np.asarray(along / max(along[-1], 1e-12))


def join(parts: Sequence[Mesh], v_ranges: Floats | None = None) -> Mesh:
    """Put meshes into one; with `v_ranges` part i has the texture's v from v_ranges[i] to v_ranges[i + 1]."""
    points, normals, uvs, triangles, offset = [], [], [], [], 0
    for i, part in enumerate(parts):
        uv = part.uv.copy()
        if v_ranges is not None:
            uv[:, 1] = v_ranges[i] + uv[:, 1] * (v_ranges[i + 1] - v_ranges[i])
        points.append(part.points)
        normals.append(part.normals)
        uvs.append(uv)
        triangles.append(part.triangles + offset)
        offset += len(part.points)
    return mesh(np.concatenate(points), np.concatenate(normals), np.concatenate(uvs), np.concatenate(triangles))


def moved(part: Mesh, pose: Floats) -> Mesh:
    """Give the mesh in another frame; `pose` (4, 4) is rigid."""
    return mesh(part.points @ pose[:3, :3].T + pose[:3, 3], part.normals @ pose[:3, :3].T, part.uv, part.triangles)


def plate(
    low: tuple[float, float],
    high: tuple[float, float],
    z: float = 0.0,
    tiles: float = 1.0,
    hole: tuple[float, float, float, float] | None = None,
) -> Mesh:
    """Rectangle in the plane z, seen from above; uv (0, 0) at (low x, high y): a texture lies as it is drawn.

    With a `hole` (x0, y0, x1, y1) it is a frame about it: what a board hides anyhow need not be shaded.
    """
    (x0, y0), (x1, y1) = low, high
    xs, ys = ((x0, x1), (y1, y0)) if hole is None else ((x0, hole[0], hole[2], x1), (y1, hole[3], hole[1], y0))
    x, y = (side.ravel() for side in np.meshgrid(xs, ys))
    uv = np.column_stack([(x - x0) / (x1 - x0), (y1 - y) / (y1 - y0)]) * tiles
    triangles = grid(len(ys), len(xs))[:, ::-1]
    if hole is not None:  # its two are the middle ones of either half
        triangles = np.delete(triangles, (4, 13), axis=0)
    return mesh(np.column_stack([x, y, np.full(len(x), z)]), [(0, 0, 1)] * len(x), uv, triangles)


def box(low: ArrayLike, high: ArrayLike, lid: bool = True, bottom: bool = True) -> Mesh:
    """Box with sharp edges between two corners; each face carries the whole texture.

    It is open above without `lid`, below without `bottom`: a face that nothing shows is shaded for nothing.
    """
    lo, hi = np.asarray(low, float), np.asarray(high, float)
    points: list[Floats] = []
    normals: list[Floats] = []
    uv: list[tuple[float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        for side in (0, 1):
            a, b = (axis + 1) % 3, (axis + 2) % 3
            base = len(points)
            for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = np.empty(3)
                corner[axis] = hi[axis] if side else lo[axis]
                corner[a], corner[b] = (hi if s else lo)[a], (hi if t else lo)[b]
                points.append(corner)
                normals.append(np.eye(3)[axis] * (1 if side else -1))
                uv.append((s, t))
            triangles += [(base, base + 1, base + 2), (base, base + 2, base + 3)]
    faces = triangles[:-4] + (triangles[-4:-2] if bottom else []) + (triangles[-2:] if lid else [])
    return mesh(points, normals, uv, faces)


def ball(radius: float, sides: int = 24) -> Mesh:
    """Sphere about the origin."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 1)
    body = lathe(list(zip(radius * np.cos(angle), radius * np.sin(angle), strict=True)), sides)
    return mesh(body.points, body.points, body.uv, body.triangles)


def bar(start: ArrayLike, end: ArrayLike, radius: float, end_radius: float | None = None, sides: int = 12) -> Mesh:
    """Round bar with half spheres at its ends, from `start` to `end`; thinner at the end with `end_radius`."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    r0, r1 = radius, radius if end_radius is None else end_radius
    along = b - a
    length = float(np.linalg.norm(along))
    cap = np.linspace(0, np.pi / 2, 5)
    profile = [(r0 * np.sin(t), -r0 * np.cos(t)) for t in cap]
    profile += [(r0 + (r1 - r0) * f, length * f) for f in (0.25, 0.5, 0.75)]
    profile += [(r1 * np.cos(t), length + r1 * np.sin(t)) for t in cap]
    body = lathe(profile, sides)
    z = along / max(length, 1e-9) if length > 1e-9 else np.array([0, 0, 1.0])
    helper = np.array([1.0, 0, 0]) if abs(z[0]) < 0.9 else np.array([0, 1.0, 0])
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], 1)
    pose[:3, 3] = a
    return moved(body, pose)


def ring(inner: float, outer: float, z: float = 0.0, sides: int = 96) -> Mesh:
    """Flat ring in the plane z; u around, v from inside to outside."""
    return lathe([(outer, z), (inner, z)], sides)
