"""Stills of Finn Billiards: the board before and after a shot, with the truth."""

from dataclasses import replace

import numpy as np

from vision.synth.fast import FastEngine
from vision.synth.finn.look import FinnScene, Layout
from vision.synth.finn.parts import build
from vision.synth.finn.recipe import moment
from vision.synth.finn.states import as_before, standing
from vision.synth.finn.truth import still_truth
from vision.synth.made import Painter, Stills
from vision.synth.scene import Bytes
from vision.synth.sensor import develop, expose

FLICKER = 0.02


def still(seed: int, engine: FastEngine, painter: Painter | None = None) -> Stills:
    """Draw a shot from its seed."""
    now = moment(seed)
    look = now.scene
    run = now.run
    first = standing(now.before)
    last = as_before(first, run.layout(run.seconds))
    rng = np.random.default_rng((seed, 503))
    known = still_truth(look, now.before, run, (first, last), engine)
    truth = {"start_layout": now.start_layout, "seed": seed, **known}
    painter = painter or engine
    pictures = {"before": _shot(look, first, painter, rng), "after": _shot(look, last, painter, rng)}
    return Stills(pictures=pictures, jpeg=look.sensor.jpeg, truth=truth)


def _shot(look: FinnScene, layout: Layout, painter: Painter, rng: np.random.Generator) -> Bytes:
    gain = float(np.exp(rng.normal(0, FLICKER)))
    return expose(develop(painter.draw(build(look, layout)), look.sensor), replace(look.sensor, jpeg=0), rng, gain)
