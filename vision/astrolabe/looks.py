"""Places of a table looked at as if a ball were there, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.astrolabe.colours import core_bgr, shade_of, strangeness
from vision.astrolabe.likeness import Likeness, bins_of, likeness_of, looked_up, looked_up_at
from vision.astrolabe.teaching import Colours
from vision.astrolabe.view import AROUND, INSIDE, PX_PER_CM, REACH, SIDE, TableView

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Picture = NDArray[np.uint8]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LookLimits:
    """What is looked at.

    Attributes
    ----------
    gap_weight
        Of what lies around a ball against what is in it, where its place is sought.
    edge_levels
        Difference across the outline, summed over the channels, that is an edge.
    covered, halo
        What is within so many radii of the middle of another ball may be that ball; what is within so many may be
        lit by it, where the picture is not sharp.
    near
        A ball so many radii away may cover something of a ball's outline or of the gap around it.
    outline
        Points of the outline.
    rings
        Where inside and outside of the outline are compared, in radii.
    """

    gap_weight: float = 0.3
    edge_levels: float = 25.0
    covered: float = 1.15
    halo: float = 1.4
    near: float = 3.2
    outline: int = 24
    rings: tuple[float, float] = (0.82, 1.18)


LIMITS: Final = LookLimits()
_TURN: Final = np.linspace(0, 2 * np.pi, LIMITS.outline, endpoint=False)
_WAYS: Final = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
_STEP: Final = 2 * REACH / (SIDE - 1)
_IN, _OUT = (np.round((rho * _WAYS + REACH) / _STEP).astype(np.intp).T for rho in LIMITS.rings)
_AROUND_XY: Final = (np.argwhere(AROUND)[:, ::-1] * _STEP - REACH).astype(np.float64)
_INSIDE_AT: Final = np.flatnonzero(INSIDE)
_AROUND_AT: Final = np.flatnonzero(AROUND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One place looked at as if a ball were there.

    Attributes
    ----------
    xy_cm
        Where, on the table, under the middle of the ball.
    side
        Whose it would be.
    like
        Mean logarithm of how much likelier its pixels are a ball's than the table's, from -3 to 3.
    gap
        The same of what lies around it, as far as no other ball covers that.
    edge
        Share of its outline that shows an edge, of the `free` share that no other ball covers.
    free
        That share.
    strange, strange_other
        How badly its colour fits the side's, and the other side's (infinite where that was not taught).
    rare
        Share of its pixels that are as hardly anything of the table is, nor as a ball.
    """

    xy_cm: Point
    side: int
    like: float
    gap: float
    edge: float
    free: float
    strange: float
    strange_other: float
    rare: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Looks:
    """Several places: (N, 2) cm, their patches (N, 33, 33, 3), and (N,) of each measure of `Look`."""

    xy_cm: Array
    patches: Picture
    side: NDArray[np.intp]
    like: Array
    gap: Array
    edge: Array
    free: Array

    @property
    def fill(self) -> Array:
        """How well balls fill their places and nothing else."""
        return np.asarray(self.like - LIMITS.gap_weight * self.gap)

    @property
    def roundness(self) -> Array:
        """How well they do so with an outline."""
        return np.asarray(self.like - self.gap + 3 * self.edge)


class Looker:
    """One picture with what its colours say."""

    def __init__(self, picture: Picture, flat: Picture, view: TableView, colours: Colours) -> None:
        self.flat, self.view = flat, view
        self.colours = colours.seen_in(flat)
        self.likeness: Likeness = likeness_of(flat, view, self.colours.pixels)
        self.sides = [side for side in (0, 1) if colours.sides[side] is not None]
        self._picture = picture

    def patches(self, xy_cm: Array) -> Picture:
        """Cut places of balls, (N, 2) cm, out of the picture: (N, 33, 33, 3)."""
        return self.view.patches(self._picture, xy_cm)[0]

    def wide_patches(self, xy_cm: Array, reach: float, side: int) -> Picture:
        """Cut places out with more of what is beside them: (N, side, side, 3), `reach` ball radii each way."""
        return self.view.patches(self._picture, xy_cm, reach, side)[0]

    def look(self, xy_cm: ArrayLike, beside: Sequence[Point] = ()) -> Looks:
        """Look at places, (N, 2) cm; balls are known to lie at `beside`."""
        xy = np.asarray(xy_cm, dtype=np.float64).reshape(-1, 2)
        patches, across, middles = self.view.patches(self._picture, xy)
        count = len(xy)
        gutter = self.in_gutters(xy)
        like = np.empty((2, count))
        gap = np.empty((2, count))
        open_gap, free = self._uncovered(across, middles, beside)
        bins = bins_of(patches).reshape(count, SIDE * SIDE)
        for side in (0, 1):
            if gutter.all() or not gutter.any():
                tables = self.likeness.gutter if gutter.any() else self.likeness.board
                values = looked_up_at(tables[side], bins)
            else:
                values = np.empty((count, SIDE * SIDE), np.float32)
                for there, tables in ((gutter, self.likeness.gutter), (~gutter, self.likeness.board)):
                    values[there] = looked_up_at(tables[side], bins[there])
            like[side] = values[:, _INSIDE_AT].mean(axis=1)
            around = values[:, _AROUND_AT]
            gap[side] = (
                around.mean(axis=1)
                if open_gap is None
                else (around * open_gap).sum(axis=1) / np.maximum(open_gap.sum(axis=1), 1)
            )
        fill = like - LIMITS.gap_weight * gap
        side_of = np.argmax(fill, axis=0) if len(self.sides) == 2 else np.full(count, self.sides[0])
        every = np.arange(count)
        edge, open_share = _edges(patches, free)
        return Looks(
            xy_cm=xy,
            patches=patches,
            side=side_of,
            like=like[side_of, every],
            gap=gap[side_of, every],
            edge=edge,
            free=open_share,
        )

    def judged(self, looks: Looks, k: int) -> Look:
        """Give the k-th of some looks, with what its colour says."""
        patch, side = looks.patches[k], int(looks.side[k])
        shade = shade_of(core_bgr(patch[INSIDE]))
        fits = [np.inf if taught is None else strangeness(shade, taught) for taught in self.colours.sides]
        gutter = bool(self.in_gutters(looks.xy_cm[k : k + 1])[0])
        tables = self.likeness.gutter if gutter else self.likeness.board
        inner = patch[INSIDE]
        rare = looked_up(self.likeness.rare_gutter if gutter else self.likeness.rare_board, inner) > 0
        unlike = np.max([looked_up(tables[s], inner) for s in self.sides], axis=0) < 0
        return Look(
            xy_cm=(float(looks.xy_cm[k, 0]), float(looks.xy_cm[k, 1])),
            side=side,
            like=float(looks.like[k]),
            gap=float(looks.gap[k]),
            edge=float(looks.edge[k]),
            free=float(looks.free[k]),
            strange=float(fits[side]),
            strange_other=float(fits[1 - side]),
            rare=float(np.mean(rare & unlike)),
        )

    def in_gutters(self, xy_cm: Array) -> Mask:
        """Say which places, (N, 2) cm, show in gutters."""
        height, width = self.view.gutters.shape
        columns = np.clip((xy_cm[:, 0] * PX_PER_CM).astype(np.intp), 0, width - 1)
        rows = np.clip((xy_cm[:, 1] * PX_PER_CM).astype(np.intp), 0, height - 1)
        return np.asarray(self.view.gutters[rows, columns])

    def _uncovered(
        self, across: Array, middles: Array, beside: Sequence[Point]
    ) -> tuple[Mask | None, Mask | None]:
        """Say which pixels around balls, (N, n), and points of their outlines, (N, 24), no other ball covers."""
        radius = self.view.radius_cm
        if not beside:
            return None, None
        others = self.view.camera.to_px([(*xy, radius) for xy in beside])
        steps = np.linalg.solve(across[:, None], (others[None] - middles[:, None])[..., None])[..., 0]
        near = np.hypot(steps[..., 0], steps[..., 1]) < LIMITS.near
        if not near.any():
            return None, None
        gap = np.ones((len(across), len(_AROUND_XY)), bool)
        free = np.ones((len(across), LIMITS.outline), bool)
        for n, k in np.argwhere(near):
            gap[n] &= np.hypot(*(_AROUND_XY - steps[n, k]).T) >= LIMITS.halo
            free[n] &= np.hypot(*(LIMITS.rings[1] * _WAYS - steps[n, k]).T) >= LIMITS.covered
        return gap, free


def _edges(patches: Picture, free: Mask | None) -> tuple[Array, Array]:
    """Give the share of each outline across which the picture changes, and the share that was looked at."""
    inner = patches[:, _IN[1], _IN[0]].astype(np.int16)
    outer = patches[:, _OUT[1], _OUT[0]].astype(np.int16)
    edge = np.abs(outer - inner).sum(axis=2) > LIMITS.edge_levels
    if free is None:
        return edge.mean(axis=1), np.ones(len(patches))
    return (edge & free).sum(axis=1) / np.maximum(free.sum(axis=1), 1), free.mean(axis=1)
