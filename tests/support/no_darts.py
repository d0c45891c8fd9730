"""Things that are no darts, drawn before a board: discs, bars, fingers, insects, leaves, what falls off darts."""

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Outline = NDArray[np.float64]


def _box(length: float, width: float) -> Outline:
    return np.array([[0, -width / 2], [length, -width / 2], [length, width / 2], [0, width / 2]])


def _oval(length: float, width: float) -> Outline:
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    return np.column_stack([length / 2 * (1 - np.cos(turn)), width / 2 * np.sin(turn)])


OUTLINES_MM: dict[str, Outline] = {
    "disc of 8 mm": _oval(8, 8),
    "disc of 14 mm": _oval(14, 14),
    "disc of 30 mm": _oval(30, 30),
    "bar": _box(90, 20),
    "broad bar": _box(160, 73),
    "straw": _box(90, 6),
    "pencil": np.array([[0, 0], [12, -3.5], [150, -3.5], [150, 3.5], [12, 3.5]]),
    "finger": np.vstack([_oval(16, 16)[6:18], [[600, 9], [600, -9]]])[::-1],
    "insect": _oval(9, 5),
    "leaf": _oval(70, 34),
    "dropped flight": np.array([[0, 0], [10, -17], [38, -17], [45, 0], [38, 17], [10, 17]]),
    "fallen shaft": np.array([[0, -3.5], [45, -3.5], [45, -2], [80, -2], [80, 2], [45, 2], [45, 3.5], [0, 3.5]]),
    "sticker": _box(40, 20),
    "long sticker": _box(70, 25),
}
"""(N, 2) mm each, from where it lies to the right."""


def lay(  # noqa: PLR0917 - a thing, where it lies, and how it looks
    picture: Picture,
    outline_mm: Outline,
    at_px: tuple[float, float],
    turn: float,
    px_mm: float,
    colour: tuple[int, int, int],
) -> Picture:
    """Draw a thing flat before the board, turned by `turn` radians."""
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array(at_px) + px_mm * outline_mm @ spin.T
    drawn = picture.copy()
    cv2.fillPoly(drawn, [np.round(corners * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(drawn, (0, 0), 0.6), np.uint8)


def shade(picture: Picture, outline_mm: Outline, at_px: tuple[float, float], turn: float, px_mm: float) -> Picture:
    """Take half of the light away inside an outline, with a soft edge: somebody's shadow."""
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array(at_px) + px_mm * outline_mm @ spin.T
    left = np.ones(picture.shape[:2], np.float32)
    cv2.fillPoly(left, [np.round(corners).astype(np.int32)], (0.5,))
    left = np.asarray(cv2.GaussianBlur(left, (0, 0), 3.0), np.float32)
    return np.asarray(np.clip(picture * left[..., None], 0, 255), np.uint8)
