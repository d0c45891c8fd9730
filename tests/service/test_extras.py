"""Commands that need an extra say so in one sentence, with the command that installs it."""

import sys
from pathlib import Path

import pytest

from service.cli.main import main


@pytest.mark.parametrize(
    ("argv", "lacks", "extra"),
    [
        (["train", "darts"], "torch", "[train,synth]"),
        (["train", "pin-numbers"], "torch", "[train,synth]"),
        (["synth", "finn", "--count", "1", "-o", "OUT"], "mujoco", "[synth]"),
        (["synth", "cricket", "--count", "1", "-o", "OUT"], "moderngl", "[synth]"),
        (["synth", "finn", "--shares", "--count", "1"], "mujoco", "[synth]"),
        (["synth", "cricket", "--check", "--count", "1"], "moderngl", "[synth]"),
        (["synth", "cricket", "--kind", "sample", "-o", "OUT"], "moderngl", "[synth]"),
        (["venue", "--mqtt", "127.0.0.1", "--database", "postgresql://127.0.0.1/club"], "psycopg", "[venue]"),
    ],
)
def test_without_an_extra_it_is_said_how_to_have_it(  # noqa: PLR0917 - a table and fixtures
    argv: list[str],
    lacks: str,
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] == lacks or name.startswith(("vision.synth", "vision.train", "service.venue")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, lacks, None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(argv)
    said = capsys.readouterr().err.splitlines()
    assert stop.value.code == 2
    assert len(said) == 1
    assert "pip install" in said[0]
    assert extra in said[0]
    assert not (tmp_path / "OUT").exists()
