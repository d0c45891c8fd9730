"""Copies of the database: whole while it is written to; what is lost of a damaged one is said."""

import json
import shutil
import threading
from pathlib import Path

import pytest
from support.program import tallycam
from support.service import amend, ask, free_port, opened, played, record, running, throw

from service.matches import Matches
from service.store import StoreRefused, back_up, open_store
from service.store.torn import torn_log


def restored(copy: Path, folder: Path) -> Matches:
    """Open a copy as the database of another folder."""
    folder.mkdir()
    shutil.copy(copy, folder / "tallycam.db")
    return Matches(open_store(folder))


def test_a_copy_is_the_match_as_it_was(tmp_path: Path) -> None:
    with opened(tmp_path / "data") as matches:
        match_id = played(matches, "T20 S20 S5", "T19", doubt=3)
        matches.append(match_id, 5, [(amend(2, throw(0, "T20", 2000)), None)])
        matches.decide(match_id, 3, "confirmed", "umpire:Cho")
        made = back_up(tmp_path / "data", tmp_path / "copy.db")
        was = matches.view(match_id)
    assert made == (1, 6, "")
    again = restored(tmp_path / "copy.db", tmp_path / "other")
    assert again.view(match_id) == was
    assert [change.kind for change in again.store.changes(0)][-1] == "review.decided"
    again.store.close()


def test_copies_under_writing_load_hold_whole_changes_and_writing_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path / "data") as matches:
        match_id = matches.create("cricket", ["Ann", "Ben"])
        end = threading.Event()

        def write() -> None:
            for number in range(2000):
                if end.is_set():
                    return
                pair = [(record(throw(0, "MISS", number)), None), (record(throw(0, "S1", number)), None)]
                matches.append(match_id, 2 * number, pair)

        writer = threading.Thread(target=write)
        writer.start()
        made = [back_up(tmp_path / "data", tmp_path / f"{number}.db") for number in range(4)]
        end.set()
        writer.join()
        last = matches.view(match_id)["seq"]
    counts = [copy.entries for copy in made]
    assert counts == sorted(counts)
    assert all(count % 2 == 0 for count in counts), "a pair is one change on disk"
    assert counts[-1] <= last
    again = restored(tmp_path / "3.db", tmp_path / "other")
    assert again.view(match_id)["seq"] == counts[-1]
    again.store.close()


def test_what_cannot_be_copied_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match=r"no tallycam\.db"):
        back_up(tmp_path, tmp_path / "copy.db")
    open_store(tmp_path).close()
    (tmp_path / "copy.db").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreRefused, match="exists already"):
        back_up(tmp_path, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text(encoding="utf-8") == "mine"
    with pytest.raises(StoreRefused, match="no folder"):
        back_up(tmp_path, tmp_path / "none" / "copy.db")
    (tmp_path / "tallycam.db").write_bytes(b"no database" * 100)
    with pytest.raises(StoreRefused, match="damaged"):
        back_up(tmp_path, tmp_path / "other.db")
    assert [path.name for path in tmp_path.iterdir() if ".part" in path.name] == []
    assert not (tmp_path / "other.db").exists()


@pytest.fixture
def crashed(tmp_path: Path) -> tuple[Path, str]:
    """A folder as a crash leaves it: changes are in the log alone. And its match."""
    with opened(tmp_path / "data") as matches:
        match_id = played(matches, "T20 S20 S5")
        matches.append(match_id, 4, [(record(throw(1, "T19", 4000)), None)])
        matches.append(match_id, 5, [(record(throw(1, "S19", 5000)), None)])
        folder = tmp_path / "crashed"
        folder.mkdir()
        for name in ("tallycam.db", "tallycam.db-wal"):
            shutil.copy(tmp_path / "data" / name, folder / name)
    return folder, match_id


def test_a_log_that_ends_whole_is_taken_without_a_word(crashed: tuple[Path, str]) -> None:
    folder, match_id = crashed
    assert torn_log(folder / "tallycam.db-wal") is None
    with open_store(folder) as store:
        assert (len(store.read(match_id).lines), store.dropped) == (6, "")


@pytest.mark.parametrize("how", ["cut", "a byte is another"])
def test_a_log_that_breaks_off_is_told_with_what_was_dropped(
    crashed: tuple[Path, str], how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, match_id = crashed
    log = folder / "tallycam.db-wal"
    raw = bytearray(log.read_bytes())
    if how == "cut":
        del raw[-1000:]
    else:
        raw[-1000] ^= 1
    log.write_bytes(bytes(raw))
    torn = torn_log(log)
    assert torn is not None
    made = tallycam(capsys, "backup", "--data", str(folder), "-o", str(folder / "copy.db"))
    assert made.status == 1
    assert f"{torn.dropped_bytes} bytes of the log" in made.err
    assert json.loads(made.out)["entries"] == 5
    log.write_bytes(bytes(raw))
    with open_store(folder) as store:
        assert len(store.read(match_id).lines) == 5
        assert f"{torn.dropped_bytes} bytes behind change 6" in store.dropped
    with open_store(folder) as store:
        assert store.dropped == ""


def test_the_service_says_at_its_start_what_was_dropped(crashed: tuple[Path, str]) -> None:
    folder, match_id = crashed
    log = folder / "tallycam.db-wal"
    log.write_bytes(log.read_bytes()[:-1000])
    with running("--data", str(folder), port=free_port()) as (service, base):
        assert ask(base, "GET", f"/matches/{match_id}")["seq"] == 5
        _, _, _, err = service.end()
    assert err.count("\n") == 1
    assert "behind change 6, the last whole one, were dropped" in err


@pytest.mark.long
def test_a_log_that_was_begun_again_is_whole_whatever_follows(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        match_id = matches.create("cricket", ["Ann", "Ben"])
        for number in range(600):
            matches.store.append(match_id, number, [("x" * 3000, None)], ["entry.recorded"], at="now")
            if number % 50 == 0:
                assert torn_log(tmp_path / "tallycam.db-wal") is None


def test_of_a_log_begun_again_only_what_was_written_since_counts(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        match_id = matches.create("cricket", ["Ann", "Ben"])
        log, number, size = tmp_path / "tallycam.db-wal", 0, 0
        while log.stat().st_size > size or number < 10:
            size = log.stat().st_size
            matches.store.append(match_id, number, [("x" * 9000, None)], ["entry.recorded"], at="now")
            number += 1
        raw = bytearray(log.read_bytes())
    raw[32 + 24 + 100] ^= 1  # in the first page after the log was begun again
    (tmp_path / "other-wal").write_bytes(bytes(raw))
    torn = torn_log(tmp_path / "other-wal")
    assert torn is not None
    assert torn.changes == 0
    assert 0 < torn.dropped_bytes < len(raw) / 4


def test_of_a_damaged_database_what_can_be_read_is_saved_and_the_rest_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "data") as matches:
        good, bad = (played(matches, *["T20 S20 S5", "T19 S19 S3"] * 12) for _ in range(2))
        was = matches.view(good)
    path = tmp_path / "data" / "tallycam.db"
    raw = bytearray(path.read_bytes())
    needle = next(
        at for at in range(len(raw)) if raw.startswith(b'{"id":60', at) or raw.startswith(b'{"id": 60', at)
    )
    second = raw.find(bytes(raw[needle : needle + 9]), needle + 9)
    page = 4096
    spot = second // page * page
    raw[spot : spot + page] = bytes(page)
    path.write_bytes(bytes(raw))
    with pytest.raises(StoreRefused, match="tallycam backup"):
        open_store(tmp_path / "data")
    done = tallycam(capsys, "backup", "--data", str(tmp_path / "data"), "-o", str(tmp_path / "saved.db"))
    assert done.status == 1
    assert done.err.count("\n") == 1
    assert f"of match {bad}" in done.err or f"of match {good}" in done.err
    again = restored(tmp_path / "saved.db", tmp_path / "other")
    kept = {match_id: again.view(match_id)["seq"] for match_id in (good, bad)}
    assert json.loads(done.out)["entries"] == sum(kept.values())
    assert min(kept.values()) < 96
    whole = max(kept, key=lambda match_id: kept[match_id])
    assert whole != good or again.view(good) == was
    with_more = again.append(bad, kept[bad], [(record(throw(0, "S1", 900_000)), None)])
    assert with_more == (kept[bad] + 1,)
    again.store.close()
