"""Who is told of changes: webhooks that are late, lights, a real MQTT broker, readers of the dart protocol."""

import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from support.service import amend, ask, free_port, opened, played, record, running, strike, throw
from zeroconf import IPVersion, Zeroconf

from service.api import create_app
from service.config import ConfigError, MqttConfig, parse_config
from service.matches import Live, Matches
from service.network_name import NetworkName
from service.outward.actions import action
from service.outward.darts import segment_of, state_of
from service.outward.darts_server import darts_app
from service.outward.discovery import discovery
from service.outward.mqtt import Broker
from service.outward.now_playing import board_state
from service.outward.outlet import Outlet, Refusal
from service.outward.telling import WORDS, Word, words_of
from service.outward.webhooks import webhook

MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="needs a broker: apt-get install mosquitto")


def until(found: Callable[[], object], within_s: float = 20.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + within_s
    while not found():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


class Receiver:
    """A server that keeps what it is sent and answers as `status` says."""

    def __init__(self) -> None:
        self.got: list[tuple[Mapping[str, str], bytes]] = []
        self.status: Callable[[int], int] = lambda _: 204
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(receiver.status(len(receiver.got)))
                self.send_header("Location", receiver.url)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@contextmanager
def started(outlet: Outlet) -> Iterator[Outlet]:
    """Run an outlet."""
    outlet.start()
    try:
        yield outlet
    finally:
        outlet.close(5.0)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.outward.outlet.FIRST_WAIT_S", 0.02)


# ---------------------------------------------------------------- webhooks


def test_a_webhook_that_fails_is_told_later_once_by_id_and_in_order(tmp_path: Path, receiver: Receiver) -> None:
    receiver.status = lambda count: 500 if count < 4 else 204
    with opened(tmp_path) as matches:
        outlet = Outlet("hook", matches, webhook(receiver.url, "s3cret"), place=tmp_path / "place.json")
        with started(outlet):
            played(matches, "T20 S20 S5")
            until(lambda: outlet.sent.waiting == 0)
        taken = [headers["webhook-id"] for headers, _ in receiver.got[3:]]
        assert [headers["webhook-id"] for headers, _ in receiver.got[:4]] == ["change-1"] * 4
        assert taken == [f"change-{number}" for number in range(1, matches.last_change() + 1)]
        headers, body = receiver.got[-1]
        event = json.loads(body)
        assert event["specversion"] == "1.0"
        assert event["type"] == "tallycam.entry.recorded"
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        wanted = base64.b64encode(hmac.new(b"s3cret", signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{wanted}"


def test_what_a_receiver_missed_goes_out_after_a_restart(tmp_path: Path, receiver: Receiver) -> None:
    place = tmp_path / "place.json"
    receiver.status = lambda _: 503
    with opened(tmp_path) as matches:
        outlet = Outlet("hook", matches, webhook(receiver.url, None), place=place)
        with started(outlet):
            played(matches, "T20 S20")
            until(lambda: outlet.sent.problem == "answered 503")
            assert ask_scores(matches) == [20, 0], "scoring is not held up"
    receiver.got.clear()
    receiver.status = lambda _: 200
    with opened(tmp_path) as matches:
        outlet = Outlet("hook", matches, webhook(receiver.url, None), place=place)
        with started(outlet):
            until(lambda: outlet.sent.waiting == 0)
            assert [headers["webhook-id"] for headers, _ in receiver.got] == ["change-1", "change-2", "change-3"]
        place.write_text('{"last": 999}', encoding="utf-8")
        assert Outlet("hook", matches, webhook(receiver.url, None), place=place).sent.waiting == 0


def ask_scores(matches: Matches) -> list[int]:
    """Give the scores of the only match."""
    scores: list[int] = matches.summaries()[0]["result"]["scores"]
    return scores


def test_no_redirect_is_followed_and_nobody_home_is_said(tmp_path: Path, receiver: Receiver) -> None:
    receiver.status = lambda _: 307
    with opened(tmp_path) as matches:
        played(matches, "T20")
        message = matches.changes(0)[-1]
        with pytest.raises(Refusal, match="answered 307"):
            webhook(receiver.url, "x")(message)
        assert len(receiver.got) == 1
        with pytest.raises(Refusal, match="cannot be reached"):
            webhook(f"http://127.0.0.1:{free_port()}/", "x")(message)


# ---------------------------------------------------------------- actions


def test_words_are_those_that_the_settings_know() -> None:
    assert set(WORDS) == set(get_args(Word))


def told(matches: Matches) -> list[dict[str, Any]]:
    """Give every change as it was told."""
    return [json.loads(message.data) for message in matches.changes(0)]


def test_a_change_is_put_into_words(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        match_id = played(matches, "T20 S20 MISS", "DB D19 S3")
        matches.append(match_id, 8, [(amend(2, throw(0, "T20", 2000)), None)])
        changes = told(matches)
        found = [words_of(change, 0) for change in changes]
    assert found[0] == frozenset()
    assert found[1] == {"entry", "treble"}
    assert found[2] == {"entry", "single", "scored"}
    assert found[3] == {"entry", "miss"}
    assert found[4] == {"entry", "turn"}
    assert "bull" in found[5]
    assert "double" in found[6]
    assert {"correction", "scored"} <= found[9]
    assert "treble" not in found[9]


def test_the_words_of_the_tables(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        pins = matches.create("finn", ["A", "B"])
        shots: list[dict[str, Any]] = [{"pins": {"7": "fallen"}}, {"pins": {}}]
        actions = [{"kind": "shot", "side": number, "t_ms": number, **shot} for number, shot in enumerate(shots)]
        matches.append(pins, 0, [(record(one), None) for one in actions])
        balls = matches.create("astrolabe", ["A", "B"])
        thrown = {"ball": 0, "from": "hand"}
        moves = [{**thrown, "to": [3, 1]}, {**thrown, "to": "gutter"}]
        shot = [{"kind": "shot", "side": 0, "t_ms": n, "moves": [move]} for n, move in enumerate(moves, 1)]
        shot[1]["foul"] = "play_line"
        matches.append(balls, 0, [(record(one), None) for one in ({"kind": "start_round", "t_ms": 0}, *shot)])
        found = [words_of(change, None) for change in told(matches)]
    assert found[1] == {"entry", "pins", "scored"}
    assert found[2] == {"entry", "air"}
    assert found[4] == {"entry"}
    assert found[5] == {"entry", "slot", "scored"}
    assert {"gutter", "foul"} <= found[6]


def test_a_light_is_sent_what_fits_and_a_dead_one_is_passed_over(tmp_path: Path) -> None:
    sent: list[int] = []

    def light() -> None:
        sent.append(1)
        if len(sent) == 1:
            raise Refusal("answered 500")

    with opened(tmp_path) as matches:
        outlet = Outlet("light", matches, action(["treble", "turn"], light), patient=False)
        with started(outlet):
            played(matches, "T20 S20 T19", "S1")
            until(lambda: outlet.sent.waiting == 0)
            assert len(sent) == 3
            assert outlet.sent.problem is None


# ---------------------------------------------------------------- what is played now


def test_a_live_match_goes_before_one_that_changed_later(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        assert matches.playing() is None
        first, second = played(matches, "T20"), played(matches, "T19")
        assert matches.playing() == second
        matches.watch(first, Live(source="cam", phase="still", t_ms=0, done=False, message=None))
        assert matches.playing() == first
        assert board_state(matches.view(second))["last"] == "T19"
        assert set(board_state(None).values()) == {None}


# ---------------------------------------------------------------- the dart protocol


def test_segments_are_said_in_the_protocols_words() -> None:
    assert segment_of("S20", (9.0, 150.0)) == {"name": "S20", "number": 20, "bed": "SingleOuter", "multiplier": 1}
    assert segment_of("S20", (5.0, 60.0))["bed"] == "SingleInner"
    assert segment_of("T19", None) == {"name": "T19", "number": 19, "bed": "Triple", "multiplier": 3}
    assert segment_of("DB", None) == {"name": "Bull", "number": 25, "bed": "Double", "multiplier": 2}
    assert segment_of("MISS", (180.0, 0.0)) == {"name": "M6", "number": 6, "bed": "Outside", "multiplier": 0}


class Follower:
    """A client written from the protocol's table alone: state over HTTP, then what the WebSocket tells."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.events: list[str] = []
        self.throws: list[str] = []
        self.visits: list[list[str]] = []

    def take(self, message: Mapping[str, Any]) -> None:
        assert message["type"] == "state"
        data = message["data"]
        assert data["numThrows"] == len(data["throws"])
        self.events.append(data["event"])
        if data["event"] == "Takeout finished" and self.throws:
            self.visits.append(self.throws)
        self.throws = [one["segment"]["name"] for one in data["throws"]]


def test_a_client_of_the_dart_protocol_ends_with_the_right_darts(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        client = TestClient(darts_app(matches), base_url="http://127.0.0.1")
        assert client.get("/api/state").json()["numThrows"] == 0
        match_id = matches.create("cricket", ["Ann", "Ben"])
        follower = Follower(client)

        def write(*entries: dict[str, Any]) -> None:
            for entry in entries:
                matches.append(match_id, matches.view(match_id)["seq"], [(entry, None)])
                time.sleep(0.05)

        with client.websocket_connect("ws://127.0.0.1/api/events") as socket:

            def heard(count: int) -> None:
                while len(follower.events) < count:
                    follower.take(socket.receive_json())

            heard(1)
            write(record(throw(0, "T20", 1000)), record(throw(0, "S5", 2000)))
            heard(3)
            assert follower.throws == ["T20", "S5"]
            write(amend(2, throw(0, "S20", 2000)))  # a correction
            heard(4)
            assert follower.throws == ["T20", "S20"]
            write(record(throw(0, "MISS", 3000)))  # a bounce-out
            heard(5)
            assert client.get("/api/state").json()["status"] == "Takeout"
            write(record({"kind": "end_turn", "side": 0, "t_ms": 4000}))
            heard(7)
            assert follower.events[-2:] == ["Takeout started", "Takeout finished"]
            write(record(throw(1, "T19", 5000)))
            heard(8)
            live = Live(source="cam", phase="hand", t_ms=0, done=False, message=None)
            matches.watch(match_id, live)
            heard(9)
            assert follower.events[-1] == "Takeout started"
        assert follower.visits == [["T20", "S20", "M0"]]
        assert follower.throws == ["T19"]
        assert client.get("/api/state").json()["status"] == "Takeout in progress"


def test_the_dart_protocol_only_tells_and_only_here(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        client = TestClient(darts_app(matches), base_url="http://127.0.0.1")
        assert client.put("/api/stop").status_code == 403
        assert client.get("/api/config").status_code in (404, 405)
        assert client.get("/api/state", headers={"Host": "rebound.example"}).status_code == 421
        assert client.get("/api/state", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://127.0.0.1/api/events", headers={"Origin": "http://evil.example"}),
        ):
            pass
        assert state_of(matches.view(matches.create("finn", ["A", "B"])), "Started")["throws"] == []


# ---------------------------------------------------------------- MQTT


class Mosquitto:
    """A real broker on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n", encoding="ascii")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        assert MOSQUITTO is not None
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        until(self._answers)

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2):
            return True
        return False

    def end(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    yield made
    made.end()


class Home:
    """Somebody who listens to everything, as Home Assistant does; it keeps the newest of each topic."""

    def __init__(self, port: int) -> None:
        self.known: dict[str, str] = {}
        self.events: list[dict[str, Any]] = []
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self.client.on_message = self._heard
        self.client.connect_async("127.0.0.1", port)
        self.client.loop_start()

    def _heard(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        self.known[message.topic] = message.payload.decode()
        if message.topic.endswith("/event"):
            self.events.append(json.loads(message.payload))

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.known.get("tallycam/board/state", "{}"))
        return found

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@contextmanager
def at_home(port: int) -> Iterator[Home]:
    """Listen until the end."""
    home = Home(port)
    try:
        yield home
    finally:
        home.close()


def documented(message: Mapping[str, Any]) -> Sequence[str]:
    """Hold a discovery message to what Home Assistant documents for a device; gives what is not so."""
    faults = [key for key in ("dev", "o", "cmps", "state_topic", "availability_topic") if key not in message]
    if not message["dev"].get("ids") or "name" not in message["o"]:
        faults.append("dev.ids or o.name")
    unique = [one.get("unique_id") for one in message["cmps"].values()]
    if len(set(unique)) != len(unique) or None in unique:
        faults.append("unique_id")
    faults += [key for key, one in message["cmps"].items() if one.get("p") not in ("sensor", "binary_sensor")]
    return faults


def test_discovery_is_what_home_assistant_documents() -> None:
    message = discovery("board", "tallycam/board", "1.0", ["Ann", "Ben"])
    assert documented(message) == []
    assert message["cmps"]["score_1"]["name"] == "Ben"
    assert documented(discovery("board", "tallycam/board", "1.0", [])) == []


@needs_broker
def test_a_broker_is_told_state_events_and_discovery_and_all_again_after_its_restart(
    tmp_path: Path, broker: Mosquitto
) -> None:
    with opened(tmp_path) as matches:
        link = Broker(matches, MqttConfig(host="127.0.0.1", port=broker.port))
        link.start()
        try:
            with started(Outlet("mqtt", matches, link.give)) as outlet, at_home(broker.port) as home:
                until(lambda: home.known.get("tallycam/board/availability") == "online")
                match_id = played(matches, "T20 S20 S5", "T19")
                until(lambda: outlet.sent.waiting == 0 and len(home.events) == 6)
                until(lambda: home.state().get("scores") == [20, 0])
                assert home.state()["turn"] == "Ben"
                told = json.loads(home.known["homeassistant/device/tallycam_board/config"])
                assert documented(told) == []
                assert told["cmps"]["score_0"]["name"] == "Ann"
                broker.end()
                matches.append(match_id, 5, [(strike(2), None)])
                home.known.clear()
                broker.start()
                until(lambda: home.state().get("scores") == [0, 0], 60)
                until(lambda: home.known.get("tallycam/board/availability") == "online")
                until(lambda: outlet.sent.waiting == 0)
                assert [event["id"] for event in home.events] == [str(number) for number in range(1, 8)]
                del home.known["homeassistant/device/tallycam_board/config"]
                home.client.publish("homeassistant/status", "online")
                until(lambda: "homeassistant/device/tallycam_board/config" in home.known)
        finally:
            link.close()


@needs_broker
@pytest.mark.long
def test_a_service_that_is_killed_is_told_to_be_offline(tmp_path: Path, broker: Mosquitto) -> None:
    settings = tmp_path / "tallycam.toml"
    settings.write_text(
        f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\npassword = "canary-7"\n', encoding="utf-8"
    )
    args = ("--config", str(settings), "--data", str(tmp_path / "data"))
    with at_home(broker.port) as home:
        with running(*args, port=free_port()) as (service, base):
            until(lambda: home.known.get("tallycam/board/availability") == "online")
            for path in ("/config", "/outlets", "/health"):
                assert "canary-7" not in json.dumps(ask(base, "GET", path))
            assert ask(base, "GET", "/outlets")["outlets"][0]["problem"] is None
            service.end(signal.SIGKILL)
            until(lambda: home.known.get("tallycam/board/availability") == "offline", 60)
        with running(*args, port=free_port()) as (service, _):
            until(lambda: home.known.get("tallycam/board/availability") == "online")
            status, _, _, err = service.end()
            assert (status, err) == (0, "")
            until(lambda: home.known.get("tallycam/board/availability") == "offline")


# ---------------------------------------------------------------- the network's name


def test_the_name_of_the_service_is_said_to_the_network_and_taken_back() -> None:
    here = ["127.0.0.1"]
    asked = ("_http._tcp.local.", "tallycam._http._tcp.local.")
    name = NetworkName("192.168.1.20", 8180, interfaces=here)
    name.start()
    network = Zeroconf(interfaces=here, ip_version=IPVersion.V4Only)
    try:
        until(lambda: network.get_service_info(*asked, timeout=500))
        found = network.get_service_info(*asked, timeout=3000)
        assert found is not None
        assert (found.server, found.port) == ("tallycam.local.", 8180)
        assert found.parsed_addresses() == ["192.168.1.20"]
        name.close()
        until(lambda: not network.get_service_info(*asked, timeout=200))
    finally:
        name.close()
        network.close()


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[webhooks]]\nurl = "ftp://x/"', "line 2: webhooks"),
        ('[[webhooks]]\nurl = "http://user:pass@x/"', "line 2: webhooks"),
        ('[[actions]]\nwhen = ["treble20"]\nurl = "http://x/"', "line 2: actions"),
        ('[mqtt]\nhost = "x"\nboard = "a/b"', "line 3: mqtt.board"),
        ("[darts]\nport = 0", "line 2: darts.port"),
    ],
)
def test_a_setting_that_cannot_be_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_config(text)


def test_an_action_is_tried_from_the_page_and_who_is_told_is_listed(tmp_path: Path, receiver: Receiver) -> None:
    settings, port = tmp_path / "tallycam.toml", free_port()
    settings.write_text(
        f'[[webhooks]]\nurl = "{receiver.url}?token=canary-8"\nsecret = "canary-8"\n'
        f'[[actions]]\nwhen = ["treble"]\nurl = "{receiver.url}"\njson = {{on = true, ps = 3}}\n'
        f"[darts]\nport = {port}\n",
        encoding="utf-8",
    )
    with running("--config", str(settings), "--data", str(tmp_path / "data"), port=free_port()) as (_, base):
        listed = ask(base, "GET", "/outlets")
        assert [one["problem"] for one in listed["outlets"]] == [None, None]
        assert "canary-8" not in json.dumps([listed, ask(base, "GET", "/config")])
        assert "/hook" not in json.dumps(listed)
        assert ask(base, "POST", "/outlets/actions/1/test") == {"problem": None}
        assert json.loads(receiver.got[-1][1]) == {"on": True, "ps": 3}
        receiver.status = lambda _: 404
        assert ask(base, "POST", "/outlets/actions/1/test") == {"problem": "answered 404"}
        with socket.create_connection(("127.0.0.1", port), 5) as line:
            line.sendall(
                f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
            )
            assert line.makefile("rb").read().split(b"\r\n\r\n", 1)[1].startswith(b'{"connected":true')


def test_figures_are_told_as_prometheus_reads_them(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        played(matches, "T20")
        app = create_app(matches)
        text = TestClient(app, base_url="http://127.0.0.1").get("/api/v1/metrics").text
    lines = text.splitlines()
    assert "tallycam_matches 1" in lines
    assert "tallycam_changes_total 2" in lines
    assert "# TYPE tallycam_changes_total counter" in lines
    for line in lines:
        assert re.fullmatch(r"# (HELP|TYPE) tallycam_\w+ .+|tallycam_\w+(\{[^}]*\})? [0-9.e+-]+", line), line


def test_a_receiver_that_never_answers_holds_nothing_up(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.outward.posting.PATIENCE_S", 0.3)
    wait = threading.Event()
    receiver.status = lambda count: 200 if count > 2 or wait.wait(5) else 503
    with opened(tmp_path) as matches:
        outlet = Outlet("slow", matches, webhook(receiver.url, None))
        with started(outlet):
            begun = time.monotonic()
            played(matches, "T20 S20 S5", "T19")
            assert time.monotonic() - begun < 2.0
            until(lambda: outlet.sent.problem)
            wait.set()
            until(lambda: outlet.sent.waiting == 0)
