"""The straight edges of a picture, and the point that most of them aim at: on a dartboard the bull.

Twenty sector edges run toward the bull and stay straight from every side, so the point where the long edges of
a picture cross is the surest thing about a board, whatever its colours.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RayTuning:
    """How edges are gathered.

    Attributes
    ----------
    shortest_px
        Shorter edges are texture.
    voters
        The longest edges vote for the bull; a board has about 80 that aim at it, so 200 leave room for a room.
    cell_px
        Size of a ballot cell; edges of 30 px miss the bull by a few pixels.
    candidates
        Peaks that are looked at; on 250 real pictures the bull was always the first.
    aim_px, aim_share
        An edge aims at the bull if its line passes within this many pixels, or this share of its distance.
    """

    shortest_px: float = 8.0
    voters: int = 200
    cell_px: int = 6
    candidates: int = 3
    aim_px: float = 2.5
    aim_share: float = 0.02


RAYS = RayTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edges:
    """Straight edges of a picture: (N, 2) middles in px, (N, 2) unit directions, (N,) lengths in px."""

    middle: Array
    direction: Array
    length: Array

    @property
    def normal(self) -> Array:
        """(N, 2) unit normals."""
        return np.stack([-self.direction[:, 1], self.direction[:, 0]], axis=1)


def straight_edges(luma: NDArray[np.uint8], tuning: RayTuning = RAYS) -> Edges:
    """Find the straight edges of a luma picture (H, W) with the line segment detector, longest first."""
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD).detect(luma)[0]
    ends = np.zeros((0, 4)) if found is None else np.asarray(found, dtype=np.float64).reshape(-1, 4)
    along = ends[:, 2:] - ends[:, :2]
    length = np.hypot(along[:, 0], along[:, 1])
    order = np.argsort(-length, kind="stable")
    order = order[length[order] > tuning.shortest_px]
    return Edges(
        middle=(ends[order, :2] + ends[order, 2:]) / 2,
        direction=along[order] / length[order, None],
        length=length[order],
    )


def bull_candidates(edges: Edges, size: tuple[int, int], tuning: RayTuning = RAYS) -> list[Array]:
    """Give points (2,) px inside a picture of `size` (width, height) at which most edges aim, best first."""
    normal, length = edges.normal[: tuning.voters], edges.length[: tuning.voters]
    offset = np.sum(normal * edges.middle[: tuning.voters], axis=1)
    ballot = _ballot(normal, offset, length, size, tuning.cell_px)
    found: list[Array] = []
    for _ in range(tuning.candidates):
        _, votes, _, cell = cv2.minMaxLoc(ballot)
        if votes <= 0:
            break
        start = (np.array(cell, dtype=np.float64) + 0.5) * tuning.cell_px
        found.append(_crossing(normal, offset, length, start))
        cv2.circle(ballot, cell, 4, 0.0, -1)
    return found


def aimed_at(edges: Edges, point: Array, tuning: RayTuning = RAYS) -> NDArray[np.bool_]:
    """Tell which edges lie on lines through `point` (2,) px without reaching over it."""
    away = edges.middle - point
    distance = np.hypot(away[:, 0], away[:, 1])
    miss = np.abs(np.sum(away * edges.normal, axis=1))
    near = miss < np.maximum(tuning.aim_px, tuning.aim_share * distance)
    return np.asarray(near & (distance > 0.45 * edges.length))


def _ballot(
    normal: Array, offset: Array, length: Array, size: tuple[int, int], cell_px: int
) -> NDArray[np.float32]:
    first, second = np.triu_indices(len(normal), 1)
    cross = normal[first, 0] * normal[second, 1] - normal[first, 1] * normal[second, 0]
    clear = np.abs(cross) > 0.1
    first, second, cross = first[clear], second[clear], cross[clear]
    x = (offset[first] * normal[second, 1] - offset[second] * normal[first, 1]) / cross
    y = (normal[first, 0] * offset[second] - normal[second, 0] * offset[first]) / cross
    width, height = size[0] // cell_px + 1, size[1] // cell_px + 1
    inside = (x >= 0) & (x < size[0]) & (y >= 0) & (y < size[1])
    cells = (y[inside] / cell_px).astype(np.intp) * width + (x[inside] / cell_px).astype(np.intp)
    votes = np.bincount(cells, np.minimum(length[first], length[second])[inside], minlength=width * height)
    counted = votes.reshape(height, width).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(counted, (0, 0), 1.0), dtype=np.float32)


def _crossing(normal: Array, offset: Array, length: Array, start: Array) -> Array:
    """Give the point nearest to the lines that pass by, leaving out the others more and more strictly."""
    point = start
    for reach_px in (10.0, 5.0, 3.0):
        miss = normal @ point - offset
        weight = length / (1 + (miss / reach_px) ** 2) ** 2
        normals = (normal * weight[:, None]).T @ normal + 1e-6 * np.eye(2)
        point = np.asarray(np.linalg.solve(normals, normal.T @ (weight * offset) + 1e-6 * point))
    return point
