"""Where the camera of a table stands, so that balls, which rise above the plane, are looked for where they show.

The plane is kept exactly as calibrated; only the direction of "up" needs a focal length. Where the lens is not
known it is found from the view: a plane seen at a slant allows one focal length alone, one seen from straight
above allows any, and there a usual one does, for balls are low.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.failure import Failure
from vision.geometry import PlaneMap
from vision.setup import Setup

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CameraLimits:
    """How a focal length is chosen.

    Attributes
    ----------
    usual
        Focal length of a usual webcam or phone, in widths of the picture.
    spread
        Standard deviation of its logarithm over cameras: from half to twice as long within two.
    lowest, highest, steps
        What is tried, in widths.
    slack
        Standard deviation of what a calibration by hand leaves of the two conditions that a focal length is found
        from (columns of a rotation are at right angles and equally long).
    """

    usual: float = 0.95
    spread: float = 0.35
    lowest: float = 0.4
    highest: float = 3.0
    steps: int = 120
    slack: float = 0.01


LIMITS: Final = CameraLimits()

AROUND: Final = 24
"""Points that an outline of a ball is drawn by."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableCamera:
    """A table seen by one camera.

    Attributes
    ----------
    plane
        The table's plane, z = 0.
    up
        (3,) what one centimetre of height adds to the homogeneous ideal pixel.
    eye_cm
        (3,) where the camera is.
    """

    plane: PlaneMap
    up: Array
    eye_cm: Array

    def to_px(self, xyz_cm: ArrayLike) -> Array:
        """Project points above the table: (N, 3) cm to (N, 2) px."""
        points = np.asarray(xyz_cm, dtype=np.float64).reshape(-1, 3)
        flat = np.column_stack([points[:, :2], np.ones(len(points))])
        mapped = flat @ self.plane.homography.T + points[:, 2:] * self.up
        ideal = mapped[:, :2] / mapped[:, 2:]
        return self.plane.lens.distort(ideal) if self.plane.lens else ideal

    def at_height(self, z_cm: float) -> PlaneMap:
        """Give the map of the plane `z_cm` above the table."""
        raised = self.plane.homography + np.column_stack([np.zeros((3, 2)), z_cm * self.up])
        return PlaneMap(homography=raised, lens=self.plane.lens)

    def outline_px(self, centre_cm: ArrayLike, radius_cm: float) -> Array:
        """Give the outline of a ball: centre (3,) cm to (24, 2) px, where lines of sight touch it."""
        centre = np.asarray(centre_cm, dtype=np.float64)
        toward = self.eye_cm - centre
        distance = float(np.linalg.norm(toward))
        toward = toward / distance
        side = np.cross(toward, [0.0, 0.0, 1.0] if abs(toward[2]) < 0.9 else [1.0, 0.0, 0.0])
        side /= np.linalg.norm(side)
        other = np.cross(toward, side)
        nearer = radius_cm**2 / distance
        reach = radius_cm * np.sqrt(max(0.0, 1 - (radius_cm / distance) ** 2))
        turn = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)[:, None]
        return self.to_px(centre + nearer * toward + reach * (np.cos(turn) * side + np.sin(turn) * other))


def camera_from_setup(setup: Setup, size: tuple[int, int]) -> TableCamera | Failure:
    """Place the camera of a SETUP.

    Parameters
    ----------
    setup
        For astrolabe.
    size
        (width, height) of the pictures.

    Returns
    -------
    TableCamera or Failure
        `NO_POINTS`, `BAD_POINTS`, `WRONG_SIZE`.
    """
    plane = setup.plane(size)
    return plane if isinstance(plane, Failure) else camera_of(plane, size)


def camera_of(plane: PlaneMap, size: tuple[int, int]) -> TableCamera:
    """Find the camera that sees a plane, pictures being (width, height) = `size`."""
    middle = (plane.lens.cx_px, plane.lens.cy_px) if plane.lens else ((size[0] - 1) / 2, (size[1] - 1) / 2)
    focal_px = plane.lens.f_px if plane.lens else _focal_px(plane.homography, middle, size[0])
    matrix = _intrinsic(focal_px, middle)
    columns = np.linalg.solve(matrix, plane.homography)
    scale = (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1])) / 2
    first, second = _upright(columns[:, :2] / scale)
    third = np.cross(first, second)
    rotation = np.column_stack([first, second, third])
    eye = -rotation.T @ (columns[:, 2] / scale)
    if eye[2] < 0:
        eye[2], third = -eye[2], -third
    return TableCamera(plane=plane, up=np.asarray(matrix @ third * scale), eye_cm=np.asarray(eye))


def slant_misfit(plane: PlaneMap, size: tuple[int, int]) -> float:
    """Give how badly the best usual focal length explains a plane in pictures of (width, height): 0 is exactly."""
    middle = ((size[0] - 1) / 2, (size[1] - 1) / 2)
    tried = size[0] * np.geomspace(LIMITS.usual / 2, LIMITS.usual * 2, 12)
    return min(_misfit(plane.homography, middle, float(focal)) for focal in tried)


def _focal_px(homography: Array, middle: tuple[float, float], width: int) -> float:
    """Weigh how well each focal length explains the plane against how usual it is."""
    tried = width * np.geomspace(LIMITS.lowest, LIMITS.highest, LIMITS.steps)
    costs = [_misfit(homography, middle, focal) for focal in tried]
    unusual = (np.log(tried / width / LIMITS.usual) / LIMITS.spread) ** 2
    return float(tried[int(np.argmin(np.array(costs) / LIMITS.slack**2 + unusual))])


def _misfit(homography: Array, middle: tuple[float, float], focal_px: float) -> float:
    """Give how far the two columns are from two of a rotation: both conditions squared and added."""
    first, second = np.linalg.solve(_intrinsic(focal_px, middle), homography)[:, :2].T
    long, wide = float(np.linalg.norm(first)), float(np.linalg.norm(second))
    return float((first @ second / (long * wide)) ** 2 + np.log(long / wide) ** 2)


def _upright(columns: Array) -> tuple[Array, Array]:
    """Give the two unit vectors at right angles nearest to (3, 2) columns."""
    left, _, right = np.linalg.svd(columns, full_matrices=False)
    first, second = (left @ right).T
    return np.asarray(first), np.asarray(second)


def _intrinsic(focal_px: float, middle: tuple[float, float]) -> Array:
    return np.array([[focal_px, 0, middle[0]], [0, focal_px, middle[1]], [0, 0, 1.0]])
