"""The table found without help: long edges make rectangles, and what stands inside says which is the table.

Walls and gutters give many edges that run side by side, each pair of pairs a rectangle. A few of the best
supported are looked at as if they were the table: where a Play Line runs across and three combs stand behind it
the table is found, and combs and line say better than walls, which rise, where its corners are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.camera import slant_misfit
from vision.astrolabe.layout import Layout, find_layout, line_seen
from vision.failure import Failure
from vision.geometry import PlaneMap, plane_from_points
from vision.setup import AstrolabeTable

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineTuning:
    """Which rectangles are tried, and which is believed.

    Attributes
    ----------
    width_px
        Pictures are looked at this wide.
    shortest
        Edges shorter than this share of the width are not looked at.
    colour_range
        Levels of colour that are spread over the whole range at most: less is noise.
    aside_px, askew_deg
        Pieces of one line lie within this distance and direction.
    lines
        Lines of each direction that are tried, the longest.
    apart
        Opposite sides are at least this share of the width apart.
    covered
        Of each side at least this share is seen as an edge; of all four together `covered_all`.
    outside
        Corners lie at most this share of the width outside the picture.
    misfit
        How far a rectangle may be from what a usual camera makes of a table.
    tried
        Rectangles that are looked into, the best covered.
    at_once, settling, rounds
        So many rectangles are compared at a time; so many of them are laid anew by their combs, in so many rounds.
    off_cm, askew_cm
        Then combs and Play Line are this near to their usual places, slots this near to their usual distance.
    same
        Rectangles whose corners are this near, in widths, are one.
    sure_line, closer
        Where a Play Line is as clear as this combs are looked for, in so many rectangles at most.
    sure_comb
        Teeth of the weakest comb, 1 being all: where corners hang on them they have to be clearer than elsewhere.
    enough
        A rectangle that looks so much like the table is it.
    play_line_cm, rows_cm, gutter_cm
        Where things are on a usual table, along it; how wide its gutters are.
    usual_cm
        What lies within this of its usual place is there.
    ends_cm
        A Play Line ends this near to where the combs let it be expected, or its ends are not believed.
    """

    width_px: int = 960
    shortest: float = 0.04
    colour_range: float = 60.0
    aside_px: float = 3.0
    askew_deg: float = 1.5
    lines: int = 14
    apart: float = 0.15
    covered: float = 0.3
    covered_all: float = 0.55
    outside: float = 0.03
    misfit: float = 0.02
    tried: int = 100
    at_once: int = 50
    settling: int = 3
    rounds: int = 3
    off_cm: float = 1.2
    askew_cm: float = 0.15
    same: float = 0.012
    sure_line: float = 0.5
    sure_comb: float = 0.75
    closer: int = 20
    enough: float = 0.75
    play_line_cm: float = 20.0
    rows_cm: tuple[float, ...] = (55.0, 80.0, 105.0)
    gutter_cm: float = 3.6
    usual_cm: float = 4.0
    ends_cm: float = 2.0


TUNING: Final = OutlineTuning()
USUAL_STEP_CM: Final = 4.5
"""From slot to slot on a usual table."""


_HELP: Final = (
    "Show the whole table from above in good light, lay markers into its corners, or place these by hand."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundTable:
    """A table found in a picture: its plane, what stands on it, how large it is."""

    plane: PlaneMap
    layout: Layout
    table: AstrolabeTable

    def corners_px(self) -> Array:
        """Give the corners, (4, 2) px, against the clock from the player's near left."""
        wide, long = self.table.table_cm
        return self.plane.to_px([(0.0, 0.0), (wide, 0.0), (wide, long), (0.0, long)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Line:
    """A long straight edge: a point of it, its direction, and the pieces, along the direction, that are seen."""

    point: Array
    way: Array
    pieces: tuple[tuple[float, float], ...]

    @property
    def length(self) -> float:
        return sum(end - start for start, end in self.pieces)


def find_table(bgr: Picture, table: AstrolabeTable) -> FoundTable | Failure:
    """Find a table in a picture.

    Parameters
    ----------
    bgr
        (H, W, 3).
    table
        Its size, and that of its balls.

    Returns
    -------
    FoundTable or Failure
        `NO_TABLE`: with what was looked for and not found.
    """
    factor = bgr.shape[1] / TUNING.width_px
    size = (TUNING.width_px, round(bgr.shape[0] / factor))
    small = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    lines = _lines(small)
    planes = _rectangles(lines, size, table)
    if not planes:
        return Failure("NO_TABLE", f"No four long edges are seen that could be those of a table. {_HELP}")
    missing = "Play Line across"
    for start in range(0, len(planes), TUNING.at_once):
        likely = _likely(small, planes[start : start + TUNING.at_once], table)
        if likely:
            missing = "three combs behind the Play Line, clear enough to say where the corners are"
        for plane, layout in likely:
            found = _settled(small, plane, layout, table)
            if found is not None:
                return FoundTable(plane=found[0].scaled(factor), layout=found[1], table=table)
    return Failure("NO_TABLE", f"Edges of a table are seen, but no {missing}. {_HELP}")


def _likely(bgr: Picture, planes: Sequence[PlaneMap], table: AstrolabeTable) -> list[tuple[PlaneMap, Layout]]:
    """Give the rectangles with a Play Line across and combs behind it, the likeliest first."""
    seen = [(plane, *line_seen(bgr, plane, table)) for plane in planes]
    lined = [(abs(y_cm - TUNING.play_line_cm), plane) for plane, line, y_cm in seen if line >= TUNING.sure_line]
    found = []
    for _, plane in sorted(lined, key=lambda item: item[0])[: TUNING.closer]:
        layout = find_layout(bgr, plane, table, usual=True)
        value = _value(layout)
        if value > 0:
            found.append((value, plane, layout))
        if value >= TUNING.enough:
            break
    best = sorted(found, key=lambda item: -item[0])[: TUNING.settling]
    return [(plane, layout) for _, plane, layout in best]


def _settled(
    bgr: Picture, plane: PlaneMap, layout: Layout, table: AstrolabeTable
) -> tuple[PlaneMap, Layout] | None:
    """Lay the table by its combs and Play Line until these are where they should be; None if they never are."""
    for _ in range(TUNING.rounds):
        closer = _closer(plane, layout, table) if layout.combs and layout.play_line_y_cm is not None else None
        if closer is None:
            return None
        plane, layout = closer, find_layout(bgr, closer, table, usual=True)
    if layout.comb < TUNING.sure_comb or not layout.combs or layout.play_line_y_cm is None:
        return None
    off = [layout.play_line_y_cm - TUNING.play_line_cm, layout.middle_cm - table.table_cm[0] / 2]
    off += [row.y_cm - usual for row, usual in zip(layout.combs, TUNING.rows_cm, strict=True)]
    askew = max(abs(row.pitch_cm - USUAL_STEP_CM) for row in layout.combs)
    # A plane that no camera sees so was laid by teeth that are none.
    seen_so = slant_misfit(plane, (bgr.shape[1], bgr.shape[0])) <= TUNING.misfit
    return (
        (plane, layout) if max(map(abs, off)) <= TUNING.off_cm and askew <= TUNING.askew_cm and seen_so else None
    )


def _value(layout: Layout) -> float:
    """Say how much a rectangle looks like the table: combs, line, both where they usually are."""
    if not layout.combs or layout.play_line_y_cm is None:
        return 0.0
    rows = [row.y_cm for row in layout.combs]
    off = np.abs([layout.play_line_y_cm - TUNING.play_line_cm, *np.subtract(rows, TUNING.rows_cm)]).mean()
    return layout.comb * layout.line * float(np.exp(-off / TUNING.usual_cm))


def _closer(plane: PlaneMap, layout: Layout, table: AstrolabeTable) -> PlaneMap | None:
    """Lay the table anew so that combs and Play Line are where they usually are."""
    width = table.table_cm[0]
    seen, known = [], []
    for row, usual in zip(layout.combs, TUNING.rows_cm, strict=True):
        half = row.pitch_cm * row.slots / 2
        for side in (-1, 1):
            seen.append((layout.middle_cm + side * half, row.y_cm))
            known.append((width / 2 + side * USUAL_STEP_CM / 2 * row.slots, usual))
    half = width / 2 - TUNING.gutter_cm
    reach = half * float(np.mean([row.pitch_cm for row in layout.combs])) / USUAL_STEP_CM
    ends = (layout.middle_cm - reach, layout.middle_cm + reach)
    if max(abs(end - guess) for end, guess in zip(layout.ends_cm, ends, strict=True)) <= TUNING.ends_cm:
        ends = layout.ends_cm
    for end, usual in zip(ends, (width / 2 - half, width / 2 + half), strict=True):
        seen.append((end, layout.play_line_y_cm or 0.0))
        known.append((usual, TUNING.play_line_cm))
    found = plane_from_points(known, plane.to_px(seen), plane.lens)
    return None if isinstance(found, Failure) else found


def _rectangles(lines: Sequence[_Line], size: tuple[int, int], table: AstrolabeTable) -> list[PlaneMap]:
    """Give the planes of the best covered rectangles that could be the table, best first."""
    if not lines:
        return []
    main = max(lines, key=lambda line: line.length).way
    families = [
        [line for line in lines if (abs(line.way @ main) > np.sqrt(0.5)) == along] for along in (True, False)
    ]
    pairs = [
        list(combinations(sorted(family, key=lambda line: -line.length)[: TUNING.lines], 2)) for family in families
    ]
    found: list[tuple[float, Array]] = []
    for first in pairs[0]:
        for second in pairs[1]:
            corners = _corners(first, second, size)
            if corners is None:
                continue
            covered = _covered(corners, first, second)
            if covered >= TUNING.covered_all:
                found.append((covered, corners))
    planes: list[PlaneMap] = []
    places: list[Array] = []
    for _, corners in sorted(found, key=lambda item: -item[0]):
        if all(np.linalg.norm(corners - other, axis=1).max() > TUNING.same * size[0] for other in places):
            places.append(corners)
            planes += _planes(corners, size, table)
        if len(planes) >= TUNING.tried:
            break
    return planes


def _corners(first: tuple[_Line, _Line], second: tuple[_Line, _Line], size: tuple[int, int]) -> Array | None:
    """Give the corners, (4, 2) px, where two lines cross two others, going round; None outside the picture."""
    points = [_crossing(first[a], second[b]) for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))]
    if any(point is None for point in points):
        return None
    corners = np.array(points)
    slack = TUNING.outside * size[0]
    if np.any(corners < -slack) or np.any(corners > np.array(size) + slack):
        return None
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    if sides.min() < TUNING.apart * size[0] or not cv2.isContourConvex(corners.astype(np.float32)):
        return None
    return corners


def _crossing(one: _Line, other: _Line) -> Array | None:
    matrix = np.column_stack([one.way, -other.way])
    if abs(np.linalg.det(matrix)) < 0.2:
        return None
    return np.asarray(one.point + np.linalg.solve(matrix, other.point - one.point)[0] * one.way)


def _covered(corners: Array, first: tuple[_Line, _Line], second: tuple[_Line, _Line]) -> float:
    """Give how much of the four sides is seen; 0 if too little of one of them."""
    sides = ((first[0], 0, 1), (second[1], 1, 2), (first[1], 2, 3), (second[0], 3, 0))
    shares = []
    for line, a, b in sides:
        start, end = sorted(float((corners[k] - line.point) @ line.way) for k in (a, b))
        seen = sum(max(0.0, min(end, high) - max(start, low)) for low, high in line.pieces)
        shares.append(seen / (end - start))
    return float(np.mean(shares)) if min(shares) >= TUNING.covered else 0.0


def _planes(corners: Array, size: tuple[int, int], table: AstrolabeTable) -> list[PlaneMap]:
    """Give the planes of tables with these corners that a usual camera may see, whichever end is the near one.

    Between the long sides a Play Line is often the clearest edge of all: the near side may be it.
    """
    wide, long = table.table_cm
    found = []
    # Seen from above, going round from the near left corner by the near right one is against the clock.
    area = cv2.contourArea(corners.astype(np.float32), oriented=True)
    around = corners if area < 0 else corners[::-1]
    for start in range(4):
        for near in (0.0, TUNING.play_line_cm):
            known = [(0.0, near), (wide, near), (wide, long), (0.0, long)]
            plane = plane_from_points(known, np.roll(around, start, axis=0))
            if isinstance(plane, Failure) or slant_misfit(plane, size) > TUNING.misfit:
                continue
            found.append(plane)
    return found


def _lines(bgr: Picture) -> list[_Line]:
    """Give the long straight edges of a picture."""
    lab = cv2.cvtColor(bgr, cv2.COLOR_BGR2LAB).astype(np.float32)
    # A red line on green felt is no brighter than the felt: colours are looked at like brightness.
    looks = [np.log(bgr.astype(np.float32).mean(axis=2) + 8), lab[..., 1], lab[..., 2]]
    pieces = []
    for look, least in zip(looks, (1.0, TUNING.colour_range, TUNING.colour_range), strict=True):
        low, high = np.percentile(look, (0.5, 99.5))
        grey = np.clip((look - low) / max(float(high - low), least) * 255, 0, 255).astype(np.uint8)
        found = cv2.createLineSegmentDetector().detect(grey)[0]
        if found is not None:
            pieces.append(np.asarray(found, np.float64).reshape(-1, 2, 2))
    if not pieces:
        return []
    ends = np.concatenate(pieces)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    order = np.argsort(-lengths)
    left = ends[order[lengths[order] >= TUNING.shortest * bgr.shape[1]]]
    lines = []
    while len(left):
        start, end = left[0]
        way = (end - start) / np.linalg.norm(end - start)
        across = np.array([-way[1], way[0]])
        ways = left[:, 1] - left[:, 0]
        askew = np.abs(ways @ across) / np.linalg.norm(ways, axis=1)
        near = np.abs((left - start) @ across).max(axis=1) <= TUNING.aside_px
        own = near & (askew <= np.sin(np.radians(TUNING.askew_deg)))
        own[0] = True
        lines.append(_joined(left[own]))
        left = left[~own]
    return lines


def _joined(ends: Array) -> _Line:
    """Make one line of pieces, (N, 2, 2) px."""
    points = ends.reshape(-1, 2)
    middle = points.mean(axis=0)
    way = np.linalg.svd(points - middle)[2][0]
    along = np.sort((ends - middle) @ way, axis=1)
    pieces: list[tuple[float, float]] = []
    for start, end in along[np.argsort(along[:, 0])]:
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], float(end)))
        else:
            pieces.append((float(start), float(end)))
    return _Line(point=middle, way=way, pieces=tuple(pieces))
