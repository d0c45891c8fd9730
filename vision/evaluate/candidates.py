"""The examples on which candidates for a network are held against the one in use, from seeds kept for this."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vision.evaluate.finn import Shot, Verdict, judge_all, load_shots
from vision.evaluate.promotion import Judged
from vision.failure import Failure
from vision.finn.numbers import COUNT, TURNS
from vision.models import instead, opened
from vision.train.pin_crops import as_seen, crop

Judge: TypeAlias = Callable[[Path, Path], list[Judged]]

HELD_BACK: Final = 90_001
"""Seed of what is drawn for judging; training draws from others."""

CROPS: Final = 4_000
SHOTS: Final = 120
"""Shots that finders of pins are judged on: two readings of a second each."""
SURE: Final = 0.97
"""Chance from which a number would be taken without a look."""


def judge_pin_numbers(now: Path, candidate: Path) -> list[Judged]:
    """Hold two readers of pin numbers against each other on drawn heads; slices: each number, none, dim, faint."""
    rng = np.random.default_rng(HELD_BACK)
    made = [crop(rng) for _ in range(CROPS)]
    pictures = np.stack([picture for picture, _, _ in made])
    seen = as_seen(pictures)
    answers = [_numbers(path, seen) for path in (now, candidate)]
    levels, spread = pictures.mean(axis=(1, 2)), pictures.std(axis=(1, 2))
    dim, faint = levels < np.percentile(levels, 15), spread < np.percentile(spread, 15)
    judged = []
    for i, (_, number, _) in enumerate(made):
        slices = [f"number {number}" if number else "no number"]
        slices += ["dim"] * bool(dim[i]) + ["faint"] * bool(faint[i])
        right, sure = zip(*((said[i] == number, chance[i] > SURE) for said, chance in answers), strict=True)
        judged.append(
            Judged(
                slices=tuple(slices),
                right=(bool(right[0]), bool(right[1])),
                accepted=(bool(sure[0]), bool(sure[1])),
            )
        )
    return judged


def judge_finn_pins(now: Path, candidate: Path) -> list[Judged]:
    """Hold two finders of pins against each other on drawn shots that neither has learnt from, read whole.

    A shot is right where every state is, by name (by count, where nobody can tell names); slices: each state that
    pins came to, the views, the start layout. The shots are drawn once and kept in the user's cache.

    Raises
    ------
    RuntimeError
        Where nothing can draw.
    """
    shots = _held_back_shots(SHOTS)
    answers = []
    for path in (now, candidate):
        with instead("finn-pins", path):
            answers.append(judge_all(shots))
    return [judged_shot(first, second) for first, second in zip(*answers, strict=True)]


def judged_shot(first: Verdict, second: Verdict) -> Judged:
    """Give a shot as two readers answered it, with its slices."""
    truth = first.shot.truth
    slices = sorted({state for state in first.shot.states.values() if state != "upright"})
    slices += [f"view {truth['view']}"] if "view" in truth else []
    slices += ["start layout"] if truth.get("start_layout") else []
    return Judged(
        slices=tuple(slices),
        right=(first.right, second.right),
        accepted=(first.accepted, second.accepted),
    )


def _held_back_shots(count: int) -> list[Shot]:
    from vision.synth.order import Order  # noqa: PLC0415 - who judges numbers needs no renderer
    from vision.synth.sets import kept_in  # noqa: PLC0415

    folder = kept_in("finn", "stills", "fast")
    order = Order(game="finn", kind="stills", quality="fast", seed=HELD_BACK, count=count, folder=folder)
    try:
        from vision.synth.work import make  # noqa: PLC0415

        make(order)
    except ModuleNotFoundError as error:
        raise RuntimeError(f"judging needs {error.name}: pip install 'tallycam[synth]'") from error
    found = load_shots(folder)
    if isinstance(found, Failure):
        raise RuntimeError(found.message)
    wanted = {f"{seed:06d}" for seed in order.seeds}
    return [shot for shot in found if shot.name in wanted]


def _numbers(path: Path, seen: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Give what a network reads, 0 for none, and its chance."""
    network = opened(path)
    logits = np.concatenate(
        [
            np.asarray(network.run(None, {"seen": part})[0], np.float64)
            for part in np.array_split(seen, -(-len(seen) // 256))
        ]
    )
    logits -= logits.max(axis=1, keepdims=True)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    numbers = chances[:, :-1].reshape(-1, COUNT, TURNS).sum(axis=2)
    none = chances[:, -1]
    said = np.where(numbers.max(axis=1) > none, numbers.argmax(axis=1) + 1, 0)
    return said, np.maximum(numbers.max(axis=1), none)


JUDGES: Final[Mapping[str, Judge]] = {"finn-pins": judge_finn_pins, "pin-numbers": judge_pin_numbers}
"""What judges candidates, by the network's name."""
