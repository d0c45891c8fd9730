"""The board's side: its whole log to the club, in order, until the club says that it has it.

Nothing is kept here: the log is in the store, and what the club has the club says. So a board may be switched off,
a broker may forget everything and the club may be away for weeks; what is missing goes out when all are back.
"""

import logging
import secrets
import threading
import time
from collections.abc import Sequence
from typing import Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from service.changes import Hub
from service.config import VenueConfig
from service.outward.outlet import Sent
from service.venue.log import Log
from service.venue.window import WINDOW, Window
from service.venue.wire import (
    CLUB,
    Handed,
    Have,
    NotOfTheForm,
    board_of_have,
    have_topic,
    log_topic,
    read_have,
    write_handed,
)

KEEP_ALIVE_S: Final = 15
LOOK_S: Final = 0.5
"""How often it looks whether the club stands still."""
PORTION: Final = 64
"""Changes read from the log at once."""

log = logging.getLogger("tallycam.venue")


class Outbox:
    """What hands a board's log to the club.

    Parameters
    ----------
    changes
        The log.
    hub
        Rings at each change of it.
    config
        Where the club's broker is and what this board is called.
    window
        What is under way.
    """

    def __init__(self, changes: Log, hub: Hub, config: VenueConfig, window: Window | None = None) -> None:
        self._log = changes
        self._hub = hub
        self._config = config
        self._window = window or Window()
        self._turn = threading.Lock()
        self._news = threading.Event()
        self._end = threading.Event()
        self._greets = False  # the newest change goes once more: a club whose database is a new one says so then
        self._problem: str | None = f"no MQTT broker at {config.host}:{config.port}"
        self._thread = threading.Thread(target=self._run, name="venue", daemon=True)
        # By chance: of two boards of one name the broker would let go of one whenever the other connects.
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"tallycam-venue-{config.board}-{secrets.token_hex(4)}"
        )
        if config.username is not None:
            client.username_pw_set(
                config.username, config.password.get_secret_value() if config.password else None
            )
        if config.tls:
            client.tls_set()
        client.max_inflight_messages_set(2 * WINDOW)
        client.reconnect_delay_set(1, 10)
        client.on_connect = self._connected
        client.on_disconnect = self._cut
        client.on_message = self._heard
        self._client = client

    @property
    def sent(self) -> Sent:
        """How it stands."""
        have = self._window.have
        waiting = max(0, self._log.newest() - have)
        name = f"club {self._config.host}:{self._config.port}"
        return Sent(name=name, last=have, waiting=waiting, problem=self._problem)

    def start(self) -> None:
        """Begin."""
        self._hub.whenever(self._news.set)
        self._client.connect_async(self._config.host, self._config.port, KEEP_ALIVE_S)
        self._client.loop_start()
        self._thread.start()

    def close(self, wait_s: float = 1.0) -> None:
        """End; what the club lacks goes out after the next start."""
        self._end.set()
        self._news.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)
        self._client.disconnect()
        self._client.loop_stop()

    def _run(self) -> None:
        while not self._end.is_set():
            self._news.wait(LOOK_S)
            self._news.clear()
            try:
                self._hand_over()
            except Exception:  # the store of a service that ends; whatever else, it is tried again
                if not self._end.is_set():
                    log.exception("the log cannot be handed to the club; it is tried again")

    def _hand_over(self) -> None:
        with self._turn:
            if self._window.look(time.monotonic()) and self._problem is None:
                log.warning("the club has taken nothing for a while; sending again from %d", self._window.have)
        if self._greets and self._problem is None:
            self._greets = False
            self._publish(self._log.after(self._log.newest() - 1, 1))
        while self._problem is None and not self._end.is_set():
            with self._turn:
                sent, room = self._window.sent, min(self._window.room, PORTION)
            changes = self._log.after(sent, room) if room > 0 else []
            if not changes:
                return
            with self._turn:
                if self._window.sent != sent:
                    continue  # the club has said something else meanwhile
                for change in changes:
                    self._window.send(change.number, time.monotonic())
            self._publish(changes)

    def _publish(self, changes: Sequence[Handed]) -> None:
        for change in changes:
            self._client.publish(log_topic(self._config.board), write_handed(change), qos=1)

    def _connected(
        self,
        client: mqtt.Client,
        _data: object,
        _flags: mqtt.ConnectFlags,
        reason: ReasonCode,
        _more: Properties | None,
    ) -> None:
        if reason.is_failure:
            self._problem = f"the MQTT broker refuses: {reason}"
            return
        self._problem = "the club is away"
        client.subscribe([(CLUB, 1), (have_topic(self._config.board), 1)])

    def _cut(
        self,
        _client: mqtt.Client,
        _data: object,
        _flags: mqtt.DisconnectFlags,
        _reason: ReasonCode,
        _more: Properties | None,
    ) -> None:
        self._problem = f"no MQTT broker at {self._config.host}:{self._config.port}"

    def _heard(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        if message.topic == CLUB:
            self._club_is(message.payload == b"online")
        elif board_of_have(message.topic) == self._config.board:
            try:
                self._told(read_have(bytes(message.payload)))
            except NotOfTheForm as fault:
                log.warning("what the club says cannot be read: %s", fault)
            except Exception:  # the store's: what the club has is said again
                log.exception("what the club has cannot be held against the log")
        self._news.set()

    def _club_is(self, there: bool) -> None:
        if not there:
            self._problem = "the club is away"
            return
        with self._turn:
            self._window.again()
        self._greets = True
        if self._problem != self._foreign():
            self._problem = None

    def _told(self, have: Have) -> None:
        """Take what the club has, if it is of this very log: its newest change has the same mark here."""
        if self._log.mark(have.number) != have.mark:
            if self._problem != self._foreign():
                log.error("%s", self._foreign())
            self._problem = self._foreign()
            return
        if self._problem == self._foreign():
            self._problem = None
        with self._turn:
            self._window.told(have.number, time.monotonic())
            if have.gap:
                self._window.gap(time.monotonic())

    def _foreign(self) -> str:
        return (
            f"the club has another log under the name {self._config.board!r}: another board is called so, "
            "or this one was restored from an old copy; give it a new name"
        )
