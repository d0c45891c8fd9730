"""From a scene that changes with time to the frames a camera sends: motion blur, flicker, noise."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cv2
import numpy as np

from vision.synth.fast import FastEngine
from vision.synth.scene import Bytes, Camera, Item, Scene, Sensor
from vision.synth.sensor import develop, expose

SHUTTER_S = 0.012
BLUR_STEPS = 3
SEEN_PX = 30  # of an arm from which it is in the picture


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reel:
    """A filmed scene: what is there at a time, a key that changes with it, whether it is fast; frames, flicker."""

    scene_at: Callable[[float], Scene]
    key_at: Callable[[float], Any]
    fast_at: Callable[[float], bool]
    sensor: Sensor
    frames: int
    fps: int
    flicker: float


class _Run(Protocol):
    @property
    def seconds(self) -> float: ...


class _Play(Protocol):
    @property
    def t_s(self) -> float: ...

    @property
    def run(self) -> _Run: ...


class _Look(Protocol):
    @property
    def sensor(self) -> Sensor: ...

    @property
    def camera(self) -> Camera: ...


class Clip(Protocol):
    """What the scripts of both tables have: how it looks, what is shot when, how long, at what rate."""

    @property
    def scene(self) -> _Look:
        """Camera and sensor among other things."""
        ...

    @property
    def plays(self) -> Sequence[_Play]:
        """Shots, in order."""
        ...

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        ...

    @property
    def fps(self) -> int:
        """Frames a second."""
        ...

    @property
    def flicker(self) -> float:
        """How much the light flickers."""
        ...


def filmed(
    clip: Clip, scene_at: Callable[[float], Scene], key_at: Callable[[float], Any], engine: FastEngine, seed: int
) -> Iterator[Bytes]:
    """Give the frames of a table's clip: fast while a shot runs, slow while hands are at work."""
    reel = Reel(
        scene_at=scene_at,
        key_at=key_at,
        fast_at=lambda t: any(0 <= t - play.t_s < play.run.seconds for play in clip.plays),
        sensor=clip.scene.sensor,
        frames=round(clip.seconds * clip.fps),
        fps=clip.fps,
        flicker=clip.flicker,
    )
    return shoot(reel, engine, seed)


def shoot(reel: Reel, engine: FastEngine, seed: int) -> Iterator[Bytes]:
    """Give the frames: what stands still is drawn once, what moves is drawn several times a frame."""
    rng = np.random.default_rng((seed, 211))
    phase = rng.uniform(0, 2 * np.pi)
    known: tuple[Any, Bytes] | None = None
    for frame in range(reel.frames):
        t = frame / reel.fps
        key = reel.key_at(t)
        if key != reel.key_at(t + SHUTTER_S):
            picture = _blurred(reel, engine, t)
        elif known is not None and known[0] == key:
            picture = known[1]
        else:
            picture = develop(engine.draw(reel.scene_at(t)), reel.sensor)
            known = (key, picture)
        gain = 1 + reel.flicker * (np.sin(2 * np.pi * 0.23 * t + phase) + 0.5 * rng.standard_normal())
        yield expose(picture, reel.sensor, rng, float(gain))


def _blurred(reel: Reel, engine: FastEngine, t_s: float) -> Bytes:
    """Average what passes while the shutter is open; hands are slow enough to be drawn once."""
    steps = BLUR_STEPS if reel.fast_at(t_s) else 1
    total: Any = None
    for k in range(steps):
        shot = engine.draw(reel.scene_at(t_s + SHUTTER_S * (k + 0.5) / steps)).astype(np.uint16)
        total = shot if total is None else total + shot
    return develop(np.asarray(total // steps, np.uint8), reel.sensor)


def frames_with(
    items_at: Callable[[float], tuple[Item, ...]], scene: Scene, span: range, fps: int, engine: FastEngine
) -> list[int] | None:
    """Give the first and last frame of `span` in which any of some items is in the picture, or None."""

    def seen(frame: int) -> bool:
        items = items_at(frame / fps)
        bare = replace(scene, items=items, lamps=())
        return bool(items) and cv2.countNonZero(engine.names(bare)) > SEEN_PX

    first = next((frame for frame in span if seen(frame)), None)
    last = next((frame for frame in reversed(span) if seen(frame)), None)
    return None if first is None or last is None else [first, last]
