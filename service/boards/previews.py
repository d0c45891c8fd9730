"""The cameras from which one is picked for a board: which there are, and what each sees right now.

A camera is opened when somebody first asks for its picture, in a process of its own that a driver may hang, and
closed seconds after nobody asks any more. One that a board has opened already is looked at through that board.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from service.boards.places import masked, same_place
from service.boards.runtime import Runtime, Shown, State, Watched
from service.config import CameraConfig
from service.matches import now
from service.store import BoardRow
from vision.failure import Failure

JSON: TypeAlias = Any

OPEN_S: Final = 5.0
"""A page that shows a camera asks every second or two; after this nobody looks any more."""
LIST_S: Final = 3.0
"""For so long what is plugged in is not looked for again, when many pictures are asked for."""
AGAIN_S: Final = 2.0
"""A camera that could not be opened is tried again so often while somebody looks: it may be plugged in now."""


class Previews:
    """The cameras of this machine and of the settings. Methods may be called from any thread.

    Parameters
    ----------
    runtime
        The boards at work.
    boards
        Gives all boards.
    plugged_in
        Lists this machine's cameras, as `vision.sources.Camera.to_json` has each.
    named
        Gives those that the settings name.
    """

    def __init__(
        self,
        runtime: Runtime,
        boards: Callable[[], Sequence[BoardRow]],
        plugged_in: Callable[[], list[dict[str, JSON]]],
        named: Callable[[], Sequence[CameraConfig]],
    ) -> None:
        self._runtime, self._boards, self._plugged_in, self._named = runtime, boards, plugged_in, named
        self._turn = threading.Lock()
        self._open: dict[str, Watched] = {}
        self._listed: tuple[float, list[dict[str, JSON]]] | None = None

    def cameras(self) -> list[dict[str, JSON]]:
        """Give all cameras as the API has them: those that the settings name first, then what is plugged in.

        `boards` are the names of the boards whose source it is. A password of an address is hidden.
        """
        self._listed = (time.monotonic(), self._plugged_in())
        named = [one.to_json() for one in self._named()]
        known = [one["source"] for one in named]
        found = [one for one in self._listed[1] if not any(same_place(one["source"], source) for source in known)]
        rows = self._boards()
        return [
            {
                **one,
                "source": masked(one["source"]),
                "boards": [row.name for row in rows if same_place(row.source, one["source"])],
            }
            for one in [*named, *found]
        ]

    def whole(self, source: str) -> str:
        """Give a source as it was written, where it is a camera's of the settings with its password hidden."""
        named = {masked(one.source): one.source for one in self._named()}
        return named.get(source, source)

    def knows(self, source: str) -> bool:
        """Say whether a source is one of the cameras: none else is looked at from here."""
        if any(masked(one.source) == source for one in self._named()):
            return True
        if self._listed is None or time.monotonic() - self._listed[0] > LIST_S:
            self._listed = (time.monotonic(), self._plugged_in())
        return any(one["source"] == source for one in self._listed[1])

    def picture(self, source: str, within_s: float) -> Shown | Failure:
        """Give what a camera sees right now, or why it shows nothing, in words for people."""
        place = self.whole(source)
        for row in self._boards():
            if same_place(row.source, place) and self._runtime.state(row.id).phase in _AT_WORK:
                return _seen(self._runtime.look(row, within_s), self._runtime.state(row.id))
        with self._turn:
            opened = self._open.get(place)
            if opened is None or not opened.running:
                opened = self._open[place] = self._opened(place)
                opened.start()
        return _seen(opened.picture(within_s), opened.state)

    def let_go(self, source: str) -> None:
        """Close a camera at once: a board is about to open it, and most cameras are opened but once."""
        with self._turn:
            found = [place for place in self._open if same_place(place, source)]
            opened = [self._open.pop(place) for place in found]
        for one in opened:
            one.stop()

    def close(self) -> None:
        """Close all cameras."""
        with self._turn:
            opened = list(self._open.values())
            self._open.clear()
        for one in opened:
            one.stop()

    def _opened(self, place: str) -> Watched:
        row = BoardRow(id="", name=masked(place), game="", source=place, pace="real", created_at=now())
        patience = replace(self._runtime.patience, look_s=OPEN_S, longest_s=AGAIN_S)
        return Watched(self._runtime, row, None, _told_to_nobody, patience)


_AT_WORK: Final = ("starting", "watching", "looking", "restarting")


def _told_to_nobody(_state: State) -> None:
    """No board changes when a camera is looked at."""


def _seen(shown: Shown | None, state: State) -> Shown | Failure:
    """Give the picture unless something is wrong with the camera right now: it is an old one then."""
    if shown is not None and state.code in (None, "NOT_LOCKED"):
        return shown
    if state.phase == "starting":
        return Failure("OPENING", "It is still being opened: this machine is busy.")
    return Failure(state.code or "NO_PICTURE", state.message or "The camera gives no picture.")
