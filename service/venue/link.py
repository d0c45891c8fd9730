"""The club's connection to the broker: takes in what boards send, says what it has of each."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from service.outward.rivals import Rivals
from service.venue.intake import Came, Intake
from service.venue.wire import CLUB, ROOT, Have, NotOfTheForm, board_of_log, have_topic, read_handed, write_have

KEEP_ALIVE_S: Final = 15
CLIENT: Final = "tallycam-venue"
"""One name for all clubs: that two share a broker is found out by it, for both would keep every entry."""
AGAIN_S: Final = 1.0
"""A board that sends what is known or does not follow is told at most so often where it stands."""

log = logging.getLogger("tallycam.venue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A broker and who asks it."""

    host: str
    port: int = 1883
    username: str | None = None
    password: str | None = None
    tls: bool = False


class Link:
    """The connection; it connects again by itself for as long as it is open."""

    def __init__(self, intake: Intake, address: Address) -> None:
        self._intake = intake
        self._address = address
        self._told: dict[str, float] = {}
        self._rivals = Rivals(CLIENT, "end the other club, or give it a broker of its own")
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=CLIENT)
        if address.username is not None:
            client.username_pw_set(address.username, address.password)
        if address.tls:
            client.tls_set()
        client.will_set(CLUB, "offline", qos=1, retain=True)
        client.max_inflight_messages_set(1000)
        client.reconnect_delay_set(1, 10)
        client.on_connect = self._connected
        client.on_disconnect = self._cut
        client.on_message = self._heard
        self._client = client
        self._problem: str | None = f"no MQTT broker at {address.host}:{address.port}"

    @property
    def problem(self) -> str | None:
        """What is wrong with the connection; None while it stands."""
        return self._rivals.problem or self._problem

    def start(self) -> None:
        """Begin to connect."""
        self._client.connect_async(self._address.host, self._address.port, KEEP_ALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        """Say goodbye and end."""
        if self._client.is_connected():
            self._client.publish(CLUB, "offline", qos=1, retain=True)
        self._client.disconnect()
        self._client.loop_stop()

    def announce(self, haves: Mapping[str, Have]) -> None:
        """Tell boards what is kept of them, while there is a broker: at each connection they are told anew."""
        if not self._client.is_connected():
            return
        for name, have in haves.items():
            self._client.publish(have_topic(name), write_have(have), qos=1, retain=True)

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
        self._problem = None
        self._rivals.let_in()
        client.subscribe(f"{ROOT}/+/log", qos=1)
        self.announce(self._intake.haves())
        client.publish(CLUB, "online", qos=1, retain=True)

    def _cut(
        self,
        _client: mqtt.Client,
        _data: object,
        _flags: mqtt.DisconnectFlags,
        reason: ReasonCode,
        _more: Properties | None,
    ) -> None:
        self._problem = f"no MQTT broker at {self._address.host}:{self._address.port}"
        if reason.is_failure:
            self._rivals.ended()
            log.warning("%s", self._rivals.problem or f"the MQTT broker is gone ({reason}); connecting again")

    def _heard(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        name = board_of_log(message.topic)
        if name is None:
            return
        now_s = time.monotonic()
        try:
            handed = read_handed(bytes(message.payload), now_s)
        except NotOfTheForm as fault:
            self._intake.spoil(name, f"what it sends cannot be read: {fault}")
            return
        came = self._intake.offer(name, handed)
        if came in {Came.KNOWN, Came.GAP, Came.FOREIGN}:
            self._say_again(name, gap=came is Came.GAP)

    def _say_again(self, name: str, *, gap: bool) -> None:
        now_s = time.monotonic()
        if now_s - self._told.get(name, -AGAIN_S) >= AGAIN_S:
            self._told[name] = now_s
            self.announce({name: replace(self._intake.have(name), gap=gap)})
