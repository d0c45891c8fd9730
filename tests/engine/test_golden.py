"""Golden matches: what a long match of each game comes to, word for word."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from engine import GAMES, explain, format_sheet, parse_sheet

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("game", GAMES)
def test_explained_output(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = spec_from_file_location("golden_regenerate", FOLDER / "regenerate.py")
    assert spec is not None
    assert spec.loader is not None
    regenerate = module_from_spec(spec)
    spec.loader.exec_module(regenerate)
    text = (FOLDER / f"{game}.jsonl").read_text(encoding="utf-8")
    wanted = (FOLDER / f"{game}.txt").read_text(encoding="utf-8")
    assert regenerate.explained(text) == wanted, (
        "python tests/engine/golden/regenerate.py, then look at the difference"
    )


@pytest.mark.parametrize("game", GAMES)
def test_golden_matches_are_canonical_and_hold_every_kind_of_entry(game: str) -> None:
    text = (FOLDER / f"{game}.jsonl").read_text(encoding="utf-8")
    sheet = parse_sheet(text)
    assert format_sheet(sheet) == text
    assert {entry.entry for entry in sheet.entries} == {"record", "amend", "strike", "insert"}
    assert {line.effect for line in explain(sheet)} >= {"played", "struck", "holds", "refused", "unreached"}
