"""A copy of the database, taken while a service writes to it; of a damaged one what can still be read."""

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from service.store.database import HEAD, StoreRefused, claim, new_database, sync_folder
from service.store.torn import torn_log

TABLES = (
    "match",
    "entry",
    "detection",
    "change",
    "review",
    "done",
    "doubts",
    "board",
    "setup",
    "watching",
    "sighting",
)
"""In an order in which each row finds the rows that it names."""


WORDS = {
    "match": "matches",
    "entry": "entries",
    "detection": "readings",
    "change": "changes",
    "review": "decisions",
    "board": "boards",
    "setup": "setups",
    "watching": "watchings",
    "sighting": "sightings",
}

FURTHEST = 1_000_000
"""The furthest row that is looked for by its number: a damaged number may be anything."""


class Backup(NamedTuple):
    """What a copy holds; `dropped` says in a clause what it lacks, empty where it lacks nothing."""

    matches: int
    entries: int
    dropped: str


def back_up(folder: Path, target: Path) -> Backup:
    """Copy the database of a data folder to a file that does not exist yet.

    The copy is one moment's: whole changes, none of them half. It is there under its name only once it is whole,
    checked and on disk. Pictures lie beside the database, named by their content and never changed: they
    are copied as files are.

    Raises
    ------
    StoreRefused
        If there is no database, the file exists, it cannot be written, or nothing can be read.
    """
    source = folder / "tallycam.db"
    if not source.is_file():
        raise StoreRefused(f"there is no tallycam.db in {folder}; takes the folder that `tallycam serve` names")
    if target.exists():
        raise StoreRefused(f"{target} exists already; a backup never writes over a file")
    if not target.parent.is_dir():
        raise StoreRefused(f"there is no folder {target.parent} for the backup")
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        torn = _torn(folder)
        dropped = ", ".join(filter(None, (torn, _copy(source, unfinished))))
        matches, entries = _checked(unfinished)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        os.link(unfinished, target)  # unlike a renaming, never over a file that came meanwhile
        sync_folder(target.parent)
    except (OSError, sqlite3.Error) as error:
        raise StoreRefused(f"the backup {target} cannot be written: {error}") from error
    finally:
        for leftover in (unfinished, unfinished.with_name(unfinished.name + "-journal")):
            leftover.unlink(missing_ok=True)
    return Backup(matches, entries, dropped)


def _copy(source: Path, target: Path) -> str:
    """Copy, by SQLite itself where the database is whole, else row by row; gives what was dropped.

    To read, SQLite writes beside the database: where the disk takes nothing, it is read beside the target.
    """
    try:
        return _copy_where_it_is(source, target)
    except StoreRefused:
        if not _at_rest(source.parent):
            raise
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            for name in (source.name, f"{source.name}-wal"):
                if (source.parent / name).exists():
                    shutil.copyfile(source.parent / name, Path(folder) / name)
            return _copy_where_it_is(Path(folder) / source.name, target)


def _at_rest(folder: Path) -> bool:
    """Say whether nobody can be writing to a folder."""
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return True
    try:
        claim(folder).close()
    except StoreRefused:
        return False
    return True


def _copy_where_it_is(source: Path, target: Path) -> str:
    try:
        with closing(_reading(source)) as db:
            if _sound(db):
                db.execute("VACUUM INTO ?", (str(target),))
                return ""
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:  # of the copy; nothing is written to what is read
            raise
        raise StoreRefused(f"{source} cannot be read: {error}") from error
    except sqlite3.DatabaseError:
        target.unlink(missing_ok=True)
    return _salvage(source, target)


def _torn(folder: Path) -> str:
    """Say what the log of a database that nobody uses will lose; of one in use it is being written."""
    try:
        lock = claim(folder)
    except StoreRefused:
        return ""
    with lock:
        torn = torn_log(folder / "tallycam.db-wal")
    return f"{torn.dropped_bytes} bytes of the log that make no whole change" if torn else ""


def _reading(source: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=10, isolation_level=None)


def _sound(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))


def _checked(path: Path) -> tuple[int, int]:
    """Look the copy through from end to end, and count what it holds."""
    with closing(sqlite3.connect(path)) as db:
        found = db.execute("PRAGMA integrity_check(1)").fetchone()
        if found != ("ok",):
            raise StoreRefused(f"the copy is not whole: {found[0]}; try again")
        matches, entries = (db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES[:2])
    return int(matches), int(entries)


def _salvage(source: Path, target: Path) -> str:
    """Copy every row that can still be read: a match with the entries up to the first that is lost."""
    new_database(target)
    dropped: list[str] = []
    with (
        closing(_reading(source)) as old,
        closing(sqlite3.connect(target, isolation_level=None)) as new,
    ):
        new.execute("PRAGMA foreign_keys=ON")
        new.execute("BEGIN")
        _hold_to_form(old, source)
        for table in TABLES:
            lost = sum(not _inserted(new, table, row) for row in _rows(old, table))
            dropped += [f"{lost} {WORDS.get(table, 'keys')}"] if lost else []
        dropped += _without_gaps(new)
        new.execute("COMMIT")
        new.execute("PRAGMA journal_mode=DELETE")
    return ", ".join(dropped) or "nothing that can be named"


def _hold_to_form(old: sqlite3.Connection, source: Path) -> None:
    try:
        at = old.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise StoreRefused(f"{source} is damaged or no database of tallycam: {error}") from error
    if at != (HEAD,):
        raise StoreRefused(f"{source} is damaged and of another form than this program's, {HEAD}")


def _rows(old: sqlite3.Connection, table: str) -> Iterator[tuple[object, ...]]:
    """Give the rows that can be read, by their places one at a time where the way through them is broken."""
    seen: set[int] = set()
    last = 0
    for order in ("ASC", "DESC"):
        try:
            for number, *row in old.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid {order}"):
                if number not in seen:
                    seen.add(number)
                    last = max(last, number)
                    yield tuple(row)
        except sqlite3.DatabaseError:
            continue
    for number in range(1, min(last, FURTHEST) + 1):
        if number in seen:
            continue
        try:
            found = old.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.DatabaseError:
            continue
        if found is not None:
            yield tuple(found)


def _inserted(new: sqlite3.Connection, table: str, row: tuple[object, ...]) -> bool:
    if table == "entry" and not _is_entry(*row):
        return False
    try:
        new.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    except sqlite3.DatabaseError:
        return False
    return True


def _is_entry(_match_id: object, seq: object, line: object) -> bool:
    """Tell whether a line is still the entry of that number."""
    try:
        return bool(json.loads(str(line))["id"] == seq)
    except (ValueError, TypeError, KeyError):
        return False


def _without_gaps(new: sqlite3.Connection) -> list[str]:
    """Take away entries behind one that is lost, and what hangs on them: what follows may mean another thing."""
    said = []
    for match_id, had in new.execute("SELECT match_id, max(seq) FROM change GROUP BY match_id").fetchall():
        numbers = {row[0] for row in new.execute("SELECT seq FROM entry WHERE match_id = ?", (match_id,))}
        whole = next(number for number in range(1, len(numbers) + 2) if number not in numbers) - 1
        last = max(had, *numbers, 0)
        if whole == last:
            continue
        said.append(f"entries {whole + 1} to {last} of match {match_id}")
        for table, column in (("detection", "entry_seq"), ("review", "entry_seq"), ("entry", "seq")):
            new.execute(f"DELETE FROM {table} WHERE match_id = ? AND {column} > ?", (match_id, whole))
        gone = "SELECT id FROM change WHERE match_id = ? AND seq > ?"
        new.execute(f"DELETE FROM done WHERE change_id IN ({gone})", (match_id, whole))
        new.execute("DELETE FROM change WHERE match_id = ? AND seq > ?", (match_id, whole))
        new.execute("DELETE FROM sighting WHERE match_id = ? AND last_entry > ?", (match_id, whole))
    return said
