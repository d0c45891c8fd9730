"""The settings file: what it takes, the line of each fault, the last good settings kept."""

import json
import os
import re
import signal
import time
import tomllib
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator
from starlette.testclient import TestClient
from support.service import Service, ask, free_port, opened, running

from service.api import create_app
from service.config import Config, ConfigError, Settings, line_of, parse_config, read_config, schema


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\nprot = 1", "line 2: there is no setting 'server.prot'; takes port, hosts"),
        ("\n\n[sever]\nport = 1", "line 3: there is no setting 'sever'; takes server, data, media"),
        (
            "[server]\n# a word\n\nport = '8180'",
            "line 4: server.port: got '8180', input should be a valid integer",
        ),
        ("server.port = true", "line 1: server.port: got True, input should be a valid integer"),
        ("[server]\nport = 70000", "line 2: server.port: got 70000, input should be less than or equal to 65535"),
        ("[server]\nhosts = [\n 'a.b',\n 3]", "line 2: server.hosts.1: got 3, input should be a valid string"),
        ("[server]\nhosts = ['a/b']", "line 2: server.hosts.0: got 'a/b', string should match pattern"),
        ("[streams]\nbeat_s = nan", "line 2: streams.beat_s: got nan"),
        ("server = 3", "line 1: server: got 3"),
        ("[server]\nport = ", "line 2: no TOML, invalid value"),
        ("[server]\nport = 1\nport = 2", "line 3: no TOML, cannot overwrite a value"),
        ("a = " + "[" * 5000, "line 1: no TOML"),
        ("[server]\nport = 'x'\nold = 1", "line 2: server.port: got 'x'"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as fault:
        parse_config(text)
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    "text",
    [
        '[[webhooks]]\nurl = "http://ann:canary@club.example/"',
        '[[webhooks]]\nurl = "club.example/?token=canary"',
        '[mqtt]\nhost = "h"\npassword = ["canary"]',
        'mqtt = ["canary"]',
    ],
)
def test_a_fault_in_a_secret_does_not_tell_it(text: str) -> None:
    with pytest.raises(ConfigError) as fault:
        parse_config(text)
    assert "canary" not in str(fault.value)


def test_every_fault_is_told_in_the_order_of_the_lines() -> None:
    with pytest.raises(ConfigError) as fault:
        parse_config("[streams]\nstuck_s = 0\n[server]\nport = -1")
    assert re.findall(r"line \d+: [\w.]+", str(fault.value)) == ["line 2: streams.stuck_s", "line 4: server.port"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('x = """\n[a]\nb = 1\n"""\n[a]\nb = 2', 6),
        ("\na = { c = 1, b = 2 }", 2),
        ("a.c = 1\na.'b' = 2", 2),
    ],
)
def test_the_line_is_right_however_toml_is_written(text: str, line: int) -> None:
    assert line_of(text, ("a", "b")) == line


def test_what_is_left_out_has_its_default() -> None:
    assert parse_config("") == Config()
    assert parse_config("[streams]\nbeat_s = 2").streams.stuck_s == Config().streams.stuck_s


@pytest.mark.parametrize("raw", [b"[server]\nport = 1 # \xff", b"x" * 300_000])
def test_what_is_no_settings_file_is_said_to_be_none(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes(raw)
    with pytest.raises(ConfigError, match=r"line 2: not UTF-8|more than"):
        read_config(path)


def test_the_schema_takes_what_we_take_and_refuses_what_we_refuse(root: Path) -> None:
    judge = Draft202012Validator(schema())
    text = (root / "docs" / "config.md").read_text(encoding="utf-8")
    examples = [tomllib.loads(found) for found in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    assert all(judge.is_valid(example) for example in examples)
    assert {name for example in examples for name in example} == set(Config.model_fields)
    for name, table in Config().model_dump(exclude_none=True).items():
        assert not table or set(table) == set(examples[0][name]) - {"folder"} | set(table)
    for wrong in ("[server]\nprot = 1", "[server]\nport = '1'", "more = 1"):
        assert not judge.is_valid(tomllib.loads(wrong))


def test_a_changed_file_takes_effect_and_a_faulty_one_leaves_the_last_good(tmp_path: Path) -> None:
    path = tmp_path / "tallycam.toml"
    write(path, "[server]\nhosts = ['one.local']\n")
    settings = Settings(path)
    beats: list[float] = []
    settings.whenever(lambda config: beats.append(config.streams.beat_s))
    with opened(tmp_path) as matches:
        client = TestClient(create_app(matches, settings=settings), base_url="http://localhost")

        def status(host: str) -> int:
            return client.get("/api/v1/health", headers={"host": host}).status_code

        assert (status("one.local"), status("two.local")) == (200, 421)
        write(path, "[server]\nhosts = ['Two.local']\n[streams]\nbeat_s = 2.0\n")
        settings.look()
        assert (status("one.local"), status("two.local"), beats) == (421, 200, [5.0, 2.0])
        write(path, "[server]\nhosts = ['two.local']\n[streams]\nbeat = 2.0\n")
        settings.look()
        assert (status("two.local"), beats) == (200, [5.0, 2.0])
        told = client.get("/api/v1/config").json()
        assert "line 4: there is no setting 'streams.beat'" in told["problem"]
        assert told["settings"]["streams"]["beat_s"] == 2.0
        path.unlink()
        settings.look()
        assert status("two.local") == 200
        assert "cannot be read" in client.get("/api/v1/config").json()["problem"]
        write(path, "")
        settings.look()
        assert client.get("/api/v1/config").json()["problem"] is None
        assert client.get("/api/v1/config/schema").json() == schema()


def write(path: Path, text: str) -> None:
    """Write a file so that its time is another than before."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    if path.stat().st_mtime_ns == before:
        os.utime(path, ns=(before + 1, before + 1))


@pytest.mark.long
def test_the_service_takes_its_settings_from_the_file_and_looks_at_it_again(tmp_path: Path) -> None:
    port = free_port()
    path = tmp_path / "tallycam.toml"
    path.write_text(f"[server]\nport = {port}\n[data]\nfolder = 'kept'\n", encoding="utf-8")
    with running("--config", str(path), port=port, fixed=False) as (service, base):
        assert ask(base, "GET", "/config")["settings"]["data"]["folder"] == "kept"
        assert (tmp_path / "kept" / "tallycam.db").exists()
        path.write_text("[server]\nport = 'no'\n", encoding="utf-8")
        until = time.monotonic() + 15
        while ask(base, "GET", "/config")["problem"] is None:
            assert time.monotonic() < until
            time.sleep(0.2)
        _, _, _, err = service.end(signal.SIGINT)
        assert "line 2: server.port" in err
        assert "last good settings stay" in err


def test_a_faulty_file_at_the_start_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "tallycam.toml"
    path.write_text("[server]\nprot = 1\n", encoding="utf-8")
    service = Service("serve", "--config", str(path), "--data", str(tmp_path / "d"))
    out, err = service.process.communicate(timeout=20)
    assert (service.process.returncode, out, err.count("\n")) == (2, "", 1)
    assert "line 2: there is no setting 'server.prot'" in err
    assert not (tmp_path / "d").exists()


def test_there_is_no_such_thing_as_a_config_to_write(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        client = TestClient(create_app(matches), base_url="http://localhost")
        answer = client.put("/api/v1/config", json={})
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
        assert json.loads(answer.text)["code"] == "METHOD_NOT_ALLOWED"
