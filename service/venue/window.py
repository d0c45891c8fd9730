"""Which changes a board sends next: a window beyond what the club has, and back to there when that stands still.

Go-back-N: whatever is lost on the way, by a broker that forgets or a club that is killed, is sent again from the
first that the club lacks. Nothing is decided by what the broker acknowledges. Pure: the time is handed in.
"""

from collections import deque
from typing import Final

WINDOW: Final = 128
"""Changes under way at once: with an answer each tenth of a second a thousand changes a second by board."""
FIRST_WAIT_S: Final = 3.0
"""Without a step of the club for so long, what is under way counts as lost; an answer takes some milliseconds."""
LAST_WAIT_S: Final = 30.0
"""Waits double up to this: a club whose database is away for an hour is not told the same all the time."""

SETTLE_S: Final = 0.5
"""What was sent so lately may not have come when the club spoke of a gap."""


class Window:
    """What of a log is under way."""

    def __init__(self, room: int = WINDOW, first_wait_s: float = FIRST_WAIT_S) -> None:
        self._room = room
        self._first_wait_s = first_wait_s
        self._wait_s = first_wait_s
        self._since: float | None = None
        self._under_way: deque[int] = deque()
        self.have = 0
        """The newest change that the club has."""

    @property
    def sent(self) -> int:
        """The newest change that is under way, or that the club has."""
        return self._under_way[-1] if self._under_way else self.have

    @property
    def room(self) -> int:
        """How many more changes may go."""
        return self._room - len(self._under_way)

    def send(self, number: int, now_s: float) -> None:
        """Note that a change goes."""
        if not self._under_way:
            self._since = now_s
        self._under_way.append(number)

    def told(self, have: int, now_s: float) -> None:
        """Note what the club has: less than it had, where its database is a new one."""
        if have == self.have:
            return
        if have < self.have or have > self.sent:
            self._under_way.clear()
        while self._under_way and self._under_way[0] <= have:
            self._under_way.popleft()
        self.have = have
        self._wait_s = self._first_wait_s
        self._since = now_s

    def again(self) -> None:
        """Begin again behind what the club has: the connection is a new one, or the club is."""
        self._under_way.clear()
        self._wait_s = self._first_wait_s

    def gap(self, now_s: float) -> None:
        """Note that the club lacks the next: go back at once, unless what was sent since is still on its way."""
        if self._since is not None and now_s - self._since >= SETTLE_S:
            self._under_way.clear()

    def look(self, now_s: float) -> bool:
        """Go back where the club has taken no step for too long; says whether it did."""
        if not self._under_way or self._since is None or now_s - self._since < self._wait_s:
            return False
        self._under_way.clear()
        self._wait_s = min(2 * self._wait_s, LAST_WAIT_S)
        return True
