"""The slow engine: Blender's Cycles, for pictures that should pass for photographs.

Blender comes as the Python package `bpy`, whose wheels exist for one version of Python and want an older numpy
than this project's. So it runs in a process of its own, by whichever Python has it: see
`docs/decisions/0006-photo-renderer.md`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.synth.lens import pinhole, through
from vision.synth.scene import Bytes, Camera, Item, Material, Scene

PROGRAM = Path(__file__).with_name("blender.py")
SAMPLES = 12  # a pixel, before the denoiser: twice as many take twice as long and look the same at 720p
APERTURE_M = 0.0018  # of a webcam or a phone: a flight 10 cm before a board that is in focus is about 1 px blurred
GREY = 0.2  # mean light of a well exposed picture, linear
METERING = 0.75  # share (in stops) of what is too bright or too dark that the automatic exposure makes good
SLOWEST_S = 900.0
Light = NDArray[np.float32]


def open_photo(python: str = "") -> "PhotoEngine | Failure":
    """Give an engine that runs Blender by a Python (this one if none is named), or say what is missing."""
    return _opened(python or sys.executable)


@lru_cache(maxsize=2)
def _opened(python: str) -> "PhotoEngine | Failure":
    asked = [python, "-c", "import bpy; print('blender', bpy.app.version_string)"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Failure("NO_RENDERER", f"{python} does not run: {error}")
    lines = [line for line in told.stdout.splitlines() if line.startswith("blender ")]
    if not lines:
        return Failure(
            "NO_RENDERER",
            f"{python} has no Blender; make a Python 3.11 environment, `pip install bpy==5.0.1` there, "
            "and name its python with --blender or TALLYCAM_BLENDER",
        )
    return PhotoEngine(python, lines[0].split()[1])


@dataclass(frozen=True, slots=True)
class PhotoEngine:
    """Draws scenes as Blender sees them.

    Attributes
    ----------
    python : the program that has `bpy`
    version : of Blender
    samples : light paths a pixel
    """

    python: str
    version: str
    samples: int = SAMPLES

    @property
    def renderer(self) -> str:
        """Name it in manifests."""
        return f"Blender Cycles, {self.samples} samples, denoised"

    def draw(self, scene: Scene) -> Bytes:
        """Draw what reaches the sensor, through the lens: sRGB (H, W, 3) in BGR order, without noise.

        Raises
        ------
        RuntimeError
            Where Blender fails; with the last it said.
        """
        wide, bend = pinhole(scene.camera)
        light = self._light(replace(scene, camera=wide))
        light *= np.asarray(scene.sensor.balance, np.float32) * metered(light) * scene.sensor.exposure
        levels = np.clip(shoulder(light), 0, 1) ** (1 / 2.2) * 255
        return through(bend, np.asarray(levels + 0.5, np.uint8)[..., ::-1])

    def _light(self, scene: Scene) -> Light:
        with TemporaryDirectory() as name:
            folder = Path(name)
            told, arrays = described(scene)
            told |= {"samples": self.samples, "threads": os.cpu_count() or 1}
            (folder / "scene.json").write_text(json.dumps(told), encoding="utf-8")
            np.savez(folder / "arrays.npz", allow_pickle=False, **arrays)
            asked = [self.python, str(PROGRAM), str(folder)]
            ran = subprocess.run(asked, capture_output=True, text=True, timeout=SLOWEST_S, check=False)
            if not (folder / "light.npy").is_file():
                said = (ran.stderr or ran.stdout).strip().splitlines()[-1:] or ["it said nothing"]
                raise RuntimeError(f"Blender drew nothing (exit status {ran.returncode}): {said[0]}")
            return np.asarray(np.load(folder / "light.npy"), np.float32)


def metered(light: Light) -> float:
    """Give the gain of a camera that meters its picture's middle more than its edges, and not all the way."""
    height, width = light.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    weight = np.exp(-1.5 * (x * x + y * y))
    mean = float((light.mean(2) * weight).sum() / weight.sum())
    return float((GREY / max(mean, 1e-4)) ** METERING)


def shoulder(light: Light) -> Light:
    """Roll off the highlights: 0 stays 0, 0.5 about 0.5, and what is very bright nears 1."""
    return np.asarray(np.where(light < 0.5, light, 1 - 0.5 * np.exp(1 - 2 * np.maximum(light, 0.5))), np.float32)


def described(scene: Scene) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Give a scene as JSON and arrays, in metres, camera without distortion: what `blender.py` reads."""
    unit = scene.unit_m
    meshes = list({id(item.mesh): item.mesh for item in scene.items}.values())
    looks = list({id(item.material): item.material for item in scene.items}.values())
    textures = list({id(look.texture): look.texture for look in looks if look.texture is not None}.values())
    arrays: dict[str, NDArray[Any]] = {f"texture{k}": texture.rgba for k, texture in enumerate(textures)}
    for k, mesh in enumerate(meshes):
        arrays[f"points{k}"], arrays[f"normals{k}"], arrays[f"uv{k}"] = mesh.points * unit, mesh.normals, mesh.uv
        arrays[f"triangles{k}"] = _outward(mesh.points, mesh.normals, mesh.triangles)
    told = {
        "unit_m": unit,
        "meshes": len(meshes),
        "textures": len(textures),
        "materials": [_look(look, textures) for look in looks],
        "items": [_item(item, meshes, looks, unit) for item in scene.items],
        "lamps": [
            {
                "at": [v * unit for v in lamp.at],
                "far": float(np.linalg.norm(np.subtract(lamp.at, lamp.toward))) * unit,
                "radius": lamp.radius * unit,
                "colour": list(lamp.colour),
            }
            for lamp in scene.lamps
        ],
        "sky": list(scene.sky),
        "ground": list(scene.ground),
        "up": list(scene.up),
        "camera": _camera(scene.camera, scene),
    }
    return told, arrays


def _outward(
    points: NDArray[np.float32], normals: NDArray[np.float32], triangles: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Turn triangles (M, 3) that run against their normals: Blender goes by the order of the corners."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    against = (np.cross(b - a, c - a) * normals[triangles].mean(1)).sum(1) < 0
    return np.where(against[:, None], triangles[:, ::-1], triangles)


def _look(look: Material, textures: Sequence[Any]) -> dict[str, Any]:
    told = {name: value for name, value in asdict(replace(look, texture=None)).items() if name != "texture"}
    number = next((k for k, texture in enumerate(textures) if texture is look.texture), None)
    return {**told, "texture": number, "tiles": bool(look.texture and look.texture.tiles)}


def _item(item: Item, meshes: Sequence[Any], looks: Sequence[Any], unit: float) -> dict[str, Any]:
    pose = item.pose.copy()
    pose[:3, 3] *= unit
    return {
        "mesh": next(k for k, mesh in enumerate(meshes) if mesh is item.mesh),
        "material": next(k for k, look in enumerate(looks) if look is item.material),
        "pose": pose.tolist(),
        "shadow": item.shadow,
    }


def _camera(camera: Camera, scene: Scene) -> dict[str, Any]:
    pose = np.linalg.inv(camera.pose) @ np.diag([1.0, -1, -1, 1])  # Blender's cameras look along -z, y up
    pose[:3, 3] *= scene.unit_m
    return {
        "size": list(camera.size),
        "f_px": camera.f_px,
        "cx_px": camera.cx_px,
        "cy_px": camera.cy_px,
        "pose": pose.tolist(),
        "aperture_m": APERTURE_M,
        "focus_m": focus(camera, scene) * scene.unit_m,
    }


def focus(camera: Camera, scene: Scene) -> float:
    """Give how far off things are sharp, world units along the axis: where it meets the nearest plane of play."""
    eye, forward = camera.position(), camera.pose[2, :3]
    found = []
    for *normal, d in scene.screens[:1]:
        sinks = float(-(forward @ normal))
        if sinks > 1e-6:
            found.append(float(eye @ normal - d) / sinks)
    return found[0] if found else float(np.linalg.norm(eye))
