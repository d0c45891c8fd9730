"""The service as a process: it starts, streams, ends within a second, and loses nothing when it is killed."""

import http.client
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from support.service import Service, amend, ask, free_port, record, running, throw

from service.cli.errors import CommandError
from service.cli.serve import command as serve_command
from service.serving import bind

JSON = Any


class Stream:
    """Server-sent events as they come, read by hand."""

    def __init__(self, reply: http.client.HTTPResponse) -> None:
        self._reply = reply

    def next(self) -> tuple[str, str | None, JSON]:
        """Give the next event: its kind, its id, its data."""
        kind, number, data = "", None, ""
        while True:
            line = self._reply.readline().decode().rstrip("\n")
            if not line and kind:
                return kind, number, json.loads(data).get("data")
            word, _, value = line.partition(": ")
            kind = value if word == "event" else kind
            number = value if word == "id" else number
            data = value if word == "data" else data

    def ends(self) -> bool:
        """Read to the end."""
        self._reply.read()
        return True


@contextmanager
def stream(base: str, path: str, last: str | None = None) -> Iterator[Stream]:
    """Open a stream of a running service."""
    connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=15)
    connection.request("GET", f"/api/v1{path}", headers={"Last-Event-ID": last} if last else {})
    reply = connection.getresponse()
    assert reply.status == 200
    try:
        yield Stream(reply)
    finally:
        connection.close()


def begin(base: str) -> str:
    """Begin a match of cricket."""
    match_id: str = ask(base, "POST", "/matches", {"game": "cricket", "sides": ["Ann", "Ben"]})["id"]
    return match_id


def write(base: str, match_id: str, seq: int, entry: JSON) -> JSON:
    """Write an entry."""
    return ask(base, "POST", f"/matches/{match_id}/entries", {"expected_seq": seq, "entry": entry})


def test_changes_come_in_order_after_a_snapshot_and_again_by_number(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (_, base):
        match_id = begin(base)
        path = f"/matches/{match_id}/changes"
        with stream(base, path) as one, stream(base, "/changes") as every:
            kind, _, data = one.next()
            assert (kind, data["match"]["seq"]) == ("snapshot", 0)
            assert every.next()[2]["matches"][0]["id"] == match_id
            write(base, match_id, 0, record(throw(0, "T20", 1)))
            write(base, match_id, 1, record(throw(0, "S20", 2)))
            write(base, match_id, 2, amend(2, throw(0, "S5", 2)))
            told = [one.next() for _ in range(3)]
            assert [(kind, data["kind"], data["seq"]) for kind, _, data in told] == [
                ("change", "entry.recorded", 1),
                ("change", "entry.recorded", 2),
                ("change", "entry.amended", 3),
            ]
            assert [data["result"]["scores"] for _, _, data in told] == [[0, 0], [20, 0], [0, 0]]
            assert told[2][2]["corrects"][0]["before"]["segment"] == "S20"
            assert [every.next() for _ in range(3)] == told
        with stream(base, path, last=told[0][1]) as again:
            assert [again.next() for _ in range(2)] == told[1:]
        with stream(base, path, last="99999") as ahead:
            assert ahead.next()[0] == "snapshot"


def test_changes_come_as_json_lines_to_those_who_want_them(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (_, base):
        match_id = begin(base)
        connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=15)
        connection.request(
            "GET", f"/api/v1/matches/{match_id}/changes", headers={"Accept": "application/x-ndjson"}
        )
        reply = connection.getresponse()
        assert reply.headers["content-type"].startswith("application/x-ndjson")
        snapshot = json.loads(reply.readline())
        write(base, match_id, 0, record(throw(0, "T20", 1)))
        change = json.loads(reply.readline())
        assert (snapshot["type"], change["type"]) == ("tallycam.match.snapshot", "tallycam.entry.recorded")
        assert change["data"]["seq"] == 1
        assert int(change["sequence"]) == int(snapshot["sequence"]) + 1
        for event in (snapshot, change):
            assert (event["specversion"], event["subject"]) == ("1.0", match_id)
        connection.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.long
def test_it_ends_cleanly_with_open_streams(tmp_path: Path, number: signal.Signals) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (service, base):
        with stream(base, f"/matches/{begin(base)}/changes") as one, stream(base, "/changes") as other:
            one.next()
            other.next()
            status, seconds, out, err = service.end(number)
            assert one.ends()
            assert other.ends()
        assert status == 0
        assert err == ""
        assert base in out
        assert seconds < 4, "about half a second by itself; the machine that tests may be busy"


@pytest.mark.long
def test_it_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    port = free_port()
    with running("--data", str(tmp_path), port=port) as (service, base):
        match_id = begin(base)
        before = write(base, match_id, 0, record(throw(0, "T20", 1)))
        service.end(signal.SIGINT)
    with running("--data", str(tmp_path), port=port) as (_, base):
        assert ask(base, "GET", f"/matches/{match_id}") == before
        with stream(base, f"/matches/{match_id}/changes", last=str(before["change"])) as one:
            write(base, match_id, 1, record(throw(0, "S1", 2)))
            assert one.next()[2]["seq"] == 2


@pytest.mark.long
def test_killed_under_writing_load_it_loses_no_entry_that_it_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(7)
    port, acknowledged, match_id = free_port(), 0, ""
    for _ in range(3):
        with running("--data", str(tmp_path), port=port) as (service, base):
            match_id = match_id or begin(base)
            seq = ask(base, "GET", f"/matches/{match_id}")["seq"]
            assert acknowledged <= seq <= acknowledged + 1, "one more may have reached the disk unacknowledged"
            acknowledged = seq
            killer = threading.Timer(chance.uniform(0.05, 0.5), service.process.kill)
            killer.start()
            try:
                while True:
                    told = write(base, match_id, acknowledged, record(throw(0, "MISS", acknowledged)))
                    acknowledged = told["seq"]
            except (URLError, ConnectionError, http.client.HTTPException):
                pass
            killer.join()
            service.end(signal.SIGKILL)
    with running("--data", str(tmp_path), port=port) as (_, base):
        entries = ask(base, "GET", f"/matches/{match_id}")["entries"]
    assert [entry["id"] for entry in entries] == list(range(1, len(entries) + 1))
    assert [entry["action"]["t_ms"] for entry in entries] == list(range(len(entries)))
    assert acknowledged <= len(entries) <= acknowledged + 1
    assert acknowledged > 8


def test_of_writers_at_the_same_time_one_is_first_and_the_others_are_told(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (_, base):
        match_id = begin(base)
        done: list[int] = []
        refused: list[tuple[int, bool]] = []

        def one(writer: int) -> None:
            while True:
                seq = ask(base, "GET", f"/matches/{match_id}")["seq"]
                if seq >= 12:
                    return
                try:
                    write(
                        base,
                        match_id,
                        seq,
                        {**record(throw(0, "MISS", seq)), "at": f"2026-01-01T00:00:0{writer}Z"},
                    )
                    done.append(seq)
                except HTTPError as refusal:
                    refused.append((refusal.code, json.load(refusal)["seq"] > seq))

        threads = [threading.Thread(target=one, args=(writer,)) for writer in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(refused) <= {(409, True)}
        assert sorted(done) == list(range(len(done)))
        assert ask(base, "GET", f"/matches/{match_id}")["seq"] == len(done)


def test_a_port_that_is_in_use_is_said_in_one_sentence(tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        service = Service("serve", "--port", str(port), "--data", str(tmp_path))
        out, err = service.process.communicate(timeout=20)
        assert service.process.returncode == 2
        assert out == ""
        assert err.count("\n") == 1
        assert f"port {port}" in err
        assert "in use" in err


def test_a_folder_in_use_is_said_in_one_sentence(tmp_path: Path) -> None:
    with (
        running("--data", str(tmp_path), port=free_port()),
        pytest.raises(CommandError, match="another tallycam"),
    ):
        serve_command(port=0, data=tmp_path)


def test_it_listens_to_this_machine_alone(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (service, _):
        sockets = Path(f"/proc/{service.process.pid}/net/tcp").read_text(encoding="ascii")
        ours = {line.split()[1] for line in sockets.splitlines()[1:] if line.split()[3] == "0A"}
        inodes = _listening(service.process.pid, sockets)
        assert inodes <= ours
        assert all(address.startswith("0100007F:") for address in inodes)
        assert inodes


def _listening(pid: int, table: str) -> set[str]:
    """Give the addresses on which a process listens."""
    links = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            links.add(str(link.readlink()))
    rows = [line.split() for line in table.splitlines()[1:]]
    return {row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in links}


def test_a_reader_that_does_not_read_is_let_go_and_others_are_not_held_up(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (_, base):
        match_id = begin(base)
        stuck = http.client.HTTPConnection(base.removeprefix("http://"), timeout=15)
        stuck.request("GET", "/api/v1/changes")
        with stream(base, f"/matches/{match_id}/changes") as live:
            live.next()
            begun = time.monotonic()
            for seq in range(40):
                write(base, match_id, seq, record(throw(0, "MISS", seq)))
                assert live.next()[2]["seq"] == seq + 1
            assert time.monotonic() - begun < 30
        stuck.close()


@pytest.mark.long
def test_a_disk_that_takes_nothing_is_no_damaged_database(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (_, base):
        begin(base)
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    serve = full + "from service.cli.main import main; main()"
    for folder in (tmp_path, tmp_path / "new"):
        command = [sys.executable, "-c", serve, "serve", "--port", "0", "--data", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 2
        assert "cannot be" in done.stderr
        assert "damaged" not in done.stderr
        assert done.stderr.count("\n") == 1
