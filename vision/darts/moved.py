"""A camera or board that was bumped: where the board is now, or that nobody knows."""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from vision.darts.find import BoardFit, find_board
from vision.failure import Failure
from vision.geometry import PlaneMap
from vision.phases import Scene

NOTICED_MM: Final = 0.4
"""Less than this is within what reading a tip allows for, and pictures are aligned before they are compared."""

FOLLOWED_MM: Final = 25.0
"""Up to this the board is shifted when it cannot be found anew; beyond it, perspective changes too."""

SECTOR_DEGREES: Final = 18.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMove:
    """What became of the board.

    Attributes
    ----------
    board
        Where it is now, or None: scoring pauses until it is found.
    moved_mm
        How far its bull moved, mm of the old board; None if that is not known.
    doubted
        It was followed, not found anew: what is scored from now on asks for a look.
    """

    board: BoardFit | None
    moved_mm: float | None
    doubted: bool

    def to_json(self) -> dict[str, Any]:
        """Give the data of the event."""
        return {
            "moved_mm": None if self.moved_mm is None else round(self.moved_mm, 2),
            "found": self.board is not None and not self.doubted,
        }

    def review(self) -> tuple[str, ...]:
        """Give the codes of what a person should look at."""
        if self.board is None:
            return ("BOARD_LOST",)
        return ("BOARD_FOLLOWED",) if self.doubted else ()


def board_after(board: BoardFit, scene: Scene) -> BoardMove | None:
    """Find the board after the whole picture moved; None if it moved too little to matter."""
    bull = board.plane.to_px([[0.0, 0.0]])
    shift_px = None if scene.shift is None else np.array(scene.shift) * scene.region.factor
    moved = None if shift_px is None else _millimetres(board, bull, bull + shift_px)
    if moved is not None and moved < NOTICED_MM:
        return None
    found = find_board(scene.after.bgr())
    if not isinstance(found, Failure):
        same = _same_way_up(found, board, shift_px)
        return BoardMove(
            board=same, moved_mm=_millimetres(board, bull, same.plane.to_px([[0.0, 0.0]])), doubted=False
        )
    if shift_px is None or moved is None or moved > FOLLOWED_MM:
        return BoardMove(board=None, moved_mm=moved, doubted=True)
    followed = replace(board, plane=_shifted(board.plane, shift_px))
    return BoardMove(board=followed, moved_mm=moved, doubted=True)


def _millimetres(board: BoardFit, old_px: np.ndarray[Any, Any], new_px: np.ndarray[Any, Any]) -> float:
    return float(np.linalg.norm(board.plane.to_board(new_px) - board.plane.to_board(old_px)))


def _shifted(plane: PlaneMap, shift_px: np.ndarray[Any, Any]) -> PlaneMap:
    """Move the board in the picture; a lens stays where it is, so the move is made before its distortion."""
    move = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]], [0, 0, 1]], np.float64)
    return replace(plane, homography=move @ plane.homography)


def _same_way_up(found: BoardFit, old: BoardFit, shift_px: np.ndarray[Any, Any] | None) -> BoardFit:
    """Turn a board found anew so that 20 is where it was: a bump does not turn a board by a sector."""
    top = np.array([[0.0, 170.0]])
    expected = old.plane.to_px(top) + (0 if shift_px is None else shift_px)
    ways = [found.plane.turned(SECTOR_DEGREES * step) for step in range(20)]
    distances = [float(np.linalg.norm(way.to_px(top) - expected)) for way in ways]
    best = ways[int(np.argmin(distances))]
    return replace(found, plane=best, rings=old.rings, orientation_confidence=old.orientation_confidence)
