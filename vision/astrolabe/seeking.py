"""Seeks balls in one picture: in slots, in gutters, anywhere else on the board."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.astrolabe.ball_limits import LIMITS
from vision.astrolabe.ball_maps import HALF, MAP_PX, around, ball_maps, like_maps, span, span_cm, to_cm, without
from vision.astrolabe.gutters import InGutter, corner_places, gutter_balls, lying_at
from vision.astrolabe.hidden import Odd, Sides, odd_in_gutters, odd_on_board, unlike_others
from vision.astrolabe.learned import ask
from vision.astrolabe.looks import Look, Looker
from vision.astrolabe.telling import Heard, heard_odds, loose_chance, odds_of, roundness, together
from vision.astrolabe.view import INSIDE

Array = NDArray[np.float64]
Point = tuple[float, float]


class Finder:
    """One picture with its maps."""

    def __init__(self, looker: Looker) -> None:
        self._looker, self._view = looker, looker.view
        self.like = like_maps(looker)
        self._inside, self._around = ball_maps(self.like, looker)
        self._gutter = looker.view.gutters[::HALF, ::HALF]

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
            windows.append(span_cm(centre, play) if score > LIMITS.least_like else [])
        coarse = self._looker.look([at for window in windows for at in window]) if any(windows) else None
        first = 0
        for k, window in enumerate(windows):
            if coarse is not None and window:
                x, y = coarse.xy_cm[
                    first + int(np.argmax((coarse.fill + coarse.edge)[first : first + len(window)]))
                ]
                places[k] = (float(x), float(y))
            first += len(window)
        grids = [around(x, y, self._fine) for x, y in places]
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

    def rests(self, xy_cm: Point) -> bool:
        """Say whether a ball can rest at a place of a gutter: not at its far end, where shadows of the wall lie.

        The table is tilted, and so are its gutters: what drops into one rolls to the near end.
        """
        return xy_cm[1] <= self._view.table.table_cm[1] - LIMITS.far_balls * self._view.table.ball_cm

    def heard(self, places: Sequence[Point]) -> list[Heard]:
        """Ask the network about places, cm."""
        at = np.array(places, np.float64).reshape(-1, 2)
        told = ask(self._looker, at)
        return [
            Heard(ball=float(ball), second=float(second), tapped=self._tapped(float(x), float(y)))
            for (x, y), ball, second in zip(at, told.ball, told.second, strict=True)
        ]

    def _tapped(self, x: float, y: float) -> int | None:
        """Say whose ball a person tapped at a place, if anyone did in this very picture."""
        near = [(np.hypot(a - x, b - y), side) for side, (a, b) in self._looker.colours.tapped]
        far, side = min(near, default=(np.inf, 0))
        return side if far <= self._view.radius_cm else None

    def heard_in_slots(self, looks: Sequence[tuple[int, int, Look]]) -> list[Heard]:
        """Ask the network about every slot, where its best look is; where that is in doubt all over the slot."""
        centres = [centre for _, _, centre in self._view.slots()]
        heard = self.heard([look.xy_cm for _, _, look in looks])
        doubted = [
            k
            for k, (_, _, look) in enumerate(looks)
            if not (heard[k].ball >= LIMITS.heard_sure or (heard[k].ball < LIMITS.heard_none and look.like < 0))
        ]
        aside = LIMITS.aside_in_slot * self._view.radius_cm
        steps = (0.0, -aside, aside)
        again = self.heard([(centres[k][0] + step, centres[k][1]) for k in doubted for step in steps])
        for n, k in enumerate(doubted):
            mine = again[len(steps) * n : len(steps) * (n + 1)]
            heard[k] = max([heard[k], *mine], key=lambda one: one.ball)
        return heard

    def in_gutters(
        self, pieces: Sequence[InGutter], odd_ones: Sequence[Odd], hidden: Sides
    ) -> tuple[list[tuple[InGutter, Heard]], list[Point]]:
        """Tell which pieces in gutters are balls, and find balls there that are none of their side's colour.

        Gives the balls, and places that may be one.
        """
        places = [piece.seen_cm for piece in pieces]
        others = [(odd.xy_cm, LIMITS.gleaming if odd.gleams else LIMITS.unheard_of) for odd in odd_ones]
        corners = [xy for xy in corner_places(self._view) if clear(*xy, places, self._view.radius_cm)]
        others += [(xy, LIMITS.unheard_of) for xy in corners]
        heard = [*self._heard_across(places), *self.heard([xy for xy, _ in others])]
        rules = self._believed(pieces, heard, odd_ones, hidden)
        weighed = [
            (odds_of(rule) + heard_odds(one), piece, one)
            for rule, piece, one in zip(rules, pieces, heard, strict=False)
        ]
        for (xy, odds), one in zip(others, heard[len(places) :], strict=True):
            if one.ball >= LIMITS.heard_none:
                found, better = self._gutter_ball(xy, one)
                weighed.append((odds + heard_odds(better), found, better))
        balls: list[tuple[InGutter, Heard]] = []
        maybe: list[Point] = []
        for odds, piece, one in sorted(weighed, key=lambda row: -row[0]):
            taken = [*(ball.seen_cm for ball, _ in balls), *maybe]
            if not clear(*piece.seen_cm, taken, LIMITS.apart_in_gutter * self._view.radius_cm):
                continue
            rests = self.rests(piece.seen_cm)
            sure = odds >= (LIMITS.ball_odds if rests else LIMITS.far_odds)
            if sure and one.ball >= LIMITS.heard_in_gutter:
                balls.append((piece, one))
            elif odds >= LIMITS.maybe_odds and rests:
                maybe.append(piece.seen_cm)
        return balls, maybe

    def _heard_across(self, places: Sequence[Point]) -> list[Heard]:
        """Ask about pieces in gutters: where a wall hides some of a ball, its middle is not that of what shows."""
        steps = [part * self._view.radius_cm for part in LIMITS.across]
        heard = self.heard([(x + step, y) for x, y in places for step in steps])
        each = len(steps)
        return [max(heard[k : k + each], key=lambda one: one.ball) for k in range(0, len(heard), each)]

    def _gutter_ball(self, xy: Point, heard: Heard) -> tuple[InGutter, Heard]:
        """Place a ball in a gutter that the network alone sees: where it is surest of it."""
        steps = np.arange(-2.0, 3.0) * (0.25 * self._view.radius_cm)
        grid = [(float(x), float(y)) for x, y in around(*xy, steps)]
        told = ask(self._looker, np.array(grid))
        sure = told.ball**4
        x, y = (float(np.average(np.array(grid)[:, k], weights=sure)) for k in (0, 1)) if sure.sum() > 0 else xy
        (again,) = self.heard([(x, y)])
        best = max(again, heard, key=lambda one: one.ball)
        area = min(self._view.table.gutters_cm, key=lambda one: abs(sum(p[0] for p in one) / len(one) - x))
        piece = InGutter(
            xy_cm=lying_at((x, y), area, self._view),
            seen_cm=(x, y),
            pixels=np.asarray(self._looker.patches(np.array([(x, y)]))[0][INSIDE]),
            leaning=0.0,
            sure=True,
        )
        return piece, best

    def _believed(
        self, pieces: Sequence[InGutter], heard: Sequence[Heard], odd_ones: Sequence[Odd], hidden: Sides
    ) -> list[float]:
        """Give the chance of pieces in gutters, which may be shadows, a wall, or the gutter itself, by their look.

        What has the outline of a ball is one; what has none and goes on around it, or is hardly of a ball's
        colour, is none. What the network is sure of is not looked at: that would change nothing.
        """
        chances = []
        for piece, one in zip(pieces, heard, strict=False):
            if abs(heard_odds(one)) >= LIMITS.heard_odds and self.rests(piece.seen_cm):
                chances.append(LIMITS.piece_chances[2])
                continue
            side = int(piece.leaning < 0)
            plain = not piece.dark and (not hidden[side] or any(odd.holds(piece.seen_cm) for odd in odd_ones))
            look = self.settled(*piece.seen_cm, [one.seen_cm for one in pieces if one is not piece])
            whole = roundness(look) >= LIMITS.round_piece and look.side == side
            if (plain and look.gap < LIMITS.wall) or (whole and (plain or look.like >= LIMITS.piece_like[1])):
                sure = piece.sure or (whole and look.like >= LIMITS.slot_middle)
                chances.append(LIMITS.piece_chances[int(not plain) if sure else 2])
            elif roundness(look) >= LIMITS.no_piece and (plain or look.like >= LIMITS.piece_like[0]):
                chances.append(LIMITS.piece_chances[2])
            else:
                chances.append(LIMITS.piece_chances[3])
        return chances

    def loose(
        self, filled: list[Point], gutters: list[Point], hidden: Sides, odd_places: Sequence[Point]
    ) -> tuple[list[tuple[Look, Heard]], tuple[Point, ...]]:
        """Find balls on the board; others are in slots and gutters. Gives them, and what may be one.

        `odd_places` are not as the board is around them: a ball whose colour the board hides may lie there.
        """
        taken = [*filled, *gutters]
        looks = [(look, True) for look in self._candidates(taken)]
        looks += [
            (look, False) for look in self._odd_looks(odd_places, [*taken, *(look.xy_cm for look, _ in looks)])
        ]
        heard = self.heard([look.xy_cm for look, _ in looks])
        weighed = [
            (together(loose_chance(look) if plain else LIMITS.odd_chance, one, LIMITS.loose_odds), look, one)
            for (look, plain), one in zip(looks, heard, strict=True)
        ]
        found: list[tuple[Look, Heard]] = []
        maybe: list[Point] = []
        for chance, look, one in sorted(weighed, key=lambda row: -row[0]):
            behind = look.free < 1 and self._in_comb(look.xy_cm) and one.ball < LIMITS.heard_sure
            if not clear(*look.xy_cm, taken, self._apart) or behind:
                continue
            if chance >= LIMITS.sure_loose and look.free >= LIMITS.least_free:
                found.append((look, one))
            elif one.ball < LIMITS.heard_none or not self._may_be(look, chance, taken, hidden):
                continue
            else:
                maybe.append(look.xy_cm)
            taken = [*taken, look.xy_cm]
        return sorted(found, key=lambda row: (row[0].xy_cm[1], row[0].xy_cm[0])), tuple(maybe)

    def _may_be(self, look: Look, chance: float, taken: list[Point], hidden: Sides) -> bool:
        """Say whether what is not surely a ball may be one all the same."""
        likely = chance > LIMITS.maybe_loose or self._touches(look, taken)
        return (likely or (hidden[look.side] and _hardly_seen(look))) and not self._repeats(look)

    def _odd_looks(self, places: Sequence[Point], known: Sequence[Point]) -> list[Look]:
        """Look at those of some places where the network sees something."""
        others = [xy for xy in places if clear(*xy, known, self._view.radius_cm)]
        aside = LIMITS.aside_of_odd * self._view.radius_cm
        cross = np.array([(0.0, 0.0), (aside, 0.0), (-aside, 0.0), (0.0, aside), (0.0, -aside)])
        found = []
        for xy in others:
            grid = np.array(xy) + cross
            balls = ask(self._looker, grid).ball
            if balls.max() >= LIMITS.heard_none:
                found.append(self._looker.judged(self._looker.look(grid[[int(balls.argmax())]]), 0))
        return found

    def _candidates(self, taken: list[Point]) -> list[Look]:
        """Look at every place that may be a ball.

        Balls that touch hide a part of each other's outline: whatever is very like a ball is taken for one where
        its neighbours are looked at.
        """
        first = self._peaks(taken)
        looks = [*first, *self._peaks([*taken, *(look.xy_cm for look in first)])]
        likely: list[Look] = []
        for look in sorted(looks, key=lambda look: look.gap - look.like):
            if look.like >= LIMITS.touching_like and clear(*look.xy_cm, [x.xy_cm for x in likely], self._apart):
                likely.append(look)
        again = []
        for look in looks:
            beside = [one.xy_cm for one in likely if not clear(*one.xy_cm, [look.xy_cm], self._reach)]
            beside = [xy for xy in beside if clear(*xy, [look.xy_cm], self._apart)]
            again.append(self.settled(*look.xy_cm, [*taken, *beside]) if beside else look)
        return again

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
        return look.like >= LIMITS.touching_like and not clear(*look.xy_cm, taken, self._reach)

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
        rows = span(centre[1], play[1], height)
        columns = span(centre[0], play[0], width)
        score = np.max(
            [i[rows, columns] - 0.3 * a[rows, columns] for i, a in zip(self._inside, self._around, strict=True)],
            axis=0,
        )
        row, column = np.unravel_index(int(np.argmax(score)), score.shape)
        return (to_cm(columns.start + int(column)), to_cm(rows.start + int(row))), float(score.max())

    @property
    def _fine(self) -> Array:
        return np.asarray(np.array([-0.14, 0.0, 0.14]) * self._view.radius_cm, np.float64)

    def settled(self, x: float, y: float, beside: Sequence[Point] = ()) -> Look:
        """Find the place near by that is most like a ball: its inside, what is around, its outline."""
        near = [xy for xy in beside if not clear(*xy, [(x, y)], 4 * self._view.radius_cm)]
        looks = self._looker.look(around(x, y, np.arange(-2.0, 3.0) * (0.28 * self._view.radius_cm)), near)
        first = np.argsort(0.5 * looks.gap - looks.like, kind="stable")[:8]
        x, y = looks.xy_cm[first[int(np.argmax(looks.roundness[first]))]]
        looks = self._looker.look(around(float(x), float(y), self._fine), near)
        return self._looker.judged(looks, int(np.argmax(looks.roundness)))

    def _peaks(self, taken: Sequence[Point]) -> list[Look]:
        """Look at every place that is more like a ball than all around it, but at known balls."""
        found = []
        places = self.peaks(taken)
        for (x, y), heard in zip(places, self.heard(places), strict=True):
            if heard.ball < LIMITS.heard_none and self._filled(x, y) < LIMITS.plainly:
                continue
            look = self.settled(x, y, taken)
            if not clear(*look.xy_cm, taken, self._apart):
                look = self._looker.judged(self._looker.look([(x, y)], taken), 0)
            found.append(look)
        return found

    def peaks(self, taken: Sequence[Point]) -> list[Point]:
        """Give every place that is more like a ball than all around it, cm, but known balls."""
        score = without(np.max(self._inside, axis=0), taken, self._near)
        size = round(self._view.radius_cm * MAP_PX) | 1
        top = cv2.dilate(score, np.ones((size, size)))
        edge = self._view.radius_cm - 0.4
        width, length = self._view.table.table_cm
        peaks = ((score >= top) & (score > LIMITS.least_like)).astype(np.uint8)
        _, _, _, middles = cv2.connectedComponentsWithStats(peaks)
        found = []
        for column, row in middles[1:]:
            x, y = to_cm(float(column)), to_cm(float(row))
            inside = (
                edge < x < width - edge and edge < y < length - edge and not self._gutter[int(row), int(column)]
            )
            if inside and self._stands_out(x, y) and clear(x, y, taken, self._near):
                found.append((x, y))
        return found

    def _filled(self, x: float, y: float) -> float:
        """Give, cheaply, how like a ball a place is."""
        row, column = (
            int(np.clip(v * MAP_PX, 0, n - 1)) for v, n in zip((y, x), self._inside[0].shape, strict=True)
        )
        return float(max(one[row, column] for one in self._inside))

    def _stands_out(self, x: float, y: float) -> bool:
        """Say, cheaply, whether what lies around is less like a ball; a wide patch of a like colour is none."""
        row, column = (
            int(np.clip(v * MAP_PX, 0, n - 1)) for v, n in zip((y, x), self._inside[0].shape, strict=True)
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
            alike = self._looker.look([(x, look.xy_cm[1]) for x in places if left < x < right]).like
            return int(np.sum(alike > look.like - 1.0)) >= 2
        return False


def candidate_places(looker: Looker) -> list[Point]:
    """Give where on a picture something may be taken for a ball, or is unlike the rest, cm: to learn from."""
    finder, view, flat = Finder(looker), looker.view, looker.flat
    pieces = gutter_balls(flat, finder.like, [True, True], view)
    odd = [one.xy_cm for one in odd_in_gutters(flat, view)]
    return [*finder.peaks([]), *(one.seen_cm for one in pieces), *odd, *odd_on_board(flat, view)[:12]]


def ball_near(looker: Looker, places: ArrayLike) -> list[bool]:
    """Say of places, (N, 2) cm, whether the network sees a ball within the width of a finger."""
    at = np.asarray(places, np.float64).reshape(-1, 2)
    steps = around(0.0, 0.0, np.array([-0.5, 0.0, 0.5]) * looker.view.radius_cm)
    told = ask(looker, (at[:, None] + steps).reshape(-1, 2)).ball.reshape(len(at), -1)
    return [bool(one.max() >= LIMITS.heard_sure) for one in told]


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


def _hardly_seen(look: Look) -> bool:
    """Say whether this may be a ball whose colour the board hides: half of its outline may be lost."""
    stands_out = look.like >= LIMITS.slot_middle and look.like - look.gap >= LIMITS.contrast
    return stands_out and look.edge >= LIMITS.half_edge


def clear(x: float, y: float, taken: Sequence[Point], near: float) -> bool:
    """Say whether a place, cm, is at least so far from all others."""
    return all(np.hypot(x - at[0], y - at[1]) >= near for at in taken)
