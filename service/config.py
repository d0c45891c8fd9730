"""The settings file: one TOML file, checked in full, each fault named with its line.

What is left out has its default. A file that is changed while the service runs is read again: a good one takes
effect, of a faulty one the fault is told and the last good settings stay. `port`, `folder` and who is told of
changes (`mqtt`, `venue`, `webhooks`, `actions`, `darts`) take effect at the next start.
"""

import logging
import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, SecretStr, ValidationError

from service.boards.places import masked
from service.outward.telling import Word

log = logging.getLogger("tallycam.config")

LARGEST: Final = 256 * 1024
"""Bytes a settings file may have; ours has some hundred, and a file given by mistake may be anything."""
LOOK_S: Final = 1.0
"""How often the running service looks whether its file has changed: a `stat`, some microseconds."""

_FORM = ConfigDict(extra="forbid", strict=True, frozen=True)

HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$", max_length=254)]


class ConfigError(Exception):
    """The file cannot be used; the text is one sentence with the line."""


class ServerConfig(BaseModel):
    """Where the service answers, and to which names."""

    model_config = _FORM
    port: Annotated[int, Field(ge=0, le=65535, description="Port to serve on; 0 takes any free one.")] = 8180
    hosts: Annotated[
        list[HostName],
        Field(
            max_length=32, description="Names it answers to besides the loopback ones, as a proxy on this machine."
        ),
    ] = []


class DataConfig(BaseModel):
    """Where matches are kept."""

    model_config = _FORM
    folder: Annotated[
        str | None,
        Field(
            min_length=1,
            description="Folder of the matches; by default the user's data folder. From the file's own.",
        ),
    ] = None


class MediaConfig(BaseModel):
    """Pictures and clips: how long, and how many."""

    model_config = _FORM
    budget_gb: Annotated[
        float,
        Field(ge=0.1, le=1e6, description="Gigabytes that they may take; beyond, what was looked at goes first."),
    ] = 20.0
    days: Annotated[
        float,
        Field(ge=0, le=36500, description="Days after which they go; 0: they stay as long as there is room."),
    ] = 0.0
    sessions_gb: Annotated[
        float,
        Field(
            ge=0,
            le=1e6,
            description="Gigabytes for whole sessions of cameras, some an hour, to keep matches as regression "
            "tests; the oldest go first. 0: none is kept.",
        ),
    ] = 0.0

    @property
    def session_bytes(self) -> int:
        """What whole sessions may take, bytes."""
        return round(self.sessions_gb * 1e9)


class LabelsConfig(BaseModel):
    """What people put right may teach a network: nothing, unless you say so."""

    model_config = _FORM
    keep: Annotated[
        Literal["nothing", "corrected", "reviewed"],
        Field(
            description="Which shots with their pictures become labelled examples on this machine: none; those "
            "that the camera had wrong; all that a person looked at. Pictures may show people."
        ),
    ] = "nothing"
    days: Annotated[
        float,
        Field(
            ge=1,
            le=36500,
            description="Days after which a shot is no example any more; its pictures stay so long.",
        ),
    ] = 180.0


class StreamsConfig(BaseModel):
    """Live changes."""

    model_config = _FORM
    beat_s: Annotated[
        float,
        Field(ge=0.2, le=60, description="Seconds of silence after which a stream says it is alive."),
    ] = 5.0
    stuck_s: Annotated[
        int, Field(ge=1, le=600, description="Seconds after which a reader that takes nothing is let go.")
    ] = 20


WebAddress = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$", max_length=2000)]
"""Without a user in front of the host: a password in an address ends up in logs."""
Topic = Annotated[str, Field(pattern=r"^[A-Za-z0-9_/-]{1,80}$")]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=500, strict=False)]


class MqttConfig(BaseModel):
    """A broker that is told how the board stands; needs the extra `venue`."""

    model_config = _FORM
    host: Annotated[str, Field(min_length=1, max_length=254, description="Name or address of the broker.")]
    port: Annotated[int, Field(ge=1, le=65535)] = 1883
    tls: Annotated[bool, Field(description="Speak TLS; the port is then mostly 8883.")] = False
    username: Annotated[str | None, Field(max_length=200)] = None
    password: Secret | None = None
    topic: Annotated[Topic, Field(description="Where all topics begin.")] = "tallycam"
    board: Annotated[
        str,
        Field(pattern=r"^[A-Za-z0-9_-]{1,40}$", description="Names the board in topics and in Home Assistant."),
    ] = "board"
    discovery: Annotated[bool, Field(description="Tell Home Assistant what there is.")] = True


class VenueConfig(BaseModel):
    """The club that this board hands its log to, over a broker; needs the extra `venue`."""

    model_config = _FORM
    host: Annotated[str, Field(min_length=1, max_length=254, description="Name or address of the club's broker.")]
    port: Annotated[int, Field(ge=1, le=65535)] = 1883
    tls: Annotated[bool, Field(description="Speak TLS; the port is then mostly 8883.")] = False
    username: Annotated[str | None, Field(max_length=200)] = None
    password: Secret | None = None
    board: Annotated[
        str,
        Field(pattern=r"^[A-Za-z0-9_-]{1,40}$", description="Names the board in the club; each another name."),
    ]


def _host_alone(url: str) -> str:
    """Give an address as answers show it: without path and query, which may hold a token."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…" if parts.path.strip("/") or parts.query else url


ShownAddress = Annotated[WebAddress, PlainSerializer(_host_alone, return_type=str, when_used="json")]


class WebhookConfig(BaseModel):
    """An address that is told every change, signed, until it has taken it."""

    model_config = _FORM
    url: ShownAddress
    secret: Annotated[Secret | None, Field(description="Signs each message (HMAC-SHA256).")] = None


class ActionConfig(BaseModel):
    """A request that is sent when something fits: a light, a sound, a scene."""

    model_config = _FORM
    when: Annotated[
        list[Word],
        Field(min_length=1, description="Any of these; docs/config.md says what each is."),
    ]
    url: ShownAddress
    method: Literal["POST", "PUT", "GET"] = "POST"
    json_body: Annotated[
        Any,
        Field(alias="json", description="Sent as JSON."),
        PlainSerializer(lambda body: None if body is None else "…", return_type=str | None, when_used="json"),
    ] = None


class DartsConfig(BaseModel):
    """The local protocol of dart tools, for score callers, lights and overlays that speak it."""

    model_config = _FORM
    port: Annotated[int, Field(ge=1, le=65535, description="3180 is where such tools look.")]
    lan: Annotated[
        bool, Field(description="Answer to other machines too; the protocol knows no keys, so all may read.")
    ] = False


ShownSource = Annotated[
    str,
    Field(pattern=r"^((https?|rtsp)://\S+|camera:[0-9]{1,3}|/dev/\S+)$", max_length=1000),
    PlainSerializer(masked, return_type=str, when_used="json"),
]


class CameraConfig(BaseModel):
    """A camera under the name by which people pick it: one of the network, or one that no name tells apart."""

    model_config = _FORM
    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$")]
    source: Annotated[
        ShownSource,
        Field(description="Its address, or its device. A password in it is shown nowhere."),
    ]

    def to_json(self) -> dict[str, Any]:
        """Give it as the list of cameras has it; the source is whole."""
        device = "" if "://" in self.source else self.source
        unknown = dict.fromkeys(("vendor", "product", "serial"), "")
        return {"source": self.source, "name": self.name, "device": device, **unknown, "by_port": False}


class Config(BaseModel):
    """The settings of `tallycam serve`."""

    model_config = ConfigDict(**_FORM, title="tallycam")
    server: ServerConfig = ServerConfig()
    data: DataConfig = DataConfig()
    media: MediaConfig = MediaConfig()
    labels: LabelsConfig = LabelsConfig()
    streams: StreamsConfig = StreamsConfig()
    cameras: Annotated[list[CameraConfig], Field(max_length=32)] = []
    mqtt: MqttConfig | None = None
    venue: VenueConfig | None = None
    webhooks: Annotated[list[WebhookConfig], Field(max_length=16)] = []
    actions: Annotated[list[ActionConfig], Field(max_length=64)] = []
    darts: DartsConfig | None = None


def schema() -> dict[str, Any]:
    """Give the JSON Schema of the file, for editors that complete and check TOML."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}


def read_config(path: Path) -> Config:
    """Give the settings of a file; raises `ConfigError`, with the line of the first fault."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"the settings file {path} cannot be read: {error.strerror or error}") from error
    if len(raw) > LARGEST:
        raise ConfigError(f"the settings file {path} has more than {LARGEST} bytes; it is no settings file")
    try:
        return parse_config(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}, line {line}: not UTF-8") from error
    except ConfigError as error:
        raise ConfigError(f"{path}, {error}") from error


def parse_config(text: str) -> Config:
    """Give the settings of a TOML text; raises `ConfigError` that begins with `line N:`."""
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(_syntax(text, error)) from error
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        faults = [(line_of(text, fault["loc"]), _fault(fault)) for fault in error.errors()]
        raise ConfigError("; ".join(f"line {line}: {what}" for line, what in sorted(faults)[:3])) from error


def _syntax(text: str, error: Exception) -> str:
    """Give a fault of TOML with its line in front."""
    what, _, place = str(error).partition(" (at ")
    found = place.removeprefix("line ").partition(",")[0]
    line = int(found) if found.isdecimal() else text.count("\n") + 1
    return f"line {line}: no TOML, {what[:1].lower()}{what[1:]}"


def _fault(fault: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        known = _known(fault["loc"][:-1])
        return f"there is no setting {where!r}" + (f"; takes {', '.join(known)}" if known else "")
    said = str(fault["msg"])
    said = f"{said[:1].lower()}{said[1:]}"
    secret = _SECRET & set(fault["loc"]) or isinstance(fault["input"], dict | list)
    return f"{where}: {said}" if secret else f"{where}: got {_shown(fault['input'])}, {said}"


_SECRET = {"url", "source", "secret", "password", "json"}
"""What may hold a secret is not told again in the fault that is found in it."""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"


def _known(where: Sequence[object]) -> list[str]:
    """Give the settings that a table takes."""
    form: Any = Config
    for part in where:
        form = getattr(form, "model_fields", {}).get(part)
        form = getattr(form, "annotation", None)
    return list(getattr(form, "model_fields", {}))


def line_of(text: str, where: Sequence[object]) -> int:
    """Give the line in which a setting begins: the first after the longest part of the file that lacks it.

    The parser itself says what a part of the file holds, so that every way to write TOML is understood.
    """
    lines = text.splitlines(keepends=True)
    begins = 1
    for count in range(1, len(lines) + 1):
        try:
            values: Any = tomllib.loads("".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        if _holds(values, where):
            return begins
        begins = count + 1
    return 1


def _holds(values: Any, where: Sequence[object]) -> bool:  # noqa: ANN401 - whatever TOML holds
    for part in where:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The settings that hold, and the fault of a newer file that does not."""

    config: Config
    problem: str | None = None


class Settings:
    """The settings of a running service: read again whenever the file changes, the last good ones kept.

    Raises `ConfigError` where the file has a fault at the start: nothing good is known then.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._mark = self._stat()
        self._now = Held(config=read_config(path) if path else Config())
        self._end = threading.Event()
        self._told: list[Callable[[Config], None]] = []

    @property
    def now(self) -> Held:
        """What holds."""
        return self._now

    def whenever(self, told: Callable[[Config], None]) -> None:
        """Have `told` called with the settings, now and after each change."""
        self._told.append(told)
        told(self._now.config)

    def look(self) -> None:
        """Read the file again if it has changed."""
        mark = self._stat()
        if self.path is None or mark == self._mark:
            return
        self._mark = mark
        try:
            config = read_config(self.path)
        except ConfigError as error:
            self._now = Held(config=self._now.config, problem=str(error))
            log.warning("%s; the last good settings stay", error)
            return
        self._now = Held(config=config)
        for told in self._told:
            told(config)

    def watch(self) -> None:
        """Look from now on, in a thread of its own, until `close`."""
        if self.path is not None:
            threading.Thread(target=self._watch, name="settings", daemon=True).start()

    def close(self) -> None:
        """End looking."""
        self._end.set()

    def _watch(self) -> None:
        while not self._end.wait(LOOK_S):
            self.look()

    def _stat(self) -> tuple[int, int, int] | None:
        if self.path is None:
            return None
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
