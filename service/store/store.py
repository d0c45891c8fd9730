"""What the rest of the service does with the database."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from sqlalchemy import Connection, Engine, func, insert, select
from sqlalchemy.exc import OperationalError

from service.store import schema
from service.store.database import (
    StoreError,
    StoreRefused,
    claim,
    connect,
    identity,
    sync_folder,
    unusable,
    upgrade,
)
from service.store.torn import torn_log


class NoSuchMatch(StoreError):  # noqa: N818 - the tree in the package's docstring names it
    """There is no match of that id."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"there is no match {match_id!r}")


class KeyUsed(StoreError):  # noqa: N818
    """The key was used for something else."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} was used for another request")


class Stale(StoreError):  # noqa: N818
    """The caller acted on a match of `expected` entries that has `seq` by now."""

    def __init__(self, expected: int, seq: int) -> None:
        super().__init__(f"the match has {seq} entries, not {expected}: look again, then decide")
        self.expected = expected
        self.seq = seq


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match as stored: the scoresheet's header line and entry lines, unread."""

    id: str
    header: str
    created_at: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One numbered change.

    `entry_seq` is the entry that it is about, None for the match as a whole; `seq` the entries the match had then.
    `sighting_id` is the sighting that it is about, for changes of kind `review.*`.
    """

    id: int
    match_id: str
    kind: str
    entry_seq: int | None
    seq: int
    at: str
    sighting_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a camera saw of an entry: the event's data and the hash of what read it."""

    data: Mapping[str, Any]
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """A caller's key for something to be done once, however often it comes; the fingerprint is of what came."""

    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a request under a key: the match that it changed, its last entry, or what it made."""

    match_id: str | None
    made: str | None
    entry: int | None = None


Beside = Callable[[Connection], Sequence[ChangeRow] | None]
"""Writes with the connection of a transaction, and gives the changes to be told of it."""


class Store:
    """A data folder in use. Methods may be called from any thread; writes go one at a time.

    `dropped` says in a sentence what of the database made no whole change and is gone; empty where all was whole.
    """

    def __init__(self, folder: Path, lock: IO[bytes]) -> None:
        self.folder = folder
        self.media = folder / "media"
        self._lock = lock
        self._writer: Engine = connect(folder / "tallycam.db", writes=True)
        self._turn = threading.Lock()
        self._closed = False
        self._files: dict[Path, tuple[int, int]] = {}
        self.dropped = ""
        self._readers: Engine = connect(folder / "tallycam.db", writes=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        with self._turn:
            self._closed = True
            self._readers.dispose()
            self._writer.dispose()
            self._lock.close()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give the writer's connection for one transaction; a worker that comes late finds the store closed.

        Raises
        ------
        StoreRefused
            If the disk takes nothing: it is full, or read-only by now; or if the database is no longer where it
            was opened, so that what is written would be lost. Nothing of the transaction is kept then.
        """
        with self._turn:
            if self._closed:
                raise StoreError("the store is closed")
            self._hold_to_place()
            try:
                with self._writer.begin() as db:
                    yield db
            except OperationalError as error:
                raise unusable(self.folder / "tallycam.db", error.orig) from error

    def _hold_to_place(self) -> None:
        """Refuse to write to files that nobody would find again: removed, renamed or replaced meanwhile."""
        for path in self._paths:
            found = identity(path)
            if path not in self._files and found is not None:
                self._files[path] = found  # the log is there from the first change on
            if found != self._files.get(path):
                raise StoreRefused(
                    f"{path} is no longer the file that was opened: put it back, or end the service and begin anew"
                )

    @property
    def _paths(self) -> tuple[Path, Path]:
        return self.folder / "tallycam.db", self.folder / "tallycam.db-wal"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a reader's connection: what it sees is one moment's."""
        with self._readers.begin() as db:
            yield db

    def prepare(self) -> None:
        """Bring the database to the form that this program knows; raises `StoreRefused`."""
        path = self.folder / "tallycam.db"
        try:
            torn = torn_log(self.folder / "tallycam.db-wal")
            upgrade(self._writer, path)
            self.media.mkdir(exist_ok=True)
            sync_folder(self.folder)
            self._hold_to_place()
        except OSError as error:
            raise unusable(path, error.strerror or error) from error
        if torn is not None:
            self.dropped = (
                f"the database's log broke off: {torn.dropped_bytes} bytes behind change {self.last_change()}, "
                "the last whole one, were dropped; look whether the last entry is there"
            )

    def create(
        self, match_id: str, header: str, at: str, once: Once | None = None, *, on_doubt: str = "mark"
    ) -> ChangeRow:
        """Keep a new match, and what it wants done about doubts."""
        with self.writing() as db:
            db.execute(insert(schema.match).values(id=match_id, header=header, created_at=at))
            if on_doubt != "mark":
                db.execute(insert(schema.doubts).values(match_id=match_id, way=on_doubt))
            change = _change(db, match_id, "match.created", None, seq=0, at=at)
            write_done(db, once, change_id=change.id)
            return change

    def append(
        self,
        match_id: str,
        expected_seq: int,
        lines: Sequence[tuple[str, Seen | None]],
        kinds: Sequence[str],
        *,
        at: str,
        once: Once | None = None,
        beside: Beside | None = None,
    ) -> tuple[ChangeRow, ...]:
        """Keep entries that follow the first `expected_seq`: all or none; they are on disk when this returns.

        What `beside` writes with the connection stands with them or not at all; its changes follow theirs.

        Raises
        ------
        NoSuchMatch, Stale
        """
        with self.writing() as db:
            seq = _length(db, match_id)
            if seq != expected_seq:
                raise Stale(expected_seq, seq)
            changes = []
            for number, ((line, seen), kind) in enumerate(zip(lines, kinds, strict=True), seq + 1):
                db.execute(insert(schema.entry).values(match_id=match_id, seq=number, line=line))
                if seen is not None:
                    values = {"seen": json.dumps(dict(seen.data), ensure_ascii=False), "model": seen.model}
                    db.execute(insert(schema.detection).values(match_id=match_id, entry_seq=number, **values))
                changes.append(_change(db, match_id, kind, number, seq=number, at=at))
            if beside is not None:
                changes.extend(beside(db) or ())
            if changes:
                write_done(db, once, change_id=changes[-1].id)
            return tuple(changes)

    def keep(self, match_id: str, beside: Beside, once: Once | None = None) -> tuple[ChangeRow, ...]:
        """Keep what is about a match and no entry of it; raises `NoSuchMatch`."""
        with self.writing() as db:
            _length(db, match_id)
            changes = tuple(beside(db) or ())
            if changes:
                write_done(db, once, change_id=changes[-1].id)
            return changes

    def read(self, match_id: str) -> MatchRow:
        """Give a match; raises `NoSuchMatch`."""
        with self.reading() as db:
            found = db.execute(select(schema.match).where(schema.match.c.id == match_id)).one_or_none()
            if found is None:
                raise NoSuchMatch(match_id)
            lines = db.scalars(
                select(schema.entry.c.line).where(schema.entry.c.match_id == match_id).order_by(schema.entry.c.seq)
            )
            return MatchRow(id=match_id, header=found.header, created_at=found.created_at, lines=tuple(lines))

    def done(self, once: Once | None) -> Done | None:
        """Give what came of a request under a key, None where there was none; raises `KeyUsed`."""
        if once is None:
            return None
        with self.reading() as db:
            return read_done(db, once)

    def ids(self) -> tuple[str, ...]:
        """Give every match's id, the newest first."""
        newest = select(schema.match.c.id).order_by(schema.match.c.created_at.desc(), schema.match.c.id)
        with self.reading() as db:
            return tuple(db.scalars(newest))

    def seen(self, match_id: str) -> dict[int, Seen]:
        """Give what was seen, by entry."""
        table = schema.detection
        with self.reading() as db:
            rows = db.execute(select(table).where(table.c.match_id == match_id)).all()
        return {row.entry_seq: Seen(data=json.loads(row.seen), model=row.model) for row in rows}

    def decisions(self, match_id: str) -> dict[int, dict[str, str]]:
        """Give the newest decision on each entry that has one: `decision`, `by`, `at`."""
        table = schema.review
        with self.reading() as db:
            rows = db.execute(select(table).where(table.c.match_id == match_id).order_by(table.c.id)).all()
        return {row.entry_seq: {"decision": row.decision, "by": row.by, "at": row.at} for row in rows}

    def changes(self, after: int, match_id: str | None = None, limit: int = 1000) -> tuple[ChangeRow, ...]:
        """Give the changes numbered above `after`, of one match or of all, oldest first."""
        table = schema.change
        query = select(table).where(table.c.id > after).order_by(table.c.id).limit(limit)
        if match_id is not None:
            query = query.where(table.c.match_id == match_id)
        with self.reading() as db:
            rows = db.execute(query).all()
        return tuple(ChangeRow(**row._mapping) for row in rows)

    def changed_last(self) -> str | None:
        """Give the id of the match that changed last, None without one."""
        newest = select(schema.change.c.match_id).order_by(schema.change.c.id.desc()).limit(1)
        with self.reading() as db:
            found: str | None = db.scalar(newest)
        return found

    def last_change(self, match_id: str | None = None) -> int:
        """Give the newest change's number, of one match or of all; 0 where there is none."""
        query = select(func.coalesce(func.max(schema.change.c.id), 0))
        if match_id is not None:
            query = query.where(schema.change.c.match_id == match_id)
        with self.reading() as db:
            return int(db.scalar(query) or 0)


def open_store(folder: Path) -> Store:
    """Open the store in a folder, new or old, for this process alone; raises `StoreRefused`."""
    store = Store(folder, claim(folder))
    try:
        store.prepare()
    except BaseException:
        store.close()
        raise
    return store


def _length(db: Connection, match_id: str) -> int:
    if db.scalar(select(schema.match.c.id).where(schema.match.c.id == match_id)) is None:
        raise NoSuchMatch(match_id)
    count = select(func.count()).select_from(schema.entry).where(schema.entry.c.match_id == match_id)
    return int(db.scalar(count) or 0)


def read_done(db: Connection, once: Once | None) -> Done | None:
    """Give what came of a request under a key, with the connection of a transaction; raises `KeyUsed`."""
    if once is None:
        return None
    done, change = schema.done.c, schema.change.c
    columns = select(done.fingerprint, done.made, change.match_id, change.entry_seq)
    query = columns.select_from(schema.done.outerjoin(schema.change)).where(done.key == once.key)
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    if row.fingerprint != once.fingerprint:
        raise KeyUsed(once.key)
    return Done(match_id=row.match_id, made=row.made, entry=row.entry_seq)


def write_done(
    db: Connection, once: Once | None, *, change_id: int | None = None, made: str | None = None
) -> None:
    """Keep what came of a request under its key, if it has one, with the connection of a transaction."""
    if once is not None:
        values = {"key": once.key, "fingerprint": once.fingerprint, "change_id": change_id, "made": made}
        db.execute(insert(schema.done).values(**values))


def write_decisions(
    db: Connection, match_id: str, entries: Iterable[int], decision: Mapping[str, str]
) -> list[ChangeRow]:
    """Keep a person's decision (`decision`, `by`, `at`) about what was seen of entries; gives the changes."""
    changes = []
    for number in entries:
        db.execute(insert(schema.review).values(match_id=match_id, entry_seq=number, **decision))
        seq = _length(db, match_id)
        changes.append(_change(db, match_id, "review.decided", number, seq=seq, at=decision["at"]))
    return changes


def write_mark(db: Connection, match_id: str, kind: str, at: str, sighting_id: int | None) -> ChangeRow:
    """Keep a change that is about a sighting or the match as a whole; raises `NoSuchMatch`."""
    return _change(db, match_id, kind, None, seq=_length(db, match_id), at=at, sighting_id=sighting_id)


def _change(
    db: Connection,
    match_id: str,
    kind: str,
    entry_seq: int | None,
    *,
    seq: int,
    at: str,
    sighting_id: int | None = None,
) -> ChangeRow:
    values = {
        "match_id": match_id,
        "kind": kind,
        "entry_seq": entry_seq,
        "seq": seq,
        "at": at,
        "sighting_id": sighting_id,
    }
    number = db.execute(insert(schema.change).values(**values)).inserted_primary_key
    assert number is not None
    return ChangeRow(id=number[0], **values)  # type: ignore[arg-type]
