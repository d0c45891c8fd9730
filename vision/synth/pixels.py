"""Truth held against pixels: the key points that truth projects must lie on what they belong to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from vision.synth.fast import FastEngine
from vision.synth.scene import Scene

REACH_PX = 2  # a dart's tip is one or two pixels wide; lenses are drawn by nearest pixels in masks


@dataclass(frozen=True, slots=True, kw_only=True)
class Aimed:
    """A key point: of which object of the scene, called what, where (px)."""

    key: str
    name: str
    xy_px: tuple[float, float]


def misses(game: str, seed: int, engine: FastEngine) -> tuple[list[Aimed], int]:
    """Give the key points of a still that lie beside their object, and how many lie in the picture."""
    scene, points = import_module(f"vision.synth.{game}.points").aimed(seed, engine)
    wide, tall = scene.camera.size
    inside = [p for p in points if 0 <= p.xy_px[0] <= wide - 1 and 0 <= p.xy_px[1] <= tall - 1]
    return list(_missed(scene, inside, engine)), len(inside)


def _missed(scene: Scene, points: Sequence[Aimed], engine: FastEngine) -> Iterator[Aimed]:
    for key in dict.fromkeys(point.key for point in points):
        whole = engine.part(scene, key)
        for point in points:
            if point.key == key and not whole.near(point.xy_px, REACH_PX):
                yield point


def checked(game: str, seeds: Sequence[int], engine: FastEngine) -> dict[str, Any]:
    """Give how many scenes and points hold, and what does not."""
    wrong: dict[int, list[str]] = {}
    count = 0
    for seed in seeds:
        missed, inside = misses(game, seed, engine)
        count += inside
        if missed:
            wrong[seed] = [f"{point.key} {point.name} {point.xy_px}" for point in missed]
    return {
        "game": game,
        "scenes": len(seeds),
        "points": count,
        "percent_of_scenes": round(100 * (1 - len(wrong) / max(len(seeds), 1)), 2),
        "wrong": {str(seed): told for seed, told in wrong.items()},
    }
