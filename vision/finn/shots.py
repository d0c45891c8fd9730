"""A shot of Finn Billiards as the loop reads it: against what, as what, and what of that can be made ahead.

What does not need the picture after the shot can be made while the shot goes on: how the pins had been set up for
it, and the way of the disc. It comes to the same as if it were made in the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.events import Event
from vision.failure import Failure
from vision.finn.after import Seen, seen_after
from vision.finn.answer import PinsReading
from vision.finn.before import View, with_places
from vision.finn.disc import waiting
from vision.finn.focus import edges_of
from vision.finn.ground import Ground, ground_of
from vision.finn.light import compared, still_of
from vision.finn.setting import SetUp, set_up, stood_already
from vision.finn.state import Place
from vision.finn.telling import reading_of
from vision.finn.track import Cushion, DiscTracker, Sighting, board_cut, cushions_of, over_a_rail, went_off
from vision.finn.trail import Trail, followed
from vision.frames import Frame
from vision.phases import Scene
from vision.setup import Setup

Picture = NDArray[np.uint8]

LEFT_CM: Final = 1.0
"""A disc this near to where it waited may be its own shadow there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shot:
    """The last shot, until the next begins.

    Attributes
    ----------
    event
        As it was told.
    ground, before
        The pins' places and the picture before it.
    reading
        What it was read as.
    """

    event: Event
    ground: Ground
    before: Frame
    reading: PinsReading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Basis:
    """What a scene is read against.

    Attributes
    ----------
    ground, before
        Where the pins stood, and the picture then.
    found
        How they had been set up since the last shot; None: that is no matter.
    stood
        Names that were said to have fallen in that shot, but have not been touched since and stand.
    again
        The shot has been told already: it goes on.
    """

    ground: Ground
    before: Frame
    again: bool = False
    found: SetUp | Failure | None = None
    stood: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Read:
    """A scene read as a shot: against what, what is seen, what that is read as, the cushions that were touched.

    `over`: the disc was seen last beyond a rail; `went`: it was seen on its way.
    """

    basis: Basis
    seen: Seen | Failure
    reading: PinsReading | Failure
    touched: tuple[Cushion, ...] = ()
    over: bool = False
    went: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moving:
    """A frame of a shot: its index, its time, and the part with the board in it."""

    frame: int
    t_ms: int
    picture: Picture


@dataclass(slots=True, kw_only=True, eq=False)
class Way:
    """The disc followed from where it waited, cm, through the frames so far."""

    before: Frame
    start: Place
    tracker: DiscTracker
    trail: Trail

    def follow(self, moving: Sequence[Moving]) -> None:
        """Look at those frames of a shot that have not been looked at."""
        for one in moving[len(self.trail.frames) :]:
            self.trail.add(self.tracker.look(one.picture))


def way_from(start: Place, before: Frame, view: View) -> Way:
    """Begin to follow the disc."""
    cut = board_cut(view.camera)
    tracker = DiscTracker(cut.of(before.bgr()), start, cut, view.camera, view.disc)
    return Way(before=before, start=start, tracker=tracker, trail=Trail(start))


def way_ahead(basis: Basis | None, view: View, before: Frame, now: Frame) -> Way | None:
    """Begin to follow a disc that is still on its way, if it can be seen where it waited.

    `basis`, where it is made already, is what the shot is read against; else `before` is the picture before it.
    """
    if basis is not None:
        still, slopes_px, before = basis.ground.still, basis.ground.slopes_px, basis.before
    else:
        still, slopes_px = still_of(before.bgr()), edges_of(before.bgr())
    pair = compared(still, now.bgr())
    if isinstance(pair, Failure):
        return None
    left = waiting(pair, slopes_px, view.camera, view.disc, np.zeros(slopes_px.shape[:2], np.uint8))
    return None if left is None else way_from((left.x_cm, left.y_cm), before, view)


def track_of(way: Way, moving: Sequence[Moving], began: tuple[int, int]) -> list[Sighting]:
    """Give where a disc was, from where it waited, in the frames of a shot that `began` (index, ms)."""
    way.follow(moving)
    track = [Sighting(frame=began[0] - 1, t_ms=began[1], xy_cm=way.start)]
    seen = way.trail.frames
    places = way.trail.places() if len(seen) == len(moving) else followed(seen[: len(moving)], way.start)
    for one, place in zip(moving, places, strict=True):
        if place is not None and np.hypot(place[0] - way.start[0], place[1] - way.start[1]) > LEFT_CM:
            track.append(Sighting(frame=one.frame, t_ms=one.t_ms, xy_cm=place))
    return track


def basis_after(shot: Shot, before: Frame, known: SetUp | None) -> Basis:
    """Give what the shot after a shot is read against; `known`: how the pins were set up, where it is certain."""
    found = known or set_up(shot.ground, before.bgr(), shot.reading)
    view, stood = _view_after(shot, found), frozenset[str]()
    after = shot.event.after
    if not isinstance(found, Failure) and after is not None:
        kept = stood_already(shot.ground.view, after.bgr(), before.bgr(), found)
        stood = kept & {name for name, pin in shot.reading.pins.items() if pin.state != "upright"}
    return Basis(ground=ground_of(view, before.bgr()), before=before, found=found, stood=stood)


def read_shot(setup: Setup, basis: Basis, scene: Scene, way: Way | None, moving: Sequence[Moving]) -> Read:
    """Read a scene as a shot.

    Parameters
    ----------
    setup, basis
        The board, and what the scene is read against.
    scene
        What has come to rest.
    way
        The disc's, as far as it was followed; it is followed anew if that was from elsewhere.
    moving
        The frames of the shot.
    """
    view = basis.ground.view
    seen = seen_after(basis.ground, scene.after.bgr())
    reading = seen if isinstance(seen, Failure) else reading_of(view, seen, setup)
    if isinstance(seen, Failure) or isinstance(reading, Failure):
        return Read(basis=basis, seen=seen, reading=reading)
    left = seen.disc_left
    if left is None or basis.again:
        return Read(basis=basis, seen=seen, reading=reading)
    if way is None or way.before is not basis.before or way.start != left:
        way = way_from(left, basis.before, view)
    upto = [one for one in moving if one.frame <= scene.after.index]
    track = track_of(way, upto, scene.began)
    touched = cushions_of(track, view.disc)
    over, went = over_a_rail(track), went_off(track)
    return Read(basis=basis, seen=seen, reading=reading, touched=touched, over=over, went=went)


def rehearse(setup: Setup, ground: Ground) -> None:
    """Read what a shot might look like, and forget it: the first time everything is slow.

    Pins are seen mirrored, so that all have moved, and half of them are nowhere to be found.
    """
    x, y, width, height = cv2.boundingRect((ground.owner >= 0).astype(np.uint8))
    after = ground.picture.copy()
    after[y : y + height, x : x + width] = ground.picture[y : y + height, x : x + width][:, ::-1]
    seen = seen_after(ground, after)
    if not isinstance(seen, Failure):
        reading_of(ground.view, seen, setup)


def _view_after(shot: Shot, found: SetUp | Failure) -> View:
    """Give the view with the pins where they were found, else where they were last."""
    if not isinstance(found, Failure):
        return with_places(shot.ground.view, found.places)
    places: dict[str, Place] = {
        name: shot.reading.pins[name].xy_cm or place for name, place in shot.ground.view.places.items()
    }
    return with_places(shot.ground.view, places)
