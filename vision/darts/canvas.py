"""Pictures redrawn in board coordinates: what the learned parts look at, in training and in play alike."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import PlaneMap

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

_SHRINK_FROM = 1.3
"""Picture pixels a canvas pixel from which the picture is averaged down first: beyond it, sampling would alias."""

_COARSE = 4
"""Pixels from one whose place in the picture is worked out to the next, where a lens bends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """A square window on the board plane, as a rule upright (y up on the board is up in the picture).

    Attributes
    ----------
    centre_mm
        (x, y) of its middle in the board frame.
    mm_per_px
        Its scale.
    size
        Its side in pixels.
    up
        Unit vector of the board frame that is up in it.
    """

    centre_mm: tuple[float, float]
    mm_per_px: float
    size: int
    up: tuple[float, float] = (0.0, 1.0)

    def to_px(self, xy_mm: ArrayLike) -> Array:
        """Give (N, 2) pixels of the canvas of (N, 2) board points; pixel centres are whole numbers."""
        offset = np.reshape(np.asarray(xy_mm, float), (-1, 2)) - self.centre_mm
        return np.asarray(offset @ self._axes().T / self.mm_per_px + (self.size - 1) / 2)

    def to_mm(self, xy_px: ArrayLike) -> Array:
        """Invert `to_px`: (N, 2) pixels of the canvas to (N, 2) mm of the board frame."""
        offset = np.reshape(np.asarray(xy_px, float), (-1, 2)) - (self.size - 1) / 2
        return np.asarray(offset @ self._axes() * self.mm_per_px + self.centre_mm)

    def cov_mm(self, cov_px: ArrayLike) -> Array:
        """Turn a (2, 2) covariance in its pixels to mm² of the board frame."""
        axes = self._axes() * self.mm_per_px
        return np.asarray(axes.T @ np.asarray(cov_px, float) @ axes)

    def matrix(self) -> Array:
        """Give the (3, 3) map of canvas pixels to board mm."""
        axes = self._axes().T * self.mm_per_px
        shift = np.asarray(self.centre_mm) - axes @ np.full(2, (self.size - 1) / 2)
        return np.vstack([np.column_stack([axes, shift]), [0, 0, 1]])

    def _axes(self) -> Array:
        """Give rows: the board vectors that are right and down in the picture."""
        x, y = self.up
        return np.array([[y, -x], [-x, -y]])


def redraw(picture: Picture, plane: PlaneMap, canvas: Canvas) -> Picture:
    """Show a picture as if the camera looked straight at the board.

    Parameters
    ----------
    picture
        (H, W, 3) BGR or (H, W).
    plane
        The board in that picture (mm).
    canvas
        Which part, how large.

    Returns
    -------
    NDArray
        (size, size[, 3]); black where the camera sees nothing.
    """
    density = float(plane.px_per_unit([canvas.centre_mm])[0]) * canvas.mm_per_px
    if density > _SHRINK_FROM:
        # Only as far as the densest direction needs no more than a pixel and a bit.
        factor = _SHRINK_FROM / density
        picture = np.asarray(
            cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8
        )
        plane = plane.scaled(factor)
    if plane.lens is None:
        warp = plane.homography @ canvas.matrix()
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpPerspective(picture, warp, (canvas.size, canvas.size), flags=flags), np.uint8)
    # From each of these to the next lenses are straight, and the way through one is dear.
    side = -(-canvas.size // _COARSE) + 1
    ys, xs = np.mgrid[:side, :side] * float(_COARSE)
    coarse = plane.to_px(canvas.to_mm(np.stack([xs.ravel(), ys.ravel()], axis=1))).astype(np.float32)
    wider = np.array([[_COARSE, 0, 0], [0, _COARSE, 0]], np.float64)
    size = (canvas.size, canvas.size)
    xs_px, ys_px = (
        cv2.warpAffine(np.ascontiguousarray(part.reshape(side, side)), wider, size, flags=cv2.INTER_LINEAR)
        for part in coarse.T
    )
    return np.asarray(cv2.remap(picture, xs_px, ys_px, cv2.INTER_LINEAR), np.uint8)
