"""Opening the database: where it may lie, who may have it, how it is set, which form it has."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import QueuePool

HEAD = "0004"
"""The newest migration: a database at this revision is used as it is, without loading Alembic."""

LOW = 1024 * 1024
"""Bytes: with less free the smallest change may not fit, with its log and what SQLite keeps beside it."""

_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "fuse.sshfs", "fuse.rclone", "ncpfs"}
_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000")


class StoreError(Exception):
    """Root of what a store may refuse; its text is one sentence for people."""


class StoreRefused(StoreError):  # noqa: N818 - the tree in the package's docstring names it
    """The folder cannot hold a store."""


def claim(folder: Path) -> IO[bytes]:
    """Make the folder and take it for this process alone, until the returned file is closed.

    Raises
    ------
    StoreRefused
        If the folder cannot be written, lies on a network drive (SQLite's locks do not hold there) or is in use.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("ab")
    except OSError as error:
        raise StoreRefused(f"the data folder {folder} cannot be used: {error.strerror or error}") from error
    kind = filesystem(folder)
    if kind in _NETWORK:
        lock.close()
        raise StoreRefused(
            f"the data folder {folder} lies on a network drive ({kind}); choose one on a local disk"
        )
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise StoreRefused(
            f"another tallycam is using the data folder {folder}; end it or choose another"
        ) from error
    return lock


def filesystem(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Name the kind of file system that holds the folder; empty where the system does not tell."""
    try:
        table = [line.split(" ") for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return ""
    place = str(folder.resolve())
    best, kind = "", ""
    for _, point, name, *_ in table:
        point = point.replace("\\040", " ")  # noqa: PLW2901 - the table writes blanks so
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, name
    return kind


def connect(path: Path, *, writes: bool) -> Engine:
    """Give an engine on the database: the writer holds one connection, readers up to eight that cannot write."""
    engine = create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        pool_size=1 if writes else 8,
        max_overflow=0,
        connect_args={"check_same_thread": False},
    )
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"

    @event.listens_for(engine, "connect")
    def _prepare(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]
        for pragma in (*_PRAGMAS, f"query_only={'OFF' if writes else 'ON'}"):
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def upgrade(engine: Engine, path: Path) -> None:
    """Bring the database to `HEAD`.

    Raises
    ------
    StoreRefused
        If it is no database of ours, is damaged, or was written by a newer program.
    """
    try:
        with engine.connect() as connection:
            tables = set(connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")))
            at = (
                connection.scalar(text("SELECT version_num FROM alembic_version"))
                if tables & {"alembic_version"}
                else None
            )
    except OperationalError as error:
        raise unusable(path, error.orig) from error
    except DatabaseError as error:
        raise StoreRefused(f"{path} is damaged or no database of tallycam: {error.orig}") from error
    if at == HEAD:
        _check(engine, path)
        return
    if at is None and tables - {"alembic_version"}:
        raise StoreRefused(f"{path} holds another program's tables; choose another data folder")
    _migrate(engine, at, path)


def new_database(path: Path) -> None:
    """Make an empty database of the form `HEAD`."""
    engine = connect(path, writes=True)
    try:
        upgrade(engine, path)
    finally:
        engine.dispose()


def _check(engine: Engine, path: Path) -> None:
    """Look through the whole file once: some milliseconds for thousands of entries."""
    try:
        with engine.connect() as connection:
            found = connection.scalar(text("PRAGMA quick_check(1)"))
    except OperationalError as error:
        raise unusable(path, error.orig) from error
    except DatabaseError as error:
        found = str(error.orig)
    if found != "ok":
        raise StoreRefused(f"{path} is damaged ({found}); `tallycam backup` saves what can be read of it")


def _migrate(engine: Engine, at: str | None, path: Path) -> None:
    from alembic import command  # noqa: PLC0415 - loaded only when there is something to do
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations").replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if at is not None and at not in known:
        raise StoreRefused(f"{path} was written by a newer tallycam (form {at}); update the program to open it")
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, HEAD)
    except OperationalError as error:
        raise unusable(path, error.orig) from error


def unusable(path: Path, error: object) -> StoreRefused:
    """Say that a database cannot be used for a reason that is not its own: the disk's, most of all a full one."""
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        free = LOW
    if free < LOW:
        return StoreRefused(
            f"{path} cannot be written: the disk is full ({free // 1024} KiB free); make room on it"
        )
    return StoreRefused(f"{path} cannot be read or written ({error}); look at its disk and its permissions")


def identity(path: Path) -> tuple[int, int] | None:
    """Give what tells a file from any other of this machine, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def sync_folder(folder: Path, opener: Callable[[Path, int], int] = os.open) -> None:
    """Make the folder's new names as durable as the files in it."""
    handle = opener(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
