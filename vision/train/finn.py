"""Train the pin finder: `python -m vision.train.finn`, resumable, about ninety minutes on two cores.

Shards of synthetic shots are made first; a shard that is there is not made again. Training goes on from its
checkpoint.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.finn.bird import SIZE, slant_of
from vision.finn.maps import ANSWERS, CHANNELS, KINDS, LENGTH_PX, OFFSET_PX, stack
from vision.train.finn_samples import BARE, DISC, LEANING, Sample, load_shard
from vision.train.learning import keep, pace, resumed, say, write_card, write_onnx
from vision.train.nets import conv

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

CROP: Final = 112
BATCH: Final = 16
WEIGHTS: Final = (1.0, 1.0, 1.5, 2.0, 1.5)
"""Of `KINDS` in the loss: pins rarely lean, though they are let fall to."""

PROBE_SEED: Final = 17
PROBE_SHAPE: Final = (1, CHANNELS, 64, 128)
"""Of the numbers whose answers the card holds."""

RARE: Final = 1.5
"""How many times as often a shot with a leaning pin is shown."""


class PinMaps(nn.Module):
    """A U-net of four scales: (N, 12, H, W) to (N, 9, H, W), both multiples of 16.

    What it answers is `vision.finn.maps.Maps`: logits of the kinds, the way to the middle, the doubled axis.
    """

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        sizes = (width, 2 * width, 4 * width, 6 * width)
        self.stem = nn.Sequential(
            nn.Conv2d(CHANNELS, width, 5, 2, 2, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            conv(width, width),
        )  # fmt: skip
        self.down = nn.ModuleList(nn.Sequential(conv(a, b, 2), conv(b, b)) for a, b in pairwise(sizes))
        self.up = nn.ModuleList(conv(a + b, a) for a, b in pairwise(sizes))
        self.head = nn.Sequential(conv(width, 2 * width), nn.Conv2d(2 * width, 4 * ANSWERS, 1), nn.PixelShuffle(2))

    def forward(self, seen: Tensor) -> Tensor:
        """Say what is seen."""
        scales = [self.stem(seen)]
        for step in self.down:
            scales.append(step(scales[-1]))
        out = scales.pop()
        for step in reversed(self.up):
            fine = scales.pop()
            out = step(torch.cat((functional.interpolate(out, scale_factor=2.0, mode="nearest"), fine), 1))
        answer: Tensor = self.head(out)
        return answer


def main() -> None:
    """Make the data, train, write ONNX and card."""
    from vision.train.finn_data import make_shard, path_of, shards  # noqa: PLC0415 - the rest needs no physics

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path("cache/finn"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--shards", type=int, default=160, help="of shots")
    parser.add_argument("--drops", type=int, default=60, help="shards of pins let fall to lean")
    parser.add_argument("--held-back", type=int, default=10, help="shards kept for the card's figures")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60.0, help="of training")
    asked = parser.parse_args()
    torch.manual_seed(7)
    torch.set_num_threads(asked.workers)
    wanted = shards(asked.shards, asked.drops)
    with ProcessPoolExecutor(asked.workers) as pool:
        for done, _ in enumerate(pool.map(partial(make_shard, folder=asked.cache), wanted)):
            print(f"\rshard {done + 1} of {len(wanted)}", end="", file=sys.stderr)  # noqa: T201
    paths = [path_of(shard, asked.cache) for shard in wanted]
    net = PinMaps().to(memory_format=torch.channels_last)
    count = fit(net, paths[asked.held_back :], asked.minutes, asked.cache / "finn-pins.pt")
    held = [sample for path in paths[: asked.held_back] for sample in load_shard(path)]
    export(net, asked.out / "finn-pins.onnx", figures(net, held), count)


# ---------------------------------------------------------------- examples


def batches(samples: list[Sample], size: int, seed: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Cut, turn and recolour examples without end: what is seen, what it shows, where pins point."""
    rng = np.random.default_rng(seed)
    worth = np.array([RARE if (sample.shows == LEANING).any() else 1.0 for sample in samples])
    while True:
        made = [example(samples[k], rng) for k in rng.choice(len(samples), size, p=worth / worth.sum())]
        seen, shows, points = (np.stack([one[k] for one in made]) for k in range(3))
        yield torch.from_numpy(seen), torch.from_numpy(shows.astype(np.int64)), torch.from_numpy(points)


def example(sample: Sample, rng: np.random.Generator) -> tuple[Floats, Ints, Floats]:
    """Make one example: (12, S, S), (S, S) kinds, (4, S, S) way to the middle and doubled axis in their units."""
    x, y = _corner(sample, rng)
    cut = np.s_[y : y + CROP, x : x + CROP]
    before, after = recoloured(sample.before[cut], sample.after[cut], rng)
    seen = stack(before, after, sample.known[cut], slant_of(sample.eye_cm, *cut))
    shows, points = sample.shows[cut].astype(np.int64), wanted(sample, x, y)
    if rng.random() < 0.5:
        seen, shows, points = _mirrored(seen, shows, points, 2, 7)
    if rng.random() < 0.5:
        seen, shows, points = _mirrored(seen, shows, points, 1, 8)
    return np.ascontiguousarray(seen), np.ascontiguousarray(shows), np.ascontiguousarray(points)


def wanted(sample: Sample, x: int, y: int) -> Floats:
    """Draw (4, S, S) of what is cut out at x, y: the way to the middle, and the doubled axis, in their units."""
    rows = np.maximum(sample.owner[y : y + CROP, x : x + CROP].astype(int) - 1, 0)
    middles = sample.axes.mean(axis=1).astype(np.float32)
    along = sample.axes[:, 1] - sample.axes[:, 0]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-6)
    double = (
        np.column_stack([along[:, 0] ** 2 - along[:, 1] ** 2, 2 * along[:, 0] * along[:, 1]]) / length[:, None]
    )
    ys, xs = np.mgrid[y : y + CROP, x : x + CROP].astype(np.float32)
    to_middle = (middles[rows].transpose(2, 0, 1) - np.stack([xs, ys])) / OFFSET_PX
    axis = (double / LENGTH_PX).astype(np.float32)[rows].transpose(2, 0, 1)
    return np.concatenate([to_middle, axis]).astype(np.float32)


def _corner(sample: Sample, rng: np.random.Generator) -> tuple[int, int]:
    """Choose what part of the board is cut out: mostly about something that lies or moved."""
    moved = (sample.shows > BARE) & ((sample.shows != 1) | (sample.known == 0))
    leaning = sample.shows == LEANING
    chosen = leaning if leaning.any() and rng.random() < 0.5 else moved
    spots = np.argwhere(chosen) if rng.random() < 0.85 else np.zeros((0, 2), int)
    if len(spots):
        y, x = spots[rng.integers(len(spots))] - rng.integers(20, CROP - 20, 2)
    else:
        y, x = rng.integers(0, SIZE[1] - CROP + 1), rng.integers(0, SIZE[0] - CROP + 1)
    return int(np.clip(x, 0, SIZE[0] - CROP)), int(np.clip(y, 0, SIZE[1] - CROP))


def recoloured(before: Bytes, after: Bytes, rng: np.random.Generator) -> tuple[Bytes, Bytes]:
    """Vary colours, light, focus and noise, as cameras and rooms do; shadows come and go between the two."""
    order = rng.permutation(3) if rng.random() < 0.15 else np.arange(3)
    gain, bend = np.exp(rng.normal(0, 0.25)) * np.exp(rng.normal(0, 0.12, 3)), float(np.exp(rng.normal(0, 0.2)))
    blur = float(rng.choice((0.0, 0.0, rng.uniform(0.4, 1.3))))
    noise = float(rng.choice((0.0, rng.uniform(0, 6))))
    pictures = []
    for picture in (before, after):
        own = np.exp(rng.normal(0, 0.02, 3) + rng.normal(0, 0.05))
        levels = (255 * (np.arange(256) / 255) ** bend).astype(np.float32)
        light = _uneven(rng) if rng.random() < 0.5 else np.ones((CROP, CROP), np.float32)
        out = levels[picture[..., order]] * (gain * own).astype(np.float32) * light[..., None]
        if blur:
            out = cv2.GaussianBlur(out, (0, 0), blur)
        if noise:
            out = out + noise * rng.standard_normal(out.shape, np.float32)
        pictures.append(np.clip(out, 0, 255).astype(np.uint8))
    return pictures[0], pictures[1]


def _uneven(rng: np.random.Generator) -> Floats:
    """Draw light that differs from place to place by some tenths."""
    coarse = np.exp(rng.normal(0, 0.08, (5, 5))).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (CROP, CROP), interpolation=cv2.INTER_CUBIC), np.float32)


def _mirrored(seen: Floats, shows: Ints, points: Floats, side: int, slant: int) -> tuple[Floats, Ints, Floats]:
    seen, shows, points = np.flip(seen, side).copy(), np.flip(shows, side - 1), np.flip(points, side).copy()
    seen[slant] *= -1
    points[2 - side] *= -1
    points[3] *= -1
    return seen, shows, points


# ---------------------------------------------------------------- learning


def loss_of(said: Tensor, seen: Tensor, shows: Tensor, points: Tensor) -> Tensor:
    """Add up what is wrong about kinds, middles and axes; nine tenths of a board are bare and easily told."""
    body = (shows != BARE).float()[:, None]
    pin = body * (shows != DISC).float()[:, None]
    miss = functional.cross_entropy(said[:, :5], shows, torch.tensor(WEIGHTS), reduction="none")[:, None]
    hard = torch.maximum(body, seen[:, 6:7])
    kinds = (miss * hard).sum() / hard.sum().clamp(min=1) + 3 * (miss * (1 - hard)).mean()
    miss = functional.smooth_l1_loss(said[:, 5:], points, beta=0.1, reduction="none")
    middle = (miss[:, :2] * body).sum() / body.sum().clamp(min=1)
    axis = (miss[:, 2:] * pin).sum() / pin.sum().clamp(min=1)
    return kinds + 0.5 * middle + 0.5 * axis


def fit(net: nn.Module, paths: list[Path], minutes: float, checkpoint: Path) -> int:
    """Train for a time by one cosine cycle, going on from the checkpoint where there is one; gives the samples."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    state = resumed(checkpoint, net, optimiser)
    spent, step = state["spent_s"], state["step"]
    samples = [sample for path in paths if path.exists() for sample in load_shard(path)]
    feed = batches(samples, BATCH, 11 + step)
    net.train()
    total, mean, mark = minutes * 60, 0.0, spent
    while spent < total:
        start = time.monotonic()
        pace(optimiser, 2e-3, step, spent / total)
        seen, shows, points = next(feed)
        optimiser.zero_grad(set_to_none=True)
        value = loss_of(net(seen), seen, shows, points)
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        mean += (float(value.detach()) - mean) * (0.02 if step > 50 else 0.2)
        spent += time.monotonic() - start
        if spent - mark > 60:
            mark = spent
            keep(checkpoint, net, optimiser, spent, step)
            say(f"step {step}, {spent / 60:.1f} of {minutes} min, loss {mean:.4f}, {len(samples)} samples")
            new = [path for path in paths if path.exists()]
            if step > 0 and len(new) * 8 > len(samples) * 1.3:
                samples = [sample for path in new for sample in load_shard(path)]
                feed = batches(samples, BATCH, 11 + step)
    net.eval()
    return len(samples)


def figures(net: nn.Module, held: list[Sample]) -> dict[str, float]:
    """Give for each kind the overlap (intersection over union) of what is said and what is so, on whole boards."""
    both, either = np.zeros(5), np.zeros(5)
    net.eval()
    for sample in held:
        seen = stack(sample.before, sample.after, sample.known, slant_of(sample.eye_cm))
        with torch.no_grad():
            said = net(torch.from_numpy(seen[None]))[0, :5].argmax(0).numpy()
        for kind in range(5):
            both[kind] += ((said == kind) & (sample.shows == kind)).sum()
            either[kind] += ((said == kind) | (sample.shows == kind)).sum()
    return {
        f"overlap_{name}": round(float(b / max(e, 1)), 4) for name, b, e in zip(KINDS, both, either, strict=True)
    }


def export(net: nn.Module, path: Path, told: dict[str, float], count: int) -> None:
    """Write the ONNX file and its card: where it comes from, its figures, and answers to hold it to."""
    net.eval()
    write_onnx(net, path, torch.zeros((1, CHANNELS, SIZE[1], SIZE[0])), {0: "n", 2: "h", 3: "w"})
    probe = np.random.default_rng(PROBE_SEED).uniform(-1, 1, PROBE_SHAPE).astype(np.float32)
    with torch.no_grad():
        said = net(torch.from_numpy(probe))[0, :, ::32, ::32].flatten()[:50].tolist()
    facts = {
        "reads": "a board of Finn Billiards redrawn from above, before and after a shot: what each pixel shows",
        "trained_on": "scenes drawn by vision.train.finn_data; no photograph",
        "samples": count,
        "held_back": told,
        "seed": 7,
        "probe": {"seed": PROBE_SEED, "said": [round(value, 4) for value in said]},
        "made_by": "python -m vision.train.finn",
    }
    write_card(path, facts)
    say(f"wrote {path.name}: {told}")


if __name__ == "__main__":
    main()
