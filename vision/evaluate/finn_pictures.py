"""Every shot of Finn Billiards that was read wrong, small, side by side."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.evaluate.finn import Verdict
from vision.failure import Failure
from vision.finn.reading import PinsReading
from vision.pictures import load_picture

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

_TRUE: Colour = (80, 200, 0)
_WRONG: Colour = (60, 60, 255)
_TEXT: Colour = (40, 40, 40)


def failures_sheet(verdicts: Sequence[Verdict], columns: int = 3, width: int = 640) -> Picture:
    """Draw each given shot after it was played.

    True places of pins whose state was read wrong are green, with the true state; where they were read is red.
    """
    tiles = [_tile(verdict, width) for verdict in verdicts]
    if not tiles:
        blank = np.full((60, columns * width, 3), 255, np.uint8)
        _write(blank, "no failures", (20, 35))
        return blank
    height = max(tile.shape[0] for tile in tiles)
    sheet = np.full((-(-len(tiles) // columns) * height, columns * width, 3), 255, np.uint8)
    for k, tile in enumerate(tiles):
        y, x = (k // columns) * height, (k % columns) * width
        sheet[y : y + tile.shape[0], x : x + width] = tile
    return sheet


def _tile(verdict: Verdict, width: int) -> Picture:
    picture = load_picture(verdict.shot.folder / "after.jpg")
    if isinstance(picture, Failure):
        picture = np.full((width * 9 // 16, width, 3), 230, np.uint8)
    factor = width / picture.shape[1]
    size = (width, max(1, round(picture.shape[0] * factor)))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    _draw_pins(small, verdict, factor)
    caption = np.full((40, width, 3), 255, np.uint8)
    accepted = "ACCEPTED " if verdict.accepted else ""
    _write(
        caption, f"{accepted}{verdict.shot.name}{'' if verdict.shot.decidable else ' (not decidable)'}", (4, 15)
    )
    _write(caption, _answer(verdict)[:100], (4, 33))
    return np.vstack([caption, small])


def _draw_pins(small: Picture, verdict: Verdict, factor: float) -> None:
    read = verdict.read
    if not isinstance(read, PinsReading):
        return
    plane = verdict.shot.setup().plane(tuple(verdict.shot.truth["size"]))
    if isinstance(plane, Failure):
        return

    def at(xy_cm: Sequence[float]) -> tuple[int, int]:
        x, y = plane.to_px(np.array([xy_cm], np.float64))[0] * factor
        return round(float(x)), round(float(y))

    for name, truth in verdict.shot.truth["after"].items():
        if name in verdict.pins_right:
            continue
        spot = at(truth["xy_cm"])
        cv2.circle(small, spot, 7, _TRUE, 1, cv2.LINE_AA)
        _write(small, f"{name} {truth['state']}", (spot[0] + 8, spot[1] - 6), _TRUE)
        pin = read.pins.get(name)
        if pin is not None and pin.xy_cm is not None:
            spot = at(pin.xy_cm)
            cv2.drawMarker(small, spot, _WRONG, cv2.MARKER_CROSS, 10, 1, cv2.LINE_AA)
            _write(small, f"{name} {pin.state}", (spot[0] + 8, spot[1] + 12), _WRONG)


def _answer(verdict: Verdict) -> str:
    if isinstance(verdict.read, Failure):
        return verdict.read.code
    codes = sorted({item.code for item in verdict.read.review})
    return f"{verdict.read.confidence:.2f} {' '.join(codes)}"


def _write(picture: Picture, text: str, at: tuple[int, int], colour: Colour = _TEXT) -> None:
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)
