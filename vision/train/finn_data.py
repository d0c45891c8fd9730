"""What the network that finds pins learns from: synthetic shots redrawn from above, with what each pixel shows.

A shard is a pure function of its kind and number, so that making them can stop, go on and be shared out; a
finished shard is never made twice. Most hold shots; some hold pins that were let fall to lean
(`vision.train.finn_drops`).
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.bird import Bird, bird_of, known_pins
from vision.finn.camera import Camera, cameras
from vision.finn.pins import Body
from vision.setup import Setup, parse_setup
from vision.synth.fast import FastEngine, keys, open_fast
from vision.synth.finn.look import FinnScene, Layout, Piece
from vision.synth.finn.parts import build
from vision.synth.finn.recipe import Moment, moment
from vision.synth.finn.states import rotation, standing, states, tilt_deg
from vision.synth.finn.truth import setup_of
from vision.synth.scene import Camera as SceneCamera
from vision.synth.sensor import develop, expose
from vision.train.finn_drops import dropped
from vision.train.finn_samples import DISC, LEANING, LYING, UPRIGHT, Sample

Array = NDArray[np.float64]
Bytes = NDArray[np.uint8]

SCENES_PER_SHARD: Final = 8
POINT_PX: Final = 0.8
"""Spread of the marked corners."""

DULL: Final = 0.3
"""Share of air shots that is kept: they teach little."""

HEIGHT: Final = 0.05
"""Spread of the pins' height as it is thought to be: focal lengths are known about so well."""


def shards(shots: int, drops: int) -> list[tuple[str, int]]:
    """Give the kinds and numbers of so many shards of shots and of pins let fall, spread evenly."""
    each = [("finn", k, (k + 0.5) / max(shots, 1)) for k in range(shots)]
    each += [("drop", k, (k + 0.5) / max(drops, 1)) for k in range(drops)]
    return [(kind, number) for kind, number, _ in sorted(each, key=lambda one: one[2])]


def path_of(shard: tuple[str, int], folder: Path) -> Path:
    """Give where a shard lies."""
    return folder / f"{shard[0]}-{shard[1]:05d}.npz"


def make_shard(shard: tuple[str, int], folder: Path) -> Path:
    """Make a shard of a kind (`finn` or `drop`) and number if it is not there; gives its path."""
    kind, number = shard
    path = path_of(shard, folder)
    if not path.exists():
        engine = open_fast()
        assert isinstance(engine, FastEngine), engine
        first = number * SCENES_PER_SHARD
        parts: dict[str, Any] = {}
        for seed in range(first, first + SCENES_PER_SHARD):
            rng = np.random.default_rng((seed, 521 if kind == "finn" else 547))
            now = _shot_of(seed, rng) if kind == "finn" else dropped(seed)
            sample = None if now is None else make_sample(now, rng, engine)
            if sample is None:
                continue
            for name in ("before", "after", "known", "shows", "owner"):
                picture = name in ("before", "after")
                options = [cv2.IMWRITE_JPEG_QUALITY, 96] if picture else []
                parts[f"{seed}_{name}"] = cv2.imencode(
                    ".jpg" if picture else ".png", getattr(sample, name), options
                )[1]
            parts[f"{seed}_axes"], parts[f"{seed}_eye"] = sample.axes, sample.eye_cm
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, **parts)
        part.replace(path)
    return path


def _shot_of(seed: int, rng: np.random.Generator) -> Moment | None:
    """Draw a shot from its seed; None for most air shots."""
    now = moment(seed)
    dull = rng.random() > DULL
    return None if dull and set(states(now.run, now.scene.look.sizes).values()) == {"upright"} else now


def make_sample(now: Moment, rng: np.random.Generator, engine: FastEngine) -> Sample | None:
    """Draw a shot as it is learnt from; None where its board is not seen as it has to be."""
    scene = _smaller(now.scene, float(rng.uniform(0.5, 0.75)))
    sizes = scene.look.sizes
    first, last = standing(now.before), now.run.layout(now.run.seconds)
    if rng.random() < 0.5:
        home = Piece(at_cm=(14.0, scene.bow_y_cm, sizes.disc_high_cm / 2), turn=(1.0, 0.0, 0.0, 0.0))
        first = replace(first, disc=home)
    camera = _camera(scene, rng)
    if camera is None:
        return None
    bird = bird_of(camera)
    height = sizes.pin_high_cm * float(np.exp(rng.normal(0, HEIGHT)))
    places = [(x, y) for x, y, _ in now.before.values()]
    before, after = (_shot(scene, layout, engine, rng) for layout in (first, last))
    shows, owner, axes = _truth(now, scene, last, engine, bird)
    return Sample(
        before=bird.of(before),
        after=bird.of(after),
        known=known_pins(bird, places, Body(radius_cm=sizes.pin_cm / 2, height_cm=height)),
        shows=shows,
        owner=owner,
        axes=axes,
        eye_cm=bird.eye_cm,
    )


def _smaller(scene: FinnScene, factor: float) -> FinnScene:
    """Give the scene with a smaller picture: it is redrawn smaller still, and drawn faster."""
    camera = scene.camera
    size = (round(camera.size[0] * factor), round(camera.size[1] * factor))
    small = SceneCamera(
        size=size,
        f_px=camera.f_px * factor,
        cx_px=(camera.cx_px + 0.5) * factor - 0.5,
        cy_px=(camera.cy_px + 0.5) * factor - 0.5,
        k1=camera.k1,
        k2=camera.k2,
        pose=camera.pose,
    )
    return replace(scene, camera=small, sensor=replace(scene.sensor, blur_px=scene.sensor.blur_px * factor))


def _camera(scene: FinnScene, rng: np.random.Generator) -> Camera | None:
    told = setup_of(scene)
    told["board_px"] = [[float(v + rng.normal(0, POINT_PX / 2)) for v in point] for point in told["board_px"]]
    setup = parse_setup(told)
    assert isinstance(setup, Setup), setup
    found = cameras(setup, scene.camera.size)
    return found[0] if isinstance(found, tuple) else None


def _shot(scene: FinnScene, layout: Layout, engine: FastEngine, rng: np.random.Generator) -> Bytes:
    gain = float(np.exp(rng.normal(0, 0.04)))
    return expose(develop(engine.draw(build(scene, layout)), scene.sensor), scene.sensor, rng, gain)


def _truth(
    now: Moment, scene: FinnScene, last: Layout, engine: FastEngine, bird: Bird
) -> tuple[Bytes, Bytes, Array]:
    """Give what each pixel of the redrawn board shows, whose it is, and the bodies' axes."""
    built = build(scene, last)
    names, order = engine.names(built), keys(built)
    lookup = np.zeros((2, 256), np.uint8)
    axes: list[Array] = []
    found = states(now.run, scene.look.sizes)
    bodies = [(f"pin{number}", piece, found[number]) for number, piece in last.pins]
    if last.disc is not None:
        bodies.append(("disc", last.disc, "disc"))
    for key, piece, state in bodies:
        lookup[:, order.index(key) + 1] = _kind(piece, state), len(axes) + 1
        axes.append(bird.shadow(_ends(piece, state, scene)))
    small = names if bird.factor == 1 else _nearest(names, bird.factor)
    seen = cv2.remap(small, bird.map_px[..., 0], bird.map_px[..., 1], cv2.INTER_NEAREST, borderValue=(0,))
    return lookup[0][seen], lookup[1][seen], np.stack(axes)


def _nearest(names: Bytes, factor: float) -> Bytes:
    size = (round(names.shape[1] * factor), round(names.shape[0] * factor))
    return np.asarray(cv2.resize(names, size, interpolation=cv2.INTER_NEAREST), np.uint8)


def _kind(piece: Piece, state: str) -> int:
    if state == "off_board":
        return UPRIGHT if tilt_deg(piece) < 15 or tilt_deg(piece) > 165 else LYING
    return {"upright": UPRIGHT, "leaning": LEANING, "disc": DISC}.get(state, LYING)


def _ends(piece: Piece, state: str, scene: FinnScene) -> Array:
    sizes = scene.look.sizes
    at, up = np.asarray(piece.at_cm), rotation(piece)[:, 2]
    if state == "disc":
        half = sizes.disc_high_cm / 2
        return np.stack([at - up * half, at + up * half])
    return np.stack([at, at + up * (sizes.pin_high_cm + sizes.pin_low_cm) / 2])
