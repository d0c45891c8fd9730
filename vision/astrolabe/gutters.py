"""Balls in gutters: deeper than the board by nobody knows how much, half behind a wall, touching each other.

Their outlines are seldom whole. But a gutter holds nothing except balls, so there a piece of a side's colour as
large as a ball is one, and a longer one is several in a row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.view import PX_PER_CM, TableView

Map = NDArray[np.float32]
Picture = NDArray[np.uint8]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class GutterLimits:
    """What a ball in a gutter looks like.

    Attributes
    ----------
    beside_cm
        A gutter that is deep shows displaced by its depth, at most: so far on both sides of it is looked at.
    told
        Logarithm of the ratio from which on a pixel is of a ball's colour.
    ball, maybe
        Share of a ball's area that is one for sure, or may be one: where a wall hides the rest.
    wide
        Least width and length, in diameters: what a wall leaves of a ball is a cap, no thread.
    pure
        Mean logarithm over a ball for sure.
    pitch
        A row of balls that is longer than one ball by this much short of a diameter is one ball more.
    widest, longest
        What is wider, or longer, is no row of balls.
    at_end
        What touches the end of a gutter is at least this long, in diameters: a wall may hide the rest of it.
    apart
        The middles of two balls show at least so many radii apart.
    half
        What is nearer and at least this share of a piece belongs to that ball.
    deep_cm, deep_spread_cm, aside_cm
        What depth a gutter has, and how much that varies; how far off its middle a ball lies.
    off_cm
        What shows further than this from where a ball has room is none.
    """

    beside_cm: float = 1.4
    told: float = 0.8
    ball: float = 0.22
    maybe: float = 0.12
    wide: float = 0.3
    pure: float = 1.6
    pitch: float = 1.05
    widest: float = 1.4
    longest: float = 6.5
    at_end: float = 0.4
    apart: float = 1.65
    half: float = 0.4
    deep_cm: float = 0.6
    deep_spread_cm: float = 0.6
    aside_cm: float = 0.5
    off_cm: float = 0.9
    depths_cm: tuple[float, ...] = (0.4, 1.2)


LIMITS: Final = GutterLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InGutter:
    """A piece of a side's colour in a gutter that is a ball, or may be one.

    Attributes
    ----------
    xy_cm
        Where the ball lies.
    seen_cm
        Where it shows on the flat picture.
    pixels
        (N, 3) BGR of what is seen of it.
    leaning
        Mean over them of how much likelier they are of the first side than of the other.
    sure
        It is one, as far as the colour tells.
    dark
        Shadows look like balls of its side.
    """

    xy_cm: Point
    seen_cm: Point
    pixels: Picture
    leaning: float
    sure: bool
    dark: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Strip:
    """A gutter and what is beside it, cut out of the flat picture.

    Attributes
    ----------
    corner
        Its left and near pixel.
    area
        The gutter, cm.
    flat
        (h, w, 3) BGR.
    like
        By side (h, w).
    stretch
        How much longer than in itself a ball shows there, across and along: the camera looks at a slant.
    """

    corner: tuple[int, int]
    area: Sequence[Point]
    flat: Picture
    like: tuple[Map, ...]
    stretch: tuple[float, float]


def gutter_balls(
    flat: Picture, like: Sequence[Map], dark: Sequence[bool], view: TableView
) -> tuple[InGutter, ...]:
    """Find balls in gutters.

    Parameters
    ----------
    flat
        (h, w, 3) BGR, the table seen flat.
    like
        By side (h, w), how much likelier a pixel is one of its balls' than the table's.
    dark
        By side, whether shadows look like its balls.
    view
        The table.
    """
    found: list[InGutter] = []
    for area in view.table.gutters_cm:
        left, near, right, far = _box(area, view)
        if min(right - left, far - near) < 3:
            continue
        part = (slice(near, far), slice(left, right))
        slope = _slope(((left + right) / 2 / PX_PER_CM, (near + far) / 2 / PX_PER_CM), view)
        strip = _Strip(
            corner=(left, near),
            area=area,
            flat=flat[part],
            like=tuple(values[part] for values in like),
            stretch=(float(np.hypot(1, slope[0])), float(np.hypot(1, slope[1]))),
        )
        for side in range(len(like)):
            found += (replace(piece, dark=dark[side]) for piece in _pieces(strip, side, view))
    return _joined(found, view)


def _joined(pieces: list[InGutter], view: TableView) -> tuple[InGutter, ...]:
    """Put pieces of one ball together; a small one is a highlight of it, or its shadow."""
    kept: list[InGutter] = []
    near = LIMITS.apart * view.radius_cm
    for piece in sorted(pieces, key=lambda one: -len(one.pixels)):
        same = [k for k, one in enumerate(kept) if np.hypot(*np.subtract(piece.seen_cm, one.seen_cm)) < near]
        if same and len(piece.pixels) >= LIMITS.half * len(kept[same[0]].pixels):
            whole = kept[same[0]]
            pixels, more = np.concatenate([whole.pixels, piece.pixels]), len(piece.pixels) * piece.leaning
            leaning = (len(whole.pixels) * whole.leaning + more) / len(pixels)
            kept[same[0]] = replace(whole, pixels=pixels, leaning=leaning)
        elif not same:
            kept.append(piece)
    return tuple(sorted(kept, key=lambda ball: (ball.xy_cm[1], ball.xy_cm[0])))


def _pieces(strip: _Strip, side: int, view: TableView) -> Iterator[InGutter]:
    values, best = strip.like[side], np.max(np.stack(strip.like), axis=0)
    usual = np.maximum(np.median(values[::3], axis=0), 0.0)
    mine = ((values >= LIMITS.told + usual) & (values >= best)).astype(np.uint8)
    kernel = np.ones((3, 3), np.uint8)
    mask = cv2.morphologyEx(cv2.morphologyEx(mine, cv2.MORPH_CLOSE, kernel), cv2.MORPH_OPEN, kernel)
    ball_px = view.table.ball_cm * PX_PER_CM
    across_px, along_px = (ball_px * stretch for stretch in strip.stretch)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    for k, (_, top, wide, long, count) in enumerate(stats[1:], start=1):
        share = float(count) / (np.pi / 4 * across_px * along_px)
        at_end = top == 0 or top + long == len(mask)
        thin = wide < LIMITS.wide * ball_px or long < (LIMITS.at_end if at_end else LIMITS.wide) * ball_px
        large = wide > LIMITS.widest * across_px or long > LIMITS.longest * along_px
        if share < LIMITS.maybe or thin or (large and at_end):
            continue
        balls = 1 if large else max(1, round((float(long) - along_px) / ball_px + LIMITS.pitch))
        rows, columns = np.nonzero(labels == k)
        for n in range(balls):
            own = (rows - top) * balls // long == n
            at = (rows[own], columns[own])
            seen = (
                (strip.corner[0] + float((at[1].min() + at[1].max()) / 2) + 0.5) / PX_PER_CM,
                (strip.corner[1] + float(top + (n + 0.5) * long / balls)) / PX_PER_CM,
            )
            if not _fits(seen, strip.area, view):
                continue
            leaning = float((strip.like[0][at] - strip.like[-1][at]).mean())
            pure = float(values[at].mean()) >= LIMITS.pure
            yield InGutter(
                xy_cm=lying_at(seen, strip.area, view),
                seen_cm=seen,
                pixels=strip.flat[at],
                leaning=leaning,
                sure=pure and share / balls >= LIMITS.ball and not large,
            )


def corner_places(view: TableView) -> list[Point]:
    """Give where the first balls at the near ends of gutters show on the flat picture, for a few depths of these.

    The table is tilted: what drops into a gutter rolls to its near end, and the next one to that.
    """
    found = []
    for area in view.table.gutters_cm:
        x, near = sum(_room(area, view)) / 2, min(y for _, y in area) + view.radius_cm
        for y in (near, near + view.table.ball_cm):
            slope = _slope((x, y), view)
            found += [(x + slope[0] * deep, y + slope[1] * deep) for deep in LIMITS.depths_cm]
    return found


def lying_at(seen_cm: Point, area: Sequence[Point], view: TableView) -> Point:
    """Give where a ball lies that shows at a place of the flat picture and is in a gutter."""
    radius = view.radius_cm
    x, y = _lowered(seen_cm, area, view)
    near, far = min(y for _, y in area), max(y for _, y in area)
    return _within(x, *_room(area, view)), _within(y, near + radius, far - radius)


def _fits(seen_cm: Point, area: Sequence[Point], view: TableView) -> bool:
    """Say whether a ball in a gutter, or what a wall leaves of it, can show at a place of the flat picture."""
    left, right = _room(area, view)
    return left - LIMITS.off_cm <= _lowered(seen_cm, area, view)[0] <= right + LIMITS.off_cm


def _lowered(seen_cm: Point, area: Sequence[Point], view: TableView) -> Point:
    """Take the depth of a gutter out of where something shows.

    What is deeper than the board shows nearer to the camera. How deep, its distance from the gutter's middle says,
    as far as the camera stands aside.
    """
    slope = _slope(seen_cm, view)
    aside = seen_cm[0] - sum(_room(area, view)) / 2
    spread, own = LIMITS.deep_spread_cm**2, LIMITS.aside_cm**2
    deep = LIMITS.deep_cm + spread * slope[0] / (slope[0] ** 2 * spread + own) * (
        aside - slope[0] * LIMITS.deep_cm
    )
    deep = float(np.clip(deep, 0.0, LIMITS.beside_cm))
    return seen_cm[0] - slope[0] * deep, seen_cm[1] - slope[1] * deep


def _room(area: Sequence[Point], view: TableView) -> Point:
    """Give between which x the middle of a ball in a gutter lies."""
    left, right = min(x for x, _ in area), max(x for x, _ in area)
    return left + view.radius_cm, right - view.radius_cm


def _slope(xy_cm: Point, view: TableView) -> Point:
    """Give by how much, across and along, a line of sight moves for each centimetre that it goes down."""
    eye = view.camera.eye_cm
    high = max(float(eye[2]) - view.radius_cm, 1.0)
    return (float(eye[0]) - xy_cm[0]) / high, (float(eye[1]) - xy_cm[1]) / high


def _within(value: float, low: float, high: float) -> float:
    return float(np.clip(value, low, high)) if low < high else (low + high) / 2


def _box(area: Sequence[Point], view: TableView) -> tuple[int, int, int, int]:
    """Give left, near, right and far of what is looked at, pixels of the flat picture."""
    width, length = view.table.table_cm
    left, right = min(x for x, _ in area) - LIMITS.beside_cm, max(x for x, _ in area) + LIMITS.beside_cm
    near, far = min(y for _, y in area), max(y for _, y in area)
    return (
        round(max(0.0, left) * PX_PER_CM),
        round(max(0.0, near) * PX_PER_CM),
        round(min(width, right) * PX_PER_CM),
        round(min(length, far) * PX_PER_CM),
    )
