"""Printed markers at the corners of a table: a sheet in exact millimetres, and the table found by them.

Four tiles are cut out and laid flat into the corners of the playing surface, each with its outer corner flush in
the corner of the table and its arrow toward the far end. The markers are ArUco's (Garrido-Jurado et al. 2014),
dictionary 4x4_50, as OpenCV draws and finds them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]
Table = Literal["finn", "astrolabe"]
Paper = Literal["A4", "Letter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerTuning:
    """Sizes, and what a table that was found has to hold.

    Attributes
    ----------
    marker_mm, tile_mm
        Side of a marker's black square, and of the tile that is cut out: white all around is needed to find it.
        At 6 pixels a centimetre, the far end of a table in a picture of 1280, a module of it is 5 pixels.
    fewest
        Markers that have to be seen: three say where the fourth would be.
    most_off
        Corners of markers may be this share of a marker's side off in the fit, root mean square; more, and a tile
        lies elsewhere, or turned.
    gap_mm
        Between tiles on the sheet.
    """

    marker_mm: float = 50.0
    tile_mm: float = 60.0
    fewest: int = 3
    most_off: float = 0.08
    gap_mm: float = 15.0


TUNING: Final = MarkerTuning()
DICTIONARY: Final = cv2.aruco.DICT_4X4_50
MODULES: Final = 6
"""Modules along a side, the black frame among them."""

TABLES_CM: Final[Mapping[Table, tuple[float, float]]] = {"finn": (117.0, 49.0), "astrolabe": (60.0, 120.0)}
PLACES: Final[Mapping[Table, tuple[str, ...]]] = {
    "finn": ("near right", "far right", "far left", "near left"),
    "astrolabe": ("near left", "near right", "far right", "far left"),
}
"""Corner of each marker's number, as the player stands: counter-clockwise from the origin."""

PAPERS_MM: Final[Mapping[Paper, tuple[float, float]]] = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarkedTable:
    """A table found by its markers.

    Attributes
    ----------
    points_px, known_cm
        (N, 2) corners of the markers as seen, and on the table.
    ids
        Markers that were seen.
    residual_px
        How far corners are from where the fit has them, root mean square.
    """

    points_px: Array
    known_cm: Array
    ids: tuple[int, ...]
    residual_px: float


def corners_cm(table: Table, number: int) -> Array:
    """Give the corners, (4, 2) cm, of a marker on its table: top left first, clockwise as printed."""
    long, wide = TABLES_CM[table]
    half = TUNING.tile_mm / 20
    middle = np.array([(half, half), (long - half, half), (long - half, wide - half), (half, wide - half)][number])
    # Printed, up is toward the far end: x of finn's board, y of astrolabe's table.
    up, right = ((1, 0), (0, -1)) if table == "finn" else ((0, 1), (1, 0))
    ways = [(1, -1), (1, 1), (-1, 1), (-1, -1)]
    reach = TUNING.marker_mm / 20
    return np.array([middle + reach * (a * np.array(up) + b * np.array(right)) for a, b in ways])


def table_by_markers(bgr: Picture, table: Table) -> MarkedTable | Failure:
    """Find a table by the markers in its corners.

    Parameters
    ----------
    bgr
        (H, W, 3).
    table
        Which.

    Returns
    -------
    MarkedTable or Failure
        `NO_MARKERS` with the corners where none is seen; `MARKERS_MISPLACED`.
    """
    seen = _seen(bgr)
    if len(seen) < TUNING.fewest:
        missing = ", ".join(f"{k} ({PLACES[table][k]})" for k in range(4) if k not in seen)
        which = f"Of the four markers these are not seen: {missing}" if seen else "No marker is seen"
        return Failure(
            "NO_MARKERS",
            f"{which}. Lay the tiles that `tallycam markers` prints flat into the corners, in good light, with"
            " nothing over them.",
        )
    ids = tuple(sorted(seen))
    points = np.concatenate([seen[k] for k in ids])
    known = np.concatenate([corners_cm(table, k) for k in ids])
    matrix, _ = cv2.findHomography(known, points)
    off = _off(np.asarray(matrix, np.float64), known, points) if matrix is not None else float("inf")
    side = float(np.mean([np.linalg.norm(seen[k] - np.roll(seen[k], 1, axis=0), axis=1).mean() for k in ids]))
    if off > TUNING.most_off * side:
        return Failure(
            "MARKERS_MISPLACED",
            f"The markers fit no table of {TABLES_CM[table][0]:g} x {TABLES_CM[table][1]:g} cm ({off:.1f} px off):"
            " each belongs into its own corner, flush, its arrow toward the far end.",
        )
    return MarkedTable(points_px=points, known_cm=known, ids=ids, residual_px=off)


def _seen(bgr: Picture) -> dict[int, Array]:
    """Give the corners of the four markers that are seen, each (4, 2) px; one seen twice is nobody's."""
    asked = cv2.aruco.DetectorParameters()
    asked.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), asked)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY))
    names = [] if ids is None else [int(number) for number in np.ravel(ids)]
    return {
        name: np.asarray(one, np.float64).reshape(4, 2)
        for name, one in zip(names, corners, strict=True)
        if 0 <= name < 4 and names.count(name) == 1
    }


def _off(matrix: Array, known: Array, points: Array) -> float:
    there = cv2.perspectiveTransform(known[None], matrix)[0]
    return float(np.sqrt(np.mean(np.sum((there - points) ** 2, axis=1))))


# ---------------------------------------------------------------- the sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page as black rectangles, thin lines and words, mm from its top left corner.

    Attributes
    ----------
    size
        Width and height.
    boxes
        Left, top, width, height.
    lines
        From and to.
    words
        Left, baseline, height, text.
    """

    size: tuple[float, float]
    boxes: tuple[tuple[float, float, float, float], ...]
    lines: tuple[tuple[float, float, float, float], ...]
    words: tuple[tuple[float, float, float, str], ...]


def sheet(table: Table, paper: Paper = "A4") -> Sheet:
    """Lay out the four tiles of a table on a page, with a line of 100 mm to check the printer by."""
    wide, high = PAPERS_MM[paper]
    tile, gap = TUNING.tile_mm, TUNING.gap_mm
    left = (wide - 2 * tile - gap) / 2
    boxes: list[tuple[float, float, float, float]] = []
    lines: list[tuple[float, float, float, float]] = []
    words: list[tuple[float, float, float, str]] = []
    for number in range(4):
        x, y = left + (number % 2) * (tile + gap), 45 + (number // 2) * (tile + gap)
        boxes += _marker(number, x + (tile - TUNING.marker_mm) / 2, y + (tile - TUNING.marker_mm) / 2)
        lines += [(x, y, x + tile, y), (x, y, x, y + tile), (x + tile, y, x + tile, y + tile)]
        lines += [(x, y + tile, x + tile, y + tile)]
        lines += [(x + tile / 2, y + 4.5, x + tile / 2, y + 1), (x + tile / 2, y + 1, x + tile / 2 - 1.2, y + 2.5)]
        lines += [(x + tile / 2, y + 1, x + tile / 2 + 1.2, y + 2.5)]
        words.append((x + 1.5, y + tile - 1.4, 2.6, f"{number}: {PLACES[table][number]}, arrow to the far end"))
    rule = 45 + 2 * tile + 2 * gap
    lines += [(left, rule, left + 100, rule), (left, rule - 2, left, rule + 2)]
    lines += [(left + 100, rule - 2, left + 100, rule + 2)]
    words += [
        (left, 24, 4.5, f"tallycam: markers for the table of {table}"),
        (left, 31, 3.2, "Print at 100 %, cut along the lines, lay each tile flush into its corner, flat."),
        (left, rule + 7, 3.2, "This line is 100 mm long. If it is not, the printer has scaled the page."),
    ]
    assert rule + 10 < high
    return Sheet(size=(wide, high), boxes=tuple(boxes), lines=tuple(lines), words=tuple(words))


def _marker(number: int, x: float, y: float) -> list[tuple[float, float, float, float]]:
    """Give the black runs of a marker, row by row."""
    cells = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(DICTIONARY), number, MODULES)
    side = TUNING.marker_mm / MODULES
    boxes = []
    for row, values in enumerate(np.asarray(cells) < 128):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], values.astype(np.int8), [0]])))
        for start, end in edges.reshape(-1, 2):
            boxes.append((x + float(start) * side, y + row * side, float(end - start) * side, side))
    return boxes


def as_svg(page: Sheet) -> str:
    """Write a page as SVG, one unit a millimetre."""
    wide, high = page.size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}mm" height="{high:g}mm"'
        f' viewBox="0 0 {wide:g} {high:g}">',
        f'<rect width="{wide:g}" height="{high:g}" fill="white"/>',
        # Rows of a marker touch: without this, renderers leave hairlines between them.
        '<g fill="black" shape-rendering="crispEdges">',
        *(f'<rect x="{x:.4f}" y="{y:.4f}" width="{w:.4f}" height="{h:.4f}"/>' for x, y, w, h in page.boxes),
        '</g><g stroke="black" stroke-width="0.2">',
        *(f'<line x1="{a:.4f}" y1="{b:.4f}" x2="{c:.4f}" y2="{d:.4f}"/>' for a, b, c, d in page.lines),
        '</g><g font-family="Helvetica, Arial, sans-serif">',
        *(f'<text x="{x:.4f}" y="{y:.4f}" font-size="{size:g}">{text}</text>' for x, y, size, text in page.words),
        "</g></svg>",
    ]
    return "\n".join(parts) + "\n"


def as_pdf(page: Sheet) -> bytes:
    """Write a page as PDF 1.4: vectors and a font that every reader has."""
    unit = 72 / 25.4
    wide, high = (side * unit for side in page.size)
    marks = [
        *(
            f"{x * unit:.4f} {high - (y + h) * unit:.4f} {w * unit:.4f} {h * unit:.4f} re f"
            for x, y, w, h in page.boxes
        ),
        f"{0.2 * unit:.4f} w",
        *(
            f"{a * unit:.4f} {high - b * unit:.4f} m {c * unit:.4f} {high - d * unit:.4f} l S"
            for a, b, c, d in page.lines
        ),
        *(
            f"BT /F1 {size * unit:.3f} Tf {x * unit:.4f} {high - y * unit:.4f} Td ({text}) Tj ET"
            for x, y, size, text in page.words
        ),
    ]
    drawn = "\n".join(marks).encode("ascii")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide:.4f} {high:.4f}]"
        " /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
