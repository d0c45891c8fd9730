"""What happens how often in a set of scenes, by their scripts and physics alone: nothing is drawn."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Any

Happened = frozenset[str]


def shares(game: str, kind: str, seeds: Sequence[int], workers: int) -> dict[str, Any]:
    """Give the number of shots (or throws, or scenes) of a set, and how many of them show what, in per cent.

    What a game can show but did not is in the table with 0.
    """
    module = import_module(f"vision.synth.{game}.shares")
    found: Counter[str] = Counter()
    shots = 0
    for happened in _each(game, kind, seeds, workers):
        shots += 1
        found.update(happened)
    names = [*module.NAMES, *sorted(set(found) - set(module.NAMES))]
    return {
        "game": game,
        "kind": kind,
        "shots": shots,
        "percent": {name: round(100 * found[name] / max(shots, 1), 1) for name in names},
    }


def _each(game: str, kind: str, seeds: Sequence[int], workers: int) -> Iterator[Happened]:
    calls = [(game, kind, seed) for seed in seeds]
    if workers == 1:
        for call in calls:
            yield from one(call)
        return
    with ProcessPoolExecutor(workers or os.cpu_count() or 1, mp_context=get_context("spawn")) as pool:
        for shots in pool.map(one, calls, chunksize=4):
            yield from shots


def one(call: tuple[str, str, int]) -> list[Happened]:
    """Give what happened in each shot of a scene."""
    game, kind, seed = call
    module = import_module(f"vision.synth.{game}.shares")
    found: list[Happened] = module.still(seed) if kind == "stills" else module.clip(seed)
    return found
