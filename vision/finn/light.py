"""Two pictures of one scene made comparable: aligned, in one light, in logarithms; and what changed."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

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
class Pair:
    """Before and after.

    Attributes
    ----------
    before, after
        (H, W, 3) float32 logarithms of brightness; `after` aligned to `before` and in its light.
    picture
        (H, W, 3) BGR after, aligned.
    change
        (H, W) float32, largest difference of the three channels.
    noise
        Its usual size where nothing changed.
    shift_px
        By how far the picture had moved.
    """

    before: Floats
    after: Floats
    picture: Picture
    change: Floats
    noise: float
    shift_px: tuple[float, float]


def log_of(picture: Picture) -> Floats:
    """Give the logarithm of a picture, smoothed against noise."""
    return np.asarray(cv2.LUT(cv2.GaussianBlur(picture, (0, 0), LIMITS.smooth_px), _LOG), np.float32)


_LOG: Final = np.log(np.arange(256, dtype=np.float32) + np.float32(LIMITS.dark)).reshape(1, 256)


def compared(before: Picture, after: Picture) -> Pair | Failure:
    """Align and compare two pictures, (H, W, 3) BGR; `CAMERA_MOVED` if they show no one scene."""
    shift = _shift(before, after)
    limit = LIMITS.most_shift_px * before.shape[1] / 1280
    if max(map(abs, shift)) > limit:
        shift = (0.0, 0.0)
    picture = _moved(after, shift) if max(map(abs, shift)) > LIMITS.least_shift_px else after
    first, second = log_of(before), log_of(picture)
    second += np.median((first[::4, ::4] - second[::4, ::4]).reshape(-1, 3), axis=0).astype(np.float32)
    blue, green, red = cv2.split(cv2.absdiff(first, second))
    change = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    share = float(np.mean(change[::2, ::2] > LIMITS.changed))
    if share > LIMITS.other_share:
        return Failure(
            "SCENE_CHANGED",
            f"{share:.0%} of the picture changed: a hand or a person is in it, the camera moved or the light did.",
        )
    return Pair(
        before=first,
        after=second,
        picture=picture,
        change=change,
        noise=float(np.median(change[::3, ::3])),
        shift_px=shift,
    )


def _shift(before: Picture, after: Picture) -> tuple[float, float]:
    """Give by how far, (x, y) px, the picture moved, by phase correlation of edges."""
    edges = []
    for picture in (before, after):
        grey = cv2.resize(
            cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA
        )
        edges.append(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 0.9), cv2.CV_32F))
    window = cv2.createHanningWindow((edges[0].shape[1], edges[0].shape[0]), cv2.CV_32F)
    (x, y), _ = cv2.phaseCorrelate(edges[0], edges[1], window)
    return 2 * float(x), 2 * float(y)


def _moved(picture: Picture, shift: tuple[float, float]) -> Picture:
    matrix = np.array([[1, 0, -shift[0]], [0, 1, -shift[1]]], np.float64)
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)
