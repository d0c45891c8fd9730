"""`tallycam bench venue`: how long entries take from many boards into the club's database.

A real broker and a real PostgreSQL (its `fsync` on) on this machine, `tallycam venue` in a process of its own. The
boards are simulated by this process over one connection, each with a window of its own, entries at an even pace.

lag         from an entry's being written on its board to the board's hearing that the database has it: a little
            more than the time until it can be asked for
processor, memory
            of the club's process alone; broker, database and boards share the machine's cores with it
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from service.bench.servers import MOSQUITTO, POSTGRES, Mosquitto, answers, free_port, postgres, until
from service.venue.window import Window
from service.venue.wire import (
    ROOT,
    Handed,
    NotOfTheForm,
    board_of_have,
    log_topic,
    mark_of,
    read_have,
    write_body,
    write_handed,
)

WARM_S: Final = 5.0
"""Seconds before the figures begin: every board's first match, the database's first pages."""
LENGTH: Final = 120
"""Entries of a match."""
SIZE: Final = """
    SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relkind = 'r' AND relname IN ('entry', 'change', 'detection')
"""
SEGMENTS: Final = ("T20", "S20", "MISS", "T19", "S5", "DB", "S17", "D16", "S3", "T15", "SB", "S18")


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    boards: Annotated[int, typer.Option(help="Boards.", min=1, max=2000)] = 200,
    rate: Annotated[float, typer.Option(help="Entries a second by board.", min=0.01)] = 2.0,
    seconds: Annotated[float, typer.Option(help="How long entries are written.", min=1)] = 20.0,
) -> None:
    """Measure the lag of a club of many boards: needs mosquitto, PostgreSQL and the extra `venue`."""
    missing = [name for name, found in (("mosquitto", MOSQUITTO), ("postgresql", POSTGRES)) if found is None]
    if missing:
        print(json.dumps({"missing": missing}) if as_json else f"left out: needs {' and '.join(missing)}")
        return
    found = measured(boards, rate, seconds)
    told = (
        "{boards} boards, {rate:g} entries a second each, {seconds:g} s on {cores} cores with a load of {load}: "
        "{kept} of {written} entries kept, {sent_again} changes sent again\n"
        "lag {p50_ms} ms in the middle, {p99_ms} ms for 99 of 100, {worst_ms} ms at worst\n"
        "the club's process: {cpu_percent} % of a core, {memory_mb} MB; {transactions} transactions; the database "
        "takes {bytes_per_entry} bytes an entry"
    )
    print(json.dumps(found) if as_json else told.format(**found))


def measured(boards: int, rate: float, seconds: float) -> dict[str, Any]:
    """Run a club and give its figures."""
    with tempfile.TemporaryDirectory() as folder, postgres(fsync=True) as server:
        broker = Mosquitto(Path(folder))
        port = free_port()
        program = [sys.executable, "-c", "from service.cli.main import main; main()", "venue"]
        process = subprocess.Popen(
            [*program, "--mqtt", f"127.0.0.1:{broker.port}", "--port", str(port)],
            env={**os.environ, "TALLYCAM_DATABASE": server.url},
            stdout=subprocess.DEVNULL,
        )
        try:
            until(lambda: answers(port))
            return _run(process.pid, broker.port, server.url, boards=boards, rate=rate, seconds=seconds)
        finally:
            process.terminate()
            process.wait(20)
            broker.end()


def _run(pid: int, broker_port: int, url: str, *, boards: int, rate: float, seconds: float) -> dict[str, Any]:
    from sqlalchemy import func, select, text  # noqa: PLC0415

    from service.venue import schema  # noqa: PLC0415
    from service.venue.database import connect  # noqa: PLC0415

    crowd = Crowd(boards, broker_port)
    try:
        crowd.play(WARM_S, rate)
        crowd.lags_s.clear()
        before, cpu_s, begun = crowd.written, _cpu_s(pid), time.monotonic()
        crowd.play(seconds, rate)
        cpu_s, span_s = _cpu_s(pid) - cpu_s, time.monotonic() - begun
        written = crowd.written - before
        until(lambda: crowd.waiting() == 0, 120)
    finally:
        crowd.close()
    engine = connect(url)
    with engine.connect() as db:
        kept = int(db.scalar(select(func.count()).select_from(schema.entry)) or 0)
        size = int(db.scalar(text(SIZE)) or 0)
        transactions = int(db.scalar(select(func.count(schema.change.c.kept_at.distinct()))) or 0)
    engine.dispose()
    lags = sorted(crowd.lags_s)
    return {
        "boards": boards,
        "rate": rate,
        "seconds": seconds,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "written": crowd.written,
        "kept": kept,
        "counted": written,
        "sent_again": crowd.sent - sum(len(board.log) for board in crowd.boards.values()),
        "went_back": crowd.went_back,
        **{f"{name}_ms": _ms(lags, part) for name, part in (("p50", 0.5), ("p99", 0.99), ("worst", 1.0))},
        "cpu_percent": round(100 * cpu_s / span_s, 1),
        "memory_mb": round(_memory_bytes(pid) / 2**20, 1),
        "transactions": transactions,
        "bytes_per_entry": round(size / max(1, kept)),
    }


class Simulated:
    """A board whose log is made as it goes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.log: list[Handed] = []
        self.written_s: list[float] = []
        self.window = Window()
        header = {"scoresheet": 1, "game": "cricket", "rules": "cricket/1", "sides": ["Ann", f"Ben {name}"]}
        self._header = json.dumps({**header, "config": {}})
        self.entries = 0

    def write(self) -> None:
        """Write the next entry, with a new match in front of it whenever one is full."""
        number, place = divmod(self.entries, LENGTH)
        match_id = f"m{number}"
        if place == 0:
            self._add({"kind": "match.created", "seq": 0}, match_id)
        turn, dart = divmod(place, 4)
        action: dict[str, Any] = {"kind": "throw", "side": turn % 2, "t_ms": 1000 * (place + 1)}
        action |= {"segment": SEGMENTS[self.entries % len(SEGMENTS)]}
        if dart == 3:
            action = {"kind": "end_turn", "side": turn % 2, "t_ms": 1000 * (place + 1)}
        line = json.dumps({"id": place + 1, "entry": "record", "action": action, "by": "camera"})
        seen = {
            "segment": action.get("segment"),
            "xy_mm": [1.52, -2.07],
            "confidence": 0.973,
            "tip_px": [812.4, 440.9],
        }
        told = {"data": json.dumps(seen), "model": "4f1c02d9a771"}
        self._add(
            {"kind": "entry.recorded", "seq": place + 1, "entry": place + 1, "line": line, "seen": told}, match_id
        )
        self.entries += 1

    def _add(self, values: dict[str, Any], match_id: str) -> None:
        last = self.log[-1] if self.log else None
        number = len(self.log) + 1
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        about = {"number": number, "match": match_id, "header": self._header, "created_at": at, "at": at}
        body = write_body({**about, **values})
        after, after_mark = (last.number, mark_of(last.body)) if last else (0, "")
        handed = Handed(number=number, after=after, after_mark=after_mark, newest=number, waited_ms=0, body=body)
        self.log.append(handed)
        self.written_s.append(time.monotonic())


class Crowd:
    """All simulated boards over one connection."""

    def __init__(self, boards: int, broker_port: int) -> None:
        import paho.mqtt.client as mqtt  # noqa: PLC0415
        from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

        self.boards = {name: Simulated(name) for name in (f"board{number}" for number in range(boards))}
        self.lags_s: list[float] = []
        self.written = 0
        self.sent = 0
        self.went_back = 0
        self._lock = threading.RLock()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2)
        self._client.max_inflight_messages_set(0xFFFF)
        self._client.on_connect = lambda client, *_: client.subscribe(f"{ROOT}/+/have", qos=1)
        self._client.on_message = lambda _client, _data, message: self._heard(
            message.topic, bytes(message.payload)
        )
        self._client.connect("127.0.0.1", broker_port)
        self._client.loop_start()
        until(self._client.is_connected)

    def play(self, seconds: float, rate: float) -> None:
        """Write entries on all boards at an even pace, one board after another."""
        names, begun = list(self.boards), time.monotonic()
        for number in range(round(seconds * rate * len(names))):
            due = begun + number / (rate * len(names))
            time.sleep(max(0.0, due - time.monotonic()))
            board = self.boards[names[number % len(names)]]
            with self._lock:
                board.write()
                self.written += 1
                self._send(board)
            if number % len(names) == 0:
                self._look()

    def waiting(self) -> int:
        """Give how many changes the club lacks."""
        with self._lock:
            self._look()
            return sum(len(board.log) - board.window.have for board in self.boards.values())

    def close(self) -> None:
        """End."""
        self._client.disconnect()
        self._client.loop_stop()

    def _look(self) -> None:
        with self._lock:
            for board in self.boards.values():
                self.went_back += board.window.look(time.monotonic())
                self._send(board)

    def _send(self, board: Simulated) -> None:
        window = board.window
        for handed in board.log[window.sent : window.sent + window.room]:
            window.send(handed.number, time.monotonic())
            self.sent += 1
            self._client.publish(log_topic(board.name), write_handed(handed), qos=1)

    def _heard(self, topic: str, payload: bytes) -> None:
        try:
            told = read_have(payload)
        except NotOfTheForm:
            return
        have, now_s = told.number, time.monotonic()
        with self._lock:
            board = self.boards.get(board_of_have(topic) or "")
            if board is None:
                return
            self.lags_s += [now_s - at_s for at_s in board.written_s[board.window.have : have]]
            board.window.told(have, now_s)
            if told.gap:
                board.window.gap(now_s)
            self._send(board)


def _ms(lags_s: list[float], part: float) -> float:
    return round(1000 * lags_s[min(len(lags_s) - 1, int(part * len(lags_s)))], 1) if lags_s else float("nan")


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
