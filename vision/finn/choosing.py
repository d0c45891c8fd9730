"""The set of candidates that explains most: two bodies cannot be in one place, and there are only so many pins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.pins import Axis, Body, drawn, outline_px
from vision.finn.weighing import Candidate, Scene

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingTuning:
    """What a set of bodies is worth.

    Attributes
    ----------
    price, price_disc
        What a pin of a set has to be worth, lest two stand for one, and a disc: pins that are seen nowhere are
        rarer.
    overlap, overlap_standing
        Bodies whose axes come nearer than this share of the sum of their radii are in one place; places of
        standing ones are better known.
    overlap_stood
        The same of standing ones against what stays: that may have been pushed by half a centimetre and more.
    overlap_stay
        The same of what lies against what stays: one that leans on it or lies around it comes near.
    cover_weight
        What covering one pin's area of new pixels counts.
    ends
        Two that do not stand and share less of their area meet with their ends at most: one of them may hang over
        an edge or lie on the other, and is not quite where it is thought to be.
    behind, twice
        Of a lying body a nearer one may hide this share; what more of it two have in common counts against them.
    rounds
        Exchanges that are tried.
    least
        A set has to be worth so much more than another to be better.
    """

    price: float = 0.3
    price_disc: float = 0.6
    overlap: float = 0.62
    overlap_standing: float = 0.85
    overlap_stood: float = 0.76
    overlap_stay: float = 0.4
    cover_weight: float = 1.0
    ends: float = 0.55
    behind: float = 0.25
    twice: float = 2.0
    rounds: int = 12
    least: float = 0.02


TUNING: Final = ChoosingTuning()


def chosen(
    found: Sequence[Candidate], pins: int, taken: Sequence[tuple[Axis, Body]], scene: Scene
) -> list[Candidate]:
    """Choose at most so many pins and one disc that explain most and are in nobody's way.

    Parameters
    ----------
    found
        Candidates.
    pins
        How many pins there can be.
    taken
        Bodies that are known to stand.
    scene
        What they are judged by.
    """
    sizes = [scene.sizes(one.kind) for one in found]
    if taken and found:
        blocked = np.flatnonzero(_within(found, sizes, taken).any(axis=1))
        found = [one for k, one in enumerate(found) if k not in blocked]
    if not found:
        return []
    puzzle = _Puzzle(found, pins, scene)
    starts = [puzzle.grown([])] + [puzzle.grown([place]) for place in range(len(found))]
    best = max(starts, key=puzzle.worth)
    for _ in range(TUNING.rounds):
        better = puzzle.improved(best)
        if better is None:
            break
        best = better
    return [found[place] for place in sorted(best)]


class _Puzzle:
    """Sets of candidates, and what a set is worth: what is new and covered, once, and what speaks for each."""

    def __init__(self, free: Sequence[Candidate], pins: int, scene: Scene) -> None:
        self._pins = pins
        sizes = [scene.sizes(one.kind) for one in free]
        self._covers, weights, pixels = _covered(free, sizes, scene)
        size = max(1.0, float((self._covers @ pixels).mean()))
        self._weights = TUNING.cover_weight * weights / size
        self._disc = np.array([one.kind == "disc" for one in free])
        price = np.where(self._disc, TUNING.price_disc, TUNING.price)
        self._own = np.array([one.score for one in free]) - price
        area = np.maximum(self._covers @ pixels, 1.0)
        both = (self._covers * pixels) @ self._covers.T
        share = np.clip(both / np.minimum(area[:, None], area), 0, 1)
        lies = np.array([one.kind in ("lying", "leaning") for one in free])
        lie = lies & lies[:, None]
        self._twice = TUNING.twice * np.maximum(share - TUNING.behind, 0) * lie
        self._clash = _meet(free, sizes) & ~(lie & (share < TUNING.ends))
        self._tried: dict[frozenset[int], list[int]] = {}

    def worth(self, picked: Sequence[int]) -> float:
        """Say what a set is worth."""
        if not picked:
            return 0.0
        covered = self._covers[list(picked)].any(axis=0)
        twice = self._twice[np.ix_(picked, picked)]
        less = (twice.sum() - np.trace(twice)) / 2
        return float(self._own[list(picked)].sum() + self._weights[covered].sum() - less)

    def allowed(self, picked: Sequence[int]) -> bool:
        """Say whether a set can be: not two in one place, not too many."""
        discs = int(self._disc[list(picked)].sum())
        if discs > 1 or len(picked) - discs > self._pins:
            return False
        return int(self._clash[np.ix_(picked, picked)].sum()) == len(picked)

    def grown(self, picked: Sequence[int]) -> list[int]:
        """Add what is worth most until nothing is."""
        start = frozenset(picked)
        if start not in self._tried:
            self._tried[start] = self._grown(list(picked)) if not picked or self.allowed(picked) else []
        return self._tried[start]

    def _grown(self, picked: list[int]) -> list[int]:
        covered = self._covers[picked].any(axis=0)
        no = self._clash[picked].any(axis=0)
        discs = int(self._disc[picked].sum())
        while True:
            gains = self._own + self._covers @ np.where(covered, 0.0, self._weights)
            gains -= self._twice[picked].sum(axis=0)
            gains[no] = -np.inf
            if discs:
                gains[self._disc] = -np.inf
            if len(picked) - discs >= self._pins:
                gains[~self._disc] = -np.inf
            best = int(np.argmax(gains))
            if gains[best] <= TUNING.least:
                return picked
            picked = [*picked, best]
            covered = covered | (self._covers[best] > 0)
            no = no | self._clash[best]
            discs += int(self._disc[best])

    def improved(self, picked: Sequence[int]) -> list[int] | None:
        """Put one candidate in place of those it clashes with, and perhaps one more, if that is worth more."""
        now = self.worth(picked)
        for place in range(len(self._own)):
            if place in picked:
                continue
            kept = [other for other in picked if not self._clash[place, other]]
            for rest in [kept, *([other for other in kept if other != less] for less in kept)]:
                option = self.grown([*rest, place])
                if self.worth(option) > now + TUNING.least:
                    return option
        return None


def _covered(free: Sequence[Candidate], sizes: Sequence[Body], scene: Scene) -> tuple[Array, Array, Array]:
    """Give (N, S) 1 where a candidate covers a piece of the picture, what is new there and its pixels, (S,) each.

    Pixels that the same candidates cover are one piece: there are few.
    """
    half = cv2.resize(scene.weights * (1 - scene.hidden), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    whose = np.zeros(half.shape, np.uint64)
    marks = np.random.default_rng(0).integers(1, 2**63, len(free)).astype(np.uint64)
    masks = [
        _inside(outline_px(one.axis, size, scene.camera) / 2, half.shape)
        for one, size in zip(free, sizes, strict=True)
    ]
    flat = whose.ravel()
    for mask, mark in zip(masks, marks, strict=True):
        flat[mask] ^= mark
    used = np.flatnonzero(flat)
    kept, piece = np.unique(flat[used], return_inverse=True)
    weights = np.asarray(np.bincount(piece.ravel(), half.ravel()[used], len(kept)), np.float64)
    covers = np.zeros((len(free), len(kept)))
    for row, mask in zip(covers, masks, strict=True):
        row[np.searchsorted(kept, flat[mask])] = 1
    return covers, weights, np.bincount(piece.ravel(), minlength=len(kept)).astype(np.float64)


def _inside(outline: Array, shape: tuple[int, ...]) -> NDArray[np.intp]:
    """Give the pixels, as places in a flattened picture of this shape, of an outline, (N, 2) px."""
    low = np.clip(np.floor(outline.min(axis=0)).astype(int) - 1, 0, (shape[1], shape[0]))
    high = np.clip(np.ceil(outline.max(axis=0)).astype(int) + 2, 0, (shape[1], shape[0]))
    if (high <= low).any():
        return np.zeros(0, np.intp)
    ys, xs = drawn(outline - low, (int(high[1] - low[1]), int(high[0] - low[0]))).nonzero()
    return np.asarray((ys + low[1]) * shape[1] + xs + low[0], np.intp)


def _meet(free: Sequence[Candidate], sizes: Sequence[Body]) -> NDArray[np.bool_]:
    """Say of each two candidates, (N, N), whether they would be in one place."""
    axes = [one.axis for one in free]
    apart = gaps(axes, sizes, axes, sizes)
    stands = np.array([abs(np.cos(axis.tilt)) > 0.99 for axis in axes])
    share = np.where(stands & stands[:, None], TUNING.overlap_standing, TUNING.overlap)
    return np.asarray((apart < share * _both(sizes, sizes)) | np.eye(len(free), dtype=bool))


def _within(
    free: Sequence[Candidate], sizes: Sequence[Body], taken: Sequence[tuple[Axis, Body]]
) -> NDArray[np.bool_]:
    """Say of candidates, (N, M), whether they would be where something stays: whatever touches that is near it."""
    others = [size for _, size in taken]
    apart = gaps([one.axis for one in free], sizes, [axis for axis, _ in taken], others)
    stands = np.array([one.kind == "upright" for one in free])
    share = np.where(stands, TUNING.overlap_stood, TUNING.overlap_stay)
    return np.asarray(apart < share[:, None] * _both(sizes, others))


def _both(first: Sequence[Body], second: Sequence[Body]) -> Array:
    """Give the sums of the radii, cm, of each two."""
    one, other = (np.array([size.radius_cm for size in sizes]) for sizes in (first, second))
    return np.asarray(one[:, None] + other)


def gaps(first: Sequence[Axis], sizes: Sequence[Body], second: Sequence[Axis], others: Sequence[Body]) -> Array:
    """Give how near the axes of each two come, (N, M) cm, without the rounding of the ends."""
    one, other = _lines(first, sizes), _lines(second, others)
    apart = one[:, None, :, None] - other[None, :, None]
    return np.asarray(np.sqrt((apart**2).sum(axis=4)).min(axis=(2, 3)))


def _lines(axes: Sequence[Axis], sizes: Sequence[Body]) -> Array:
    """Give nine points along each axis, (N, 9, 3) cm."""
    part = np.linspace(-1, 1, 9)[:, None]
    return np.array(
        [
            axis.middle + max(0.0, size.height_cm / 2 - 0.5 * size.radius_cm) * part * axis.along
            for axis, size in zip(axes, sizes, strict=True)
        ]
    )
