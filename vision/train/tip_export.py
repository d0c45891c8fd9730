"""From trained networks to files: ONNX, cards with figures on boards held back, answers to hold them to."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vision.darts.learned import (
    BOARD,
    FIND_SIZE,
    LIMITS,
    PATCH_SIZE,
    Limits,
    Nets,
    Seen,
    Trust,
    believed,
    candidates,
    look,
    maps_from,
    patch_at,
    signs_of_more,
    tip_of,
    whole_board,
)
from vision.darts.reading import LIMITS as READING
from vision.models import opened
from vision.train.learning import write_card, write_onnx
from vision.train.surround import paint_surround
from vision.train.tip_batches import SURROUNDS, decoded, decoded_before, views
from vision.train.tip_data import SCENES_PER_SHARD, Sample, load_shard
from vision.train.tips import as_tensor

FOUND_MM = 6.0  # a peak this near a tip has found it: the patch sees twice as far
INSIDE_90 = 4.605
"""In sigmas²: nine of ten of a normal distribution over a plane lie nearer to its middle."""
PROBE_SEED = 23
PROBES = {"dart-find": (2, FIND_SIZE, FIND_SIZE, 6), "dart-tip": (50, PATCH_SIZE, PATCH_SIZE, 12)}
"""Shapes of the numbers whose answers the cards hold."""


def export(
    find: torch.nn.Module, tip: torch.nn.Module, held: list[Path], out: Path, facts: dict[str, Any]
) -> None:
    """Write `dart-find.onnx`, `dart-tip.onnx`, and a card beside each.

    Parameters
    ----------
    find, tip
        Trained, in evaluation mode.
    held
        Shards that neither was trained on.
    out
        Folder.
    facts
        What else belongs on the cards.
    """
    samples = [sample for path in held for sample in load_shard(path)]
    single, pairs = ([sample for sample in samples if bool(sample.before) == kind] for kind in (False, True))
    figures, of_pairs = _figures(find, tip, single), _figures(find, tip, pairs) if pairs else {}
    answers = {}
    for name, net in (("dart-find", find), ("dart-tip", tip)):
        seen = as_tensor(probe(name))
        write_onnx(net, out / f"{name}.onnx", seen[:1], {0: "n"})
        with torch.no_grad():
            answers[name] = kept(net(seen).numpy()).tolist()
    for name, reads in _READS.items():
        path = out / f"{name}.onnx"
        card = {
            "reads": reads,
            "trained_on": "synthetic pictures drawn by vision.synth and vision.train.painted; no photograph",
            "made_by": "python -m vision.train.tips",
            **facts,
            "held_back": {"scenes": len(held) * SCENES_PER_SHARD, **figures[name], "pairs": of_pairs.get(name)},
            "probe": {"seed": PROBE_SEED, "said": [round(value, 5) for value in answers[name]]},
        }
        if name == "dart-tip":
            card |= _trust(out, single) | ({"pair": _trust(out, pairs)} if pairs else {})
        write_card(path, card)


def probe(name: str) -> NDArray[np.uint8]:
    """Give the numbers that a network and its file have to answer alike, (N, S, S, C)."""
    return np.random.default_rng(PROBE_SEED).integers(0, 256, PROBES[name], np.uint8)


def kept(said: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give what a card keeps of an answer: all of a patch's, every twenty-fourth row and column of a map's."""
    return (said if said.ndim == 2 else said[:, :, ::24, ::24]).ravel()


_READS = {
    "dart-find": "a dartboard seen flat, 384 x 384, and as if bare: where darts enter it, are, and lead to",
    "dart-tip": "48 mm of a dartboard seen flat, 64 x 64: where a dart enters it, and how sure that is",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """What is looked at in a sample.

    Attributes
    ----------
    seen
        N places, with their signs.
    right, squares
        (N,) whether each is a tip, and how far off in sigmas².
    tips
        How many there are.
    """

    seen: Seen
    right: NDArray[np.bool_]
    squares: NDArray[np.float64]
    tips: int

    @property
    def signs(self) -> NDArray[np.float64]:
        """(N, 5)."""
        return np.reshape([tip.signs for tip in self.seen.tips], (-1, 5))


def _trust(folder: Path, samples: list[Sample]) -> dict[str, Any]:
    """Learn from the samples what `vision.darts.learned.Trust` says, and how that does: as cards keep it.

    How it does is told of each half of them with what the other taught.
    """
    unknown = Trust(belief=np.zeros(6), more=np.zeros(5), spread=1.0)
    find, tip = opened(folder / "dart-find.onnx"), opened(folder / "dart-tip.onnx")
    nets = Nets(find=find, tip=tip, alone=unknown, pair=unknown)
    rng = np.random.default_rng(29)
    rows = [_looked(sample, nets, rng) for sample in samples]
    weights, spread = _learned(rows)
    tips = sum(row.tips for row in rows)
    asked: list[NDArray[np.bool_]] = []
    missed: list[NDArray[np.bool_]] = []
    inside: list[NDArray[np.bool_]] = []
    chances: list[NDArray[np.float64]] = []
    right: list[NDArray[np.bool_]] = []
    for half in (0, 1):
        taught, widened = _learned(rows[half::2])
        other = rows[1 - half :: 2]
        inside.append(_squares(other, taught) / widened < INSIDE_90)
        chances += [np.array([believed(one, taught) for one in row.signs]) for row in other]
        right += [row.right for row in other]
        more = logistic(*_more(rows[half::2], taught))
        signs, besides = _more(other, taught)
        asked.append(np.array([believed(one, more) > READING.more for one in signs]))
        missed.append(besides)
    told = {"inside_90_percent_ellipse": round(float(np.concatenate(inside).mean()), 4)}
    doubted, besides = np.concatenate(asked), np.concatenate(missed)
    told["asks_for_more"] = round(float(doubted.mean()), 4)
    told["more_where_it_does_not"] = round(float(besides[~doubted].mean()) if not doubted.all() else 0.0, 4)
    said, true = np.concatenate(chances), np.concatenate(right)
    for least in (0.5, 0.9):
        found = true[said > least]
        told[f"recall_{least}"] = round(float(found.sum() / max(tips, 1)), 4)
        told[f"precision_{least}"] = round(float(found.mean()) if len(found) else 0.0, 4)
    return {
        "belief": [round(float(value), 4) for value in weights],
        "spread": round(spread, 3),
        "more": [round(float(value), 4) for value in logistic(*_more(rows, weights))],
        "believed": told,
    }


def _more(rows: list[_Looked], weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Give (R, 4) what speaks for darts besides those that are believed, and (R,) whether there are."""
    signs, besides = [], []
    for row in rows:
        tips = [replace(tip, chance=believed(tip.signs, weights)) for tip in row.seen.tips]
        signs.append(signs_of_more(tips, row.seen.votes))
        found = sum(bool(right) and tip.chance >= LIMITS.dart for right, tip in zip(row.right, tips, strict=True))
        besides.append(found < row.tips)
    return np.array(signs), np.array(besides)


def _learned(rows: list[_Looked]) -> tuple[NDArray[np.float64], float]:
    """Give weights of belief, and by how much covariances have to be widened."""
    weights = logistic(np.concatenate([row.signs for row in rows]), np.concatenate([row.right for row in rows]))
    squares = _squares(rows, weights)
    if not len(squares):
        raise SystemExit("no tip of the boards held back is found: train for longer, or hold back more of them")
    return weights, max(1.0, float(np.percentile(squares, 90)) / INSIDE_90)


def _squares(rows: list[_Looked], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give how far off believed tips are, in sigmas²."""
    return np.concatenate(
        [
            row.squares[row.right & np.array([believed(one, weights) > 0.5 for one in row.signs], bool)]
            for row in rows
        ]
    )


def _looked(sample: Sample, nets: Nets, rng: np.random.Generator) -> _Looked:
    """Look at a sample, one alone half of the time with another number ring; each tip is found once."""
    picture, mask = decoded(sample)
    before = decoded_before(sample)
    if before is None and rng.random() < SURROUNDS:
        paint_surround(picture, mask, sample.eye_mm, BOARD, rng)
    seen = look(picture, sample.eye_mm, nets, Limits(present=0.0), before)
    free = list(np.reshape(sample.tips_mm, (-1, 2)))
    right, squares = [], []
    ordered = sorted(seen.tips, key=lambda tip: -float(tip.signs[:3].sum()))
    for tip in ordered:
        gaps = [float(np.linalg.norm(tip.xy_mm - other)) for other in free]
        right.append(bool(gaps) and min(gaps) < FOUND_MM)
        squares.append(0.0)
        if right[-1]:
            miss = tip.xy_mm - free.pop(int(np.argmin(gaps)))
            squares[-1] = float(miss @ np.linalg.inv(tip.cov_mm) @ miss)
    return _Looked(
        seen=replace(seen, tips=ordered),
        right=np.array(right, bool),
        squares=np.array(squares),
        tips=len(sample.tips_mm),
    )


def logistic(signs: NDArray[np.float64], right: NDArray[np.bool_], steps: int = 40) -> NDArray[np.float64]:
    """Fit the weights of `vision.darts.learned.believed` to signs (N, S) by Newton's method, with some ridge."""
    given = np.column_stack([np.ones(len(signs)), signs])
    weights = np.zeros(given.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(given @ weights, -30, 30)))
        slope = given.T @ (chance - right) + 0.1 * weights
        bend = (given * (chance * (1 - chance))[:, None]).T @ given + 0.1 * np.eye(len(weights))
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def _figures(find: torch.nn.Module, tip: torch.nn.Module, samples: list[Sample]) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(19)
    count, errors, squares, presence = np.zeros(3, int), [], [], []
    for sample in samples:
        shown = views(sample, rng, vary=False)
        with torch.no_grad():
            maps = maps_from(find(as_tensor(shown.whole[None]))[0].numpy().astype(np.float64))
            looked = tip(as_tensor(np.stack(shown.patches))).numpy()
        sure = Limits(peak=0.3, led=np.inf)
        places = np.reshape([at for at, _ in candidates(maps, whole_board(sample.eye_mm), sure)], (-1, 2))
        gaps = np.linalg.norm(places[:, None] - np.reshape(sample.tips_mm, (1, -1, 2)), axis=2)
        count += (gaps.shape[1], gaps.shape[0], int((gaps < FOUND_MM).any(0).sum()))
        for place, said in zip(shown.places, looked, strict=True):
            presence.append((said[5] > 0) == bool(place[2]))
            if place[2]:
                found = tip_of(said, _PLAIN)
                miss = found.xy_mm - _PLAIN.to_mm([(PATCH_SIZE - 1) / 2 + place[:2] * PATCH_SIZE / 2])[0]
                errors.append(float(np.hypot(*miss)))
                squares.append(float(miss @ np.linalg.inv(found.cov_mm) @ miss))
    figures = {
        "dart-find": {
            "tips": int(count[0]),
            "recall": count[2] / count[0],
            "precision": count[2] / max(count[1], 1),
        },
        "dart-tip": {
            "patches": len(presence),
            "presence_right": float(np.mean(presence)),
            "error_mm_median": float(np.median(errors)),
            "error_mm_90": float(np.percentile(errors, 90)),
            "inside_90_percent_ellipse": float(np.mean(np.array(squares) < INSIDE_90)),
        },
    }
    return {name: {key: round(value, 4) for key, value in part.items()} for name, part in figures.items()}


_PLAIN = patch_at(np.array([0.0, -1e6, 1.0]), np.zeros(2))
