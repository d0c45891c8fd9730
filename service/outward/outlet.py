"""Following the changes and passing each on, in order, however long a receiver is away."""

import json
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from service.changes import Message
from service.matches import Matches

FIRST_WAIT_S: Final = 1.0
LAST_WAIT_S: Final = 300.0
"""Waits between tries double from the first to the last."""

log = logging.getLogger("tallycam.outward")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """How an outlet stands.

    Attributes
    ----------
    name
        What people call it.
    last
        The newest change that its receiver has taken.
    waiting
        Changes that it has not.
    problem
        Why the last try failed; None after one that did not.
    """

    name: str
    last: int
    waiting: int
    problem: str | None


class Refusal(Exception):  # noqa: N818 - it says what is the case
    """A receiver did not take a message; the text is one sentence."""


class Outlet:
    """One receiver of the changes.

    Parameters
    ----------
    name
        For people, and for the file in which its place is kept.
    matches
        Whose changes.
    give
        Passes a change on; raises `Refusal` where it was not taken.
    place
        File that keeps how far it is over a restart; None: it begins with what happens from now on.
    patient
        Whether a change that was refused is tried again until it is taken; without, it is passed over.
    """

    def __init__(
        self,
        name: str,
        matches: Matches,
        give: Callable[[Message], None],
        *,
        place: Path | None = None,
        patient: bool = True,
    ) -> None:
        self._matches = matches
        self._give = give
        self._place = place
        self._patient = patient
        self._news = threading.Event()
        self._end = threading.Event()
        known = _read(place)
        newest = matches.last_change()
        # A place from another store, or from before one was restored, would be ahead of everything.
        last = newest if known is None or known > newest else known
        self._sent = Sent(name=name, last=last, waiting=newest - last, problem=None)
        if known != last:
            self._keep()
        self._thread = threading.Thread(target=self._run, name=f"outlet-{name}", daemon=True)

    @property
    def sent(self) -> Sent:
        """How it stands."""
        return replace(self._sent, waiting=max(0, self._matches.last_change() - self._sent.last))

    def start(self) -> None:
        """Begin to follow."""
        self._matches.hub.whenever(self._news.set)
        self._news.set()
        self._thread.start()

    def close(self, wait_s: float = 1.0) -> None:
        """End; what was not taken goes out after the next start where there is a `place`."""
        self._end.set()
        self._news.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _run(self) -> None:
        while not self._end.is_set():
            self._news.wait()
            self._news.clear()
            # A long absence is told in portions; each ends where the next begins.
            while messages := self._matches.changes(self._sent.last):
                if not all(self._pass_on(message) for message in messages):
                    return

    def _pass_on(self, message: Message) -> bool:
        """Give one change until it is taken; False where the outlet ends."""
        wait_s = FIRST_WAIT_S
        while not self._end.is_set():
            problem = self._tried(message)
            if problem is None or not self._patient:
                self._sent = replace(self._sent, last=message.number or self._sent.last, problem=problem)
                self._keep()
                return True
            self._sent = replace(self._sent, problem=problem)
            self._end.wait(wait_s)
            wait_s = min(2 * wait_s, LAST_WAIT_S)
        return False

    def _tried(self, message: Message) -> str | None:
        try:
            self._give(message)
        except Refusal as refusal:
            if self._sent.problem != str(refusal):
                log.warning("%s: %s", self._sent.name, refusal)
            return str(refusal)
        except Exception:
            log.exception("%s: change %s could not be told", self._sent.name, message.number)
            return "a fault in telling it; the log says more"
        return None

    def _keep(self) -> None:
        if self._place is None:
            return
        draft = self._place.with_suffix(".part")
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("w", encoding="utf-8") as file:
                json.dump({"last": self._sent.last}, file)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._place)
        except OSError as error:
            log.warning("%s: its place cannot be kept: %s", self._sent.name, error.strerror)


def _read(place: Path | None) -> int | None:
    if place is None:
        return None
    try:
        last = json.loads(place.read_text(encoding="utf-8"))["last"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return last if isinstance(last, int) and last >= 0 else None
