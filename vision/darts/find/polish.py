"""A first homography made better where it is poor: flat views, glare, thick frames between sectors.

The same pattern of light and dark as in `start`, but for all eight freedoms of the view and near the borders of
the sectors too. There are no slopes to follow between areas, so the search is by samples: draw views around the
best, keep the best of them, draw closer (cross-entropy method). The draws are the same on every run.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import on_board
from vision.darts.find.pencil import ALTERNATING
from vision.darts.find.start import START, Start, StartTuning, area_scores
from vision.geometry import facing

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolishTuning:
    """How the samples close in.

    Attributes
    ----------
    good
        Starts that score this are good enough for the fit as they are.
    draws, kept, rounds
        Views drawn in a round, kept of them, and rounds.
    spread
        First spread of the eight freedoms, in units of the board's radius: 5 mm at the rim.
    aside_degrees
        Where areas are looked at, from the middle of a sector.
    """

    good: float = 1.46
    draws: int = 72
    kept: int = 12
    rounds: int = 14
    spread: float = 0.03
    aside_degrees: tuple[float, ...] = (-6.0, -2.0, 2.0, 6.0)


POLISH = PolishTuning()
_EDGE_MM = 170.0
_UNIT = np.diag([1 / _EDGE_MM, 1 / _EDGE_MM, 1.0])


def polish(
    luma: NDArray[np.uint8], start: Start, tuning: PolishTuning = POLISH, areas: StartTuning = START
) -> Start:
    """Give a better first board in a luma picture (H, W) where the present one is poor."""
    if start.score >= tuning.good:
        return start
    smooth = np.asarray(cv2.blur(luma, (3, 3)), dtype=np.uint8)
    rng = np.random.default_rng(170)
    middle, spread = np.zeros(8), np.full(8, tuning.spread)
    for _ in range(tuning.rounds):
        draws = middle + spread * rng.standard_normal((tuning.draws, 8))
        draws[0] = middle
        scores = _scores(smooth, start.homography, draws, tuning, areas)
        best = draws[np.argsort(-scores, kind="stable")[: tuning.kept]]
        middle, spread = best.mean(axis=0), 0.7 * best.std(axis=0) + 0.3 * spread
        spread = np.minimum(spread, tuning.spread)
    final = facing(start.homography @ _changes(middle[None])[0], (0, 0))
    return Start(homography=np.asarray(final), score=start.score)


def _changes(freedoms: Array) -> Array:
    """Give (N, 3, 3) small homographies of the board onto itself."""
    entries = np.concatenate([freedoms, np.zeros((len(freedoms), 1))], axis=1).reshape(-1, 3, 3)
    return np.asarray(np.linalg.inv(_UNIT) @ (np.eye(3) + entries) @ _UNIT)


def _scores(
    luma: NDArray[np.uint8], homography: Array, draws: Array, tuning: PolishTuning, areas: StartTuning
) -> Array:
    radii = np.array([*areas.single_mm, *areas.ring_mm, *areas.outside_mm])
    angles = 18.0 * np.arange(20)[:, None] + np.array(tuning.aside_degrees)
    points = on_board(radii, angles[:, :, None]).reshape(-1, 2)
    views = homography @ _changes(draws)
    mapped = views[:, :, :2] @ points.T + views[:, :, 2:]
    depth = np.maximum(mapped[:, 2], 1e-6)
    shape = (len(draws), *angles.shape, len(radii))
    x, y = (mapped[:, 0] / depth).reshape(shape), (mapped[:, 1] / depth).reshape(shape)
    scores = [
        area_scores(luma, x[:, :, aside], y[:, :, aside], ALTERNATING, areas) for aside in range(angles.shape[1])
    ]
    return np.asarray(np.mean(scores, axis=0))
