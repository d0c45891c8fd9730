"""`tallycam train`: what it refuses, and what it hands to the trainer."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.cli import train
from service.cli.main import main


def refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run the program, which must refuse; give its one line."""
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_what_cannot_be_trained_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "one of darts, finn-pins, board-numbers" in refused(["train", "cats"], capsys)


def test_an_option_that_the_trainer_has_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "without --minutes" in refused(["train", "board-numbers", "--minutes", "3"], capsys)


def test_without_torch_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "vision.train.tips", raising=False)
    assert "pip install 'tallycam[train,synth]'" in refused(["train", "darts"], capsys)


def test_the_trainer_gets_its_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    called: list[list[str]] = []
    trainer = SimpleNamespace(main=lambda: called.append(sys.argv[1:]))
    monkeypatch.setattr(train, "import_module", lambda name: trainer if name == "vision.train.tips" else None)
    before = list(sys.argv)
    with pytest.raises(SystemExit) as stop:
        main(["train", "darts", "--cache", str(tmp_path), "--minutes", "5", "-o", "weights"])
    assert stop.value.code == 0
    assert called == [["--out", "weights", "--cache", str(tmp_path), "--minutes", "5.0"]]
    assert sys.argv == before
