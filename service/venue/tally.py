"""What matches come to: results as soon as entries are kept, statistics when a match is over or rests.

Both follow from the entries alone, by the engine, and may be thrown away: they are made anew.
"""

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from sqlalchemy import Engine, Integer, Text, and_, column, func, select, tuple_, values
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from engine import Scoresheet, ScoresheetError, parse_entry, parse_sheet, result
from service.statistics import statistics
from service.venue import schema
from service.venue.database import sides_of

JSON: TypeAlias = Any
Key: TypeAlias = tuple[str, str]

PAUSE_S: Final = 0.5
"""Between two looks at what went on; each look pauses for at least as long as it took besides."""
PORTION: Final = 256
"""Matches looked at at once."""
RESTS_S: Final = 5.0
"""A match that is played gets its statistics when nothing has come for so long: they take longer than results."""
HELD: Final = 1024
"""Scoresheets in memory, the last used: only what came since is read and parsed."""

log = logging.getLogger("tallycam.venue")


class Tally:
    """The thread that computes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sheets: OrderedDict[Key, Scoresheet] = OrderedDict()
        self._lock = threading.Lock()
        self._moved: dict[Key, tuple[int, float]] = {}
        self._told: dict[Key, int] = {}
        self._knows = False
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tally", daemon=True)

    def moved(self, seqs: Mapping[Key, int], now_s: float) -> None:
        """Note that matches have so many entries now."""
        with self._lock:
            self._moved.update({key: (seq, now_s) for key, seq in seqs.items()})

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self, wait_s: float = 2.0) -> None:
        """End."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _run(self) -> None:
        wait_s = PAUSE_S
        while not self._end.wait(wait_s):
            begun = time.monotonic()
            try:
                self.look(begun)
            except SQLAlchemyError:
                wait_s = 2.0  # the keeper says what is wrong with the database
                continue
            except Exception:
                log.exception("results cannot be computed; it is tried again")
            wait_s = max(PAUSE_S, time.monotonic() - begun)

    def look(self, now_s: float, rests_s: float = RESTS_S) -> int:
        """Bring results and statistics up to what is kept; gives how many matches there were to look at."""
        if not self._knows:
            self.moved(_untold(self._engine), now_s)
            self._knows = True
        with self._lock:
            moved = dict(self._moved)
        resting = {key for key, (_, since_s) in moved.items() if now_s - since_s >= rests_s}
        wanted = [key for key, (seq, _) in moved.items() if self._told.get(key) != seq or key in resting]
        for place in range(0, len(wanted), PORTION):
            portion = wanted[place : place + PORTION]
            full = self._tell(portion, resting)
            with self._lock:
                for key in portion:
                    self._told[key] = moved[key][0]
                    if key in full and self._moved[key][0] == moved[key][0]:
                        del self._moved[key], self._told[key]
            if self._end.is_set():
                break
        return len(moved)

    def _tell(self, keys: list[Key], resting: Collection[Key]) -> set[Key]:
        """Keep what matches come to; gives those with statistics."""
        told = [self._total(key, sheet, resting=key in resting) for key, sheet in self._read(keys).items()]
        statement = insert(schema.total)
        names = ("result_seq", "game", "sides", "result")
        plain = [one for one in told if "statistics" not in one]
        full = [one for one in told if "statistics" in one]
        with self._engine.begin() as db:
            for rows, more in ((plain, ()), (full, ("statistics_seq", "statistics"))):
                if rows:
                    newer = {name: statement.excluded[name] for name in (*names, *more)}
                    keyed = statement.on_conflict_do_update(index_elements=["board_id", "match_id"], set_=newer)
                    db.execute(keyed, rows)
        return {(one["board_id"], one["match_id"]) for one in full}

    def _total(self, key: Key, sheet: Scoresheet | str, *, resting: bool) -> dict[str, JSON]:
        told: dict[str, JSON] = {"board_id": key[0], "match_id": key[1], "statistics_seq": -1}
        if isinstance(sheet, str):  # it cannot be read: said instead of a result, never left out
            game, sides = sides_of(sheet.partition("\n")[0])
            seq = sheet.count("\n")
            told |= {"result_seq": seq, "game": game, "sides": json.dumps(sides), "result": None}
            return told | {"statistics_seq": seq, "statistics": None}
        found, seq = result(sheet), len(sheet.entries)
        told |= {"result_seq": seq, "game": sheet.game, "sides": json.dumps(list(sheet.sides))}
        told["result"] = json.dumps(found)
        if found["over"] or resting:
            told |= {"statistics_seq": seq, "statistics": json.dumps(statistics(sheet))}
        return told

    def _read(self, keys: Iterable[Key]) -> dict[Key, Scoresheet | str]:
        """Give the scoresheets of matches as they are kept now; the text of one that is none."""
        wanted = list(keys)
        held = {key: len(sheet.entries) for key in wanted if (sheet := self._sheets.get(key)) is not None}
        lines = _lines(self._engine, wanted, held)
        found: dict[Key, Scoresheet | str] = {}
        for key in wanted:
            header, new = lines.get(key, ("", []))
            try:
                sheet = self._sheets[key] if key in held else parse_sheet(header)
                for line in new:
                    sheet = replace(sheet, entries=(*sheet.entries, parse_entry(sheet, json.loads(line))))
            except (ScoresheetError, ValueError) as fault:
                log.error("match %s of board %s cannot be read: %s", key[1], key[0], fault)
                self._sheets.pop(key, None)
                found[key] = "\n".join((header, *new))
                continue
            self._sheets[key] = found[key] = sheet
            self._sheets.move_to_end(key)
        while len(self._sheets) > HELD:
            self._sheets.popitem(last=False)
        return found


def _untold(engine: Engine) -> dict[Key, int]:
    """Give the matches whose statistics are not of all their entries, with how many these are."""
    standing, total = schema.standing.c, schema.total.c
    query = (
        select(standing.board_id, standing.match_id, standing.seq)
        .outerjoin(schema.total, and_(total.board_id == standing.board_id, total.match_id == standing.match_id))
        .where(func.coalesce(total.statistics_seq, -1) < standing.seq)
    )
    with engine.connect() as db:
        return {(row.board_id, row.match_id): row.seq for row in db.execute(query)}


def _lines(engine: Engine, keys: Iterable[Key], held: Mapping[Key, int]) -> dict[Key, tuple[str, list[str]]]:
    """Give header and lines of matches, of each only what comes behind the entries that are held."""
    wanted = list(keys)
    match, entry = schema.match.c, schema.entry.c
    found: dict[Key, tuple[str, list[str]]] = {}
    with engine.connect() as db:
        headers = select(match.board_id, match.id, match.header).where(
            tuple_(match.board_id, match.id).in_(wanted)
        )
        for row in db.execute(headers):
            found[row.board_id, row.id] = (row.header, [])
        asked = values(column("b", Text), column("m", Text), column("held", Integer), name="asked").data(
            [(*key, held.get(key, 0)) for key in wanted]
        )
        query = (
            select(entry.board_id, entry.match_id, entry.line)
            .join(asked, and_(entry.board_id == asked.c.b, entry.match_id == asked.c.m))
            .where(entry.seq > asked.c.held)
            .order_by(entry.board_id, entry.match_id, entry.seq)
        )
        for row in db.execute(query):
            found[row.board_id, row.match_id][1].append(row.line)
    return found


def read_sheet(engine: Engine, board: str, match_id: str) -> tuple[str, str] | None:
    """Give a match's scoresheet as text with when it began, None where there is none."""
    match = schema.match.c
    with engine.connect() as db:
        row = db.execute(
            select(match.header, match.created_at).where(match.board_id == board, match.id == match_id)
        ).one_or_none()
    if row is None:
        return None
    _, lines = _lines(engine, [(board, match_id)], {})[board, match_id]
    return "\n".join((row.header, *lines)) + "\n", row.created_at
