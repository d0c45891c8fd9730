"""Lenses: the pinhole camera that sees all that a bent one does, and its picture bent as the lens does."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.masks import Part
from vision.synth.scene import Bytes, Camera

STEP_PX = 8  # of the coarse map that says where in the bent picture something may be
SLACK_PX = 40  # of the pinhole picture, more than lies between two places of that map

Bend = tuple[NDArray[np.int16], NDArray[np.uint16]] | None


def pinhole(camera: Camera) -> tuple[Camera, Bend]:
    """Camera without distortion that sees all that `camera` sees, and the map from its picture."""
    if camera.k1 == 0.0 and camera.k2 == 0.0:
        return camera, None
    return _bent(camera, camera.pose.tobytes())


@lru_cache(maxsize=8)
def _bent(camera: Camera, pose: bytes) -> tuple[Camera, Bend]:
    (width, height), f_px, cx, cy = camera.size, camera.f_px, camera.cx_px, camera.cy_px
    k1, k2 = camera.k1, camera.k2
    x, y = np.meshgrid(
        ((np.arange(width) - cx) / f_px).astype(np.float32), ((np.arange(height) - cy) / f_px).astype(np.float32)
    )
    reach = float(np.hypot(np.abs(x).max(), np.abs(y).max()))
    table = np.linspace(0, reach, 4096)
    ideal = np.linspace(0, 3 * reach, 20000)
    seen = np.maximum.accumulate(ideal * (1 + k1 * ideal**2 + k2 * ideal**4))  # flat from where the lens folds
    straight = np.interp(table, seen, ideal)
    stretch = np.append(1.0, straight[1:] / table[1:]).astype(np.float32)
    at = cv2.magnitude(x, y) * np.float32(4095 / reach)
    ratio = cv2.remap(stretch[None], at, np.zeros_like(at), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    px, py = x * ratio * np.float32(f_px), y * ratio * np.float32(f_px)
    low_x, low_y = int(np.floor(px.min())) - 2, int(np.floor(py.min())) - 2
    size_wide = (int(np.ceil(px.max())) + 3 - low_x, int(np.ceil(py.max())) + 3 - low_y)
    shrink = min(1.0, 2.0 * width / size_wide[0], 2.0 * height / size_wide[1])
    size_wide = (int(size_wide[0] * shrink), int(size_wide[1] * shrink))
    wide = Camera(
        size=size_wide,
        f_px=f_px * shrink,
        cx_px=-low_x * shrink,
        cy_px=-low_y * shrink,
        pose=np.frombuffer(pose).reshape(4, 4),
    )
    maps = cv2.convertMaps(
        ((px - low_x) * shrink).astype(np.float32), ((py - low_y) * shrink).astype(np.float32), cv2.CV_16SC2
    )
    return wide, (np.asarray(maps[0], np.int16), np.asarray(maps[1], np.uint16))


def through(bend: Bend, picture: Bytes, nearest: bool = False) -> Bytes:
    """Give a picture (H, W) or (H, W, 3) of the wide camera as the lens bends it."""
    if bend is None:
        return np.ascontiguousarray(picture)
    flag = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    return np.asarray(cv2.remap(np.ascontiguousarray(picture), bend[0], bend[1], flag), np.uint8)


def bent_part(bend: Bend, drawn: Bytes, corner: tuple[int, int]) -> Part:
    """Give a part (h, w) of the wide camera's picture, its corner at (x, y) px of it, as the lens bends it.

    They are the very pixels that `through` gives of the whole, the nearest ones.
    """
    if bend is None:
        return Part(drawn > 0, corner)
    low = np.array(corner)
    high = low + drawn.shape[::-1]
    coarse = bend[0][::STEP_PX, ::STEP_PX]
    there = np.asarray(((coarse > low - SLACK_PX) & (coarse < high + SLACK_PX)).all(2))
    rows, columns = np.flatnonzero(there.any(1)), np.flatnonzero(there.any(0))
    if not rows.size:
        return Part(np.zeros((1, 1), bool), (0, 0))
    x0, y0 = max(0, (columns[0] - 1) * STEP_PX), max(0, (rows[0] - 1) * STEP_PX)
    part = (slice(y0, (rows[-1] + 2) * STEP_PX), slice(x0, (columns[-1] + 2) * STEP_PX))
    whole = np.ascontiguousarray(bend[0][part] - low.astype(np.int16))
    bent = cv2.remap(drawn, whole, np.ascontiguousarray(bend[1][part]), cv2.INTER_NEAREST)
    return Part(np.asarray(bent) > 0, (int(x0), int(y0)))
