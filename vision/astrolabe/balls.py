"""Finds the balls of one picture: what lies in each slot, and every ball anywhere else on the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.colours import Taught, core_bgr, shade_of, strangeness
from vision.astrolabe.gutters import InGutter, gutter_balls
from vision.astrolabe.hidden import Odd, Sides, hidden_sides, odd_in_gutters, odd_on_board, unlike_others
from vision.astrolabe.likeness import bins_of, looked_up_at
from vision.astrolabe.looks import Look, Looker
from vision.astrolabe.teaching import Colours
from vision.astrolabe.view import PX_PER_CM, TableView

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Map = NDArray[np.float32]
Point = tuple[float, float]
Slot = Literal[0, 1, "?"] | None

_HALF: Final = 2
_PX: Final = PX_PER_CM / _HALF
"""Pixels a centimetre of the maps in which balls are sought: half as fine as the flat picture."""


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
    sure_empty, few_empty, over_empty, slot_lowest
        Slots less like balls than this are empty. Where there are so many of them, a slot that is so much liker a
        ball than any of them is one half a ball, down to the last of these.
    least_gap, gap_slope, gap_edge, gap_strange
        Where likenesses leave a gap of this width, that tells: at its ends 0.996 is sure. Balls have so much of an
        outline and fit their side's colour so well; shadows have less, and fit worse.
    unlike, gap_spreads, told
        Where the board hides balls, a slot's likeness and so many times its difference from the others tell, if
        they leave a gap of `least_gap` and of so many deviations of the empty ones: then with this chance.
    sure_slot
        A slot with a chance nearer to one half than this is unsure.
    loose_middle, loose_slope, sure_loose, maybe_loose
        The same for balls elsewhere, by the sum of the three, in which an open outline counts `open_edge` against.
        What is less likely a ball than `maybe_loose` is not even asked about.
    least_like, stands_out
        Nothing less like a ball, or less so than what is around it by this, is looked at elsewhere.
    nothing
        The least `like` there is, negative.
    far_balls
        Nothing that is not plainly a ball is asked about so many diameters, or less, from the far end of a gutter.
    round_edge
        A thing in a gutter that hides balls is asked about if so much of its outline shows.
    most_odd
        Where so many places of a board that hides balls are not as it is around them, noise makes them: none is
        looked at, and the picture asks.
    contrast, half_edge
        Where the board's colour hides balls of a side, what is so much liker a ball than what is around it, with
        so much of an outline, may be one; that suffices if its balls in slots stand out as much.
    touching, touching_like
        What is so like a ball and within so many radii of a ball may be another one that touches it.
    beside, beside_strange
        What touches a ball and fits its side's colour so well has this much less to show of an outline, in the
        sum: the other hides a part of it and lights the rest. Of 123 rendered balls that touch one 121 reach 0.4,
        nothing else that fits so well more than -3.
    shadow, grey
        Balls darker than this, levels, and greyer than this look like shadows.
    sure_side
        Chance from which on a ball's side is sure.
    strange
        A ball that fits its side's colour worse than this (squared standard deviations) is asked about.
    feared, most_alike
        See `alikeness`: that a light may do all it can weighs as much as so many balls that it has done it to, and
        never are balls taken to be more alike than this; the first of each where a light came between teaching
        and this picture, the second where balls of this picture taught both colours. In one light 99 of 100
        rendered balls lie within 0.4 of their side's colour (squared, where any light allows 3), real ones within
        6. Of 18,000 real balls told in pairs in the light that taught them, the second pair leaves half as many
        of near colours unsure and tells none wrong that the first tells right.
    rare
        A slot without a ball holds something else if this much more of it than of the other slots without is as
        the table hardly is anywhere.
    comb_radii
        From here to here beside a row's line a comb is in the way of every ball that is in none of its slots; what
        looks like a ball there that touches one is a piece of the comb.
    least_free
        A ball of whose outline others cover more than the rest is never sure.
    piece
        Chance that a piece of a side's colour in a gutter is a ball.
    round_piece, no_piece, piece_like, wall
        A piece in a gutter whose place is so round (`like - gap + 3 edge`) is a ball, one less round than the
        second is none; where shadows, or the gutter, look like balls of its side, it has to be so like one, and is
        none below the first of the two. What goes on around it (`gap`) more than this may be a wall. Rendered
        balls in gutters: round 5.7 and more, like 0.93 and more, gap -1.3 and less; what was taken for one, wall
        and shadow: round 3.6 and less or like 0.6 and less, gap up to 0.4.
    apart
        Two balls touch at 2 radii; nothing nearer than this many radii is another one.
    own
        What is so near to the middle of a ball, in radii, is that ball when others are sought.
    aside_cm
        A ball that rests in a slot is this near to the row's line across the table.
    tooth_cm
        Half the thickness of a tooth: a ball in a slot lies between two.
    """

    slot_middle: float = 1.3
    slot_slope: float = 5.0
    sure_empty: float = 0.5
    few_empty: int = 4
    over_empty: float = 1.0
    slot_lowest: float = 0.7
    least_gap: float = 1.0
    gap_slope: float = 11.0
    gap_edge: float = 0.6
    gap_strange: float = 0.3
    unlike: float = 10.0
    gap_spreads: float = 4.5
    told: float = 0.98
    sure_slot: float = 0.97
    loose_middle: float = 3.3
    loose_slope: float = 4.5
    sure_loose: float = 0.93
    maybe_loose: float = 0.007
    open_edge: float = 12.0
    least_like: float = 0.6
    stands_out: float = 1.2
    nothing: float = 3.0
    far_balls: float = 1.2
    round_edge: float = 0.85
    most_odd: int = 40
    contrast: float = 2.8
    half_edge: float = 0.4
    touching: float = 2.6
    touching_like: float = 2.3
    beside: float = 3.0
    beside_strange: float = 0.5
    shadow: float = 70.0
    grey: float = 0.25
    sure_side: float = 0.97
    strange: float = 20.0
    feared: tuple[float, float] = (2.0, 0.5)
    most_alike: tuple[float, float] = (4.0, 8.0)
    rare: float = 0.4
    comb_radii: tuple[float, float] = (-2.1, 1.0)
    least_free: float = 0.45
    piece: float = 0.99
    round_piece: float = 5.0
    no_piece: float = 4.2
    piece_like: tuple[float, float] = (0.7, 0.8)
    wall: float = -0.9
    apart: float = 1.7
    own: float = 1.4
    aside_cm: float = 0.3
    tooth_cm: float = 0.3


LIMITS: Final = BallLimits()


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
    """A ball outside of the slots, `gutter` if it is in one: where it lies, where it shows on the flat picture.

    The two differ in a gutter, which is deeper than the board.
    """

    ball: Slot
    xy_cm: Point
    seen_cm: Point
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
    looker = Looker(picture, view.flat(picture) if flat is None else flat, view, colours)
    finder = _Finder(looker)
    in_slots = finder.slots()
    filled = [look for _, _, look in in_slots if look.like >= LIMITS.slot_middle]
    on_board, in_gutters = (
        hidden_sides(tables, looker.colours.pixels) for tables in (looker.likeness.board, looker.likeness.gutter)
    )
    dark = [_dark(looker.colours.sides[side]) for side in looker.sides]
    odd_ones = odd_in_gutters(looker.flat, view) if any(in_gutters) or any(dark) else ()
    pieces = finder.believed(gutter_balls(looker.flat, finder.like, dark, view), odd_ones, in_gutters)
    elsewhere, maybe = finder.loose([look.xy_cm for look in filled], [piece.seen_cm for piece in pieces], on_board)
    maybe += tuple(piece.seen_cm for piece in pieces if not piece.sure and finder.rests(piece.seen_cm))
    alike = alikeness([*filled, *elsewhere], here=looker.colours.here)
    loose = [_read_loose(look, alike) for look in elsewhere]
    loose += [_read_piece(piece, alike, looker.colours) for piece in pieces if piece.sure]
    known = [*(ball.seen_cm for ball in loose), *maybe]
    for odd in odd_ones:
        missing = odd.balls > sum(odd.holds(xy) for xy in known) and finder.rests(odd.xy_cm)
        if missing and (odd.balls > 1 or odd.gleams or finder.round_at(odd.xy_cm)):
            maybe += (odd.xy_cm,)
    hidden = [side for side in looker.sides if on_board[side]]
    odd_places = odd_on_board(looker.flat, view) if hidden else ()
    crowded = len(odd_places) > LIMITS.most_odd
    if not crowded:
        known = [*(look.xy_cm for look in filled), *(look.xy_cm for look in elsewhere), *maybe]
        maybe += finder.round_things(odd_places, known)
    told = finder.told_apart([look for _, _, look in in_slots], on_board) if hidden else {}
    return Balls(
        slots=_read_slots(in_slots, alike, told, alone=None in colours.sides),
        loose=tuple(sorted(loose, key=lambda ball: (ball.xy_cm[1], ball.xy_cm[0]))),
        maybe=maybe,
        hidden=crowded or any(_lost(side, [*filled, *elsewhere]) for side in hidden),
        flat=looker.flat,
    )


def _dark(taught: Taught | None) -> bool:
    if taught is None:
        return False
    return max(taught.shade.bgr) < LIMITS.shadow and taught.shade.saturation < LIMITS.grey


def _hardly_seen(look: Look) -> bool:
    """Say whether this may be a ball whose colour the board hides: half of its outline may be lost."""
    stands_out = look.like >= LIMITS.slot_middle and look.like - look.gap >= LIMITS.contrast
    return stands_out and look.edge >= LIMITS.half_edge


def _lost(side: int, balls: Sequence[Look]) -> bool:
    """Say whether even balls whose places are known hardly stand out, of a side that the board's colour hides."""
    contrasts = [look.like - look.gap for look in balls if look.side == side]
    return not contrasts or float(np.median(contrasts)) < LIMITS.contrast


class _Finder:
    """One picture with its maps."""

    def __init__(self, looker: Looker) -> None:
        self._looker, self._view = looker, looker.view
        self.like = _like_maps(looker)
        self._inside, self._around = _ball_maps(self.like, looker)
        self._gutter = looker.view.gutters[::_HALF, ::_HALF]

    def slots(self) -> list[tuple[int, int, Look]]:
        """Look at every slot: row, place in it, its best look; all at once, for each look costs its overhead."""
        slots = list(self._view.slots())
        places: list[Point] = []
        windows: list[list[Point]] = []
        for row, _, centre in slots:
            pitch = self._view.table.positions[row].pitch_cm
            play = (max(0.3, pitch / 2 - self._view.radius_cm - LIMITS.tooth_cm), LIMITS.aside_cm)
            at, score = self._likeliest(centre, play)
            places.append(at)
            # A ball, perhaps one that shadows show aside of where it is.
            windows.append(_window_cm(centre, play) if score > LIMITS.least_like else [])
        coarse = self._looker.look([at for window in windows for at in window]) if any(windows) else None
        first = 0
        for k, window in enumerate(windows):
            if coarse is not None and window:
                x, y = coarse.xy_cm[
                    first + int(np.argmax((coarse.fill + coarse.edge)[first : first + len(window)]))
                ]
                places[k] = (float(x), float(y))
            first += len(window)
        grids = [_grid(x, y, self._fine) for x, y in places]
        looks = self._looker.look(np.concatenate(grids))
        best = (looks.fill + looks.edge).reshape(len(slots), -1).argmax(axis=1)
        return [
            (row, place, self._looker.judged(looks, k * len(grids[k]) + int(best[k])))
            for k, (row, place, _) in enumerate(slots)
        ]

    def told_apart(self, looks: Sequence[Look], hidden: Sides) -> Mapping[int, bool]:
        """Say which slots hold a ball of a side that the board's colour hides, and which nothing.

        What the colour says little about, slots say by comparison: most are empty and look alike. Nothing is said
        of balls of the other side, and of none where slots do not fall into two groups.
        """
        places = np.array([centre for _, _, centre in self._view.slots()], np.float64)
        weak = [hidden[look.side] or look.like < LIMITS.slot_middle for look in looks]
        unlike = unlike_others(self._looker.patches(places), [not one for one in weak])
        found = sorted(
            (look.like + LIMITS.unlike * float(unlike[k]), k) for k, look in enumerate(looks) if weak[k]
        )
        first = first_apart([value for value, _ in found])
        return {} if first is None else {k: n >= first for n, (_, k) in enumerate(found)}

    def round_at(self, xy_cm: Point) -> bool:
        """Say whether a thing of ball size, which may be hard to see, has the outline of a ball."""
        length, radius = self._view.table.table_cm[1], self._view.radius_cm
        within = radius - 0.2 <= xy_cm[1] <= length - radius + 0.2
        return within and self._settled(*xy_cm).edge >= LIMITS.round_edge

    def rests(self, xy_cm: Point) -> bool:
        """Say whether a ball can rest at a place of a gutter: not at its far end, where shadows of the wall lie.

        The table is tilted, and so are its gutters: what drops into one rolls to the near end.
        """
        return xy_cm[1] <= self._view.table.table_cm[1] - LIMITS.far_balls * self._view.table.ball_cm

    def believed(
        self, pieces: Sequence[InGutter], odd_ones: Sequence[Odd], hidden: tuple[bool, bool]
    ) -> tuple[InGutter, ...]:
        """Doubt pieces in gutters that may be shadows, a wall, or the gutter itself where it looks like a ball.

        What has the outline of a ball is one; what has none and goes on around it, or is hardly of a ball's
        colour, is none. Between the two it is not sure; beside a ball that is, it is its shadow.
        """
        kept: list[InGutter] = []
        doubted: list[InGutter] = []
        for piece in pieces:
            side = int(piece.leaning < 0)
            plain = not piece.dark and (not hidden[side] or any(odd.holds(piece.seen_cm) for odd in odd_ones))
            look = self._settled(*piece.seen_cm, [one.seen_cm for one in pieces if one is not piece])
            whole = _roundness(look) >= LIMITS.round_piece and look.side == side
            if (plain and look.gap < LIMITS.wall) or (whole and (plain or look.like >= LIMITS.piece_like[1])):
                kept.append(replace(piece, sure=piece.sure or (whole and look.like >= LIMITS.slot_middle)))
            elif _roundness(look) >= LIMITS.no_piece and (plain or look.like >= LIMITS.piece_like[0]):
                doubted.append(piece)
        balls = [piece.seen_cm for piece in kept if piece.sure]
        alone = [
            piece
            for piece in doubted
            if piece.sure and _clear(piece.seen_cm[0], piece.seen_cm[1], balls, self._reach)
        ]
        return (*kept, *(replace(piece, sure=False) for piece in alone))

    def round_things(self, places: Sequence[Point], known: list[Point]) -> tuple[Point, ...]:
        """Give those of some places where something has the outline of a ball, whatever its colour."""
        found: list[Point] = []
        for xy in places:
            look = self._settled(*xy)
            near = _clear(*look.xy_cm, [*known, *found], self._apart) and not self._in_comb(look.xy_cm)
            if look.edge >= LIMITS.round_edge and near and not self._repeats(look):
                found.append(look.xy_cm)
        return tuple(found)

    def loose(
        self, filled: list[Point], gutters: list[Point], hidden: tuple[bool, bool]
    ) -> tuple[list[Look], tuple[Point, ...]]:
        """Find balls on the board; others are in slots and gutters. Gives them, and what may be one."""
        taken = [*filled, *gutters]
        found: list[Look] = []
        maybe: list[Point] = []
        for look in self._candidates(taken):
            if not _clear(*look.xy_cm, taken, self._apart) or (look.free < 1 and self._in_comb(look.xy_cm)):
                continue
            chance = _logistic(LIMITS.loose_slope * (_looseness(look) - LIMITS.loose_middle))
            if chance >= LIMITS.sure_loose and look.free >= LIMITS.least_free:
                found.append(look)
                taken = [*taken, look.xy_cm]
                continue
            maybe_one = chance > LIMITS.maybe_loose or self._touches(look, taken)
            maybe_one |= hidden[look.side] and _hardly_seen(look)
            if maybe_one and not self._repeats(look):
                maybe.append(look.xy_cm)
                taken = [*taken, look.xy_cm]
        return sorted(found, key=lambda look: (look.xy_cm[1], look.xy_cm[0])), tuple(maybe)

    def _candidates(self, taken: list[Point]) -> list[Look]:
        """Look at every place that may be a ball, the likeliest first.

        Balls that touch hide a part of each other's outline: whatever is very like a ball is taken for one where
        its neighbours are looked at.
        """
        first = self._peaks(taken)
        looks = [*first, *self._peaks([*taken, *(look.xy_cm for look in first)])]
        likely: list[Look] = []
        for look in sorted(looks, key=lambda look: look.gap - look.like):
            if look.like >= LIMITS.touching_like and _clear(*look.xy_cm, [x.xy_cm for x in likely], self._apart):
                likely.append(look)
        again = []
        for look in looks:
            beside = [one.xy_cm for one in likely if not _clear(*one.xy_cm, [look.xy_cm], self._reach)]
            beside = [xy for xy in beside if _clear(*xy, [look.xy_cm], self._apart)]
            again.append(self._settled(*look.xy_cm, [*taken, *beside]) if beside else look)
        return sorted(again, key=lambda look: -_looseness(look))

    @property
    def _apart(self) -> float:
        return LIMITS.apart * self._view.radius_cm

    @property
    def _near(self) -> float:
        return LIMITS.own * self._view.radius_cm

    @property
    def _reach(self) -> float:
        return LIMITS.touching * self._view.radius_cm

    def _touches(self, look: Look, taken: list[Point]) -> bool:
        """Say whether this may be a ball that another touches, which hides a part of its outline."""
        return look.like >= LIMITS.touching_like and not _clear(*look.xy_cm, taken, self._reach)

    def _in_comb(self, xy_cm: Point) -> bool:
        """Say whether a comb is in the way: a ball there would be in a slot."""
        near, far = (LIMITS.comb_radii[k] * self._view.radius_cm for k in (0, 1))
        return any(
            near < xy_cm[1] - row.y_cm < far
            and -row.pitch_cm / 2 - LIMITS.tooth_cm
            <= xy_cm[0] - row.x0_cm
            <= (row.slots - 0.5) * row.pitch_cm + LIMITS.tooth_cm
            for row in self._view.table.positions
        )

    def _likeliest(self, centre: Point, play: Point) -> tuple[Point, float]:
        """Give where in a window of ± `play` cm around a place a ball is likeliest, and how likely."""
        height, width = self._inside[0].shape
        rows = _window(centre[1], play[1], height)
        columns = _window(centre[0], play[0], width)
        score = np.max(
            [i[rows, columns] - 0.3 * a[rows, columns] for i, a in zip(self._inside, self._around, strict=True)],
            axis=0,
        )
        row, column = np.unravel_index(int(np.argmax(score)), score.shape)
        return (_cm(columns.start + int(column)), _cm(rows.start + int(row))), float(score.max())

    @property
    def _fine(self) -> Array:
        return np.asarray(np.array([-0.14, 0.0, 0.14]) * self._view.radius_cm, np.float64)

    def _settled(self, x: float, y: float, beside: Sequence[Point] = ()) -> Look:
        """Find the place near by that is most like a ball: its inside, what is around, its outline."""
        near = [xy for xy in beside if not _clear(*xy, [(x, y)], 4 * self._view.radius_cm)]
        looks = self._looker.look(_grid(x, y, np.arange(-2.0, 3.0) * (0.28 * self._view.radius_cm)), near)
        first = np.argsort(0.5 * looks.gap - looks.like, kind="stable")[:8]
        x, y = looks.xy_cm[first[int(np.argmax(looks.roundness[first]))]]
        looks = self._looker.look(_grid(float(x), float(y), self._fine), near)
        return self._looker.judged(looks, int(np.argmax(looks.roundness)))

    def _peaks(self, taken: list[Point]) -> list[Look]:
        """Look at every place that is more like a ball than all around it, but at known balls."""
        score = without(np.max(self._inside, axis=0), taken, self._near)
        size = round(self._view.radius_cm * _PX) | 1
        top = cv2.dilate(score, np.ones((size, size)))
        edge = self._view.radius_cm - 0.4
        width, length = self._view.table.table_cm
        peaks = ((score >= top) & (score > LIMITS.least_like)).astype(np.uint8)
        _, _, _, middles = cv2.connectedComponentsWithStats(peaks)
        found = []
        for column, row in middles[1:]:
            x, y = _cm(float(column)), _cm(float(row))
            inside = (
                edge < x < width - edge and edge < y < length - edge and not self._gutter[int(row), int(column)]
            )
            if inside and self._stands_out(x, y) and _clear(x, y, taken, self._near):
                look = self._settled(x, y, taken)
                if not _clear(*look.xy_cm, taken, self._apart):
                    look = self._looker.judged(self._looker.look([(x, y)], taken), 0)
                found.append(look)
        return found

    def _stands_out(self, x: float, y: float) -> bool:
        """Say, cheaply, whether what lies around is less like a ball; a wide patch of a like colour is none."""
        row, column = (int(np.clip(v * _PX, 0, n - 1)) for v, n in zip((y, x), self._inside[0].shape, strict=True))
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
            alike = self._looker.look([(x, look.xy_cm[1]) for x in places if left < x < right]).like
            return int(np.sum(alike > look.like - 1.0)) >= 2
        return False


def _like_maps(looker: Looker) -> list[Map]:
    """Give, by side, how much likelier each pixel of the flat picture is a ball's than the table's."""
    bins, gutters = bins_of(looker.flat), looker.view.gutters
    maps = []
    for side in looker.sides:
        like = looked_up_at(looker.likeness.board[side], bins)
        like[gutters] = looked_up_at(looker.likeness.gutter[side], bins[gutters])
        maps.append(like)
    return maps


def _ball_maps(like: list[Map], looker: Looker) -> tuple[list[Map], list[Map]]:
    """Give, by side, the mean likeness inside and around a ball, `_PX` pixels a centimetre."""
    radius = looker.view.radius_cm * _PX
    disc, ring = _disc(0.75 * radius), _disc(1.45 * radius)
    hole = _disc(1.1 * radius)
    ring -= np.pad(hole, (len(ring) - len(hole)) // 2)
    small = [_halved(one) for one in like]
    inside = [_filtered(one, disc / disc.sum()) for one in small]
    return inside, [_filtered(one, ring / ring.sum()) for one in small]


def without(score: Map, taken: Sequence[Point], near_cm: float) -> Map:
    """Leave out of a map, (h, w), all that is nearer to known balls, so that one that touches them has its peak.

    Exactly all: what is left at its rim could not be told from a ball beyond it, and would be passed over with it.
    """
    left = score.copy()
    for x, y in taken:
        rows, columns = _window(y, near_cm, len(left)), _window(x, near_cm, left.shape[1])
        across, along = np.meshgrid(*((np.arange(part.start, part.stop) + 0.5) / _PX for part in (columns, rows)))
        left[rows, columns][np.hypot(across - x, along - y) < near_cm] = -LIMITS.nothing
    return left


def first_apart(values: Sequence[float]) -> int | None:
    """Give the place, in sorted values, of the first that is plainly apart from all before it; None: none is.

    Those before it are few_empty or more, and the gap is wide for how much they differ among themselves.
    """
    widest, place = LIMITS.least_gap, None
    for first in range(LIMITS.few_empty, len(values)):
        gap = values[first] - values[first - 1]
        if gap > max(widest, LIMITS.gap_spreads * float(np.std(values[:first]))):
            widest, place = gap, first
    return place


def alikeness(balls: Sequence[Look], *, here: bool) -> float:
    """Give how much more alike balls of a side are in this picture than lights could make them: 1 or more.

    What light may do to a colour was measured over many lights. Within one picture there is one, and how far its
    balls lie from their side's colour says how much that is to be feared here; less so where the colours were
    learnt from balls of this picture itself (`here`).
    """
    prior = 3 * LIMITS.feared[here]
    seen = sum(min(3 * LIMITS.strange, look.strange) for look in balls)
    return float(np.clip((prior + 3 * len(balls)) / (prior + seen), 1.0, LIMITS.most_alike[here]))


def _read_slots(
    looks: Sequence[tuple[int, int, Look]], alike: float, told: Mapping[int, bool], *, alone: bool
) -> tuple[SlotRead, ...]:
    empty = [look.rare for _, _, look in looks if look.like < LIMITS.slot_middle]
    usual = _Usual(
        rare=float(np.median(empty)) if empty else 0.0, middle=_middle(looks), gap=_gap(looks), alike=alike
    )
    return tuple(
        _read_slot(row, place, look, usual, told.get(k), alone=alone) for k, (row, place, look) in enumerate(looks)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usual:
    """What slots of one picture have in common: `rare` of empty ones, `like` between empty and not, alikeness.

    `gap` is what `_gap` gives.
    """

    rare: float
    middle: float
    gap: tuple[float, float] | None
    alike: float

    def chance(self, look: Look) -> float:
        """Give the chance that a slot is not empty.

        Where that is unsure by itself and slots fall into two groups, the gap between them tells, if what it would
        make a ball has an outline and a colour that no shadow has.
        """
        alone = _logistic(LIMITS.slot_slope * (look.like - self.middle))
        if self.gap is not None and 1 - LIMITS.sure_slot < alone < LIMITS.sure_slot:
            plain = look.edge >= LIMITS.gap_edge and look.strange <= LIMITS.gap_strange
            if plain:
                wide = self.gap[1] - self.gap[0]
                return max(alone, _logistic(LIMITS.gap_slope / wide * (look.like - sum(self.gap) / 2)))
        return alone


def _gap(looks: Sequence[tuple[int, int, Look]]) -> tuple[float, float] | None:
    """Give the likeness of the last empty slot and of the first ball, if they are far apart."""
    likes = sorted(look.like for _, _, look in looks)
    gaps = [
        (low, high)
        for k, (low, high) in enumerate(pairwise(likes))
        if k + 1 >= LIMITS.few_empty and low < LIMITS.sure_empty
    ]
    widest = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0.0, 0.0))
    return widest if widest[1] - widest[0] >= LIMITS.least_gap else None


def _middle(looks: Sequence[tuple[int, int, Look]]) -> float:
    """Give the likeness that lies between empty slots and balls: lower where empty ones are far from any ball."""
    empty = [look.like for _, _, look in looks if look.like < LIMITS.sure_empty]
    if len(empty) < LIMITS.few_empty:
        return LIMITS.slot_middle
    return float(np.clip(max(empty) + LIMITS.over_empty, LIMITS.slot_lowest, LIMITS.slot_middle))


def _read_slot(row: int, place: int, look: Look, usual: _Usual, told: bool | None, *, alone: bool) -> SlotRead:
    sided = _side_chance((look.strange, look.strange_other), usual.alike)
    there = usual.chance(look)
    if told is not None and (there < LIMITS.sure_slot if told else there > 1 - LIMITS.sure_slot):
        there = LIMITS.told if told else 1 - LIMITS.told
    holds: Slot
    code: str | None = None
    if there < 1 - LIMITS.sure_slot:
        odd = look.rare > usual.rare + LIMITS.rare
        holds, chance, code = ("?", 0.5, "NOT_A_BALL") if odd else (None, 1 - there, None)
    elif there < LIMITS.sure_slot:
        holds, chance, code = "?", 0.5, "SLOT_UNSURE"
    elif sided < LIMITS.sure_side:
        holds, chance, code = "?", 0.5, "COLOUR_UNSURE"
    elif look.strange > LIMITS.strange:
        holds, chance, code = "?", 0.5, "NOT_A_BALL"
    else:
        holds, chance = _side(look.side), there * sided
    if alone and holds == "?":
        code = "COLOUR_UNSURE"
    return SlotRead(row=row, place=place, holds=holds, chance=chance, code=code, look=look)


def _read_loose(look: Look, alike: float) -> LooseBall:
    chance = _logistic(LIMITS.loose_slope * (_looseness(look) - LIMITS.loose_middle))
    strange = (look.strange, look.strange_other)
    return _loose(look.side, strange, alike, (look.xy_cm, look.xy_cm, False), chance)


def _read_piece(piece: InGutter, alike: float, colours: Colours) -> LooseBall:
    shade = shade_of(core_bgr(piece.pixels))
    fits = [np.inf if taught is None else strangeness(shade, taught) for taught in colours.sides]
    side = int(np.argmin(fits))
    agrees = piece.leaning == 0 or (piece.leaning < 0) == bool(side)
    strange = (float(fits[side]), float(fits[1 - side]) if agrees else float(fits[side]))
    return _loose(side, strange, alike, (piece.xy_cm, piece.seen_cm, True), LIMITS.piece)


def _loose(
    side: int, strange: tuple[float, float], alike: float, where: tuple[Point, Point, bool], chance: float
) -> LooseBall:
    sided = _side_chance(strange, alike)
    code = "COLOUR_UNSURE" if sided < LIMITS.sure_side else None
    code = "NOT_A_BALL" if code is None and strange[0] > LIMITS.strange else code
    lies, shows, gutter = where
    return LooseBall(
        ball="?" if code else _side(side),
        xy_cm=lies,
        seen_cm=shows,
        gutter=gutter,
        chance=chance * sided,
        code=code,
    )


def _side_chance(strange: tuple[float, float], alike: float) -> float:
    """Give the chance that a ball is of the side that it fits so badly, and the other so; see `alikeness`."""
    return _logistic(alike * (strange[1] - strange[0]) / 2)


def _clear(x: float, y: float, taken: list[tuple[float, float]], near: float) -> bool:
    return all(np.hypot(x - at[0], y - at[1]) >= near for at in taken)


def _roundness(look: Look) -> float:
    return look.like - look.gap + 3 * look.edge


def _looseness(look: Look) -> float:
    beside = look.free < 1 and look.strange <= LIMITS.beside_strange
    return look.like - look.gap - LIMITS.open_edge * (1 - look.edge) + (LIMITS.beside if beside else 0.0)


def _side(side: int) -> Literal[0, 1]:
    return 1 if side else 0


def _logistic(value: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value, -40, 40))))


def _disc(radius: float) -> NDArray[np.float32]:
    reach = int(np.ceil(radius))
    axis = np.arange(-reach, reach + 1)
    return (np.hypot(*np.meshgrid(axis, axis)) <= radius).astype(np.float32)


def _filtered(values: Map, kernel: Map) -> Map:
    return np.asarray(cv2.filter2D(values, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)


def _window(centre_cm: float, play_cm: float, size: int) -> slice:
    first = int(np.floor((centre_cm - play_cm) * _PX))
    last = int(np.ceil((centre_cm + play_cm) * _PX))
    return slice(int(np.clip(first, 0, size - 1)), int(np.clip(last, 1, size)))


def _window_cm(centre: Point, play: Point) -> list[Point]:
    """Give places all over a window of ± `play` cm."""
    across, along = np.linspace(-play[0], play[0], 5), np.linspace(-play[1], play[1], 3)
    return [(centre[0] + float(dx), centre[1] + float(dy)) for dx in across for dy in along]


def _halved(values: Map) -> Map:
    size = (values.shape[1] // _HALF, values.shape[0] // _HALF)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)


def _grid(x: float, y: float, steps: Array) -> Array:
    """Give places around (x, y), every pair of steps: (n * n, 2)."""
    return np.array([(x + dx, y + dy) for dx in steps for dy in steps])


def _cm(pixel: float) -> float:
    return (pixel + 0.5) / _PX
