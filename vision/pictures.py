"""Loads a picture from a file, whatever a phone or a program may have saved, and refuses what shows nothing.

Colour, grey, 16 bit, transparent and turned pictures all become (H, W, 3) BGR of eight bits, upright.
"""

import zlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What a picture has to show.

    Attributes
    ----------
    least_side_px
        Smaller pictures hold no readable board.
    most_mb
        Larger files are no pictures of a webcam or phone.
    black
        Pictures whose brightest hundredth is darker than this are black: a lens cap, a camera that starts.
    flat
        Less contrast than this (5th to 95th percentile) is a wall or fog.
    sharp
        Steepest hundredth of the slopes over the contrast, at 640 px. Pictures of boards and tables measured 0.31
        to 0.53 (a dim plain table 0.17); blurred by 4 px at that size 0.06 to 0.12.
    """

    least_side_px: int = 64
    most_mb: int = 100
    black: float = 16.0
    flat: float = 10.0
    sharp: float = 0.10


LIMITS = PictureLimits()
_PNG = b"\x89PNG\r\n\x1a\n"


def load_picture(path: Path | str) -> Picture | Failure:
    """Load a picture.

    Parameters
    ----------
    path
        JPEG, PNG, WebP, BMP, TIFF.

    Returns
    -------
    (H, W, 3) BGR, or Failure
        `NO_PICTURE` (cannot be read or is none), `SMALL_PICTURE`, `BLACK_PICTURE`, `FLAT_PICTURE`,
        `BLURRED_PICTURE`.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(LIMITS.most_mb * 1_000_000 + 1)
    except (OSError, ValueError) as error:
        return Failure("NO_PICTURE", f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).")
    if len(data) > LIMITS.most_mb * 1_000_000:
        return Failure("NO_PICTURE", f"{path}: larger than {LIMITS.most_mb} MB; a picture of the board is not.")
    picture = decode_picture(data)
    if picture is None:
        return Failure("NO_PICTURE", f"{path}: no picture (JPEG, PNG, WebP, BMP or TIFF), or a damaged one.")
    fault = picture_fault(picture)
    return Failure(fault.code, f"{path}: {fault.message}") if fault is not None else picture


def decode_picture(data: bytes) -> Picture | None:
    """Decode a picture file's bytes to (H, W, 3) BGR, upright; None where they are none."""
    if not data or (data.startswith(_PNG) and not _png_is_whole(data)):
        return None
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else np.asarray(picture, np.uint8)


def _png_is_whole(data: bytes) -> bool:
    """Say whether all chunks are there and unharmed; libpng complains on stderr about one that is not."""
    at = len(_PNG)
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        body, check = data[at + 4 : at + 8 + size], data[at + 8 + size : at + 12 + size]
        if zlib.crc32(body) != int.from_bytes(check, "big") or len(check) != 4:
            return False
        if body.startswith(b"IEND"):
            return True
        at += 12 + size
    return False


def picture_fault(picture: Picture) -> Failure | None:
    """Say why a picture cannot show anything, or None.

    Parameters
    ----------
    picture
        (H, W, 3) BGR.
    """
    height, width = picture.shape[:2]
    if min(height, width) < LIMITS.least_side_px:
        return Failure("SMALL_PICTURE", f"{width}x{height} pixels show no board; take one of 640x480 or more.")
    luma = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
    factor = 640 / max(height, width)
    if factor < 1:
        luma = np.asarray(cv2.resize(luma, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.float32)
    low, high, top = (float(v) for v in np.percentile(luma, (5, 95, 99)))
    if top < LIMITS.black:
        return Failure("BLACK_PICTURE", "the picture is black; is the lens covered or the light off?")
    if high - low < LIMITS.flat:
        return Failure("FLAT_PICTURE", "the picture shows nothing but one even surface.")
    if _sharpness(luma, high - low) < LIMITS.sharp:
        return Failure("BLURRED_PICTURE", "the picture is blurred; focus the camera or let it come to rest.")
    return None


def _sharpness(luma: NDArray[np.float32], contrast: float) -> float:
    across = cv2.Sobel(luma, cv2.CV_32F, 1, 0, scale=0.125)
    down = cv2.Sobel(luma, cv2.CV_32F, 0, 1, scale=0.125)
    return float(np.percentile(np.sqrt(across * across + down * down), 99)) / (contrast + 1)
