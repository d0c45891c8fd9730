"""The search from a picture to a board: rays, fan, first homography, fit, verdict."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.find.pencil import Pencil, best_pencil
from vision.darts.find.polish import polish
from vision.darts.find.rays import bull_candidates, straight_edges
from vision.darts.find.refine import close_in, finish
from vision.darts.find.start import Start, first_boards
from vision.darts.find.support import Fit, Support, plausibility
from vision.failure import Failure
from vision.geometry import PlaneMap

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTuning:
    """At which sizes a picture is searched, and what counts as a board.

    Attributes
    ----------
    sides_px
        Longer side of the picture for the search; the larger only where the smaller shows no board.
    fit_side_px
        Longer side for the fit.
    least_fan
        Pencil score. Boards reached 1.55 to 3.0, the luckiest clutter on real pictures 0.7.
    least_start
        Start score. Boards 1.0 to 1.5, clutter up to 0.6.
    starts, beyond_doubt
        First boards that are fitted, until one is this plausible (see `plausibility`): the best fit is taken.
    least_seen, least_weakest, least_areas
        See `Support`. Right fits reached 0.85, 0.76 and 0.90 in the worst case (six darts in the board, a flat
        view); fits that were a centimetre off somewhere stayed below 0.85, 0.8 and 0.7, never high in all three.
    most_residual_mm
        Boards 0.4 to 0.9; steps by chance within the window of 2 mm give 1.1.
    """

    sides_px: tuple[int, ...] = (800, 1500)
    fit_side_px: int = 1600
    least_fan: float = 1.1
    least_start: float = 0.75
    starts: int = 4
    beyond_doubt: float = 2.9
    least_seen: float = 0.8
    least_weakest: float = 0.5
    least_areas: float = 0.75
    most_residual_mm: float = 1.05


SEARCH = SearchTuning()


def search(bgr: Picture, tuning: SearchTuning = SEARCH) -> tuple[Fit, Support] | Failure:
    """Find the board of a picture (H, W, 3), but for its numbers: the first (light) sector is up.

    Returns
    -------
    (Fit, Support) or Failure
        `NO_BOARD` with what was seen instead.
    """
    luma = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    longer = max(luma.shape)
    seen: list[str] = []
    for side in tuning.sides_px:
        if seen and longer <= tuning.sides_px[0]:
            break
        factor = min(1.0, side / longer)
        starts = _starts(_resized(luma, factor), tuning)
        if isinstance(starts, Failure):
            seen.append(starts.message)
            continue
        found = _fit(bgr, [PlaneMap(homography=start.homography).scaled(1 / factor) for start in starts], tuning)
        if not isinstance(found, Failure):
            return found
        seen.append(found.message)
    return Failure("NO_BOARD", f"No dartboard was found: {seen[-1]}.")


def _starts(luma: Picture, tuning: SearchTuning) -> list[Start] | Failure:
    edges = straight_edges(luma)
    points = bull_candidates(edges, (luma.shape[1], luma.shape[0]))
    pencils = [best_pencil(luma, edges, point) for point in points]
    if not pencils:
        return Failure(
            "NO_BOARD", "the picture has no straight edges that meet in a point, as a board's sectors do"
        )
    best: Pencil = max(pencils, key=lambda pencil: pencil.score)
    if best.score < tuning.least_fan:
        x, y = best.centre
        return Failure(
            "NO_BOARD",
            f"most edges meet at ({x:.0f}, {y:.0f}), but no twenty light and dark sectors fan out there"
            f" ({best.score:.2f}, boards reach {tuning.least_fan:.2f})",
        )
    starts = first_boards(luma, best)
    if starts[0].score < tuning.least_start:
        x, y = best.centre
        return Failure(
            "NO_BOARD",
            f"sectors fan out around ({x:.0f}, {y:.0f}), but no treble and double rings lie around them"
            f" ({starts[0].score:.2f}, boards reach {tuning.least_start:.2f})",
        )
    return [polish(luma, start) for start in starts[: tuning.starts]]


def _fit(bgr: Picture, planes: list[PlaneMap], tuning: SearchTuning) -> tuple[Fit, Support] | Failure:
    factor = min(1.0, tuning.fit_side_px / max(bgr.shape[:2]))
    picture = _resized(bgr, factor)
    fits: list[tuple[Fit, Support]] = []
    for plane in planes:
        fits.append(close_in(picture, plane.scaled(factor).homography))
        if plausibility(fits[-1]) > tuning.beyond_doubt:
            break
    fit, support = finish(picture, max(fits, key=plausibility))
    if (
        support.seen < tuning.least_seen
        or support.weakest < tuning.least_weakest
        or support.areas < tuning.least_areas
        or support.residual_mm > tuning.most_residual_mm
    ):
        return Failure(
            "NO_BOARD",
            f"something like a board was seen, but only {support.seen:.0%} of its lines and {support.areas:.0%} of"
            " its light and dark areas are where a board has them",
        )
    full = Fit(plane=fit.plane.scaled(1 / factor), rings=fit.rings, shrink_mm=fit.shrink_mm)
    return full, support.scaled(1 / factor)


def _resized(picture: Picture, factor: float) -> Picture:
    if factor >= 1:
        return picture
    smaller = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, dtype=np.uint8)
