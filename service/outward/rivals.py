"""Two programs of one name at a broker: it lets go of the older whenever the newer connects, and so to and fro.

Nothing in MQTT 3.1.1 tells why a connection was ended. But one that was let in and ended at once, again and again,
is told from a broker that is away: that lets nobody in.
"""

import time
from collections import deque
from typing import Final

TIMES: Final = 3
WITHIN_S: Final = 30.0
"""Ended so often within such a time: two that take turns do so each second or two."""


class Rivals:
    """Notices that a connection is ended again and again.

    Parameters
    ----------
    name
        The name by which the broker knows the connection.
    remedy
        What to do, the end of a sentence.
    """

    def __init__(self, name: str, remedy: str) -> None:
        known = f"another program uses the name {name!r}"
        self._said = f"the MQTT broker ends the connection again and again: {known}; {remedy}"
        self._ended_s: deque[float] = deque(maxlen=TIMES)
        self._stands = False

    def let_in(self) -> None:
        """Note that the broker has taken the connection."""
        self._stands = True

    def ended(self) -> None:
        """Note that a connection was ended, and not by us."""
        if self._stands:
            self._ended_s.append(time.monotonic())
        self._stands = False

    @property
    def problem(self) -> str | None:
        """What to tell, in one sentence; None while all is well, or was for long enough."""
        full = len(self._ended_s) == TIMES
        return self._said if full and time.monotonic() - self._ended_s[0] < WITHIN_S else None
