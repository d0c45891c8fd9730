"""What a picture is made of: meshes with materials, lamps, a camera. Values only, drawn by either engine.

World frames are those of the games (cricket in mm, the tables in cm); nothing here knows which.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles with normals and texture coordinates; equal only to itself, so that engines may cache by identity.

    Attributes
    ----------
    points : (N, 3) float32, object frame
    normals : (N, 3) float32, unit
    uv : (N, 2) float32, (0, 0) is the texture's first pixel's corner, (1, 1) the last one's
    triangles : (M, 3) int32
    """

    points: NDArray[np.float32]
    normals: NDArray[np.float32]
    uv: NDArray[np.float32]
    triangles: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Texture:
    """RGBA bytes; RGB is sRGB colour, A is the height of the relief (see `Material.relief`)."""

    rgba: Bytes
    tiles: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """How a surface answers to light.

    Attributes
    ----------
    colour : sRGB 0…1, multiplies the texture
    roughness : 0 mirror … 1 chalk
    metal : 0…1
    gloss : strength of the reflection of a non-metal at normal incidence (0.04 is lacquer)
    relief : how steep the texture's height makes the surface, world units of height over the full range of A
    wire_level : heights of the texture above this are polished metal (0…1; 1 for none)
    glow : share of the colour that is emitted
    clear : 0 opaque, 1 glass ball (the tinted picture of what is behind, upside down)
    """

    colour: Colour = (0.8, 0.8, 0.8)
    texture: Texture | None = None
    roughness: float = 0.7
    metal: float = 0.0
    gloss: float = 0.04
    relief: float = 0.0
    wire_level: float = 1.0
    glow: float = 0.0
    clear: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Item:
    """A mesh at a place; `key` names whole objects (all parts of a dart share one) in masks and truth."""

    mesh: Mesh
    material: Material
    pose: Floats = field(default_factory=lambda: np.eye(4))
    key: str = ""
    shadow: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamp:
    """A round lamp.

    Attributes
    ----------
    at : world position
    toward : world point it shines on; the shadow map looks there
    colour : linear RGB, the irradiance it gives at `toward`
    radius : of the luminous disc in world units: softness of its shadows, size of its highlights
    spread : half angle of its cone in degrees that the shadow map covers
    """

    at: tuple[float, float, float]
    toward: tuple[float, float, float]
    colour: Colour
    radius: float
    spread: float = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A camera with the lens of the SETUP file.

    Attributes
    ----------
    size : (width, height) px
    f_px, cx_px, cy_px, k1, k2 : focal length, centre, radial distortion (Brown: r' = r (1 + k1 r^2 + k2 r^4))
    pose : (4, 4) world to camera; camera frame x right, y down, z forward
    """

    size: tuple[int, int]
    f_px: float
    cx_px: float
    cy_px: float
    k1: float = 0.0
    k2: float = 0.0
    pose: Floats = field(compare=False)

    def position(self) -> Floats:
        """Where it stands, world frame."""
        turn = self.pose[:3, :3]
        return np.asarray(-turn.T @ self.pose[:3, 3])

    def to_px(self, points: Floats) -> Floats:
        """Project world points (N, 3) to distorted pixels (N, 2); nan behind the camera."""
        at = np.asarray(points, float).reshape(-1, 3) @ self.pose[:3, :3].T + self.pose[:3, 3]
        depth = np.where(at[:, 2] > 1e-9, at[:, 2], np.nan)
        plane = at[:, :2] / depth[:, None]
        square = (plane**2).sum(1, keepdims=True)
        bent = plane * (1 + self.k1 * square + self.k2 * square**2)
        return np.asarray(bent * self.f_px + (self.cx_px, self.cy_px))

    def lens(self) -> dict[str, float]:
        """Give the `lens` object of the SETUP file."""
        return {
            "f_px": round(self.f_px, 2),
            "cx_px": round(self.cx_px, 2),
            "cy_px": round(self.cy_px, 2),
            "k1": round(self.k1, 5),
            "k2": round(self.k2, 5),
        }


def fitted(probe: Camera, points: Floats, fill: float, k1: float, k2: float = 0.0) -> Camera:
    """Give a camera at the probe's place whose picture points (N, 3) fill to a share `fill` of its smaller reach.

    The distortion is bounded so that the lens is one-to-one well beyond the picture's corners.
    """
    at = points @ probe.pose[:3, :3].T + probe.pose[:3, 3]
    plane = at[:, :2] / at[:, 2:]
    room = np.array([probe.cx_px, probe.cy_px])
    for _ in range(4):
        square = (plane**2).sum(1, keepdims=True)
        f_px = float((room / np.abs(plane * (1 + k1 * square + k2 * square**2)).max(0)).min() * fill)
        corner = float(np.hypot(*room)) / f_px
        k1 = float(np.clip(k1, -0.085 / corner**2, 0.15 / corner**2))  # a lens folds at -0.148
    return Camera(size=probe.size, f_px=f_px, cx_px=probe.cx_px, cy_px=probe.cy_px, k1=k1, k2=k2, pose=probe.pose)


def look_at(
    eye: Floats, target: Floats, roll_deg: float = 0.0, up: tuple[float, float, float] = (0, 1, 0)
) -> Floats:
    """World-to-camera pose (4, 4) of a camera at `eye` that has `target` in its centre, turned by `roll_deg`."""
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    forward = target - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    roll = np.radians(roll_deg)
    turn = np.stack(
        [np.cos(roll) * right + np.sin(roll) * down, np.cos(roll) * down - np.sin(roll) * right, forward]
    )
    pose = np.eye(4)
    pose[:3, :3] = turn
    pose[:3, 3] = -turn @ eye
    return pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """What the camera makes of the light; all applied after the drawing, in `vision.synth.sensor`.

    Attributes
    ----------
    exposure : factor on the light before the tone curve
    balance : factors on R, G, B (white balance that misses)
    contrast : 1 leaves the tone curve as it is
    saturation : 1 leaves colours as they are
    noise : standard deviation at mid grey in 8-bit steps
    grain_px : correlation length of the noise
    blur_px : standard deviation of defocus
    sharpen : strength of the camera's own edge enhancement
    vignette : darkening of the corners, 0…1
    jpeg : quality of the JPEG, 0 for none
    """

    exposure: float = 1.0
    balance: Colour = (1.0, 1.0, 1.0)
    contrast: float = 1.0
    saturation: float = 1.0
    noise: float = 2.0
    grain_px: float = 0.7
    blur_px: float = 0.5
    sharpen: float = 0.0
    vignette: float = 0.1
    jpeg: int = 90


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """Everything in view.

    Attributes
    ----------
    sky, ground : linear RGB of the light from above and below (`up` is the world's up)
    screens : planes (a, b, c, d), a x + b y + c z = d, the farthest that shadows fall on
    unit_m : metres a world unit
    """

    items: tuple[Item, ...]
    lamps: tuple[Lamp, ...]
    camera: Camera
    sensor: Sensor
    sky: Colour = (0.25, 0.25, 0.25)
    ground: Colour = (0.12, 0.11, 0.10)
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    screens: tuple[tuple[float, float, float, float], ...] = ()
    unit_m: float = 0.01

    def with_items(self, *items: Item) -> "Scene":
        """Give the scene with more items."""
        return replace(self, items=self.items + items)


def pose_at(xyz: Any, turn: Floats | None = None) -> Floats:  # noqa: ANN401 - anything numpy takes as a point
    """Object-to-world pose (4, 4) from a point and a rotation (3, 3)."""
    pose = np.eye(4)
    pose[:3, 3] = xyz
    if turn is not None:
        pose[:3, :3] = turn
    return pose


def turn_z_to(direction: Floats, spin_rad: float = 0.0) -> Floats:
    """Rotation (3, 3) that turns the z axis to `direction`, after a spin about z."""
    z = np.asarray(direction, float) / np.linalg.norm(direction)
    helper = np.array([1.0, 0, 0]) if abs(z[0]) < 0.9 else np.array([0, 1.0, 0])
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    c, s = np.cos(spin_rad), np.sin(spin_rad)
    return np.stack([c * x + s * y, c * y - s * x, z], axis=1)


def turn_of(quaternion: tuple[float, float, float, float]) -> Floats:
    """Rotation (3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
