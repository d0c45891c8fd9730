"""Boards, setups, what watches which match, and what was seen: the tables beside the log."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from service.store import schema
from service.store.database import StoreError
from service.store.store import NoSuchMatch, Once, Store, read_done, write_done


class NoSuchBoard(StoreError):  # noqa: N818 - the tree in the package's docstring names it
    """There is no board of that id."""

    def __init__(self, board_id: str) -> None:
        super().__init__(f"there is no board {board_id!r}")


class InUse(StoreError):  # noqa: N818
    """The board watches a match, or the match is watched by a board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A board; `source` says where its pictures come from, `pace` whether a recording waits for its own time."""

    id: str
    name: str
    game: str
    source: str
    pace: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRow:
    """A version of a board's SETUP, 1, 2, 3 …; none is ever changed."""

    board_id: str
    version: int
    setup: Mapping[str, Any]
    by: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchingRow:
    """A board that watches a match, or did.

    Attributes
    ----------
    lying
        What lay on the board at the start, as a STATE has it; None: nothing is known.
    zero_ms
        Time of the match at the source's first frame.
    ended_at, outcome
        When it ended and how: `ended`, `stopped`, or a failure's code; None while it goes on.
    """

    id: int
    board_id: str
    match_id: str
    setup_version: int
    source: str
    pace: str
    lying: Mapping[str, Any] | None
    zero_ms: int
    begun_at: str
    ended_at: str | None
    outcome: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SightingRow:
    """Something seen for a match.

    Attributes
    ----------
    watching_id, number
        Who saw it, and the how manieth it was of all that it saw, from 1.
    event
        As a line of `events.jsonl` has it.
    pictures
        Names of what shows it: `before`, `after` and others.
    codes
        What a person should look at, as it stands now: a later event may have settled it, or the rules refuse it.
    action
        The action as a later event revised it, None where none did.
    state
        `written`: done with; `waiting`: for a person; `held`: behind one that waits; `dropped`: not to be written.
    first_entry, last_entry
        The entries that were written for it, if any.
    decision, by, decided_at
        What a person said of it: `accept`, `correct` or `strike`.
    model
        Hash of what read it; None where that is not known.
    """

    id: int
    match_id: str
    watching_id: int | None
    number: int
    event: Mapping[str, Any]
    pictures: Mapping[str, str]
    codes: Sequence[Mapping[str, Any]]
    action: Mapping[str, Any] | None
    state: str
    first_entry: int | None
    last_entry: int | None
    at: str
    decision: str | None
    by: str | None
    decided_at: str | None
    model: str | None = None

    @property
    def entries(self) -> range:
        """Ids of the entries that were written for it."""
        if self.first_entry is None or self.last_entry is None:
            return range(0)
        return range(self.first_entry, self.last_entry + 1)


_TEXTS = ("event", "pictures", "codes", "action")


class BoardTables:
    """Boards, their setups and watchings in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, board: BoardRow, once: Once | None = None) -> str:
        """Keep a new board and give its id, or that of the one made under this key; raises `KeyUsed`."""
        values = {name: getattr(board, name) for name in ("id", "name", "game", "source", "pace", "created_at")}
        with self._store.writing() as db:
            if (before := read_done(db, once)) is not None:
                return str(before.made)
            db.execute(insert(schema.board).values(**values))
            write_done(db, once, made=board.id)
        return board.id

    def all(self) -> tuple[BoardRow, ...]:
        """Give the boards in the order of their names."""
        query = _boards().order_by(schema.board.c.name, schema.board.c.id)
        with self._store.reading() as db:
            return tuple(BoardRow(**row._mapping) for row in db.execute(query))

    def get(self, board_id: str) -> BoardRow:
        """Give a board; raises `NoSuchBoard`."""
        with self._store.reading() as db:
            return _board(db, board_id)

    def change(self, board_id: str, values: Mapping[str, str]) -> None:
        """Change name, source or pace; raises `NoSuchBoard`."""
        with self._store.writing() as db:
            _board(db, board_id)
            if values:
                db.execute(update(schema.board).where(schema.board.c.id == board_id).values(**values))

    def remove(self, board_id: str, at: str) -> None:
        """Take a board away, with its history kept; raises `NoSuchBoard`, `InUse`."""
        with self._store.writing() as db:
            _board(db, board_id)
            if db.scalar(_running().where(schema.watching.c.board_id == board_id)) is not None:
                raise InUse("the board watches a match: stop it first")
            db.execute(update(schema.board).where(schema.board.c.id == board_id).values(removed_at=at))

    def add_setup(
        self, board_id: str, setup: Mapping[str, Any], by: str, at: str, once: Once | None = None
    ) -> SetupRow:
        """Keep a setup as the board's newest, or give the one that was kept under this key.

        Raises
        ------
        NoSuchBoard, KeyUsed
        """
        with self._store.writing() as db:
            _board(db, board_id)
            column = schema.setup.c.version
            if (before := read_done(db, once)) is not None:
                own = select(schema.setup).where(schema.setup.c.board_id == board_id, column == before.made)
                return _setup(db.execute(own).one())
            newest = db.scalar(select(func.max(column)).where(schema.setup.c.board_id == board_id)) or 0
            row = SetupRow(board_id=board_id, version=newest + 1, setup=setup, by=by, at=at)
            text = json.dumps(dict(setup), ensure_ascii=False)
            values = {"board_id": board_id, "version": row.version, "setup": text, "by": by, "at": at}
            db.execute(insert(schema.setup).values(**values))
            write_done(db, once, made=str(row.version))
            return row

    def setups(self, board_id: str) -> tuple[SetupRow, ...]:
        """Give every version of a board's setup, the newest first; raises `NoSuchBoard`."""
        query = select(schema.setup).where(schema.setup.c.board_id == board_id)
        with self._store.reading() as db:
            _board(db, board_id)
            rows = db.execute(query.order_by(schema.setup.c.version.desc())).all()
        return tuple(_setup(row) for row in rows)

    def setup(self, board_id: str, version: int | None = None) -> SetupRow | None:
        """Give a version of a board's setup, or the newest; None where there is none."""
        query = select(schema.setup).where(schema.setup.c.board_id == board_id)
        if version is not None:
            query = query.where(schema.setup.c.version == version)
        with self._store.reading() as db:
            row = db.execute(query.order_by(schema.setup.c.version.desc()).limit(1)).one_or_none()
        return None if row is None else _setup(row)

    def named_pictures(self) -> frozenset[str]:
        """Give the names of pictures that any setup needs."""
        query = select(schema.setup.c.setup).where(schema.setup.c.setup.contains('"colours_image"'))
        with self._store.reading() as db:
            names = [json.loads(text).get("colours_image") for text in db.scalars(query)]
        return frozenset(name for name in names if isinstance(name, str))

    # Watching

    def begin(
        self,
        board: BoardRow,
        match_id: str,
        setup_version: int,
        *,
        lying: Mapping[str, Any] | None,
        zero_ms: int,
        at: str,
        once: Once | None = None,
    ) -> WatchingRow:
        """Keep that a board watches a match from now on, or give the watching that was begun under this key.

        Raises
        ------
        NoSuchMatch, InUse, KeyUsed
        """
        values = {
            "board_id": board.id,
            "match_id": match_id,
            "setup_version": setup_version,
            "source": board.source,
            "pace": board.pace,
            "lying": None if lying is None else json.dumps(dict(lying)),
            "zero_ms": zero_ms,
            "begun_at": at,
        }
        try:
            with self._store.writing() as db:
                if db.scalar(select(schema.match.c.id).where(schema.match.c.id == match_id)) is None:
                    raise NoSuchMatch(match_id)
                if (before := read_done(db, once)) is not None:
                    return _watching(db.execute(_watching_of(before.made)).one())
                number = db.execute(insert(schema.watching).values(**values)).inserted_primary_key
                assert number is not None
                write_done(db, once, made=str(number[0]))
                row = db.execute(_watching_of(number[0])).one()
        except IntegrityError as error:
            raise InUse("the board watches a match already, or another board watches that match") from error
        return _watching(row)

    def end(self, watching_id: int, outcome: str, at: str) -> None:
        """Keep that a watching has ended; one that had is left as it is."""
        table = schema.watching
        with self._store.writing() as db:
            db.execute(
                update(table)
                .where(table.c.id == watching_id, table.c.ended_at.is_(None))
                .values(ended_at=at, outcome=outcome)
            )

    def watchings(self, *, running: bool = False, match_id: str | None = None) -> tuple[WatchingRow, ...]:
        """Give what watches or watched, the newest first."""
        table = schema.watching
        query = select(table).order_by(table.c.id.desc())
        query = query.where(table.c.ended_at.is_(None)) if running else query
        query = query if match_id is None else query.where(table.c.match_id == match_id)
        with self._store.reading() as db:
            return tuple(_watching(row) for row in db.execute(query))

    def watching(self, watching_id: int) -> WatchingRow | None:
        """Give one watching, None where there is none."""
        with self._store.reading() as db:
            row = db.execute(_watching_of(watching_id)).one_or_none()
        return None if row is None else _watching(row)


class SightingTable:
    """What was seen, in a store; and what each match wants done about doubts."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def way(self, match_id: str) -> str:
        """Say what is done about doubts: `mark` them and go on, or `wait` for a person."""
        query = select(schema.doubts.c.way).where(schema.doubts.c.match_id == match_id)
        with self._store.reading() as db:
            return str(db.scalar(query) or "mark")

    def set_way(self, match_id: str, way: str) -> None:
        """Keep what is done about doubts; raises `NoSuchMatch`."""
        with self._store.writing() as db:
            if db.scalar(select(schema.match.c.id).where(schema.match.c.id == match_id)) is None:
                raise NoSuchMatch(match_id)
            table = schema.doubts
            known = db.scalar(select(table.c.way).where(table.c.match_id == match_id))
            if known is None:
                db.execute(insert(table).values(match_id=match_id, way=way))
            else:
                db.execute(update(table).where(table.c.match_id == match_id).values(way=way))

    def last_number(self, watching_id: int) -> int:
        """Give the number of the newest sighting of a watching; 0 where there is none."""
        table = schema.sighting
        with self._store.reading() as db:
            return int(db.scalar(select(func.max(table.c.number)).where(table.c.watching_id == watching_id)) or 0)

    def get(self, sighting_id: int) -> SightingRow | None:
        """Give one sighting, None where there is none."""
        query = select(schema.sighting).where(schema.sighting.c.id == sighting_id)
        with self._store.reading() as db:
            row = db.execute(query).one_or_none()
        return None if row is None else _sighting(row)

    def of(
        self,
        *,
        match_id: str | None = None,
        watching_id: int | None = None,
        states: Sequence[str] = (),
        asking: bool = False,
        limit: int | None = None,
        newest_first: bool = False,
        after: int = 0,
    ) -> tuple[SightingRow, ...]:
        """Give sightings in the order in which they came, of ids beyond `after`.

        `asking`: only those that a person looks at, or did.
        """
        table = schema.sighting
        query = select(table).order_by(table.c.id.desc() if newest_first else table.c.id).where(table.c.id > after)
        if match_id is not None:
            query = query.where(table.c.match_id == match_id)
        if watching_id is not None:
            query = query.where(table.c.watching_id == watching_id)
        if states:
            query = query.where(table.c.state.in_(states))
        if asking:
            open_ = table.c.state.in_(("waiting", "held"))
            query = query.where(or_(table.c.codes != "[]", open_, table.c.decision.is_not(None)))
        if limit is not None:
            query = query.limit(limit)
        with self._store.reading() as db:
            return tuple(_sighting(row) for row in db.execute(query))


def forget_pictures(db: Connection, names: Collection[str]) -> None:
    """Take names out of the sightings that show them, with the connection of a transaction."""
    table = schema.sighting
    for row in db.execute(select(table.c.id, table.c.pictures).where(table.c.pictures != "{}")).all():
        pictures = json.loads(row.pictures)
        kept = {word: name for word, name in pictures.items() if name not in names}
        if len(kept) < len(pictures):
            update_sighting(db, row.id, {"pictures": kept})


def insert_sighting(db: Connection, values: Mapping[str, Any]) -> int:
    """Write a sighting with the connection of a transaction; gives its id."""
    number = db.execute(insert(schema.sighting).values(**_told(values))).inserted_primary_key
    assert number is not None
    return int(number[0])


def update_sighting(db: Connection, sighting_id: int, values: Mapping[str, Any]) -> None:
    """Change a sighting with the connection of a transaction."""
    db.execute(update(schema.sighting).where(schema.sighting.c.id == sighting_id).values(**_told(values)))


def add_picture(db: Connection, watching_id: int, number: int, word: str, name: str) -> None:
    """Add a name to the pictures of a sighting, if there is one, with the connection of a transaction."""
    table = schema.sighting
    own = (table.c.watching_id == watching_id, table.c.number == number)
    row = db.execute(select(table.c.id, table.c.pictures).where(*own)).one_or_none()
    if row is not None:
        update_sighting(db, row.id, {"pictures": {**json.loads(row.pictures), word: name}})


def update_seen(db: Connection, match_id: str, entry: int, seen: Mapping[str, Any]) -> None:
    """Put another reading in the place of what was seen of an entry."""
    table = schema.detection
    text = json.dumps(dict(seen), ensure_ascii=False)
    db.execute(update(table).where(table.c.match_id == match_id, table.c.entry_seq == entry).values(seen=text))


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(value, ensure_ascii=False) if name in _TEXTS and value is not None else value
        for name, value in values.items()
    }


def _boards() -> "Select[Any]":
    columns = schema.board.c
    return select(columns.id, columns.name, columns.game, columns.source, columns.pace, columns.created_at).where(
        columns.removed_at.is_(None)
    )


def _board(db: Connection, board_id: str) -> BoardRow:
    row = db.execute(_boards().where(schema.board.c.id == board_id)).one_or_none()
    if row is None:
        raise NoSuchBoard(board_id)
    return BoardRow(**row._mapping)


def _running() -> "Select[Any]":
    return select(schema.watching.c.id).where(schema.watching.c.ended_at.is_(None))


def _watching_of(watching_id: int | str | None) -> "Select[Any]":
    return select(schema.watching).where(schema.watching.c.id == watching_id)


def _setup(row: "Row[Any]") -> SetupRow:
    return SetupRow(**{**row._mapping, "setup": json.loads(row.setup)})


def _watching(row: "Row[Any]") -> WatchingRow:
    return WatchingRow(**{**row._mapping, "lying": None if row.lying is None else json.loads(row.lying)})


def _sighting(row: "Row[Any]") -> SightingRow:
    values = dict(row._mapping)
    return SightingRow(**values | {name: json.loads(values[name]) for name in _TEXTS if values[name] is not None})
