"""Two pictures of one scene made comparable: aligned, in one light, in logarithms; and what changed."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes import moved, shift_of_edges
from vision.failure import Failure

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class LightLimits:
    """How alike two pictures of one scene are.

    Attributes
    ----------
    dark
        Levels added before the logarithm; noise rules below.
    smooth_px
        Blur before comparing: JPEG and noise live at one pixel.
    most_shift_px
        A tripod that was touched moves the picture so far at most (at 1280 px); it is moved back. More is another
        view.
    least_shift_px
        Less is the error of the measurement.
    changed
        Difference of logarithms of a pixel that shows something else. Still renders differ by 0.01 to 0.06,
        webcams by up to 0.08.
    other_share
        More of the picture than this changed: a person, a hand, or another view.
    """

    dark: float = 16.0
    smooth_px: float = 0.8
    most_shift_px: float = 6.0
    least_shift_px: float = 0.25
    changed: float = 0.12
    other_share: float = 0.2


LIMITS: Final = LightLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Still:
    """A picture made ready for others to be compared with.

    Attributes
    ----------
    picture
        (H, W, 3) BGR.
    log
        (H, W, 3) float32 logarithms of brightness.
    half
        Every second pixel of that, either way.
    edges
        (H / 2, W / 2) float32, by which it is seen how far another picture has moved.
    """

    picture: Picture
    log: Floats
    half: Floats
    edges: Floats


def still_of(picture: Picture) -> Still:
    """Make a picture, (H, W, 3) BGR, ready."""
    log = log_of(picture)
    half = np.ascontiguousarray(log[::2, ::2])
    return Still(picture=picture, log=log, half=half, edges=_half_edges(picture))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pair:
    """Before and after.

    Attributes
    ----------
    before, after
        (H, W, 3) float32 logarithms of brightness; `after` aligned to `before` and in its light.
    picture
        (H, W, 3) BGR after, aligned.
    then, now
        Every second pixel of `before` and `after`, either way.
    change
        (H / 2, W / 2) float32, largest difference of the three channels of those.
    shift_px
        By how far the picture had moved.
    """

    before: Floats
    after: Floats
    picture: Picture
    then: Floats
    now: Floats
    change: Floats
    shift_px: tuple[float, float]


def log_of(picture: Picture) -> Floats:
    """Give the logarithm of a picture, smoothed against noise."""
    return np.asarray(cv2.LUT(_smooth(picture), _LOG), np.float32)


def _smooth(picture: Picture) -> Picture:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), LIMITS.smooth_px), np.uint8)


_LOG: Final = np.log(np.arange(256, dtype=np.float32) + np.float32(LIMITS.dark)).reshape(1, 256)


def in_light_of(before: Floats, after: Picture, logs: Floats) -> Floats:
    """Give the table, (1, 256, 3), that looks up a picture in the light of one before.

    It adds to `logs`, (1, 256), the median difference of the three channels between `before`, (H, W, 3) as those
    give it, and `after`, (H, W, 3) levels; every few pixels of both are enough. To look the light's change up with
    the logarithm takes a third of the time of adding it pixel by pixel.
    """
    other = (before - cv2.LUT(after, logs)).reshape(-1, 3)
    light = np.median(np.ascontiguousarray(other.T), axis=1).astype(np.float32)
    return np.ascontiguousarray((logs.reshape(256, 1) + light)[None])


def grey_of(log: Floats) -> Floats:
    """Give the mean of the three channels of logarithms, (H, W, 3): (H, W)."""
    return np.asarray(cv2.transform(log, _GREY), np.float32)


_GREY: Final = np.full((1, 3), 1 / 3, np.float32)


def compared(before: Still, after: Picture) -> Pair | Failure:
    """Align and compare a picture, (H, W, 3) BGR, with one before; `SCENE_CHANGED` if they show no one scene."""
    shift = _shift(before.edges, _half_edges(after))
    limit = LIMITS.most_shift_px * after.shape[1] / 1280
    if max(map(abs, shift)) > limit:
        shift = (0.0, 0.0)
    picture = moved(after, (-shift[0], -shift[1])) if max(map(abs, shift)) > LIMITS.least_shift_px else after
    smooth = _smooth(picture)
    half = np.ascontiguousarray(smooth[::2, ::2])
    levels = in_light_of(before.half[::2, ::2], half[::2, ::2], _LOG)
    now = np.asarray(cv2.LUT(half, levels), np.float32)
    blue, green, red = cv2.split(cv2.absdiff(before.half, now))
    change = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    share = float(np.mean(change > LIMITS.changed))
    if share > LIMITS.other_share:
        return Failure(
            "SCENE_CHANGED",
            f"{share:.0%} of the picture changed: a hand or a person is in it, the camera moved or the light did.",
        )
    return Pair(
        before=before.log,
        after=np.asarray(cv2.LUT(smooth, levels), np.float32),
        picture=picture,
        then=before.half,
        now=now,
        change=change,
        shift_px=shift,
    )


def _half_edges(picture: Picture) -> Floats:
    grey = cv2.resize(
        cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA
    )
    return np.asarray(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 0.9), cv2.CV_32F), np.float32)


def _shift(before: Floats, after: Floats) -> tuple[float, float]:
    """Give by how far, (x, y) px, the picture moved, by phase correlation of edges of half the size."""
    x, y = shift_of_edges(after, before)
    return 2 * x, 2 * y
