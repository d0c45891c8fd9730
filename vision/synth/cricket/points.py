"""Key points of a dartboard still, as its truth has them."""

from vision.synth.cricket.parts import build
from vision.synth.cricket.recipe import scene
from vision.synth.cricket.truth import truth_of
from vision.synth.fast import FastEngine
from vision.synth.pixels import Aimed
from vision.synth.scene import Camera, Scene


def camera(seed: int) -> Camera:
    """Give a still's camera."""
    return scene(seed).camera


def aimed(seed: int, engine: FastEngine) -> tuple[Scene, list[Aimed]]:
    """Give tips and flight ends."""
    look = scene(seed)
    darts = truth_of(look, engine)["darts"]
    found = [
        Aimed(key=f"dart{k}", name=name, xy_px=(dart[name][0], dart[name][1]))
        for k, dart in enumerate(darts)
        for name in ("tip_px", "flight_px")
    ]
    return build(look), found
