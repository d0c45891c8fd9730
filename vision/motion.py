"""What is kept while something moves: where, how much, whether by a hand, and whether the whole picture moved."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import cv2

from vision.changes import Change, Look, Mask, Region, compare, is_hand, moved, reaching, shift_between
from vision.frames import Frame


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
    read_ms
        The picture that is read is the first one that has stayed the same for so long: it can be read while it is
        awaited that it stays.
    lapse_ms
        Frames further apart than this are pictures taken one by one, each at rest.
    refresh_ms
        How often the picture at rest is renewed; the one before a throw is at least this old, so that a dart in
        flight is not yet in it.
    hand_share
        A change of this share of the region is a hand or a person. Darts seen by cameras close to the board change
        up to 2.1 %; hands that pull darts 5 to 18 %.
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
    read_ms: int = 60
    lapse_ms: int = 1000
    refresh_ms: int = 250
    hand_share: float = 0.055
    hand_ms: int = 900
    lingering_share: float = 0.018
    leaving_ms: int = 1000
    patience_ms: int = 3000
    covered_ms: int = 4000
    shift_px: float = 0.12
    shift_gain: float = 0.4
    shift_rest: float = 0.0015
    light: float = 0.22
    past: int = 6
    flat: float = 5.0


LIMITS: Final = PhaseLimits()


@dataclass(slots=True)
class Motion:
    """What is kept while something moves.

    Attributes
    ----------
    began
        Index and time (ms) of the frame where it began to show.
    region, limits
        As the phase machine has them.
    resting
        The picture at rest before.
    rest, rest_look
        The last frame that moved: the picture that has to stay for the motion to be over.
    swept
        (h, w) uint8, 1 wherever something was seen, as long as it might have been no hand.
    tell_covered_ms
        How long something large may rest until it is told.
    last_moving_ms
        When something was last seen to move.
    blind, hands
        As `vision.phases.Scene` has them.
    reached_ms
        Since when something as thick as a hand reaches in.
    needed_ms
        How long this picture has to rest; None: as usual.
    resting_as
        The frame that is read if the picture stays as it is, and its look.
    gap
        For a while nothing was seen.
    """

    began: tuple[int, int]
    region: Region
    limits: PhaseLimits
    resting: Look
    rest: Frame
    rest_look: Look
    swept: Mask
    tell_covered_ms: int
    last_moving_ms: int = 0
    blind: bool = False
    hands: bool = False
    reached_ms: int | None = None
    needed_ms: int | None = None
    resting_as: tuple[Frame, Look] | None = None
    gap: bool = False

    def note(self, frame: Frame, look: Look, change: Change | None = None) -> None:
        """Take down a frame that moves; `change`, how it differs from the picture at rest, where it is known."""
        self.rest, self.rest_look, self.needed_ms, self.resting_as = frame, look, None, None
        self.last_moving_ms = frame.t_ms
        self.blind |= is_flat(look, self.region, self.limits)
        if not self.hands:
            self._weigh(frame, look, change or compare(look, self.resting, self.region))

    def _weigh(self, frame: Frame, look: Look, change: Change) -> None:
        """Say whether it is a hand; once it is, nothing more is asked of the motion."""
        limits = self.limits
        lasted_ms = frame.t_ms - self.began[1]
        if change.share >= limits.lingering_share:
            change = self._steadied(change, look)
        cv2.bitwise_or(self.swept, change.mask, dst=self.swept)
        if is_hand(reaching(change, self.region), self.region):
            self.reached_ms = frame.t_ms if self.reached_ms is None else self.reached_ms
            self.hands |= frame.t_ms - self.reached_ms >= limits.settle_ms
        else:
            self.reached_ms = None
        self.hands |= change.share >= limits.hand_share
        self.hands |= lasted_ms >= limits.hand_ms and change.share >= limits.lingering_share

    def _steadied(self, change: Change, look: Look) -> Change:
        """Leave out of a change what comes of a board or camera that shakes."""
        shift = shift_of(change, look, self.resting, self.region, self.limits)
        return change if shift is None else beside_shift(look, self.resting, shift, self.region)


def is_flat(look: Look, region: Region, limits: PhaseLimits = LIMITS) -> bool:
    """Say whether nothing at all can be seen: black, covered or blinded."""
    return float(cv2.meanStdDev(look.picture, mask=region.mask)[1][0, 0]) < limits.flat


def shift_of(
    change: Change, now: Look, then: Look, region: Region, limits: PhaseLimits = LIMITS
) -> tuple[float, float] | None:
    """Give the move of the whole picture that explains a change of `then` to `now`, or None."""
    if not change or is_flat(now, region, limits):
        return None
    shift = shift_between(now, then)
    if max(map(abs, shift)) < limits.shift_px:
        return None
    unmoved, left = compare(now.smooth, then.smooth, region), beside_shift(now, then, shift, region)
    return shift if left.pixels <= limits.shift_gain * unmoved.pixels else None


def beside_shift(now: Look, then: Look, shift: tuple[float, float], region: Region) -> Change:
    """Compare with `then` moved, both smoothed."""
    return compare(now.smooth, Look(moved(then.picture, shift)).smooth, region)


def alien(change: Change, now: Look, past: Iterable[Look], region: Region) -> Change:
    """Leave of a change what looks like none of the last pictures at rest: darts that are pulled do."""
    mask = change.mask.copy()
    for one in past:
        if not cv2.countNonZero(mask):
            break
        cv2.bitwise_and(mask, compare(now, one, region).mask, dst=mask)
    pixels = int(cv2.countNonZero(mask))
    return replace(change, mask=mask, pixels=pixels, share=pixels / region.area)
