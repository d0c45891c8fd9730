"""From a board that was found, or points that a person placed, to the SETUP that everything else starts from."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.layout import Layout, find_layout
from vision.astrolabe.outline import find_table
from vision.darts.board import REGULATION, SECTORS, on_board
from vision.darts.find import BoardFit
from vision.failure import Failure
from vision.geometry import PlaneMap, reprojection_error_px
from vision.markers import Table, table_by_markers
from vision.setup import AstrolabeTable, FinnTable, Game, Point, Polygon, Setup

Picture = NDArray[np.uint8]

SURE = 0.95
"""Below this chance that 20 is where the fit says, a person has to look."""

GOOD_MM = 1.0
"""Real boards fit to 0.3 to 0.7 mm; a darts tip is 2 mm thick."""

BACK_TO_FRONT = -0.3
"""Below this, combs are open toward the player: measured on 22 tables, none below -0.13."""

GUTTERS_CM = (1.5, 8.0)
"""How wide a gutter may be: a ball fits in, and a table of 60 cm is left between two."""

_CORNERS: dict[Game, tuple[Point, ...]] = {
    "finn": ((0, 0), (117, 0), (117, 49), (0, 49)),
    "astrolabe": ((0, 0), (60, 0), (60, 120), (0, 120)),
    "cricket": ((0, 170), (170, 0), (0, -170), (-170, 0)),
}
"""The points that a person is asked for, in this order: the corners of the table counter-clockwise from the
origin; on a dartboard where the outer wire of the doubles crosses the middles of 20, 6, 3 and 11."""


def setup_of(fit: BoardFit, size: tuple[int, int]) -> Setup:
    """Write down a dartboard that was found in a picture of `size` (width, height) px."""
    known = np.concatenate([[[0.0, 0.0]], on_board(fit.rings.double_outer, np.arange(0.0, 360.0, 45.0))])
    return Setup(
        game="cricket",
        image_size=size,
        board_px=_points(np.round(fit.plane.to_px(known), 3)),
        board_xy=_points(np.round(known, 6)),
        lens=fit.plane.lens,
        rings=None if fit.rings == REGULATION else fit.rings,
        notes={
            "orientation_confidence": round(fit.orientation_confidence, 4),
            "residual_mm": round(fit.residual_mm, 3),
            "residual_px": round(fit.residual_px, 3),
            "to_check": list(to_check(fit, size)),
        },
    )


def setup_by_points(
    game: Game, size: tuple[int, int], points_px: Sequence[Point], known: Sequence[Point] | None = None
) -> Setup | Failure:
    """Write down a board whose points a person placed.

    Parameters
    ----------
    game
        Whose board.
    size
        (width, height) px of the picture.
    points_px
        As seen.
    known
        The same points on the board (cm; mm for cricket); by default the four that `_CORNERS` names.

    Returns
    -------
    Setup or Failure
        `BAD_POINTS`.
    """
    corners = tuple(known) if known else _CORNERS[game]
    setup = Setup(
        game=game,
        image_size=size,
        board_px=tuple(points_px),
        board_xy=corners,
        finn=FinnTable() if game == "finn" else None,
        astrolabe=AstrolabeTable() if game == "astrolabe" else None,
    )
    plane = setup.plane()
    if isinstance(plane, Failure):
        return plane
    if np.linalg.det(plane.homography) > 0:  # rows of a picture go down, a board's y goes up
        return Failure(
            "BAD_POINTS",
            "The points go round the other way in the picture than on the board: give them in the order that is"
            " asked for; or the camera mirrors its picture, then switch that off.",
        )
    error_px = reprojection_error_px(plane, corners, points_px)
    return replace(setup, notes={"residual_px": round(error_px, 3)})


def setup_by_markers(game: Table, bgr: Picture) -> Setup | Failure:
    """Write down a table whose printed markers are seen in a picture, (H, W, 3).

    Returns
    -------
    Setup or Failure
        What `vision.markers.table_by_markers` may say, and `BAD_POINTS`.
    """
    found = table_by_markers(bgr, game)
    if isinstance(found, Failure):
        return found
    seen, known = _points(np.round(found.points_px, 2)), _points(np.round(found.known_cm, 3))
    setup = setup_by_points(game, (bgr.shape[1], bgr.shape[0]), seen, known)
    if isinstance(setup, Failure):
        return setup
    hidden = [
        f"Marker {k} is not seen; the others say where its corner is." for k in range(4) if k not in found.ids
    ]
    return replace(setup, notes={**setup.notes, "to_check": hidden})


def setup_of_table(bgr: Picture) -> Setup | Failure:
    """Find the corners of a table of Astrolabe in a picture, (H, W, 3): by its markers, or by what stands on it.

    Returns
    -------
    Setup or Failure
        `NO_TABLE`, `MARKERS_MISPLACED`: each with what was found and what to do.
    """
    marked = setup_by_markers("astrolabe", bgr)
    if not isinstance(marked, Failure) or marked.code != "NO_MARKERS":
        return marked
    found = find_table(bgr, AstrolabeTable())
    if isinstance(found, Failure):
        return found
    setup = setup_by_points("astrolabe", (bgr.shape[1], bgr.shape[0]), _points(np.round(found.corners_px(), 2)))
    if isinstance(setup, Failure):
        return setup
    said = ["The corners were found by the Play Line and the combs: look at the overlay."]
    return replace(setup, notes={**setup.notes, "to_check": said})


def with_layout(setup: Setup, bgr: Picture) -> Setup:
    """Add to a table of Astrolabe whose corners are known the combs and the Play Line seen on it.

    What a person gave stays; what is not seen is said in `to_check`, with what to do.
    """
    plane = setup.plane((bgr.shape[1], bgr.shape[0]))
    if setup.astrolabe is None or isinstance(plane, Failure):
        return setup
    table = setup.astrolabe
    layout = find_layout(bgr, plane, table)
    if not table.positions:
        table = replace(table, positions=layout.combs)
        if layout.play_line_y_cm is not None:
            table = replace(table, play_line_y_cm=round(layout.play_line_y_cm, 2))
    if not table.gutters_cm:
        table = replace(table, gutters_cm=_gutters_cm(layout, table))
    said = [
        *setup.notes.get("to_check", ()),
        *_layout_to_check(layout, table, given=bool(setup.astrolabe.positions)),
    ]
    return replace(setup, astrolabe=table, notes={**setup.notes, "to_check": said})


def _gutters_cm(layout: Layout, table: AstrolabeTable) -> tuple[Polygon, ...]:
    """Give both gutters, from the walls to where the Play Line ends, if it ends alike on both sides."""
    wide, long = table.table_cm
    sides = (layout.ends_cm[0], wide - layout.ends_cm[1])
    low, high = GUTTERS_CM
    if layout.play_line_y_cm is None or min(sides) < low or max(sides) > high or abs(sides[0] - sides[1]) > low:
        return ()
    edge = round(sum(sides) / 2, 1)
    return tuple(
        ((left, 0.0), (left + edge, 0.0), (left + edge, long), (left, long)) for left in (0.0, wide - edge)
    )


def _layout_to_check(layout: Layout, table: AstrolabeTable, *, given: bool) -> list[str]:
    said = []
    if not table.gutters_cm:
        said.append(
            "The gutters are not seen: give their corners as gutters_cm, or balls in them count as grouped."
        )
    if not layout.combs and not given:
        said.append(
            "The three combs are not seen: give their slots as positions, or bring the camera nearer, with all"
            " teeth in sight."
        )
    if layout.play_line_y_cm is None:
        said.append("The Play Line is not seen: measure how far it is from the near wall, as play_line_y.")
    if layout.combs and layout.spine < BACK_TO_FRONT:
        said.append("The combs look closed on the far side: are the corners given from the player's near left?")
    return said


def turned_to(fit: BoardFit, point_px: Point) -> BoardFit | Failure:
    """Turn a board so that the sector under `point_px` is 20, as a person showed it.

    Returns
    -------
    BoardFit or Failure
        `NOT_20` if the point lies in a light sector: on every board 20 is a dark one.
    """
    x, y = fit.plane.to_board([point_px])[0]
    steps = round(float(np.degrees(np.arctan2(x, y))) / 18)
    if steps % 2:
        return Failure(
            "NOT_20", f"The point ({point_px[0]:g}, {point_px[1]:g}) lies in a light sector, 20 is dark."
        )
    return replace(fit, plane=fit.plane.turned(-18.0 * steps), orientation_confidence=1.0)


def to_check(fit: BoardFit, size: tuple[int, int]) -> tuple[str, ...]:
    """Say in sentences what a person should look at before playing; empty where all is well."""
    said = []
    if fit.orientation_confidence < SURE:
        said.append(
            f"Which sector is 20 is not sure ({fit.orientation_confidence:.0%}): show it with --twenty X,Y,"
            " any pixel in the sector of 20."
        )
    if fit.residual_mm > GOOD_MM:
        said.append(
            f"The lines fit to {fit.residual_mm:.1f} mm only: look at the overlay, or bring the camera nearer."
        )
    rim = fit.plane.to_px(on_board(fit.rings.double_outer, np.arange(0.0, 360.0, 3.0)))
    hidden = float(np.mean(np.any((rim < 0) | (rim >= size), axis=1)))
    if hidden > 0:
        said.append(f"{hidden:.0%} of the double ring lie outside the picture: darts there cannot be seen.")
    scale = float(fit.plane.px_per_unit(on_board(fit.rings.double_outer, np.arange(0.0, 360.0, 18.0))).min())
    if scale < 0.5:
        said.append(f"A millimetre takes {scale:.2f} pixels on the far side: bring the camera nearer or higher.")
    return tuple(said)


def draw_lines(bgr: Picture, fit: BoardFit) -> Picture:
    """Draw rings, sector edges and numbers of a fit over a copy of its picture (H, W, 3)."""
    drawn = bgr.copy()
    for radius in fit.rings.radii():
        _draw_line(drawn, fit.plane, on_board(radius, np.arange(0.0, 363.0, 3.0)), (255, 0, 255))
    reach = np.linspace(fit.rings.outer_bull, fit.rings.double_outer, 16)
    for edge in range(20):
        _draw_line(drawn, fit.plane, on_board(reach, 18.0 * edge + 9.0), (255, 255, 0))
    for place, number in enumerate(SECTORS):
        x, y = fit.plane.to_px(on_board(188.0, 18.0 * place))[0]
        (wide, tall), _ = cv2.getTextSize(str(number), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
        corner = (round(x - wide / 2), round(y + tall / 2))
        cv2.putText(drawn, str(number), corner, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 255, 0), 1, cv2.LINE_AA)
    return drawn


def draw_points(bgr: Picture, setup: Setup) -> Picture:
    """Draw the points of a SETUP, their outline and its slots over a copy of its picture (H, W, 3)."""
    drawn = bgr.copy()
    _draw_table(drawn, setup)
    outline = np.round(np.array(setup.board_px) * 8).astype(np.int32)
    cv2.polylines(drawn, [outline], True, (255, 0, 255), 1, cv2.LINE_AA, 3)
    for (x, y), (board_x, board_y) in zip(setup.board_px, setup.board_xy, strict=True):
        cv2.circle(drawn, (round(x), round(y)), 4, (255, 255, 0), 1, cv2.LINE_AA)
        corner = (round(x) + 6, round(y) - 6)
        text = f"{board_x:g},{board_y:g}"
        cv2.putText(drawn, text, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 255, 0), 1, cv2.LINE_AA)
    return drawn


def _draw_table(drawn: Picture, setup: Setup) -> None:
    """Draw the Play Line and the slots of a table of Astrolabe, each as large as a ball."""
    plane = setup.plane()
    if setup.astrolabe is None or isinstance(plane, Failure):
        return
    table, turn = setup.astrolabe, np.linspace(0, 2 * np.pi, 25)[:, None]
    line = np.array([[0.0, table.play_line_y_cm], [table.table_cm[0], table.play_line_y_cm]])
    _draw_line(drawn, plane, line, (255, 255, 0))
    ring = table.ball_cm / 2 * np.hstack([np.cos(turn), np.sin(turn)])
    for row in table.positions:
        for slot in range(row.slots):
            _draw_line(drawn, plane, ring + np.array([[row.x0_cm + slot * row.pitch_cm, row.y_cm]]), (0, 255, 0))


def _draw_line(
    picture: Picture, plane: PlaneMap, xy_mm: NDArray[np.float64], colour: tuple[int, int, int]
) -> None:
    points = np.round(plane.to_px(xy_mm) * 8).astype(np.int32)
    cv2.polylines(picture, [points], False, colour, 1, cv2.LINE_AA, 3)


def _points(xy: NDArray[np.float64]) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in xy)
