"""Measures the reader of pin numbers on printed numbers: pictures of labels, named by the number they show."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.light import log_of
from vision.finn.numbers import COUNT, HALF, SIDE, Heads, read_crops

Picture = NDArray[np.uint8]

TURNS_DEG: Final = tuple(float(turn) for turn in range(0, 360, 45))
"""Each label is read turned by these."""

SHARES: Final = (0.62, 0.75, 0.9)
"""Radii that the farthest ink lies from the middle: numbers of one and of two digits on heads, small to large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitScore:
    """How many labels, at all turns; how many were read right; which were not, as true number and read."""

    labels: int
    right: int
    wrong: tuple[tuple[int, int], ...]


def measure_digits(folder: Path) -> DigitScore | Failure:
    """Read every `NN_….jpg` of a folder at all turns; `NO_PICTURES` where there is none."""
    wrong: list[tuple[int, int]] = []
    count = 0
    for path in sorted(folder.glob("[01][0-9]_*.jpg")):
        picture = cv2.imread(str(path))
        if picture is None:
            return Failure("NOT_A_PICTURE", f"{path}: cannot be read.")
        for turn in TURNS_DEG:
            number, _ = read_printed(turned(np.asarray(picture, np.uint8), turn))
            count += 1
            if number != int(path.name[:2]):
                wrong.append((int(path.name[:2]), number))
    if not count:
        return Failure("NO_PICTURES", f"{folder}: there is no label named by its number, as 07_01.jpg.")
    return DigitScore(labels=count, right=count - len(wrong), wrong=tuple(wrong))


def turned(picture: Picture, turn: float) -> Picture:
    """Turn a picture, (H, W, 3), clockwise by degrees about its middle; its edges go on outward."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -turn, 1)
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def read_printed(picture: Picture) -> tuple[int, float]:
    """Read one number in the middle of a picture, (H, W, 3) BGR, whatever way it is turned, however large.

    Returns
    -------
    int, float
        The number, 1 to 12, and its chance.
    """
    log = log_of(picture).mean(axis=2)
    middle, reach = _ink(log)
    crops = []
    for share in SHARES:
        scale = share * SIDE / 2 / HALF / reach
        offset = (SIDE - 1) / 2 - scale * middle
        matrix = np.array([[scale, 0, offset[0]], [0, scale, offset[1]]])
        smooth = cv2.GaussianBlur(log, (0, 0), max(0.3, 0.4 / scale))
        crops.append(cv2.warpAffine(smooth, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE))
    heads: Heads = read_crops(np.stack(crops).astype(np.float32))
    chances = heads.chances.sum(axis=2).mean(axis=0)
    best = int(chances.argmax())
    assert len(chances) == COUNT
    return best + 1, float(chances[best])


def _ink(log: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """Give the middle, (2,) px, of what is written around the middle of a picture, and how far it reaches."""
    height, width = log.shape
    rows, columns = np.mgrid[:height, :width]
    inner = np.hypot(columns - (width - 1) / 2, rows - (height - 1) / 2) < 0.46 * min(height, width)
    level = np.asarray(np.clip((log - log.min()) / max(float(np.ptp(log)), 1e-6) * 255, 0, 255), np.uint8)
    cut, _ = cv2.threshold(level[inner].reshape(-1, 1), 0, 255, cv2.THRESH_OTSU)
    dark = (level <= cut) & inner
    ink = _inside(dark if dark.sum() < 0.5 * inner.sum() else inner & ~dark, inner)
    points = np.column_stack([columns[ink], rows[ink]]).astype(np.float64)
    if not len(points):
        return np.array([(width - 1) / 2, (height - 1) / 2]), min(height, width) / 4
    middle = (np.quantile(points, 0.01, axis=0) + np.quantile(points, 0.99, axis=0)) / 2
    return middle, max(4.0, float(np.quantile(np.linalg.norm(points - middle, axis=1), 0.99)))


def _inside(ink: NDArray[np.bool_], inner: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Leave out of ink, (H, W), what reaches the rim of what is looked at, as a label's edge does, if more is."""
    _, parts = cv2.connectedComponents(ink.astype(np.uint8))
    rim = inner & (cv2.erode(inner.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0)
    kept = ink & ~np.isin(parts, np.unique(parts[rim]))
    return kept if kept.any() else ink
