"""Boards of Finn Billiards drawn with polygons: pins as cylinders with numbered heads, a disc, some noise."""

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera, cameras
from vision.finn.pins import Axis, Body, outline_px, standing
from vision.setup import Setup, parse_setup

Picture = NDArray[np.uint8]
PIN = Body(radius_cm=1.5, height_cm=7.5)
DISC = Body(radius_cm=2.0, height_cm=2.0)
SIZE = (1280, 720)
_WOOD, _HEAD, _INK, _BLUE = (90, 150, 205), (110, 175, 230), (30, 30, 40), (190, 120, 40)
_BOARD, _ALIKE = (70, 110, 60), ((77, 121, 66), (80, 127, 69))


def scene_setup() -> Setup:
    """A camera beside the board, about 40 degrees high."""
    setup = parse_setup(
        {
            "game": "finn",
            "image_size": list(SIZE),
            "board_px": [[150.9, 508.3], [1128.1, 508.3], [1015.9, 258.1], [263.1, 258.1]],
            "board_cm": [[0, 0], [117, 0], [117, 49], [0, 49]],
            "lens": None,
        }
    )
    assert isinstance(setup, Setup), setup
    return setup


def scene_camera(setup: Setup) -> Camera:
    """The camera that explains the four points best."""
    found = cameras(setup, SIZE)
    assert isinstance(found, tuple), found
    return min(found, key=lambda camera: camera.residual_px)


def draw(
    setup: Setup, pins: Mapping[str, Axis], disc: tuple[float, float] | None, *, seed: int = 0, light: float = 1.0,
    alike: bool = False,
) -> Picture:  # fmt: skip
    """Draw a board with these pins, (H, W, 3) BGR; `alike`: they are nearly of its colour."""
    camera = scene_camera(setup)
    picture = np.full((SIZE[1], SIZE[0], 3), (120, 118, 122), np.uint8)
    corners = camera.to_px([[0, 0, 0], [117, 0, 0], [117, 49, 0], [0, 49, 0]])
    cv2.fillConvexPoly(picture, np.round(corners).astype(np.int32), _BOARD, cv2.LINE_AA)
    for x in (25.0, 55.0, 80.0, 105.0):
        ends = np.round(camera.to_px([[x, 0, 0], [x, 49, 0]])).astype(int)
        cv2.line(picture, tuple(map(int, ends[0])), tuple(map(int, ends[1])), (230, 230, 230), 2, cv2.LINE_AA)
    if disc is not None:
        _fill(picture, outline_px(standing(disc, DISC), DISC, camera), _BLUE)
    eye = camera.eye_cm
    for name, axis in sorted(pins.items(), key=lambda item: -float(np.linalg.norm(item[1].middle - eye))):
        _pin(picture, name, axis, camera, _ALIKE if alike else (_WOOD, _HEAD))
    rng = np.random.default_rng(seed)
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) * light + rng.normal(0, 2, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def _pin(
    picture: Picture, name: str, axis: Axis, camera: Camera, colours: tuple[tuple[int, int, int], ...]
) -> None:
    side, head = colours
    _fill(picture, outline_px(axis, PIN, camera), side)
    if axis.tilt > 0.1:
        return
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = np.column_stack([axis.x_cm + 1.5 * np.cos(turn), axis.y_cm + 1.5 * np.sin(turn), np.full(24, 7.5)])
    _fill(picture, camera.to_px(rim), head)
    middle = camera.to_px([[axis.x_cm, axis.y_cm, 7.5]])[0]
    size, _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, 0.4, 1)
    corner = (round(float(middle[0]) - size[0] / 2), round(float(middle[1]) + size[1] / 2))
    cv2.putText(picture, name, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.4, _INK, 1, cv2.LINE_AA)


def _fill(picture: Picture, outline: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
    cv2.fillConvexPoly(picture, np.round(outline * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
