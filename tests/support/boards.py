"""Dartboards drawn for tests: every pixel is put on the board, so the truth is exact to a fraction of a pixel."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION, SECTORS, Rings, on_board
from vision.geometry import Lens, PlaneMap

Picture = NDArray[np.uint8]

FINE = 2
"""Pixels of the drawing to a pixel of the picture, each way."""


@dataclass(frozen=True, kw_only=True)
class Paint:
    """Colours of a board as BGR; `red` is the ring of dark sectors."""

    light: tuple[int, int, int] = (200, 225, 230)
    dark: tuple[int, int, int] = (30, 30, 30)
    red: tuple[int, int, int] = (40, 40, 170)
    green: tuple[int, int, int] = (60, 110, 40)
    outside: tuple[int, int, int] = (22, 22, 22)
    wall: tuple[int, int, int] = (150, 165, 170)
    number: tuple[int, int, int] = (220, 220, 220)
    wire: tuple[int, int, int] | None = (190, 190, 190)


STEEL = Paint()
TOY = Paint(
    light=(0, 230, 250),
    dark=(20, 20, 20),
    red=(0, 230, 250),
    green=(20, 20, 20),
    wall=(180, 60, 20),
    number=(0, 230, 250),
)


def view(
    *,
    size: tuple[int, int] = (640, 480),
    above: float = 90.0,
    turned: float = 0.0,
    px_per_mm: float = 1.1,
    middle: tuple[float, float] | None = None,
    k1: float = 0.0,
) -> PlaneMap:
    """Give the map of a camera `above` degrees over the board's plane, the board turned clockwise by `turned`."""
    distance, focal = 620.0, 620.0 * px_per_mm
    tilt, turn = np.radians(90 - above), np.radians(turned)
    spin = np.array([[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])
    seen = np.diag([1.0, -1.0, -1.0]) @ lean @ spin
    x, y = middle or (size[0] / 2, size[1] / 2)
    camera = np.array([[focal, 0, x], [0, focal, y], [0, 0, 1]])
    pose = np.column_stack([seen[:, 0], seen[:, 1], [0, 0, distance]])
    homography = camera @ pose
    lens = Lens(f_px=float(max(size)), cx_px=(size[0] - 1) / 2, cy_px=(size[1] - 1) / 2, k1=k1) if k1 else None
    return PlaneMap(homography=homography / homography[2, 2], lens=lens)


def draw_board(
    plane: PlaneMap,
    *,
    size: tuple[int, int] = (640, 480),
    rings: Rings = REGULATION,
    paint: Paint = STEEL,
    numbers: bool = True,
    upright: bool = False,
    noise: float = 3.0,
    blur: float = 0.7,
    seed: int = 1,
) -> Picture:
    """Draw a board as the camera of `plane` sees it; `upright` numbers do not turn with the board."""
    large = plane.scaled(FINE)
    columns, rows = np.meshgrid(np.arange(size[0] * FINE), np.arange(size[1] * FINE))
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float64)
    board = large.to_board(pixels)
    colours = _colours(board, rings, paint)
    if numbers:
        ink = _number_ink(board, size[0] * FINE, upright)[:, None]
        colours = colours * (1 - ink) + np.array(paint.number) * ink
    picture = colours.reshape(size[1] * FINE, size[0] * FINE, 3).astype(np.float32)
    small = cv2.resize(cv2.GaussianBlur(picture, (0, 0), blur * FINE), size, interpolation=cv2.INTER_AREA)
    noisy = small + np.random.default_rng(seed).normal(0, noise, small.shape)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)


def _colours(board: NDArray[np.float64], rings: Rings, paint: Paint) -> NDArray[np.float64]:
    radius = np.hypot(board[:, 0], board[:, 1])
    degrees = np.degrees(np.arctan2(board[:, 0], board[:, 1]))
    dark = np.floor((degrees + 9) / 18).astype(int) % 2 == 0
    zone = np.searchsorted(rings.radii(), radius)
    single = np.where(dark[:, None], np.array(paint.dark), np.array(paint.light))
    ring = np.where(dark[:, None], np.array(paint.red), np.array(paint.green))
    colours = np.where(np.isin(zone, (3, 5))[:, None], ring, single).astype(np.float64)
    colours[zone == 0] = paint.red
    colours[zone == 1] = paint.green
    colours[zone == 6] = paint.outside
    colours[radius > 225.5] = paint.wall
    if paint.wire:
        along = np.min(np.abs(radius[:, None] - np.array(rings.radii())), axis=1)
        turned = np.abs((degrees + 9 + 9) % 18 - 9)
        across = radius * np.sin(np.radians(turned))
        sectors = (across < 0.6) & (radius > rings.outer_bull) & (radius < rings.double_outer + 4)
        colours[(along < 0.6) | sectors] = paint.wire
    return colours


def _number_ink(board: NDArray[np.float64], width: int, upright: bool) -> NDArray[np.float64]:
    """Give (N,) how much of each board point is a number's ink, from a drawing of the ring at 2 px a mm."""
    side, scale = 1000, 2.0
    drawn = np.zeros((side, side), dtype=np.uint8)
    for place, number in enumerate(SECTORS):
        x, y = on_board(199.0, 18.0 * place)[0]
        turn = 0.0 if upright else -18.0 * place + (180.0 if min(place, 20 - place) >= 6 else 0.0)
        glyph = np.zeros((160, 160), dtype=np.uint8)
        (wide, tall), _ = cv2.getTextSize(str(number), cv2.FONT_HERSHEY_DUPLEX, 1.7, 5)
        corner = (80 - wide // 2, 80 + tall // 2)
        cv2.putText(glyph, str(number), corner, cv2.FONT_HERSHEY_DUPLEX, 1.7, 255, 5, cv2.LINE_AA)
        spun = cv2.warpAffine(glyph, cv2.getRotationMatrix2D((80, 80), turn, 1), (160, 160))
        left, top = round(side / 2 + x * scale) - 80, round(side / 2 - y * scale) - 80
        window = drawn[max(top, 0) : top + 160, max(left, 0) : left + 160]
        np.maximum(window, spun[: window.shape[0], : window.shape[1]], out=window)
    x = (side / 2 + board[:, 0] * scale).astype(np.float32)
    y = (side / 2 - board[:, 1] * scale).astype(np.float32)
    ink = cv2.remap(drawn, x.reshape(-1, width), y.reshape(-1, width), cv2.INTER_LINEAR)
    return np.asarray(ink, dtype=np.float64).ravel() / 255


def stick_dart(
    picture: Picture, plane: PlaneMap, xy_mm: tuple[float, float], lean_px: tuple[float, float]
) -> None:
    """Draw a dart in place: barrel from the tip along `lean_px`, a flight at its end."""
    tip = plane.to_px([xy_mm])[0]
    end = tip + np.array(lean_px)
    ends = [tuple(int(v) for v in np.round(tip + share * (end - tip))) for share in (0, 0.65, 1)]
    cv2.line(picture, ends[0], ends[1], (90, 90, 95), 5, cv2.LINE_AA)
    cv2.ellipse(picture, ends[2], (14, 22), 20, 0, 360, (60, 30, 160), -1, cv2.LINE_AA)
