"""Tells a table that was struck from a camera that was pushed (AS-35): what stands beside the table has not moved.

Corners in the picture at rest are followed into each frame where something moves. Balls and hands move some of
them; a knock moves nearly all that are on the table, and alike.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.view import TableView

Array = NDArray[np.float64]
Luma = NDArray[np.uint8]
Points = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ShakenLimits:
    """What is a knock.

    Attributes
    ----------
    width_px
        Pictures are followed at about this width.
    beside_cm
        What is further than this from the table, and from the walls around it, does not move with it.
    corners, quality, apart_px
        So many corners are followed on the table and as many beside it, so clear, so far from each other.
    window_px, levels, residual
        How they are followed, and how badly (mean difference of levels) one may fit where it was found.
    moved_cm
        A table that moved less than this is not said to have moved: corners are followed to a tenth of a pixel.
    alike, alike_share
        Corners that moved within this share of the middle one (and half a pixel) moved alike; so many have to.
    fewest
        Fewer corners than this on the table, or beside it, tell nothing.
    rested
        What is beside the table moved less than this share of what the table did: the camera stands still.
    """

    width_px: int = 640
    beside_cm: float = 7.0
    corners: int = 60
    quality: float = 0.02
    apart_px: int = 8
    window_px: int = 15
    levels: int = 2
    residual: float = 14.0
    moved_cm: float = 0.25
    alike: float = 0.3
    alike_share: float = 0.6
    fewest: tuple[int, int] = (10, 6)
    rested: float = 0.35


LIMITS: Final = ShakenLimits()


@dataclass(frozen=True, slots=True)
class Knock:
    """How far a table moved, cm; `camera_rests` says whether what is beside it did not, None if nothing tells."""

    moved_cm: float
    camera_rests: bool | None


class TableWatch:
    """Follows corners of a table, and of what stands beside it, from the picture at rest."""

    def __init__(self, view: TableView, size: tuple[int, int]) -> None:
        self._scale = min(1.0, LIMITS.width_px / size[0])
        width, height = round(size[0] * self._scale), round(size[1] * self._scale)
        self._on = _area(view, 0.0, (width, height), self._scale)
        self._beside = 1 - _area(view, LIMITS.beside_cm, (width, height), self._scale)
        middle = np.array(view.table.table_cm) / 2
        self._px_per_cm = float(view.camera.plane.px_per_unit([middle])[0]) * self._scale
        self._rest: Luma | None = None
        self._points: tuple[Points, Points] = (np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32))

    def rest(self, luma: Luma) -> None:
        """Take a picture, (H, W) uint8, as the table at rest."""
        self._rest = self._small(luma)
        self._points = (_corners(self._rest, self._on), _corners(self._rest, self._beside))

    def look(self, luma: Luma) -> Knock | None:
        """Say how far the table has moved in a picture, (H, W) uint8; None where it has not."""
        if self._rest is None:
            return None
        small = self._small(luma)
        table = _moved(self._rest, small, self._points[0], LIMITS.fewest[0])
        if table is None or np.hypot(*table) < LIMITS.moved_cm * self._px_per_cm:
            return None
        beside = _moved(self._rest, small, self._points[1], LIMITS.fewest[1])
        rests = None if beside is None else bool(np.hypot(*beside) < LIMITS.rested * np.hypot(*table))
        return Knock(moved_cm=float(np.hypot(*table)) / self._px_per_cm, camera_rests=rests)

    def _small(self, luma: Luma) -> Luma:
        if self._scale == 1.0:
            return np.array(luma)
        return np.asarray(
            cv2.resize(luma, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA), np.uint8
        )


def _area(view: TableView, beyond_cm: float, size: tuple[int, int], scale: float) -> Luma:
    """Draw the table, and so much around it, as 1 in a mask of (width, height)."""
    (wide, long), more = view.table.table_cm, beyond_cm
    corners = [(-more, -more), (wide + more, -more), (wide + more, long + more), (-more, long + more)]
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(view.camera.plane.to_px(corners) * scale).astype(np.int32)], (1,))
    return mask


def _corners(luma: Luma, mask: Luma) -> Points:
    found = cv2.goodFeaturesToTrack(luma, LIMITS.corners, LIMITS.quality, LIMITS.apart_px, mask=mask)
    return np.zeros((0, 2), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 2)


def _moved(rest: Luma, now: Luma, points: Points, fewest: int) -> Array | None:
    """Give by how much, (x, y) px, corners moved alike; None where they did not, or too few were found again."""
    if len(points) < fewest:
        return None
    side = (LIMITS.window_px, LIMITS.window_px)
    there, found, residual = cv2.calcOpticalFlowPyrLK(  # type: ignore[call-overload]
        rest, now, points.reshape(-1, 1, 2), None, winSize=side, maxLevel=LIMITS.levels
    )
    good = (found.ravel() > 0) & (residual.ravel() < LIMITS.residual)
    if np.count_nonzero(good) < fewest:
        return None
    steps = np.asarray(there.reshape(-1, 2)[good] - points[good], np.float64)
    middle = np.median(steps, axis=0)
    off = np.hypot(*(steps - middle).T)
    alike = off <= 0.5 + LIMITS.alike * np.hypot(*middle)
    return np.asarray(middle) if alike.mean() >= LIMITS.alike_share else None
