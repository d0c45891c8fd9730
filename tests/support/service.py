"""Builders for tests of the service: matches with darts in them, a running server, a client."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from service.matches import Matches
from service.store import Seen, open_store

JSON: TypeAlias = Any

UMPIRE = "umpire:Cho"


def throw(side: int, segment: str, t_ms: int = 0) -> dict[str, Any]:
    """Give a throw as the wire has it."""
    return {"kind": "throw", "side": side, "t_ms": t_ms, "segment": segment}


def record(action: Mapping[str, Any], by: str = "camera") -> dict[str, Any]:
    """Give a record as the wire has it."""
    return {"entry": "record", "action": dict(action), "by": by}


def amend(target: int, action: Mapping[str, Any], reason: str = "seen at the board") -> dict[str, Any]:
    """Give an umpire's amendment as the wire has it."""
    return {"entry": "amend", "target": target, "action": dict(action), "by": UMPIRE, "reason": reason}


def strike(target: int) -> dict[str, Any]:
    """Give an umpire's strike as the wire has it."""
    return {"entry": "strike", "target": target, "by": UMPIRE, "reason": "it was none"}


def visits(*turns: str) -> list[dict[str, Any]]:
    """Give records of visits, sides in turn: `visits("T20 S20 S5", "T19 S19 S3")`; a short one is left open."""
    records, t_ms = [], 0
    for number, turn in enumerate(turns):
        side = number % 2
        segments = turn.split()
        for segment in segments:
            t_ms += 1000
            records.append(record(throw(side, segment, t_ms)))
        if len(segments) == 3:
            records.append(record({"kind": "end_turn", "side": side, "t_ms": t_ms}))
    return records


DOUBTFUL = {"segment": "S5", "xy_mm": [-40.0, 120.0], "confidence": 0.61, "alternatives": ["S20", "T5"]}


def played(matches: Matches, *turns: str, sides: tuple[str, str] = ("Ann", "Ben"), doubt: int = 0) -> str:
    """Give the id of a match of cricket with these visits; entry `doubt` was seen as doubtful."""
    match_id = matches.create("cricket", sides)
    records = visits(*turns)
    seen = Seen(data={**DOUBTFUL, "review": [{"code": "NEAR_WIRE"}]}, model="abc")
    values = [(one, seen if number == doubt else None) for number, one in enumerate(records, 1)]
    matches.append(match_id, 0, values)
    return match_id


@contextmanager
def opened(folder: Path) -> Iterator[Matches]:
    """Give the matches of a store in a folder, closed at the end."""
    with open_store(folder) as store:
        yield Matches(store)


def free_port() -> int:
    """Give a port that is free right now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Service:
    """A `tallycam` process that serves."""

    def __init__(self, *args: str, cwd: Path | None = None) -> None:
        command = [sys.executable, "-c", "from service.cli.main import main; main()", *args]
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, env={**os.environ}
        )

    def ready(self, base: str, within_s: float = 60.0) -> float:
        """Wait until it answers; gives the seconds from its start."""
        while time.monotonic() - self.begun < within_s:
            try:
                ask(base, "GET", "/access/me")
            except OSError:
                if self.process.poll() is not None:
                    raise AssertionError(self.process.communicate()) from None
                time.sleep(0.02)
            else:
                return time.monotonic() - self.begun
        raise AssertionError("the service does not answer")

    def end(self, number: signal.Signals = signal.SIGINT, within_s: float = 10.0) -> tuple[int, float, str, str]:
        """Send a signal; gives the status, the seconds it took, and what was printed."""
        begun = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=within_s)
        return self.process.returncode, time.monotonic() - begun, out, err


@contextmanager
def running(*args: str, port: int, fixed: bool = True) -> Iterator[tuple[Service, str]]:
    """Give a running `tallycam serve …` and its address; the port is not told it where it is not `fixed`."""
    service = Service("serve", *(("--port", str(port)) if fixed else ()), *args)
    base = f"http://127.0.0.1:{port}"
    try:
        service.ready(base)
        yield service, base
    finally:
        if service.process.poll() is None:
            service.end(signal.SIGKILL)


def ask(base: str, method: str, path: str, body: object = None) -> JSON:
    """Ask a running service and give its JSON; a problem is an `HTTPError`."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{base}/api/v1{path}", data, {"Content-Type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return None if reply.status == 204 else json.load(reply)
