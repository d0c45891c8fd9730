"""Lays the picture from before over the picture from after: a board that was hit wobbles, a camera sags."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]

_APART_PX = {1: 6, 2: 4}
"""Corners' least distance from each other, at the whole and at half the size."""

IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True, slots=True)
class AlignLimits:
    """What counts as a good alignment.

    Attributes
    ----------
    corners
        Corners followed. Three hundred over a board give a shift good to about 0.02 px.
    agree_px
        A corner agrees with the common movement within this; optical flow on wires repeats to about 0.2 px.
    least_agreeing
        Fewer agreeing corners than this leave the pictures as they are: the board shows too little to follow.
    large_px
        In pictures at least this high and wide, corners are looked for at half the size, a quarter of the work;
        following them is as exact from there: movements agree to 0.03 px.
    worth_px
        Movements below this everywhere on the board are noise of the flow and are not applied.
    """

    corners: int = 300
    agree_px: float = 0.6
    least_agreeing: int = 24
    large_px: int = 400
    worth_px: float = 0.08


LIMITS = AlignLimits()


def board_movement(before: Picture, after: Picture, mask: Picture, limits: AlignLimits = LIMITS) -> Array | None:
    """Find how the board moved between two pictures, from corners on it that most others agree with.

    Parameters
    ----------
    before, after
        (H, W) luma.
    mask
        (H, W), not zero where the board is.
    limits
        What counts as a good alignment.

    Returns
    -------
    (2, 3) affine map, px of `before` to px of `after`; None where too little of the board can be followed.
    """
    start = _corners(before, mask, limits)
    if len(start) < limits.least_agreeing:
        return None
    followed, found, _ = cv2.calcOpticalFlowPyrLK(before, after, start, np.empty_like(start), winSize=(15, 15))
    kept = np.asarray(found).ravel() == 1
    a, b = start.reshape(-1, 2)[kept], np.asarray(followed).reshape(-1, 2)[kept]
    return _common_affine(a, b, limits)


def _corners(picture: Picture, mask: Picture, limits: AlignLimits) -> NDArray[np.float32]:
    """Give corners inside the mask, (N, 1, 2) px."""
    step = 2 if min(picture.shape) >= limits.large_px else 1
    size = (picture.shape[1] // step, picture.shape[0] // step)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA) if step > 1 else picture
    inside = cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST) if step > 1 else mask
    found = cv2.goodFeaturesToTrack(small, limits.corners, 0.01, _APART_PX[step], mask=inside)
    if found is None or not len(found):
        return np.empty((0, 1, 2), np.float32)
    scale = np.array([picture.shape[1] / size[0], picture.shape[0] / size[1]], np.float32)
    return np.asarray((np.asarray(found, np.float32).reshape(-1, 1, 2) + 0.5) * scale - 0.5, np.float32)


def _common_affine(a: NDArray[np.float32], b: NDArray[np.float32], limits: AlignLimits) -> Array | None:
    if len(a) < limits.least_agreeing:
        return None
    affine, inliers = cv2.estimateAffine2D(
        a, b, method=cv2.RANSAC, ransacReprojThreshold=limits.agree_px, refineIters=10
    )
    if affine is None or int(np.count_nonzero(inliers)) < limits.least_agreeing:
        return None
    movement = np.asarray(affine, np.float64)
    corners = np.array([[a[:, 0].min(), a[:, 1].min()], [a[:, 0].max(), a[:, 1].max()]], np.float64)
    shift = corners @ movement[:, :2].T + movement[:, 2] - corners
    return movement if float(np.abs(shift).max()) >= limits.worth_px else IDENTITY


def move(picture: Picture, movement: Array) -> Picture:
    """Redraw a picture as it would look after the movement; the border is continued."""
    if np.array_equal(movement, IDENTITY):
        return picture
    height, width = picture.shape[:2]
    moved = cv2.warpAffine(
        picture, movement, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(moved, np.uint8)
