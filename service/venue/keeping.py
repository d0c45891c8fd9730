"""Keeping what boards hand over: many changes of many boards in one transaction, tried again until it is taken."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from service.venue.database import keep
from service.venue.intake import Intake
from service.venue.wire import Handed, Have, NotOfTheForm

MOST: Final = 1000
"""Changes in one transaction: some tenths of a second of writing."""
GATHER_S: Final = 0.02
"""Pause between transactions: what comes meanwhile shares one, which costs as much as a change alone."""
FIRST_WAIT_S: Final = 0.5
LAST_WAIT_S: Final = 5.0
"""Waits for a database that is away double from the first to the last."""

log = logging.getLogger("tallycam.venue")


def now() -> str:
    """Give the time of day as the scoresheet writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Keeper:
    """The thread that writes.

    Parameters
    ----------
    engine
        The club's database.
    intake
        What came.
    announce
        Tells boards what is kept of them.
    moved
        Is told which matches went on, to how many entries, and when (by a clock that only goes forward).
    """

    def __init__(
        self,
        engine: Engine,
        intake: Intake,
        announce: Callable[[Mapping[str, Have]], None],
        moved: Callable[[Mapping[tuple[str, str], int], float], None],
    ) -> None:
        self._engine = engine
        self._intake = intake
        self._announce = announce
        self._moved = moved
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
        self.problem: str | None = None
        """Why the last try failed; None after one that did not."""
        self.transactions = 0

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self, wait_s: float = 2.0) -> None:
        """End; what is not kept the boards still have."""
        self._end.set()
        self._intake.news.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._end.is_set():
            self._intake.news.wait()
            batch = self._intake.take(MOST)
            if not batch:
                continue
            if self._tried(batch):
                wait_s = FIRST_WAIT_S
                self._end.wait(GATHER_S)
                continue
            self._end.wait(wait_s)
            wait_s = min(2 * wait_s, LAST_WAIT_S)
            self._intake.news.set()

    def _tried(self, batch: Mapping[str, Sequence[Handed]]) -> bool:
        """Keep a batch; of one that cannot be kept as a whole, what can, board by board."""
        try:
            self._take(batch)
        except (DataError, IntegrityError, NotOfTheForm) as error:
            if len(batch) == 1:
                self._spoilt(next(iter(batch)), error)
                return True
            return all(self._tried({name: changes}) for name, changes in batch.items())
        except (SQLAlchemyError, OSError) as error:
            problem = _first_line(error)
            if self.problem != problem:
                log.warning("the database does not take it: %s; waiting", problem)
            self.problem = problem
            return False
        except Exception as error:
            log.exception("a batch cannot be kept; it is tried again")
            self.problem = _first_line(error)
            return False
        return True

    def _take(self, batch: Mapping[str, Sequence[Handed]]) -> None:
        haves = keep(self._engine, batch, now())
        now_s = time.monotonic()
        self._intake.kept(haves, now_s)
        self._moved(_seqs(batch, haves), now_s)
        self.problem = None
        self.transactions += 1
        self._announce(haves)

    def _spoilt(self, name: str, error: Exception) -> None:
        problem = f"what it sends cannot be kept: {_first_line(error)}"
        log.error("board %s: %s", name, problem)
        self._intake.spoil(name, problem)


def _seqs(batch: Mapping[str, Sequence[Handed]], haves: Mapping[str, Have]) -> dict[tuple[str, str], int]:
    """Give how many entries the matches of a batch have, as far as it was kept."""
    return {
        (name, one.content.match): one.content.seq
        for name, changes in batch.items()
        for one in changes
        if one.number <= haves[name].number
    }


def _first_line(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    return lines[0] if lines else type(cause).__name__
