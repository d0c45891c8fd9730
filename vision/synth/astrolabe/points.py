"""Key points of an Astrolabe still, as its truth has them."""

from vision.synth.astrolabe.parts import build
from vision.synth.astrolabe.physics import place_of
from vision.synth.astrolabe.recipe import moment
from vision.synth.astrolabe.truth import key_points
from vision.synth.fast import FastEngine
from vision.synth.pixels import Aimed
from vision.synth.scene import Camera, Scene


def camera(seed: int) -> Camera:
    """Give a still's camera."""
    return moment(seed).scene.camera


def aimed(seed: int, engine: FastEngine) -> tuple[Scene, list[Aimed]]:
    """Give the balls' centres."""
    now = moment(seed)
    look = now.scene
    balls = tuple(b for b in now.run.balls(now.run.seconds) if place_of(b, look.look.table) != "hand")
    rows = key_points(look, balls, engine)
    found = [
        Aimed(key=f"ball{k}", name="centre_px", xy_px=(row["centre_px"][0], row["centre_px"][1]))
        for k, row in enumerate(rows)
    ]
    return build(look, balls), found
