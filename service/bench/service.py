"""`tallycam bench service`: the running service as its readers find it, and what it keeps when it is killed.

Every figure is of a service in a process of its own with a folder of its own, asked over HTTP on this machine.

start       from calling the program to its first answer, the median of some starts
idle        processor time and memory of a service that nobody asks
load        readers of live changes (one of them stuck) while entries are written: from sending the entry to each
            reader having it, by the clock of the process that does both; memory before and after; then when the
            stuck one was let go
kill        `kill -9` at random moments while several write: each acknowledged entry is there once, and the request
            that was under way, sent again under its key, is done once
"""

import asyncio
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import typer

STARTS: Final = 5
IDLE_S: Final = 10.0
WARM_UP: Final = 20
"""Entries before the figures begin: the first of each kind load what later ones have."""
WRITERS: Final = 3
KILLS: Final = 100
STUCK_S: Final = 90.0
"""A reader that takes nothing is let go within the `stuck_s` of the settings, once what is on its way fills up."""
SEED: Final = 11


def command(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    listeners: Annotated[int, typer.Option(help="Readers of live changes.", min=1, max=5000)] = 200,
    rate: Annotated[float, typer.Option(help="Entries a second.", min=0.1)] = 20.0,
    seconds: Annotated[float, typer.Option(help="How long entries are written.", min=1)] = 10.0,
    kill: Annotated[
        int, typer.Option(help="How often the service is killed under writing load; 0: not.", min=0)
    ] = KILLS,
    only_kill: Annotated[bool, typer.Option("--only-kill", help="Nothing but that.")] = False,
) -> None:
    """Measure start, idling and live changes of the service; kill it at random and look what it kept."""
    found: dict[str, Any] = {}
    told = []
    if not only_kill:
        found = {**started(), **idle(), **asyncio.run(loaded(listeners, rate, seconds))}
        told.append(
            "first answer {start_s} s after the start ({start_cpu_s} s of processor)\n"
            "idle: {idle_cpu_percent} % of a core, {idle_mb} MB\n"
            "{listeners} readers, {rate:g} entries a second for {seconds:g} s: {p50_ms} ms in the middle, "
            "{p99_ms} ms for 99 of 100, {worst_ms} ms at worst, {cpu_percent} % of a core; "
            "memory {before_mb} MB, then {after_mb} MB\n"
            "a reader that took nothing was let go after {stuck_s} s"
        )
    if kill:
        found |= killed(kill)
        told.append(
            "{rounds} times killed while {writers} wrote: {acknowledged} entries acknowledged, {lost} lost, "
            "{twice} twice; {resent} requests sent again, {done_before} of them had been done"
        )
    print(json.dumps(found) if as_json else "\n".join(told).format(**found))


@dataclass
class Running:
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    host: str
    port: int
    start_s: float

    def ask(self, method: str, path: str, body: object = None, key: str | None = None) -> Any:  # noqa: ANN401 - JSON
        """Ask it, and give the answer's JSON; raises `OSError` or `HTTPException` where it is gone."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            headers = {"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})}
            connection.request(method, f"/api/v1{path}", json.dumps(body) if body is not None else None, headers)
            reply = connection.getresponse()
            told = json.loads(reply.read())
        finally:
            connection.close()
        if reply.status >= 400:
            raise RuntimeError(f"{method} {path}: {told}")
        return told

    def cpu_s(self) -> float:
        """Give the processor time it has had."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Give its memory that is in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return round(int(status.partition("VmRSS:")[2].split()[0]) / 1024, 1)


@contextmanager
def service(folder: Path) -> Iterator[Running]:
    """Run a service on a folder, from its first answer on."""
    command = [sys.executable, "-c", "from service.cli.main import main; main()", "serve", "--port", "0"]
    begun = time.monotonic()
    process = subprocess.Popen([*command, "--data", str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the service did not start")
        address = urlsplit(line.split()[-1])
        running = Running(process, address.hostname or "", address.port or 0, 0.0)
        running.ask("GET", "/health")
        running.start_s = time.monotonic() - begun
        yield running
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def started() -> dict[str, Any]:
    """Give the median seconds from calling the program to its first answer, by the clock and of processor."""
    with tempfile.TemporaryDirectory() as folder:
        found, spent = [], []
        for _ in range(STARTS + 1):
            with service(Path(folder)) as running:
                found.append(running.start_s)
                spent.append(running.cpu_s())
    # The first one makes the database.
    return {"start_s": round(median(found[1:]), 2), "start_cpu_s": round(median(spent[1:]), 2)}


def idle() -> dict[str, Any]:
    """Give the share of a core and the memory of a service that nobody asks."""
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as running:
        time.sleep(1.0)
        before = running.cpu_s()
        time.sleep(IDLE_S)
        share = (running.cpu_s() - before) / IDLE_S
        return {"idle_cpu_percent": round(100 * share, 2), "idle_mb": running.memory_mb()}


# Load


@dataclass
class Clock:
    """When each change was sent, and how long it took to each reader, in seconds."""

    sent: dict[int, float] = field(default_factory=dict)
    took: list[float] = field(default_factory=list)


async def loaded(listeners: int, rate: float, seconds: float, *, to_the_end: bool = True) -> dict[str, Any]:
    """Give how long changes take to readers, one of whom takes nothing, and the memory before and after.

    With `to_the_end` also after how long that one was let go.
    """
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as running:
        match_id = running.ask("POST", "/matches", {"game": "cricket", "sides": ["Ann", "Ben"]})["id"]
        clock = Clock()
        readers = [asyncio.create_task(_read(running, match_id, clock)) for _ in range(listeners)]
        stuck = socket.socket()
        # Else the system takes megabytes on its behalf, and the service cannot know that nobody reads them.
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
        stuck.connect((running.host, running.port))
        stuck.sendall(_request(running, match_id))
        begun = time.monotonic()
        while running.ask("GET", "/health")["listeners"] < listeners + 1:
            await asyncio.sleep(0.1)
        await _write(running, match_id, Clock(), WARM_UP, rate)
        before, spent = running.memory_mb(), running.cpu_s()
        clock.took.clear()
        count = round(rate * seconds)
        await _write(running, match_id, clock, count, rate)
        spent = running.cpu_s() - spent
        await asyncio.sleep(1.0)
        after, took = running.memory_mb(), sorted(1000 * one for one in clock.took)
        while to_the_end and running.ask("GET", "/health")["listeners"] > listeners:
            if time.monotonic() - begun > seconds + STUCK_S:
                raise RuntimeError("a reader that takes nothing is still held")
            await _write(running, match_id, Clock(), max(1, round(rate)), rate)
        stuck_s = round(time.monotonic() - begun, 1)
        for reader in readers:
            reader.cancel()
        stuck.close()
    if len(took) != count * listeners:
        raise RuntimeError(f"{count * listeners - len(took)} changes did not reach their readers")
    return {
        "listeners": listeners,
        "rate": rate,
        "seconds": seconds,
        "p50_ms": round(took[len(took) // 2], 1),
        "p99_ms": round(took[len(took) * 99 // 100], 1),
        "worst_ms": round(took[-1], 1),
        "cpu_percent": round(100 * spent / seconds, 1),
        "before_mb": before,
        "after_mb": after,
        "stuck_s": stuck_s,
    }


def _request(running: Running, match_id: str) -> bytes:
    host = f"{running.host}:{running.port}"
    return f"GET /api/v1/matches/{match_id}/changes HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


async def _read(running: Running, match_id: str, clock: Clock) -> None:
    reader, writer = await asyncio.open_connection(running.host, running.port, limit=1 << 20)
    writer.write(_request(running, match_id))
    with suppress(asyncio.CancelledError):
        while line := await reader.readline():
            if line.startswith(b"id: "):
                sent = clock.sent.get(int(line[4:]))
                if sent is not None:
                    clock.took.append(time.perf_counter() - sent)
    writer.close()


async def _write(running: Running, match_id: str, clock: Clock, count: int, rate: float) -> None:
    """Write darts at an even pace, over one connection, as a camera's worker would."""
    view = running.ask("GET", f"/matches/{match_id}")
    seq, change = view["seq"], view["change"]
    reader, writer = await asyncio.open_connection(running.host, running.port, limit=1 << 22)
    due = time.perf_counter()
    for number in range(count):
        action = {"kind": "throw", "side": 0, "t_ms": seq + number, "segment": "S1"}
        if number % 4 == 3:
            action = {"kind": "end_turn", "side": 0, "t_ms": seq + number}
        entry = {"entry": "record", "action": action, "by": "camera"}
        body = json.dumps({"expected_seq": seq + number, "entry": entry})
        head = f"POST /api/v1/matches/{match_id}/entries HTTP/1.1\r\nHost: {running.host}:{running.port}\r\n"
        clock.sent[change + number + 1] = time.perf_counter()
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        told = await reader.readuntil(b"\r\n\r\n")
        if b" 201 " not in told.split(b"\r\n", 1)[0]:
            raise RuntimeError(told.decode())
        length = next(line for line in told.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length.split(b":")[1]))
        due += 1 / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
    writer.close()


# Kill


@dataclass
class Writer:
    """Somebody who writes misses to a match as fast as they are acknowledged."""

    match_id: str
    acknowledged: int = 0
    under_way: bool = False

    def step(self, running: Running) -> int:
        """Write the next entry, under a key of its own; gives the entries that the match then has."""
        number = self.acknowledged
        action = {"kind": "throw", "side": 0, "t_ms": number, "segment": "MISS"}
        entry = {"entry": "record", "action": action, "by": "camera"}
        body = {"expected_seq": number, "entry": entry}
        self.under_way = True
        seq: int = running.ask("POST", f"/matches/{self.match_id}/entries", body, f"{self.match_id}-{number}")[
            "seq"
        ]
        self.acknowledged, self.under_way = number + 1, False
        return seq

    def write(self, running: Running) -> None:
        """Write until the service is gone."""
        with suppress(OSError, http.client.HTTPException, ValueError):
            while True:
                self.step(running)


def killed(rounds: int, seed: int = SEED) -> dict[str, Any]:
    """Kill a service so often while several write, and give what was lost or is there twice."""
    chance = random.Random(seed)
    found = dict.fromkeys(("acknowledged", "lost", "twice", "resent", "done_before"), 0)
    writers: list[Writer] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            with service(Path(folder)) as running:
                for writer in writers:
                    _look(running, writer, found)
                if number == rounds:
                    break
                new = {"game": "cricket", "sides": ["Ann", "Ben"]}
                writers = [Writer(running.ask("POST", "/matches", new)["id"]) for _ in range(WRITERS)]
                threads = [threading.Thread(target=writer.write, args=(running,)) for writer in writers]
                for thread in threads:
                    thread.start()
                time.sleep(chance.uniform(0.02, 0.4))
                running.process.send_signal(signal.SIGKILL)
                for thread in threads:
                    thread.join()
    return {"rounds": rounds, "writers": WRITERS, **found}


def _look(running: Running, writer: Writer, found: dict[str, int]) -> None:
    """Count what is missing or twice, then send again what was under way: the match goes on."""
    times = _times(running, writer)
    found["acknowledged"] += writer.acknowledged
    if writer.under_way:
        found["resent"] += 1
        found["done_before"] += len(times) > writer.acknowledged
        writer.step(running)
        times = _times(running, writer)
    found["lost"] += len(set(range(writer.acknowledged)) - set(times))
    found["twice"] += len(times) - len(set(times))
    if sorted(times) != times or len(times) > writer.acknowledged:
        raise RuntimeError(f"match {writer.match_id} has entries that nobody wrote: {times}")


def _times(running: Running, writer: Writer) -> list[int]:
    entries = running.ask("GET", f"/matches/{writer.match_id}")["entries"]
    return [entry["action"]["t_ms"] for entry in entries]
