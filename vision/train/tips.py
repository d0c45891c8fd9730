"""Train the tip finder: `python -m vision.train.tips`, resumable, about ninety minutes on two cores.

Three steps, each skipped where its outcome is there: shards of synthetic pairs, the heat map, the patch.
Checkpoints hold everything that training needs to go on.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.darts.canvas import Picture
from vision.darts.learned import FIND, PATCH_MM_PER_PX, PATCH_SIZE, stack
from vision.train.nets import HeatMap, PointInPatch
from vision.train.tip_data import STORED_PATCH, Sample, load_shard, make_shard

HEAT_SIGMA = 1.1
"""Spread of a tip in the target heat map, in its pixels (3.2 mm): close darts stay two peaks."""

Floats = NDArray[np.float32]
Points = NDArray[np.float64]


def main() -> None:
    """Make the data, train both networks, write ONNX and cards."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path("cache/tips"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--shards", type=int, default=120)
    parser.add_argument("--held-back", type=int, default=6, help="shards kept for the card's figures")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=28.0, help="of training for each network")
    parser.add_argument("--only", choices=("data", "find", "tip"))
    asked = parser.parse_args()
    torch.manual_seed(7)
    torch.set_num_threads(asked.workers)
    numbers = range(asked.shards)
    with ProcessPoolExecutor(asked.workers) as pool:
        for done, _ in enumerate(pool.map(partial(make_shard, folder=asked.cache), numbers)):
            print(f"\rshard {done + 1} of {asked.shards}", end="", file=sys.stderr)  # noqa: T201
    paths = [asked.cache / f"tips-{number:05d}.npz" for number in numbers]
    if asked.only == "data":
        return
    kept, seen = paths[: asked.held_back], paths[asked.held_back :]
    for name, train in (("dart-find", _train_find), ("dart-tip", _train_tip)):
        if asked.only and asked.only not in name:
            continue
        train(name, seen, kept, asked)


def say(text: str) -> None:
    """Tell the person at the terminal how it goes."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)  # noqa: T201


# ---------------------------------------------------------------- the heat map


def _train_find(name: str, seen: list[Path], kept: list[Path], asked: argparse.Namespace) -> None:
    net = HeatMap(7, 1)
    samples = [sample for path in seen for sample in load_shard(path)]
    held = [sample for path in kept for sample in load_shard(path)]
    batches = _find_batches(samples, 16)
    _fit(net, batches, _find_loss, asked.minutes, asked.cache / f"{name}.pt")
    figures = _find_figures(net, held)
    _export(net, (1, 7, FIND.size, FIND.size), asked.out / f"{name}.onnx", figures, len(samples))


def _find_batches(samples: list[Sample], size: int) -> Iterator[tuple[Tensor, Tensor]]:
    rng = np.random.default_rng(11)
    while True:
        chosen = [samples[i] for i in rng.integers(0, len(samples), size)]
        pairs = [_find_pair(sample, rng) for sample in chosen]
        yield torch.from_numpy(np.stack([x for x, _ in pairs])), torch.from_numpy(np.stack([y for _, y in pairs]))


def _find_pair(sample: Sample, rng: np.random.Generator | None) -> tuple[Floats, Floats]:
    after, before = _pictures(sample.after, sample.before)
    tips = FIND.to_px(sample.tips_mm) if len(sample.tips_mm) else np.zeros((0, 2))
    if rng is not None:
        after, before, tips = _varied(after, before, tips, rng)
    return stack(after, before), heat_target(tips, FIND.size // 2)


def heat_target(tips_px: Points, side: int) -> Floats:
    """Draw (1, side, side): a Gaussian of height 1 at each of (N, 2) tips, given in pixels of twice that side."""
    ys, xs = np.mgrid[:side, :side].astype(np.float32)
    heat = np.zeros((side, side), np.float32)
    for x, y in (tips_px - 0.5) / 2:
        # A peak on the nearest pixel keeps the loss's "exactly one" meaningful; the patch does the sub-pixel part.
        cx, cy = np.round(x), np.round(y)
        np.maximum(heat, np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * HEAT_SIGMA**2)), out=heat)
    return heat[None]


def _find_loss(answer: Tensor, wanted: Tensor) -> Tensor:
    """Penalty-reduced focal loss (Zhou, Wang, Krähenbühl: Objects as Points, 2019)."""
    chance = answer.sigmoid().clamp(1e-5, 1 - 1e-5)
    peak = (wanted > 0.999).float()
    hit = peak * (1 - chance) ** 2 * chance.log()
    miss = (1 - peak) * (1 - wanted) ** 4 * chance**2 * (1 - chance).log()
    return -(hit + miss).sum() / peak.sum().clamp(min=1)


def _find_figures(net: HeatMap, held: list[Sample]) -> dict[str, float]:
    from vision.darts.learned import Limits, peaks  # noqa: PLC0415

    wanted = found = right = 0
    for sample in held:
        x, _ = _find_pair(sample, None)
        with torch.no_grad():
            heat = net(torch.from_numpy(x[None])).sigmoid()[0, 0].numpy().astype(np.float64)
        places = peaks(heat, Limits(peak=0.3))
        wanted += len(sample.tips_mm)
        found += len(places)
        right += sum(
            bool(len(places)) and np.linalg.norm(places - tip, axis=1).min() < 6.0 for tip in sample.tips_mm
        )
    return {"recall": right / max(wanted, 1), "precision": right / max(found, 1), "tips": wanted}


# ---------------------------------------------------------------- the patch


def _train_tip(name: str, seen: list[Path], kept: list[Path], asked: argparse.Namespace) -> None:
    net = PointInPatch(7, PATCH_SIZE)
    patches = [patch for path in seen for sample in load_shard(path) for patch in sample.patches]
    held = [patch for path in kept for sample in load_shard(path) for patch in sample.patches]
    _fit(net, _tip_batches(patches, 64), _tip_loss, asked.minutes, asked.cache / f"{name}.pt")
    figures = _tip_figures(net, held)
    _export(net, (1, 7, PATCH_SIZE, PATCH_SIZE), asked.out / f"{name}.onnx", figures, len(patches))


Patch = tuple[bytes, bytes, Points, float]


def _tip_batches(patches: list[Patch], size: int) -> Iterator[tuple[Tensor, Tensor]]:
    rng = np.random.default_rng(13)
    while True:
        chosen = [patches[i] for i in rng.integers(0, len(patches), size)]
        pairs = [_tip_pair(patch, rng) for patch in chosen]
        yield torch.from_numpy(np.stack([x for x, _ in pairs])), torch.from_numpy(np.stack([y for _, y in pairs]))


def _tip_pair(patch: Patch, rng: np.random.Generator | None) -> tuple[Floats, Floats]:
    """Cut the network's patch out of the stored one: (7, S, S) and (x, y, there) in the network's units."""
    after, before = _pictures(patch[0], patch[1])
    offset = patch[2] * (1, -1) / PATCH_MM_PER_PX + (STORED_PATCH - 1) / 2
    tip = np.reshape(offset, (1, 2))
    if rng is not None:
        after, before, tip = _varied(after, before, tip, rng, turn_deg=20.0, shift_px=9.0)
    edge = (STORED_PATCH - PATCH_SIZE) // 2
    window = slice(edge, edge + PATCH_SIZE)
    cut = stack(after[window, window], None if before is None else before[window, window])
    place = (tip[0] - (STORED_PATCH - 1) / 2) / (PATCH_SIZE / 2)
    there = bool(np.all(np.abs(place) < 0.9))
    return cut, np.array([*(place if there else (0, 0)), there], np.float32)


def _tip_loss(answer: Tensor, wanted: Tensor) -> Tensor:
    there = wanted[:, 2]
    presence = functional.binary_cross_entropy_with_logits(answer[:, 5], there)
    miss = wanted[:, :2] - answer[:, :2]
    log_a, log_c = answer[:, 2].clamp(-3, 6), answer[:, 3].clamp(-3, 6)
    # Inverse covariance L L' with L = [[a, 0], [b, c]]: the squared Mahalanobis length is |L' miss|^2.
    first = log_a.exp() * miss[:, 0] + answer[:, 4] * miss[:, 1]
    second = log_c.exp() * miss[:, 1]
    square = first**2 + second**2
    # Student-like tail: one mislabelled or fully hidden tip must not drag the rest.
    nll = 2.5 * torch.log1p(square / 3.0) - log_a - log_c
    near = (miss**2).sum(1)
    return presence + ((0.4 * nll + 4.0 * near) * there).sum() / there.sum().clamp(min=1)


def _tip_figures(net: PointInPatch, held: list[Patch]) -> dict[str, float]:
    from vision.darts.learned import tip_of  # noqa: PLC0415

    errors, squares, right = [], [], 0
    for patch in held:
        x, y = _tip_pair(patch, None)
        with torch.no_grad():
            answer = net(torch.from_numpy(x[None]))[0].numpy()
        tip = tip_of(answer, np.zeros(2))
        right += (tip.chance > 0.5) == bool(y[2])
        if y[2]:
            miss = tip.xy_mm - patch[2]
            errors.append(float(np.linalg.norm(miss)))
            squares.append(float(miss @ np.linalg.inv(tip.cov_mm) @ miss))
    return {
        "error_mm_median": float(np.median(errors)),
        "error_mm_p90": float(np.percentile(errors, 90)),
        "inside_90_percent_ellipse": float(np.mean(np.array(squares) < 4.605)),
        "presence_right": right / len(held),
        "patches": len(held),
    }


# ---------------------------------------------------------------- common


def _pictures(after: bytes, before: bytes) -> tuple[Picture, Picture | None]:
    def read(data: bytes) -> Picture:
        return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)

    return read(after), read(before) if before else None


def _varied(
    after: Picture,
    before: Picture | None,
    tips: Points,
    rng: np.random.Generator,
    *,
    turn_deg: float = 6.0,
    shift_px: float = 4.0,
) -> tuple[Picture, Picture | None, Points]:
    """Turn, shift, mirror and relight a pair; the two keep together but for a small wobble."""
    size = after.shape[0]
    matrix = _motion(size, rng, turn_deg, shift_px)
    light = int(rng.integers(0, 2**31))
    out = _noisy(_relit(_moved(after, matrix, size), np.random.default_rng(light)), rng)
    earlier = None
    if before is not None:
        wobble = matrix.copy()
        wobble[:, 2] += rng.normal(0, 0.35, 2)
        # Mostly the light is the same in both.
        other = light if rng.random() < 0.6 else light + 1
        earlier = _noisy(_relit(_moved(before, wobble, size), np.random.default_rng(other)), rng)
    return out, earlier, tips @ matrix[:, :2].T + matrix[:, 2]


def _motion(size: int, rng: np.random.Generator, turn_deg: float, shift_px: float) -> Points:
    """Draw a (2, 3) motion about the middle of the picture, mirrored half of the time."""
    middle = (size - 1) / 2
    angle, scale = np.radians(rng.uniform(-turn_deg, turn_deg)), rng.uniform(0.94, 1.06)
    turn = scale * np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    if rng.random() < 0.5:
        turn = np.diag([-1.0, 1.0]) @ turn
    shift = middle - turn @ np.full(2, middle) + rng.uniform(-shift_px, shift_px, 2)
    return np.concatenate([turn, shift[:, None]], axis=1)


def _moved(picture: Picture, matrix: Points, size: int) -> Picture:
    return np.asarray(cv2.warpAffine(picture, matrix, (size, size), flags=cv2.INTER_LINEAR), np.uint8)


def _relit(picture: Picture, rng: np.random.Generator) -> Picture:
    gain = np.exp(rng.normal(0, 0.12)) * np.exp(rng.normal(0, 0.05, 3))
    light: Floats = picture.astype(np.float32) * gain.astype(np.float32) + np.float32(rng.normal(0, 6))
    if rng.random() < 0.3:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.4, 1.2))), np.float32)
    return np.asarray(np.clip(light, 0, 255), np.uint8)


def _noisy(picture: Picture, rng: np.random.Generator) -> Picture:
    if rng.random() < 0.6:
        return picture
    grain = rng.standard_normal(picture.shape, dtype=np.float32) * np.float32(rng.uniform(1, 7))
    return np.asarray(np.clip(picture + grain, 0, 255), np.uint8)


Loss = Callable[[Tensor, Tensor], Tensor]


def _fit(
    net: torch.nn.Module, batches: Iterator[tuple[Tensor, Tensor]], loss: Loss, minutes: float, checkpoint: Path
) -> None:
    """Train for a time by one cosine cycle, going on from the checkpoint where there is one."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4)
    spent, step = 0.0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        spent, step = state["spent_s"], state["step"]
        say(f"going on from {checkpoint.name} at step {step}")
    net.train()
    total, mean, mark = minutes * 60, 0.0, spent
    while spent < total:
        start = time.monotonic()
        rate = 1e-3 * min(1.0, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * spent / total)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        seen, wanted = next(batches)
        optimiser.zero_grad(set_to_none=True)
        value = loss(net(seen), wanted)
        value.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        mean += (float(value.detach()) - mean) * 0.02
        spent += time.monotonic() - start
        if spent - mark > 60:
            mark = spent
            part = checkpoint.with_suffix(".part")
            torch.save(
                {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "spent_s": spent, "step": step},
                part,
            )
            part.rename(checkpoint)
            say(f"step {step}, {spent / 60:.1f} of {minutes} min, loss {mean:.4f}")
    net.eval()


def _export(
    net: torch.nn.Module, shape: tuple[int, ...], path: Path, figures: dict[str, float], count: int
) -> None:
    """Write the ONNX file, fifty answers to hold it to, and the figures for its card."""
    rng = np.random.default_rng(17)
    probe = rng.uniform(-1, 1, shape).astype(np.float32)
    axes = {"seen": {0: "n"}, "said": {0: "n"}}
    torch.onnx.export(
        net, (torch.from_numpy(probe),), str(path), input_names=["seen"], output_names=["said"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    facts = {"file": path.name, "sha256": digest, "samples": count, "held_back": figures, "seed": 7}
    path.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n")
    say(f"wrote {path.name}: {figures}")


if __name__ == "__main__":
    main()
