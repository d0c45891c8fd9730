"""Which of the ten dark sectors is 20: boards are all painted alike but for their numbers.

The numbers decide where they can be read. Custom goes before them (boards hang with 20 at the top, cameras mostly
stand upright) and is all there is where they cannot; then the confidence says that somebody should look.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.darts.find.numbers import number_chances
from vision.geometry import PlaneMap

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomTuning:
    """How far custom goes.

    Attributes
    ----------
    upright
        Chance that an unknown camera stands upright before a board with 20 at the top. Cameras on a ring around
        the board look from anywhere.
    spread_degrees
        How far "upright" leans.
    blank
        Evidence at which numbers are as likely to be read as to be imagined: drawn boards without numbers gave -9
        to -11, real boards with all numbers half hidden -2 at least.
    """

    upright: float = 0.6
    spread_degrees: float = 6.0
    blank: float = -6.0


CUSTOM = CustomTuning()


def which_is_twenty(bgr: NDArray[np.uint8], plane: PlaneMap, tuning: CustomTuning = CUSTOM) -> tuple[int, float]:
    """Tell which sector of a board is 20.

    Parameters
    ----------
    bgr
        (H, W, 3).
    plane
        Board (first sector, light, up) to px of `bgr`.

    Returns
    -------
    int, float
        How many sectors clockwise from the first, and the chance that this is right.
    """
    custom, evidence = by_custom(plane), number_chances(bgr, plane)
    best = float(evidence.max())
    readable = 1 / (1 + np.exp(tuning.blank - best))
    chances = custom * np.exp(evidence - best)
    chances = readable * chances / chances.sum() + (1 - readable) * custom
    top = int(np.argmax(chances))
    return top, float(chances[top])


def by_custom(plane: PlaneMap, tuning: CustomTuning = CUSTOM) -> Array:
    """Give (20,) the chance of each sector, clockwise from the first, to be 20 as custom has it.

    Parameters
    ----------
    plane
        Board with the first sector (light) up; light sectors are never 20.
    """
    sectors = np.arange(20)
    bull, ends = plane.to_px([[0.0, 0.0]]), plane.to_px(_middles())
    away = ends - bull
    leaning = np.degrees(np.arctan2(away[:, 0], -away[:, 1]))
    dark = sectors % 2 == 1
    upright = tuning.upright * np.exp(-0.5 * (leaning / tuning.spread_degrees) ** 2) * dark
    upright *= min(1.0, tuning.upright / max(float(upright.sum()), 1e-12))
    return np.asarray(upright + (1 - upright.sum()) * dark / 10)


def _middles() -> Array:
    angles = np.radians(18.0 * np.arange(20))
    return np.stack([100 * np.sin(angles), 100 * np.cos(angles)], axis=1)
