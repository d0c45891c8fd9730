"""The disc on its way: where it was in each frame of a shot, and which cushions it touched.

A disc crosses the board in a third of a second, so a cushion is rarely in a frame: it is told by the disc turning
back from a rail that it was near enough to reach. A hit on a pin turns it back too, but anywhere on the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.light import Floats, Picture, log_of
from vision.finn.pins import Body
from vision.finn.state import BOARD_CM, Place
from vision.finn.trail import Spots

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackLimits:
    """What is the disc, and what a cushion.

    Attributes
    ----------
    changed
        Difference of logarithms from the picture at rest of a pixel that the disc may be at.
    colour
        Difference from the disc's own colour, brightness apart, up to which a pixel is it; brightness may differ
        by `light`.
    bright
        What brightness counts against colour where a pixel has to be more like the disc than it was at rest: where
        the disc or an arm was and is no more, something else came to light.
    shown
        Of a disc as large as it is so much may be seen where it waits, at least and at most: what is more is
        something else of its colour.
    least_share, most_share
        Of the disc's area that has to be seen, a piece of it may be hidden by a pin; more, blurred by its speed,
        is an arm.
    spots
        So many pieces of the likeliest sizes are given of each frame.
    left
        Share of where it waited that has to change before it has left.
    reach_cm
        The ways there and back have to meet so near to where the disc touches the cushion.
    over_cm
        Places are seen less exactly than this.
    turn_cm
        It comes and goes by so much a frame, else it has just stopped.
    near_start_cm, went_cm
        A disc that was shot is seen first so near to where it waited, and later so much farther up the board; one
        that a hand brings back comes from afar.
    """

    changed: float = 0.15
    colour: float = 0.3
    light: float = 0.7
    bright: float = 0.3
    shown: tuple[float, float] = (0.7, 1.6)
    least_share: float = 0.3
    most_share: float = 6.0
    spots: int = 8
    left: float = 0.5
    reach_cm: float = 3.0
    over_cm: float = 2.0
    turn_cm: float = 0.25
    near_start_cm: float = 45.0
    went_cm: float = 12.0


LIMITS: Final = TrackLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The disc in one frame: index, time in ms and place in cm."""

    frame: int
    t_ms: int
    xy_cm: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Cushion:
    """A touch: the frame before which it came at the latest, and the rail, `right` (y 0) or `left`."""

    frame: int
    rail: str


@dataclass(frozen=True, slots=True)
class BoardCut:
    """The part of the pictures with the board in it, at half their size: (rows, columns) of the whole picture."""

    rows: slice
    columns: slice

    def of(self, picture: Picture) -> Picture:
        """Cut a picture, (H, W, 3) BGR."""
        part = picture[self.rows, self.columns]
        size = (part.shape[1] // 2, part.shape[0] // 2)
        return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)


def board_cut(camera: Camera, margin_cm: float = 6.0) -> BoardCut:
    """Give the part of the picture that holds the board and a margin."""
    corners = np.concatenate([np.column_stack([board_outline(margin_cm), np.full(4, z)]) for z in (0.0, 2.0)])
    seen = camera.to_px(corners)
    low, high = np.floor(seen.min(axis=0)).astype(int), np.ceil(seen.max(axis=0)).astype(int)
    return BoardCut(slice(max(0, int(low[1])), int(high[1])), slice(max(0, int(low[0])), int(high[0])))


def board_outline(margin_cm: float = 0.0) -> Array:
    """Give the corners, (4, 2) cm, of the board and a margin."""
    long, wide = BOARD_CM[0] + margin_cm, BOARD_CM[1] + margin_cm
    return np.array([[-margin_cm, -margin_cm], [long, -margin_cm], [long, wide], [-margin_cm, wide]])


class DiscTracker:
    """Looks for the disc in frame after frame of one shot; all pictures are cut by the same `BoardCut`."""

    def __init__(self, rest: Picture, start: Place, cut: BoardCut, camera: Camera, disc: Body) -> None:
        self._camera, self._disc, self._cut = camera, disc, cut
        self._rest = log_of(rest)
        self._spot = self._spots(start)
        self._colour = np.asarray(np.median(self._rest[self._spot[:, 1], self._spot[:, 0]], axis=0), np.float32)
        scale = camera.px_per_cm((58.5, 24.5, 0.0)) / 2
        colour, light = self._unlike(cv2.split(self._rest))
        area = float(np.pi * (disc.radius_cm * scale) ** 2)
        self._area = area * float(np.clip(self._shown((colour, light)) / area, *LIMITS.shown))
        self._was = colour + LIMITS.bright * light
        self._left = False

    def look(self, picture: Picture) -> Spots:
        """Give where the disc may be."""
        now = log_of(picture)
        planes = cv2.split(now)
        changed = _largest(cv2.split(cv2.absdiff(now, self._rest))) > LIMITS.changed
        if self._waits(changed):
            return Spots(np.zeros((0, 2)), np.zeros(0))
        colour, light = self._unlike(planes)
        nearer = colour + LIMITS.bright * light < self._was
        mask = (changed & nearer & (colour < LIMITS.colour) & (light < LIMITS.light)).astype(np.uint8)
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8)
        count, _, stats, middles = cv2.connectedComponentsWithStats(mask)
        share = stats[1:count, cv2.CC_STAT_AREA] / self._area
        like = np.flatnonzero((share >= LIMITS.least_share) & (share <= LIMITS.most_share))
        like = like[np.argsort(np.abs(np.log(share[like])), kind="stable")][: LIMITS.spots]
        px = (middles[1:][like] + 0.5) * 2 - 0.5 + (self._cut.columns.start, self._cut.rows.start)
        return Spots(self._camera.to_plane(px, self._disc.height_cm / 2), np.asarray(share[like], np.float64))

    def _shown(self, unlike: tuple[Floats, Floats]) -> float:
        """Give the area, px, that is seen of it where it waits: bright ones outshine their rims."""
        colour, light = unlike
        mask = ((colour < LIMITS.colour) & (light < LIMITS.light)).astype(np.uint8)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        mine = labels[self._spot[:, 1], self._spot[:, 0]]
        return float(stats[np.bincount(mine[mine > 0]).argmax(), cv2.CC_STAT_AREA]) if mine.any() else 0.0

    def _waits(self, changed: NDArray[np.bool_]) -> bool:
        """Say whether it still waits where it began, where nothing has changed."""
        if not self._left:
            self._left = bool(changed[self._spot[:, 1], self._spot[:, 0]].mean() > LIMITS.left)
        return not self._left

    def _unlike(self, planes: Sequence[NDArray[Any]]) -> tuple[Floats, Floats]:
        """Give (h, w) each: how far colours, and brightness, are from the disc's."""
        ratio = [plane - own for plane, own in zip(planes, self._colour, strict=True)]
        light = (ratio[0] + ratio[1] + ratio[2]) / np.float32(3)
        return _largest([cv2.absdiff(plane, light) for plane in ratio]), np.abs(light)

    def _spots(self, start: Place) -> NDArray[np.intp]:
        """Give pixels, (N, 2), of the disc where it waits."""
        turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
        ring = np.column_stack([np.cos(turn), np.sin(turn)])
        points = np.concatenate([ring * self._disc.radius_cm * part + start for part in (0.0, 0.3, 0.6)])
        px = self._camera.to_px(np.column_stack([points, np.full(len(points), self._disc.height_cm)]))
        at = np.round((px - (self._cut.columns.start, self._cut.rows.start)) / 2).astype(np.intp)
        height, width = self._rest.shape[:2]
        at[:, 0], at[:, 1] = np.clip(at[:, 0], 0, width - 1), np.clip(at[:, 1], 0, height - 1)
        return np.asarray(at, np.intp)


def _largest(planes: Sequence[NDArray[Any]]) -> Floats:
    """Give (h, w): the largest of three channels, each (h, w), in a tenth of the time of an axis of three."""
    return np.asarray(cv2.max(cv2.max(planes[0], planes[1]), planes[2]), np.float32)


def cushions_of(track: Sequence[Sighting], disc: Body) -> tuple[Cushion, ...]:
    """Give the cushions that a disc touched, in order.

    Parameters
    ----------
    track
        Where it was, frame by frame; frames where it was not seen are left out.
    disc
        Its size.
    """
    found: list[Cushion] = []
    for k in range(1, len(track) - 2):
        came, goes = _line(track[k - 1], track[k]), _line(track[k + 1], track[k + 2])
        if came.slope * goes.slope >= 0 or min(abs(came.slope), abs(goes.slope)) < LIMITS.turn_cm:
            continue
        frame = (goes.start - came.start) / (came.slope - goes.slope)
        meets = came.start + came.slope * frame
        left = came.slope > 0
        edge = BOARD_CM[1] - disc.radius_cm if left else disc.radius_cm
        within = track[k].frame - 1 <= frame <= track[k + 1].frame + 1
        on_board = all(0 < one.xy_cm[0] < BOARD_CM[0] and -1 < one.xy_cm[1] < 50 for one in track[k : k + 2])
        again = bool(found) and frame - found[-1].frame < 1
        if within and on_board and abs(meets - edge) < LIMITS.reach_cm and not again:
            found.append(Cushion(frame=int(np.ceil(frame)), rail="left" if left else "right"))
    return tuple(found)


def over_a_rail(track: Sequence[Sighting]) -> bool:
    """Say whether a disc was seen last beyond a rail: it may have touched that on its way over it, or not."""
    if not track:
        return False
    x, y = track[-1].xy_cm
    return 0 < x < BOARD_CM[0] and max(-y, y - BOARD_CM[1]) > LIMITS.over_cm


def went_off(track: Sequence[Sighting]) -> bool:
    """Say whether a disc was seen on its way up the board, from where it waited, the first place."""
    if len(track) < 3:
        return False
    start, first, *later = (one.xy_cm for one in track)
    near = np.hypot(first[0] - start[0], first[1] - start[1]) < LIMITS.near_start_cm
    return bool(near and any(xy[0] > first[0] + LIMITS.went_cm for xy in later))


@dataclass(frozen=True, slots=True)
class _Line:
    """Across the board by frame: y = start + slope * frame, cm."""

    start: float
    slope: float


def _line(first: Sighting, second: Sighting) -> _Line:
    slope = (second.xy_cm[1] - first.xy_cm[1]) / max(1, second.frame - first.frame)
    return _Line(first.xy_cm[1] - slope * first.frame, slope)
