"""What the scene is doing: still, something moves, a hand is in it, it has come to rest again.

    machine = PhaseMachine(region_of(size, polygon_px))
    for frame in frames:
        scene = machine.step(frame)   # None nearly always; a Scene when something has come to rest
    scene = machine.finish()

While all is still a frame costs one difference and one count at the small scale. All times are in milliseconds, so
that 5 frames a second and 60 give the same answer. The picture at rest follows slow changes of the light.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.changes import Change, Look, Mask, Region, compare, is_hand, moved, reaching
from vision.frames import Frame, Picture
from vision.motion import LIMITS, Motion, PhaseLimits, alien, beside_shift, is_flat, shift_of
from vision.pulse import Pulse, Stall
from vision.sight import Lost, Sight


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """Something moved, and the picture has come to rest.

    Attributes
    ----------
    before, after
        The last picture at rest before, and one at rest now: the first that had stayed for `PhaseLimits.read_ms`,
        and has stayed since; the newest one where it had to stay for longer than usual.
    began
        Index and time (ms) of the frame where the motion began to show.
    end_frame
        Index of the first frame of the rest.
    change
        What differs between `before` and `after` (at the small scale, within the region).
    swept
        (h, w) uint8, 1 wherever something was seen while it moved, as long as it might have been no hand.
    moved_ms
        How long it moved.
    hands
        A hand or a person was in it.
    shift
        (x, y) small pixels by which the whole picture moved, if that happened, hands in it or not; else None.
    blind
        While it moved nothing could be seen at all.
    settled
        False if the recording ended before the picture had come to rest.
    doubtful
        What came may be a hand that rests.
    covered
        A large thing has been before the region for long without moving; the motion is not over.
    gap
        Meanwhile, for a while, nothing was seen: the camera stood still, or was blinded.
    small_before, small_after
        The cut small pictures.
    region
        What they were cut to.
    """

    before: Frame
    after: Frame
    began: tuple[int, int]
    end_frame: int
    change: Change
    swept: Mask
    moved_ms: int
    hands: bool
    shift: tuple[float, float] | None
    blind: bool
    settled: bool
    doubtful: bool
    covered: bool
    gap: bool
    small_before: Picture
    small_after: Picture
    region: Region

    @property
    def changed(self) -> bool:
        """Whether the scene is not as it was, light and moves of the whole picture apart."""
        return bool(self.change) and (self.shift is None or self.change.share >= LIMITS.shift_rest)

    @property
    def relit(self) -> bool:
        """Whether the light was switched."""
        return abs(self.change.light) >= LIMITS.light


class PhaseMachine:
    """Watches one region of one camera; feed it every frame in order."""

    def __init__(self, region: Region, limits: PhaseLimits = LIMITS) -> None:
        self.region = region
        self._limits = limits
        self._reference: Frame | None = None
        self._resting = Look(np.zeros_like(region.mask))
        self._older: Frame | None = None
        self._past: deque[Look] = deque(maxlen=limits.past)
        self._alone = False
        self._motion: Motion | None = None
        self._coming: Scene | None = None
        self._as_usual = (limits.settle_ms, False)
        self._last: Frame | None = None
        self._buffer = np.empty_like(region.mask)
        self._gate = float(limits.gate_levels)
        self._glanced: tuple[Frame | None, bool] = (None, False)
        self._pulse = Pulse()
        self._sight = Sight(region)

    @property
    def moving(self) -> bool:
        """Whether something moves now."""
        return self._motion is not None

    @property
    def before(self) -> Frame | None:
        """The last picture at rest before what moves now, None if nothing moves."""
        return None if self._motion is None else self._older

    def stall(self, frame: Frame) -> Stall | None:
        """Say whether the camera stood still before this frame; call it before `step`."""
        return self._pulse.beat(frame, self.region)

    @property
    def lost(self) -> Lost | None:
        """Why nothing can be seen right now, if that is so."""
        return self._sight.lost

    def trusts(self, frame: Frame) -> bool:
        """Say whether a frame shows the scene as it is now; call it after `stall`, and only then `step`."""
        if self._pulse.frozen:
            return False
        calm = self._motion is None and self._reference is not None and not self._differs(frame)
        return self._sight.trusts(frame, moving=self.moving, calm=calm)

    def foreseen(self) -> Scene | None:
        """Give, once, the very scene that `step` will give if the picture stays as it is; call it after `step`."""
        motion = self._motion
        if motion is None or motion.resting_as is None or self._coming is not None:
            return None
        frame, look = motion.resting_as
        self._coming = self._scene(motion, frame, look, settled=True)
        return self._coming if self._needed(motion, self._coming, look) == self._as_usual else None

    def step(self, frame: Frame) -> Scene | None:
        """Take the next frame; give the scene if it has just come to rest after something moved."""
        look = Look(self.region.seen(frame))
        gap = self._last is not None and frame.t_ms - self._last.t_ms > self._limits.lapse_ms
        # Pictures taken one by one are each at rest; after a gap in a film a hand may be in the first one.
        lapse = gap and not 0 < self._pulse.usual_ms <= self._limits.lapse_ms
        self._last = frame
        if self._reference is None:
            self._alone = True
            self._rest(frame, look)
            return None
        if self._motion is not None:
            return self._follow(self._motion, frame, look, (gap, lapse))
        if not self._differs(frame):
            self._alone = False
            self._refresh(frame, look)
            return None
        change = compare(look, self._resting, self.region)
        if not change and abs(change.light) < self._limits.light:
            self._alone = False
            self._resting = look
            self._gate = max(self._limits.gate_levels, self._limits.gate_noises * change.noise)
            self._refresh(frame, look)
            return None
        if self._alone and not lapse and frame.t_ms - self._reference.t_ms < self._limits.settle_ms:
            self._reference = None  # the first picture of all is like no other: nothing was at rest yet
            self._rest(frame, look)
            return None
        self._motion = self._begun(frame, look, change)
        self._motion.gap = gap and not lapse
        return self._settle(frame, look, lapse=True) if lapse else None

    def finish(self) -> Scene | None:
        """End the recording: give what was still moving, as it last stood."""
        if self._motion is None or self._last is None:
            return None
        rested = self._last.t_ms - self._motion.rest.t_ms >= self._limits.settle_ms
        return self._scene(self._motion, self._last, Look(self.region.seen(self._last)), settled=rested)

    def restart(self, region: Region, rest: Frame) -> None:
        """Watch another region from a frame on that is at rest: whatever differs from it in the next has come."""
        self.region = region
        self._motion = self._coming = None
        self._past.clear()
        self._glanced = (None, False)
        self._buffer = np.empty_like(region.mask)
        self._sight = Sight(region)
        self._alone = False
        self._reference = None
        self._rest(rest, Look(region.seen(rest)))

    def _differs(self, frame: Frame) -> bool:
        """Say whether a frame may differ from the picture at rest, at a glance; it is glanced at once."""
        if self._glanced[0] is not frame:
            self._glanced = (frame, self._may_differ(Look(self.region.seen(frame)), self._resting))
        return self._glanced[1]

    def _may_differ(self, now: Look, then: Look) -> bool:
        cv2.absdiff(now.picture, then.picture, dst=self._buffer)
        cv2.threshold(self._buffer, self._gate, 255, cv2.THRESH_BINARY, dst=self._buffer)
        cv2.bitwise_and(self._buffer, self.region.mask, dst=self._buffer)
        return cv2.countNonZero(self._buffer) > self._limits.gate_pixels

    def _same(self, now: Look, then: Look) -> bool:
        if not self._may_differ(now, then):
            return True
        change = compare(now, then, self.region)
        return not change and abs(change.light) < self._limits.light

    def _rest(self, frame: Frame, look: Look) -> None:
        """Take this as the picture at rest."""
        self._older = self._reference or frame
        self._reference, self._resting = frame, look

    def _refresh(self, frame: Frame, look: Look) -> None:
        assert self._reference is not None
        if frame.t_ms - self._reference.t_ms >= self._limits.refresh_ms:
            self._rest(frame, look)

    def _begun(self, frame: Frame, look: Look, change: Change) -> Motion:
        motion = Motion(
            began=(frame.index, frame.t_ms),
            region=self.region,
            limits=self._limits,
            resting=self._resting,
            rest=frame,
            rest_look=look,
            swept=np.zeros_like(change.mask),
            tell_covered_ms=self._limits.covered_ms,
        )
        motion.note(frame, look, change)
        return motion

    def _follow(self, motion: Motion, frame: Frame, look: Look, unseen: tuple[bool, bool]) -> Scene | None:
        gap, lapse = unseen
        motion.gap |= gap and not lapse
        if gap or not self._same(look, motion.rest_look):
            self._coming = None
            motion.note(frame, look)
            return self._settle(frame, look, lapse=True) if lapse else None
        rested = frame.t_ms - motion.rest.t_ms
        if motion.resting_as is None and rested >= self._limits.read_ms:
            motion.resting_as = (frame, look)
        return self._settle(frame, look) if rested >= (motion.needed_ms or self._limits.settle_ms) else None

    def _settle(self, frame: Frame, look: Look, *, lapse: bool = False) -> Scene | None:
        """Take the scene as at rest, unless a hand may rest in it; a picture taken by itself has rested."""
        motion = self._motion
        assert motion is not None
        scene, seen = self._resting_scene(motion, frame, look)
        motion.needed_ms, covered = self._needed(motion, scene, seen)
        rested = frame.t_ms - motion.rest.t_ms >= motion.needed_ms
        if not rested and (covered or not lapse):
            return None
        if covered:
            motion.tell_covered_ms *= 2
            return replace(scene, covered=True)
        self._motion = self._coming = None
        self._past.append(self._resting)
        self._reference = self._older = frame
        self._resting = look
        return scene

    def _resting_scene(self, motion: Motion, frame: Frame, look: Look) -> tuple[Scene, Look]:
        """Give the scene with the picture that is read: an early one, unless a longer rest is asked for."""
        if motion.needed_ms is None and motion.resting_as is not None:
            early, seen = motion.resting_as
            return self._coming or self._scene(motion, early, seen, settled=True), seen
        return self._scene(motion, frame, look, settled=True), look

    def _needed(self, motion: Motion, scene: Scene, look: Look) -> tuple[int, bool]:
        """Give how long this picture has to rest, ms, and whether it is then still no picture of the board."""
        past: Iterable[Look] = self._past
        if scene.shift is not None:
            if not motion.hands:
                return self._limits.settle_ms, False
            look, past = look.smooth, [Look(moved(one.picture, scene.shift)).smooth for one in self._past]
        strange = alien(scene.change, look, past, self.region)
        reaches = reaching(strange, self.region)
        hand = is_hand(reaches, self.region)
        large = strange.share >= self._limits.hand_share
        if large or is_flat(look, self.region, self._limits) or (hand and motion.hands):
            return motion.tell_covered_ms, True
        if hand:
            return self._limits.patience_ms, False
        leaving = motion.hands and cv2.countNonZero(reaches) > 0
        return self._limits.leaving_ms if leaving else self._limits.settle_ms, False

    def _scene(self, motion: Motion, frame: Frame, look: Look, *, settled: bool) -> Scene:
        before = self._older
        assert before is not None
        change = compare(look, self._resting, self.region)
        shift = shift_of(change, look, self._resting, self.region, self._limits)
        if shift is not None:
            change = replace(beside_shift(look, self._resting, shift, self.region), light=change.light)
        return Scene(
            before=before,
            after=frame,
            began=motion.began,
            end_frame=motion.rest.index,
            change=change,
            swept=motion.swept,
            moved_ms=motion.last_moving_ms - motion.began[1],
            hands=motion.hands,
            shift=shift,
            blind=motion.blind,
            settled=settled,
            doubtful=not motion.hands and motion.needed_ms == self._limits.patience_ms,
            covered=False,
            gap=motion.gap,
            small_before=self._resting.picture,
            small_after=look.picture,
            region=self.region,
        )
