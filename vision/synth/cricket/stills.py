"""Stills of cricket: the board before and after the new darts of a moment, with the truth."""

from dataclasses import replace

import numpy as np

from vision.synth.cricket.look import CricketScene
from vision.synth.cricket.parts import build
from vision.synth.cricket.recipe import scene
from vision.synth.cricket.truth import truth_of
from vision.synth.fast import FastEngine
from vision.synth.made import Painter, Stills
from vision.synth.scene import Bytes
from vision.synth.sensor import develop, expose

FLICKER = 0.02  # how the light may differ between before and after, one standard deviation


def still(seed: int, engine: FastEngine, painter: Painter | None = None) -> Stills:
    """Draw a scene; as a rule one dart is new, sometimes all of them are. Truth is the `engine`'s either way."""
    look = scene(seed)
    rng = np.random.default_rng((seed, 109))
    count = len(look.darts)
    known = 0 if count == 0 or rng.random() < 0.2 else count - 1
    before = _shot(replace(look, darts=look.darts[:known]), painter or engine, rng)
    after = _shot(look, painter or engine, rng)
    truth = {"seed": seed, "size": list(look.camera.size), "known": known, **truth_of(look, engine)}
    return Stills(pictures={"before": before, "after": after}, jpeg=look.sensor.jpeg, truth=truth)


def _shot(look: CricketScene, painter: Painter, rng: np.random.Generator) -> Bytes:
    """Take a picture; the JPEG is made when it is written."""
    gain = float(np.exp(rng.normal(0, FLICKER)))
    return expose(develop(painter.draw(build(look)), look.sensor), replace(look.sensor, jpeg=0), rng, gain)
