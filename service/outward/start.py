"""From the settings to running outlets."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from service.config import Config
from service.matches import Matches
from service.outward.actions import action, request
from service.outward.outlet import Outlet, Refusal, Sent
from service.outward.webhooks import webhook


class OutwardRefused(Exception):  # noqa: N818 - it says what is the case
    """The settings ask for what this installation cannot do; the text is one sentence."""


class Runs(Protocol):
    """Something that is started and closed."""

    def start(self) -> None:
        """Begin."""

    def close(self) -> None:
        """End."""


class Tells(Runs, Protocol):
    """Something that passes changes on and says how it stands."""

    @property
    def sent(self) -> Sent:
        """How it stands."""


@dataclass(frozen=True, kw_only=True)
class Outlets:
    """What is told to others; `tests` sends, for each action of the settings in order, its request."""

    outlets: Sequence[Tells] = ()
    runs: Sequence[Runs] = ()
    tests: Sequence["Test"] = ()

    def start(self) -> None:
        """Begin."""
        for one in (*self.runs, *self.outlets):
            one.start()

    def close(self) -> None:
        """End all, the outlets first."""
        for one in (*self.outlets, *self.runs):
            one.close()

    def sent(self) -> list[Sent]:
        """Say how each outlet stands."""
        return [outlet.sent for outlet in self.outlets]


@dataclass(frozen=True, kw_only=True)
class Test:
    """An action that can be tried: its name, and trying it, which gives what went wrong or None."""

    name: str
    send: "Sends"

    def __call__(self) -> str | None:
        """Send the request now."""
        try:
            self.send()
        except Refusal as refusal:
            return str(refusal)
        return None


class Sends(Protocol):
    """What sends a request; raises `Refusal`."""

    def __call__(self) -> None:
        """Send it."""


def open_outlets(matches: Matches, config: Config, folder: Path, hosts: Collection[str] = ()) -> Outlets:
    """Give what the settings ask for, not yet started.

    Parameters
    ----------
    matches
        Whose changes are told.
    config
        The settings.
    folder
        Where it is kept how far each webhook is.
    hosts
        Names that the dart protocol answers to besides the loopback ones.

    Raises
    ------
    OutwardRefused
        Where MQTT is asked for without paho-mqtt.
    """
    outlets: list[Tells] = []
    runs: list[Runs] = []
    tests = []
    for hook in config.webhooks:
        secret = None if hook.secret is None else hook.secret.get_secret_value()
        mark = hashlib.sha256(hook.url.encode()).hexdigest()[:16]
        place = folder / f"webhook-{mark}.json"
        outlets.append(Outlet(f"webhook {_host(hook.url)}", matches, webhook(hook.url, secret), place=place))
    for number, wanted in enumerate(config.actions, 1):
        send = request(wanted.url, wanted.method, wanted.json_body)
        name = f"action {number}, {_host(wanted.url)}"
        outlets.append(Outlet(name, matches, action(wanted.when, send), patient=False))
        tests.append(Test(name=name, send=send))
    if config.mqtt is not None:
        try:
            from service.outward.mqtt import Broker  # noqa: PLC0415
        except ImportError as error:
            raise OutwardRefused('MQTT needs one more package: pip install "tallycam[venue]"') from error
        broker = Broker(matches, config.mqtt)
        runs.append(broker)
        outlets.append(Outlet(f"MQTT {config.mqtt.host}:{config.mqtt.port}", matches, broker.give))
    if config.venue is not None:
        try:
            from service.venue.outbox import Outbox  # noqa: PLC0415
        except ImportError as error:
            raise OutwardRefused('the club needs one more package: pip install "tallycam[venue]"') from error
        from service.venue.log import StoreLog  # noqa: PLC0415

        outlets.append(Outbox(StoreLog(matches.store), matches.hub, config.venue))
    if config.darts is not None:
        from service.outward.darts_server import DartsServer, darts_app  # noqa: PLC0415

        app = darts_app(matches, lambda: hosts)
        runs.append(DartsServer(app, "0.0.0.0" if config.darts.lan else "127.0.0.1", config.darts.port))
    return Outlets(outlets=outlets, runs=runs, tests=tests)


def _host(url: str) -> str:
    """Give an address without its path, which may hold a secret."""
    return urlsplit(url).netloc
