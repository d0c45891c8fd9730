"""The two colours of balls: what a ball looks like, what is taught, how far apart two are, which one a ball is.

A colour is told by what a change of the light leaves as it is. Brighter or darker light scales all channels, light
that the ball mirrors adds to all of them: the hue survives both, saturation and brightness only roughly. So the
tolerances below are narrow for hue and wide for the rest, and hue counts the less the greyer or darker a colour
is. What another light does to the whole picture is taken out before (`vision.astrolabe.light`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ColourLimits:
    """How far one colour may wander with the light, as standard deviations, and when two are too near.

    Attributes
    ----------
    hue_deg
        Of a saturated colour.
    chroma_levels
        Uncertainty of the two colour differences themselves (mirrored surroundings, noise, JPEG): what it does to
        the hue grows as colours get greyer.
    saturation
        Of a share from 0 to 1.
    brightness
        Of its natural logarithm: 0.35 is 40 %.
    dark_saturation, dark_brightness
        Levels added below the line: near black neither says anything.
    spread
        Share of the variance among the balls that taught a colour that is added to these; the rest of it is in
        them already.
    near
        Two colours less than this apart, in standard deviations, cannot be told in every light.
    same_hue, near_of_hue
        Colours whose hues are nearer than this, in standard deviations, are told by saturation and brightness
        alone, which wander most: they have to be this far apart in these two. Red, brown and pink balls of one set
        are 1 to 4.7 apart there in each light they were measured in.
    coloured
        Chroma, levels, from which on a colour has a hue to speak of.
    core
        A ball's colour is the median of its pixels from here to here in the order of brightness: without the
        highlight and without the shade.
    """

    hue_deg: float = 3.0
    chroma_levels: float = 12.0
    saturation: float = 0.15
    brightness: float = 0.35
    dark_saturation: float = 12.0
    dark_brightness: float = 20.0
    spread: float = 0.5
    near: float = 1.5
    same_hue: float = 5.0
    near_of_hue: float = 5.0
    coloured: float = 36.0
    core: tuple[float, float] = (0.2, 0.6)


LIMITS: Final = ColourLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shade:
    """The colour of one ball.

    Attributes
    ----------
    bgr
        (3,) levels, what it was made from.
    hue
        Radians.
    chroma
        Levels, distance from grey.
    saturation
        Chroma over brightness.
    brightness
        Natural logarithm of levels.
    """

    bgr: tuple[float, float, float]
    hue: float
    chroma: float
    saturation: float
    brightness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A side's colour.

    Attributes
    ----------
    shade
        Of the balls that taught it, in the middle.
    hue_var, saturation_var, brightness_var
        Their variance around it.
    """

    shade: Shade
    hue_var: float = 0.0
    saturation_var: float = 0.0
    brightness_var: float = 0.0


def shade_of(bgr: ArrayLike) -> Shade:
    """Describe a colour of (3,) BGR levels."""
    blue, green, red = (float(v) for v in np.asarray(bgr, dtype=np.float64))
    across, along = red - 0.5 * (green + blue), np.sqrt(0.75) * (green - blue)
    chroma = float(np.hypot(across, along))
    top = max(blue, green, red)
    return Shade(
        bgr=(blue, green, red),
        hue=float(np.arctan2(along, across)),
        chroma=chroma,
        saturation=chroma / (top + LIMITS.dark_saturation),
        brightness=float(np.log(top + LIMITS.dark_brightness)),
    )


def core_bgr(pixels: ArrayLike) -> Array:
    """Give the (3,) colour of a ball from its (N, 3) BGR pixels, N >= 1: highlight and shade left out."""
    values = np.asarray(pixels, dtype=np.float64).reshape(-1, 3)
    order = np.argsort(values.sum(axis=1), kind="stable")
    first, last = (int(share * len(order)) for share in LIMITS.core)
    return np.asarray(np.median(values[order[first : max(last, first + 1)]], axis=0))


def teach(balls: Sequence[Shade]) -> Taught:
    """Learn a side's colour from one ball or more."""
    middle = shade_of(np.median([ball.bgr for ball in balls], axis=0))
    return Taught(
        shade=middle,
        hue_var=_mean_square(_turn(ball.hue - middle.hue) for ball in balls),
        saturation_var=_mean_square(ball.saturation - middle.saturation for ball in balls),
        brightness_var=_mean_square(ball.brightness - middle.brightness for ball in balls),
    )


def strangeness(ball: Shade, side: Taught) -> float:
    """Give how badly a ball fits a side's colour: squared standard deviations over the three, and their widths.

    Comparable between sides (twice a negative logarithm of likelihood, up to a constant that they share).
    """
    hue, saturation, brightness = _squares(ball, side)
    wide = [
        1 + LIMITS.spread * side.saturation_var / LIMITS.saturation**2,
        1 + LIMITS.spread * side.brightness_var / LIMITS.brightness**2,
    ]
    return hue + saturation + brightness + float(np.log(wide[0]) + np.log(wide[1]))


def apart(one: Taught, other: Taught) -> float:
    """Give how far two colours are from each other, in standard deviations of what light does to one."""
    return float(np.sqrt(min(sum(_squares(one.shade, other)), sum(_squares(other.shade, one)))))


def too_near(one: Taught, other: Taught) -> bool:
    """Say whether two colours may be taken for each other when the light changes."""
    if apart(one, other) < LIMITS.near:
        return True
    coloured = min(one.shade.chroma, other.shade.chroma) >= LIMITS.coloured
    same_hue = abs(_turn(one.shade.hue - other.shade.hue)) < LIMITS.same_hue * np.deg2rad(LIMITS.hue_deg)
    plain = Taught(shade=other.shade)
    beside_hue = float(np.sqrt(sum(_squares(one.shade, plain)[1:])))
    return bool(coloured and same_hue and beside_hue < LIMITS.near_of_hue)


def _squares(ball: Shade, side: Taught) -> tuple[float, float, float]:
    mine = side.shade
    grey = LIMITS.chroma_levels / max(1.0, float(np.sqrt(ball.chroma * mine.chroma)))
    hue_var = np.deg2rad(LIMITS.hue_deg) ** 2 + grey**2 + (LIMITS.spread * side.hue_var if grey < 1 else 0.0)
    return (
        float(_turn(ball.hue - mine.hue) ** 2 / hue_var),
        (ball.saturation - mine.saturation) ** 2 / (LIMITS.saturation**2 + LIMITS.spread * side.saturation_var),
        (ball.brightness - mine.brightness) ** 2 / (LIMITS.brightness**2 + LIMITS.spread * side.brightness_var),
    )


def _turn(angle: float) -> float:
    return float(np.angle(np.exp(1j * angle)))


def _mean_square(values: Iterable[float]) -> float:
    return float(np.mean([value**2 for value in values]))
