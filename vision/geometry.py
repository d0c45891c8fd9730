"""One plane seen by one camera: homography, radial lens distortion, and how errors travel between the two.

Board units are millimetres for darts and centimetres for the tables; the code never needs to know which.
Pixels: x right, y down, the centre of the top left pixel is (0, 0).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.failure import Failure

Array = NDArray[np.float64]

_CONVERGED = 1e-10
"""Step, in focal lengths, below which Newton's method is done: usually after three or four."""

_LARGEST = 1e7
"""No measure of a lens is larger, in px or as a factor; with far larger numbers everything overflows."""

_NEWTON_STEPS = 12
"""Enough for the strongest distortion that is still one-to-one to converge below a thousandth of a pixel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A pinhole with radial distortion: `x_d = x (1 + k1 r² + k2 r⁴)`, x and r in units of the focal length.

    Attributes
    ----------
    f_px
        Focal length in pixels.
    cx_px, cy_px
        Principal point in pixels.
    k1, k2
        Radial distortion (Brown's model, as in OpenCV).
    """

    f_px: float
    cx_px: float
    cy_px: float
    k1: float = 0.0
    k2: float = 0.0

    def distort(self, xy_px: Array) -> Array:
        """Move points from where a pinhole would show them to where the lens does.

        Parameters
        ----------
        xy_px
            (N, 2) ideal pixels.

        Returns
        -------
        NDArray
            (N, 2) pixels of the picture.
        """
        centred = (xy_px - (self.cx_px, self.cy_px)) / self.f_px
        moved = centred * self.stretch(np.sum(centred**2, axis=1))[:, None]
        return np.asarray(moved * self.f_px + (self.cx_px, self.cy_px))

    def stretch(self, squared: Array) -> Array:
        """Say how many times as far out the lens shows points of these squared radii, in focal lengths."""
        squared = np.minimum(squared, self._fold())
        return np.asarray(1 + squared * (self.k1 + self.k2 * squared))

    def undistort(self, xy_px: Array) -> Array:
        """Invert `distort`: (N, 2) pixels of the picture to (N, 2) ideal pixels by Newton on the radius."""
        centred = (xy_px - (self.cx_px, self.cy_px)) / self.f_px
        seen = np.linalg.norm(centred, axis=1)
        limit = np.sqrt(self._fold())
        ideal = np.minimum(seen, limit)
        for _ in range(_NEWTON_STEPS):
            squared = ideal**2
            error = ideal * (1 + self.k1 * squared + self.k2 * squared**2) - seen
            slope = 1 + 3 * self.k1 * squared + 5 * self.k2 * squared**2
            step = error / np.maximum(slope, 0.05)
            ideal = np.clip(ideal - step, 0, limit)
            if np.all(np.abs(step) < _CONVERGED):
                break
        scale = np.divide(ideal, seen, out=np.ones_like(seen), where=seen > 0)
        return np.asarray(centred * scale[:, None] * self.f_px + (self.cx_px, self.cy_px))

    def jacobian(self, xy_px: Array) -> Array:
        """Give d distort / d ideal at (N, 2) ideal pixels, as (N, 2, 2)."""
        centred = (xy_px - (self.cx_px, self.cy_px)) / self.f_px
        squared = np.sum(centred**2, axis=1)
        radial = 1 + self.k1 * squared + self.k2 * squared**2
        slope = 2 * self.k1 + 4 * self.k2 * squared
        outer = centred[:, :, None] * centred[:, None, :]
        return np.asarray(radial[:, None, None] * np.eye(2) + slope[:, None, None] * outer)

    def _fold(self) -> float:
        """Give the squared radius at which the model stops growing (beyond it the lens would fold the picture)."""
        if abs(self.k2) < 1e-9:
            return -1 / (3 * self.k1) if self.k1 < -1e-9 else np.inf
        discriminant = 9 * self.k1**2 - 20 * self.k2
        if discriminant < 0:
            return np.inf
        roots = [(-3 * self.k1 + sign * math.sqrt(discriminant)) / (10 * self.k2) for sign in (-1, 1)]
        return min((root for root in roots if root > 0), default=np.inf)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaneMap:
    """A plane (the board) seen by one camera: board units to pixels and back.

    Attributes
    ----------
    homography
        (3, 3), board units to ideal (undistorted) pixels; scaled so that the origin of the board lies in front.
    lens
        Distortion that is applied after the homography, or None.
    """

    homography: Array
    lens: Lens | None = None

    def to_px(self, xy: ArrayLike) -> Array:
        """Project points of the board.

        Parameters
        ----------
        xy
            (N, 2) board units.

        Returns
        -------
        NDArray
            (N, 2) px.
        """
        ideal = _project(self.homography, _points(xy))
        return self.lens.distort(ideal) if self.lens else ideal

    def to_board(self, xy_px: ArrayLike) -> Array:
        """Put pixels on the board; (N, 2) px to (N, 2) board units, whatever lies off the board too."""
        points = _points(xy_px)
        ideal = self.lens.undistort(points) if self.lens else points
        return _project(np.asarray(np.linalg.inv(self.homography), dtype=np.float64), ideal)

    def jacobian(self, xy: ArrayLike) -> Array:
        """Give how pixels move with the board: (N, 2) board units to (N, 2, 2), px per board unit."""
        points = _points(xy)
        mapped = _homogeneous(points) @ self.homography.T
        ideal = mapped[:, :2] / mapped[:, 2:]
        rows = self.homography[None, :2, :2] - ideal[:, :, None] * self.homography[None, 2:, :2]
        plain = rows / mapped[:, 2, None, None]
        return np.asarray(self.lens.jacobian(ideal) @ plain if self.lens else plain)

    def cov_to_board(self, xy_px: ArrayLike, cov_px: ArrayLike) -> Array:
        """Carry the covariance of one point from the picture to the board.

        Parameters
        ----------
        xy_px
            (2,) px, where the point is.
        cov_px
            (2, 2) px².

        Returns
        -------
        NDArray
            (2, 2) board units².
        """
        inverse = np.linalg.inv(self.jacobian(self.to_board(np.reshape(xy_px, (1, 2))))[0])
        return np.asarray(inverse @ np.asarray(cov_px, dtype=np.float64) @ inverse.T)

    def px_per_unit(self, xy: ArrayLike) -> Array:
        """Give the scale at (N, 2) board points as (N,): square root of the area a board unit takes, in px."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.jacobian(xy)))))

    def scaled(self, factor: float) -> "PlaneMap":
        """Give the map for the same picture resized by `factor` (pixel centres as `cv2.resize` places them)."""
        shift = 0.5 * factor - 0.5
        resize = np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1]])
        lens = self.lens and Lens(
            f_px=self.lens.f_px * factor,
            cx_px=self.lens.cx_px * factor + shift,
            cy_px=self.lens.cy_px * factor + shift,
            k1=self.lens.k1,
            k2=self.lens.k2,
        )
        return PlaneMap(homography=resize @ self.homography, lens=lens)

    def turned(self, degrees: float) -> "PlaneMap":
        """Give the map for a board frame turned counter-clockwise by `degrees` against the present one."""
        angle = np.radians(degrees)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        return PlaneMap(homography=self.homography @ turn, lens=self.lens)


def plane_from_points(xy: ArrayLike, xy_px: ArrayLike, lens: Lens | None = None) -> PlaneMap | Failure:
    """Fit a plane to matching points (least squares in the picture; exact for four).

    Parameters
    ----------
    xy
        (N, 2) board units, N >= 4, no three of them needed on one line for the answer to be unique.
    xy_px
        (N, 2) px, the same points as seen.
    lens
        Known distortion, or None.

    Returns
    -------
    PlaneMap or Failure
        `BAD_POINTS` if there are too few points, they do not match in number, or they lie on a line.
    """
    board, seen = _points(xy), _points(xy_px)
    if len(board) != len(seen):
        return Failure("BAD_POINTS", f"{len(board)} points of the board stand against {len(seen)} in the picture.")
    if len(board) < 4:
        return Failure("BAD_POINTS", f"Four matching points or more are needed, there are {len(board)}.")
    if _flat(board) or _flat(seen):
        return Failure("BAD_POINTS", "The points lie on one line, so they do not fix the board.")
    ideal = lens.undistort(seen) if lens else seen
    found, _ = cv2.findHomography(board, ideal, 0)
    if found is None or not np.all(np.isfinite(found)) or abs(np.linalg.det(found)) < 1e-12:
        return Failure("BAD_POINTS", "No camera sees these points where they are said to be.")
    homography = facing(np.asarray(found, dtype=np.float64), board.mean(axis=0))
    if np.any(_homogeneous(board) @ homography[2] <= 0):
        return Failure("BAD_POINTS", "The points are in another order in the picture than on the board.")
    return PlaneMap(homography=homography, lens=lens)


def facing(homography: Array, xy: ArrayLike) -> Array:
    """Scale a homography so that its third coordinate is 1 at the board point `xy` (2,)."""
    depth = float(homography[2] @ np.array([*np.ravel(np.asarray(xy, dtype=np.float64)), 1.0]))
    return homography / depth if abs(depth) > 1e-15 else homography


def reprojection_error_px(plane: PlaneMap, xy: ArrayLike, xy_px: ArrayLike) -> float:
    """Give the root mean square distance in px between (N, 2) board points as projected and (N, 2) px as seen."""
    return float(np.sqrt(np.mean(np.sum((plane.to_px(xy) - _points(xy_px)) ** 2, axis=1))))


def lens_from_json(value: object) -> Lens | None:
    """Read the `lens` of a SETUP; None stays None. Raises ValueError with one sentence about what is wrong."""
    if value is None:
        return None
    names = ("f_px", "cx_px", "cy_px", "k1", "k2")
    if not isinstance(value, dict):
        raise ValueError("lens is null or an object with f_px, cx_px, cy_px, k1, k2")
    unknown = sorted(set(value) - set(names))
    if unknown:
        raise ValueError(f"lens knows no {unknown[0]!r}; it has f_px, cx_px, cy_px, k1, k2")
    for name in names[:3]:
        if name not in value:
            raise ValueError(f"lens lacks {name!r}")
    for name, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= _LARGEST:
            raise ValueError(f"lens.{name} is a number no larger than {_LARGEST:,.0f}, not {number!r:.40}")
    if value["f_px"] <= 0:
        raise ValueError(f"lens.f_px is a length in pixels and positive, not {value['f_px']!r}")
    return Lens(**{name: float(number) for name, number in value.items()})


def lens_to_json(lens: Lens | None) -> dict[str, float] | None:
    """Give the `lens` of a SETUP."""
    if lens is None:
        return None
    return {"f_px": lens.f_px, "cx_px": lens.cx_px, "cy_px": lens.cy_px, "k1": lens.k1, "k2": lens.k2}


def _points(xy: ArrayLike | Sequence[Sequence[float]]) -> Array:
    points = np.atleast_2d(np.asarray(xy, dtype=np.float64))
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"expected points of shape (N, 2), got {points.shape}")
    return points


def _homogeneous(xy: Array) -> Array:
    return np.concatenate([xy, np.ones((len(xy), 1))], axis=1)


def _project(homography: Array, xy: Array) -> Array:
    mapped = _homogeneous(xy) @ homography.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _flat(points: Array) -> bool:
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[1] <= 1e-6 * max(spread[0], 1e-12))
