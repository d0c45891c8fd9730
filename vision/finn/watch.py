"""Finn's part of the loop: pictures at rest to shots, hands, and what setting up tells about the shot before.

A shot begins when the disc leaves where it waits and ends when all is at rest. Hands then set the pins up; how
they stand is looked at when the hands are gone and, if that leaves doubts, when the next shot begins, from the
picture right before it. Whatever is doubtful is given all the same and says so in its `review`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes import Region, compare, is_hand, reaching, region_of
from vision.events import Event
from vision.failure import Failure
from vision.finn.after import Seen
from vision.finn.before import View, viewed
from vision.finn.ground import ground_of
from vision.finn.naming import Named, named
from vision.finn.placing import defense_differences, differences, placements, wanted
from vision.finn.reading import PinsReading, Review, names_in_doubt
from vision.finn.setting import SetUp, set_up, states_after
from vision.finn.shots import Basis, Moving, Read, Shot, Way, basis_after, read_shot, rehearse, way_ahead
from vision.finn.state import parse_state
from vision.finn.telling import LIMITS as TELLING
from vision.finn.track import BoardCut, Cushion, board_cut, board_outline
from vision.frames import Frame
from vision.motion import LIMITS as PHASES
from vision.motion import PhaseLimits
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
    over
        One that is seen over the board alone, for its sleeve is as dark as the floor, fills a square so many times
        as large; pins that fly off over a rail do as well, if seldom: it counts only where no disc has left.
    hand_share, lingering_share
        So are a change of the first share of what is watched, and of the second that keeps moving.
    hand_frames
        In so many frames, lest a blur be one.
    arm, dark
        Difference of logarithms of brightness, with so many levels added, of an arm: shadows differ less.
    tracked
        Frames of a shot in which the disc is looked for: four seconds at 30 a second.
    ahead
        After so many frames without an arm what moves is likely a shot: the disc is looked for where it waited.
    set_cm
        A disc so far from where one has left is not the shadow of that.
    same_shot_ms
        What moves so soon after a shot, without hands and without a disc that leaves, is its end.
    quiet_ms, renew_ms
        A shot is read against the picture of a board that has been at rest for so long, which can be made ready
        while nobody plays; against a newer one after so long, for the light changes.
    """

    around_cm: float = 14.0
    hand_cm: float = 9.0
    over: float = 1.2
    hand_share: float = 0.09
    lingering_share: float = 0.03
    hand_frames: int = 3
    arm: float = 0.4
    dark: float = 12.0
    tracked: int = 120
    ahead: tuple[int, ...] = (6, 12, 24)
    set_cm: float = 4.0
    same_shot_ms: int = 4000
    quiet_ms: int = 500
    renew_ms: int = 60_000


LIMITS: Final = WatchLimits()


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
        self._quiet: Frame | None = None
        self._rests_since: int | None = None
        self._cut: BoardCut = board_cut(view.camera)
        self._region: Region = region_of(first.size, self.region_px(), self.hand_px())
        self._board: Region = _within(self._region, view)
        self._moving: list[Moving] = []
        self._awaited: list[Frame] = []
        self._arms = self._over = 0
        self._shot: Shot | None = None
        self._hands = self._pushed = False
        self._set_up: SetUp | None = None
        self._glimpse: SetUp | None = None
        self._basis: Basis | None = None
        self._way: Way | None = None
        self._ahead: tuple[Scene, Read] | None = None
        self._rehearsed = False

    @property
    def limits(self) -> PhaseLimits:
        """When something is a hand: a dozen pins that roll cover more, and for longer, than darts do."""
        return replace(PHASES, hand_share=LIMITS.hand_share, lingering_share=LIMITS.lingering_share)

    def region_px(self) -> NDArray[np.float64]:
        """Give the outline, (4, 2) px, of the board with its surround."""
        return self._view.camera.to_px(np.column_stack([board_outline(LIMITS.around_cm), np.zeros(4)]))

    def hand_px(self) -> float:
        """Give the side of a square, px, that an arm fills."""
        return LIMITS.hand_cm * self._view.camera.px_per_cm((58.5, 24.5, 0.0))

    def seen(self, frame: Frame, moving: bool) -> Iterator[Event]:
        """Take note of a frame: the disc on its way, and arms."""
        if not moving:
            self._rests(frame)
            return
        self._awaited.append(frame)
        if not self._is_read(frame):
            self._take()
        if self._arms < LIMITS.hand_frames:
            reaches, lies_over = self._arm_in(frame)
            self._arms += reaches
            self._over += lies_over
        yield from ()

    def _take(self) -> None:
        """Keep of the frames of a shot what the disc is looked for in."""
        for frame in self._awaited[: LIMITS.tracked - len(self._moving)]:
            cut = self._cut.of(frame.bgr())
            self._moving.append(Moving(frame=frame.index, t_ms=frame.t_ms, picture=cut))
        self._awaited = []

    def _rests(self, frame: Frame) -> None:
        self._rest = frame
        if self._rests_since is None:
            self._rests_since = frame.t_ms
        old = self._quiet
        since, wait = (self._rests_since, LIMITS.quiet_ms) if old is None else (old.t_ms, LIMITS.renew_ms)
        if frame.t_ms - since >= wait:
            self._quiet = frame

    def _arm_in(self, frame: Frame) -> tuple[bool, bool]:
        """Say whether an arm reaches in, and whether something like one is over the board.

        One of another brightness is seen whole, else its outline.
        """
        region = self._region
        now, rest = region.cut(frame.small()), region.cut(self._rest.small())
        change = compare(now, rest, region)
        ratio = np.log((now.astype(np.float32) + LIMITS.dark) / (rest.astype(np.float32) + LIMITS.dark))
        other = (np.abs(ratio - np.median(ratio[::4, ::4])) > LIMITS.arm) & (region.mask > 0)
        seen = [change, replace(change, mask=other.astype(np.uint8))]
        within = [replace(one, mask=one.mask & self._board.mask) for one in seen]
        return (
            any(is_hand(reaching(one, region), region) for one in seen),
            any(is_hand(reaching(one, self._board), self._board) for one in within),
        )

    def foresee(self, frame: Frame, scene: Scene | None, before: Frame | None) -> None:
        """Read what seems to be a shot while it is awaited that all rests; until then, what comes before that."""
        if self._arms >= LIMITS.hand_frames:
            return
        if scene is None:
            if before is None:
                self._await()
            elif self._is_read(frame):
                return
            elif self._arms == 0 and len(self._moving) >= LIMITS.ahead[0]:
                self._prepare(frame, before)
        elif scene.changed and not (scene.covered or scene.blind):
            self._ahead = (scene, self._read(scene))

    def _is_read(self, frame: Frame) -> bool:
        """Say whether all that is awaited is that what has been read stays."""
        read = self._ahead
        return read is not None and frame.t_ms - read[0].after.t_ms < PHASES.settle_ms

    def _await(self) -> None:
        """Make what the next shot is read against while nobody plays."""
        if self._quiet is None or not (self._shot is None or self._hands):
            return
        if self._basis is None or self._basis.before is not self._quiet:
            self._basis = self._basis_at(self._quiet, self._set_up)
        if not self._rehearsed:
            self._rehearsed = True
            rehearse(self._setup, self._basis.ground)

    def _prepare(self, frame: Frame, before: Frame) -> None:
        """Make what can be made before a shot has come to rest."""
        if self._shot is None or self._hands:
            self._basis = self._basis_at(before, self._set_up)
        if self._way is not None:
            self._way.follow(self._moving)
        elif len(self._moving) in LIMITS.ahead:
            self._way = way_ahead(self._basis, self._view, before, frame)

    def settled(self, scene: Scene) -> Iterator[Event]:
        """Say what happened on the board."""
        if scene.shift is not None:
            self._pushed = True
            data = {"shift_px": [round(value * scene.region.factor, 1) for value in scene.shift]}
            yield _event("board_moved", scene, data)
        if scene.covered:
            return
        if scene.blind:
            self._begin_rest()
            return
        arms, self._arms = self._arms, 0
        over, self._over = self._over >= LIMITS.hand_frames, 0
        if arms >= LIMITS.hand_frames:
            self._hands = True
            yield _event("hand", scene, {"review": [] if scene.settled else [{"code": "NOT_SETTLED"}]})
            yield from self._guided(scene)
        elif scene.changed:
            yield from self._changed(scene, over=over)
            self._set_up = self._glimpse = None
        self._moving, self._awaited, self._way, self._ahead = [], [], None, None
        if arms or scene.changed or scene.relit or scene.shift is not None:
            self._begin_rest()

    def _begin_rest(self) -> None:
        """Forget how the board looked: it looks otherwise now."""
        self._basis, self._quiet, self._rests_since = None, None, None

    def _guided(self, scene: Scene) -> Iterator[Event]:
        """Say where the pins belong after the last shot, and what of it is not so yet."""
        shot, table = self._shot, self._setup.finn
        self._set_up = self._glimpse = None
        if shot is None or table is None:
            return
        found = set_up(shot.ground, scene.after.bgr(), shot.reading)
        if isinstance(found, Failure):
            return
        told = states_after(shot.reading, shot.ground.view, found, table.first_line_x_cm)
        self._glimpse = found
        self._set_up = found if told.sure and found.sure else None
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
            yield from self._settle_places(self._shot, self._basis_at(self._rest, self._set_up))

    def _changed(self, scene: Scene, *, over: bool) -> Iterator[Event]:
        shot = self._shot
        again = shot if shot is not None and self._is_end_of_shot(scene, shot) else None
        ahead = self._ahead
        read = ahead[1] if ahead is not None and ahead[0] is scene else self._read(scene)
        yield from self._told(scene, read, again, over=over)

    def _read(self, scene: Scene) -> Read:
        self._take()
        return read_shot(self._setup, self._basis_of(scene, self._set_up), scene, self._way, self._moving)

    def _basis_of(self, scene: Scene, known: SetUp | None) -> Basis:
        """Give what a scene is read against; `known`: how the pins were set up after the last shot, if it is."""
        shot = self._shot
        if shot is not None and self._is_end_of_shot(scene, shot):
            return Basis(ground=shot.ground, before=shot.before, again=True)
        return self._basis_at(scene.before, known)

    def _basis_at(self, before: Frame, known: SetUp | None) -> Basis:
        """Give what a shot that begins after this frame is read against."""
        if self._quiet is None:  # no time to look again at what the hands left
            known = known or self._glimpse
        before = self._quiet or before
        if self._basis is not None and self._basis.before is before:
            return self._basis
        if self._shot is None:
            return Basis(ground=ground_of(self._view, before.bgr()), before=before)
        return basis_after(self._shot, before, known)

    def _is_end_of_shot(self, scene: Scene, shot: Shot) -> bool:
        after = shot.event.after
        return not self._hands and after is not None and scene.began[1] - after.t_ms < LIMITS.same_shot_ms

    def _told(self, scene: Scene, read: Read, again: Shot | None, *, over: bool) -> Iterator[Event]:
        """Tell what a scene was read as.

        `again` is the shot whose end it is, if it is one; `over`: an arm may have been over the board.
        """
        seen, reading = read.seen, read.reading
        if isinstance(seen, Failure) or isinstance(reading, Failure):
            code = reading.code if isinstance(reading, Failure) else "UNREAD"
            yield _event("board_changed", scene, {"review": [{"code": code}]})
            return
        shot_off = read.went and not self._was_set(seen)
        no_disc = seen.disc_left is None or read.basis.again or (over and not shot_off)
        arm = scene.hands or over or seen.unexplained > UNEXPLAINED
        if (again is not None and _were_set_up(again.reading, reading)) or (arm and no_disc):
            self._hands = True
            yield _event("hand", scene, {"review": [{"code": "HANDS_NOT_SEEN"}]})
            return
        if again is None and no_disc and not seen.moved:
            yield _event("board_changed", scene, {"review": [{"code": "NO_SHOT"}]})
            return
        if again is None:
            if self._shot is not None:
                yield from self._settle_places(self._shot, read.basis)
            no_disc = seen.disc_left is None or read.over
            event = self._shot_event(scene, read.basis, reading, read.touched, no_disc=no_disc)
        else:
            event = self._again(scene, reading, again)
        basis = read.basis
        self._shot = Shot(
            event=again.event if again else event, ground=basis.ground, before=basis.before, reading=reading
        )
        self._hands = False
        yield event

    def _was_set(self, seen: Seen) -> bool:
        """Say whether a disc lies where one waits, but not where one left: somebody set it there."""
        table, disc, left = self._setup.finn, seen.disc, seen.disc_left
        if disc is None or table is None or disc.axis.x_cm > table.first_line_x_cm:
            return False
        return left is None or bool(np.hypot(disc.axis.x_cm - left[0], disc.axis.y_cm - left[1]) > LIMITS.set_cm)

    def _shot_event(
        self, scene: Scene, basis: Basis, reading: PinsReading, touched: tuple[Cushion, ...], *, no_disc: bool
    ) -> Event:
        doubts = [*names_in_doubt(self._known, reading), *_not_set_up(basis)]
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
        return _event("shot", scene, data)

    def _again(self, scene: Scene, reading: PinsReading, told: Shot) -> Event:
        """Tell a shot anew that went on after it had seemed to rest."""
        action = {**told.event.data["action"], "pins": reading.action()["pins"]}
        review = [item for item in told.event.data["review"] if item["code"] == "PIN_NOT_FOUND"]
        review += [item.to_json() for item in (*names_in_doubt(self._known, reading), *reading.review)]
        data = {
            "shot_frame": told.event.frame,
            "action": action,
            "confidence": round(reading.confidence, 4),
            "review": review,
        }
        return _event("shot_revised", scene, data)

    def _settle_places(self, shot: Shot, basis: Basis) -> Iterator[Event]:
        """Take the pins to stand as they were set up; revise the last shot by it."""
        self._shot, self._view = None, basis.ground.view
        found, now, stood = basis.found, basis.before, basis.stood
        if found is None or isinstance(found, Failure):
            return
        table = self._setup.finn
        assert table is not None
        after = states_after(shot.reading, shot.ground.view, found, table.first_line_x_cm)
        told = shot.event.data
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


UNEXPLAINED: Final = TELLING.unexplained
"""Where no disc has left more new things than these are hands."""

NAMED: Final = 0.97
"""Chance that a shot is right whose names came from setting up and of which nothing else is in doubt."""


def _within(region: Region, view: View) -> Region:
    """Give the part of a region with the board in it, and an arm that is seen there alone."""
    px = view.camera.to_px(np.column_stack([board_outline(), np.zeros(4)]))
    mask = region.draw(px) & region.mask
    inner = cv2.erode(
        cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0), np.ones((5, 5), np.uint8)
    )
    return replace(
        region,
        mask=(mask > 0).astype(np.uint8),
        edge=((mask > 0) & (inner[1:-1, 1:-1] == 0)).astype(np.uint8),
        hand=round(LIMITS.over * region.hand),
        inside=mask > 0,
    )


def _not_set_up(basis: Basis) -> list[Review]:
    """Name the pins that were not seen standing before a shot: what they did in it nobody knows."""
    found = basis.found
    if not isinstance(found, SetUp):
        return []
    lost = [name for name in found.places if name not in found.standing]
    return [Review(code="PIN_NOT_FOUND", pin=name) for name in lost]


def _were_set_up(then: PinsReading, now: PinsReading) -> bool:
    """Say whether pins stand that lay: somebody set them up."""
    return any(now.pins[name].state == "upright" and pin.state != "upright" for name, pin in then.pins.items())


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
