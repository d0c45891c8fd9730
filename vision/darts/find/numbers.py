"""The numbers around the board, read to tell which dark sector is 20.

Twenty patches around the number ring are cut out upright, as each possible place of the 20 would have them,
described by histograms of gradient directions (light on dark and dark on light look alike) and read by a small
learned network. No single number has to be legible: the twenty of a board come in one order only, so their
chances multiply. Boards come in two styles: wire rings and prints whose lower half stands on its head, and
prints that all stand upright.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assets import asset
from vision.darts.board import SECTORS, on_board
from vision.geometry import PlaneMap

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

PATCH = 32
"""Side of a patch in pixels."""

PATCH_MM = 50.0
"""Side of a patch on the board: a two-digit number with a little room."""

_RIM = 5
_INNER_CORNERS = [row * PATCH + column for row in (_RIM, PATCH - 1 - _RIM) for column in (_RIM, PATCH - 1 - _RIM)]
"""A patch counts as seen where its middle 70 % lie inside the picture: numbers reach no farther."""

CELL = 4
BINS = 8
FEATURES = (PATCH // CELL) ** 2 * BINS


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTuning:
    """Where numbers are looked for and how far the network is believed.

    Attributes
    ----------
    radii_mm
        Middles of the numbers on boards with wire rings lie 192 to 210 mm from the bull.
    wall_mm
        Numbers that all stand upright are printed; their middles lie 190 to 202 mm out.
    turning
        From this place away from the top, numbers of the first style stand on their head: 10 and 14 either way.
    trust
        Power of the chances of one patch: neighbouring patches share blur, logos and light.
    floor
        Chance of any number in any patch, so that one hidden by a flight or a logo cannot decide.
    """

    radii_mm: tuple[float, ...] = (192.0, 198.0, 204.0, 210.0)
    wall_mm: tuple[float, ...] = (192.0, 199.0)
    turning: int = 6
    trust: float = 0.5
    floor: float = 0.02


NUMBERS = NumberTuning()


def number_chances(bgr: NDArray[np.uint8], plane: PlaneMap, tuning: NumberTuning = NUMBERS) -> Array:
    """Give the logarithm of how well each place of the 20 explains the numbers of a picture.

    Parameters
    ----------
    bgr
        (H, W, 3).
    plane
        Board (first sector, light, up) to px of `bgr`.

    Returns
    -------
    NDArray
        (20,), for 20 in the sector that lies this many sectors clockwise from the first; 0 is what patches without
        any numbers to speak for or against would give by chance, and light sectors are never 20 (minus infinity).
    """
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    evidence = np.full(len(SECTORS), -np.inf)
    wheel = [_wheel(grey, plane, radius_mm, tuning) for radius_mm in tuning.radii_mm]
    wall = [_wall(grey, plane, radius_mm, tuning) for radius_mm in tuning.wall_mm]
    evidence[_TOPS] = np.max([*wheel, *wall], axis=0)
    return evidence


_TOPS = np.arange(1, len(SECTORS), 2)
_ALL = np.arange(len(SECTORS))


def _wheel(grey: NDArray[np.uint8], plane: PlaneMap, radius_mm: float, tuning: NumberTuning) -> Array:
    """Give (10,) evidence for numbers that turn with the board, the lower half on its head."""
    patches, seen = cut_patches(grey, plane, radius_mm, _ALL, np.zeros(len(SECTORS)))
    features = describe(patches)
    standing = _log_chances(features, seen, tuning)
    hanging = _log_chances(turned_over(features), seen, tuning)
    place = (_ALL[None] - _TOPS[:, None]) % len(SECTORS)
    low = np.minimum(place, len(SECTORS) - place)
    up, down = standing[_ALL, place], hanging[_ALL, place]
    either = np.abs(low - tuning.turning) <= 1
    chosen = np.where(either, np.maximum(up, down) - np.log(2), np.where(low >= tuning.turning, down, up))
    return np.asarray(chosen.sum(axis=1))


def _wall(grey: NDArray[np.uint8], plane: PlaneMap, radius_mm: float, tuning: NumberTuning) -> Array:
    """Give (10,) evidence for numbers that all stand upright: at place k, turned by -18 k against their sector."""
    sectors = np.tile(_ALL, len(_TOPS))
    places = ((_ALL[None] - _TOPS[:, None]) % len(SECTORS)).ravel()
    patches, seen = cut_patches(grey, plane, radius_mm, sectors, np.asarray(-18.0 * places))
    logs = _log_chances(describe(patches), seen, tuning)
    return np.asarray(logs[np.arange(len(places)), places].reshape(len(_TOPS), -1).sum(axis=1))


def _log_chances(features: Floats, seen: NDArray[np.bool_], tuning: NumberTuning) -> Array:
    """Give (N, 20) logarithms of the chances of the numbers in the order of the board, 0 where little is seen."""
    chances = read_patches(features)[:, : len(SECTORS)].astype(np.float64)
    logs = tuning.trust * np.log((chances + tuning.floor) / (1 / (len(SECTORS) + 1) + tuning.floor))
    return np.asarray(np.where(seen[:, None], logs, 0.0))


def cut_patches(
    grey: NDArray[np.uint8], plane: PlaneMap, radius_mm: float, sectors: NDArray[np.intp], turns: Array
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Cut patches out of the number ring.

    Parameters
    ----------
    grey
        (H, W).
    plane
        Board to px.
    radius_mm
        From the bull to the middle of the patches.
    sectors
        (N,) sectors clockwise from the first.
    turns
        (N,) degrees clockwise by which the patch is turned against "outward is up".

    Returns
    -------
    NDArray, NDArray
        (N, PATCH, PATCH) grey, (N,) whether all but their rims lie inside the picture.
    """
    steps = (np.arange(PATCH) - (PATCH - 1) / 2) * (PATCH_MM / PATCH)
    right, down = np.meshgrid(steps, steps)
    angles = np.radians(18.0 * sectors + turns)
    across = np.stack([np.cos(angles), -np.sin(angles)], axis=1)
    up = np.stack([np.sin(angles), np.cos(angles)], axis=1)
    middle = on_board(radius_mm, 18.0 * sectors)
    # A patch is small against the board: over its 50 mm the view is as good as affine.
    jacobian = plane.jacobian(middle)
    axes = np.stack([jacobian @ across[:, :, None], -jacobian @ up[:, :, None]], axis=1)[..., 0].astype(np.float32)
    steps_px = np.stack([right.ravel(), down.ravel()], axis=1).astype(np.float32)
    points = np.matmul(steps_px, axes)
    points += plane.to_px(middle).astype(np.float32)[:, None]
    corners = points[:, _INNER_CORNERS]
    inside = ((corners >= 0) & (corners < (grey.shape[1], grey.shape[0]))).reshape(len(sectors), -1).all(axis=1)
    points = points.reshape(len(sectors) * PATCH, PATCH, 2)
    x, y = np.ascontiguousarray(points[..., 0]), np.ascontiguousarray(points[..., 1])
    cut = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, dtype=np.uint8).reshape(-1, PATCH, PATCH), inside


def describe(patches: NDArray[np.uint8]) -> Floats:
    """Describe patches (N, PATCH, PATCH) by (N, FEATURES) histograms of gradient directions, normalised nearby."""
    count, side = len(patches), PATCH // CELL
    values = patches.astype(np.float32)
    x = np.zeros_like(values)
    y = np.zeros_like(values)
    x[:, :, 1:-1] = values[:, :, 2:] - values[:, :, :-2]
    y[:, 1:-1] = values[:, 2:] - values[:, :-2]
    size, angle = cv2.cartToPolar(x.reshape(count, -1), y.reshape(count, -1))
    place = (angle * np.float32(BINS / np.pi)).ravel()
    low = place.astype(np.int32)
    share = (place - low) * size.ravel()
    slot = np.arange(count, dtype=np.int32)[:, None] * FEATURES + _cell_slots()[None]
    votes = np.bincount((slot.ravel() + low % BINS), size.ravel() - share, minlength=count * FEATURES)
    votes += np.bincount((slot.ravel() + (low + 1) % BINS), share, minlength=count * FEATURES)
    cells = votes.astype(np.float32).reshape(count, side, side, BINS)
    power = np.pad((cells**2).sum(axis=3), ((0, 0), (1, 1), (1, 1)))
    nearby = sum(power[:, dy : dy + side, dx : dx + side] for dy in range(3) for dx in range(3))
    overall = power.mean(axis=(1, 2))[:, None, None]
    normal = np.sqrt(np.asarray(nearby) + 2 * overall + 1e2)[..., None]
    return np.asarray(np.minimum(cells / normal, 0.5).reshape(count, -1), dtype=np.float32)


def turned_over(features: Floats) -> Floats:
    """Describe the same patches standing on their heads: cells in reverse order, directions as they were."""
    return np.ascontiguousarray(features.reshape(len(features), -1, BINS)[:, ::-1]).reshape(len(features), -1)


@cache
def _cell_slots() -> NDArray[np.int32]:
    """Give for each pixel of a patch where its cell's histogram begins."""
    line = np.arange(PATCH, dtype=np.int32) // CELL
    return ((line[:, None] * (PATCH // CELL) + line[None]) * BINS).ravel().astype(np.int32)


def read_patches(features: Floats) -> Floats:
    """Give (N, 21) chances: the numbers in the order of the board, and no (upright) number at all."""
    answer = features
    weights = _weights()
    for layer in range(0, len(weights), 2):
        answer = answer @ weights[layer] + weights[layer + 1]
        if layer < len(weights) - 2:
            answer = np.maximum(answer, 0)
    answer = np.exp(answer - answer.max(axis=1, keepdims=True))
    return np.asarray(answer / answer.sum(axis=1, keepdims=True), dtype=np.float32)


@cache
def _weights() -> tuple[Floats, ...]:
    with np.load(asset("models/board-numbers.npz")) as stored:
        return tuple(stored[name].astype(np.float32) for name in sorted(stored.files))
