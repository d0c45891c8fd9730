"""Compares the networks in shadow with those in use, on what boards saw, while nothing waits for it.

Both read the same kept pictures, each in a process of its own, so a difference is one of the networks and of
nothing else. The comparison reads the store and writes its own log; no score, review or setup depends on it.
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from service.boards.child import Child
from service.boards.framing import Ended, TooSlow
from service.matches import Matches, now
from service.shadow.log import State, add_line, read_state, write_state
from service.shadow.tasks import task_of
from service.store import SightingRow, SightingTable
from vision.evaluate.answers import Said, differ, said
from vision.models import SHADOWED, ModelRefused, in_shadow

JSON: TypeAlias = Any

log = logging.getLogger("tallycam.shadow")

LOOK_S: Final = 5.0
"""How often it is looked whether something was seen."""
ASK_S: Final = 300.0
"""A reading takes a second of processor, which others have first; after this it is stuck."""
AT_ONCE: Final = 20


class Shadow:
    """Compares in a thread of its own."""

    def __init__(self, matches: Matches) -> None:
        self._matches, self._folder = matches, matches.store.folder
        self._sightings = SightingTable(matches.store)
        self._end = threading.Event()
        self._children: dict[str, Child] = {}
        self._thread = threading.Thread(target=self._run, name="shadow", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._end.set()
        self._drop()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def look(self) -> int:
        """Compare what was seen since the last look; gives how many readings were compared."""
        candidates = {model.name: model.sha256 for model in in_shadow()}
        state = read_state(self._folder)
        if candidates != dict(state.candidates):
            self._drop()
            state = State(candidates=candidates, since=now(), seen=self._newest())
            write_state(self._folder, state)
        if not candidates:
            return 0
        compared = 0
        for row in self._sightings.of(after=state.seen, limit=AT_ONCE):
            if self._end.is_set():
                break
            line = self._compared(row)
            if line is not None:
                compared += 1
                differs = line.pop("differs")
                state = replace(state, compared=state.compared + 1, differed=state.differed + differs)
                if differs:
                    add_line(self._folder, {**line, "networks": candidates})
            state = replace(state, seen=row.id)
            write_state(self._folder, state)
        return compared

    def _run(self) -> None:
        while not self._end.wait(LOOK_S):
            try:
                self.look()
            except ModelRefused as error:
                log.warning("nothing is compared: %s", error)
                self._end.wait(60.0)
            except Exception:
                log.exception("the networks in shadow could not be compared")
                self._drop()

    def _newest(self) -> int:
        rows = self._sightings.of(newest_first=True, limit=1)
        return rows[0].id if rows else 0

    def _compared(self, row: SightingRow) -> dict[str, JSON] | None:
        """Read what a sighting shows twice; None where that cannot be: no shot, no pictures, no reader."""
        task = task_of(self._matches, row)
        if task is None:
            return None
        game = str(task["setup"]["game"])
        both = [one for which in ("now", "candidate") if (one := self._asked(which, game, task)) is not None]
        if len(both) < 2:
            return None
        return {
            "sighting": row.id,
            "match": row.match_id,
            "game": game,
            "at": now(),
            "now": both[0].to_json(),
            "candidate": both[1].to_json(),
            "differs": differ(both[0], both[1]),
        }

    # The readers

    def _asked(self, which: str, game: str, task: JSON) -> Said | None:
        """Give what a reader says; None where it broke down or is stuck, which says nothing of its network."""
        try:
            child = self._children.get(which)
            if child is None:
                more = {SHADOWED: "1" if which == "candidate" else ""}
                child = self._children[which] = Child("service.shadow.reader", more)
            child.send({"task": task})
            return said(game, child.receive(ASK_S).head["answer"])
        except (Ended, TooSlow):
            self._drop((which,))
            log.warning("the reader of the networks %s broke down", "in use" if which == "now" else "in shadow")
            return None

    def _drop(self, which: Sequence[str] = ("now", "candidate")) -> None:
        for one in which:
            child = self._children.pop(one, None)
            if child is not None:
                child.kill()
