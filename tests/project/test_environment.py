"""What an installation must and must not bring."""

import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path


def test_exactly_one_distribution_owns_cv2() -> None:
    assert packages_distributions()["cv2"] == ["opencv-python"]


def test_no_stray_init_shadows_a_well_known_package(root: Path) -> None:
    for folder in ("models", "datasets", "seeds", "tests"):
        assert not (root / folder / "__init__.py").exists()


def test_training_packages_are_optional() -> None:
    runtime = [line for line in requires("tallycam") or [] if "extra ==" not in line]
    assert not [line for line in runtime if line.startswith(("torch", "ultralytics", "mujoco", "bpy", "onnx>"))]


def test_the_program_starts_without_development_extras() -> None:
    code = (
        "import sys\n"
        "extras = ('pytest', 'hypothesis', 'torch', 'onnx', 'ultralytics', 'mujoco', 'bpy', 'playwright')\n"
        "sys.modules.update(dict.fromkeys(extras))\n"
        "from importlib import import_module\n"
        "from service.cli.main import COMMANDS\n"
        "for name in COMMANDS: import_module('service.cli.' + name.replace('-', '_'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_constraints_name_no_index(root: Path) -> None:
    text = (root / "constraints.txt").read_text()
    assert "://" not in text
    assert "-index" not in text


def test_missing_system_library_is_one_sentence(tmp_path: Path) -> None:
    stub = tmp_path / "cv2"
    stub.mkdir()
    (stub / "__init__.py").write_text(
        "raise ImportError('libGL.so.1: cannot open shared object file: No such file or directory')\n"
    )
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from service.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "read", "--setup", str(picture), str(picture)],
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("tallycam: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert "libgl1" in done.stderr
    assert "libglib2.0-0" in done.stderr
