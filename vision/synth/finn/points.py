"""Key points of a Finn Billiards still, as its truth has them."""

from vision.synth.fast import FastEngine
from vision.synth.finn.parts import build
from vision.synth.finn.recipe import moment
from vision.synth.finn.truth import pin_truth
from vision.synth.pixels import Aimed
from vision.synth.scene import Camera, Scene


def camera(seed: int) -> Camera:
    """Give a still's camera."""
    return moment(seed).scene.camera


def aimed(seed: int, engine: FastEngine) -> tuple[Scene, list[Aimed]]:  # noqa: ARG001 - other games need it
    """Give bases and tops."""
    now = moment(seed)
    last = now.run.layout(now.run.seconds)
    found: list[Aimed] = []
    for number, piece in last.pins:
        told = pin_truth(now.scene, piece, "", frozenset())
        ends = ((name, told[name]) for name in ("base_px", "top_px"))
        found += [Aimed(key=f"pin{number}", name=name, xy_px=(px[0], px[1])) for name, px in ends]
    return build(now.scene, last), found
