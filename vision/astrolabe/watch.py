"""Astrolabe's part of the loop: pictures at rest to shots, hands, fouls at the Play Line.

A ball is small: where it rolls the coarse look of the loop often sees nothing move. So while a shot is open the
table is looked at closely ten times a second, and a shot ends when nothing has moved for a while, or when a hand
comes in. What counts is what lies on the table then, against what lay there before. Balls lifted by hand are no
shots; whatever is doubtful is given all the same and says so in its `review`. Fouls are proposed, never applied: a
body over the Play Line, a hand that meets a rolling ball, a table that is struck or lifted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.balls import Balls, find_balls
from vision.astrolabe.changed import compare_flat, covered
from vision.astrolabe.line import PlayLine
from vision.astrolabe.moves import difference, spots_of
from vision.astrolabe.reading import AstrolabeReading, Table, open_table, reading_between
from vision.astrolabe.shaken import TableWatch
from vision.astrolabe.touched import MovingBalls
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame
from vision.phases import Scene
from vision.setup import Setup

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLimits:
    """When a shot begins and ends.

    Attributes
    ----------
    hand_cm
        A hand fills a square of this side, a ball does not.
    look_ms
        While nothing seems to move the table is looked at closely this often: a slow dark ball may be coming.
    check_ms
        While a shot is open, this often.
    still_ms
        Nothing moved for so long: the shot is over. At a wall a ball turns round in less than 0.2 s.
    interrupted_ms
        If a hand comes in earlier than that, the shot was over if nothing had moved for so long.
    moved_cm2
        A piece of change as large as this is a ball that moved, by half a centimetre or more.
    hand_cm2
        One as large as this is a hand.
    foul_frames, foul_ms
        A body over the Play Line in so many frames, or for so long where frames are few, is a foul.
    struck_frames
        A table that moved in so many frames was struck, or lifted: once may be a frame that is torn.
    """

    hand_cm: float = 8.0
    look_ms: int = 500
    check_ms: int = 100
    still_ms: int = 600
    interrupted_ms: int = 300
    moved_cm2: float = 0.8
    hand_cm2: float = 12.0
    foul_frames: int = 3
    foul_ms: int = 150
    struck_frames: int = 2


LIMITS: Final = WatchLimits()


@dataclass(slots=True, kw_only=True)
class _Open:
    """Something that has begun and is not over.

    Attributes
    ----------
    began
        Index and time, ms, of the frame where it began to show.
    flat
        The table at the last close look.
    looked_ms
        When that was.
    hands
        Hands were in it.
    still
        The frame since which nothing has moved, or None.
    rest
        The last frame of that stillness.
    crossed
        Index and time of the frame in which a ball came over the Play Line.
    over, over_ms
        Frames in which a body was over the line, and when the first of them was.
    struck, struck_cm, camera_rests
        Frames in which the table had moved, how far at most, and whether the camera is known to have stood still.
    """

    began: tuple[int, int]
    flat: Picture
    looked_ms: int
    hands: bool = False
    still: Frame | None = None
    rest: Frame | None = None
    crossed: tuple[int, int] | None = None
    over: int = 0
    over_ms: tuple[int, int] = (0, 0)
    struck: int = 0
    struck_cm: float = 0.0
    camera_rests: bool = False

    @property
    def over_line(self) -> bool:
        return self.over >= LIMITS.foul_frames or (
            self.over > 1 and self.over_ms[1] - self.over_ms[0] >= LIMITS.foul_ms
        )

    @property
    def was_struck(self) -> bool:
        return self.struck >= LIMITS.struck_frames


def open_watch(setup: Setup, frame: Frame, lying: Mapping[str, Any] | None) -> "AstrolabeWatch | Failure":
    """Begin to watch a table.

    Parameters
    ----------
    setup
        For astrolabe.
    frame
        The first one: the colours are taught by it, and what lies on the table is read from it.
    lying
        None: it is seen.
    """
    if lying is not None:
        return Failure("BAD_STATE", "For astrolabe there is no STATE: what lies on the table is seen.")
    table = open_table(setup, frame.bgr())
    if isinstance(table, Failure):
        return table
    if covered(table.view.flat(frame.bgr()), table.view):
        return Failure("HAND_IN_VIEW", "Something large is over the table where the recording begins.")
    return AstrolabeWatch(table, frame)


class AstrolabeWatch:
    """Watches one table; see `vision.replay.Watch` and `vision.replay.Onlooker`."""

    def __init__(self, table: Table, first: Frame) -> None:
        self._table, self._view = table, table.view
        self._balls = find_balls(first.bgr(), table.view, table.colours)
        self._before = self._last = first
        self._looked_ms = first.t_ms
        self._line, self._rolling = PlayLine(table.view), MovingBalls(table)
        self._shaken = TableWatch(table.view, first.size)
        self._rest(first)
        self._open: _Open | None = None
        self._pushed = False

    def region_px(self) -> NDArray[np.float64]:
        """Give the outline, (4, 2) px, of the table."""
        width, length = self._view.table.table_cm
        corners = np.array([[0.0, 0.0], [width, 0.0], [width, length], [0.0, length]])
        return self._view.camera.plane.to_px(corners)

    def hand_px(self) -> float:
        """Give the side of a square, px, that a hand fills."""
        width = self._view.table.table_cm[0]
        line = self._view.table.play_line_y_cm
        return LIMITS.hand_cm * float(self._view.camera.plane.px_per_unit([[width / 2, line / 2]])[0])

    def settled(self, scene: Scene) -> Iterator[Event]:
        """Take note of hands, and of a table or camera that was pushed."""
        if scene.shift is not None:
            self._pushed = True
            data = {"shift_px": [round(value * scene.region.factor, 1) for value in scene.shift]}
            yield _event("board_moved", scene.began, scene.after, scene.before, data)
        elif self._open is not None and not scene.blind:
            self._open.hands |= scene.hands
            if scene.began[1] > self._before.t_ms:
                self._open.began = min(self._open.began, scene.began)

    def seen(self, frame: Frame, moving: bool) -> Iterator[Event]:
        """Look at the next frame; `moving` if the loop sees something move."""
        self._last = frame
        if self._open is None:
            self._begin(frame, moving)
            return
        if moving:
            self._follow(self._open, frame)
        if frame.t_ms - self._open.looked_ms >= LIMITS.check_ms:
            yield from self._check(self._open, frame)

    def ended(self) -> Iterator[Event]:
        """Say what was still open when the recording ended."""
        if self._open is not None:
            still = self._open.still is not None
            yield from self._close(self._open, self._last, codes=() if still else ("NOT_SETTLED",), last=True)

    def _begin(self, frame: Frame, moving: bool) -> None:
        if not moving:
            if frame.t_ms - self._looked_ms < LIMITS.look_ms:
                return
            self._looked_ms = frame.t_ms
            if not compare_flat(self._view.flat(frame.bgr()), self._balls.flat).spots:
                self._before = frame
                return
        self._open = _Open(
            began=(frame.index, frame.t_ms), flat=self._view.flat(frame.bgr()), looked_ms=frame.t_ms
        )
        self._rolling.begin()
        if moving:
            self._follow(self._open, frame)

    def _rest(self, frame: Frame) -> None:
        """Take the table as it is at rest now."""
        self._line.rest(self._balls.flat)
        self._rolling.rest(self._balls.flat)
        self._shaken.rest(frame.luma())

    def _follow(self, shot: _Open, frame: Frame) -> None:
        """Look at what moves: the table itself, bodies and balls at the Play Line, balls that roll."""
        knock = self._shaken.look(frame.luma())
        if knock is not None:  # nothing is where it was, so that nothing else can be told
            if knock.camera_rests is not False:
                shot.struck, shot.struck_cm = shot.struck + 1, max(shot.struck_cm, knock.moved_cm)
                shot.camera_rests |= knock.camera_rests is True
            return
        self._rolling.look(frame.bgr(), frame.t_ms)
        seen = self._line.look(frame.bgr())
        if seen.body:
            shot.over_ms = (shot.over_ms[0] if shot.over else frame.t_ms, frame.t_ms)
            shot.over += 1
            shot.hands = True
        if seen.ball and shot.crossed is None:
            shot.crossed = (frame.index, frame.t_ms)

    def _check(self, shot: _Open, frame: Frame) -> Iterator[Event]:
        """Look closely whether anything has moved since the last look; end the shot if nothing has for long."""
        flat = self._view.flat(frame.bgr())
        changed = compare_flat(flat, shot.flat, LIMITS.moved_cm2)
        shot.flat, shot.looked_ms = flat, frame.t_ms
        largest = changed.spots[0].area_cm2 if changed.spots else 0.0
        if largest == 0.0:
            shot.still = shot.still or frame
            shot.rest = frame
            if frame.t_ms - shot.still.t_ms >= LIMITS.still_ms:
                yield from self._close(shot, frame)
            return
        still, rest = shot.still, shot.rest
        shot.still = shot.rest = None
        if largest < LIMITS.hand_cm2:
            return
        if still is not None and rest is not None and rest.t_ms - still.t_ms >= LIMITS.interrupted_ms:
            shot.still = still
            yield from self._close(shot, rest)
            if self._open is None:
                self._open = _Open(began=(frame.index, frame.t_ms), flat=flat, looked_ms=frame.t_ms, hands=True)
                self._rolling.begin()
            else:
                self._open.still = None
        shot.hands = True

    def _close(
        self, shot: _Open, frame: Frame, codes: tuple[str, ...] = (), *, last: bool = False
    ) -> Iterator[Event]:
        """Read the table and say what happened; the shot stays open while a hand is over the table."""
        reading = reading_between(self._balls, frame.bgr(), self._table)
        if isinstance(reading, Failure):
            if last:
                yield _event("hand", shot.began, frame, self._before, {"review": [{"code": reading.code}]})
            return
        self._open = None
        end = shot.still or frame
        yield from self._told(shot, reading, end, codes)
        self._balls = _known(reading.balls, self._balls)
        self._before, self._looked_ms = frame, frame.t_ms
        self._rest(frame)

    def _told(self, shot: _Open, reading: AstrolabeReading, end: Frame, codes: tuple[str, ...]) -> Iterator[Event]:
        before, after = spots_of(self._balls, self._view), spots_of(reading.balls, self._view)
        moved = difference(before, after)
        review = [item.to_json() for item in reading.review] + [{"code": code} for code in codes]
        if self._pushed:
            review.append({"code": "BOARD_MOVED"})
        foul, seen = self._foul(shot)
        review += [{"code": code} for code in seen]
        action = reading.action or self._taken_up(shot)
        if action is None:
            lifted = not moved.come and all(spot.place == "hand" for spot in moved.gone)
            data = {"confidence": round(reading.confidence, 4), "review": review}
            if not lifted:
                yield _event("table_changed", shot.began, end, self._before, data)
            elif shot.was_struck:
                data = {"moved_cm": round(shot.struck_cm, 1), "review": review}
                yield _event("table_struck", shot.began, end, self._before, data)
            elif shot.hands or moved.gone:
                yield _event("hand", shot.began, end, self._before, {"review": review} if review else {})
            return
        began = shot.crossed or shot.began
        action = {**action, "t_ms": began[1], **({"foul": foul} if foul else {})}
        data = {"action": action, "confidence": round(reading.confidence, 4), "review": review}
        yield _event("shot", began, end, self._before, data)

    def _foul(self, shot: _Open) -> tuple[str | None, tuple[str, ...]]:
        """Give the foul that is proposed (AS-31, AS-37), and what of that was seen; the umpire decides."""
        fouls = [
            ("touched_moving_ball", "BALL_TOUCHED", self._rolling.touched),
            ("play_line", "PLAY_LINE", shot.over_line),
            ("interference" if shot.camera_rests else None, "TABLE_STRUCK", shot.was_struck),
        ]
        named = [foul for foul, _, seen in fouls if seen and foul]
        return named[0] if named else None, tuple(code for _, code, seen in fouls if seen)

    def _taken_up(self, shot: _Open) -> dict[str, Any] | None:
        """Give the shot of a ball that was seen to roll and was taken up: nothing on the table tells of it."""
        side = self._rolling.touched_side
        if not self._rolling.touched or side is None:
            return None
        moves = [{"ball": side, "from": "hand", "to": "hand"}]
        return {"kind": "shot", "side": side, "t_ms": shot.began[1], "moves": moves}


def _known(now: Balls, then: Balls) -> Balls:
    """Keep what was known of a slot that is unsure now."""
    slots = [
        replace(new, holds=old.holds, code=None, chance=old.chance)
        if new.holds == "?" and old.holds != "?"
        else new
        for new, old in zip(now.slots, then.slots, strict=True)
    ]
    return replace(now, slots=tuple(slots))


def _event(kind: str, began: tuple[int, int], end: Frame, before: Frame, data: Mapping[str, Any]) -> Event:
    return Event(
        kind=kind, t_ms=began[1], frame=began[0], end_frame=end.index, data=data, before=before, after=end
    )
