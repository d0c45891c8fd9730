"""What a camera does to light: focus, shading of the corners, tone, sharpening, noise, compression."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.scene import Bytes, Sensor

_FIELD = 1024  # noise is drawn once and then moved about
_NOISE = 1024  # standard deviation it is kept with


def develop(clean: Bytes, sensor: Sensor) -> Bytes:
    """Everything that is the same in each picture of a fixed camera: (H, W, 3) BGR to (H, W, 3) BGR."""
    out = clean
    if sensor.blur_px > 0.3:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), sensor.blur_px), np.uint8)
    if sensor.sharpen > 0:
        soft = cv2.GaussianBlur(out, (0, 0), 1.2)
        out = np.asarray(cv2.addWeighted(out, 1 + sensor.sharpen, soft, -sensor.sharpen, 0), np.uint8)
    if sensor.saturation != 1.0:
        grey = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        out = np.asarray(cv2.addWeighted(out, sensor.saturation, grey, 1 - sensor.saturation, 0), np.uint8)
    if sensor.vignette > 0.02:
        out = np.asarray(
            cv2.multiply(out, _corners(out.shape[1], out.shape[0], round(sensor.vignette, 2)), dtype=cv2.CV_8U)
        )
    if sensor.contrast != 1.0:
        levels = np.arange(256) / 255
        bent = levels + (sensor.contrast - 1) * levels * (1 - levels) * (2 * levels - 1) * 2
        out = np.asarray(cv2.LUT(out, np.clip(bent * 255, 0, 255).astype(np.uint8)))
    return out


def expose(picture: Bytes, sensor: Sensor, rng: np.random.Generator, gain: float = 1.0) -> Bytes:
    """One shot of the camera: flicker (`gain`), noise, JPEG."""
    out = picture
    if gain != 1.0:
        levels = np.clip(np.arange(256) * gain ** (1 / 2.2), 0, 255).astype(np.uint8)
        out = np.asarray(cv2.LUT(out, levels))
    if sensor.noise > 0:
        out = noisy(out, sensor, rng)
    if sensor.jpeg:
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out


def noisy(picture: Bytes, sensor: Sensor, rng: np.random.Generator) -> Bytes:
    """Add noise: more in the shadows, as gain and gamma make it, a little of it coloured."""
    height, width = picture.shape[:2]
    grain_px = round(sensor.grain_px, 1)
    luma, tint = (_grained(_window(kind, height, width, rng), grain_px) for kind in (0, 1))
    gain = 1 / _NOISE / _kept(grain_px)
    parts = ((0.85 * gain, tone * gain) for tone in (0.5, -0.15, -0.45))
    field = cv2.merge([cv2.addWeighted(luma, a * 64, tint, b * 64, 0, dtype=cv2.CV_16S) for a, b in parts])
    amount = cv2.LUT(picture, _amounts(round(sensor.noise, 2)))
    moved = cv2.multiply(field, amount.astype(np.int16), scale=1 / 1024, dtype=cv2.CV_16S)
    return np.asarray(cv2.add(picture.astype(np.int16), moved, dtype=cv2.CV_8U), np.uint8)


@lru_cache(maxsize=32)
def _amounts(noise: float) -> Bytes:
    level = np.arange(256) / 255
    return np.clip(noise * 16 * (1.25 - 0.75 * level) * np.minimum(1, 0.35 + 6 * level), 0, 255).astype(np.uint8)


def _grained(field: NDArray[np.int16], grain_px: float) -> NDArray[np.int16]:
    if grain_px <= 0.3:
        return field
    return np.asarray(cv2.GaussianBlur(field, (0, 0), grain_px, borderType=cv2.BORDER_REFLECT), np.int16)


@lru_cache(maxsize=16)
def _kept(grain_px: float) -> float:
    """Give what smoothing leaves of the standard deviation of noise."""
    if grain_px <= 0.3:
        return 1.0
    spot = np.zeros((31, 31), np.float32)
    spot[15, 15] = 1.0
    return float(np.sqrt((cv2.GaussianBlur(spot, (0, 0), grain_px) ** 2).sum()))


@lru_cache(maxsize=2)
def _noise(kind: int) -> NDArray[np.int16]:
    """Give white noise that tiles, and so much of it again that most pictures are a window of it anywhere."""
    rng = np.random.default_rng((kind, 5))
    field = (rng.standard_normal((_FIELD, 2 * _FIELD), np.float32) * _NOISE).astype(np.int16)
    return np.pad(field, ((0, _FIELD + _FIELD // 4), (0, 2 * _FIELD)), mode="wrap")


def _window(kind: int, height: int, width: int, rng: np.random.Generator) -> NDArray[np.int16]:
    y, x = int(rng.integers(0, _FIELD)), int(rng.integers(0, 2 * _FIELD))
    field = _noise(kind)
    more = (max(0, y + height - field.shape[0]), max(0, x + width - field.shape[1]))
    if any(more):
        field = np.pad(field[:_FIELD, : 2 * _FIELD], ((0, y + height), (0, x + width)), mode="wrap")
    return np.ascontiguousarray(field[y : y + height, x : x + width])


@lru_cache(maxsize=8)
def _corners(width: int, height: int, strength: float) -> NDArray[np.float32]:
    across, down = (2 * (np.arange(side, dtype=np.float32) / side - 0.5) ** 2 for side in (width, height))
    plane = 1 - np.float32(strength) * np.add.outer(down, across)
    return np.asarray(cv2.merge([plane] * 3), np.float32)
