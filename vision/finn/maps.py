"""What each pixel of the redrawn board shows, by the network that `vision.train.finn` trains.

The network sees the board from above after the shot and before it, where pins stood, and how what stands leans
away from the camera. It says of each pixel what is there, and of pins where their middle is and how they point.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.finn.bird import Bird, Floats, Mask, Picture
from vision.finn.table import painted
from vision.models import network

KINDS: Final = ("bare", "upright", "lying", "leaning", "disc")
CHANNELS: Final = 12
ANSWERS: Final = 9
OFFSET_PX: Final = 16.0
"""Unit of the way to the middle."""

LENGTH_PX: Final = 22.0
"""Unit of the length of a pin."""

DIFFERENT: Final = np.float32(3.0)
"""Differences from the bare table are shown so many times as large as what is seen."""

_LOG: Final = ((np.log(np.arange(256, dtype=np.float32) + 16) - 4.5) / 0.8).astype(np.float32).reshape(1, 256)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Maps:
    """The network's answer.

    Attributes
    ----------
    chances
        (5, H, W) of each of `KINDS`.
    middle_px
        (2, H, W) from here to the middle of the body that is seen here.
    double_px
        (2, H, W) length of its axis as it is seen, as a vector of twice its angle: head and foot look alike.
    """

    chances: Floats
    middle_px: Floats
    double_px: Floats


def stack(before: Picture, after: Picture, known: Mask, slant: Floats) -> Floats:
    """Lay a redrawn pair as the network takes it, (12, H, W).

    The picture after, in the light of the one before; the one before; where pins stood; how what stands leans; and
    how the picture after differs from the bare table.
    """
    first, second = (np.asarray(cv2.LUT(one, _LOG), np.float32) for one in (before, after))
    second += np.median((first - second)[::4, ::4].reshape(-1, 3), axis=0)
    other = DIFFERENT * (second - painted(first, known))
    seen = [second.transpose(2, 0, 1), first.transpose(2, 0, 1), known[None].astype(np.float32), slant]
    return np.concatenate([*seen, np.clip(other, -2, 2).transpose(2, 0, 1)]).astype(np.float32)


def maps_of(bird: Bird, before: Picture, after: Picture, known: Mask) -> Maps:
    """Ask the network about two redrawn pictures, (H, W, 3) BGR: as they are and in a mirror, every way."""
    seen = stack(before, after, known, bird.slant())
    answers = []
    for along in (1, -1):
        for across in (1, -1):
            turned = np.ascontiguousarray(seen[:, ::across, ::along])
            turned[7] *= along
            turned[8] *= across
            said = network("finn-pins").run(None, {"seen": turned[None]})[0][0][:, ::across, ::along]
            answers.append(unpacked(said, along, across))
    return Maps(
        chances=_mean([one.chances for one in answers]),
        middle_px=_mean([one.middle_px for one in answers]),
        double_px=_mean([one.double_px for one in answers]),
    )


def _mean(parts: list[Floats]) -> Floats:
    return np.asarray(sum(parts[1:], parts[0].copy()) / len(parts), np.float32)


def unpacked(said: Floats, along: int = 1, across: int = 1) -> Maps:
    """Read the network's (9, H, W) numbers, of a board that was mirrored along x or y where those are -1."""
    odds = np.exp(said[:5] - said[:5].max(axis=0))
    ways = np.array([along, across], np.float32)[:, None, None]
    turns = np.array([1, along * across], np.float32)[:, None, None]
    return Maps(
        chances=odds / odds.sum(axis=0),
        middle_px=said[5:7] * ways * OFFSET_PX,
        double_px=said[7:9] * turns * LENGTH_PX,
    )
