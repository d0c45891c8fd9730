"""Finds the balls of one picture: what lies in each slot, and every ball anywhere else on the table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.colours import core_bgr, shade_of, strangeness
from vision.astrolabe.hidden import hidden_sides, odd_in_gutters
from vision.astrolabe.likeness import Likeness, likeness_of, looked_up
from vision.astrolabe.teaching import Colours
from vision.astrolabe.view import AROUND, INSIDE, PX_PER_CM, REACH, SIDE, TableView, in_polygon

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Map = NDArray[np.float32]
Slot = Literal[0, 1, "?"] | None


@dataclass(frozen=True, slots=True)
class BallLimits:
    """What is a ball, what is none, and what a person is asked about.

    The measures of one place: `like`, mean logarithm of how much likelier its pixels are a ball's than the rest's,
    from -3 to 3; `gap`, the same of what lies around it; `edge`, the share of its outline that shows an edge.
    Measured on rendered tables of every kind: balls in slots 2.1 and more, empty slots 0.1 and less; elsewhere
    the outline of a ball is closed and `like - gap - 12 (1 - edge)` is 2.4 and more for balls of the very colour
    of the table, 4.4 and more for others, 2.7 and less for pieces of combs and walls.

    Attributes
    ----------
    slot_middle, slot_slope
        The chance of a ball in a slot is logistic in `like`: one half there, and so steep.
    sure_slot
        A slot with a chance nearer to one half than this is unsure.
    loose_middle, loose_slope, sure_loose, maybe_loose
        The same for balls elsewhere, by the sum of the three, in which an open outline counts `open_edge` against.
        What is less likely a ball than `maybe_loose` is not even asked about.
    least_like, stands_out
        Nothing less like a ball, or less so than what is around it by this, is looked at elsewhere.
    nothing
        The least `like` there is, negative.
    round_edge
        A thing in a gutter that hides balls is asked about if so much of its outline shows.
    touching, touching_like
        What is so like a ball and within so many radii of a ball may be another one that touches it.
    sure_side
        Chance from which on a ball's side is sure.
    strange
        A ball that fits its side's colour worse than this (squared standard deviations) is asked about.
    rare
        A slot without a ball holds something else if this much more of it than of the other slots without is as
        the table hardly is anywhere.
    apart
        Two balls touch at 2 radii; nothing nearer than this many radii is another one.
    edge_levels
        Difference across the outline, summed over the channels, that is an edge.
    aside_cm
        A ball that rests in a slot is this near to the row's line across the table.
    tooth_cm
        Half the thickness of a tooth: a ball in a slot lies between two.
    """

    slot_middle: float = 1.3
    slot_slope: float = 5.0
    sure_slot: float = 0.97
    loose_middle: float = 3.3
    loose_slope: float = 3.0
    sure_loose: float = 0.93
    maybe_loose: float = 0.03
    open_edge: float = 12.0
    least_like: float = 0.6
    stands_out: float = 0.5
    nothing: float = 3.0
    round_edge: float = 0.85
    touching: float = 2.6
    touching_like: float = 2.3
    sure_side: float = 0.97
    strange: float = 20.0
    rare: float = 0.4
    apart: float = 1.5
    edge_levels: float = 25.0
    aside_cm: float = 0.3
    tooth_cm: float = 0.3


LIMITS: Final = BallLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One place looked at as if a ball were there.

    Attributes
    ----------
    xy_cm
        Where, on the table, under the middle of the ball.
    side
        Whose it would be.
    like, gap, edge
        See `BallLimits`.
    side_chance
        Chance that it is this side's and not the other's, if it is a ball.
    strange
        How badly its colour fits the side's.
    rare
        Share of its pixels that are as hardly anything of the table is, nor as a ball.
    """

    xy_cm: tuple[float, float]
    side: int
    like: float
    gap: float
    edge: float
    side_chance: float
    strange: float
    rare: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRead:
    """A slot and what was seen in it; `code` says what is unsure, if anything."""

    row: int
    place: int
    holds: Slot
    chance: float
    code: str | None
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseBall:
    """A ball outside of the slots; `gutter` if it is in one."""

    ball: Slot
    xy_cm: tuple[float, float]
    gutter: bool
    chance: float
    code: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Balls:
    """All that one picture shows.

    Attributes
    ----------
    slots
        Row by row.
    loose
        Balls elsewhere, in the order of their distance from the player.
    maybe
        Places that may be a ball or not, cm.
    hidden
        Balls of a side look like the board, so that one may be overlooked.
    flat
        (h, w, 3) the picture seen flat.
    """

    slots: tuple[SlotRead, ...]
    loose: tuple[LooseBall, ...]
    maybe: tuple[tuple[float, float], ...]
    hidden: bool
    flat: Picture


def find_balls(picture: Picture, view: TableView, colours: Colours, flat: Picture | None = None) -> Balls:
    """Find every ball of a picture.

    Parameters
    ----------
    picture
        (H, W, 3) BGR.
    view
        The table.
    colours
        What its balls look like, in whatever light.
    flat
        (h, w, 3) the picture seen flat, if that is at hand.
    """
    finder = _Finder(picture, view.flat(picture) if flat is None else flat, view, colours)
    slots = finder.slots()
    taken = [slot.look.xy_cm for slot in slots if slot.holds is not None]
    loose, maybe = finder.loose(taken)
    on_board, in_gutters = finder.hidden()
    if in_gutters:
        known = [*(ball.xy_cm for ball in loose), *maybe]
        for odd in odd_in_gutters(finder.flat, view):
            missing = odd.balls > sum(odd.holds(xy) for xy in known)
            if missing and (odd.balls > 1 or finder.round_at(odd.xy_cm)):
                maybe += (odd.xy_cm,)
    return Balls(slots=slots, loose=loose, maybe=maybe, hidden=on_board, flat=finder.flat)


class _Finder:
    """One picture with its maps."""

    def __init__(self, picture: Picture, flat: Picture, view: TableView, colours: Colours) -> None:
        self.flat = flat
        self._picture, self._view = picture, view
        self._colours = colours.seen_in(self.flat)
        self._likeness = likeness_of(self.flat, view, self._colours.pixels)
        self._sides = [side for side in (0, 1) if colours.sides[side] is not None]
        self._inside, self._around = self._maps(self._likeness)

    def slots(self) -> tuple[SlotRead, ...]:
        looks: list[tuple[int, int, Look]] = []
        for row, place, centre in self._view.slots():
            play = self._view.table.positions[row].pitch_cm / 2 - self._view.radius_cm - LIMITS.tooth_cm
            looks.append((row, place, self._best(centre, (max(0.3, play), LIMITS.aside_cm))))
        empty = [look.rare for _, _, look in looks if look.like < LIMITS.slot_middle]
        usual = float(np.median(empty)) if empty else 0.0
        alone = len(self._sides) == 1
        return tuple(_read_slot(row, place, look, usual, alone=alone) for row, place, look in looks)

    def round_at(self, xy_cm: tuple[float, float]) -> bool:
        """Say whether a thing of ball size, which may be hard to see, has the outline of a ball."""
        length, radius = self._view.table.table_cm[1], self._view.radius_cm
        within = radius - 0.2 <= xy_cm[1] <= length - radius + 0.2
        return within and self._settled(*xy_cm).edge >= LIMITS.round_edge

    def hidden(self) -> tuple[bool, bool]:
        """Say whether a ball can be overlooked on the board, and in the gutters."""
        return hidden_sides(self._likeness, self._colours.pixels)

    def loose(
        self, taken: list[tuple[float, float]]
    ) -> tuple[tuple[LooseBall, ...], tuple[tuple[float, float], ...]]:
        found: list[Look] = []
        maybe: list[tuple[float, float]] = []
        near = LIMITS.apart * self._view.radius_cm
        first = sorted(self._peaks(taken), key=lambda look: -_looseness(look))
        beside = sorted(self._peaks([*taken, *(look.xy_cm for look in first)]), key=lambda look: -_looseness(look))
        for look in (*first, *beside):
            if not _clear(*look.xy_cm, taken, near):
                continue
            chance = _logistic(LIMITS.loose_slope * (_looseness(look) - LIMITS.loose_middle))
            if chance >= LIMITS.sure_loose:
                found.append(look)
                taken = [*taken, look.xy_cm]
            elif (chance > LIMITS.maybe_loose or self._touches(look, taken)) and not self._repeats(look):
                maybe.append(look.xy_cm)
                taken = [*taken, look.xy_cm]
        balls = [_read_loose(look, self._in_gutter(look.xy_cm)) for look in found]
        return tuple(sorted(balls, key=lambda ball: (ball.xy_cm[1], ball.xy_cm[0]))), tuple(maybe)

    def _touches(self, look: Look, taken: list[tuple[float, float]]) -> bool:
        """Say whether this may be a ball that another touches, which hides a part of its outline."""
        reach = LIMITS.touching * self._view.radius_cm
        return look.like >= LIMITS.touching_like and not _clear(*look.xy_cm, taken, reach)

    def _in_gutter(self, xy_cm: tuple[float, float]) -> bool:
        return any(in_polygon(xy_cm, area) for area in self._view.table.gutters_cm)

    def _maps(self, likeness: Likeness) -> tuple[list[Map], list[Map]]:
        """Give, by side, the mean likeness inside and around a ball at each pixel of the flat picture."""
        radius = self._view.radius_cm * PX_PER_CM
        disc, ring = _disc(0.75 * radius), _disc(1.45 * radius)
        hole = _disc(1.1 * radius)
        pad = (len(ring) - len(hole)) // 2
        ring -= np.pad(hole, pad)
        inside, around = [], []
        for side in self._sides:
            like = np.where(
                self._view.gutters,
                looked_up(likeness.gutter[side], self.flat),
                looked_up(likeness.board[side], self.flat),
            ).astype(np.float32)
            inside.append(_filtered(like, disc / disc.sum()))
            around.append(_filtered(like, ring / ring.sum()))
        return inside, around

    def _best(self, centre: tuple[float, float], play: tuple[float, float]) -> Look:
        """Look for a ball in a window of ± `play` cm around a place."""
        height, width = self._inside[0].shape
        rows = _window(centre[1], play[1], height)
        columns = _window(centre[0], play[0], width)
        score = np.max(
            [i[rows, columns] - 0.3 * a[rows, columns] for i, a in zip(self._inside, self._around, strict=True)],
            axis=0,
        )
        row, column = np.unravel_index(int(np.argmax(score)), score.shape)
        return self._refined(_cm(columns.start + int(column)), _cm(rows.start + int(row)))

    def _refined(self, x: float, y: float) -> Look:
        step = 0.14 * self._view.radius_cm
        looks = [self._look((x + dx * step, y + dy * step)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        best = max(looks, key=lambda one: one[0])
        return self._judged(*best[1:])

    def _settled(self, x: float, y: float) -> Look:
        """Find the place near by that is most like a ball: its inside, what is around, its outline."""
        reach = np.arange(-2, 3) * 0.28 * self._view.radius_cm
        looks = [self._look((x + dx, y + dy)) for dx in reach for dy in reach]
        first = sorted(looks, key=lambda one: 0.5 * one[5] - one[4])[:8]
        x, y = max(first, key=_roundness)[1]
        step = 0.14 * self._view.radius_cm
        near = [self._look((x + dx * step, y + dy * step)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        return self._judged(*max(near, key=_roundness)[1:])

    def _look(self, xy: tuple[float, float]) -> tuple[float, tuple[float, float], Picture, int, float, float]:
        patch = self._view.patch(self._picture, xy)
        tables = self._likeness.gutter if self._in_gutter(xy) else self._likeness.board
        best: tuple[float, int, float, float] | None = None
        for side in self._sides:
            like = looked_up(tables[side], patch)
            inside, gap = float(like[INSIDE].mean()), float(like[AROUND].mean())
            if best is None or inside - 0.3 * gap > best[0]:
                best = (inside - 0.3 * gap, side, inside, gap)
        assert best is not None
        return best[0], xy, patch, best[1], best[2], best[3]

    def _judged(self, xy: tuple[float, float], patch: Picture, side: int, like: float, gap: float) -> Look:
        shade = shade_of(core_bgr(patch[INSIDE]))
        fits = [strangeness(shade, taught) if taught else None for taught in self._colours.sides]
        mine, other = fits[side], fits[1 - side]
        assert mine is not None
        gutter = self._in_gutter(xy)
        rare = looked_up(self._likeness.rare_gutter if gutter else self._likeness.rare_board, patch)
        tables = self._likeness.gutter if gutter else self._likeness.board
        unlike = np.max([looked_up(tables[s], patch) for s in self._sides], axis=0) < 0
        return Look(
            xy_cm=xy,
            side=side,
            like=like,
            gap=gap,
            edge=_edge(patch),
            side_chance=1.0 if other is None else _logistic((other - mine) / 2),
            strange=mine,
            rare=float(np.mean((rare > 0)[INSIDE] & unlike[INSIDE])),
        )

    def _peaks(self, taken: list[tuple[float, float]]) -> Iterator[Look]:
        """Look at every place that is more like a ball than all around it, but at known balls."""
        score = self._beside(np.max(self._inside, axis=0), taken)
        size = round(self._view.radius_cm * PX_PER_CM) | 1
        top = cv2.dilate(score, np.ones((size, size)))
        edge = self._view.radius_cm - 0.4
        near = LIMITS.apart * self._view.radius_cm
        width, length = self._view.table.table_cm
        flat = cv2.blur(score, (3, 3))
        _, labels = cv2.connectedComponents(((score >= top) & (score > LIMITS.least_like)).astype(np.uint8))
        for label in range(1, int(labels.max()) + 1):
            rows, columns = np.nonzero(labels == label)
            middle = int(np.argmax(flat[rows, columns])) if len(rows) < 4 else None
            x = _cm(float(columns.mean() if middle is None else columns[middle]))
            y = _cm(float(rows.mean() if middle is None else rows[middle]))
            if (
                edge < x < width - edge
                and edge < y < length - edge
                and self._stands_out(x, y)
                and _clear(x, y, taken, near)
            ):
                look = self._settled(x, y)
                yield look if _clear(*look.xy_cm, taken, near) else self._judged(*self._look((x, y))[1:])

    def _beside(self, score: Map, taken: list[tuple[float, float]]) -> Map:
        """Leave known balls out of a map, so that one that touches them has a peak of its own."""
        for x, y in taken:
            centre = (round(x * PX_PER_CM - 0.5), round(y * PX_PER_CM - 0.5))
            radius = round(LIMITS.apart * self._view.radius_cm * PX_PER_CM)
            score = np.asarray(cv2.circle(score, centre, radius, (-LIMITS.nothing,), -1), np.float32)
        return score

    def _stands_out(self, x: float, y: float) -> bool:
        """Say, cheaply, whether what lies around is less like a ball; a wide patch of a like colour is none."""
        row, column = (
            int(np.clip(v * PX_PER_CM, 0, n - 1)) for v, n in zip((y, x), self._inside[0].shape, strict=True)
        )
        return any(
            i[row, column] - a[row, column] > LIMITS.stands_out
            for i, a in zip(self._inside, self._around, strict=True)
        )

    def _repeats(self, look: Look) -> bool:
        """Say whether the same shows a pitch further on, both ways or twice: then it is a piece of a comb."""
        for row in self._view.table.positions:
            left, right = row.x0_cm - row.pitch_cm, row.x0_cm + row.slots * row.pitch_cm
            if abs(look.xy_cm[1] - row.y_cm) > 2 * self._view.table.ball_cm or not left < look.xy_cm[0] < right:
                continue
            places = [look.xy_cm[0] + k * row.pitch_cm for k in range(-row.slots, row.slots + 1) if k]
            alike = [self._look((x, look.xy_cm[1])) for x in places if left < x < right]
            return sum(one[4] > look.like - 1.0 for one in alike) >= 2
        return False


def _read_slot(row: int, place: int, look: Look, usual: float, *, alone: bool) -> SlotRead:
    there = _logistic(LIMITS.slot_slope * (look.like - LIMITS.slot_middle))
    holds: Slot
    code: str | None = None
    if there < 1 - LIMITS.sure_slot:
        odd = look.rare > usual + LIMITS.rare
        holds, chance, code = ("?", 0.5, "NOT_A_BALL") if odd else (None, 1 - there, None)
    elif there < LIMITS.sure_slot:
        holds, chance, code = "?", 0.5, "SLOT_UNSURE"
    elif look.side_chance < LIMITS.sure_side:
        holds, chance, code = "?", 0.5, "COLOUR_UNSURE"
    elif look.strange > LIMITS.strange:
        holds, chance, code = "?", 0.5, "NOT_A_BALL"
    else:
        holds, chance = _side(look.side), there * look.side_chance
    if alone and holds == "?":
        code = "COLOUR_UNSURE"
    return SlotRead(row=row, place=place, holds=holds, chance=chance, code=code, look=look)


def _read_loose(look: Look, gutter: bool) -> LooseBall:
    chance = _logistic(LIMITS.loose_slope * (_looseness(look) - LIMITS.loose_middle)) * look.side_chance
    code = "COLOUR_UNSURE" if look.side_chance < LIMITS.sure_side else None
    code = "NOT_A_BALL" if code is None and look.strange > LIMITS.strange else code
    return LooseBall(
        ball="?" if code else _side(look.side), xy_cm=look.xy_cm, gutter=gutter, chance=chance, code=code
    )


def _clear(x: float, y: float, taken: list[tuple[float, float]], near: float) -> bool:
    return all(np.hypot(x - at[0], y - at[1]) >= near for at in taken)


def _roundness(one: tuple[float, tuple[float, float], Picture, int, float, float]) -> float:
    return one[4] - one[5] + 3 * _edge(one[2])


def _looseness(look: Look) -> float:
    return look.like - look.gap - LIMITS.open_edge * (1 - look.edge)


def _side(side: int) -> Literal[0, 1]:
    return 1 if side else 0


def _logistic(value: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value, -40, 40))))


def _edge(patch: Picture) -> float:
    """Give the share of the outline across which the picture changes."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    step = 2 * REACH / (SIDE - 1)
    rings = [
        cv2.remap(
            patch,
            ((rho * np.cos(turn) + REACH) / step).astype(np.float32)[None],
            ((rho * np.sin(turn) + REACH) / step).astype(np.float32)[None],
            cv2.INTER_LINEAR,
        )[0].astype(np.float64)
        for rho in (0.82, 1.18)
    ]
    return float(np.mean(np.abs(rings[1] - rings[0]).sum(axis=1) > LIMITS.edge_levels))


def _disc(radius: float) -> NDArray[np.float32]:
    reach = int(np.ceil(radius))
    axis = np.arange(-reach, reach + 1)
    return (np.hypot(*np.meshgrid(axis, axis)) <= radius).astype(np.float32)


def _filtered(values: Map, kernel: Map) -> Map:
    return np.asarray(cv2.filter2D(values, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)


def _window(centre_cm: float, play_cm: float, size: int) -> slice:
    first = int(np.floor((centre_cm - play_cm) * PX_PER_CM))
    last = int(np.ceil((centre_cm + play_cm) * PX_PER_CM))
    return slice(int(np.clip(first, 0, size - 1)), int(np.clip(last, 1, size)))


def _cm(pixel: float) -> float:
    return (pixel + 0.5) / PX_PER_CM
