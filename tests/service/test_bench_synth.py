"""`tallycam bench synth`, as typed, on two stills of each game."""

import json
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

from service.cli.main import main
from vision.synth.fast import FastEngine, open_fast


@pytest.mark.slow
def test_speed_is_printed_of_all_games(capsys: pytest.CaptureFixture[str]) -> None:
    if not isinstance(open_fast(), FastEngine):
        pytest.skip("needs OpenGL")
    with pytest.raises(SystemExit) as stop:
        main(["bench", "synth", "--count", "2", "--workers", "1", "--blender", "", "--json"])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["fast"]) == {"finn", "cricket", "astrolabe"}
    assert all(one["per_s"] > 0 and one["cpu_s"] > 0 for one in found["fast"].values())
    assert all(one["cpu_s"] > 0 for one in found["physics"].values())
    assert found["photo"] is None


def test_a_python_without_blender_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(
            ["synth", "finn", "--quality", "photo", "--count", "1", "-o", str(tmp_path), "--blender", "/no/python"]
        )
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") <= 2
    assert "/no/python" in said
