"""The camera over the board: where a point in space is seen.

The four points of a SETUP fix the plane of the board. How a pin rises out of it needs the focal length too, which
the view tells only where it is oblique: from straight above a near short lens and a far long one see the same four
points. So every focal length is tried, and standing pins of known place and height say which fits (`fitted`).
"""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.failure import Failure
from vision.geometry import Lens
from vision.setup import Setup

Array = NDArray[np.float64]

FOCAL_LENGTHS: Final = tuple(np.geomspace(0.55, 2.6, 33))
"""Tried, in widths of the picture: horizontal views of 85 down to 22 degrees, phones and webcams among them."""

CORNER_PX: Final = 1.0
"""Points are marked about this exactly (at 1280 px)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Camera:
    """A pinhole with a lens, at rest in the frame of the board.

    Attributes
    ----------
    lens
        Focal length, principal point and distortion.
    rotation, shift
        (3, 3) and (3,): cm of the board to cm of the camera (x right, y down, z ahead).
    residual_px
        How far the marked points are from where this camera sees them, root mean square.
    """

    lens: Lens
    rotation: Array
    shift: Array
    residual_px: float

    @property
    def eye_cm(self) -> Array:
        """Where the camera is, (3,) cm in the frame of the board."""
        return np.asarray(-self.rotation.T @ self.shift)

    def to_px(self, xyz_cm: ArrayLike) -> Array:
        """Project (N, 3) cm to (N, 2) px."""
        # Long rows are worked on faster than many short ones.
        seen_cm = self.rotation @ np.asarray(xyz_cm, np.float64).T + self.shift[:, None]
        return np.ascontiguousarray(self.from_ahead(seen_cm).T)

    def from_ahead(self, seen_cm: Array) -> Array:
        """Project points, (…, 3, N) cm in the frame of the camera: (…, 2, N) px."""
        lens = self.lens
        points = seen_cm[..., :2, :] * (lens.f_px / np.maximum(seen_cm[..., 2:, :], 1e-3))
        if lens.k1 or lens.k2:
            points *= lens.stretch((points * points).sum(axis=-2, keepdims=True) / lens.f_px**2)
        points += [[lens.cx_px], [lens.cy_px]]
        return np.asarray(points)

    def to_plane(self, xy_px: ArrayLike, z_cm: float = 0.0) -> Array:
        """Put (N, 2) px on the plane at this height over the board: (N, 2) cm."""
        points = np.asarray(xy_px, np.float64).reshape(-1, 2)
        ideal = self.lens.undistort(points) if self.lens.k1 or self.lens.k2 else points
        rays = np.column_stack(
            [(ideal - (self.lens.cx_px, self.lens.cy_px)) / self.lens.f_px, np.ones(len(ideal))]
        )
        rays = rays @ self.rotation
        eye = self.eye_cm
        return np.asarray(eye[:2] + rays[:, :2] * ((z_cm - eye[2]) / rays[:, 2:]))

    def px_per_cm(self, xyz_cm: ArrayLike) -> float:
        """Give the scale at a point (3,)."""
        depth = float(self.rotation[2] @ np.asarray(xyz_cm, np.float64) + self.shift[2])
        return self.lens.f_px / max(depth, 1e-3)


def cameras(setup: Setup, size: tuple[int, int]) -> tuple[Camera, ...] | Failure:
    """Give the cameras that see the points of a SETUP where they were marked.

    Parameters
    ----------
    setup
        With four points or more; `lens` or None.
    size
        (width, height) of the picture.

    Returns
    -------
    tuple of Camera, or Failure
        One where the lens is known, else one for every focal length tried. `NO_POINTS`, `BAD_POINTS`,
        `WRONG_SIZE`.
    """
    plane = setup.plane(size)
    if isinstance(plane, Failure):
        return plane
    factor = size[0] / setup.image_size[0]
    seen = (np.array(setup.board_px) + 0.5) * factor - 0.5
    known = np.array(setup.board_xy)
    if setup.lens is not None:
        lens = plane.lens
        assert lens is not None
        found = [_posed(lens, known, seen)]
    else:
        middle = ((size[0] - 1) / 2, (size[1] - 1) / 2)
        lenses = (Lens(f_px=f * size[0], cx_px=middle[0], cy_px=middle[1]) for f in FOCAL_LENGTHS)
        found = [_posed(lens, known, seen) for lens in lenses]
    good = tuple(camera for camera in found if camera is not None)
    if not good:
        return Failure("BAD_POINTS", "No camera over the board sees these points where they are said to be.")
    return good


def refocused(camera: Camera, setup: Setup, size: tuple[int, int], f_px: float) -> Camera | None:
    """Give the camera with another focal length that sees the points of the SETUP as well as it can."""
    factor = size[0] / setup.image_size[0]
    seen = (np.array(setup.board_px) + 0.5) * factor - 0.5
    lens = Lens(f_px=f_px, cx_px=camera.lens.cx_px, cy_px=camera.lens.cy_px)
    return _posed(lens, np.array(setup.board_xy), seen)


def shifted(camera: Camera, corner_px: tuple[int, int]) -> Camera:
    """Give the camera of a part of the picture whose upper left corner is there, (x, y) px."""
    lens = replace(camera.lens, cx_px=camera.lens.cx_px - corner_px[0], cy_px=camera.lens.cy_px - corner_px[1])
    return replace(camera, lens=lens)


def _posed(lens: Lens, known: Array, seen: Array) -> Camera | None:
    """Find the pose over the board with the least residual."""
    ideal = lens.undistort(seen) if lens.k1 or lens.k2 else seen
    matrix = np.array([[lens.f_px, 0, lens.cx_px], [0, lens.f_px, lens.cy_px], [0, 0, 1]])
    points = np.column_stack([known, np.zeros(len(known))])
    try:
        _, turns, shifts, _ = cv2.solvePnPGeneric(points, ideal, matrix, None, flags=cv2.SOLVEPNP_IPPE)
    except cv2.error:
        return None
    rough = [
        _camera_of(lens, cv2.Rodrigues(turn)[0], shift, points, seen)
        for turn, shift in zip(turns, shifts, strict=True)
    ]
    above = [camera for camera in rough if camera.eye_cm[2] > 0 and np.isfinite(camera.residual_px)]
    if not above:
        return None
    first = min(above, key=lambda camera: camera.residual_px)
    turn, shift = cv2.solvePnPRefineLM(
        points, ideal, matrix, None, cv2.Rodrigues(first.rotation)[0], first.shift.reshape(3, 1)
    )
    better = _camera_of(lens, cv2.Rodrigues(turn)[0], shift, points, seen)
    good = better.eye_cm[2] > 0 and better.residual_px <= first.residual_px
    return better if good else first


def _camera_of(lens: Lens, rotation: ArrayLike, shift: ArrayLike, known: Array, seen: Array) -> Camera:
    camera = Camera(
        lens=lens,
        rotation=np.asarray(rotation, np.float64),
        shift=np.ravel(shift).astype(np.float64),
        residual_px=0.0,
    )
    error = float(np.sqrt(np.mean(np.sum((camera.to_px(known) - seen) ** 2, axis=1))))
    return replace(camera, residual_px=error)
