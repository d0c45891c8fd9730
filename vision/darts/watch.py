"""Cricket's part of the loop: scenes at rest to throws, bounce-outs, takeouts, and what else happens at a board.

A visit is what lies between two takeouts. Nothing is scored out of a scene that hands were in: darts pulled, moved
or put back by hand are no throws. Whatever is doubtful is given all the same and says so in its `review`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes import Mask
from vision.darts.find import BoardFit, board_from_setup
from vision.darts.lying import Lying, arrived, carried, is_gone, overlaid, shares, untraced
from vision.darts.moved import board_after
from vision.darts.reading import DartsReading, ReadDart, Review, read_dart, read_pair
from vision.darts.tips import Dart
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame
from vision.phases import Scene
from vision.setup import Setup

DARTS_A_VISIT: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLimits:
    """What of a scene belongs to the game.

    Attributes
    ----------
    reach_mm
        Changes matter this far from the bull: the board and its surround, where darts that miss stick.
    rim_mm
        Radius of a whole board; a dart that bounces out was before it.
    hand_mm
        A hand before the board fills a square of this side, a dart with its flight less than half of it.
    bounce_pixels, bounce_ms, bounce_frames
        Something before the board that left nothing is a bounce-out if it covered at least so many small pixels
        and was gone within this time, or so few frames; darts fall out of the picture in half a second.
    second_dart, second_share
        A streak beside the main one is a second dart from this chance and share of the change on.
    apart_ms
        No thrower throws two darts within this time: then one is kept, and asks if there seem to be two.
    unread_pixels
        What came to the board and stayed, without hands, and covers this many small pixels is a dart, even if no
        tip can be found.
    """

    reach_mm: float = 260.0
    rim_mm: float = 225.0
    hand_mm: float = 75.0
    bounce_pixels: int = 40
    bounce_ms: int = 1500
    bounce_frames: int = 4
    second_dart: float = 0.85
    second_share: float = 0.25
    apart_ms: int = 1500
    unread_pixels: int = 15


LIMITS: Final = WatchLimits()


def open_watch(setup: Setup, frame: Frame, lying: Mapping[str, Any] | None) -> "DartsWatch | Failure":
    """Begin to watch a dartboard.

    Parameters
    ----------
    setup
        For cricket; without points the board is found in the frame.
    frame
        The first one.
    lying
        `{"darts": [{"tip_px": [x, y]}, …]}` or `{"xy_mm": …}` a dart: what is in the board already. None: unknown.
    """
    board = board_from_setup(setup, frame.bgr())
    if isinstance(board, Failure):
        return board
    darts = _lying_from_json(lying, board)
    return darts if isinstance(darts, Failure) else DartsWatch(board, darts)


class DartsWatch:
    """Watches one board; see `vision.replay.Watch`."""

    def __init__(self, board: BoardFit, lying: Sequence[Lying] = ()) -> None:
        self._board = board
        self._lost = False
        self._doubted = False
        self._hidden = False
        self._lying = tuple(lying)
        self._thrown = 0
        self._bounced = 0
        self._pulling: Scene | None = None
        self._pulled = 0
        self._ahead: tuple[Scene, DartsReading | Failure] | None = None

    def region_px(self) -> NDArray[np.float64]:
        """Give the outline, (N, 2) px, of the board with its surround."""
        return _circle_px(self._board, LIMITS.reach_mm)

    def hand_px(self) -> float:
        """Give the side of a square, px, that a hand fills."""
        return LIMITS.hand_mm * float(self._board.plane.px_per_unit([[0.0, 0.0]])[0])

    def foresee(self, _frame: Frame, scene: Scene | None, _before: Frame | None) -> None:
        """Read what seems to have come to the board, while it is still awaited that it stays."""
        if scene is None or not scene.changed or scene.shift is not None:
            return
        if not (scene.hands or scene.blind or self._lost):
            self._ahead = (scene, self._read(scene, self._board))

    def settled(self, scene: Scene) -> Iterator[Event]:
        """Say what happened at the board."""
        board = self._board
        yield from self._happened(scene)
        if self._board is not board:  # what came in this very scene left its trace where the board was before
            self._lying = untraced(self._lying)

    def _happened(self, scene: Scene) -> Iterator[Event]:
        known = None if self._lost else self._board  # as it lies in the picture from before
        if scene.covered or scene.shift is not None or self._lost:
            yield from self._board_moved(scene)
        if scene.covered or scene.blind or self._lost:
            return
        if scene.hands:
            yield from self._after_hands(scene)
        elif scene.changed:
            yield from self._after_motion(scene, known or self._board)
        elif self._bounced_out(scene):
            self._bounced += 1
            yield _event("bounce_out", scene)

    def ended(self) -> Iterator[Event]:
        """Say that a takeout was still going on."""
        if self._pulling is not None:
            yield self._takeout(self._pulling, ("DARTS_LEFT",))

    def _after_hands(self, scene: Scene) -> Iterator[Event]:
        if not scene.settled:
            yield _event("hand", scene, review=("NOT_SETTLED",))
            return
        left = tuple(one for one in self._lying if not is_gone(one, scene)) if scene.changed else self._lying
        pulled = len(self._lying) - len(left)
        self._lying = left
        if pulled or self._pulling is not None:
            self._pulled += pulled
            self._pulling = scene if self._pulling is None else _joined(self._pulling, scene)
            if not left:
                yield self._takeout(self._pulling, ())
        elif scene.changed and not left:
            self._pulling = scene
            yield self._takeout(scene, ("DARTS_NOT_KNOWN",))
        else:
            yield _event("hand", scene, review=("BOARD_CHANGED",) if scene.changed else ())

    def _after_motion(self, scene: Scene, board: BoardFit) -> Iterator[Event]:
        gone = [one for one in self._lying if is_gone(one, scene)]
        ahead, self._ahead = self._ahead, None
        reading = ahead[1] if ahead is not None and ahead[0] is scene else self._read(scene, board)
        if isinstance(reading, Failure):
            yield _event("board_changed", scene, review=(reading.code,))
            return
        places, maybe = _believed(reading.darts, scene)
        new = [reading.darts[place] for place in places]
        about = [[item for item in reading.review if item.dart in (None, place)] for place in places]
        if (scene.gap or scene.shift is not None) and 1 < len(gone) == len(self._lying):
            # All was pulled while nothing, or little, was seen; where darts stuck, one may seem to have come.
            kept = [all(item.code != "MAYBE_NO_DART" for item in items) for items in about]
            new, about = [*compress(new, kept)], [*compress(about, kept)]
        if not new and not gone and (unread := self._unread(scene)) is not None:
            new, about = [unread], [[Review(code="NO_TIP_FOUND", px=unread.tip_px)]]
        yield from self._ends_before(new, gone, scene)
        yield from self._thrown_now(new, about, scene, maybe)
        if not new and not gone:
            yield _event("board_changed", scene, review=("NO_DART_FOUND",))

    def _read(self, scene: Scene, board: BoardFit) -> DartsReading | Failure:
        """Read what a scene brought to a board, given as it lies in the picture from before."""
        known = [one.dart for one in self._lying]
        return read_pair(scene.before.bgr(), scene.after.bgr(), board, known)

    def _ends_before(self, new: Sequence[ReadDart], gone: Sequence[Lying], scene: Scene) -> Iterator[Event]:
        """Say what must have happened before the new darts came."""
        if new and self._pulling is not None:
            yield self._takeout(self._pulling, ("DARTS_LEFT",))
        if gone and (len(gone) > 1 or new):
            yield self._unseen_takeout(gone, scene)
        elif gone:
            yield self._fallen(gone[0], scene)
        elif new and not self._lying and self._thrown + self._bounced >= DARTS_A_VISIT:
            yield self._takeout(scene, ("NOTHING_TO_PULL",))

    def _thrown_now(
        self, new: Sequence[ReadDart], about: Sequence[Sequence[Review]], scene: Scene, maybe: bool
    ) -> Iterator[Event]:
        earlier = overlaid(self._lying, scene) if new else self._lying
        together = [dart.dart for dart in new]
        for dart, items in zip(new, about, strict=True):
            codes = self._codes(scene, len(new), maybe)
            earlier = (*earlier, arrived(dart.dart, scene, self._thrown, together))
            self._thrown += 1
            yield _throw(dart, scene, items, codes)
        self._lying = earlier

    def _unread(self, scene: Scene) -> ReadDart | None:
        """Take what came to the board for a dart whose tip cannot be found: a miss that asks for a look."""
        inside = scene.change.mask * (scene.region.draw(_circle_px(self._board, LIMITS.rim_mm)) > 0)
        if cv2.countNonZero(inside) < LIMITS.unread_pixels or scene.shift is not None:
            return None
        rows, columns = np.nonzero(inside)
        middle = np.array(
            [np.median(columns) + scene.region.columns.start, np.median(rows) + scene.region.rows.start]
        )
        x, y = (float(value) for value in (middle + 0.5) * scene.region.factor - 0.5)
        dart = Dart(tip_px=(x, y), plane_px=(x, y), cov_px=np.eye(2) * 400, axis_px=(0.0, -1.0), confidence=0.0)
        return replace(read_dart(dart, self._board), segment="MISS")

    def _codes(self, scene: Scene, together: int, maybe: bool) -> list[str]:
        codes = []
        if scene.doubtful:
            codes.append("MAYBE_A_HAND")
        if maybe:
            codes.append("MAYBE_ANOTHER_DART")
        if not scene.settled:
            codes.append("NOT_SETTLED")
        if together > 1:
            codes.append("SEVERAL_AT_ONCE")
        if self._thrown >= DARTS_A_VISIT:
            codes.append("FOURTH_DART")
        if self._doubted:
            codes.append("BOARD_MOVED")
        return codes

    def _takeout(self, scene: Scene, codes: Sequence[str]) -> Event:
        """End the visit."""
        missing = DARTS_A_VISIT - self._thrown
        if self._thrown + self._bounced and missing > 0:
            codes = (*codes, "FILLED_WITH_MISS")
        data = {"darts": self._thrown, "bounced_out": self._bounced, "pulled": self._pulled}
        self._thrown = self._bounced = self._pulled = 0
        self._pulling = None
        return _event("takeout", scene, data, review=codes)

    def _unseen_takeout(self, gone: Sequence[Lying], scene: Scene) -> Event:
        left = tuple(one for one in self._lying if one not in gone)
        self._pulled, self._lying = len(gone), left
        return self._takeout(scene, ("HANDS_NOT_SEEN", "DARTS_LEFT") if left else ("HANDS_NOT_SEEN",))

    def _fallen(self, fell: Lying, scene: Scene) -> Event:
        self._lying = tuple(one for one in self._lying if one is not fell)
        data = {"dart": fell.thrown, "tip_px": _rounded(fell.dart.tip_px)}
        return _event("dart_fell", scene, data, review=("DART_FELL",))

    def _bounced_out(self, scene: Scene) -> bool:
        brief = scene.moved_ms <= LIMITS.bounce_ms or scene.end_frame - scene.began[0] <= LIMITS.bounce_frames
        if not brief or scene.shift is not None:
            return False
        disc = scene.region.draw(_circle_px(self._board, LIMITS.rim_mm))
        return _pixels(scene.swept, disc) >= LIMITS.bounce_pixels

    def _board_moved(self, scene: Scene) -> Iterator[Event]:
        move = board_after(self._board, scene)
        if move is None:
            return
        if move.board is None and (scene.covered or self._lost):
            if not self._hidden:
                yield _event("board_hidden", scene)
            self._hidden = True
            return
        self._lost, self._doubted, self._hidden = move.board is None, move.doubted, False
        if move.board is not None:
            self._lying = carried(self._lying, self._board.plane, move.board.plane)
            self._board = move.board
        yield _event("board_moved", scene, move.to_json(), review=move.review())


def _believed(darts: Sequence[ReadDart], scene: Scene) -> tuple[list[int], bool]:
    """Give the places of the darts that came, in the order of reading, and whether there may be one more.

    The main one is that which most of the change belongs to; a shadow or a part of its flight may read as another.
    """
    if not darts:
        return [], False
    parts = shares([dart.dart for dart in darts], scene)
    main = max(range(len(darts)), key=lambda place: (parts[place], -place))
    others = [
        place
        for place, dart in enumerate(darts)
        if place != main and dart.dart.confidence >= LIMITS.second_dart and parts[place] >= LIMITS.second_share
    ]
    if scene.after.t_ms - scene.before.t_ms < LIMITS.apart_ms:
        return [main], bool(others)
    return sorted([main, *others]), False


def _throw(dart: ReadDart, scene: Scene, about: Sequence[Review], codes: Sequence[str]) -> Event:
    seen = dart.to_json()
    data = {name: seen[name] for name in ("segment", "xy_mm", "confidence", "alternatives", "tip_px")}
    items = [{name: value for name, value in item.to_json().items() if name != "dart"} for item in about]
    return _event("throw", scene, data, review=codes, items=items)


def _event(
    kind: str,
    scene: Scene,
    data: Mapping[str, Any] | None = None,
    *,
    review: Sequence[str] = (),
    items: Sequence[Mapping[str, Any]] = (),
) -> Event:
    whole = dict(data or {}) | {"review": [*items, *({"code": code} for code in review)]}
    return Event(
        kind=kind,
        t_ms=scene.began[1],
        frame=scene.began[0],
        end_frame=scene.end_frame,
        data=whole,
        before=scene.before,
        after=scene.after,
    )


def _joined(first: Scene, last: Scene) -> Scene:
    """Give the scene that lasted from the beginning of one to the end of the other."""
    return replace(last, began=first.began, before=first.before, small_before=first.small_before)


def _circle_px(board: BoardFit, radius_mm: float) -> NDArray[np.float64]:
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    return board.plane.to_px(radius_mm * np.column_stack([np.cos(turn), np.sin(turn)]))


def _pixels(mask: Mask, where: Mask) -> int:
    return int(cv2.countNonZero(cv2.bitwise_and(mask, mask, mask=where)))


def _rounded(point: tuple[float, float]) -> list[float]:
    return [round(value, 2) for value in point]


def _lying_from_json(value: Mapping[str, Any] | None, board: BoardFit) -> tuple[Lying, ...] | Failure:
    """Read what lies on the board at the start."""
    wrong = Failure("BAD_STATE", 'A STATE for cricket is {"darts": [{"tip_px": [x, y]} or {"xy_mm": [x, y]}, …]}.')
    if value is None:
        return ()
    darts = value.get("darts")
    if set(value) != {"darts"} or not isinstance(darts, list):
        return wrong
    found = []
    for dart in darts:
        match dart:
            case {"tip_px": [int() | float() as x, int() | float() as y]}:
                tip = (float(x), float(y))
            case {"xy_mm": [int() | float() as x, int() | float() as y]}:
                px = board.plane.to_px([[x, y]])[0]
                tip = (float(px[0]), float(px[1]))
            case _:
                return wrong
        found.append(
            Lying(dart=Dart(tip_px=tip, plane_px=tip, cov_px=np.eye(2), axis_px=(0.0, -1.0), confidence=1.0))
        )
    return tuple(found)
