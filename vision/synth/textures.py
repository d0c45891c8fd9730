"""Textures made by code: noise of a given grain, wood, cloth, plaster, clutter. All in 8-bit sRGB."""

from functools import lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.scene import Bytes, Colour, Texture

Plane = NDArray[np.float32]


@lru_cache(maxsize=24)
def grain(size: int, cell_px: float, seed: int) -> Plane:
    """Smooth noise (size, size) that tiles, mean 0, standard deviation 1, features about `cell_px` wide."""
    rng = np.random.default_rng((seed, size, int(cell_px * 100)))
    count = max(2, round(size / cell_px))
    small = rng.standard_normal((count, count)).astype(np.float32)
    pad = np.pad(small, 3, mode="wrap")
    scale = size / count
    wide = cv2.resize(pad, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    start = round(3 * scale)
    out = np.ascontiguousarray(wide[start : start + size, start : start + size], np.float32)
    mean, spread = (float(value[0, 0]) for value in cv2.meanStdDev(out))
    out -= np.float32(mean)
    out *= np.float32(1 / max(spread, 1e-6))
    out.setflags(write=False)
    return out


def layers(size: int, cells_px: tuple[float, ...], seed: int) -> Plane:
    """Sum of noises of several grains, each with equal part, standard deviation 1."""
    total = sum(
        (grain(size, cell, seed + i) for i, cell in enumerate(cells_px)), np.zeros((size, size), np.float32)
    )
    return np.asarray(total / np.sqrt(len(cells_px)), np.float32)


def coloured(colour: Colour, shade: Plane, height: Plane | None = None) -> Texture:
    """Texture of one colour (sRGB 0…1) times (1 + shade); `height` 0…1 goes to A."""
    bright = shade + np.float32(1)
    flat = np.full(shade.shape, 128, np.uint8)
    relief = flat if height is None else cv2.convertScaleAbs(height, alpha=255)
    return Texture(
        _bytes(cv2.merge([*(cv2.convertScaleAbs(bright, alpha=255 * c) for c in colour), relief])), tiles=True
    )


def _bytes(picture: NDArray[Any]) -> Bytes:
    return np.asarray(picture, np.uint8)


@lru_cache(maxsize=64)
def wood(colour: Colour, seed: int, size: int = 512, streaks: float = 0.12) -> Texture:
    """Give wood, its grain along u."""
    shade, height = _grown(seed, size)
    return coloured(colour, streaks * shade, height)


@lru_cache(maxsize=48)
def _grown(seed: int, size: int) -> tuple[Plane, Plane]:
    """Give how much lighter wood is where, and its relief: the same in any colour."""
    rng = np.random.default_rng(seed)
    wave = layers(size, (size / 3, size / 8), seed)
    rows = np.arange(size, dtype=np.float32)[:, None]
    pitch, bend = np.float32(rng.uniform(6, 16)), np.float32(rng.uniform(0.15, 0.5))
    rings = np.sin((rows * (pitch / np.float32(size)) + wave * bend) * np.float32(2 * np.pi))
    combed = np.asarray(cv2.blur(grain(size, 1.5, seed + 7), (61, 1)), np.float32)
    fibre = combed / np.float32(max(float(combed.std()), 1e-6))
    shade = np.float32(0.55) * rings + np.float32(0.35) * fibre + np.float32(0.3) * wave
    return shade, np.float32(0.5) + np.float32(0.1) * np.clip(fibre, -3, 3)


@lru_cache(maxsize=16)
def planks(colour: Colour, seed: int, size: int = 1024, rows: int = 8) -> Texture:
    """Give a floor or table top of boards of one wood, each with a tone of its own, their grain along u."""
    rng = np.random.default_rng((seed, 31))
    base = wood(colour, seed, size // 2, 0.07).rgba
    tall = size // rows
    art = np.empty((size, size, 4), np.uint8)
    for row in range(rows):
        joints = (0, int(rng.uniform(0.25, 0.75) * size), size)
        for left, right in pairwise(joints):
            y, x = (int(v) for v in rng.integers(0, size // 2, 2))
            piece = np.roll(base, (y, x), (0, 1))[: tall // 2]
            tone = float(rng.normal(1, 0.06))
            wide = cv2.resize(piece, (size, tall))[:, : right - left]
            toned = cv2.multiply(wide, (tone, tone, tone, 1.0))  # type: ignore[call-overload]
            art[row * tall : (row + 1) * tall, left:right] = toned
            art[row * tall : (row + 1) * tall, left : left + 2] //= 2
        art[row * tall : row * tall + 2] //= 2
    return Texture(art, tiles=True)


@lru_cache(maxsize=64)
def plaster(colour: Colour, seed: int, size: int = 512, rough: float = 0.04) -> Texture:
    """Painted wall."""
    shade = layers(size, (3, 12, 60, 200), seed)
    return coloured(colour, rough * shade, np.clip(0.5 + 0.12 * grain(size, 3, seed), 0, 1))


@lru_cache(maxsize=64)
def cloth(colour: Colour, seed: int, size: int = 512, weave_px: int = 4) -> Texture:
    """Woven cloth or carpet."""
    wave = np.sin(np.arange(size) * 2 * np.pi / weave_px).astype(np.float32)
    weave = np.outer(wave, wave)
    return coloured(
        colour, 0.08 * weave + 0.06 * grain(size, 2, seed) + 0.02 * grain(size, 90, seed), 0.5 + 0.3 * weave
    )


def linear(colour: Colour) -> Colour:
    """SRGB 0…1 to linear."""
    r, g, b = (float(((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92) for c in colour)
    return (r, g, b)


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """SRGB 0…1 from hue 0…1, saturation, value."""
    i = int(hue * 6) % 6
    f = hue * 6 - int(hue * 6)
    p, q, t = value * (1 - saturation), value * (1 - f * saturation), value * (1 - (1 - f) * saturation)
    return ((value, t, p), (q, value, p), (p, value, t), (p, q, value), (t, p, value), (value, p, q))[i]


def picture(rgb: Bytes) -> Texture:
    """Texture from an RGB picture with flat relief."""
    return Texture(np.dstack([rgb, np.full(rgb.shape[:2], 128, np.uint8)]))
