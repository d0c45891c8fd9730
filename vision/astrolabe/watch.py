"""Astrolabe's part of the loop: pictures at rest to shots, hands, fouls at the Play Line.

A ball is small: where it rolls the coarse look of the loop often sees nothing move. So while a shot is open the
table is looked at closely ten times a second, and a shot ends when nothing has moved for a while, or when a hand
comes in. What counts is what lies on the table then, against what lay there before. A shot of which nothing is in
doubt and whose balls all lie where they are held is told as soon as it rests, and again, as `shot_revised`, should
something move after all. Balls lifted by hand are no shots; whatever is doubtful is given all the same and says so
in its `review`. Fouls are proposed, never applied: a body over the Play Line, a hand that meets a rolling ball, a
table that is struck or lifted.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.balls import Balls, find_balls
from vision.astrolabe.changed import compare_flat, covered
from vision.astrolabe.line import PlayLine
from vision.astrolabe.moves import Spot, difference, spots_of
from vision.astrolabe.opened import LIMITS, OpenShot, Told
from vision.astrolabe.reading import AstrolabeReading, Table, open_table, reading_between
from vision.astrolabe.shaken import TableWatch
from vision.astrolabe.touched import MovingBalls
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame
from vision.phases import Scene
from vision.setup import Setup

Picture = NDArray[np.uint8]

LASTING: Final = frozenset({"COLOURS_NEAR", "ONE_COLOUR", "TAP_MISSED"})
"""Doubts about the colours themselves: no longer look clears them."""

SEEN: Final = 0.25
"""Of a ball that came and lies no longer as it was told, this share of its place changed."""


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
        self._open: OpenShot | None = None
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

    def foresee(self, _frame: Frame, _scene: Scene | None, _before: Frame | None) -> None:
        """Read the table while it is still awaited that nothing moves on it."""
        shot = self._open
        if shot is not None and shot.still is not None and (shot.rested_ms or not shot.in_vain):
            self._read_early(shot, shot.still)

    def ended(self) -> Iterator[Event]:
        """Say what was still open when the recording ended."""
        shot = self._open
        if shot is not None and shot.told is not None:
            yield from self._broken_off(shot.told, shot.flat)
        elif shot is not None:
            codes = () if shot.still is not None else ("NOT_SETTLED",)
            yield from self._close(shot, self._last, codes=codes, last=True)

    def _begin(self, frame: Frame, moving: bool) -> None:
        if not moving:
            if frame.t_ms - self._looked_ms < LIMITS.look_ms:
                return
            self._looked_ms = frame.t_ms
            if not compare_flat(self._view.flat(frame.bgr()), self._balls.flat).spots:
                self._before = frame
                return
        self._open = OpenShot.at(frame, self._view.flat(frame.bgr()))
        self._rolling.begin()
        if moving:
            self._follow(self._open, frame)

    def _rest(self, frame: Frame) -> None:
        """Take the table as it is at rest now."""
        self._line.rest(self._balls.flat)
        self._rolling.rest(self._balls.flat)
        self._shaken.rest(frame.luma())

    def _follow(self, shot: OpenShot, frame: Frame) -> None:
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

    def _check(self, shot: OpenShot, frame: Frame) -> Iterator[Event]:
        """Look closely whether anything has moved since the last look; end the shot if nothing has for long."""
        flat, last = self._view.flat(frame.bgr()), shot.flat
        changed = compare_flat(flat, last, LIMITS.moved_cm2)
        if not changed.spots:
            shot.rests(frame, flat)
            yield from self._resting(shot, frame)
            return
        shot.looks.append(flat)
        if changed.spots[0].area_cm2 >= LIMITS.hand_cm2:
            yield from self._reached_in(shot, frame, last)
        shot.moves(frame, flat)

    def _resting(self, shot: OpenShot, frame: Frame) -> Iterator[Event]:
        """End the shot if nothing has moved for long; tell it before that if it surely rests."""
        if shot.rested_ms >= LIMITS.still_ms:
            yield from self._close(shot, frame)
        elif shot.rested_ms >= LIMITS.told_ms and shot.still is not None and not shot.weighed:
            reading = self._read_early(shot, shot.still)
            shot.weighed = isinstance(reading, Failure) or not _is_clear(reading)
            if not isinstance(reading, Failure) and not shot.weighed and self._rests_surely(shot, reading):
                shot.weighed = True
                yield from self._tell(shot, reading, shot.still)

    def _reached_in(self, shot: OpenShot, frame: Frame, last: Picture) -> Iterator[Event]:
        """Take note of a hand over the table, which was not in the `last` look: what had come to rest is over."""
        if shot.told is not None:
            yield from self._broken_off(shot.told, last)
        elif shot.rested_ms >= LIMITS.interrupted_ms and shot.rest is not None:
            yield from self._close(shot, shot.rest)
        if self._open is None:
            self._open = OpenShot.at(frame, shot.flat)
            self._rolling.begin()
        self._open.hands = True

    def _read_early(self, shot: OpenShot, still: Frame) -> AstrolabeReading | Failure:
        """Read, once, the first picture in which nothing moves any more."""
        if shot.ahead is None:
            shot.ahead = reading_between(self._balls, still.bgr(), self._table)
        return shot.ahead

    def _rests_surely(self, shot: OpenShot, reading: AstrolabeReading) -> bool:
        """Say whether nothing creeps or turns round: a ball on the open slope is to be seen to keep its place."""
        crept = compare_flat(shot.flat, shot.looks[0], LIMITS.moved_cm2)
        free = [spot.seen_cm for spot in self._come(reading) if spot.place == "grouped"]
        if crept.spots or not free:
            return not crept.spots
        came, radius = compare_flat(shot.flat, self._balls.flat), self._view.radius_cm
        shown = all(came.share(xy, 0.8 * radius) >= LIMITS.shown for xy in free)
        return shown and all(crept.share(xy, 1.2 * radius) <= LIMITS.crept for xy in free)

    def _come(self, reading: AstrolabeReading) -> tuple[Spot, ...]:
        return difference(spots_of(self._balls, self._view), spots_of(reading.balls, self._view)).come

    def _tell(self, shot: OpenShot, reading: AstrolabeReading, read: Frame) -> Iterator[Event]:
        """Tell a shot while it is awaited that all stays as it is."""
        event = self._event_of(shot, reading, read, ())
        if event is None or event.kind != "shot":
            return
        if shot.told is None:
            yield event
        else:
            event = yield from self._revised(shot.told, event.data, read)
        shot.told = Told(event=event, reading=reading, read=read)

    def _close(
        self, shot: OpenShot, frame: Frame, codes: tuple[str, ...] = (), *, last: bool = False
    ) -> Iterator[Event]:
        """Read the table and say what happened; the shot stays open while a hand is over the table."""
        reading, read = self._read_at_last(shot, frame)
        if isinstance(reading, Failure):
            if shot.told is not None:
                yield from self._broken_off(shot.told, shot.flat)
            elif last:
                yield _event("hand", shot.began, frame, self._before, {"review": [{"code": reading.code}]})
            return
        end = shot.still or frame
        event = self._event_of(shot, reading, end, codes)
        if shot.told is not None:
            data = event.data if event and event.kind == "shot" else _asking(shot.told.event, "SHOT_UNSURE")
            yield from self._revised(shot.told, data, end)
        elif event is not None:
            yield event
        self._over(reading, read)

    def _read_at_last(self, shot: OpenShot, frame: Frame) -> tuple[AstrolabeReading | Failure, Frame]:
        """Give what the table is read as, and in which frame; where the early one leaves doubts, this one."""
        if shot.still is not None:
            early = self._read_early(shot, shot.still)
            as_told = shot.told is not None and shot.is_told and self._lies_as(shot.told, shot.flat)
            if not isinstance(early, Failure) and (as_told or (not early.review and not shot.is_told)):
                return early, shot.still
        return reading_between(self._balls, frame.bgr(), self._table), frame

    def _over(self, reading: AstrolabeReading, read: Frame) -> None:
        """End a shot: what a frame was read as is what lies on the table from now on."""
        self._open = None
        self._balls = _known(reading.balls, self._balls)
        self._before, self._looked_ms = read, self._last.t_ms
        self._rest(read)

    def _broken_off(self, told: Told, last: Picture) -> Iterator[Event]:
        """End a shot that was told; ask about it if the last look shows that it had begun to move again."""
        if not self._lies_as(told, last):
            yield from self._revised(told, _asking(told.event, "NOT_SETTLED"), self._last)
        self._over(told.reading, told.read)

    def _lies_as(self, told: Told, flat: Picture) -> bool:
        """Say whether the balls that came lie where they were told; in a gutter they may roll as they like."""
        changed = compare_flat(flat, self._view.flat(told.read.bgr()))
        places = [spot.seen_cm for spot in self._come(told.reading) if spot.place != "gutter"]
        return all(changed.share(xy, 0.8 * self._view.radius_cm) < SEEN for xy in places)

    def _revised(self, told: Told, data: Mapping[str, Any], end: Frame) -> Generator[Event, None, Event]:
        """Tell a shot anew, if it is another than was told; gives it as it stands then."""
        event = told.event
        action = {**data["action"], "t_ms": event.data["action"]["t_ms"]}
        if (action, data["review"]) == (event.data["action"], event.data["review"]):
            return event
        now = {"action": action, "confidence": data["confidence"], "review": data["review"]}
        began = (end.index, end.t_ms)
        yield _event("shot_revised", began, end, self._before, {"shot_frame": event.frame, **now})
        return replace(event, data=now)

    def _event_of(
        self, shot: OpenShot, reading: AstrolabeReading, end: Frame, codes: tuple[str, ...]
    ) -> Event | None:
        """Give the event that a reading of the table stands for, if any."""
        before, after = spots_of(self._balls, self._view), spots_of(reading.balls, self._view)
        moved = difference(before, after)
        review = [item.to_json() for item in reading.review] + [{"code": code} for code in codes]
        if self._pushed:
            review.append({"code": "BOARD_MOVED"})
        foul, seen = self._foul(shot)
        review += [{"code": code} for code in seen]
        action = reading.action or self._taken_up(shot)
        if action is not None:
            began = shot.crossed or shot.began
            action = {**action, "t_ms": began[1], **({"foul": foul} if foul else {})}
            data = {"action": action, "confidence": round(reading.confidence, 4), "review": review}
            return _event("shot", began, end, self._before, data)
        if moved.come or not all(spot.place == "hand" for spot in moved.gone):
            data = {"confidence": round(reading.confidence, 4), "review": review}
            return _event("table_changed", shot.began, end, self._before, data)
        if shot.was_struck:
            data = {"moved_cm": round(shot.struck_cm, 1), "review": review}
            return _event("table_struck", shot.began, end, self._before, data)
        if shot.hands or moved.gone:
            return _event("hand", shot.began, end, self._before, {"review": review} if review else {})
        return None

    def _foul(self, shot: OpenShot) -> tuple[str | None, tuple[str, ...]]:
        """Give the foul that is proposed (AS-31, AS-37), and what of that was seen; the umpire decides."""
        fouls = [
            ("touched_moving_ball", "BALL_TOUCHED", self._rolling.touched),
            ("play_line", "PLAY_LINE", shot.over_line),
            ("interference" if shot.camera_rests else None, "TABLE_STRUCK", shot.was_struck),
        ]
        named = [foul for foul, _, seen in fouls if seen and foul]
        return named[0] if named else None, tuple(code for _, code, seen in fouls if seen)

    def _taken_up(self, shot: OpenShot) -> dict[str, Any] | None:
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


def _is_clear(reading: AstrolabeReading) -> bool:
    """Say whether a shot was read of which nothing is in doubt that a longer look may clear."""
    return reading.action is not None and all(item.code in LASTING for item in reading.review)


def _asking(shot: Event, code: str) -> dict[str, Any]:
    """Give what was told of a shot, doubted."""
    return {**shot.data, "review": [*shot.data["review"], {"code": code}]}


def _event(kind: str, began: tuple[int, int], end: Frame, before: Frame, data: Mapping[str, Any]) -> Event:
    return Event(
        kind=kind, t_ms=began[1], frame=began[0], end_frame=end.index, data=data, before=before, after=end
    )
