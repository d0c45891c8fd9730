"""Stills of Astrolabe: the table before and after a shot, with the truth."""

from dataclasses import replace

import numpy as np

from vision.synth.astrolabe.look import AstrolabeScene, Marble
from vision.synth.astrolabe.parts import build
from vision.synth.astrolabe.physics import place_of
from vision.synth.astrolabe.recipe import Moment, moment
from vision.synth.astrolabe.truth import still_truth
from vision.synth.fast import FastEngine
from vision.synth.made import Painter, Stills
from vision.synth.scene import Bytes
from vision.synth.sensor import develop, expose

FLICKER = 0.02
STAYED_CM = 0.01  # physics lets what nobody touched settle by less


def still(seed: int, engine: FastEngine, painter: Painter | None = None) -> Stills:
    """Draw a shot from its seed; balls that rolled back have been taken up."""
    now = moment(seed)
    look, table = now.scene, now.scene.look.table
    after = tuple(ball for ball in as_before(now) if place_of(ball, table) != "hand")
    rng = np.random.default_rng((seed, 703))
    truth = {"seed": seed, **still_truth(now, engine)}
    painter = painter or engine
    pictures = {"before": _shot(look, now.before, painter, rng), "after": _shot(look, after, painter, rng)}
    return Stills(pictures=pictures, jpeg=look.sensor.jpeg, truth=truth)


def as_before(now: Moment) -> list[Marble]:
    """Give where all balls are at last; those that nothing moved are where they were, and not drawn again."""
    last = now.run.balls(now.run.seconds)
    pairs = zip(now.before, last, strict=False)
    known = [old if np.abs(np.subtract(old.at_cm, new.at_cm)).max() < STAYED_CM else new for old, new in pairs]
    return [*known, *last[len(known) :]]


def _shot(look: AstrolabeScene, balls: tuple[Marble, ...], painter: Painter, rng: np.random.Generator) -> Bytes:
    gain = float(np.exp(rng.normal(0, FLICKER)))
    return expose(develop(painter.draw(build(look, balls)), look.sensor), replace(look.sensor, jpeg=0), rng, gain)
