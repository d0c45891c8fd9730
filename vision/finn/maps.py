"""What each pixel of the redrawn board shows, by the network that `vision.train.finn` trains.

The network sees the board from above after the shot and before it, where pins stood, and how what stands leans
away from the camera. It says of each pixel what is there, and of pins where their middle is and how they point.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.bird import SIZE, Bird, Floats, Mask, Picture
from vision.finn.light import in_light_of
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

_UNIT: Final = 0.8
"""Of logarithms, as the network sees them."""

_LOG: Final = ((np.log(np.arange(256, dtype=np.float32) + 16) - 4.5) / _UNIT).astype(np.float32).reshape(1, 256)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTuning:
    """What of a board the network is asked about.

    Attributes
    ----------
    bare
        Less of a difference from the bare table (as the network sees it) is noise.
    margin_px
        The network sees about so far around a pixel.
    step_px
        It takes multiples of this.
    """

    bare: float = 0.4
    margin_px: int = 28
    step_px: int = 16


TUNING: Final = MapTuning()


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
    how the picture after differs from the bare table, the one before with its pins painted over.
    """
    first = np.asarray(cv2.LUT(before, _LOG), np.float32)
    second = np.asarray(cv2.LUT(after, in_light_of(first[::4, ::4], after[::4, ::4], _LOG)), np.float32)
    other = DIFFERENT * (second - painted(first, known))
    seen = [second.transpose(2, 0, 1), first.transpose(2, 0, 1), known[None].astype(np.float32), slant]
    return np.concatenate([*seen, np.clip(other, -2, 2).transpose(2, 0, 1)]).astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Base:
    """What the network is shown of the picture before, made ready.

    Attributes
    ----------
    was
        (H, W, 3) the redrawn picture as the network sees it.
    fixed
        (6, H, W): that, where pins stood, and how what stands leans.
    table
        (H, W, 3) the bare table: that with its pins painted over.
    stands_out
        By how much pins differ from it: three quarters of their pixels at least so much, logarithms of brightness.
    """

    was: Floats
    fixed: Floats
    table: Floats
    stands_out: float


def base_of(bird: Bird, before: Picture, stood: NDArray[np.int16]) -> Base:
    """Make a redrawn picture ready of which each pixel is a pin's, (H, W), -1 for none."""
    known = (stood >= 0).astype(np.uint8)
    was = np.asarray(cv2.LUT(before, _LOG), np.float32)
    fixed = np.concatenate([was.transpose(2, 0, 1), known[None].astype(np.float32), bird.slant()])
    table = painted(was, known)
    pins = np.abs(was - table).max(axis=2)[known > 0]
    stands_out = _UNIT * float(np.quantile(pins, 0.25)) if len(pins) else 0.0
    return Base(was=was, fixed=fixed, table=table, stands_out=stands_out)


TURNS: Final = ((1, 1), (-1, -1))
"""Mirrored ways in which the network is asked: all four cost twice as much and gave no more on 72 shots."""


def maps_of(base: Base, after: Picture) -> Maps:
    """Ask the network about a redrawn picture, (H, W, 3) BGR, where it and the one before show no bare table."""
    levels = in_light_of(base.was[::4, ::4], after[::4, ::4], _LOG)
    now = np.asarray(cv2.LUT(after, levels), np.float32)
    chances = np.zeros((len(KINDS), SIZE[1], SIZE[0]), np.float32)
    chances[0] = 1
    ways = np.zeros((4, SIZE[1], SIZE[0]), np.float32)
    for part in _busy(np.asarray(cv2.absdiff(now, base.table), np.float32), base.fixed[3] > 0):
        rows, columns = part
        answers = [_asked(_shown(base, now, part), along, across) for along, across in TURNS]
        chances[:, rows, columns] = _mean([one.chances for one in answers])
        ways[:2, rows, columns] = _mean([one.middle_px for one in answers])
        ways[2:, rows, columns] = _mean([one.double_px for one in answers])
    return Maps(chances=chances, middle_px=ways[:2], double_px=ways[2:])


def _shown(base: Base, now: Floats, part: tuple[slice, slice]) -> Floats:
    """Give a part of what `stack` lays."""
    other = np.clip(DIFFERENT * (now[part] - base.table[part]), -2, 2)
    seen = now[part].transpose(2, 0, 1), base.fixed[:, part[0], part[1]], other.transpose(2, 0, 1)
    return np.concatenate(seen)


def _asked(seen: Floats, along: int, across: int) -> Maps:
    turned = np.ascontiguousarray(seen[:, ::across, ::along])
    turned[7] *= along
    turned[8] *= across
    said = network("finn-pins").run(None, {"seen": turned[None]})[0][0][:, ::across, ::along]
    return unpacked(said, along, across)


def _busy(other: Floats, known: NDArray[np.bool_]) -> list[tuple[slice, slice]]:
    """Give the parts of what the network is shown that are not the bare table, with margins, as it takes them.

    Takes the differences from that, (H, W, 3), and where pins stood. What lies far apart along the board, as the
    disc and the pins at the start, is looked at apart.
    """
    blue, green, red = cv2.split(other)
    most = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    new = (most > TUNING.bare / DIFFERENT).astype(np.uint8)
    new = np.asarray(cv2.morphologyEx(new, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    shown = (new > 0) | known
    columns = np.flatnonzero(shown.any(axis=0))
    parts = []
    for stretch in np.split(columns, np.flatnonzero(np.diff(columns) > 3 * TUNING.margin_px) + 1):
        if len(stretch):
            left, right = int(stretch[0]), int(stretch[-1]) + 1
            rows = np.flatnonzero(shown[:, left:right].any(axis=1))
            top, height = int(rows[0]), int(rows[-1] + 1 - rows[0])
            parts.append((_stretch(top, height, SIZE[1]), _stretch(left, right - left, SIZE[0])))
    return parts


def _stretch(first: int, length: int, whole: int) -> slice:
    low, high = max(0, first - TUNING.margin_px), min(whole, first + length + TUNING.margin_px)
    size = min(whole, -(-(high - low) // TUNING.step_px) * TUNING.step_px)
    low = min(low, whole - size)
    return slice(low, low + size)


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
