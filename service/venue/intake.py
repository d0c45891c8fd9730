"""What came from boards and is not kept yet: in order by board, each change once, no board before the others."""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from service.venue.wire import Handed, Have

MOST: Final = 512
"""Changes held by board: more than any board has under way; one that sends on regardless is not listened to."""
BOARDS: Final = 5000
"""Boards that are listened to: whoever may write to the broker can invent names."""

LAGS: Final = 10_000
"""Changes of which it is known how long they took: the last half minute of a large club."""


class Came(Enum):
    """What a change that came was."""

    NEXT = "next"
    KNOWN = "known"
    """It came before: the board has not heard yet that it did."""
    GAP = "gap"
    """Something before it is missing; the board will send again."""
    FOREIGN = "foreign"
    """It is of another log than what was kept under the board's name."""
    REFUSED = "refused"
    """There is no more room."""


@dataclass(slots=True)
class Board:
    """One board as the club hears it.

    Attributes
    ----------
    have
        What of it is kept.
    coming
        What came behind that, in order.
    newest
        The newest change of its log, as it said last.
    heard_s, lag_s, problem
        When it was last heard (by a clock that only goes forward), how long its newest kept change took from the
        board's log into the database, and what is wrong with what it says.
    """

    have: Have
    coming: deque[Handed] = field(default_factory=deque)
    newest: int = 0
    heard_s: float | None = None
    lag_s: float | None = None
    problem: str | None = None

    @property
    def last(self) -> Have:
        """The newest change that came in order."""
        if not self.coming:
            return self.have
        return Have(number=self.coming[-1].number, mark=self.coming[-1].mark)


class Intake:
    """All boards. Methods may be called from any thread."""

    def __init__(self, known: Mapping[str, Have]) -> None:
        self._boards = {name: Board(have=have, newest=have.number) for name, have in known.items()}
        self._lock = threading.Lock()
        self._first = 0
        self.news = threading.Event()
        """Set when something came that can be kept."""
        self.counts: dict[Came, int] = dict.fromkeys(Came, 0)
        self.kept_total = 0
        self.lags_s: deque[float] = deque(maxlen=LAGS)

    def offer(self, name: str, handed: Handed) -> Came:
        """Take a change if it is the next of its board."""
        with self._lock:
            board = self._boards.get(name)
            if board is None:
                if len(self._boards) >= BOARDS:
                    return self._counted(Came.REFUSED)
                board = self._boards[name] = Board(have=Have())
            board.heard_s = handed.came_s
            came = self._placed(board, handed)
            if came is Came.FOREIGN:
                board.problem = "two logs come under this name: another board is called so, or this one is a copy"
            else:
                board.newest = handed.newest
            if came is Came.NEXT:
                board.coming.append(handed)
                board.problem = None
                self.news.set()
            return self._counted(came)

    def take(self, most: int) -> dict[str, list[Handed]]:
        """Give what can be kept next, up to `most` changes: one of each board, then another, the first in turn.

        Nothing is taken away by it: `kept` does that.
        """
        with self._lock:
            names = [name for name, board in self._boards.items() if board.coming]
            self.news.clear()
            if not names:
                return {}
            self._first = (self._first + 1) % len(names)
            names = names[self._first :] + names[: self._first]
            each = max(1, most // len(names))
            taken: dict[str, list[Handed]] = {}
            for name in names[:most]:
                coming = self._boards[name].coming
                taken[name] = [coming[place] for place in range(min(each, len(coming)))]
                if len(coming) > each:
                    self.news.set()
            if len(names) > most:
                self.news.set()
            return taken

    def kept(self, haves: Mapping[str, Have], now_s: float) -> None:
        """Note what is kept by now; what came up to there goes, and all of it where it does not follow."""
        with self._lock:
            for name, have in haves.items():
                board = self._boards[name]
                board.have = have
                while board.coming and board.coming[0].number <= have.number:
                    handed = board.coming.popleft()
                    board.lag_s = handed.waited_ms / 1000 + now_s - handed.came_s
                    self.lags_s.append(board.lag_s)
                    self.kept_total += 1
                if board.coming and (board.coming[0].after, board.coming[0].after_mark) != (
                    have.number,
                    have.mark,
                ):
                    board.coming.clear()

    def spoil(self, name: str, problem: str) -> None:
        """Note that what a board sends cannot be kept, and let go of what came."""
        with self._lock:
            board = self._boards.get(name)
            if board is None and len(self._boards) < BOARDS:
                board = self._boards[name] = Board(have=Have())
            if board is not None:
                board.problem = problem
                board.coming.clear()

    def have(self, name: str) -> Have:
        """Give what is kept of a board."""
        with self._lock:
            board = self._boards.get(name)
            return Have() if board is None else board.have

    def haves(self) -> dict[str, Have]:
        """Give what is kept of every board."""
        with self._lock:
            return {name: board.have for name, board in self._boards.items()}

    def look(self) -> dict[str, "Look"]:
        """Give how every board stands."""
        with self._lock:
            return {
                name: Look(
                    have=board.have.number,
                    behind=max(0, board.newest - board.have.number),
                    coming=len(board.coming),
                    heard_s=board.heard_s,
                    lag_s=board.lag_s,
                    problem=board.problem,
                )
                for name, board in self._boards.items()
            }

    def _counted(self, came: Came) -> Came:
        self.counts[came] += 1
        return came

    @staticmethod
    def _placed(board: Board, handed: Handed) -> Came:
        last = board.last
        if handed.number <= last.number:
            same = handed.number != last.number or handed.mark == last.mark
            return Came.KNOWN if same else Came.FOREIGN
        if handed.after > last.number:
            return Came.GAP
        if (handed.after, handed.after_mark) != (last.number, last.mark):
            return Came.FOREIGN
        return Came.NEXT if len(board.coming) < MOST else Came.REFUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a board stands: the newest change kept, how many of its log are not; the rest as `Board` has it."""

    have: int
    behind: int
    coming: int
    heard_s: float | None
    lag_s: float | None
    problem: str | None
