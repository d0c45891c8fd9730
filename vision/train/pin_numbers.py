"""Train the reader of pin numbers: `python -m vision.train.pin_numbers`, resumable, half an hour of one core.

Crops are drawn while it learns and kept a while (`vision.train.pin_crops`); checkpoints hold everything that
training needs to go on. The network is written as ONNX with its card.
"""

import argparse
import time
from collections import deque
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.finn.numbers import CLASSES, COUNT, SIDE, TURNS
from vision.train.learning import keep, pace, resumed, say, write_card, write_onnx
from vision.train.nets import conv
from vision.train.pin_crops import Floats, as_seen, crop
from vision.train.pin_glyphs import Mask

BATCH = 128
KEPT = 60_000
"""Crops that are kept to be seen again; each is seen about so often as the batch is larger than what is fresh."""
FRESH = 40
"""Crops drawn anew a step."""
HELD_BACK = 3_000
RATE = 2e-3
PROBES = (17, 50)
"""Seed and count of the inputs whose answers the card keeps."""

Drawn = tuple[Mask, NDArray[np.intp], Floats]


def main() -> None:
    """Draw and train, measure, write `pin-numbers.onnx` and its card."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path("cache/pin-numbers"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--minutes", type=float, default=30.0, help="of the processor")
    asked = parser.parse_args()
    torch.manual_seed(7)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    net = NumberNet()
    steps = _fit(net, asked.minutes * 60, asked.cache)
    figures = measured(net, drawn(1701, HELD_BACK))
    _write(net, asked.out / "pin-numbers.onnx", {"steps": steps, "held_back": figures})


class NumberNet(nn.Module):
    """Which number a small grey crop shows, and how turned: logits of the classes of `vision.finn.numbers`."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        w = width
        side = -(-SIDE // 8)
        self.body = nn.Sequential(
            nn.Conv2d(1, w, 5, 2, 2, bias=False), nn.BatchNorm2d(w), nn.ReLU(inplace=True),
            conv(w, 2 * w), conv(2 * w, 5 * w // 2, 2), conv(5 * w // 2, 7 * w // 2), conv(7 * w // 2, 5 * w, 2),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(5 * w * side * side, CLASSES))

    def forward(self, seen: Tensor) -> Tensor:
        """(N, 1, SIDE, SIDE) to (N, CLASSES) logits."""
        return self.head(self.body(seen))


def probes() -> Floats:
    """Give the inputs, (N, 1, SIDE, SIDE), whose answers the card keeps, to hold the written network to."""
    seed, count = PROBES
    return np.random.default_rng(seed).normal(0, 1, (count, 1, SIDE, SIDE)).astype(np.float32)


def drawn(seed: int, count: int) -> Drawn:
    """Draw crops from a seed: (N, SIDE, SIDE) grey, (N,) numbers (0 none), (N,) degrees clockwise."""
    rng = np.random.default_rng((seed, 811))
    made = [crop(rng) for _ in range(count)]
    numbers = np.array([number for _, number, _ in made], np.intp)
    return (
        np.stack([picture for picture, _, _ in made]),
        numbers,
        np.array([turn for *_, turn in made], np.float32),
    )


def wanted(numbers: NDArray[np.intp], turns: Floats) -> Floats:
    """Give (N, CLASSES) shares: a turn between two of the network's is a little of both."""
    out = np.zeros((len(numbers), CLASSES), np.float32)
    out[numbers == 0, -1] = 1
    rows = np.flatnonzero(numbers)
    place = turns[rows] / (360 / TURNS)
    low = np.floor(place).astype(np.intp)
    for bin_, share in ((low, 1 - (place - low)), (low + 1, place - low)):
        out[rows, (numbers[rows] - 1) * TURNS + bin_ % TURNS] += share
    return out


def quarter_turned(crops: Floats, turns: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Turn crops by quarters, drawn at random."""
    quarters = rng.integers(0, 4, len(crops))
    for quarter in (1, 2, 3):
        mine = quarters == quarter
        crops[mine] = np.rot90(crops[mine], -quarter, axes=(1, 2))
    return crops, np.asarray((turns + 90 * quarters) % 360, np.float32)


def _fit(net: nn.Module, total_s: float, cache: Path) -> int:
    """Train by one cosine cycle, going on from the checkpoint where there is one."""
    cache.mkdir(parents=True, exist_ok=True)
    checkpoint = cache / "pin-numbers.pt"
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-3)
    state = resumed(checkpoint, net, optimiser)
    spent: float = state["spent_s"]
    step: int = state["step"]
    pool = deque([drawn(10_000_000 + step + part, FRESH) for part in range(8)], KEPT // FRESH)
    net.train()
    mean, mark = 5.0, spent
    while spent < total_s:
        start = time.process_time()
        pool.append(drawn(step, FRESH))
        pace(optimiser, RATE, step, spent / total_s)
        mean += (_step(net, optimiser, pool, np.random.default_rng((step, 5))) - mean) * 0.02
        step += 1
        spent += time.process_time() - start
        if spent - mark > 30 or spent >= total_s:
            mark = spent
            keep(checkpoint, net, optimiser, spent, step)
            say(f"step {step}, {spent / 60:.1f} min, loss {mean:.3f}")
    net.eval()
    return step


def _step(net: nn.Module, optimiser: torch.optim.Optimizer, pool: deque[Drawn], rng: np.random.Generator) -> float:
    # A third of a batch is new, the rest has been seen: drawing costs as much as learning.
    old = [pool[int(k)] for k in rng.integers(0, len(pool), BATCH - FRESH)]
    picked = [
        [part[item] for part in chunk] for chunk, item in zip(old, rng.integers(0, FRESH, len(old)), strict=True)
    ]
    new = pool[-1]
    crops = np.concatenate([new[0], np.stack([one[0] for one in picked])])
    numbers = np.concatenate([new[1], [one[1] for one in picked]])
    angles = np.concatenate([new[2], [one[2] for one in picked]]).astype(np.float32)
    shown, turns = quarter_turned(as_seen(crops)[:, 0], angles, rng)
    seen = torch.from_numpy(np.ascontiguousarray(shown[:, None]))
    goal = torch.from_numpy(wanted(numbers, turns))
    optimiser.zero_grad(set_to_none=True)
    loss: Tensor = -(goal * functional.log_softmax(net(seen), dim=1)).sum(dim=1).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    optimiser.step()
    return float(loss.detach())


def measured(net: nn.Module, held: Drawn) -> dict[str, float]:
    """Measure on crops held back: share read right, share it is sure of, and how many of these are right."""
    with torch.no_grad():
        chances = functional.softmax(net(torch.from_numpy(as_seen(held[0]))), dim=1).numpy()
    numbers = chances[:, :-1].reshape(-1, COUNT, TURNS).sum(axis=2)
    said = np.where(numbers.max(axis=1) > chances[:, -1], numbers.argmax(axis=1) + 1, 0)
    sure = np.maximum(numbers.max(axis=1), chances[:, -1]) > 0.97
    right = said == held[1]
    return {
        "crops": len(right),
        "right": round(float(right.mean()), 4),
        "sure": round(float(sure.mean()), 4),
        "right_of_sure": round(float(right[sure].mean()), 4) if sure.any() else 0.0,
    }


def _write(net: nn.Module, path: Path, figures: dict[str, object]) -> None:
    write_onnx(net, path, torch.zeros((1, 1, SIDE, SIDE)), {0: "n"})
    card = {
        "reads": "the head of a standing pin, cut out by vision.finn.numbers: its number and how that is turned",
        "trained_on": "heads drawn by vision.train.pin_crops; no photograph",
        **figures,
        "seed": 7,
        "probe": {
            "seed": PROBES[0],
            "said": np.round(net(torch.from_numpy(probes())).detach().numpy()[:, :3], 5).tolist(),
        },
        "made_by": "python -m vision.train.pin_numbers",
    }
    write_card(path, card)
    say(f"wrote {path.name}: {figures}")


if __name__ == "__main__":
    main()
