"""Whether a ball lies at a place, and whose, by a network: what shows a dark ball on dark ground is its gleam.

The network (`vision.train.table_balls`) sees a place as a ball there would fill it, with what is beside, and how
much likelier each pixel is of either side's balls than of this table: it knows what balls look like, not which
colours they have.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.astrolabe.likeness import LIMITS as LIKENESS
from vision.astrolabe.likeness import bins_of, looked_up_at
from vision.astrolabe.looks import Looker
from vision.models import network

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]

SIDE: Final = 40
"""Side of what the network sees, px."""

REACH: Final = 2.2
"""Half of it, in radii of a ball: a ball that touches shows whole enough to be known for another one."""

CHANNELS: Final = 5
ANSWERS: Final = 3
"""No ball, one of the first side, one of the other."""

_UNIT: Final = 0.8
"""Of logarithms, as the network sees them."""

_LOG: Final = (np.log(np.arange(256, dtype=np.float32) + 12) / _UNIT).astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Told:
    """What the network says of places: (N,) chance of a ball, and that it is the other side's if it is one."""

    ball: Array
    second: Array


def ask(looker: Looker, xy_cm: ArrayLike) -> Told:
    """Ask about places of a picture, (N, 2) cm, where a ball shows on the flat picture if there is one."""
    places = np.asarray(xy_cm, np.float64).reshape(-1, 2)
    if not len(places):
        return Told(ball=np.zeros(0), second=np.zeros(0))
    said = network("table-balls").run(None, {"seen": shown(*raw(looker, places))})[0].astype(np.float64)
    odds = np.exp(said - said.max(axis=1, keepdims=True))
    balls = odds[:, 1] + odds[:, 2]
    return Told(ball=balls / (balls + odds[:, 0]), second=odds[:, 2] / np.maximum(balls, 1e-12))


def raw(looker: Looker, xy_cm: Array) -> tuple[Picture, Floats]:
    """Cut places out: (N, SIDE, SIDE, 3) BGR, and (N, 2, SIDE, SIDE) likeness to either side's balls."""
    patches = looker.wide_patches(xy_cm, REACH, SIDE)
    bins, gutter = bins_of(patches), looker.in_gutters(xy_cm)
    like = np.empty((len(xy_cm), 2, SIDE, SIDE), np.float32)
    for there, tables in ((gutter, looker.likeness.gutter), (~gutter, looker.likeness.board)):
        if there.any():
            for side in (0, 1):
                like[there, side] = looked_up_at(tables[side], bins[there])
    return patches, like


def shown(patches: Picture, like: Floats) -> Floats:
    """Lay places as the network takes them, (N, 5, SIDE, SIDE): colours beside the patch's own light, likeness."""
    out = np.empty((len(patches), CHANNELS, SIDE, SIDE), np.float32)
    logs = np.take(_LOG, patches)
    logs -= logs.reshape(len(logs), -1).mean(axis=1)[:, None, None, None]
    out[:, :3] = logs.transpose(0, 3, 1, 2)
    np.multiply(like, np.float32(1 / LIKENESS.most), out=out[:, 3:])
    return out
