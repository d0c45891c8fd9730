"""Networks in shadow read what boards saw beside those in use; where they differ is written down, nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.networks import candidate
from support.seen import SAMPLES, Watched
from support.service import UMPIRE

from service.api import create_app
from service.cli.main import main
from service.matches import Matches
from service.reviews import Reviews
from service.shadow.log import MOST, add_line, lines_of
from service.shadow.runner import Shadow
from service.store import open_store
from vision.assets import asset
from vision.evaluate.answers import Said, differ, right_of, said
from vision.models import (
    FOLDER,
    SHADOWED,
    ModelRefused,
    end_shadow,
    in_shadow,
    in_use,
    promote,
    read_model,
    shadow,
)

AT = "2026-11-30T12:00:00.000Z"


@pytest.fixture
def store_of_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER, str(tmp_path / "networks"))
    return tmp_path / "networks"


@pytest.mark.usefixtures("store_of_networks")
def test_what_runs_in_shadow_is_used_by_nobody_who_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = read_model(candidate(tmp_path / "new"), "finn-pins")
    shadow(new)
    assert in_use("finn-pins").shipped
    assert [model.sha256 for model in in_shadow()] == [new.sha256]
    monkeypatch.setenv(SHADOWED, "1")
    assert in_use("finn-pins").sha256 == new.sha256
    assert in_use("pin-numbers").shipped
    monkeypatch.delenv(SHADOWED)
    end_shadow("finn-pins")
    assert in_shadow() == ()
    with pytest.raises(ModelRefused, match="no network runs in shadow"):
        end_shadow("finn-pins")
    shadow(new)
    promote(new)
    assert in_shadow() == ()
    with pytest.raises(ModelRefused, match="in use"):
        shadow(new)


def test_readings_differ_in_what_counts_or_in_whether_it_counts_without_a_look() -> None:
    one = Said(read=["T20"], confidence=0.9, codes=())
    assert not differ(one, Said(read=["T20"], confidence=0.8, codes=()))
    assert differ(one, Said(read=["S20"], confidence=0.9, codes=()))
    assert differ(one, Said(read=["T20"], confidence=0.9, codes=("ON_A_WIRE",)))
    assert said("cricket", {"error": "HAND_IN_VIEW", "message": ""}) == Said(
        read=None, confidence=None, codes=("HAND_IN_VIEW",)
    )


@pytest.mark.parametrize(
    ("game", "now", "new", "truth", "right"),
    [
        ("cricket", ["T20"], ["S20"], {"segment": "S20"}, "candidate"),
        ("cricket", ["T20"], [], None, "candidate"),
        ("finn", {"7": "fallen"}, {}, {"pins": {"7": "fallen"}}, "now"),
        ("finn", {"7": "fallen"}, {"8": "fallen"}, {"pins": {"9": "fallen"}}, "neither"),
        ("astrolabe", None, [{"ball": 0, "from": "hand", "to": [1, 2]}],
         {"moves": [{"ball": 0, "from": "hand", "to": [1, 2]}]}, "candidate"),
    ],
)  # fmt: skip
def test_a_persons_word_tells_who_was_right(game: str, now: Any, new: Any, truth: Any, right: str) -> None:  # noqa: ANN401
    assert right_of(game, {"now": {"read": now}, "candidate": {"read": new}}, truth) == right


def test_the_log_keeps_the_newest_and_passes_over_what_broke_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.shadow.log.MOST", 3)
    for number in range(5):
        add_line(tmp_path, {"sighting": number})
    with (tmp_path / "shadow.jsonl").open("a") as file:
        file.write('{"sighting": 9')
    assert [line["sighting"] for line in lines_of(tmp_path)] == [2, 3, 4]
    assert MOST > 1000


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Watched]:
    """A match of pins whose board is that of a bundled still."""
    with open_store(tmp_path / "data") as store:
        one = Watched(Matches(store), "finn", ("Ann", "Ben"), on_doubt="mark")
        truth = json.loads((asset(f"{SAMPLES}/finn/stills/000602") / "truth.json").read_text())
        one.boards.table.end(one.watching.id, "ended", AT)
        row = one.boards.table.add_setup(one.board_id, truth["setup"], "player", AT)
        board = one.boards.table.get(one.board_id)
        lying = {"pins": truth["before"]}
        one.watching = one.boards.table.begin(board, one.match_id, row.version, lying=lying, zero_ms=0, at=AT)
        yield one
        one.end()


def sees(one: Watched) -> int:
    """See the shot of the still, read as it was."""
    truth = json.loads((asset(f"{SAMPLES}/finn/stills/000602") / "truth.json").read_text())
    pins = {name: pin["state"] for name, pin in truth["after"].items() if pin["state"] != "upright"}
    action = {"kind": "shot", "side": 0, "t_ms": 1000, "pins": pins, "cushions": 0}
    data = {"action": action, "pins": {}, "confidence": 0.5, "review": [{"code": "PIN_UNSURE"}]}
    return one.take("shot", 1000, data, one.still("000602"))


@pytest.mark.usefixtures("store_of_networks")
@pytest.mark.long
def test_a_candidate_is_compared_on_what_is_seen_and_touches_no_score(
    seen: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shades = Shadow(seen.matches)
    try:
        sees(seen)
        with pytest.raises(SystemExit):
            main(["models", "shadow", "finn-pins", str(candidate(tmp_path / "new"))])
        assert shades.look() == 0  # what was seen before it is not compared
        before = seen.matches.text(seen.match_id)
        number = sees(seen)
        assert shades.look() == 1
        assert shades.look() == 0
    finally:
        shades.close()
    assert seen.matches.text(seen.match_id) != before  # the second shot was scored, by what saw it alone
    Reviews(seen.matches, seen.boards.sightings).decide(number, "accept", UMPIRE)
    with TestClient(create_app(seen.matches, boards=seen.boards), base_url="http://localhost") as client:
        told = client.get("/api/v1/shadow").json()
    assert (told["compared"], told["differed"]) == (1, 1)
    (line,) = told["differences"]
    assert line["sighting"] == number
    assert line["now"]["read"] != line["candidate"]["read"]
    assert line["right"] in ("now", "neither")
    assert line["networks"] == told["candidates"]
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(["models", "differences", "--data", str(seen.matches.store.folder)])
    assert stop.value.code == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 readings compared, 1 differed"


def test_without_a_candidate_nothing_is_begun(seen: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER, raising=False)
    sees(seen)
    assert Shadow(seen.matches).look() == 0
    assert not (seen.matches.store.folder / "shadow.jsonl").exists()
