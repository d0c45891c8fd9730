"""An installed wheel, in an empty environment and from another folder, does the main jobs."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.long]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without the checkout on the module path."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(list(map(str, command)), cwd=cwd, env=env, text=True, capture_output=True, check=False)


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the checkout's tracked and new files."""
    work = tmp_path_factory.mktemp("build")
    listed = run("git", "ls-files", "-co", "--exclude-standard", cwd=root)
    assert listed.returncode == 0, listed.stderr
    source = work / "source"
    for name in listed.stdout.splitlines():
        if not name.startswith(("tests/", "docs/")) and (root / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((root / name).read_bytes())
    built = run(sys.executable, "-m", "build", "--wheel", "--outdir", work / "dist", source, cwd=work)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    return next((work / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an empty environment with the wheel in it."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home / "venv", with_pip=True)
    binaries = home / "venv" / "bin"
    pip = (str(binaries / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    done = run(*pip, "-c", root / "constraints.txt", wheel, cwd=home)
    assert done.returncode == 0, done.stderr[-2000:]
    return binaries


def test_wheel_exposes_three_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"engine", "vision", "service"}


def test_wheel_carries_the_demo_recording(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert any(name.startswith("vision/_assets/datasets/samples/cricket/") for name in names)
    assert any(name.startswith("service/static/") for name in names)


def test_installed_demo_ends_with_the_true_score(installed: Path, root: Path, tmp_path: Path) -> None:
    done = run(installed / "tallycam", "demo", "--fast", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    truth = json.loads((root / "datasets/samples/cricket/truth.json").read_text())
    assert json.loads(done.stdout)["scores"] == truth["result"]["scores"]


def test_installed_score_and_read(installed: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "match.jsonl"
    sheet.write_text(
        '{"scoresheet": 1, "game": "cricket", "rules": "cricket/1", "sides": ["Ann", "Ben"], "config": {}}\n'
    )
    scored = run(installed / "tallycam", "score", sheet, cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)["turn"] == 0
    picture = tmp_path / "black.pgm"
    picture.write_bytes(b"P5 640 480 255\n" + bytes(640 * 480))
    setup = tmp_path / "setup.json"
    setup.write_text('{"game": "cricket", "image_size": [640, 480], "lens": null}')
    read = run(installed / "tallycam", "read", "--setup", setup, picture, cwd=tmp_path)
    assert read.returncode == 2
    assert "error" in json.loads(read.stdout)
    assert len(read.stderr.strip().splitlines()) == 1
