"""The learned tip finder: a heat map over the whole board says where to look, a small patch says where exactly.

Both networks see the board redrawn in its own coordinates (`vision.darts.canvas`), the picture after and the one
before the throw (zeros and a flag where there is none), and give places in millimetres with a covariance that was
learned with them (negative log likelihood). Made by `vision.train`; cards in `models/`.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from vision.assets import asset
from vision.darts.canvas import Canvas, Picture, redraw
from vision.geometry import PlaneMap

Array = NDArray[np.float64]
Batch = NDArray[np.float32]

FIND = Canvas(centre_mm=(0.0, 0.0), mm_per_px=1.6, size=288)
"""The whole board and the number ring: 230 mm to each side."""

PATCH_MM_PER_PX = 0.5
PATCH_SIZE = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What counts as found.

    Attributes
    ----------
    peak
        Height of the heat map from which a place is looked at closely. Low on purpose: the patch decides.
    present
        Chance from the patch from which a tip is reported.
    apart_mm
        Two answers nearer than this are one tip.
    looks
        Places looked at in one picture, the highest first.
    """

    peak: float = 0.12
    present: float = 0.2
    apart_mm: float = 2.5
    looks: int = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LearnedTip:
    """A tip on the board.

    Attributes
    ----------
    xy_mm
        (2,) board frame.
    cov_mm
        (2, 2) mm².
    chance
        That there is a tip of a new dart.
    """

    xy_mm: Array
    cov_mm: Array
    chance: float


def find_tips(
    after: Picture, plane: PlaneMap, before: Picture | None = None, *, limits: Limits | None = None
) -> list[LearnedTip]:
    """Find the tips that are new since `before`, or all tips where there is no `before`.

    Parameters
    ----------
    after, before
        (H, W, 3) BGR of the same camera, aligned to each other.
    plane
        The board in them (mm).
    limits
        What counts as found.

    Returns
    -------
    list
        Tips, the surest first.
    """
    limits = limits or Limits()
    whole = stack(redraw(after, plane, FIND), None if before is None else redraw(before, plane, FIND))
    heat = _sigmoid(_session("dart-find").run(None, {"seen": whole[None]})[0][0, 0].astype(np.float64))
    tips = [_look(after, plane, before, xy_mm) for xy_mm in peaks(heat, limits)]
    kept: list[LearnedTip] = []
    for tip in sorted(tips, key=lambda found: -found.chance):
        apart = all(np.linalg.norm(tip.xy_mm - other.xy_mm) > limits.apart_mm for other in kept)
        if tip.chance >= limits.present and apart:
            kept.append(tip)
    return kept


def stack(after: Picture, before: Picture | None) -> Batch:
    """Lay a redrawn pair as the networks take it, (7, S, S): BGR after, BGR before, whether there is one."""
    size = after.shape[0]
    seen = np.zeros((7, size, size), np.float32)
    seen[:3] = after.transpose(2, 0, 1) / np.float32(127.5) - 1
    if before is not None:
        seen[3:6] = before.transpose(2, 0, 1) / np.float32(127.5) - 1
        seen[6] = 1
    return seen


def peaks(heat: Array, limits: Limits) -> Array:
    """Give the (N, 2) mm of the local maxima of a heat map of half `FIND`'s side, the highest first."""
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= top) & (heat >= limits.peak))
    order = np.argsort(-heat[ys, xs])[: limits.looks]
    places = [_centroid(heat, int(x), int(y)) for x, y in zip(xs[order], ys[order], strict=True)]
    return FIND.to_mm(np.reshape(places, (-1, 2)) * 2 + 0.5)


def _centroid(heat: Array, x: int, y: int) -> tuple[float, float]:
    x0, y0 = max(x - 1, 0), max(y - 1, 0)
    part = heat[y0 : y + 2, x0 : x + 2]
    ys, xs = np.mgrid[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]]
    return float((xs * part).sum() / part.sum()), float((ys * part).sum() / part.sum())


def _look(after: Picture, plane: PlaneMap, before: Picture | None, xy_mm: Array) -> LearnedTip:
    window = Canvas(centre_mm=(float(xy_mm[0]), float(xy_mm[1])), mm_per_px=PATCH_MM_PER_PX, size=PATCH_SIZE)
    seen = stack(redraw(after, plane, window), None if before is None else redraw(before, plane, window))
    return tip_of(_session("dart-tip").run(None, {"seen": seen[None]})[0][0], xy_mm)


def tip_of(answer: NDArray[np.float32], centre_mm: Array) -> LearnedTip:
    """Read the patch network's six numbers (see `vision.train.nets.PointInPatch`)."""
    x, y, log_a, log_c, b, there = answer.astype(np.float64)
    unit = PATCH_SIZE / 2 * PATCH_MM_PER_PX
    root = np.array([[np.exp(log_a), 0], [b, np.exp(log_c)]])
    flip = np.diag([unit, -unit])
    cov = flip @ np.linalg.inv(root @ root.T) @ flip.T
    return LearnedTip(
        xy_mm=centre_mm + np.array([x, -y]) * unit, cov_mm=cov, chance=float(_sigmoid(np.array(there)))
    )


def _sigmoid(logit: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-logit)))


@cache
def _session(name: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(asset(f"models/{name}.onnx"), options, providers=["CPUExecutionProvider"])
