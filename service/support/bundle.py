"""The bundle: versions, settings, the database's form and health, the last faults and lines of the log.

Nothing is changed by making one, and it can be made of a service that does not start: each part that cannot be had
says why, and the others are there.
"""

import json
import platform
import re
import sqlite3
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TypeAlias

from service.config import Config, ConfigError, read_config
from service.logs import newest_lines
from service.support.cleaning import Cleaner
from service.zips import write_new

JSON: TypeAlias = Any

LOG_BYTES: Final = 1 << 20
FAULTS: Final = 100
PATIENCE_S: Final = 5.0
LIBRARIES: Final = (
    "av",
    "fastapi",
    "numpy",
    "onnxruntime",
    "opencv-python",
    "paho-mqtt",
    "psycopg",
    "pydantic",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "websockets",
)
OURS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a service is: its data folder, settings file, address; `key` opens the latter where that is needed."""

    data: Path
    config: Path | None
    url: str
    key: str | None = None


def write_bundle(place: Place, target: Path) -> tuple[str, ...]:
    """Write a bundle as a zip file that does not exist yet; gives the names of its parts.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    cleaner = _cleaner(place)
    parts = {
        "about.json": _told(about, cleaner),
        "config.json": _told(lambda: settings(place), cleaner),
        "database.json": _told(lambda: database(place.data), cleaner),
        "health.json": _told(lambda: json.loads(_asked(place, "health")), cleaner),
        "metrics.txt": cleaner.text(_or_why(lambda: figures(place))),
        "boards.json": _told(lambda: boards(place), cleaner),
        "outlets.json": _told(lambda: outlets(place), cleaner),
        "faults.jsonl": cleaner.lines(_or_why(lambda: faults(place.data))),
        "log.jsonl": cleaner.lines(_or_why(lambda: newest_lines(place.data, LOG_BYTES))),
    }
    write_new(target, "tallycam-support", parts)
    return tuple(parts)


def about() -> JSON:
    """Give what runs, and on what."""
    from service.rescoring.work import marks  # noqa: PLC0415 - loads OpenCV

    reads = marks()
    return {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "tallycam": version("tallycam"),
        "pipeline": reads.pipeline,
        "networks": {name: mark[:16] for name, mark in reads.networks},
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libraries": {name: _version(name) for name in LIBRARIES},
        "sqlite": sqlite3.sqlite_version,
    }


def settings(place: Place) -> JSON:
    """Give the settings: secrets, names and addresses left out."""
    if place.config is None:
        return {"file": None}
    return _masked(read_config(place.config).model_dump(mode="json"))


def database(data: Path) -> JSON:
    """Give the form of the database, whether it is whole, and how much is in it."""
    with closing(sqlite3.connect(f"{(data / 'tallycam.db').resolve().as_uri()}?mode=ro", uri=True)) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        rows = {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
        return {
            "form": [row[0] for row in db.execute("SELECT version_num FROM alembic_version")],
            "check": [row[0] for row in db.execute("PRAGMA quick_check(10)")],
            "rows": rows,
            "bytes": sum(path.stat().st_size for path in data.glob("tallycam.db*")),
            "watchings": dict(
                db.execute("SELECT coalesce(outcome, 'running'), count(*) FROM watching GROUP BY 1").fetchall()
            ),
            "sightings": dict(db.execute("SELECT state, count(*) FROM sighting GROUP BY 1").fetchall()),
            "asked": dict(db.execute("SELECT codes, count(*) FROM sighting GROUP BY 1").fetchall()),
        }


def figures(place: Place) -> str:
    """Give the figures, boards by number and receivers by what they are."""
    numbers: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return f'board="{numbers.setdefault(found[1], str(len(numbers) + 1))}"'

    text = re.sub(r'\bboard="((?:[^"\\]|\\.)*)"', numbered, _asked(place, "metrics"))
    return re.sub(r'\boutlet="([^" ]*)(?:[^"\\]|\\.)*"', r'outlet="\1"', text)


def boards(place: Place) -> JSON:
    """Give how each board is: no name, no address, no picture."""
    found = json.loads(_asked(place, "boards"))["boards"]
    kept = ("id", "game", "pace", "state")
    return [{**{name: one.get(name) for name in kept}, "source": _kind(one.get("source", ""))} for one in found]


def outlets(place: Place) -> JSON:
    """Give how each receiver is, by what it is and not by where it is."""
    found = json.loads(_asked(place, "outlets"))["outlets"]
    return [{**one, "name": one["name"].split(" ")[0]} for one in found]


def faults(data: Path) -> str:
    """Give the last lines of the log that are errors."""
    lines = newest_lines(data, 8 * LOG_BYTES).splitlines()
    found = []
    for line in lines:
        with suppress(ValueError):
            if json.loads(line).get("level") in {"error", "critical"}:
                found.append(line + "\n")
    return "".join(found[-FAULTS:])


# ---------------------------------------------------------------- what must not be in it


def _cleaner(place: Place) -> Cleaner:
    names, secrets = set(_people(place.data)), {place.key or ""}
    with suppress(ConfigError):
        config = read_config(place.config) if place.config is not None else Config()
        secrets |= set(_secrets_of(config))
        names |= set(_names_of(config))
    with suppress(OSError, ValueError, TypeError, AttributeError):
        keys = json.loads((place.data / "keys.json").read_text(encoding="utf-8"))
        names |= {str(value) for key in _objects(keys) for name, value in key.items() if name == "name"}
        secrets |= {str(value) for key in _objects(keys) for name, value in key.items() if name == "hash"}
    folders = [(place.data.resolve(), "DATA"), (place.data, "DATA")]
    return Cleaner(names, secrets, folders)


def _people(data: Path) -> list[str]:
    """Give the names of all who ever played or decided here, and of boards; none where that cannot be read."""
    found: list[str] = []
    with suppress(sqlite3.Error, OSError, ValueError):
        uri = f"{(data / 'tallycam.db').resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as db:
            for (header,) in db.execute("SELECT header FROM match"):
                with suppress(ValueError, TypeError, KeyError):
                    found += json.loads(header)["sides"]
            for question in (
                "SELECT name FROM board",
                "SELECT DISTINCT by FROM sighting",
                "SELECT DISTINCT by FROM review",
            ):
                found += [str(name).rpartition(":")[2] for (name,) in db.execute(question) if name]
    return [name for name in found if name not in {"camera", "player", "umpire"}]


def _objects(value: JSON) -> list[Mapping[str, JSON]]:
    match value:
        case dict():
            return [value, *(one for inner in value.values() for one in _objects(inner))]
        case list():
            return [one for inner in value for one in _objects(inner)]
        case _:
            return []


def _secrets_of(config: Config) -> list[str]:
    found = [one.password.get_secret_value() for one in (config.mqtt, config.venue) if one and one.password]
    found += [hook.secret.get_secret_value() for hook in config.webhooks if hook.secret]
    found += [hook.url for hook in config.webhooks] + [action.url for action in config.actions]
    return found + [text for action in config.actions for text in _texts(action.json_body)]


def _texts(value: JSON) -> list[str]:
    match value:
        case str():
            return [value] if len(value) > 3 else []
        case dict():
            return [text for one in value.values() for text in _texts(one)]
        case list():
            return [text for one in value for text in _texts(one)]
        case _:
            return []


def _names_of(config: Config) -> list[str]:
    brokers = [one for one in (config.mqtt, config.venue) if one]
    found = [name for one in brokers for name in (one.host, one.username, one.board)] + config.server.hosts
    return [name for name in found if name and name not in OURS | {"board"}]


_SAID: Final = frozenset(
    {"host", "hosts", "username", "board", "folder", "url", "password", "secret", "json", "json_body"}
)


def _masked(value: JSON, name: str = "") -> JSON:
    """Give settings with every text that may tell who or where replaced: that it is set stays."""
    match value:
        case dict():
            return {key: _masked(one, key) for key, one in value.items()}
        case list():
            return [_masked(one, name) for one in value]
        case str() if name in _SAID and value not in OURS:
            return "…"
        case _:
            return value


# ---------------------------------------------------------------- how it is had


def _told(ask: Callable[[], JSON], cleaner: Cleaner) -> str:
    try:
        value = ask()
    except Exception as error:  # whatever is wrong with one part: that is what is to be told
        value = {"missing": f"{type(error).__name__}: {error}"}
    return json.dumps(cleaner.json(value), ensure_ascii=False, indent=1) + "\n"


def _or_why(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except (OSError, ValueError) as error:
        return json.dumps({"missing": f"{type(error).__name__}: {error}"}) + "\n"


def _asked(place: Place, path: str) -> str:
    headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
    request = urllib.request.Request(f"{place.url.rstrip('/')}/api/v1/{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            text: bytes = answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            if refusal.code == 503 and path == "health":  # the club's, while something is away
                return refusal.read().decode()
            raise ValueError(f"the service refuses with {refusal.code}") from refusal
    except urllib.error.URLError as error:
        raise ValueError(f"no service answers: {error.reason}") from error
    return text.decode()


def _kind(source: str) -> str:
    scheme, found, _ = source.partition("://")
    return scheme if found else "device" if source.startswith(("camera:", "/dev/")) else "file"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
