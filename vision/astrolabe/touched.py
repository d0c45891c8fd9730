"""Tells whether a hand that is over the Play Line meets a ball that rolls there (AS-37).

Every frame shows free balls and bodies that reach in. A ball that rolls toward a body is expected to come out of
it where it would have come without it; one that does not was touched.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.colours import core_bgr, shade_of, strangeness
from vision.astrolabe.line import Strip, other_than
from vision.astrolabe.reading import Table
from vision.astrolabe.teaching import Colours
from vision.astrolabe.view import PX_PER_CM

Picture = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Point = tuple[float, float]

_EVERY: Final = 2
_PX: Final = PX_PER_CM / _EVERY
"""Pixels a centimetre of what is looked at: half as fine as the flat picture, for every frame counts."""


@dataclass(frozen=True, slots=True)
class TouchedLimits:
    """What meets, and what comes of it.

    Attributes
    ----------
    ball_cm2
        A free ball covers from so much to so much: what is dark or bright on it alone, to a smear of its motion.
    rolls_cm_s
        A ball that is slower than this may be one that somebody holds.
    near_cm
        A ball is found again this near to where it should be, or within half of what it moved.
    beside_cm
        A ball is met by a body that is this near.
    clear_ms, held_ms
        After so long it should have come out of the body, where that leaves its way free; after so long anyhow.
    """

    ball_cm2: tuple[float, float] = (0.8, 16.0)
    rolls_cm_s: float = 20.0
    near_cm: float = 3.0
    beside_cm: float = 0.7
    clear_ms: int = 120
    held_ms: int = 500


LIMITS: Final = TouchedLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rolling:
    """A free ball: where, how fast (cm/s; None: seen once), when, whose by its colour."""

    at: Point
    speed: Point | None
    t_ms: int
    side: int

    def after(self, t_ms: int) -> Point:
        """Where it will be if nothing meets it."""
        assert self.speed is not None
        seconds = (t_ms - self.t_ms) / 1000
        return self.at[0] + self.speed[0] * seconds, self.at[1] + self.speed[1] * seconds

    @property
    def rolls(self) -> bool:
        """Whether it is known to roll."""
        return self.speed is not None and float(np.hypot(*self.speed)) >= LIMITS.rolls_cm_s


class MovingBalls:
    """Follows the balls that roll over a table while something moves on it.

    Attributes
    ----------
    touched
        Since `begin`, a body met a ball that rolled beyond the Play Line.
    touched_side
        Whose ball it was, by its colour.
    """

    def __init__(self, table: Table) -> None:
        view, self._colours = table.view, table.colours
        self._strip = Strip(np.ascontiguousarray(view.map_px[::_EVERY, ::_EVERY]))
        self._line_px = round(view.table.play_line_y_cm * _PX)
        self._length_cm = view.table.table_cm[1]
        self._reach = np.ones((2 * round(LIMITS.beside_cm * _PX) + 1,) * 2, np.uint8)
        self.begin()

    def rest(self, flat: Picture) -> None:
        """Take a picture seen flat, (h, w, 3) BGR, as what the table looks like at rest."""
        self._strip.rest(np.ascontiguousarray(flat[::_EVERY, ::_EVERY]))

    def begin(self) -> None:
        """Forget what rolled: another shot begins."""
        self._rolling: list[_Rolling] = []
        self._met: list[_Rolling] = []
        self.touched = False
        self.touched_side: int | None = None

    def look(self, picture: Picture, t_ms: int) -> None:
        """Take the next frame, (H, W, 3) BGR."""
        body, balls = self._parts(picture)
        free, rolling = [at for at, _ in balls], []
        for at, side in balls:
            was = [ball for ball in self._rolling if _near(ball, at, t_ms)]
            before = min(was, key=lambda ball: _far(ball.at, at), default=None)
            seconds = (t_ms - before.t_ms) / 1000 if before else 0.0
            speed = ((at[0] - before.at[0]) / seconds, (at[1] - before.at[1]) / seconds) if before else None
            rolling.append(_Rolling(at=at, speed=speed, t_ms=t_ms, side=side))
        self._met = [ball for ball in self._met if not self._judged(ball, body, free, t_ms)]
        self._met += [ball for ball in self._rolling if ball.rolls and self._meets(ball, body, free, t_ms)]
        self._rolling = rolling

    def _meets(self, ball: _Rolling, body: Mask, free: list[Point], t_ms: int) -> bool:
        """Say whether a ball that was free is where a body is now, beyond the Play Line."""
        at = ball.after(t_ms)
        return not any(_far(at, other) < LIMITS.near_cm for other in free) and self._in(body, at)

    def _judged(self, ball: _Rolling, body: Mask, free: list[Point], t_ms: int) -> bool:
        """Say whether it is known what became of a ball that met a body."""
        at, since = ball.after(t_ms), t_ms - ball.t_ms
        if any(_far(at, other) < LIMITS.near_cm + 0.03 * since * LIMITS.near_cm for other in free):
            return True
        over = since >= LIMITS.held_ms or (since >= LIMITS.clear_ms and not self._in(body, at))
        if over:
            self.touched, self.touched_side = True, ball.side
        return over

    def _in(self, body: Mask, at: Point) -> bool:
        row, column = round(at[1] * _PX - 0.5), round(at[0] * _PX - 0.5)
        inside = self._line_px <= row < body.shape[0] and 0 <= column < body.shape[1]
        return inside and bool(body[row, column])

    def _parts(self, picture: Picture) -> tuple[Mask, list[tuple[Point, int]]]:
        """Give the mask of bodies that reach in over the Play Line; of what lies free its middle (cm) and side."""
        seen = self._strip.seen(picture)
        mask = other_than(self._strip.differs(seen))
        count, labels, stats, middles = cv2.connectedComponentsWithStats(mask)
        body = np.zeros_like(mask)
        free = []
        for k in range(1, count):
            top, height, area = int(stats[k][1]), int(stats[k][3]), float(stats[k][4]) / _PX**2
            if top <= 1 and top + height > self._line_px:
                body |= (labels == k).astype(np.uint8)
            elif LIMITS.ball_cm2[0] <= area <= LIMITS.ball_cm2[1]:
                at = ((float(middles[k][0]) + 0.5) / _PX, (float(middles[k][1]) + 0.5) / _PX)
                free.append((at, _side_of(seen[labels == k], self._colours)))
        return np.asarray(cv2.dilate(body, self._reach), np.uint8), free


def _side_of(pixels: Picture, colours: Colours) -> int:
    """Give whose colour the pixels, (N, 3), of a ball fit better."""
    shade = shade_of(core_bgr(pixels))
    fits = [np.inf if side is None else strangeness(shade, side) for side in colours.sides]
    return int(np.argmin(fits))


def _near(ball: _Rolling, at: Point, t_ms: int) -> bool:
    if ball.speed is None:
        return _far(ball.at, at) <= 2 * LIMITS.near_cm
    moved = _far(ball.at, ball.after(t_ms))
    return _far(ball.after(t_ms), at) <= max(LIMITS.near_cm, moved / 2)


def _far(one: Point, other: Point) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))
