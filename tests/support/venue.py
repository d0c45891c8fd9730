"""A club for tests: a real broker, a real PostgreSQL, the club's program, boards that play."""

import json
import os
import secrets
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from engine import Scoresheet, format_entry, format_header, new_sheet, record, result
from engine.cricket import EndTurn, Throw
from service.bench.servers import MOSQUITTO, POSTGRES, answers, free_port, until
from service.changes import Hub
from service.config import VenueConfig
from service.store import Seen, open_store
from service.venue.log import StoreLog
from service.venue.outbox import Outbox
from service.venue.window import Window

needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="needs a broker: apt-get install mosquitto")
needs_database = pytest.mark.skipif(POSTGRES is None, reason="needs a database: apt-get install postgresql")


class ClubProgram:
    """`tallycam venue` in a process of its own."""

    def __init__(self, broker_port: int, url: str) -> None:
        self.port = free_port()
        self._args = ["venue", "--mqtt", f"127.0.0.1:{broker_port}", "--port", str(self.port)]
        self._url = url
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from service.cli.main import main; main()", *self._args],
            env={**os.environ, "TALLYCAM_DATABASE": self._url},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ready(self) -> None:
        """Wait until it answers."""
        until(lambda: answers(self.port))

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(10)

    def end(self) -> int:
        """Ask it to end and give its status."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(15)

    def ask(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Ask it for JSON; gives a refusal's too."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return json.load(refusal)

    def text(self, path: str) -> str:
        """Ask it for text."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            found: bytes = answer.read()
        return found.decode()


AT = "2026-11-30T12:00:00.000Z"
SEGMENTS = ("T20", "S20", "MISS", "T19", "S5", "DB", "S17", "D16", "S3", "T15", "SB", "S18")
LENGTH = 50
"""Entries of a simulated match."""


class PlayingBoard:
    """A board with a store of its own that plays darts by itself, and hands its log over."""

    def __init__(self, folder: Path, name: str, broker_port: int) -> None:
        self.name = name
        self.store = open_store(folder / name)
        # What the disk does is another test's: here many boards share one.
        self.store._writer.raw_connection().execute("PRAGMA synchronous=OFF")
        self.sheets: dict[str, Scoresheet] = {}
        self.played = 0
        self._mark = secrets.token_hex(4)  # as everywhere, no two matches have the same id
        self._hub = Hub()
        config = VenueConfig(host="127.0.0.1", port=broker_port, board=name)
        self.outbox = Outbox(StoreLog(self.store), self._hub, config, Window(first_wait_s=0.5))
        self.outbox.start()

    def play(self, count: int) -> None:
        """Write entries, a change each; a new match whenever one is full."""
        for _ in range(count):
            number, place = divmod(self.played, LENGTH)
            match_id = f"{self._mark}{number}"
            if match_id not in self.sheets:
                sheet = new_sheet("cricket", ["Ann", f"Ben of {self.name}"])
                self.store.create(match_id, json.dumps(format_header(sheet), ensure_ascii=False), AT)
                self.sheets[match_id] = sheet
            turn, dart = divmod(place, 4)
            side, t_ms = turn % 2, 1000 * (place + 1)
            chosen = SEGMENTS[(self.played * 7 + len(self.name) + number) % len(SEGMENTS)]
            action = EndTurn(side=side, t_ms=t_ms) if dart == 3 else Throw(side=side, t_ms=t_ms, segment=chosen)
            sheet = self.sheets[match_id] = record(self.sheets[match_id], action)
            line = json.dumps(format_entry(sheet, sheet.entries[-1]), ensure_ascii=False)
            seen = Seen(data={"segment": chosen, "xy_mm": [1.5, -2.0]}, model="a1") if dart == 0 else None
            self.store.append(match_id, place, [(line, seen)], ["entry.recorded"], at=AT)
            self.played += 1
            self.ring()

    def ring(self) -> None:
        """Tell the outbox that there is something new."""
        for ring in self._hub._rung:
            ring()

    def totals(self) -> dict[str, Any]:
        """Give what each match comes to, by the board itself."""
        return {match_id: result(sheet) for match_id, sheet in self.sheets.items()}

    def lines(self) -> dict[str, list[str]]:
        """Give header and lines of each match as the board keeps them."""
        return {
            match_id: [row.header, *row.lines] for match_id in self.sheets for row in [self.store.read(match_id)]
        }

    def close(self) -> None:
        self.outbox.close()
        self.store.close()
