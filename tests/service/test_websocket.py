"""Changes on a WebSocket: the same envelopes, a snapshot or what was missed first; none foreign, none stuck."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.service import amend, ask, free_port, opened, played, record, running, throw
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A running service and the id of a match in it."""
    folder = tmp_path_factory.mktemp("data")
    config = folder / "tallycam.toml"
    config.write_text("[streams]\nbeat_s = 0.3\n", encoding="utf-8")
    with opened(folder) as matches:
        match_id = played(matches, "T20 S20")
    with running("--data", str(folder), "--config", str(config), port=free_port()) as (_, base):
        yield base, match_id


def frames(base: str, path: str, **options: Any) -> ClientConnection:  # noqa: ANN401 - as the client takes them
    """Open a WebSocket of a running service."""
    connection: ClientConnection = connect(
        f"{base.replace('http', 'ws', 1)}/api/v1{path}", compression=None, proxy=None, **options
    )
    return connection


def told(connection: ClientConnection) -> dict[str, Any]:
    """Give the next event that is no beat."""
    while True:
        event: dict[str, Any] = json.loads(connection.recv(timeout=15))
        if event["type"] != "tallycam.beat":
            return event


def write(base: str, match_id: str, entry: object) -> None:
    """Write an entry after those that there are."""
    seq = ask(base, "GET", f"/matches/{match_id}")["seq"]
    ask(base, "POST", f"/matches/{match_id}/entries", {"expected_seq": seq, "entry": entry})


def test_a_snapshot_first_then_each_change_then_again_by_number(place: tuple[str, str]) -> None:
    base, match_id = place
    with frames(base, f"/matches/{match_id}/changes") as one, frames(base, "/changes") as every:
        first = told(one)
        assert (first["type"], first["subject"]) == ("tallycam.match.snapshot", match_id)
        assert told(every)["type"] == "tallycam.matches.snapshot"
        write(base, match_id, amend(2, throw(0, "S5", 2000)))
        change = told(one)
        assert (change["type"], change["specversion"]) == ("tallycam.entry.amended", "1.0")
        assert int(change["sequence"]) == int(first["sequence"]) + 1
        assert change["data"]["corrects"][0]["after"]["segment"] == "S5"
        assert told(every) == change
    with frames(base, f"/matches/{match_id}/changes?after={first['sequence']}") as again:
        assert told(again) == change
    for nonsense in ("99999", "x", "-1", "1" * 400):
        with frames(base, f"/matches/{match_id}/changes?after={nonsense}") as anew:
            assert told(anew)["type"] == "tallycam.match.snapshot"


def test_silence_is_broken_by_beats_and_what_a_reader_sends_is_not_read(place: tuple[str, str]) -> None:
    base, match_id = place
    with frames(base, f"/matches/{match_id}/changes") as one:
        told(one)
        one.send("{}")
        one.send(b"\x00\x01")
        beat = json.loads(one.recv(timeout=15))
        assert (beat["type"], beat["data"]) == ("tallycam.beat", {})
        assert "sequence" not in beat


def test_a_frame_that_is_too_large_ends_only_its_sender(place: tuple[str, str]) -> None:
    base, match_id = place
    with frames(base, f"/matches/{match_id}/changes") as other, frames(base, "/changes") as one:
        told(one)
        told(other)
        one.send("x" * 100_000)
        with pytest.raises(ConnectionClosed):
            list(one)
        assert json.loads(other.recv(timeout=15))["type"] == "tallycam.beat"


@pytest.mark.parametrize(
    ("path", "headers", "status", "code"),
    [
        ("/changes", {"Origin": "http://evil.example"}, 403, "FOREIGN_ORIGIN"),
        ("/changes", {"Origin": "null"}, 403, "FOREIGN_ORIGIN"),
        ("/changes", {"Sec-Fetch-Site": "cross-site"}, 403, "FOREIGN_ORIGIN"),
        ("/matches/nosuch/changes", {}, 404, "NO_SUCH_MATCH"),
        ("/nothing", {}, 403, None),
    ],
)
def test_who_may_not_listen_is_told_so(
    place: tuple[str, str], path: str, headers: dict[str, str], status: int, code: str | None
) -> None:
    origin = headers.pop("Origin", None)
    with pytest.raises(InvalidStatus) as refusal:
        frames(place[0], path, additional_headers=headers, origin=origin)
    answer = refusal.value.response
    assert answer.status_code == status
    if code:
        assert json.loads(answer.body or b"")["code"] == code


def test_a_name_that_is_not_ours_gets_no_frames(place: tuple[str, str]) -> None:
    host, port = place[0].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        head = (
            "GET /api/v1/changes HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        )
        raw.sendall(f"{head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n".encode())
        assert raw.recv(4096).startswith(b"HTTP/1.1 421 ")


def test_our_own_page_may_listen(place: tuple[str, str]) -> None:
    base, match_id = place
    with frames(base, f"/matches/{match_id}/changes", origin=base) as one:
        assert told(one)["type"] == "tallycam.match.snapshot"


def test_the_service_ends_within_a_second_with_open_frames(tmp_path: Path) -> None:
    with running("--data", str(tmp_path), port=free_port()) as (service, base), frames(base, "/changes") as one:
        told(one)
        status, seconds, _, err = service.end(signal.SIGINT)
        assert (status, err) == (0, "")
        assert seconds < 4, "the machine that tests may be busy"
        with pytest.raises(ConnectionClosed) as end:
            one.recv(timeout=15)
        assert end.value.rcvd is not None
        assert end.value.rcvd.code == 1012


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system cannot tell")
@pytest.mark.parametrize("upgrade", [True, False], ids=["websocket", "events"])
@pytest.mark.long
def test_a_reader_that_takes_nothing_is_let_go_and_others_hear_on(tmp_path: Path, upgrade: bool) -> None:
    config = tmp_path / "tallycam.toml"
    config.write_text("[streams]\nstuck_s = 1\nbeat_s = 0.3\n", encoding="utf-8")
    with opened(tmp_path) as matches:
        match_id = matches.create("finn", [f"{side:x}" * 80 for side in range(16)])
        shots = [{"kind": "shot", "side": side % 16, "t_ms": side, "pins": {}} for side in range(COUNT)]
        matches.append(match_id, 0, [(record(shot), None) for shot in shots])
    with (
        running("--data", str(tmp_path), "--config", str(config), port=free_port()) as (_, base),
        frames(base, "/changes") as live,
        stuck_reader(base, match_id, upgrade=upgrade),
    ):
        told(live)
        until = time.monotonic() + 30
        while ask(base, "GET", "/health")["listeners"] < 2:
            assert time.monotonic() < until, "the stuck reader never came"
        while ask(base, "GET", "/health")["listeners"] > 1:
            assert time.monotonic() < until, "the stuck reader is still there"
            assert json.loads(live.recv(timeout=5))["type"] == "tallycam.beat"
        write(base, match_id, record({**shots[0], "t_ms": COUNT}))
        assert told(live)["data"]["seq"] == COUNT + 1


COUNT = 240
"""Changes that the stuck reader asks for: together more than the system keeps for it."""


def stuck_reader(base: str, match_id: str, *, upgrade: bool) -> socket.socket:
    """Ask for all changes of a match, some megabyte, and read none of it."""
    host, port = base.removeprefix("http://").split(":")
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect((host, int(port)))
    wish = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" if upgrade else ""
    key = f"Sec-WebSocket-Key: {'A' * 22}==\r\n" if upgrade else "Last-Event-ID: 1\r\n"
    path = f"/api/v1/matches/{match_id}/changes?after=1"
    raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{wish}{key}\r\n".encode())
    return raw
