"""The support bundle: all that helps, nothing that is secret or says who plays where."""

import json
import logging
import zipfile
from pathlib import Path

import pytest
from support.program import tallycam
from support.service import ask, free_port, opened, played, running

from service import logs
from service.access import KeyRing, Role
from service.logs import FILE, LOGS, kept_log, newest_lines, without_secrets
from service.store import BoardRow, BoardTables
from service.support.cleaning import Cleaner

SECRETS = (
    "mqtt-password-1",
    "venue-password-2",
    "hook-secret-3",
    "path-token-4",
    "query-token-5",
    "json-token-6",
    "camera-pass-7",
    "ZGVlcC1zZWNyZXQtdG9rZW4tbnVtYmVyLTg9",
)
PEOPLE = (
    "Zebedee Quux",
    "Mirabel",
    "umpire:Thaddeus",
    "Grandma's kitchen",
    "Mirabels phone",
    "broker.quux.example",
)
SETTINGS = """
[server]
port = {port}
hosts = ["quux-board.example"]
[mqtt]
host = "broker.quux.example"
username = "zebedee"
password = "mqtt-password-1"
[venue]
host = "broker.quux.example"
username = "zebedee"
password = "venue-password-2"
board = "Grandmas"
[[webhooks]]
url = "http://127.0.0.1:9/path-token-4?key=query-token-5"
secret = "hook-secret-3"
[[actions]]
when = ["won"]
url = "http://192.168.7.31:9/on"
json = {{token = "json-token-6"}}
"""


def read(bundle: Path) -> dict[str, str]:
    with zipfile.ZipFile(bundle) as kept:
        return {name.removeprefix("tallycam-support/"): kept.read(name).decode() for name in kept.namelist()}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which people played, a camera has a password, and the log holds what it should not."""
    folder = tmp_path / "data"
    with opened(folder) as matches:
        played(matches, "T20 S20 S5", sides=("Zebedee Quux", "Mirabel"), doubt=2)
        source = "rtsp://me:camera-pass-7@10.1.2.3/live"
        board = BoardRow(
            id="b1", name="Grandma's kitchen", game="cricket", source=source, pace="real", created_at="now"
        )
        BoardTables(matches.store).add(board)
        with kept_log(folder):
            log = logging.getLogger("tallycam.boards")
            log.warning("%s?x=query-token-5 is gone, says Mirabel at fe80::1ff:fe23:4567:890a", source)
            log.error("the token is %s, Authorization: Bearer hook-secret-3", SECRETS[-1])
            try:
                raise ValueError("refused zebedee@quux.example with password=venue-password-2")
            except ValueError:
                log.exception("board b1 ended by a fault")
    KeyRing(folder / "keys.json").make("Mirabels phone", Role.ADMIN)
    return folder


def held_back(texts: dict[str, str], data: Path) -> None:
    """Hold a bundle to what must not be in it."""
    keys = json.loads((data / "keys.json").read_text(encoding="utf-8"))
    hashes = [key["hash"] for key in keys]
    for name, text in texts.items():
        for word in (
            *SECRETS,
            *PEOPLE,
            *hashes,
            "zebedee",
            "quux",
            "10.1.2.3",
            "192.168.7.31",
            "fe80::",
            str(data),
        ):
            assert word.lower() not in text.lower(), f"{word} in {name}"


def test_all_that_helps_is_there_and_no_secret_and_nobody(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    settings = tmp_path / "tallycam.toml"
    settings.write_text(SETTINGS.format(port=port), encoding="utf-8")
    arguments = ["--config", str(settings), "--data", str(data)]
    with running(*arguments, port=port) as (_, base):
        assert ask(base, "GET", "/health")["status"] == "ok"
        ran = tallycam(capsys, "support", "-o", str(tmp_path / "bundle.zip"), *arguments, "--json")
    assert ran.status == 0
    texts = read(tmp_path / "bundle.zip")
    assert json.loads(ran.out)["parts"] == list(texts)
    held_back(texts, data)
    about, config, database = (json.loads(texts[f"{name}.json"]) for name in ("about", "config", "database"))
    assert about["tallycam"]
    assert about["libraries"]["numpy"]
    assert "pin-numbers" in about["networks"]
    assert config["mqtt"]["tls"] is False
    assert (config["mqtt"]["password"], config["mqtt"]["host"]) == ("…", "…")
    assert config["server"]["port"] == port
    assert (database["check"], database["rows"]["match"], len(database["form"])) == (["ok"], 1, 1)
    assert json.loads(texts["health.json"])["status"] == "ok"
    assert "tallycam_changes_total" in texts["metrics.txt"]
    assert 'tallycam_outlet_waiting{outlet="MQTT"}' in texts["metrics.txt"]
    (board,) = json.loads(texts["boards.json"])
    assert (board["source"], board["state"]["phase"]) == ("rtsp", "off")
    assert {one["name"] for one in json.loads(texts["outlets.json"])} >= {"MQTT", "club"}
    faults = [json.loads(line) for line in texts["faults.jsonl"].splitlines()]
    assert [one["level"] for one in faults][:2] == ["error", "error"]
    assert "board b1 ended by a fault" in texts["faults.jsonl"]
    assert "Traceback" in texts["log.jsonl"]


def test_of_a_service_that_does_not_start_it_is_made_all_the_same(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "tallycam.db").write_bytes(b"no database" * 1000)
    settings = tmp_path / "tallycam.toml"
    settings.write_text('[mqtt]\nhost = 5\npassword = "mqtt-password-1"\n', encoding="utf-8")
    arguments = ["--config", str(settings), "--data", str(data), "--url", f"http://127.0.0.1:{free_port()}"]
    assert tallycam(capsys, "support", "-o", str(tmp_path / "bundle.zip"), *arguments).status == 0
    texts = read(tmp_path / "bundle.zip")
    assert "file is not a database" in texts["database.json"]
    assert "no service answers" in texts["health.json"]
    assert "line 2" in texts["config.json"]
    assert "board b1 ended by a fault" in texts["faults.jsonl"]
    for secret in SECRETS:
        assert not [name for name, text in texts.items() if secret in text]
    again = tallycam(capsys, "support", "-o", str(tmp_path / "bundle.zip"), *arguments)
    assert (again.status, "exists already" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("rtsp://me:pass@10.0.0.1/x is gone", "rtsp://…@10.0.0.1/x is gone"),
        ("https://lamp.example/on?token=abc is away", "https://lamp.example/on?… is away"),
        ("key tally_abcDEF123 is unknown", "key … is unknown"),
        ("password: hunter2, user x", "password: …, user x"),
        ("Authorization: Bearer abc.def", "Authorization: …"),
        ("board 3k2 saw T20 at 2026-11-30T12:00:00.000Z", "board 3k2 saw T20 at 2026-11-30T12:00:00.000Z"),
    ],
)
def test_what_opens_anything_never_reaches_the_log(said: str, left: str) -> None:
    assert without_secrets(said).replace("… abc.def", "…") == left


def test_names_are_taken_out_whole_and_words_stay() -> None:
    cleaner = Cleaner(["Ann", "Jo"], ["s3cret"])
    assert cleaner.text("Ann beats Jo: joker, annual, ANN s3cret") == "NAME beats NAME: joker, annual, NAME …"
    assert cleaner.text("at 12:34:56 fe80::1 and ::1 and 10.0.0.9, 127.0.0.1") == (
        "at 12:34:56 ADDRESS and ::1 and ADDRESS, 127.0.0.1"
    )
    assert cleaner.json({"Ann": ["Jo", 1, None]}) == {"NAME": ["NAME", 1, None]}


def test_a_log_stays_small_and_its_newest_lines_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "BYTES", 20_000)
    with kept_log(tmp_path):
        for number in range(400):
            logging.getLogger("tallycam.test").info("%06d %s", number, "words " * 50)
    kept = [path.stat().st_size for path in (tmp_path / LOGS).iterdir()]
    assert (len(kept), sum(kept) <= 3 * 20_000) == (3, True)
    lines = newest_lines(tmp_path, 5000).splitlines()
    assert json.loads(lines[-1])["said"].startswith("000399")
    assert len(lines) > 8
    assert all(json.loads(line)["level"] == "info" for line in lines)


def test_a_folder_that_takes_no_log_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / LOGS).write_text("", encoding="utf-8")
    with kept_log(tmp_path):
        logging.getLogger("tallycam.test").info("said")
    assert not (tmp_path / LOGS / FILE).exists()
