"""Plane geometry of the defense zone, in centimetres: simple polygons, points in them, distances (FB-31)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import hypot
from typing import Final, TypeAlias

from engine.forms import Number

Point: TypeAlias = tuple[Number, Number]
Edge: TypeAlias = tuple[Point, Point]

FORGIVEN_CM: Final = 0.000001
"""What both comparisons of FB-31 forgive."""


def distance(a: Point, b: Point) -> float:
    """Give the distance of two points."""
    return hypot(float(a[0]) - float(b[0]), float(a[1]) - float(b[1]))


def contains(polygon: Sequence[Point], point: Point) -> bool:
    """Tell whether a point lies in the polygon, edges included and a millionth of a centimetre forgiven."""
    return _winds_around(polygon, point) or any(
        _distance_to_edge(point, a, b) <= FORGIVEN_CM for a, b in _edges(polygon)
    )


def _winds_around(polygon: Sequence[Point], point: Point) -> bool:
    """Tell whether a ray from the point to the right crosses an odd number of edges."""
    x, y = float(point[0]), float(point[1])
    inside = False
    bx, by = float(polygon[-1][0]), float(polygon[-1][1])
    for corner in polygon:
        ax, ay, bx, by = bx, by, float(corner[0]), float(corner[1])
        if (ay > y) != (by > y) and x < ax + (bx - ax) * ((y - ay) / (by - ay)):
            inside = not inside
    return inside


def _distance_to_edge(point: Point, a: Point, b: Point) -> float:
    x, y, ax, ay = float(point[0]), float(point[1]), float(a[0]), float(a[1])
    dx, dy = float(b[0]) - ax, float(b[1]) - ay
    length = hypot(dx, dy) or 1.0  # whole numbers that differ may be the same float
    ux, uy = dx / length, dy / length
    along = min(max((x - ax) * ux + (y - ay) * uy, 0.0), length)
    return hypot(x - (ax + along * ux), y - (ay + along * uy))


def is_simple(polygon: Sequence[Point]) -> bool:
    """Tell whether the polygon has three corners or more and its edges meet at shared corners alone.

    Exact: the coordinates are compared as fractions.
    """
    if len(polygon) < 3 or len(set(polygon)) < len(polygon):
        return False
    edges = _edges(polygon)
    last = len(edges) - 1
    for (i, first), (j, second) in combinations(enumerate(edges), 2):
        if not _boxes_meet(first, second):
            continue
        if j == i + 1:
            if _folds_back(first[0], first[1], second[1]):
                return False
        elif (i, j) == (0, last):
            if _folds_back(second[0], second[1], first[1]):
                return False
        elif _cross(first, second):
            return False
    return True


def _edges(polygon: Sequence[Point]) -> list[Edge]:
    return list(zip(polygon, [*polygon[1:], polygon[0]], strict=True))


def _boxes_meet(first: Edge, second: Edge) -> bool:
    return all(
        max(min(a, b), min(c, d)) <= min(max(a, b), max(c, d)) for a, b, c, d in zip(*first, *second, strict=True)
    )


def _turn(a: Point, b: Point, c: Point) -> int:
    """Give 1 where the way from a by b to c turns left, -1 to the right, 0 straight on or back."""
    ax, ay, bx, by, cx, cy = map(Fraction, (*a, *b, *c))
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (area > 0) - (area < 0)


def _folds_back(a: Point, b: Point, c: Point) -> bool:
    """Tell whether the edges ab and bc lie on one another."""
    if _turn(a, b, c) != 0:
        return False
    ax, ay, bx, by, cx, cy = map(Fraction, (*a, *b, *c))
    return (ax - bx) * (cx - bx) + (ay - by) * (cy - by) > 0


def _cross(first: Edge, second: Edge) -> bool:
    """Tell whether two edges whose boxes meet have a point in common."""
    (a, b), (c, d) = first, second
    return _turn(a, b, c) * _turn(a, b, d) <= 0 and _turn(c, d, a) * _turn(c, d, b) <= 0
