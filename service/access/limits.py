"""Wrong keys and codes, counted by where they come from: who guesses is made to wait."""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

WINDOW_S: Final = 60.0
PEER: Final = 10
"""Wrong tries of one peer in a window: a person who mistypes stays below."""
ALL: Final = 60
"""Wrong tries of all peers together: a botnet at home gets no further than a person."""
PEERS: Final = 1000
"""Peers that are remembered; the one that tried longest ago makes room."""


class Tries:
    """Wrong tries within the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = threading.Lock()
        self._all: deque[float] = deque()
        self._peers: dict[str, deque[float]] = {}

    def wait_s(self, peer: str) -> int:
        """Give how many whole seconds a peer has to wait before its next try; 0 where it may."""
        with self._turn:
            now = self._clock()
            own = self._peers.get(peer, deque())
            return max(_wait(own, PEER, now), _wait(self._all, ALL, now))

    def wrong(self, peer: str) -> None:
        """Count a wrong try."""
        with self._turn:
            now = self._clock()
            own = self._peers.pop(peer, deque())
            own.append(now)
            self._all.append(now)
            self._peers[peer] = deque(own, maxlen=PEER)
            while len(self._peers) > PEERS:
                del self._peers[next(iter(self._peers))]
            while len(self._all) > ALL:
                self._all.popleft()


def _wait(tries: deque[float], most: int, now: float) -> int:
    recent = [at for at in tries if now - at < WINDOW_S]
    return int(recent[-most] + WINDOW_S - now) + 1 if len(recent) >= most else 0
