"""Finn's part of the loop: pictures at rest to shots, hands, and what setting up tells about the shot before.

A shot begins when the disc leaves where it waits and ends when all is at rest. Hands then set the pins up; how
they stand is looked at when the next shot begins, from the picture right before it. Whatever is doubtful is given
all the same and says so in its `review`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.changes import Region, compare, is_hand, reaching, region_of
from vision.events import Event
from vision.failure import Failure
from vision.finn.after import Seen, seen_after
from vision.finn.before import View, viewed, with_places
from vision.finn.naming import Named, named
from vision.finn.placing import defense_differences, differences, placements, wanted
from vision.finn.reading import PinsReading, names_in_doubt, reading_of
from vision.finn.setting import SetUp, set_up, states_after, stood_already
from vision.finn.state import Place, parse_state
from vision.finn.track import BoardCut, Cushion, DiscTracker, Sighting, board_cut, board_outline, cushions_of
from vision.frames import Frame
from vision.phases import Scene
from vision.setup import Setup

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLimits:
    """What of a scene belongs to the game.

    Attributes
    ----------
    around_cm
        Changes matter so far around the board: pins fly there, and arms come from there.
    hand_cm
        An arm that reaches in fills a square of this side, a pin or the disc less than half of it.
    hand_frames
        In so many frames, lest a blur be one.
    arm, dark
        Difference of logarithms of brightness, with so many levels added, of an arm: shadows differ less.
    tracked
        Frames of a shot in which the disc is looked for: four seconds at 30 a second.
    same_shot_ms
        What moves so soon after a shot, without hands and without a disc that leaves, is its end.
    """

    around_cm: float = 14.0
    hand_cm: float = 9.0
    hand_frames: int = 3
    arm: float = 0.4
    dark: float = 12.0
    tracked: int = 120
    same_shot_ms: int = 4000


LIMITS: Final = WatchLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shot:
    """The last shot, until the next begins.

    Attributes
    ----------
    event
        As it was told.
    view, before
        The pins' places and the picture before it.
    reading
        What it was read as.
    """

    event: Event
    view: View
    before: Picture
    reading: PinsReading


def open_watch(setup: Setup, frame: Frame, lying: Mapping[str, Any] | None) -> "FinnWatch | Failure":
    """Begin to watch a board.

    Parameters
    ----------
    setup
        For finn.
    frame
        The first one.
    lying
        A STATE: where the pins stand; None: the start layout (FB-02), or where their numbers say.
    """
    if lying is None:
        known = named(setup, frame.bgr())
        return known if isinstance(known, Failure) else FinnWatch(setup, known.view, frame, known)
    places = parse_state(lying)
    if isinstance(places, Failure):
        return places
    view = viewed(setup, frame.bgr(), places)
    return view if isinstance(view, Failure) else FinnWatch(setup, view, frame)


class FinnWatch:
    """Watches one board; see `vision.replay.Watch` and `vision.replay.Onlooker`."""

    def __init__(self, setup: Setup, view: View, first: Frame, known: Named | None = None) -> None:
        self._setup, self._view = setup, view
        self._known = known or Named(view=view)
        self._rest = first
        self._cut: BoardCut = board_cut(view.camera)
        self._region: Region = region_of(first.size, self.region_px(), self.hand_px())
        self._moving: list[tuple[int, int, Picture]] = []
        self._arms = 0
        self._shot: _Shot | None = None
        self._hands = self._pushed = False

    def region_px(self) -> NDArray[np.float64]:
        """Give the outline, (4, 2) px, of the board with its surround."""
        return self._view.camera.to_px(np.column_stack([board_outline(LIMITS.around_cm), np.zeros(4)]))

    def hand_px(self) -> float:
        """Give the side of a square, px, that an arm fills."""
        return LIMITS.hand_cm * self._view.camera.px_per_cm((58.5, 24.5, 0.0))

    def seen(self, frame: Frame, moving: bool) -> Iterator[Event]:
        """Take note of a frame: the disc on its way, and arms."""
        if not moving:
            self._rest = frame
            return
        if len(self._moving) < LIMITS.tracked:
            self._moving.append((frame.index, frame.t_ms, self._cut.of(frame.bgr())))
        if self._arms < LIMITS.hand_frames:
            self._arms += self._arm_in(frame)
        yield from ()

    def _arm_in(self, frame: Frame) -> bool:
        """Say whether an arm reaches over the board: one of another brightness is seen whole, else its outline."""
        region = self._region
        now, rest = region.cut(frame.small()), region.cut(self._rest.small())
        change = compare(now, rest, region)
        ratio = np.log((now.astype(np.float32) + LIMITS.dark) / (rest.astype(np.float32) + LIMITS.dark))
        other = (np.abs(ratio - np.median(ratio[::4, ::4])) > LIMITS.arm) & (region.mask > 0)
        seen = [change, replace(change, mask=other.astype(np.uint8))]
        return any(is_hand(reaching(one, region), region) for one in seen)

    def settled(self, scene: Scene) -> Iterator[Event]:
        """Say what happened on the board."""
        if scene.shift is not None:
            self._pushed = True
            data = {"shift_px": [round(value * scene.region.factor, 1) for value in scene.shift]}
            yield _event("board_moved", scene, data)
        if scene.covered or scene.blind:
            return
        moving, arms = self._moving, self._arms
        self._moving, self._arms = [], 0
        if arms >= LIMITS.hand_frames:
            self._hands = True
            yield _event("hand", scene, {"review": [] if scene.settled else [{"code": "NOT_SETTLED"}]})
            yield from self._guided(scene)
        elif scene.changed:
            yield from self._changed(scene, moving)

    def _guided(self, scene: Scene) -> Iterator[Event]:
        """Say where the pins belong after the last shot, and what of it is not so yet."""
        shot, table = self._shot, self._setup.finn
        if shot is None or table is None:
            return
        found = set_up(shot.view, shot.before, scene.after.bgr(), shot.reading)
        if isinstance(found, Failure):
            return
        told = states_after(shot.reading, shot.view, found, table.first_line_x_cm)
        belongs = wanted(told.states, told.places, table)
        stand = {name: found.places[name] for name in sorted(found.standing, key=int)}
        defense = placements(told.states, belongs, stand, table)
        if defense is None:
            wrong = differences(belongs, stand, table)
        else:
            rest = {name: goal for name, goal in belongs.items() if name not in defense}
            wrong = (*differences(rest, stand, table), *defense_differences(defense, {}, table))
        data = {
            "shot_frame": shot.event.frame,
            "belongs": {name: goal.to_json() for name, goal in belongs.items()},
            "stand": {name: [round(v, 1) for v in xy] for name, xy in stand.items()},
            "defense": None
            if defense is None
            else {pin: [round(v, 1) for v in xy] for pin, xy in defense.items()},
            "differences": [one.to_json() for one in wrong],
            "review": [] if told.sure and found.sure else [{"code": "WHICH_PIN"}],
        }
        yield _event("set_up", scene, data)

    def ended(self) -> Iterator[Event]:
        """Say what the pins' last places tell about the last shot."""
        if self._shot is not None and self._hands:
            yield from self._settle_places(self._rest)

    def _changed(self, scene: Scene, moving: list[tuple[int, int, Picture]]) -> Iterator[Event]:
        if self._shot is not None and self._is_end_of_shot(scene):
            yield from self._told(scene, self._shot.before, self._shot.view, moving, again=self._shot)
            return
        if self._shot is not None:
            yield from self._settle_places(scene.before)
        yield from self._told(scene, scene.before.bgr(), self._view, moving)

    def _is_end_of_shot(self, scene: Scene) -> bool:
        assert self._shot is not None
        after = self._shot.event.after
        return not self._hands and after is not None and scene.began[1] - after.t_ms < LIMITS.same_shot_ms

    def _told(
        self,
        scene: Scene,
        before: Picture,
        view: View,
        moving: list[tuple[int, int, Picture]],
        again: _Shot | None = None,
    ) -> Iterator[Event]:
        """Read a shot and tell it; `again` if it had been told before it had ended."""
        seen = seen_after(view, before, scene.after.bgr())
        reading = seen if isinstance(seen, Failure) else reading_of(view, seen, self._setup)
        if isinstance(seen, Failure) or isinstance(reading, Failure):
            code = reading.code if isinstance(reading, Failure) else "UNREAD"
            yield _event("board_changed", scene, {"review": [{"code": code}]})
            return
        if (again is not None and _were_set_up(again.reading, reading)) or (
            scene.hands and seen.disc_left is None
        ):
            self._hands = True
            yield _event("hand", scene, {"review": [{"code": "HANDS_NOT_SEEN"}]})
            return
        if again is None and seen.disc_left is None and not seen.moved:
            yield _event("board_changed", scene, {"review": [{"code": "NO_SHOT"}]})
            return
        if again is None:
            touched = self._cushions(before, seen, view, scene, moving)
            event = self._shot_event("shot", scene, reading, touched, no_disc=seen.disc_left is None)
        else:
            event = self._again(scene, reading, again)
        self._shot = _Shot(event=again.event if again else event, view=view, before=before, reading=reading)
        self._hands = False
        yield event

    def _cushions(
        self, before: Picture, seen: Seen, view: View, scene: Scene, moving: list[tuple[int, int, Picture]]
    ) -> tuple[Cushion, ...]:
        if seen.disc_left is None:
            return ()
        tracker = DiscTracker(self._cut.of(before), seen.disc_left, self._cut, view.camera, view.disc)
        track = [Sighting(frame=scene.began[0] - 1, t_ms=scene.began[1], xy_cm=seen.disc_left)]
        for index, t_ms, picture in moving:
            place = tracker.look(picture)
            if place is not None and np.hypot(place[0] - seen.disc_left[0], place[1] - seen.disc_left[1]) > 1.0:
                track.append(Sighting(frame=index, t_ms=t_ms, xy_cm=place))
        return cushions_of(track, view.disc)

    def _shot_event(
        self, kind: str, scene: Scene, reading: PinsReading, touched: tuple[Cushion, ...], *, no_disc: bool
    ) -> Event:
        doubts = names_in_doubt(self._known, reading)
        codes = [
            *(["NO_DISC_SEEN"] if no_disc else []),
            *(["BOARD_MOVED"] if self._pushed else []),
            *([] if scene.settled else ["NOT_SETTLED"]),
        ]
        data = {
            "action": reading.action(t_ms=scene.began[1], cushions=len(touched)),
            "cushion_frames": [one.frame for one in touched],
            "pins": {name: pin.to_json() for name, pin in reading.pins.items()},
            "disc": None if reading.disc_cm is None else [round(v, 2) for v in reading.disc_cm],
            "confidence": round(reading.confidence, 4),
            "review": [
                *(item.to_json() for item in (*doubts, *reading.review)),
                *({"code": code} for code in codes),
            ],
        }
        return _event(kind, scene, data)

    def _stood(self, shot: _Shot, now: Frame, found: SetUp) -> frozenset[str]:
        """Name pins that were said to have fallen, but have not been touched since and stand."""
        after = shot.event.after
        if after is None:
            return frozenset()
        kept = stood_already(shot.view, after.bgr(), now.bgr(), found)
        return kept & {name for name, pin in shot.reading.pins.items() if pin.state != "upright"}

    def _again(self, scene: Scene, reading: PinsReading, told: _Shot) -> Event:
        """Tell a shot anew that went on after it had seemed to rest."""
        action = {**told.event.data["action"], "pins": reading.action()["pins"]}
        review = [item.to_json() for item in (*names_in_doubt(self._known, reading), *reading.review)]
        data = {
            "shot_frame": told.event.frame,
            "action": action,
            "confidence": round(reading.confidence, 4),
            "review": review,
        }
        return _event("shot_revised", scene, data)

    def _settle_places(self, now: Frame) -> Iterator[Event]:
        """Find where the pins stand now; revise the last shot by it."""
        shot = self._shot
        assert shot is not None
        found = set_up(shot.view, shot.before, now.bgr(), shot.reading)
        self._shot = None
        if isinstance(found, Failure):
            self._view = with_places(shot.view, _last_places(shot))
            return
        self._view = with_places(shot.view, found.places)
        table = self._setup.finn
        assert table is not None
        after = states_after(shot.reading, shot.view, found, table.first_line_x_cm)
        told = shot.event.data
        stood = self._stood(shot, now, found)
        pins = {name: state for name, state in after.states.items() if state != "upright" and name not in stood}
        review = [item for item in told["review"] if item.get("pin") not in stood]
        if after.sure and found.sure:
            review = [item for item in review if item["code"] not in ("WHICH_PIN", "PIN_NOT_SEEN")]
        # Setting up tells names. Where it tells another number of fallen pins, one of the two readings was wrong.
        was = [state for name, state in told["action"]["pins"].items() if name not in stood]
        if Counter(pins.values()) != Counter(was):
            review = [*review, {"code": "COUNT_CHANGED"}]
        if pins == told["action"]["pins"] and review == told["review"]:
            return
        yield Event(
            kind="shot_revised",
            t_ms=now.t_ms,
            frame=now.index,
            end_frame=now.index,
            data={
                "shot_frame": shot.event.frame,
                "action": {**told["action"], "pins": pins},
                "confidence": told["confidence"] if review else NAMED,
                "review": review,
            },
            before=shot.event.before,
            after=now,
        )


NAMED: Final = 0.97
"""Chance that a shot is right whose names came from setting up and of which nothing else is in doubt."""


def _were_set_up(then: PinsReading, now: PinsReading) -> bool:
    """Say whether pins stand that lay: somebody set them up."""
    return any(now.pins[name].state == "upright" and pin.state != "upright" for name, pin in then.pins.items())


def _last_places(shot: _Shot) -> dict[str, Place]:
    return {name: shot.reading.pins[name].xy_cm or place for name, place in shot.view.places.items()}


def _event(kind: str, scene: Scene, data: Mapping[str, Any]) -> Event:
    return Event(
        kind=kind,
        t_ms=scene.began[1],
        frame=scene.began[0],
        end_frame=scene.end_frame,
        data=data,
        before=scene.before,
        after=scene.after,
    )
