"""What Blender is told of a scene, and what a machine without it says; drawn for real where a Python has bpy."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vision.failure import Failure
from vision.synth import meshes
from vision.synth.fast import FastEngine, open_fast
from vision.synth.photo import PhotoEngine, described, metered, open_photo, shoulder
from vision.synth.scene import Camera, Item, Lamp, Material, Scene, Sensor, Texture, look_at, pose_at


def scene() -> Scene:
    """A grey floor in cm, a red ball over the middle, a lamp."""
    stripes = np.zeros((8, 8, 4), np.uint8)
    stripes[:, ::2, :3] = 255
    floor = Item(mesh=meshes.plate((-40, -40), (40, 40)), material=Material(texture=Texture(stripes), relief=0.1))
    ball = Item(
        mesh=meshes.ball(7.0), material=Material(colour=(0.9, 0.05, 0.05)), pose=pose_at((3, 2, 7)), key="ball"
    )
    return Scene(
        items=(floor, ball),
        lamps=(Lamp(at=(50, 0, 80), toward=(0, 0, 0), colour=(1.0, 1.0, 1.0), radius=5.0),),
        camera=Camera(
            size=(128, 80), f_px=160.0, cx_px=63.5, cy_px=39.5, pose=look_at(np.array([0.0, -40, 60]), np.zeros(3))
        ),
        sensor=Sensor(),
        up=(0.0, 0.0, 1.0),
        screens=((0.0, 0.0, 1.0, 0.0),),
    )


def test_a_scene_is_told_in_metres_with_triangles_that_face_as_their_normals_do() -> None:
    told, arrays = described(scene())
    told = json.loads(json.dumps(told))
    assert told["items"][1]["pose"][2][3] == pytest.approx(0.07)
    assert told["lamps"][0]["far"] == pytest.approx(np.hypot(0.5, 0.8))
    assert told["camera"]["focus_m"] == pytest.approx(np.hypot(0.4, 0.6))
    assert told["materials"][0]["texture"] == 0
    assert told["materials"][1]["texture"] is None
    assert np.abs(arrays["points1"]).max() == pytest.approx(0.07, abs=1e-6)
    for k in range(told["meshes"]):
        points, triangles = arrays[f"points{k}"], arrays[f"triangles{k}"]
        a, b, c = (points[triangles[:, i]] for i in range(3))
        facing = (np.cross(b - a, c - a) * arrays[f"normals{k}"][triangles].mean(1)).sum(1)
        assert (facing >= -1e-9).all()


def test_a_python_without_blender_is_told_how_to_come_by_it(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    for python in (str(bare), str(tmp_path / "none")):
        found = open_photo(python)
        assert isinstance(found, Failure)
        assert python in found.message
    assert "pip install bpy" in open_photo(str(bare)).message  # type: ignore[union-attr]


def test_a_program_that_draws_nothing_is_quoted(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho starting\necho no memory >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(RuntimeError, match="no memory"):
        PhotoEngine(str(broken), "5.0").draw(scene())


def test_a_camera_meters_most_of_what_is_too_dark_or_too_bright() -> None:
    dark, bright = np.full((9, 9, 3), 0.02, np.float32), np.full((9, 9, 3), 2.0, np.float32)
    assert 0.02 < 0.02 * metered(dark) < 0.2
    assert 0.2 < 2.0 * metered(bright) < 2.0


def test_highlights_roll_off_and_never_turn_back() -> None:
    levels = np.linspace(0, 8, 400, dtype=np.float32)
    rolled = shoulder(levels)
    assert (np.diff(rolled) >= 0).all()
    assert rolled[-1] < 1
    assert np.array_equal(rolled[levels < 0.5], levels[levels < 0.5])


@pytest.mark.slow
def test_blender_draws_what_the_fast_engine_draws_where_it_draws_it() -> None:
    photo, fast = open_photo(os.environ.get("TALLYCAM_BLENDER", sys.executable)), open_fast()
    if not isinstance(photo, PhotoEngine) or not isinstance(fast, FastEngine):
        pytest.skip("needs Blender (TALLYCAM_BLENDER) and OpenGL")
    seen = replace(scene(), camera=replace(scene().camera, k1=-0.05, cx_px=54.0, cy_px=36.0))
    picture = photo.draw(seen).astype(int)
    red = picture[..., 2] - picture[..., :2].max(2) > 40
    mask = fast.names(seen) > 0
    assert (red & mask).sum() / (red | mask).sum() > 0.85
