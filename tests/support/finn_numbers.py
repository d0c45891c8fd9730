"""Pins with their numbers on their heads, anywhere on a board that a camera sees from above."""

from collections.abc import Mapping

import cv2
import numpy as np
from support.finn_scenes import PIN, Picture, draw, scene_camera

from vision.finn.camera import Camera
from vision.finn.pins import standing
from vision.finn.state import Place
from vision.geometry import Lens
from vision.setup import Setup, parse_setup

SIZE = (1280, 720)
LENS = {"f_px": 1000.0, "cx_px": 639.5, "cy_px": 359.5, "k1": 0.0, "k2": 0.0}


def numbers_setup() -> Setup:
    """A camera a metre over the board, a little to the side."""
    corners = [[0, 0, 0], [117, 0, 0], [117, 49, 0], [0, 49, 0]]
    ahead = np.array([58.5, 24.5, 0.0]) - EYE_CM
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(ahead, right), ahead])
    lens = Lens(f_px=LENS["f_px"], cx_px=LENS["cx_px"], cy_px=LENS["cy_px"])
    camera = Camera(lens=lens, rotation=turn, shift=-turn @ EYE_CM, residual_px=0.0)
    setup = parse_setup(
        {
            "game": "finn",
            "image_size": list(SIZE),
            "board_px": camera.to_px(corners).tolist(),
            "board_cm": [corner[:2] for corner in corners],
            "lens": LENS,
        }
    )
    assert isinstance(setup, Setup), setup
    return setup


EYE_CM = np.array([52.0, 4.0, 102.0])
SETUP = numbers_setup()
CAMERA = scene_camera(SETUP)
SCATTERED: Mapping[str, Place] = {
    "1": (40.0, 12.0), "2": (55.0, 38.0), "3": (62.0, 20.0), "4": (70.0, 41.0), "5": (74.0, 9.0),
    "6": (79.0, 27.0), "7": (84.0, 15.0), "8": (88.0, 36.0), "9": (93.0, 24.0), "10": (98.0, 10.0),
    "11": (101.0, 42.0), "12": (108.0, 28.0),
}  # fmt: skip


def numbered(places: Mapping[str, Place], turn: float = 0.0) -> Picture:
    """Draw pins with their numbers as the thrower reads them, turned clockwise by `turn` degrees; 6, 9 plain."""
    picture = draw(SETUP, {name: standing(xy, PIN) for name, xy in places.items()}, (13.0, 24.0), seed=3)
    for name, xy in sorted(places.items(), key=lambda item: -item[1][1]):
        _write(picture, name, xy, turn)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.5), np.uint8)


def _write(picture: Picture, name: str, xy: Place, turn: float) -> None:
    side = 240
    art = np.full((side, side, 3), (110, 175, 230), np.uint8)
    (wide, tall), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, 4.6, 16)
    cv2.putText(
        art,
        name,
        ((side - wide) // 2, (side + tall) // 2),
        cv2.FONT_HERSHEY_SIMPLEX,
        4.6,
        (20, 20, 30),
        16,
        cv2.LINE_AA,
    )
    middle = (side - 1) / 2
    art = np.asarray(
        cv2.warpAffine(
            art, cv2.getRotationMatrix2D((middle, middle), -turn, 1), (side, side), borderValue=(110, 175, 230)
        )
    )
    reach = PIN.radius_cm
    corners = [
        (xy[0] + a * reach, xy[1] + b * reach, PIN.height_cm) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
    ]
    seen = CAMERA.to_px(corners).astype(np.float32)
    source = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(source, seen)
    size = (picture.shape[1], picture.shape[0])
    shown = cv2.warpPerspective(art, matrix, size, flags=cv2.INTER_AREA)
    disc = np.zeros((side, side), np.uint8)
    cv2.circle(disc, (side // 2, side // 2), side // 2, (255,), -1)
    where = cv2.warpPerspective(disc, matrix, size) > 127
    picture[where] = shown[where]
