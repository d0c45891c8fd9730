"""What goes wrong around a service is said for what it is, and nothing that was acknowledged is lost."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from support.program import tallycam
from support.service import opened, played, record, throw

from service import matches as matches_module
from service.store import StoreRefused, open_store
from service.venue import log as log_module
from service.venue.log import StoreLog

APART = ["unshare", "--user", "--map-root-user", "--mount"]
"""A namespace in which a disk can be mounted that nobody else sees; some systems grant that to no one."""


def on_a_small_disk(what: str, folder: Path, root: Path) -> dict[str, Any]:
    """Have `support.small_disk` do something on a disk of 3 MB; skips where none can be mounted."""
    if subprocess.run([*APART, "mount", "-t", "tmpfs", "tmpfs", str(folder)], check=False).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    done = subprocess.run(
        [*APART, sys.executable, "-m", "support.small_disk", what, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root / "tests",
        env={"PYTHONPATH": f"{root}:{root / 'tests'}", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.long
def test_a_full_disk_is_said_loses_nothing_and_goes_on_when_there_is_room(tmp_path: Path, root: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    told = on_a_small_disk("full", disk, root)
    assert [status for status, _ in told["before"]] == [201, 201, 201]
    assert told["full"] == [507, "NOT_KEPT"]
    assert told["kept"]
    assert told["health"] == 200
    assert told["after"] == [201, ""]
    assert told["kept_after"]
    assert told["entries"] >= 4
    for status, said in told["start"]:
        assert status == 2
        assert "the disk is full" in said
        assert "damaged" not in said
        assert said.count("\n") == 1
    assert told["backup"] == told["entries"] - 1, "what is on a full disk can be saved to another"
    assert told["cold backup"] == told["entries"]


@pytest.mark.long
def test_a_folder_that_is_read_only_is_said_and_works_again_when_it_is_not(tmp_path: Path, root: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    told = on_a_small_disk("read_only", disk, root)
    assert told["running"] == [507, "NOT_KEPT"]
    for status, said in told["start"]:
        assert status == 2
        assert "ead-only file system" in said
        assert "damaged" not in said
        assert said.count("\n") == 1
    assert told["backup"] == 1, "what is on it can be saved to another"
    assert told["after"] == [201, ""]
    assert told["kept"] == [1, 2]


@pytest.mark.long
def test_whichever_page_is_damaged_the_store_is_not_opened_as_if_it_were_whole(tmp_path: Path) -> None:
    with opened(tmp_path / "data") as matches:
        for _ in range(6):
            played(matches, *["T20 S20 S5", "T19 S19 S3"] * 12)
    path = tmp_path / "data" / "tallycam.db"
    whole, page = path.read_bytes(), 4096
    assert len(whole) >= 20 * page
    for begin in range(0, len(whole), page):
        path.write_bytes(whole[:begin] + bytes(page) + whole[begin + page :])
        with pytest.raises(StoreRefused, match=r"damaged|no database"):
            open_store(tmp_path / "data")
    path.write_bytes(whole)
    open_store(tmp_path / "data").close()


def test_a_damaged_page_is_one_sentence_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(tmp_path) as matches:
        played(matches, *["T20 S20 S5", "T19 S19 S3"] * 12)
    path = tmp_path / "tallycam.db"
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2 : len(whole) // 2 + 4096] = bytes(4096)
    path.write_bytes(bytes(whole))
    ran = tallycam(capsys, "serve", "--port", "0", "--data", str(tmp_path))
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "tallycam backup" in ran.err


class Clock(datetime):
    """A wall clock that can be set."""

    off = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + cls.off


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Clock]]:
    """The clock of the board."""
    for module in (log_module, matches_module):
        monkeypatch.setattr(module, "datetime", Clock)
    yield Clock
    Clock.off = timedelta()


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_by_an_hour_changes_no_order_no_score_and_makes_no_lag(
    hours: int, tmp_path: Path, clock: type[Clock]
) -> None:
    with opened(tmp_path) as matches:
        match_id, log = matches.create("cricket", ["Ann", "Ben"]), StoreLog(matches.store)
        matches.append(match_id, 0, [(record(throw(0, "T20", 1000)), None)])
        clock.off = timedelta(hours=hours)
        matches.append(match_id, 1, [(record(throw(0, "S5", 2000)), None)])
        view = matches.view(match_id)
        assert [entry["action"]["segment"] for entry in view["entries"]] == ["T20", "S5"]
        handed = log.after(0, 10)
        assert [one.number for one in handed] == [1, 2, 3]
        assert all(0 <= one.waited_ms < 60_000 for one in handed)
        ats = [datetime.fromisoformat(change.at) for change in matches.store.changes(0)]
        assert abs(ats[2] - ats[1]) > timedelta(minutes=59)
    with opened(tmp_path) as again:
        assert again.view(match_id)["result"] == view["result"]
        assert [change.id for change in again.store.changes(0)] == [1, 2, 3]


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_board_whose_clock_is_an_hour_off_shows_no_false_lag(
    hours: int, tmp_path: Path, clock: type[Clock]
) -> None:
    clock.off = timedelta(hours=hours)
    with opened(tmp_path) as matches:
        match_id = matches.create("cricket", ["Ann", "Ben"])
        matches.append(match_id, 0, [(record(throw(0, "T20", 1000)), None)])
        at = datetime.fromisoformat(matches.store.changes(0)[-1].at)
        assert abs(at - datetime.now(UTC)) > timedelta(minutes=59)
        assert all(one.waited_ms < 60_000 for one in StoreLog(matches.store).after(0, 10))
