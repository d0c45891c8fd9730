"""Train what tells balls on a table of Astrolabe: `python -m vision.train.table_balls`, an hour of one core.

Shards of drawn places are made first (`vision.train.table_patches`); one that is there is not made again. Training
goes on from its checkpoint. The network is written as ONNX with its card.
"""

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.astrolabe.learned import ANSWERS, CHANNELS, SIDE, shown
from vision.synth.fast import need_fast
from vision.train.learning import keep, pace, resumed, say, write_card, write_onnx
from vision.train.nets import conv
from vision.train.table_patches import places, together

NAME: Final = "table-balls"
TABLES: Final = 330
SHARD: Final = 6
"""Tables of a shard."""

HELD_BACK: Final = 3
"""The last shards are held back."""

BATCH: Final = 128
RATE: Final = 2e-3
SMOOTH: Final = 0.002
LIKE: Final = 24.0
"""Steps a unit of likeness in which shards keep it."""

SURE: Final = 0.97
PROBES: Final = (17, 50)
"""Seed and count of the inputs whose answers the card keeps."""

Floats = NDArray[np.float32]
Drawn = tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.intp]]


class BallNet(nn.Module):
    """Whether a ball lies in the middle of a patch, and whose: (N, 5, SIDE, SIDE) to (N, 3) logits."""

    def __init__(self, width: int = 12) -> None:
        super().__init__()
        w = width
        self.body = nn.Sequential(
            conv(CHANNELS, w, 2, 5),
            conv(w, 2 * w),
            conv(2 * w, 3 * w, 2),
            conv(3 * w, 4 * w),
            conv(4 * w, 5 * w, 2),
        )
        side = -(-SIDE // 8)
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(5 * w * side * side, 48), nn.ReLU(), nn.Linear(48, ANSWERS)
        )

    def forward(self, seen: Tensor) -> Tensor:
        """Give logits of no ball, one of the first side's, one of the other's."""
        return self.head(self.body(seen))


def main() -> None:
    """Draw, train, measure, write `table-balls.onnx` and its card."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path("cache/table-balls"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--minutes", type=float, default=30.0, help="of the processor")
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--draw-only", action="store_true")
    parser.add_argument("--workers", type=int, default=2, help="processes that draw")
    asked = parser.parse_args()
    torch.manual_seed(7)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    asked.cache.mkdir(parents=True, exist_ok=True)
    # What draws and what learns cannot live in one process: the two bring libraries that bring each other down.
    with ProcessPoolExecutor(asked.workers) as pool:
        shards = list(pool.map(partial(_shard, asked.cache), range(asked.tables // SHARD)))
    if asked.draw_only:
        return
    loaded = [_load(path) for path in shards]
    learnt, held = _joined(loaded[:-HELD_BACK]), _joined(loaded[-HELD_BACK:])
    net = BallNet()
    steps = _fit(net, learnt, asked.minutes * 60, asked.cache, held)
    _write(
        net,
        asked.out / f"{NAME}.onnx",
        {"places": len(learnt[2]), "steps": steps, "held_back": measured(net, held)},
    )


def probes() -> Floats:
    """Give the inputs, (N, 5, SIDE, SIDE), whose answers the card keeps, to hold the written network to."""
    seed, count = PROBES
    return np.random.default_rng(seed).uniform(-1, 1, (count, CHANNELS, SIDE, SIDE)).astype(np.float32)


def _shard(cache: Path, k: int) -> Path:
    path = cache / f"places{k}.npz"
    if path.exists():
        return path
    engine = need_fast()
    drawn = [one for one in (places(k * SHARD + n, engine) for n in range(SHARD)) if one is not None]
    whole = together(drawn)
    part = path.with_suffix(".part.npz")
    np.savez(part, pixels=whole.pixels, like=np.round(whole.like * LIKE).astype(np.int8), holds=whole.holds)
    part.rename(path)
    say(f"{path.name}: {np.bincount(whole.holds, minlength=ANSWERS)}")
    return path


def _load(path: Path) -> Drawn:
    with np.load(path) as kept:
        return kept["pixels"], kept["like"], kept["holds"]


def _joined(parts: Sequence[Drawn]) -> Drawn:
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )


def _seen(drawn: Drawn, rows: NDArray[np.intp]) -> Floats:
    return shown(drawn[0][rows], drawn[1][rows].astype(np.float32) / np.float32(LIKE))


def varied(seen: Floats, holds: NDArray[np.intp], rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
    """Turn and mirror places, swap the sides, change the contrast, noise and likeness."""
    out, holds = seen.copy(), holds.copy()
    for k in range(len(out)):
        one = np.rot90(out[k], int(rng.integers(0, 4)), axes=(1, 2))
        out[k] = one[:, ::-1] if rng.random() < 0.5 else one
    swapped = rng.random(len(out)) < 0.5
    out[swapped] = out[swapped][:, [0, 1, 2, 4, 3]]
    holds[swapped] = np.array([0, 2, 1])[holds[swapped]]
    each = (len(out), 1, 1, 1)
    colours = out[:, :3] * np.exp(rng.normal(0, 0.15, each)) + rng.normal(0, 0.05, (len(out), 3, 1, 1))
    noise = rng.normal(0, 1, colours.shape) * np.abs(rng.normal(0, 0.03, each))
    out[:, :3] = colours + noise
    out[:, 3:] = np.clip(out[:, 3:] + rng.normal(0, 0.08, (len(out), 2, 1, 1)), -1, 1)
    return out, holds


def _fit(net: nn.Module, learnt: Drawn, total_s: float, cache: Path, held: Drawn) -> int:
    """Train by one cosine cycle, going on from the checkpoint where there is one."""
    checkpoint = cache / f"{NAME}.pt"
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-3)
    state, mean = resumed(checkpoint, net, optimiser), 1.0
    spent: float = state["spent_s"]
    step: int = state["step"]
    # Balls are a third of the places: each batch has as many of one as of the other.
    kinds = [np.flatnonzero(learnt[2] == 0), np.flatnonzero(learnt[2] > 0)]
    mark = spent
    net.train()
    while spent < total_s:
        start = time.process_time()
        pace(optimiser, RATE, step, spent / total_s)
        rng = np.random.default_rng((step, 5))
        rows = np.concatenate([rng.choice(kind, BATCH // 2) for kind in kinds])
        seen, holds = varied(_seen(learnt, rows), learnt[2][rows], rng)
        optimiser.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(
            net(torch.from_numpy(seen)), torch.from_numpy(holds), label_smoothing=0.002
        )
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        mean += (float(loss.detach()) - mean) * 0.02
        step += 1
        spent += time.process_time() - start
        if spent - mark > 60 or spent >= total_s:
            mark = spent
            keep(checkpoint, net, optimiser, spent, step)
            say(f"step {step}, {spent / 60:.1f} min, loss {mean:.4f}, {measured(net, held)}")
            net.train()
    net.eval()
    return step


def measured(net: nn.Module, held: Drawn) -> dict[str, float]:
    """Measure on places held back: the shares told right, told for sure, and right of these."""
    net.eval()
    with torch.no_grad():
        parts = np.array_split(np.arange(len(held[2])), max(1, len(held[2]) // 512))
        chances = np.concatenate(
            [functional.softmax(net(torch.from_numpy(_seen(held, rows))), dim=1).numpy() for rows in parts]
        )
    ball = chances[:, 1:].sum(axis=1)
    told, there = ball > 0.5, held[2] > 0
    sure = np.maximum(ball, 1 - ball) > SURE
    side = chances[there, 1:].argmax(axis=1) + 1 == held[2][there]
    return {
        "places": len(told),
        "right": round(float((told == there).mean()), 5),
        "sure": round(float(sure.mean()), 5),
        "right_of_sure": round(float((told == there)[sure].mean()), 5) if sure.any() else 0.0,
        "sides_right": round(float(side.mean()), 5),
    }


def _write(net: nn.Module, path: Path, figures: dict[str, object]) -> None:
    write_onnx(net, path, torch.zeros((1, CHANNELS, SIDE, SIDE)), {0: "n"})
    card = {
        "reads": "a place of a table of Astrolabe, cut out by vision.astrolabe.learned: no ball, or whose",
        "trained_on": "tables drawn by vision.synth and vision.train.table_patches; no photograph",
        **figures,
        "seed": 7,
        "probe": {
            "seed": PROBES[0],
            "said": np.round(net(torch.from_numpy(probes())).detach().numpy(), 5).tolist(),
        },
        "made_by": f"python -m vision.train.{NAME.replace('-', '_')}",
    }
    write_card(path, card)
    say(f"wrote {path.name}: {figures}")


if __name__ == "__main__":
    main()
