"""Train the tip finder: `python -m vision.train.tips`, resumable.

Three steps, each skipped where its outcome is there: shards of synthetic pictures, both networks side by side,
ONNX files with their cards. Checkpoints hold everything that training needs to go on; shards that are made
meanwhile are taken in. Where the cache holds an exported `dart-find.onnx`, the patch is also taught on what that
takes for tips: train the map first, export it there (`--only export --out CACHE`), then the patch.
"""

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Full
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.darts.learned import LIMITS, PATCH_SIZE, Flat, candidates, maps_of, whole_board
from vision.models import opened
from vision.train.learning import keep, pace, resumed, say
from vision.train.nets import PointInPatch, TipVotes
from vision.train.tip_batches import Finder, patches, wholes
from vision.train.tip_data import KINDS, Kind, Sample, load_shard, make_shard

SEED = 7
AVERAGED = 0.998  # of the weights before, in the running average that is kept in the end
LOOK_AGAIN = 150  # batches after which a loader looks for new shards
WAITING = 6  # batches that a loader is ahead
PICTURES = 8  # painted at a time
LOOKS = {"dart-find": 4, "dart-tip": 3}  # at each painted board; the patch network sees ten places of it a look
MIXED = {"dart-find": 96, "dart-tip": 960}  # looks from which batches are drawn: those at one board come apart
NAMES = ("dart-find", "dart-tip")
SIZES = {"dart-find": 8, "dart-tip": 80}  # of a batch
RATES = {"dart-find": 2e-3, "dart-tip": 2e-3}

Points = NDArray[np.float64]
Given = tuple[NDArray[Any], NDArray[Any]]


def main() -> None:
    """Make the data, train both networks, write ONNX and cards."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path("cache/tips"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--shards", type=int, default=60, help="of pictures alone")
    parser.add_argument("--pairs", type=int, default=20, help="shards of pictures before and after")
    parser.add_argument("--held-back", type=int, default=2, help="shards of each kept for the card's figures")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=45.0, help="of a processor's work, a network")
    parser.add_argument("--only", choices=("data", *NAMES, "export"))
    train(parser.parse_args())


def train(asked: argparse.Namespace) -> None:
    """Do what is asked for, step by step."""
    if asked.only in {None, "data"}:
        with ProcessPoolExecutor(asked.workers) as pool:
            counts: dict[Kind, int] = {"tips": asked.shards, "pair": asked.pairs}
            for kind in KINDS:
                for path in pool.map(partial(make_shard, folder=asked.cache, kind=kind), range(counts[kind])):
                    say(f"{path.name} is there")
    if asked.only in {None, *NAMES}:
        _fit_all([asked.only] if asked.only else list(NAMES), asked)
    if asked.only in {None, "export"}:
        from vision.train.tip_export import export  # noqa: PLC0415

        learners = [Learner(name, asked.cache) for name in NAMES]
        facts = {"seed": SEED, "steps": [learner.step for learner in learners], "shards": len(shards(asked.cache))}
        held = held_shards(asked.cache, asked.held_back)
        find, tip = (learner.averaged() for learner in learners)
        export(find, tip, held, asked.out, facts)


def _fit_all(names: list[str], asked: argparse.Namespace) -> None:
    """Train networks side by side, a process each; one alone in this one."""
    if len(names) == 1:
        fit(names[0], asked.cache, asked.held_back, asked.minutes)
        return
    spawn = multiprocessing.get_context("spawn")
    learning = [spawn.Process(target=fit, args=(n, asked.cache, asked.held_back, asked.minutes)) for n in names]
    for process in learning:
        process.start()
    for process in learning:
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)


def shards(cache: Path) -> list[Path]:
    """Give the shards that are finished, of pictures alone and of pairs."""
    return [path for kind in KINDS for path in _of_kind(cache, kind)]


def _of_kind(cache: Path, kind: Kind) -> list[Path]:
    return sorted(cache.glob(f"{kind}-?????.npz"))


def held_shards(cache: Path, count: int) -> list[Path]:
    """Give the shards that no network is trained on: the first of each kind."""
    return [path for kind in KINDS for path in _of_kind(cache, kind)[:count]]


def network(name: str) -> torch.nn.Module:
    """Give a network as it begins."""
    return TipVotes(6) if name == "dart-find" else PointInPatch(12, PATCH_SIZE)


class Learner:
    """A network, the running average of its weights, its optimiser, and how far it is.

    Parameters
    ----------
    name
        `dart-find` or `dart-tip`.
    cache
        Folder of its checkpoint, from which it goes on if there is one.
    """

    def __init__(self, name: str, cache: Path) -> None:
        torch.manual_seed(SEED)
        self.name, self._path = name, cache / f"{name}.pt"
        self.net = network(name).to(memory_format=torch.channels_last)
        self.optimiser = torch.optim.AdamW(self.net.parameters(), lr=RATES[name], weight_decay=1e-3)
        self.averages = {key: value.detach().clone() for key, value in self.net.state_dict().items()}
        self._half: bool | None = None
        state = resumed(self._path, self.net, self.optimiser)
        self.spent_s, self.step = state["spent_s"], state["step"]
        self.averages = state.get("averages", self.averages)

    def learn(self, given: Given, share: float) -> float:
        """Make a step when `share` of the time is spent; gives the loss."""
        pace(self.optimiser, RATES[self.name], self.step, share)
        if self._half is None:
            self._half = halves_are_faster(self.net, as_tensor(given[0]))
        self.optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            said = self.net(as_tensor(given[0]))
        value = LOSSES[self.name](said.float(), torch.from_numpy(given[1]))
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        self.step += 1
        self._average()
        return float(value.detach())

    def _average(self) -> None:
        keep = min(AVERAGED, (1 + self.step) / (10 + self.step))
        for key, value in self.net.state_dict().items():
            held = self.averages[key]
            if held.is_floating_point():
                held.lerp_(value.detach(), 1 - keep)
            else:
                held.copy_(value)

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        keep(self._path, self.net, self.optimiser, self.spent_s, self.step, averages=self.averages)

    def averaged(self) -> torch.nn.Module:
        """Give a network with the averaged weights, ready to be asked."""
        net = network(self.name)
        net.load_state_dict(self.averages)
        return net.eval()


def halves_are_faster(net: torch.nn.Module, seen: Tensor) -> bool:
    """Whether this processor learns faster in 16 bits: some do three times as fast, others at half the speed."""
    spent = {}
    for half in (True, False):
        for turn in (0, 1):  # the first prepares
            start = time.process_time()
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                said = net(seen)
            said.float().square().mean().backward()
            if turn:
                spent[half] = time.process_time() - start
    net.zero_grad(set_to_none=True)
    return spent[True] < spent[False]


def fit(name: str, cache: Path, held_back: int, minutes: float) -> None:
    """Train a network for a time by one cosine cycle, going on from its checkpoint where there is one."""
    torch.set_num_threads(1)
    learner = Learner(name, cache)
    spawn = multiprocessing.get_context("spawn")
    queue: Queue[Given] = spawn.Queue(WAITING)
    loader = spawn.Process(target=_load, args=(queue, name, cache, held_back, learner.step), daemon=True)
    loader.start()
    mean, saved = 0.0, time.monotonic()
    learner.net.train()
    while learner.spent_s < minutes * 60:
        given = queue.get()
        start = time.process_time()  # not by the clock: on a busy machine that would teach less
        value = learner.learn(given, learner.spent_s / (minutes * 60))
        mean += (value - mean) * max(0.02, 1 / learner.step)
        learner.spent_s += time.process_time() - start
        if time.monotonic() - saved > 60:
            saved = time.monotonic()
            learner.save()
            say(f"{name}: step {learner.step}, {learner.spent_s / 60:.1f} of {minutes} min, loss {mean:.4f}")
    loader.terminate()
    learner.save()


def _load(queue: "Queue[Given]", name: str, cache: Path, held_back: int, start: int) -> None:
    """Fill the queue with batches until nobody takes them any more."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((SEED, start, NAMES.index(name)))
    known: set[Path] = set(held_shards(cache, held_back))
    samples: list[Sample] = []
    given = _batches(name, samples, rng, _finder(cache) if name == "dart-tip" else None)
    while True:
        for path in shards(cache):
            if path not in known:
                known.add(path)
                samples += load_shard(path)
        for batch in islice(given, LOOK_AGAIN):
            while not _put(queue, batch):
                if not _awaited():
                    return


def _batches(name: str, samples: list[Sample], rng: np.random.Generator, finder: Finder | None) -> Iterator[Given]:
    looks: list[Given] = []
    while True:
        while len(looks) < MIXED[name]:
            chosen = [samples[i] for i in rng.integers(0, len(samples), PICTURES)]
            if name == "dart-find":
                looks += wholes(chosen, rng, LOOKS[name])
            else:
                looks += patches(chosen, rng, finder, LOOKS[name])
        rng.shuffle(looks)
        taken = [looks.pop() for _ in range(SIZES[name])]
        yield np.stack([seen for seen, _ in taken]), np.stack([wanted for _, wanted in taken])


def _finder(cache: Path) -> Finder | None:
    """Give what the trained map takes for tips, where there is one: the patch learns to tell these apart."""
    path = cache / "dart-find.onnx"
    if not path.exists():
        return None
    session = opened(path)

    def places(board: Flat, eye_mm: Points) -> list[Points]:
        canvas = whole_board(eye_mm)
        return [at for at, _ in candidates(maps_of(board, canvas, session), canvas, LIMITS)]

    return places


def _put(queue: "Queue[Given]", given: Given) -> bool:
    try:
        queue.put(given, timeout=10)
    except Full:
        return False
    return True


def _awaited() -> bool:
    """Whether the process that takes the batches is still there."""
    parent = multiprocessing.parent_process()
    return parent is not None and parent.is_alive()


def as_tensor(pictures: NDArray[np.uint8]) -> Tensor:
    """Lay (N, S, S, C) as the networks take them: (N, C, S, S) from -1 to 1."""
    return torch.from_numpy(np.ascontiguousarray(pictures)).permute(0, 3, 1, 2).float() / 127.5 - 1


def find_loss(answer: Tensor, wanted: Tensor) -> Tensor:
    """Tips as peaks, where darts are seen, and the ways from there to the tips (wanted: (N, 5, S / 4, S / 4))."""
    voters = wanted[:, 4]
    far = functional.smooth_l1_loss(answer[:, 2:], wanted[:, 2:4], reduction="none", beta=0.05).sum(1)
    votes = (far * voters).sum() / voters.sum().clamp(min=1)
    return heat_loss(answer[:, 0], wanted[:, 0]) + cover_loss(answer[:, 1], wanted[:, 1]) + 2 * votes


def heat_loss(answer: Tensor, wanted: Tensor) -> Tensor:
    """Penalty-reduced focal loss (Zhou, Wang, Krähenbühl: Objects as Points, 2019)."""
    chance = answer.sigmoid().clamp(1e-5, 1 - 1e-5)
    peak = (wanted > 0.999).float()
    hit = peak * (1 - chance) ** 2 * chance.log()
    miss = (1 - peak) * (1 - wanted) ** 4 * chance**2 * (1 - chance).log()
    return -(hit + miss).sum() / peak.sum().clamp(min=1)


def cover_loss(answer: Tensor, wanted: Tensor) -> Tensor:
    """Cross entropy and overlap of where darts are seen."""
    entropy = functional.binary_cross_entropy_with_logits(answer, wanted)
    chance = answer.sigmoid()
    overlap = (2 * (chance * wanted).sum() + 1) / (chance.sum() + wanted.sum() + 1)
    return 4 * entropy + 0.5 * (1 - overlap)


def tip_loss(answer: Tensor, wanted: Tensor) -> Tensor:
    """Cross entropy of being there; distance; negative log likelihood with a Student's tail for the covariance.

    The likelihood teaches the covariance alone: through the place it would drown the rest, and one hidden tip
    must not drag the others.
    """
    there = wanted[:, 2]
    presence = functional.binary_cross_entropy_with_logits(answer[:, 5], there)
    miss = wanted[:, :2] - answer[:, :2]
    far = ((miss**2).sum(1) + 1e-4).sqrt()
    miss = miss.detach()
    log_a, log_c = answer[:, 2].clamp(-3, 6), answer[:, 3].clamp(-3, 6)
    # Inverse covariance L L' with L = [[a, 0], [b, c]]: the squared Mahalanobis length is |L' miss|^2.
    first = log_a.exp() * miss[:, 0] + answer[:, 4] * miss[:, 1]
    second = log_c.exp() * miss[:, 1]
    nll = 2.5 * torch.log1p((first**2 + second**2) / 3.0) - log_a - log_c
    return presence + ((0.1 * nll + 6.0 * far) * there).sum() / there.sum().clamp(min=1)


LOSSES = {"dart-find": find_loss, "dart-tip": tip_loss}

if __name__ == "__main__":
    main()
