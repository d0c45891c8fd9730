"""The store: one writer, nothing acknowledged is lost, nothing is taken for a store that is none."""

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import service.store as store_package
from service.store import ChangeRow, NoSuchMatch, Seen, SightingTable, Stale, StoreError, StoreRefused, open_store
from service.store.database import connect, filesystem
from service.store.schema import metadata
from service.store.store import write_decisions


def test_what_is_written_is_there_after_opening_again(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.create("m1", "header", "now")
        lines = [("one", Seen(data={"segment": "T20"}, model="h")), ("two", None)]
        store.append("m1", 0, lines, ["entry.recorded", "entry.amended"], at="now")
        said = {"decision": "confirmed", "by": "umpire:Cho", "at": "then"}
        store.keep("m1", lambda db: write_decisions(db, "m1", [1], said))
    with open_store(tmp_path) as store:
        row = store.read("m1")
        assert (row.header, row.lines) == ("header", ("one", "two"))
        assert store.seen("m1") == {1: Seen(data={"segment": "T20"}, model="h")}
        assert store.decisions("m1") == {1: {"decision": "confirmed", "by": "umpire:Cho", "at": "then"}}
        kinds = [(change.id, change.kind, change.entry_seq) for change in store.changes(0, "m1")]
        assert kinds == [
            (1, "match.created", None),
            (2, "entry.recorded", 1),
            (3, "entry.amended", 2),
            (4, "review.decided", 1),
        ]


def test_a_writer_that_has_not_seen_the_newest_entry_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.create("m1", "header", "now")
        store.append("m1", 0, [("one", None)], ["entry.recorded"], at="now")
        with pytest.raises(Stale) as refusal:
            store.append("m1", 0, [("other", None)], ["entry.recorded"], at="now")
        assert (refusal.value.expected, refusal.value.seq) == (0, 1)
        assert store.read("m1").lines == ("one",)


def test_of_several_entries_all_are_written_or_none(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.create("m1", "header", "now")
        with pytest.raises(ValueError, match="shorter"):
            store.append("m1", 0, [("one", None), ("two", None)], ["entry.recorded"], at="now")
        assert store.read("m1").lines == ()
        assert store.last_change() == 1


def test_an_unknown_match_is_said_to_be_unknown(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with pytest.raises(NoSuchMatch):
            store.read("none")
        with pytest.raises(NoSuchMatch):
            store.append("none", 0, [], [], at="now")


def test_nothing_is_written_once_it_is_closed(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.create("m1", "header", "now")
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append("m1", 0, [("one", None)], ["entry.recorded"], at="now")
    with open_store(tmp_path) as again:
        assert again.read("m1").lines == ()


def test_two_services_never_share_a_folder(tmp_path: Path) -> None:
    with open_store(tmp_path), pytest.raises(StoreRefused, match="another tallycam"):
        open_store(tmp_path)
    open_store(tmp_path).close()


def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "tallycam.db").write_bytes(b"these are my holiday notes, not a database at all" * 40)
    before = (tmp_path / "tallycam.db").read_bytes()
    with pytest.raises(StoreRefused, match=r"no database of tallycam"):
        open_store(tmp_path)
    assert (tmp_path / "tallycam.db").read_bytes() == before


def test_a_damaged_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.create("m1", "header", "now")
        store.append("m1", 0, [("x" * 3000, None)] * 40, ["entry.recorded"] * 40, at="now")
    path = tmp_path / "tallycam.db"
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 9000] = bytes(9000)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreRefused, match="damaged"):
        open_store(tmp_path)


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "tallycam.db")
    db.execute("CREATE TABLE songs (name TEXT)")
    db.commit()
    db.close()
    with pytest.raises(StoreRefused, match="another program"):
        open_store(tmp_path)


def test_a_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    db = sqlite3.connect(tmp_path / "tallycam.db")
    db.execute("UPDATE alembic_version SET version_num = '9999'")
    db.commit()
    db.close()
    with pytest.raises(StoreRefused, match="newer tallycam"):
        open_store(tmp_path)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("", encoding="utf-8")
    with pytest.raises(StoreRefused, match="cannot be used"):
        open_store(tmp_path / "data")


@pytest.mark.parametrize("name", ["tallycam.db", "tallycam.db-wal"])
def test_nothing_is_acknowledged_that_is_written_to_a_file_that_nobody_finds_again(
    tmp_path: Path, name: str
) -> None:
    with open_store(tmp_path) as store:
        store.create("m1", "header", "now")
        path, aside = tmp_path / name, tmp_path / "aside"
        path.rename(aside)
        with pytest.raises(StoreRefused, match="no longer the file that was opened"):
            store.append("m1", 0, [("one", None)], ["entry.recorded"], at="now")
        path.write_bytes(aside.read_bytes())
        with pytest.raises(StoreRefused, match="no longer the file"):
            store.append("m1", 0, [("one", None)], ["entry.recorded"], at="now")
        aside.replace(path)
        store.append("m1", 0, [("one", None)], ["entry.recorded"], at="now")
    with open_store(tmp_path) as store:
        assert store.read("m1").lines == ("one",)


def test_migrations_lead_to_the_tables_that_the_code_knows(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    engine = connect(tmp_path / "tallycam.db", writes=False)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        strict = connection.exec_driver_sql(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 1"
        )
        assert {"match", "entry", "detection", "review", "change"} <= set(strict.scalars())
    engine.dispose()


def test_every_commit_reaches_the_disk_before_it_is_acknowledged(tmp_path: Path) -> None:
    with open_store(tmp_path):
        engine = connect(tmp_path / "tallycam.db", writes=True)
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        engine.dispose()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/data/dart matches", "nfs4"),
        ("/data", "nfs4"),
        ("/database", "ext4"),
        ("/share/x", "cifs"),
        ("/", "ext4"),
    ],
)
def test_network_drives_are_known_by_their_mount(tmp_path: Path, folder: str, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda1 / ext4 rw 0 0\nserver:/x /data nfs4 rw 0 0\n//box/s /share cifs rw 0 0\n", encoding="utf-8"
    )
    assert filesystem(Path(folder), mounts) == kind


def test_a_database_of_an_earlier_form_is_brought_up_to_date_with_all_it_holds(tmp_path: Path) -> None:

    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(store_package.__file__).parents[1] / "migrations"))
    engine = connect(tmp_path / "tallycam.db", writes=True)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql("INSERT INTO match VALUES ('m1', 'header', 'now')")
        connection.exec_driver_sql("INSERT INTO change VALUES (7, 'm1', 'match.created', NULL, 0, 'now')")
    engine.dispose()
    with open_store(tmp_path) as store:
        assert store.read("m1").header == "header"
        assert store.changes(0) == (
            ChangeRow(id=7, match_id="m1", kind="match.created", entry_seq=None, seq=0, at="now"),
        )
        assert SightingTable(store).way("m1") == "mark"
