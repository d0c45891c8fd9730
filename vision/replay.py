"""The loop: frames to phases to the game's reader to events; no files, no clock, no threads.

    for event in replay(open_frames(path), setup):
        …

The same loop serves a recording at full speed, the demo at real speed and a camera: whoever feeds the frames sets
the pace, and an event comes out as soon as the frame that settles it went in.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol, runtime_checkable

from numpy.typing import NDArray

from vision.astrolabe.watch import open_watch as open_astrolabe
from vision.changes import region_of
from vision.darts.watch import open_watch as open_darts
from vision.events import Event
from vision.failure import Failure
from vision.finn.watch import open_watch as open_finn
from vision.flicker import Flicker
from vision.frames import Frame
from vision.motion import LIMITS as PHASES
from vision.motion import PhaseLimits
from vision.phases import PhaseMachine, Scene
from vision.pulse import Stall
from vision.setup import Setup
from vision.sight import LIMITS as SIGHT
from vision.sight import Lost


class Watch(Protocol):
    """A game's part of the loop: it knows the board and turns scenes at rest into events."""

    def region_px(self) -> NDArray[Any]:
        """Give the polygon, (N, 2) px, where changes matter; asked again after a board moved."""
        ...

    def hand_px(self) -> float:
        """Give the side of a square, px, that a hand fills and nothing that is played with does."""
        ...

    def settled(self, scene: Scene) -> Iterator[Event]:
        """Say what happened, now that the picture has come to rest."""
        ...

    def ended(self) -> Iterator[Event]:
        """Say what was still open when the recording ended."""
        ...


@runtime_checkable
class Onlooker(Protocol):
    """A watch that also wants to see every frame."""

    def seen(self, frame: Frame, moving: bool) -> Iterator[Event]:
        """Say what a frame shows, after what it settled; `moving` if something moves in it."""
        ...


@runtime_checkable
class Slower(Protocol):
    """A watch of a game whose pieces roll on for longer, and cover more, than darts and balls do."""

    @property
    def limits(self) -> PhaseLimits:
        """When something is a hand."""
        ...


@runtime_checkable
class Foreseer(Protocol):
    """A watch that can read what has come to rest while it is still awaited that it stays."""

    def foresee(self, frame: Frame, scene: Scene | None, before: Frame | None) -> None:
        """Read what will be asked about if the picture stays as it is; say and change nothing.

        Called after each frame; `scene` is what `settled` will be given then, once, or None: no scene is coming.
        `before` is the picture at rest before what moves now, None if nothing moves.
        """
        ...


Opener = Callable[[Setup, Frame, Mapping[str, Any] | None], Watch | Failure]

WATCHES: Final[Mapping[str, Opener]] = {"cricket": open_darts, "astrolabe": open_astrolabe, "finn": open_finn}

GAP: Final = "AFTER_A_GAP"
"""Review of what happened while nothing was seen."""

SEARCH_MS: Final = 500
SEARCH_FOR_MS: Final = 5000
"""A board that the first frame does not show (somebody stands before it) is looked for this often, this long."""


def replay(
    frames: Iterable[Frame | Failure], setup: Setup, *, lying: Mapping[str, Any] | None = None, eager: bool = False
) -> Iterator[Event | Failure]:
    """Watch frames and say what happened, as it happens.

    Parameters
    ----------
    frames
        In order; a `Failure` among them ends the replay.
    setup
        The camera and its board.
    lying
        What already lies on the board in the first frame, as a STATE file has it; None: nothing is known.
    eager
        Read while it is still awaited that all stays at rest: for cameras, whose events are then told sooner. They
        are the same events; sometimes something is read in vain.

    Yields
    ------
    Event or Failure
        Events in the order in which they settled. A `Failure` comes last and at most once: the frames broke off
        (what was seen up to there has been given), or `NO_BOARD`.
    """
    source = iter(frames)
    opened = _open(source, WATCHES[setup.game], setup, lying)
    if isinstance(opened, Failure):
        yield opened
        return
    first, watch = opened
    yield from _watch(first, source, watch, watch if eager and isinstance(watch, Foreseer) else None)


def _open(
    source: Iterator[Frame | Failure], opener: Opener, setup: Setup, lying: Mapping[str, Any] | None
) -> tuple[Frame, Watch] | Failure:
    """Find the board in the first frame that shows it."""
    failure: Failure | None = None
    begun_ms: int | None = None
    looked_ms = 0
    for frame in source:
        if isinstance(frame, Failure):
            return failure or frame
        if begun_ms is None:  # a camera that is watched again does not begin at 0
            begun_ms, looked_ms = frame.t_ms, frame.t_ms - SEARCH_MS
        if frame.t_ms - looked_ms < SEARCH_MS:
            continue
        if frame.t_ms - begun_ms > SEARCH_FOR_MS:
            break
        looked_ms = frame.t_ms
        watch = opener(setup, frame, lying)
        if not isinstance(watch, Failure):
            return frame, watch
        failure = watch
    return failure if failure is not None else Failure("NO_FRAMES", "There is no picture to look at.")


def _watch(
    first: Frame, source: Iterator[Frame | Failure], watch: Watch, foreseer: Foreseer | None
) -> Iterator[Event | Failure]:
    limits = watch.limits if isinstance(watch, Slower) else PHASES
    machine = PhaseMachine(region_of(first.size, watch.region_px(), watch.hand_px()), limits)
    machine.step(first)
    onlooker = watch if isinstance(watch, Onlooker) else None
    broken: Failure | None = None
    health = _Health(machine)
    for frame in source:
        if isinstance(frame, Failure):
            broken = frame
            break
        yield from health.told(frame)
        if not health.trusted:
            continue
        scene = machine.step(frame)
        if scene is not None:
            yield from _settled(scene, watch, machine, frame)
        if onlooker is not None:
            yield from onlooker.seen(frame, machine.moving)
        if foreseer is not None:
            foreseer.foresee(frame, machine.foreseen() if scene is None else None, machine.before)
    scene = machine.finish()
    if scene is not None:
        yield from _settled(scene, watch, machine, None)
    yield from watch.ended()
    if broken is not None:
        yield broken


def _settled(scene: Scene, watch: Watch, machine: PhaseMachine, frame: Frame | None) -> Iterator[Event]:
    if scene.relit and not scene.covered:
        yield _event("light_changed", scene, {"ratio": round(2.718281828459045**scene.change.light, 2)})
    for event in watch.settled(scene):
        yield _asking(event) if scene.gap else event
        if event.kind == "board_moved" and frame is not None:
            machine.restart(region_of(frame.size, watch.region_px(), watch.hand_px()), frame)


class _Health:
    """Looks at each frame before anybody else does, and tells what is wrong with the camera.

    Attributes
    ----------
    trusted
        Whether the last frame shows the scene.
    """

    def __init__(self, machine: PhaseMachine) -> None:
        self.trusted = True
        self._machine, self._view, self._flicker = machine, _View(), Flicker()

    def told(self, frame: Frame) -> Iterator[Event]:
        """Take the next frame."""
        machine = self._machine
        stall = machine.stall(frame)
        if stall is not None:
            yield _stalled(stall, frame)
        if frame.jumped_ms:
            yield _bare("clock_jumped", frame, (frame.index, frame.t_ms), {"jump_ms": frame.jumped_ms})
        self.trusted = machine.trusts(frame)
        yield from self._view.told(machine.lost, frame)
        flickering = self._flicker.look(frame, machine.region) if self.trusted else None
        if flickering is not None:
            yield _bare("flicker", frame, flickering.since, {"swing": round(flickering.swing, 3)})


class _View:
    """Tells once that the view is lost, and that it is back."""

    def __init__(self) -> None:
        self._told: Lost | None = None

    def told(self, lost: Lost | None, frame: Frame) -> Iterator[Event]:
        """Take what is so at a frame."""
        if lost is None:
            if self._told is not None:
                since = self._told.since
                yield _bare("view_back", frame, since, {"lost_ms": frame.t_ms - since[1]})
            self._told = None
        elif self._told is None and frame.t_ms - lost.since[1] >= SIGHT.told_ms:
            self._told = lost
            yield _bare("view_lost", frame, lost.since, {"why": lost.why})


def _asking(event: Event) -> Event:
    """Ask about what happened while nothing was seen: it is told by what was there before and is there now."""
    return replace(event, data={**event.data, "review": [*event.data.get("review", ()), {"code": GAP}]})


def _bare(kind: str, frame: Frame, began: tuple[int, int], data: Mapping[str, Any]) -> Event:
    """Give an event of the camera, which nothing at rest shows."""
    return Event(kind=kind, t_ms=began[1], frame=began[0], end_frame=frame.index, data=data, shown=frame)


def _event(kind: str, scene: Scene, data: Mapping[str, Any] | None = None) -> Event:
    return Event(
        kind=kind,
        t_ms=scene.began[1],
        frame=scene.began[0],
        end_frame=scene.end_frame,
        data=data or {},
        before=scene.before,
        after=scene.after,
    )


def _stalled(stall: Stall, frame: Frame) -> Event:
    kind = "camera_frozen" if stall.frozen else "camera_stalled"
    return _bare(kind, frame, stall.last, {"lost_ms": stall.first[1] - stall.last[1]})
