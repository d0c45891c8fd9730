"""A club for tests: a real broker, a real PostgreSQL, the club's program, boards that play."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from support.service import free_port

from engine import Scoresheet, format_entry, format_header, new_sheet, record, result
from engine.cricket import EndTurn, Throw
from service.changes import Hub
from service.config import VenueConfig
from service.store import Seen, open_store
from service.venue.log import StoreLog
from service.venue.outbox import Outbox
from service.venue.window import Window

PATH = os.pathsep.join(
    (os.environ.get("PATH", ""), "/usr/sbin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"))))
)
MOSQUITTO = shutil.which("mosquitto", path=PATH)
POSTGRES = shutil.which("initdb", path=PATH)

needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="needs a broker: apt-get install mosquitto")
needs_database = pytest.mark.skipif(POSTGRES is None, reason="needs a database: apt-get install postgresql")


def until(found: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + within_s
    while not found():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


def answers(port: int) -> bool:
    """Say whether something listens on a port."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
        return True
    return False


class Mosquitto:
    """A broker on a port of its own that keeps nothing over a restart."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n", encoding="ascii")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        assert MOSQUITTO is not None
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        until(lambda: answers(self.port))

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)


class Postgres:
    """A PostgreSQL on a port of its own, in a folder that goes with it."""

    def __init__(self, *, fsync: bool = False) -> None:
        assert POSTGRES is not None
        self.port = free_port()
        self._bin = Path(POSTGRES).resolve().parent
        self._user = "postgres" if os.getuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="tallycam-club-"))
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        self._data = self._folder / "data"
        self._fsync = fsync
        self._process: subprocess.Popen[bytes] | None = None
        made = [str(self._bin / "initdb"), "-D", str(self._data), "-U", "club", "-A", "trust", "-N"]
        self._run([*made, "-E", "UTF8", "--locale=C"])
        self.start()
        self.url = self.database("postgres")

    def database(self, name: str) -> str:
        """Give the address of a database."""
        return f"postgresql://club@127.0.0.1:{self.port}/{name}"

    def new(self, name: str) -> str:
        """Make a database and give its address."""
        self._run([str(self._bin / "createdb"), "-h", "127.0.0.1", "-p", str(self.port), "-U", "club", name])
        return self.database(name)

    def start(self) -> None:
        wanted = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self._folder}
        options = [
            f"-c{name}={value}" for name, value in {**wanted, "fsync": "on" if self._fsync else "off"}.items()
        ]
        self._process = subprocess.Popen(
            [str(self._bin / "postgres"), "-D", str(self._data), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            user=self._user,
        )
        until(lambda: answers(self.port))
        ready = [str(self._bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        until(lambda: subprocess.run(ready, check=False).returncode == 0)

    def end(self) -> None:
        """Stop at once, as when the power fails: what was acknowledged must come back."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
            self._process = None

    def remove(self) -> None:
        self.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, command: Sequence[str]) -> None:
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, timeout=120, user=self._user, cwd=self._folder
        )


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
        self.sheets: dict[str, Scoresheet] = {}
        self.played = 0
        self._hub = Hub()
        config = VenueConfig(host="127.0.0.1", port=broker_port, board=name)
        self.outbox = Outbox(StoreLog(self.store), self._hub, config, Window(first_wait_s=0.5))
        self.outbox.start()

    def play(self, count: int) -> None:
        """Write entries, a change each; a new match whenever one is full."""
        for _ in range(count):
            number, place = divmod(self.played, LENGTH)
            match_id = f"m{number}"
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


@contextmanager
def postgres(*, fsync: bool = False) -> Iterator[Postgres]:
    """Run a PostgreSQL."""
    made = Postgres(fsync=fsync)
    try:
        yield made
    finally:
        made.remove()
