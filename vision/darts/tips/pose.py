"""Where the space in front of the board appears: the camera's pose from the plane alone."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Plane(Protocol):
    """What is asked of a plane: the two directions of its map."""

    def to_px(self, xy: Array) -> Array:
        """Board units to px."""
        ...

    def to_board(self, xy_px: Array) -> Array:
        """Pixels to board units."""
        ...


class Pose:
    """A pinhole camera in front of the board, good to a few degrees: enough to say where a dart's flight may be.

    Parameters
    ----------
    plane
        Board to picture.
    image_size
        Width and height, px; the principal point is taken as the middle.
    """

    def __init__(self, plane: Plane, image_size: tuple[int, int]) -> None:
        self.plane = plane
        corners = np.array([[-150.0, -150.0], [150.0, -150.0], [150.0, 150.0], [-150.0, 150.0]])
        px = plane.to_px(corners)
        middle = 0.5 * np.array(image_size, np.float64)
        homography = _homography(corners, px - middle)
        focal = _focal(homography, max(image_size))
        self._camera = np.diag([focal, focal, 1.0])
        self._middle = middle
        h = np.linalg.inv(self._camera) @ homography
        scale = 2.0 / (np.linalg.norm(h[:, 0]) + np.linalg.norm(h[:, 1]))
        h = h * (scale if h[2, 2] > 0 else -scale)
        normal = np.cross(h[:, 0], h[:, 1])
        normal /= np.linalg.norm(normal)
        self._axes = np.column_stack([h[:, 0], h[:, 1]])
        self._origin = h[:, 2]
        self._normal = normal if normal @ h[:, 2] < 0 else -normal

    def to_px(self, xyz_mm: Array) -> Array:
        """Project points in front of the board.

        Parameters
        ----------
        xyz_mm
            (N, 3) board frame, z from the board toward the thrower.

        Returns
        -------
        (N, 2) px.
        """
        xyz = np.atleast_2d(xyz_mm)
        space = xyz[:, :2] @ self._axes.T + self._origin + xyz[:, 2:] * self._normal
        depth = np.maximum(space[:, 2:], 1e-3 * np.abs(self._origin[2]))
        return np.asarray((space[:, :2] / depth) * self._camera[0, 0] + self._middle, np.float64)

    def eye_mm(self) -> Array:
        """Give where the camera is: (3,) board frame, z from the board toward the thrower."""
        return np.asarray(np.linalg.solve(np.column_stack([self._axes, self._normal]), -self._origin), np.float64)

    def lean_px(self, xy_px: Array, height_mm: float) -> Array:
        """Say where the point `height_mm` in front of a point of the board appears, from that point: (2,) px."""
        foot = np.append(self.plane.to_board(np.atleast_2d(xy_px))[0], 0.0)
        top = foot + np.array([0.0, 0.0, height_mm])
        ends = self.to_px(np.vstack([foot, top]))
        return np.asarray(ends[1] - ends[0], np.float64)

    def mm_px(self, xy_px: Array) -> float:
        """Give the pixels a millimetre has at a point of the board: the longer axis of its ellipse."""
        foot = self.plane.to_board(np.atleast_2d(xy_px))[0]
        near = self.plane.to_px(foot + np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, -2.0], [0.0, 2.0]]))
        jacobian = np.column_stack([near[1] - near[0], near[3] - near[2]]) / 4.0
        return float(np.linalg.svd(jacobian, compute_uv=False)[0])


def _homography(a: Array, b: Array) -> Array:
    rows = []
    for (x, y), (u, v) in zip(a, b, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    return np.asarray(np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3), np.float64)


def _focal(h: Array, size: int) -> float:
    """Solve for the focal length; a view from straight ahead does not show it, then a usual webcam is taken."""
    usual = 1.1 * size
    (a, b, c), (d, e, f) = h[:, 0], h[:, 1]
    crossed = c * f
    if abs(crossed) < 1e-16:
        return usual
    squared = -(a * d + b * e) / crossed
    equal = (a * a + b * b - d * d - e * e) / (f * f - c * c) if abs(f * f - c * c) > 1e-16 else -1.0
    # Two equations for one unknown; the better conditioned one is that with the larger denominator.
    value = squared if abs(crossed) > abs(f * f - c * c) else equal
    if not 0.3 * size < np.sqrt(max(value, 0.0)) < 6 * size:
        return usual
    return float(np.sqrt(value))
