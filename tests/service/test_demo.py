"""The demo: what it prints while a recording runs, and how it ends."""

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.service import Service, ask, opened, record, visits

from service.cli.demo import Teller
from service.live import Scribbled
from service.matches import Matches
from vision.assets import asset
from vision.events import Event

SEEN = Event(kind="takeout", t_ms=1, frame=1, end_frame=2)


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    with opened(tmp_path) as found:
        yield found


def test_each_visit_is_told_once_with_what_it_brought(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Benedikt"])
    said: list[str] = []
    teller = Teller(matches, match_id, said.append)
    for seq, entry in enumerate(visits("T20 S20 MISS", "T20 DB S7", "T18")):
        ids = matches.append(match_id, seq, [(entry, None)])
        teller.wrote(Scribbled(ids=ids, event=SEEN, actions=()))
    teller.ended()
    assert said == [
        "Ann       T20  S20  MISS   +20      20 : 0",
        "Benedikt  T20  DB   S7     +50     20 : 50   20 closed",
        "\nThe recording has ended: Ann 20, Benedikt 50.",
    ]


def test_turns_of_other_games_are_told_in_their_notation_and_the_open_one_at_the_end(matches: Matches) -> None:
    match_id = matches.create("astrolabe", ["Ann", "Benedikt"])
    said: list[str] = []
    teller = Teller(matches, match_id, said.append)
    shot = record({"kind": "shot", "side": 0, "t_ms": 0, "moves": [{"ball": 0, "from": "hand", "to": [2, 0]}]})
    begun = record({"kind": "start_round", "t_ms": 0})
    ids = matches.append(match_id, 0, [(begun, None), (shot, None)])
    teller.wrote(Scribbled(ids=ids, event=SEEN, actions=()))
    assert said == []
    teller.ended()
    line, end = said
    assert line.split()[:2] == ["Ann", "start"]
    assert "…" in line
    assert end.startswith("\nThe recording has ended: Ann ")


@pytest.mark.parametrize("game", ["cricket", "astrolabe"])
def test_the_result_is_the_recordings_true_one(tmp_path: Path, game: str) -> None:
    demo = Service("demo", "--game", game, "--fast", "--json", cwd=tmp_path)
    out, err = demo.process.communicate(timeout=180)
    truth = json.loads((asset(f"datasets/samples/{game}") / "truth.json").read_text(encoding="utf-8"))
    assert (demo.process.returncode, err) == (0, "")
    got, true = json.loads(out), truth["result"]
    for state in (got["state"], true["state"]):
        state.pop("round_ends_ms", None)  # goes by when the first shot was seen, to the frame
    assert got == true
    assert list(tmp_path.iterdir()) == [], "the demo leaves nothing behind"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.long
def test_it_serves_while_the_recording_runs_and_ends_when_asked(tmp_path: Path, number: signal.Signals) -> None:
    demo = Service("demo", "--port", "0", "--data", str(tmp_path / "kept"), cwd=tmp_path)
    assert demo.process.stdout is not None
    line = demo.process.stdout.readline()
    found = re.search(r"(http://127\.0\.0\.1:\d+)/match/(\w+)", line)
    assert found, line
    base, match_id = found.groups()
    demo.ready(base)
    deadline = time.monotonic() + 30
    while not (live := ask(base, "GET", f"/matches/{match_id}")["live"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert live["source"] == "bundled recording"
    assert not live["done"]
    status, seconds, _, err = demo.end(number)
    assert (status, err) == (0, "")
    assert seconds < 5, "under a second by itself; the machine that tests may be busy"
