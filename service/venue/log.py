"""A board's log as the club is handed it: each numbered change with its match's header and its entry.

What is read here never changes once written, so the same change has the same mark whenever it is read.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from sqlalchemy import Row, Select, and_, select

from service.store import Store, schema
from service.venue.wire import Handed, mark_of, write_body


class Log(Protocol):
    """What an outbox hands over."""

    def newest(self) -> int:
        """Give the newest change's number, 0 for none."""

    def after(self, number: int, limit: int) -> list[Handed]:
        """Give the changes above a number, oldest first."""

    def mark(self, number: int) -> str | None:
        """Give the mark of a change; empty for 0, None where there is none of that number."""


class StoreLog:
    """The log of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._begun, self._begun_s = datetime.now(UTC), time.monotonic()

    def newest(self) -> int:
        """Give the newest change's number, 0 for none."""
        return self._store.last_change()

    def after(self, number: int, limit: int) -> list[Handed]:
        """Give the changes above a number, oldest first."""
        change = schema.change.c
        with self._store.reading() as db:
            before = db.execute(
                _query().where(change.id <= number).order_by(change.id.desc()).limit(1)
            ).one_or_none()
            rows = db.execute(_query().where(change.id > number).order_by(change.id).limit(limit)).all()
            known = [*rows, *([] if before is None else [before])]
            decided = _decisions(db.execute(_reviews(known)).all())
        newest, now = self.newest(), self._now()
        after, after_mark = (0, "") if before is None else (before.id, mark_of(_body(before, decided)))
        handed = []
        for row in rows:
            body = _body(row, decided)
            handed.append(
                Handed(
                    number=row.id,
                    after=after,
                    after_mark=after_mark,
                    newest=max(newest, row.id),
                    waited_ms=_waited_ms(row.at, now),
                    body=body,
                )
            )
            after, after_mark = row.id, handed[-1].mark
        return handed

    def _now(self) -> tuple[datetime, datetime]:
        """Give the time by the clock, and by the clock as it went before anybody set it."""
        return datetime.now(UTC), self._begun + timedelta(seconds=time.monotonic() - self._begun_s)

    def mark(self, number: int) -> str | None:
        """Give the mark of a change; empty for 0, None where there is none of that number."""
        if number == 0:
            return ""
        with self._store.reading() as db:
            row = db.execute(_query().where(schema.change.c.id == number)).one_or_none()
            if row is None:
                return None
            return mark_of(_body(row, _decisions(db.execute(_reviews([row])).all())))


DECIDED: Final = "review.decided"


def _query() -> Select[Any]:
    change, match, entry, seen = schema.change, schema.match, schema.entry, schema.detection
    written = and_(
        entry.c.match_id == change.c.match_id,
        entry.c.seq == change.c.entry_seq,
        change.c.kind.startswith("entry."),
    )
    of_entry = and_(seen.c.match_id == entry.c.match_id, seen.c.entry_seq == entry.c.seq)
    return (
        select(change, match.c.header, match.c.created_at, entry.c.line, seen.c.seen, seen.c.model)
        .join(match, match.c.id == change.c.match_id)
        .outerjoin(entry, written)
        .outerjoin(seen, of_entry)
    )


def _reviews(rows: Sequence[Row[Any]]) -> Select[Any]:
    """Ask for the decisions that the changes among these rows are about."""
    of = {row.match_id for row in rows if row.kind == DECIDED and row.sighting_id is None}
    table = schema.review
    return select(table).where(table.c.match_id.in_(of)).order_by(table.c.id.desc())


def _decisions(rows: Sequence[Row[Any]]) -> dict[tuple[str, int, str], Row[Any]]:
    """Give decisions by match, entry and time; of several at one time the first, which never changes."""
    return {(row.match_id, row.entry_seq, row.at): row for row in rows}


def _body(row: Row[Any], decided: dict[tuple[str, int, str], Row[Any]]) -> str:
    decision = decided.get((row.match_id, row.entry_seq, row.at)) if row.kind == DECIDED else None
    return write_body(
        {
            "number": row.id,
            "match": row.match_id,
            "header": row.header,
            "created_at": row.created_at,
            "kind": row.kind,
            "entry": row.entry_seq,
            "seq": row.seq,
            "at": row.at,
            "sighting": row.sighting_id,
            "line": row.line,
            "seen": None if row.seen is None else {"data": row.seen, "model": row.model},
            "decided": None if decision is None else {"decision": decision.decision, "by": decision.by},
        }
    )


def _waited_ms(at: str, now: Sequence[datetime]) -> int:
    """Give how long ago a change was, by this machine's own clock; 0 where that cannot be told.

    A clock that was set meanwhile would make it an hour: the change was written before that or after, so it is the
    least of what both times say, and nothing is from the future.
    """
    try:
        written = datetime.fromisoformat(at)
    except ValueError:
        return 0
    if written.tzinfo is None:
        written = written.replace(tzinfo=UTC)
    waited = [round((one - written).total_seconds() * 1000) for one in now]
    return min((ms for ms in waited if ms >= 0), default=0)
