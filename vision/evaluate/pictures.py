"""Pictures of a measurement: how honest the confidences are, and every failure."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.reading import DartsReading
from vision.evaluate.darts import Verdict
from vision.failure import Failure
from vision.pictures import load_picture

Picture = NDArray[np.uint8]

_TRUE, _READ, _TEXT, _GRID = (80, 200, 0), (60, 60, 255), (40, 40, 40), (210, 210, 210)


def reliability(verdicts: Sequence[Verdict], bins: int = 10) -> list[tuple[float, float, int]]:
    """Give, for each tenth of confidence that occurs: mean confidence, share right, pictures."""
    read = [v for v in verdicts if isinstance(v.read, DartsReading)]
    place = [min(bins - 1, int(v.confidence * bins)) for v in read]
    rows = []
    for k in range(bins):
        own = [v for v, p in zip(read, place, strict=True) if p == k]
        if own:
            mean = float(np.mean([v.confidence for v in own]))
            rows.append((mean, float(np.mean([v.right for v in own])), len(own)))
    return rows


def reliability_diagram(verdicts: Sequence[Verdict], size: int = 480) -> Picture:
    """Draw confidence against the share that was right: honest ones lie on the diagonal."""
    margin = 50
    picture = np.full((size + 2 * margin, size + 2 * margin, 3), 255, np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return round(margin + x * size), round(margin + (1 - y) * size)

    for step in np.linspace(0, 1, 6):
        cv2.line(picture, at(step, 0), at(step, 1), _GRID, 1)
        cv2.line(picture, at(0, step), at(1, step), _GRID, 1)
        _write(picture, f"{step:.1f}", (at(step, 0)[0] - 10, margin + size + 20))
        _write(picture, f"{step:.1f}", (margin - 38, at(0, step)[1] + 5))
    cv2.line(picture, at(0, 0), at(1, 1), _GRID, 2)
    for confidence, right, count in reliability(verdicts):
        cv2.circle(picture, at(confidence, right), int(4 + 2 * np.sqrt(count)), _READ, 2, cv2.LINE_AA)
        _write(picture, str(count), (at(confidence, right)[0] + 8, at(confidence, right)[1] - 8))
    _write(picture, "confidence", (margin + size // 2 - 40, size + 2 * margin - 10))
    _write(picture, "share right", (10, margin - 18))
    return picture


def contact_sheet(verdicts: Sequence[Verdict], columns: int = 4, width: int = 400) -> Picture:
    """Draw every given picture small: labelled tips green, those read red with their segments."""
    tiles = [_tile(v, width) for v in verdicts]
    if not tiles:
        blank = np.full((60, columns * width, 3), 255, np.uint8)
        _write(blank, "no failures", (20, 35))
        return blank
    height = max(tile.shape[0] for tile in tiles)
    rows = -(-len(tiles) // columns)
    sheet = np.full((rows * height, columns * width, 3), 255, np.uint8)
    for k, tile in enumerate(tiles):
        y, x = (k // columns) * height, (k % columns) * width
        sheet[y : y + tile.shape[0], x : x + width] = tile
    return sheet


def _tile(verdict: Verdict, width: int) -> Picture:
    picture = load_picture(verdict.case.image)
    if isinstance(picture, Failure):
        picture = np.full((width * 3 // 4, width, 3), 230, np.uint8)
    factor = width / picture.shape[1]
    size = (width, max(1, round(picture.shape[0] * factor)))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    for x, y in verdict.case.tips_px or ():
        cv2.circle(small, (round(x * factor), round(y * factor)), 6, _TRUE, 1, cv2.LINE_AA)
    if isinstance(verdict.read, DartsReading):
        for dart in verdict.read.darts:
            x, y = (round(v * factor) for v in dart.tip_px)
            cv2.drawMarker(small, (x, y), _READ, cv2.MARKER_CROSS, 10, 1, cv2.LINE_AA)
            _write(small, f"{dart.segment} {dart.confidence:.2f}", (x + 6, y - 6), _READ)
    caption = np.full((44, width, 3), 255, np.uint8)
    _write(
        caption, f"{'ACCEPTED ' if verdict.accepted else ''}{verdict.case.group} {verdict.case.name}"[:60], (4, 16)
    )
    _write(caption, f"true {_truth(verdict)}, read {_answer(verdict)}"[:70], (4, 36))
    return np.vstack([caption, small])


def _truth(verdict: Verdict) -> str:
    case = verdict.case
    return " ".join(case.segments) or "none" if case.segments is not None else f"{case.darts} darts"


def _answer(verdict: Verdict) -> str:
    if isinstance(verdict.read, Failure):
        return verdict.read.code
    return " ".join(dart.segment for dart in verdict.read.darts) or "none"


def _write(picture: Picture, text: str, at: tuple[int, int], colour: tuple[int, int, int] = _TEXT) -> None:
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA)
