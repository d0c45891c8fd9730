"""From a picture of a board to a SETUP and a drawing of it: found, by points of a hand, or as given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.calibration import (
    draw_lines,
    draw_points,
    setup_by_markers,
    setup_by_points,
    setup_of,
    setup_of_table,
    turned_to,
    with_layout,
)
from vision.darts.find import board_from_setup, find_board
from vision.failure import Failure
from vision.setup import Setup, format_setup, parse_setup

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibrated:
    """A SETUP as JSON, sentences on what to look at before playing, and the board drawn over the picture."""

    setup: Mapping[str, Any]
    to_check: Sequence[str]
    drawn: Picture


def calibrated(bgr: Picture, asked: Mapping[str, Any]) -> Calibrated | Failure:
    """Calibrate a board.

    Parameters
    ----------
    bgr
        (H, W, 3).
    asked
        `game`; `setup`: only to be drawn; `points_px`, `known`: placed by hand; `twenty`: a pixel in the sector of
        20; `base`: the board's present SETUP, whose table is kept.

    Returns
    -------
    Calibrated or Failure
        What finding a board or markers may say, `BAD_POINTS`, `BAD_SETUP`, `WRONG_GAME`, `NOT_20`.
    """
    game = asked["game"]
    if asked.get("setup") is not None:
        return _given(bgr, game, asked["setup"])
    if asked.get("points_px") is not None:
        return _by_points(bgr, asked)
    if game != "cricket":
        table = setup_of_table(bgr) if game == "astrolabe" else setup_by_markers(game, bgr)
        return table if isinstance(table, Failure) else _on_table(bgr, table, asked)
    fit = find_board(bgr)
    if isinstance(fit, Failure):
        return fit
    if asked.get("twenty") is not None:
        x, y = asked["twenty"]
        turned = turned_to(fit, (x, y))
        if isinstance(turned, Failure):
            return turned
        fit = turned
    setup = setup_of(fit, _size(bgr))
    return _of(setup, draw_lines(bgr, fit))


def _by_points(bgr: Picture, asked: Mapping[str, Any]) -> Calibrated | Failure:
    points = [(x, y) for x, y in asked["points_px"]]
    known = [(x, y) for x, y in asked["known"]] if asked.get("known") is not None else None
    setup = setup_by_points(asked["game"], _size(bgr), points, known)
    return setup if isinstance(setup, Failure) else _on_table(bgr, setup, asked)


def _on_table(bgr: Picture, setup: Setup, asked: Mapping[str, Any]) -> Calibrated:
    """Put a board in its place, with the table as the present SETUP has it."""
    base = parse_setup(asked["base"]) if asked.get("base") is not None else None
    if isinstance(base, Setup) and base.game == setup.game:
        setup = replace(
            base,
            image_size=setup.image_size,
            board_px=setup.board_px,
            board_xy=setup.board_xy,
            notes=setup.notes,
        )
    setup = with_layout(setup, bgr)
    return _of(setup, _drawn(bgr, setup))


def _given(bgr: Picture, game: str, value: Mapping[str, Any]) -> Calibrated | Failure:
    setup = parse_setup(value)
    if isinstance(setup, Failure):
        return setup
    if setup.game != game:
        return Failure("WRONG_GAME", f"This is a board of {game}, the SETUP is for {setup.game}.")
    plane = setup.plane(_size(bgr))
    if isinstance(plane, Failure) and plane.code != "NO_POINTS":
        return plane
    return _of(setup, _drawn(bgr, setup))


def _drawn(bgr: Picture, setup: Setup) -> Picture:
    """Draw rings and sectors of a dartboard, the outline of a table."""
    if setup.game == "cricket":
        board = board_from_setup(setup, bgr)
        if not isinstance(board, Failure):
            return draw_lines(bgr, board)
    if not setup.board_px:
        return bgr
    factor = _size(bgr)[0] / setup.image_size[0]
    return draw_points(bgr, replace(setup, board_px=tuple((factor * x, factor * y) for x, y in setup.board_px)))


def _of(setup: Setup, drawn: Picture) -> Calibrated:
    return Calibrated(setup=format_setup(setup), to_check=tuple(setup.notes.get("to_check", ())), drawn=drawn)


def _size(bgr: Picture) -> tuple[int, int]:
    return bgr.shape[1], bgr.shape[0]
