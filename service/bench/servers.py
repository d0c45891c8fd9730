"""A broker and a database of Debian's for measurements and tests: on ports of their own, gone afterwards."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PATH: Final = os.pathsep.join(
    (os.environ.get("PATH", ""), "/usr/sbin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"))))
)
"""Where Debian puts servers besides where everybody looks."""
MOSQUITTO: Final = shutil.which("mosquitto", path=PATH)
POSTGRES: Final = shutil.which("initdb", path=PATH)


def free_port() -> int:
    """Give a port that nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def until(found: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + within_s
    while not found():
        if time.monotonic() > end:
            raise TimeoutError("it did not come about")
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
        """Begin, and wait until it answers."""
        if MOSQUITTO is None:
            raise FileNotFoundError("mosquitto")
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        until(lambda: answers(self.port))

    def end(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)


class Postgres:
    """A PostgreSQL on a port of its own, in a folder that goes with it."""

    def __init__(self, *, fsync: bool = False) -> None:
        if POSTGRES is None:
            raise FileNotFoundError("initdb")
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
        """Begin, and wait until it takes questions."""
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
        """End, and leave nothing behind."""
        self.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, command: Sequence[str]) -> None:
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, timeout=120, user=self._user, cwd=self._folder
        )


@contextmanager
def postgres(*, fsync: bool = False) -> Iterator[Postgres]:
    """Run a PostgreSQL."""
    made = Postgres(fsync=fsync)
    try:
        yield made
    finally:
        made.remove()
