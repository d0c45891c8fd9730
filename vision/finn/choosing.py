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


Covers = dict[Candidate, NDArray[np.intp]]
"""Which pixels of a picture half as large candidates cover."""


def chosen(
    found: Sequence[Candidate], pins: int, taken: Sequence[tuple[Axis, Body]], scene: Scene, covers: Covers
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
    covers
        What is known of what they cover; the rest is added.
    """
    sizes = [scene.sizes(one.kind) for one in found]
    if taken and found:
        blocked = set(np.flatnonzero(_within(found, sizes, taken).any(axis=1)))
        found = [one for k, one in enumerate(found) if k not in blocked]
    if not found:
        return []
    puzzle = _Puzzle(found, pins, scene, covers)
    best = max(puzzle.grown([[], *([place] for place in range(len(found)))]), key=_worth)
    for _ in range(TUNING.rounds):
        better = puzzle.improved(best)
        if better is None:
            break
        best = better
    return [found[place] for place in sorted(best.picked)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    """A set of candidates, by their places in the list, and what it is worth."""

    picked: tuple[int, ...] = ()
    worth: float = 0.0


def _worth(one: _Set) -> float:
    return one.worth


class _Puzzle:
    """Sets of candidates, and what a set is worth: what is new and covered, once, and what speaks for each."""

    def __init__(self, free: Sequence[Candidate], pins: int, scene: Scene, covers: Covers) -> None:
        self._pins = pins
        sizes = [scene.sizes(one.kind) for one in free]
        self._covers, weights, pixels = _covered(free, scene, covers)
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
        np.fill_diagonal(self._twice, 0.0)
        self._clash = _meet(free, sizes) & ~(lie & (share < TUNING.ends))
        self._tried: dict[frozenset[int], _Set] = {}

    def _inside(self, sets: Sequence[Sequence[int]]) -> Array:
        """Give (sets, N), 1 where a candidate is of a set."""
        inside = np.zeros((len(sets), len(self._own)))
        for row, one in zip(inside, sets, strict=True):
            row[list(one)] = 1
        return inside

    def _allowed(self, sets: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """Say which sets can be: not two in one place, not too many."""
        inside = self._inside(sets)
        count, discs = inside.sum(axis=1), inside @ self._disc
        apart = ((inside @ self._clash) * inside).sum(axis=1) == count
        return np.asarray(apart & (discs <= 1) & (count - discs <= self._pins))

    def grown(self, sets: Sequence[Sequence[int]]) -> list[_Set]:
        """Add to each set what is worth most until nothing is; those that cannot be are left empty."""
        keys = [frozenset(one) for one in sets]
        new = {key: one for key, one in zip(keys, sets, strict=True) if key not in self._tried}
        self._tried |= dict.fromkeys(new, _Set())
        if new:
            can = [key for key, is_so in zip(new, self._allowed(list(new.values())), strict=True) if is_so]
            self._tried |= zip(can, self._grown([new[key] for key in can]), strict=True)
        return [self._tried[key] for key in keys]

    def _grown(self, sets: Sequence[Sequence[int]]) -> list[_Set]:
        picked, inside = [list(one) for one in sets], self._inside(sets)
        worth = inside @ self._own - ((inside @ self._twice) * inside).sum(axis=1) / 2
        active = np.arange(len(sets))
        while len(active):
            now = inside[active]
            fresh = np.where(now @ self._covers > 0, 0.0, self._weights)
            gains = self._own + fresh @ self._covers.T - now @ self._twice
            gains[now @ self._clash > 0] = -np.inf
            discs = now @ self._disc
            gains[np.ix_(discs > 0, self._disc)] = -np.inf
            gains[np.ix_(now.sum(axis=1) - discs >= self._pins, ~self._disc)] = -np.inf
            best = gains.argmax(axis=1)
            better = gains[np.arange(len(active)), best] > TUNING.least
            active, best = active[better], best[better]
            inside[active, best] = 1
            worth[active] += self._own[best] - (inside[active] * self._twice[best]).sum(axis=1)
            for row, place in zip(active, best, strict=True):
                picked[row].append(int(place))
        worth += (inside @ self._covers > 0) @ self._weights
        return [_Set(picked=tuple(one), worth=float(value)) for one, value in zip(picked, worth, strict=True)]

    def improved(self, best: _Set) -> _Set | None:
        """Put one candidate in place of those it clashes with, and perhaps one more, if that is worth more."""
        tried: list[list[int]] = []
        for place in range(len(self._own)):
            if place in best.picked:
                continue
            kept = [other for other in best.picked if not self._clash[place, other]]
            tried += [[*kept, place], *([*(other for other in kept if other != less), place] for less in kept)]
        better = (one for one in self.grown(tried) if one.worth > best.worth + TUNING.least)
        return next(better, None)


def _covered(free: Sequence[Candidate], scene: Scene, known: Covers) -> tuple[Array, Array, Array]:
    """Give (N, S) 1 where a candidate covers a piece of the picture, what is new there and its pixels, (S,) each.

    Pixels that the same candidates cover are one piece: there are few.
    """
    half = cv2.resize(scene.weights * (1 - scene.hidden), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    whose = np.zeros(half.shape, np.uint64)
    marks = np.random.default_rng(0).integers(1, 2**63, len(free)).astype(np.uint64)
    for one in free:
        if one not in known:
            known[one] = _inside(outline_px(one.axis, scene.sizes(one.kind), scene.camera) / 2, half.shape)
    masks = [known[one] for one in free]
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
