"""Drawn scenes at a dartboard: a board, darts, a hand, lamps and a camera that moves, frame by frame."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION, on_board
from vision.frames import Frame
from vision.geometry import PlaneMap, plane_from_points
from vision.setup import Setup

Picture = NDArray[np.uint8]

SIZE = (640, 480)
CORNERS_MM = ((0.0, 170.0), (170.0, 0.0), (0.0, -170.0), (-170.0, 0.0))
CAMERA_MM = np.array([180.0, -420.0, 720.0])
FOCAL_PX = 900.0
RATE = 10.0
HAND_PX = (320.0, 230.0)
PX_MM = 1.05


def project(xyz_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project (N, 3) mm (z out of the board) to (N, 2) px of the camera, which looks at the bull from below."""
    ahead = -CAMERA_MM / np.linalg.norm(CAMERA_MM)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    turn = np.array([right, np.cross(ahead, right), ahead])
    seen = (xyz_mm - CAMERA_MM) @ turn.T
    return np.asarray(seen[:, :2] / seen[:, 2:] * FOCAL_PX + np.array(SIZE) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What one frame shows.

    Attributes
    ----------
    darts_mm
        Tips of the darts in the board.
    hand_px
        Where the fingers are, or None; the arm comes from below.
    hand_width
        Of the arm, px.
    flying_px
        A dart in the air, blurred, or None.
    blot_px
        Something small and round that is no dart, or None.
    light
        Factor on all brightness.
    shift_px
        How far the camera moved.
    """

    darts_mm: tuple[tuple[float, float], ...] = ()
    hand_px: tuple[float, float] | None = None
    hand_width: int = 90
    flying_px: tuple[float, float] | None = None
    blot_px: tuple[float, float] | None = None
    light: float = 1.0
    shift_px: tuple[float, float] = (0.0, 0.0)


def setup(shift_px: tuple[float, float] = (0.0, 0.0)) -> Setup:
    """Give the SETUP of the drawn camera."""
    seen = tuple((float(x + shift_px[0]), float(y + shift_px[1])) for x, y in project(_flat(CORNERS_MM)))
    return Setup(game="cricket", image_size=SIZE, board_px=seen, board_xy=CORNERS_MM)


def plane() -> PlaneMap:
    """Give the map of the drawn camera."""
    found = plane_from_points(CORNERS_MM, project(_flat(CORNERS_MM)))
    assert isinstance(found, PlaneMap)
    return found


def frames(moments: Iterable[Moment], *, fps: float = RATE, noise: float = 1.5, seed: int = 1) -> Iterator[Frame]:
    """Draw moments as frames at a steady rate with sensor noise (levels, standard deviation)."""
    chance = np.random.default_rng(seed)
    grain = [np.round(chance.normal(0, noise, (SIZE[1], SIZE[0]))).astype(np.int16) for _ in range(5)]
    for index, moment in enumerate(moments):
        picture = draw(moment)
        if noise:
            here = np.roll(grain[index % 5], (index * 37) % SIZE[0], axis=1)
            picture = np.clip(picture + here[:, :, None], 0, 255).astype(np.uint8)
        yield Frame(index, round(index * 1000 / fps), bgr=picture)


def draw(moment: Moment) -> Picture:
    """Draw one moment as (480, 640, 3) BGR."""
    picture = _drawn(replace(moment, light=1.0))
    if moment.light == 1.0:
        return picture
    return np.clip(np.round(picture * moment.light), 0, 255).astype(np.uint8)


@lru_cache(maxsize=64)
def _drawn(moment: Moment) -> Picture:
    picture = _board().copy()
    for tip in moment.darts_mm:
        _draw_dart(picture, tip)
    if moment.blot_px is not None:
        cv2.circle(
            picture, (round(moment.blot_px[0]), round(moment.blot_px[1])), 16, (60, 200, 60), -1, cv2.LINE_AA
        )
    if moment.flying_px is not None:
        _draw_flying(picture, moment.flying_px)
    if moment.hand_px is not None:
        _draw_hand(picture, moment.hand_px, moment.hand_width)
    if moment.shift_px != (0.0, 0.0):
        move = np.array([[1, 0, moment.shift_px[0]], [0, 1, moment.shift_px[1]]], np.float64)
        picture = np.asarray(cv2.warpAffine(picture, move, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    return picture


def held(moment: Moment, seconds: float, fps: float = RATE) -> list[Moment]:
    """Give a moment that lasts."""
    return [moment] * max(1, round(seconds * fps))


def reach(moment: Moment, after: Moment, to_px: tuple[float, float] = HAND_PX, fps: float = RATE) -> list[Moment]:
    """Give a hand that comes from below within 0.4 s, moves about for 0.6 s, and goes; it leaves `after`."""
    start = np.array([to_px[0] + 60, 620.0])
    way = [
        tuple(start + (np.array(to_px) - start) * share) for share in np.linspace(0, 1, max(2, round(0.4 * fps)))
    ]
    there = [(to_px[0] + 6 * np.sin(k), to_px[1] + 5 * np.cos(k)) for k in range(max(1, round(0.6 * fps)))]
    return [
        *(replace(moment, hand_px=place) for place in way),
        *(replace(after, hand_px=place) for place in there),
        *(replace(after, hand_px=place) for place in reversed(way)),
    ]


def visit(tips_mm: Sequence[tuple[float, float]], fps: float = RATE) -> list[Moment]:
    """Give a visit: each dart after a second, then hands that pull them all, then an empty board."""
    moments = held(Moment(), 1, fps)
    for count in range(1, len(tips_mm) + 1):
        moments += held(Moment(darts_mm=tuple(tips_mm[:count])), 1, fps)
    full = Moment(darts_mm=tuple(tips_mm))
    return [*moments, *reach(full, Moment(), fps=fps), *held(Moment(), 1, fps)]


@cache
def _board() -> Picture:
    """Draw the empty board at twice the size and shrink it, so that wires are smooth."""
    big = np.full((SIZE[1] * 2, SIZE[0] * 2, 3), (120, 150, 170), np.uint8)
    chance = np.random.default_rng(7)
    big = np.clip(big + chance.normal(0, 6, big.shape), 0, 255).astype(np.uint8)
    _ring(big, 225, (28, 28, 30))
    radii = REGULATION.radii()
    for outer, inner, colours in (
        (radii[5], radii[4], ((40, 40, 190), (60, 140, 40))),
        (radii[4], radii[3], ((35, 35, 38), (170, 205, 215))),
        (radii[3], radii[2], ((40, 40, 190), (60, 140, 40))),
        (radii[2], radii[1], ((35, 35, 38), (170, 205, 215))),
    ):
        for sector in range(20):
            turn = np.linspace(sector * 18 - 9, sector * 18 + 9, 9)
            edge = np.vstack([on_board(outer, turn), on_board(inner, turn[::-1])])
            cv2.fillPoly(big, [_big_px(edge)], colours[sector % 2], cv2.LINE_AA)
    _ring(big, radii[1], (60, 140, 40))
    _ring(big, radii[0], (40, 40, 190))
    for sector in range(20):
        wire = np.vstack([on_board(radii[1], sector * 18 - 9), on_board(radii[5] + 6, sector * 18 - 9)])
        cv2.polylines(
            big, [_big_px(wire)], isClosed=False, color=(190, 190, 190), thickness=2, lineType=cv2.LINE_AA
        )
    for sector in range(20):
        x, y = (plane().to_px(on_board(195, sector * 18)) * 2)[0]
        cv2.putText(big, str(sector), (int(x) - 16, int(y) + 10), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (230,) * 3, 3)
    return np.asarray(cv2.resize(big, SIZE, interpolation=cv2.INTER_AREA), np.uint8)


def _ring(big: Picture, radius_mm: float, colour: tuple[int, int, int]) -> None:
    cv2.fillPoly(big, [_big_px(on_board(radius_mm, np.linspace(0, 357, 120)))], colour, cv2.LINE_AA)


def _big_px(edge_mm: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.round(plane().to_px(edge_mm) * 2).astype(np.int32)


def _draw_dart(picture: Picture, tip_mm: tuple[float, float]) -> None:
    """Draw a dart that stands nearly upright on the board: point, barrel, shaft, flight."""
    tilt = np.array([0.04, 0.10, 1.0])

    def place(along_mm: float) -> NDArray[np.float64]:
        return np.asarray(project((np.array([*tip_mm, 0.0]) + along_mm * tilt)[None])[0])

    def line(from_mm: float, to_mm: float, colour: tuple[int, int, int], wide_mm: float) -> None:
        ends = [place(from_mm), place(to_mm)]
        along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        aside = np.array([-along[1], along[0]]) * wide_mm / 2 * PX_MM
        corners = np.array([ends[0] + aside, ends[1] + aside, ends[1] - aside, ends[0] - aside])
        cv2.fillPoly(picture, [np.round(corners * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)

    line(0, 32, (150, 150, 150), 2.4)
    line(30, 82, (90, 95, 100), 7.0)
    line(80, 120, (40, 40, 40), 4.0)
    line(112, 150, (200, 90, 30), 30.0)


def _flat(xy_mm: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
    return np.asarray(np.column_stack([np.array(xy_mm), np.zeros(len(xy_mm))]), np.float64)


def _draw_flying(picture: Picture, at_px: tuple[float, float]) -> None:
    x, y = at_px
    covered = np.zeros(picture.shape[:2], np.float32)
    cv2.line(covered, (round(x), round(y)), (round(x + 60), round(y - 25)), 0.9, 12, cv2.LINE_AA)
    share = cv2.GaussianBlur(covered, (9, 9), 3)[..., None]
    picture[:] = np.round(picture * (1 - share) + np.array((50, 50, 60)) * share)


def _draw_hand(picture: Picture, at_px: tuple[float, float], width: int) -> None:
    x, y = round(at_px[0]), round(at_px[1])
    skin = (120, 150, 205)
    cv2.line(picture, (x + 30, y + width // 2), (x + 90, y + 500), skin, width, cv2.LINE_AA)
    cv2.circle(picture, (x, y), width * 6 // 10, skin, -1, cv2.LINE_AA)
    for finger in range(4):
        root = (x - 20 + 14 * finger, y - width // 3)
        cv2.line(picture, root, (root[0] - 6, root[1] - width // 3), (110, 140, 200), 11, cv2.LINE_AA)
