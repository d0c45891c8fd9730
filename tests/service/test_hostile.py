"""Requests that nobody means well: slow, half, from elsewhere, a thousand at a time; others are answered."""

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.service import opened

from service.api import create_app
from service.api import guard as guard_module
from service.boards.boards import NotOfTheForm, placed
from service.connections import Patient
from service.matches import Matches
from service.serving import Server, bind

V1 = "/api/v1"
NEW = b'{"game": "cricket", "sides": ["Ann", "Ben"]}'


@dataclass(frozen=True)
class Open:
    """A server on a port of this process's own."""

    matches: Matches
    port: int

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.port), 10)

    def head(self, method: str, path: str, *more: str) -> bytes:
        """Give the head of a request."""
        return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *more, "", ""]).encode()

    def health(self) -> int:
        """Ask whether it is there."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as asked:
            asked.request("GET", f"{V1}/health")
            return asked.getresponse().status


@contextmanager
def served(folder: Path) -> Iterator[Open]:
    """Run the service in a thread."""
    with opened(folder) as matches:
        taken = bind("127.0.0.1", 0)
        port = taken.getsockname()[1]
        server = Server(create_app(matches), matches.hub.close)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([taken])))
        thread.start()
        try:
            yield Open(matches, port)
        finally:
            server.should_exit = True
            thread.join(20)


def rest(line: socket.socket) -> bytes:
    """Read until the other end closes."""
    line.settimeout(20)
    got = b""
    while data := line.recv(65536):
        got += data
    return got


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for little."""
    monkeypatch.setattr(Patient, "request_s", 0.5)
    monkeypatch.setattr(guard_module, "BODY_S", 0.5)


# Slow


@pytest.mark.usefixtures("impatient")
@pytest.mark.long
def test_who_sends_no_whole_request_is_let_go(tmp_path: Path) -> None:
    with served(tmp_path) as at:
        whole = at.head("GET", f"{V1}/health")
        for begun in (b"", b"GET /", whole[:-2]):
            with closing(at.connect()) as line:
                line.sendall(begun)
                assert rest(line) == b""
        with closing(at.connect()) as line:
            line.settimeout(20)
            line.sendall(whole)
            told = b""
            while not told.endswith(b"}"):
                told += line.recv(65536)
            line.sendall(whole[:-2])
            assert rest(line) == b"", "the half one after it is let go"


@pytest.mark.usefixtures("impatient")
def test_a_body_that_does_not_come_is_refused_and_nothing_is_begun(tmp_path: Path) -> None:
    with served(tmp_path) as at, closing(at.connect()) as line:
        kind = "Content-Type: application/json"
        line.sendall(at.head("POST", f"{V1}/matches", kind, f"Content-Length: {len(NEW)}") + NEW[:20])
        begun = time.monotonic()
        while time.monotonic() - begun < 0.4:
            assert at.health() == 200
        head, _, body = rest(line).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408")
        assert json.loads(body)["code"] == "TOO_SLOW"
        assert at.matches.summaries() == []


@pytest.mark.long
def test_who_takes_nothing_of_an_answer_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full, pause = threading.Event(), Patient.pause_writing

    def noted(self: Patient) -> None:
        full.set()
        pause(self)

    monkeypatch.setattr(Patient, "stuck_s", 0.5)
    monkeypatch.setattr(Patient, "pause_writing", noted)
    asked = 100  # more than the systems of both ends keep on the way
    with served(tmp_path) as at, closing(socket.socket()) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", at.port))
        line.sendall(at.head("GET", f"{V1}/openapi.json") * asked)
        assert full.wait(30)
        time.sleep(1.0)
        assert at.health() == 200
        assert rest(line).count(b"HTTP/1.1 200") < asked, "what was on its way comes, and then the end"


@pytest.mark.usefixtures("impatient")
def test_streams_are_no_slow_requests(tmp_path: Path) -> None:
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", key, "Sec-WebSocket-Version: 13")
    with served(tmp_path) as at, closing(at.connect()) as events, closing(at.connect()) as frames:
        events.sendall(at.head("GET", f"{V1}/changes"))
        frames.sendall(at.head("GET", f"{V1}/changes", *upgrade))
        time.sleep(1.5)
        at.matches.create("cricket", ["Ann", "Ben"])
        for line in (events, frames):
            line.settimeout(20)
            got = b""
            while b"tallycam.match.created" not in got:
                data = line.recv(65536)
                assert data, "it was let go"
                got += data


# Many


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_readers_who_read_nothing_keep_nobody_waiting(tmp_path: Path, count: int) -> None:
    with served(tmp_path) as at, ExitStack() as stack:
        for _ in range(count):
            line = stack.enter_context(closing(at.connect()))
            line.sendall(at.head("GET", f"{V1}/changes"))
        end = time.monotonic() + 60
        while at.matches.hub.count < count:
            assert time.monotonic() < end
            time.sleep(0.05)
        match_id = at.matches.create("cricket", ["Ann", "Ben"])
        assert at.health() == 200
        with closing(at.connect()) as other:
            other.sendall(at.head("GET", f"{V1}/matches/{match_id}", "Connection: close"))
            assert rest(other).startswith(b"HTTP/1.1 200")


# From elsewhere


@pytest.mark.parametrize(
    "origin", ["http://[::1", "http://[", "null", "", "http://evil.example", "//localhost@evil"]
)
def test_a_change_from_no_origin_of_ours_is_refused(tmp_path: Path, origin: str) -> None:
    with opened(tmp_path) as matches:
        client = TestClient(create_app(matches), base_url="http://localhost")
        answer = client.post(f"{V1}/matches", content=NEW, headers={"Origin": origin})
        assert (answer.status_code, answer.json()["code"]) == (403, "FOREIGN_ORIGIN")


# Names


@pytest.mark.parametrize(
    "source",
    [
        "a" * 1000,
        "/" + "a/" * 400,
        "~nobody-of-that-name/x",
        "/dev/watchdog",
        "/dev/zero",
        "/dev/../etc/hostname/x",
        "/dev/v4l/by-id/../../watchdog",
        "/dev/video",
        "/dev",
        "camera:",
        "camera:9999",
        ".\x00",
    ],
)
def test_what_is_no_source_is_refused_in_a_sentence(source: str) -> None:
    with pytest.raises(NotOfTheForm) as refused:
        placed(source)
    assert refused.value.code == "BAD_SOURCE"
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("source", ["/dev/video0", "/dev/v4l/by-id/usb-Cam_1-video-index0", "camera:12"])
def test_cameras_are_sources_whether_they_are_plugged_in_or_not(source: str) -> None:
    assert placed(source) == source


@pytest.mark.parametrize(
    ("sides", "status"),
    [
        (["\u200b", "Ben"], 422),
        (["\u2060\u00ad \ufeff", "Ben"], 422),
        (["Ann\u202etxt.exe", "Ben"], 422),
        (["Ann\u2066", "Ben"], 422),
        (["Ann", "An\u200dn"], 422),
        (["Ann", "\uff21\uff4e\uff4e"], 422),
        (["Zo\u00eb", "Zoe\u0308"], 422),
        (["\U0001f469\u200d\U0001f680", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"], 201),
        (["<img src=x onerror=alert(1)>", "'; DROP TABLE match; --"], 201),
    ],
)
def test_names_show_and_can_be_told_apart(tmp_path: Path, sides: list[str], status: int) -> None:
    with opened(tmp_path) as matches:
        client = TestClient(create_app(matches), base_url="http://localhost")
        answer = client.post(f"{V1}/matches", json={"game": "cricket", "sides": sides})
        assert answer.status_code == status, answer.text
        if status == 201:
            assert answer.json()["sides"] == sides
