"""A recording (later a camera) watched beside a match: frames in, entries out, one worker a source.

The match is the truth, not the watcher: before each entry the watcher looks where the match stands, so what a
person corrected, added or took back meanwhile counts. It runs in a thread of its own; a fault in it ends the
watching and is told, and never touches the service.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import cv2
import numpy as np

from engine import GAMES, action_to_json
from engine import replay as play
from service.matches import Live, Matches
from service.media import Media
from service.store import Seen, Stale, StoreError
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame
from vision.scribe import Visit, scribe

Action: TypeAlias = Any
Reader: TypeAlias = Callable[[Iterator[Frame | Failure]], Iterator[Event | Failure]]

STATUS_MS = 1000
"""Listeners are told this often how far a recording is, in its own time."""

CLOSE_PX = 220
"""Side of the square around a tip that people are shown: the wires around it are in view."""

SHOWN_PX = 440
QUALITY = 82

_PHASES = {
    "throw": "still",
    "takeout": "still",
    "hand": "hand",
    "board_hidden": "hidden",
    "camera_stalled": "stalled",
}

log = logging.getLogger("tallycam.live")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scribbled:
    """What the watcher wrote: the ids of the entries, the event they come from, and the actions."""

    ids: tuple[int, ...]
    event: Event
    actions: tuple[Action, ...]


class Watcher:
    """One source watched for one match.

    Parameters
    ----------
    matches, match_id
        Where entries go.
    frames
        What to watch; a `Failure` among them ends it.
    read
        Frames to events, as `vision.replay.replay` with its SETUP.
    source
        A name for people.
    realtime
        Whether to wait until each frame's time has come.
    wrote
        Called after entries were written, from the watcher's thread.
    ended
        Called when there is nothing more to come, from the watcher's thread.
    """

    def __init__(
        self,
        matches: Matches,
        match_id: str,
        frames: Iterable[Frame | Failure],
        read: Reader,
        *,
        source: str,
        realtime: bool,
        wrote: Callable[[Scribbled], None] | None = None,
        ended: Callable[[], None] | None = None,
    ) -> None:
        self.failure: Failure | None = None
        self._matches = matches
        self._media = Media(matches.store.media)
        self._match_id = match_id
        self._frames = frames
        self._read = read
        self._source = source
        self._realtime = realtime
        self._wrote = wrote
        self._ended = ended
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, name=f"watch-{match_id}", daemon=True)
        self._visit = Visit()
        self._phase = "still"

    def start(self) -> None:
        """Begin in a thread."""
        self._thread.start()

    def stop(self, wait_s: float = 1.0) -> None:
        """Ask to end and wait a little for it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def run(self) -> None:
        """Watch to the end, or until asked to stop."""
        try:
            self._watch()
        except StoreError:
            log.exception("watching %s ended: the store refused", self._source)
        except Exception:
            log.exception("watching %s ended by a fault", self._source)
            self._tell("FAULT", done=True, message="The watcher broke off; the match goes on by hand.")

    def _watch(self) -> None:
        for event in self._read(self._paced()):
            if self._stop.is_set():
                return
            if isinstance(event, Failure):
                self.failure = event
                self._tell(event.code, done=True, message=event.message)
                return
            self._phase = _PHASES.get(event.kind, self._phase)
            self._take(event)
        if not self._stop.is_set():
            self._tell("ended", done=True)
            if self._ended:
                self._ended()

    def _paced(self) -> Iterator[Frame | Failure]:
        begun = time.monotonic()
        told = -STATUS_MS
        for frame in self._frames:
            if isinstance(frame, Frame):
                ahead_s = frame.t_ms / 1000 - (time.monotonic() - begun)
                if self._realtime and ahead_s > 0 and self._stop.wait(ahead_s):
                    return
                if frame.t_ms - told >= STATUS_MS:
                    told = frame.t_ms
                    self._tell(self._phase, t_ms=frame.t_ms)
            if self._stop.is_set():
                return
            yield frame

    def _take(self, event: Event) -> None:
        """Write what an event stands for; where a person was quicker, look again and decide anew."""
        while not self._stop.is_set():
            visit, seq, over = self._stand()
            if over:
                return
            after, actions = scribe(visit, event)
            if not actions:
                self._visit = after
                return
            seen = self._seen(event, len(actions))
            values = [
                (self._entry(action, one), Seen(data=one) if one else None)
                for action, one in zip(actions, seen, strict=True)
            ]
            try:
                ids = self._matches.append(self._match_id, seq, values)
            except Stale:
                continue
            self._visit = after
            if self._wrote:
                self._wrote(Scribbled(ids=ids, event=event, actions=actions))
            return

    def _stand(self) -> tuple[Visit, int, bool]:
        """Give where the match stands for the scribe, how many entries it has, and whether it is over.

        Past a conflict the rules do not know: then the watcher goes on from what it saw itself.
        """
        sheet = self._matches.sheet(self._match_id)
        played = play(sheet)
        rules = GAMES[sheet.game]
        if rules.outcome(played.state) is not None:
            return self._visit, len(sheet.entries), True
        if played.conflict is not None:
            return self._visit, len(sheet.entries), False
        side, darts = rules.turn(played.state), tuple(played.state.darts)
        bounced = self._visit.bounced if side == self._visit.side else 0
        t_ms = max(played.state.t_ms, self._visit.t_ms)
        return (
            replace(self._visit, side=side or 0, darts=darts, bounced=bounced, t_ms=t_ms),
            len(sheet.entries),
            False,
        )

    def _entry(self, action: Action, seen: Mapping[str, Any] | None) -> dict[str, Any]:
        pictures = (seen or {}).get("pictures", {})
        evidence = {"evidence": list(pictures.values())} if pictures else {}
        return {"entry": "record", "action": action_to_json("cricket", action), "by": "camera", **evidence}

    def _seen(self, event: Event, count: int) -> list[dict[str, Any] | None]:
        """Give what was seen of each action: a throw its dart, a filled-in miss that nobody saw it."""
        when = {"event": event.kind, "t_ms": event.t_ms, "frame": event.frame, "end_frame": event.end_frame}
        data = {**event.data, **when}
        if event.kind == "throw":
            return [{**data, "pictures": self._pictures(event)}, *[None] * (count - 1)]
        if event.kind == "takeout":
            unseen = {**when, "segment": "MISS", "confidence": 0.0, "review": [{"code": "FILLED_WITH_MISS"}]}
            codes = [item for item in event.data.get("review", ()) if item.get("code") != "FILLED_WITH_MISS"]
            return [*[unseen] * (count - 1), {**data, "review": codes}]
        return [data] * count

    def _pictures(self, event: Event) -> dict[str, str]:
        """Keep the surroundings of the tip before and after, and give their names."""
        kept = {}
        for word, frame in (("before", event.before), ("after", event.after)):
            tip = event.data.get("tip_px")
            if frame is not None and tip is not None:
                kept[word] = self._media.keep(close_up(frame, tip))
        return kept

    def _tell(
        self, phase: str, *, t_ms: int | None = None, done: bool = False, message: str | None = None
    ) -> None:
        at = t_ms if t_ms is not None else self._visit.t_ms
        live = Live(source=self._source, phase=phase, t_ms=at, done=done, message=message)
        self._matches.watch(self._match_id, live)


def close_up(frame: Frame, tip_px: tuple[float, float]) -> bytes:
    """Give a JPEG of the square around a tip, the tip in its middle; beyond the picture's edge it is grey."""
    half = CLOSE_PX / 2
    x, y = tip_px
    turn = SHOWN_PX / CLOSE_PX
    move = ((turn, 0.0, -turn * (x - half)), (0.0, turn, -turn * (y - half)))
    matrix = np.array(move)
    grey = (96.0, 96.0, 96.0)
    square = cv2.warpAffine(frame.bgr(), matrix, (SHOWN_PX, SHOWN_PX), flags=cv2.INTER_LINEAR, borderValue=grey)
    good, data = cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("a picture could not be encoded")
    return data.tobytes()
