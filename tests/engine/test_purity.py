"""The engine is pure: what it may import, and that a planted import fails the check that `make lint` runs."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine

PURE = {
    "collections", "collections.abc", "dataclasses", "enum", "fractions", "functools", "hashlib", "itertools",
    "json", "math", "operator", "re", "types", "typing",
}  # fmt: skip
IMPURE_CALLS = {"open", "print", "input", "eval", "exec", "compile", "__import__", "globals", "breakpoint"}
FOLDER = Path(engine.__file__).parent
MODULES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.py"))


def imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_and_calls(module: str) -> None:
    tree = ast.parse((FOLDER / module).read_text(encoding="utf-8"))
    foreign = {name for name in imports(tree) if name.partition(".")[0] != "engine"}
    assert foreign <= PURE
    called = {
        node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & IMPURE_CALLS


@pytest.fixture(scope="module")
def copy(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the packages with the lint settings."""
    target = tmp_path_factory.mktemp("planted")
    shutil.copy(root / "pyproject.toml", target)
    for package in ("engine", "vision", "service"):
        shutil.copytree(root / package, target / package, ignore=shutil.ignore_patterns("__pycache__", "_assets"))
    return target


def lint_imports(copy: Path) -> subprocess.CompletedProcess[str]:
    """Run what `make lint` runs over imports."""
    code = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=copy, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "planted", ["random", "time", "pathlib", "os", "numpy", "datetime", "pydantic", "vision.failure"]
)
def test_a_planted_import_fails_lint(copy: Path, planted: str) -> None:
    module = copy / "engine" / "planted.py"
    module.write_text(f'"""A planted import."""\n\nimport {planted}\n')
    done = lint_imports(copy)
    module.unlink()
    assert done.returncode == 1
    assert "engine.planted -> " + planted in done.stdout


def test_without_it_lint_passes(copy: Path) -> None:
    done = lint_imports(copy)
    assert done.returncode == 0, done.stdout
