"""MQTT: the board's state retained, each change as an event, availability by last will, device discovery.

Needs the extra `venue` (paho-mqtt). Everything that is retained is told anew after each connection, so a broker
that was restarted and lost it knows the truth at once.
"""

import json
import logging
import threading
from importlib.metadata import version
from typing import Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from service.changes import Message
from service.config import MqttConfig
from service.envelope import cloud_event
from service.matches import Matches
from service.outward.discovery import COMMON, discovery, discovery_topic
from service.outward.now_playing import board_state
from service.outward.outlet import Refusal
from service.outward.rivals import Rivals

log = logging.getLogger("tallycam.outward")

PATIENCE_S: Final = 5.0
KEEP_ALIVE_S: Final = 15
"""Twice that silence and the broker tells the last will: whoever pulls the plug is known within half a minute."""


class Broker:
    """The connection of a board to its broker; it connects again by itself for as long as it is open."""

    def __init__(self, matches: Matches, config: MqttConfig) -> None:
        self._matches = matches
        self._config = config
        self._base = f"{config.topic}/{config.board}"
        self._told: str | None = None
        self._turn = threading.Lock()
        name = f"tallycam-{config.board}"
        self._rivals = Rivals(name, "give each board another name (`board` under [mqtt])")
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name)
        if config.username is not None:
            client.username_pw_set(
                config.username, config.password.get_secret_value() if config.password else None
            )
        if config.tls:
            client.tls_set()
        client.will_set(f"{self._base}/availability", "offline", qos=1, retain=True)
        client.reconnect_delay_set(1, 30)
        client.on_connect = self._connected
        client.on_disconnect = self._cut
        client.on_message = self._heard
        self._client = client

    def start(self) -> None:
        """Begin to connect."""
        self._client.connect_async(self._config.host, self._config.port, KEEP_ALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        """Say goodbye and end."""
        if self._client.is_connected():
            self._say("availability", "offline", retain=True)
        self._client.disconnect()
        self._client.loop_stop()

    def give(self, message: Message) -> None:
        """Tell a change: the event, and the state after it. Raises `Refusal` without a broker or with a rival."""
        if (rivals := self._rivals.problem) is not None:
            raise Refusal(rivals)
        if not self._client.is_connected():
            raise Refusal(f"no MQTT broker at {self._config.host}:{self._config.port}")
        self._tell_state()
        self._say("event", cloud_event(message))

    def _connected(
        self,
        client: mqtt.Client,
        _data: object,
        _flags: mqtt.ConnectFlags,
        reason: ReasonCode,
        _more: Properties | None,
    ) -> None:
        if reason.is_failure:
            return
        self._rivals.let_in()
        if self._config.discovery:
            client.subscribe(f"{COMMON}/status", qos=1)
        with self._turn:
            self._told = None
        self._tell_state(wait=False)
        self._say("availability", "online", retain=True, wait=False)

    def _cut(
        self,
        _client: mqtt.Client,
        _data: object,
        _flags: mqtt.DisconnectFlags,
        reason: ReasonCode,
        _more: Properties | None,
    ) -> None:
        if not reason.is_failure:  # it was ended here
            return
        self._rivals.ended()
        if (rivals := self._rivals.problem) is not None:
            log.warning("%s", rivals)

    def _heard(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        """Home Assistant has started: tell it again what there is."""
        if message.payload == b"online":
            with self._turn:
                self._told = None
            self._tell_state(wait=False)

    def _tell_state(self, *, wait: bool = True) -> None:
        match_id = self._matches.playing()
        state = board_state(None if match_id is None else self._matches.view(match_id))
        if self._config.discovery:
            told = discovery(self._config.board, self._base, version("tallycam"), state["sides"] or ())
            text = json.dumps(told, ensure_ascii=False)
            with self._turn:
                fresh, self._told = text != self._told, text
            if fresh:
                self._client.publish(discovery_topic(self._config.board), text, qos=1, retain=True)
        self._say("state", json.dumps(state, ensure_ascii=False), retain=True, wait=wait)

    def _say(self, topic: str, text: str, *, retain: bool = False, wait: bool = True) -> None:
        sent = self._client.publish(f"{self._base}/{topic}", text, qos=1, retain=retain)
        if not wait:
            return
        try:
            sent.wait_for_publish(PATIENCE_S)
            taken = sent.is_published()
        except (RuntimeError, ValueError):
            taken = False
        if not taken:
            raise Refusal("the MQTT broker does not answer")
