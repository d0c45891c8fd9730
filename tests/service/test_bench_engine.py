"""`tallycam bench`: that measurements measure."""

import json

import pytest
from support.program import tallycam

from engine import GAMES, parse_sheet, replay
from service.bench import engine as bench
from service.cli.bench import PARTS


@pytest.mark.parametrize("game", GAMES)
def test_the_measured_match_is_300_allowed_actions(game: str) -> None:
    played = replay(parse_sheet(bench.match_text(game)))
    assert played.conflict is None
    assert len(played.steps) == bench.ACTIONS


def test_figures(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SHEETS", 3)
    monkeypatch.setattr(bench, "ROUNDS", 2)
    monkeypatch.setattr(bench, "ACTIONS", 30)
    found = json.loads(tallycam(capsys, "bench", "engine", "--json").out)
    assert set(found) == {*GAMES, "score_1000_files"}
    assert all(found[game]["rebuild_ms"] > 0 for game in GAMES)
    assert "3 scoresheets through one call" in tallycam(capsys, "bench", "engine").out


def test_measurements_are_found_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "bench", "nothing")
    assert (ran.status, ran.err) == (2, f"tallycam: there is no measurement 'nothing'; takes {', '.join(PARTS)}\n")
    for part in PARTS:
        assert f"tallycam bench {part}" in tallycam(capsys, "bench", part, "--help").out
