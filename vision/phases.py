"""What the scene is doing: still, something moves, a hand is in it, it has come to rest again.

    machine = PhaseMachine(region_of(size, polygon_px))
    for frame in frames:
        scene = machine.step(frame)   # None nearly always; a Scene when something has come to rest
    scene = machine.finish()

While all is still a frame costs one difference and one count at the small scale. All times are in milliseconds, so
that 5 frames a second and 60 give the same answer. The picture at rest follows slow changes of the light.
"""

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from vision.changes import Change, Mask, Region, compare, is_hand, moved, reaching, shift_between
from vision.frames import Frame, Picture
from vision.pulse import Pulse, Stall


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseLimits:
    """When something moves, when it rests, and what is too large for a dart, pin or ball.

    Attributes
    ----------
    gate_levels, gate_noises, gate_pixels
        The first, cheap look: more than so many small pixels brighter or darker by more than so many levels
        and so many standard deviations of noise. A dart on the far side of a large room changes about 20 pixels by
        15 to 100 levels.
    settle_ms
        At rest means: the same picture for this long. A dart trembles for 100 to 300 ms, visibly; at 5 frames a
        second it is one further frame.
    lapse_ms
        Frames further apart than this are pictures taken one by one, each at rest.
    refresh_ms
        How often the picture at rest is renewed; the one before a throw is at least this old, so that a dart in
        flight is not yet in it.
    hand_share
        A change of this share of the region is a hand or a person. Darts seen by cameras close to the board change
        up to 6 %; hands that pull darts 7 to 40 %.
    hand_ms, lingering_share
        So is a smaller one that keeps moving for so long: a dart is at rest after half a second.
    leaving_ms
        After hands, as long as a change still reaches to the border, the picture has to rest this long.
    patience_ms
        What is as thick as a hand and reaches to the border, but came at once as darts do, has to rest so long: a
        dart may, a hand does not. Then it is no hand, but doubtful.
    covered_ms
        A hand may rest; what hides this much for longer without moving may be a moved camera. It is told after
        this time, and after twice as long each time that follows.
    shift_px, shift_gain
        A move of the whole picture, small pixels, that explains all but `shift_gain` of the change.
    shaking_ms
        A board that a dart hit, or a camera that was touched, shakes for less than this; that is no hand.
    shift_rest
        What is left beside a move counts from this share of the region: edges never match to the last pixel.
    light
        Change of the logarithm of brightness that counts as switched light (0.22 is a quarter brighter).
    past
        Pictures at rest that are remembered, each from before something came: a visit has three, and one is empty.
    flat
        Standard deviation of brightness, levels, below which a picture shows nothing (black, covered, blinded).
    """

    gate_levels: int = 10
    gate_noises: float = 4.5
    gate_pixels: int = 6
    settle_ms: int = 150
    lapse_ms: int = 1000
    refresh_ms: int = 250
    hand_share: float = 0.09
    hand_ms: int = 900
    lingering_share: float = 0.03
    leaving_ms: int = 1000
    patience_ms: int = 3000
    covered_ms: int = 4000
    shift_px: float = 0.12
    shift_gain: float = 0.4
    shaking_ms: int = 600
    shift_rest: float = 0.0015
    light: float = 0.22
    past: int = 6
    flat: float = 5.0


LIMITS: Final = PhaseLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """Something moved, and the picture has come to rest.

    Attributes
    ----------
    before, after
        The last picture at rest before, and the one at rest now.
    began
        Index and time (ms) of the frame where the motion began to show.
    end_frame
        Index of the first frame of the rest.
    change
        What differs between `before` and `after` (at the small scale, within the region).
    swept
        (h, w) uint8, 1 wherever something was seen while it moved.
    peak
        Largest share of the region that was changed at one time.
    moved_ms
        How long it moved.
    hands
        A hand or a person was in it.
    shift
        (x, y) small pixels by which the whole picture moved, if that is what happened; else None.
    blind
        While it moved nothing could be seen at all.
    settled
        False if the recording ended before the picture had come to rest.
    doubtful
        What came may be a hand that rests.
    covered
        A large thing has been before the region for long without moving; the motion is not over.
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
    peak: float
    moved_ms: int
    hands: bool
    shift: tuple[float, float] | None
    blind: bool
    settled: bool
    doubtful: bool
    covered: bool
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


@dataclass(slots=True)
class _Motion:
    """What is kept while something moves."""

    began: tuple[int, int]
    rest: Frame
    rest_small: Picture
    last_moving_ms: int
    swept: Mask
    peak: float
    blind: bool
    tell_covered_ms: int
    reached_ms: int | None = None
    hands: bool = False
    needed_ms: int | None = None


class PhaseMachine:
    """Watches one region of one camera; feed it every frame in order."""

    def __init__(self, region: Region, limits: PhaseLimits = LIMITS) -> None:
        self.region = region
        self._limits = limits
        self._reference: Frame | None = None
        self._small: Picture = np.zeros_like(region.mask)
        self._older: Frame | None = None
        self._past: deque[Picture] = deque(maxlen=limits.past)
        self._motion: _Motion | None = None
        self._last: Frame | None = None
        self._buffer = np.empty_like(region.mask)
        self._gate = float(limits.gate_levels)
        self._pulse = Pulse()

    @property
    def moving(self) -> bool:
        """Whether something moves now."""
        return self._motion is not None

    def stall(self, frame: Frame) -> Stall | None:
        """Say whether the camera stood still before this frame; call it before `step`."""
        return self._pulse.beat(frame, self.region)

    def step(self, frame: Frame) -> Scene | None:
        """Take the next frame; give the scene if it has just come to rest after something moved."""
        small = self.region.cut(frame.small())
        lapse = self._last is not None and frame.t_ms - self._last.t_ms > self._limits.lapse_ms
        self._last = frame
        if self._reference is None:
            self._rest(frame, small)
            return None
        if self._motion is None:
            if not self._differs(small, self._small):
                self._refresh(frame, small)
                return None
            change = compare(small, self._small, self.region)
            if not change and abs(change.light) < self._limits.light:
                self._small = small
                self._gate = max(self._limits.gate_levels, self._limits.gate_noises * change.noise)
                self._refresh(frame, small)
                return None
            self._begin(frame, small, change)
            return self._settle(frame, small, lapse=True) if lapse else None
        return self._follow(frame, small, lapse)

    def finish(self) -> Scene | None:
        """End the recording: give what was still moving, as it last stood."""
        if self._motion is None or self._last is None:
            return None
        rested = self._last.t_ms - self._motion.rest.t_ms >= self._limits.settle_ms
        return self._scene(self._last, self.region.cut(self._last.small()), settled=rested)

    def restart(self, region: Region) -> None:
        """Watch another region from the next frame on; nothing is known of it yet."""
        self.region = region
        self._reference = self._older = self._motion = None
        self._past.clear()
        self._buffer = np.empty_like(region.mask)

    def _differs(self, now: Picture, then: Picture) -> bool:
        cv2.absdiff(now, then, dst=self._buffer)
        cv2.threshold(self._buffer, self._gate, 255, cv2.THRESH_BINARY, dst=self._buffer)
        cv2.bitwise_and(self._buffer, self.region.mask, dst=self._buffer)
        return cv2.countNonZero(self._buffer) > self._limits.gate_pixels

    def _same(self, now: Picture, then: Picture) -> bool:
        if not self._differs(now, then):
            return True
        change = compare(now, then, self.region)
        return not change and abs(change.light) < self._limits.light

    def _rest(self, frame: Frame, small: Picture) -> None:
        """Take this as the picture at rest."""
        self._older = self._reference or frame
        self._reference, self._small = frame, small

    def _refresh(self, frame: Frame, small: Picture) -> None:
        assert self._reference is not None
        if frame.t_ms - self._reference.t_ms >= self._limits.refresh_ms:
            self._rest(frame, small)

    def _begin(self, frame: Frame, small: Picture, change: Change) -> None:
        self._motion = _Motion(
            began=(frame.index, frame.t_ms),
            rest=frame,
            rest_small=small,
            last_moving_ms=frame.t_ms,
            swept=np.zeros_like(change.mask),
            peak=0.0,
            blind=False,
            tell_covered_ms=self._limits.covered_ms,
        )
        self._note(self._motion, frame, small, change)

    def _note(self, motion: _Motion, frame: Frame, small: Picture, change: Change) -> None:
        """Take down what is seen while it moves: how much, where, and whether it is a hand."""
        motion.rest, motion.rest_small, motion.needed_ms = frame, small, None
        motion.last_moving_ms = frame.t_ms
        if (
            change.share >= self._limits.lingering_share
            and frame.t_ms - motion.began[1] <= self._limits.shaking_ms
        ):
            change = self._steadied(change, small)
        motion.peak = max(motion.peak, change.share)
        motion.blind |= self._is_flat(small)
        cv2.bitwise_or(motion.swept, change.mask, dst=motion.swept)
        if is_hand(reaching(change, self.region), self.region):
            motion.reached_ms = frame.t_ms if motion.reached_ms is None else motion.reached_ms
            motion.hands |= frame.t_ms - motion.reached_ms >= self._limits.settle_ms
        else:
            motion.reached_ms = None
        long = frame.t_ms - motion.began[1] >= self._limits.hand_ms
        motion.hands |= change.share >= self._limits.hand_share
        motion.hands |= long and change.share >= self._limits.lingering_share

    def _follow(self, frame: Frame, small: Picture, lapse: bool) -> Scene | None:
        motion = self._motion
        assert motion is not None
        if not lapse and self._same(small, motion.rest_small):
            rested = frame.t_ms - motion.rest.t_ms
            return self._settle(frame, small) if rested >= (motion.needed_ms or self._limits.settle_ms) else None
        self._note(motion, frame, small, compare(small, self._small, self.region))
        return self._settle(frame, small, lapse=True) if lapse else None

    def _settle(self, frame: Frame, small: Picture, *, lapse: bool = False) -> Scene | None:
        """Take the scene as at rest, unless a hand may rest in it; a picture taken by itself has rested."""
        motion = self._motion
        assert motion is not None
        scene = self._scene(frame, small, settled=True)
        motion.needed_ms, covered = self._needed(motion, scene, small)
        rested = frame.t_ms - motion.rest.t_ms >= motion.needed_ms
        if not rested and (covered or not lapse):
            return None
        if covered:
            motion.tell_covered_ms *= 2
            return replace(scene, covered=True)
        self._motion = None
        self._past.append(self._small)
        self._reference = self._older = frame
        self._small = small
        return scene

    def _needed(self, motion: _Motion, scene: Scene, small: Picture) -> tuple[int, bool]:
        """Give how long this picture has to rest, ms, and whether it is then still no picture of the board."""
        if scene.shift is not None:
            return self._limits.settle_ms, False
        alien = self._alien(scene.change, small)
        reaches = reaching(alien, self.region)
        hand = is_hand(reaches, self.region)
        large = alien.share >= self._limits.hand_share
        if large or self._is_flat(small) or (hand and motion.hands):
            return motion.tell_covered_ms, True
        if hand:
            return self._limits.patience_ms, False
        leaving = motion.hands and cv2.countNonZero(reaches) > 0
        return self._limits.leaving_ms if leaving else self._limits.settle_ms, False

    def _alien(self, change: Change, small: Picture) -> Change:
        """Leave of a change what looks like none of the last pictures at rest: darts that are pulled do."""
        mask = change.mask.copy()
        for past in self._past:
            if not cv2.countNonZero(mask):
                break
            cv2.bitwise_and(mask, compare(small, past, self.region).mask, dst=mask)
        pixels = int(cv2.countNonZero(mask))
        return replace(change, mask=mask, pixels=pixels, share=pixels / self.region.area)

    def _scene(self, frame: Frame, small: Picture, *, settled: bool) -> Scene:
        motion, before = self._motion, self._older
        assert motion is not None
        assert before is not None
        change = compare(small, self._small, self.region)
        shift = self._shift(small, change)
        if shift is not None:
            change = replace(self._beside_shift(small, shift), light=change.light)
        return Scene(
            before=before,
            after=frame,
            began=motion.began,
            end_frame=motion.rest.index,
            change=change,
            swept=motion.swept,
            peak=motion.peak,
            moved_ms=motion.last_moving_ms - motion.began[1],
            hands=shift is None and motion.hands,
            shift=shift,
            blind=motion.blind,
            settled=settled,
            doubtful=not motion.hands and motion.needed_ms == self._limits.patience_ms,
            covered=False,
            small_before=self._small,
            small_after=small,
            region=self.region,
        )

    def _shift(self, small: Picture, change: Change) -> tuple[float, float] | None:
        """Give the move of the whole picture that explains the change, or None."""
        if not change or self._is_flat(small):
            return None
        shift = shift_between(small, self._small)
        if max(map(abs, shift)) < self._limits.shift_px:
            return None
        unmoved, left = self._beside_shift(small, (0.0, 0.0)), self._beside_shift(small, shift)
        return shift if left.pixels <= self._limits.shift_gain * unmoved.pixels else None

    def _steadied(self, change: Change, small: Picture) -> Change:
        """Leave out of a change what comes of a board or camera that shakes."""
        shift = self._shift(small, change)
        return change if shift is None else self._beside_shift(small, shift)

    def _beside_shift(self, small: Picture, shift: tuple[float, float]) -> Change:
        """Compare with the picture at rest moved, both smoothed: a move by parts of a pixel smooths too."""
        then = cv2.GaussianBlur(moved(self._small, shift), (5, 5), 0).astype(np.uint8, copy=False)
        return compare(cv2.GaussianBlur(small, (5, 5), 0).astype(np.uint8, copy=False), then, self.region)

    def _is_flat(self, small: Picture) -> bool:
        return float(cv2.meanStdDev(small, mask=self.region.mask)[1][0, 0]) < self._limits.flat
