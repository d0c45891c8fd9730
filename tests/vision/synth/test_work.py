"""Sets of scenes go on where they stopped, and the same seed gives the same files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

from service.cli.main import main
from vision.setup import Setup, parse_setup
from vision.synth import sets
from vision.synth.fast import FastEngine, open_fast
from vision.synth.order import Order
from vision.synth.sets import kept_in, recipe_digest
from vision.synth.work import MANIFEST, make


@pytest.fixture(scope="module", autouse=True)
def _needs_opengl() -> None:
    found = open_fast()
    if not isinstance(found, FastEngine):
        pytest.skip(found.message)


def order(folder: Path, game: str, count: int = 1) -> Order:
    return Order(game=game, kind="stills", quality="fast", seed=1, count=count, folder=folder)


@pytest.mark.parametrize("game", ["cricket", "finn", "astrolabe"])
@pytest.mark.long
def test_same_seed_same_files(game: str, tmp_path: Path) -> None:
    first = make(order(tmp_path / "a", game), workers=1)
    again = make(order(tmp_path / "b", game), workers=1)
    assert first == again
    truth = json.loads((tmp_path / "a" / "000001" / "truth.json").read_text())
    assert isinstance(parse_setup(truth["setup"]), Setup)


def test_a_set_goes_on_where_it_stopped(tmp_path: Path) -> None:
    make(order(tmp_path, "astrolabe", 1), workers=1)
    kept = (tmp_path / "000001" / "after.jpg").stat().st_mtime_ns
    with (tmp_path / MANIFEST).open("a") as manifest:
        manifest.write('{"seed": 2, "ga')  # the line that was being written
    calls: list[int] = []
    rows = make(order(tmp_path, "astrolabe", 2), workers=1, done=lambda: calls.append(1))
    assert [row["seed"] for row in rows] == [1, 2]
    assert len(calls) == 2
    assert (tmp_path / "000001" / "after.jpg").stat().st_mtime_ns == kept


def test_a_file_that_was_changed_is_made_again(tmp_path: Path) -> None:
    before = make(order(tmp_path, "astrolabe"), workers=1)
    (tmp_path / "000001" / "after.jpg").write_bytes(b"no picture")
    assert make(order(tmp_path, "astrolabe"), workers=1) == before


def test_a_folder_that_holds_other_scenes_too_gives_those_ordered(tmp_path: Path) -> None:
    first = order(tmp_path, "astrolabe", 1)
    (row,) = make(first, workers=1)
    calls: list[int] = []
    (other,) = make(replace(first, seed=2), workers=1, done=lambda: calls.append(1))
    assert (row["seed"], other["seed"], calls) == (1, 2, [1])
    assert len((tmp_path / MANIFEST).read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("game", "kind", "quality"),
    [("cricket", "stills", "fast"), ("astrolabe", "clips", "fast"), ("astrolabe", "stills", "photo")],
)
def test_a_set_of_another_recipe_is_not_overwritten(tmp_path: Path, game: str, kind: str, quality: str) -> None:
    row = {"seed": 1, "game": "astrolabe", "kind": "stills", "quality": "fast", "files": {}}
    (tmp_path / MANIFEST).write_text(json.dumps(row) + "\n")
    with pytest.raises(
        RuntimeError, match="holds another set, of astrolabe stills fast: nothing of it was touched"
    ):
        make(replace(order(tmp_path, game), kind=kind, quality=quality), workers=1)
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]
    assert json.loads((tmp_path / MANIFEST).read_text()) == row


def test_what_was_made_and_where_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--count", "1", "--workers", "1", "-o", str(tmp_path / "set")]
    for game, status in (("astrolabe", 0), ("cricket", 2)):
        with pytest.raises(SystemExit) as stop:
            main(["synth", game, *argv])
        assert stop.value.code == status
    said = capsys.readouterr()
    assert said.out == f"1 still in {tmp_path / 'set'}\n"
    (line,) = said.err.splitlines()
    assert line.startswith(f"tallycam: {tmp_path / 'set'} holds another set, of astrolabe stills fast")


def test_what_cannot_be_drawn_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError):  # as where an extra is not installed
        make(order(tmp_path / "sets" / "new", "no_such_game"), workers=1)
    assert not any(tmp_path.iterdir())


def test_kept_sets_are_named_by_what_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = kept_in("finn", "stills", "fast")
    assert folder.parent == tmp_path / "tallycam" / "sets"
    assert folder.name == f"finn-stills-fast-{recipe_digest()}"
    assert kept_in("finn", "clips", "fast") != folder
    monkeypatch.setattr(sets, "HERE", tmp_path)
    recipe_digest.cache_clear()
    (tmp_path / "other.py").write_text("changed")
    assert kept_in("finn", "stills", "fast") != folder
    recipe_digest.cache_clear()
