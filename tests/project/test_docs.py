"""Documentation says what the program does."""

import json
import re
import runpy
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from service.cli.main import COMMANDS
from service.fake_camera import Switches
from service.reasons import REASONS
from vision.failure import Failure
from vision.finn.state import parse_state
from vision.markers import PLACES
from vision.setup import Setup, parse_setup


@pytest.mark.parametrize("page", ["commands.md", "openapi.json", "config.schema.json"])
@pytest.mark.long
def test_generated_page_is_up_to_date(root: Path, page: str) -> None:
    built = runpy.run_path(str(root / "docs" / "build.py"))["pages"]()
    assert (root / "docs" / page).read_text() == built[root / "docs" / page], "run `make docs`"


def test_readme_names_every_command(root: Path) -> None:
    text = (root / "README.md").read_text()
    assert [name for name in COMMANDS if f"tallycam {name}" not in text] == []


def test_relative_links_lead_somewhere(root: Path) -> None:
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "datasets").glob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())]
    assert [
        f"{page.name}: {link}" for page, link in links if "://" not in link and not (page.parent / link).exists()
    ] == []


def test_nothing_committed_names_a_machine_or_a_registry(root: Path) -> None:
    forbidden = re.compile(r"/work/|/home/\w|pypi\.org|files\.pythonhosted|registry\.npmjs")
    suspects = [
        path.relative_to(root).as_posix()
        for folder in ("engine", "vision", "service", "docs", "datasets", "models", "seeds", ".ci")
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".md", ".json", ".jsonl", ".js", ".html", ".toml", ".txt", ".sh", ""}
        and path.is_file()
        and forbidden.search(path.read_text(errors="replace"))
    ]
    assert suspects == []


def test_every_code_is_explained(root: Path) -> None:
    told = set(re.findall(r"[A-Z]{2,}(?:_[A-Z]+)+", (root / "docs" / "codes.md").read_text()))
    readers = [path for part in ("darts", "finn", "astrolabe") for path in (root / "vision" / part).rglob("*.py")]
    code = re.compile(r'"([A-Z]{2,}(?:_[A-Z]+)+)"')
    used = {
        found
        for path in [*(root / "vision").glob("*.py"), *readers]
        for found in code.findall(path.read_text())
        if not found.startswith(("OMP_", "TALLYCAM_"))  # of the environment
    }
    assert used - told == set()


def test_every_refusal_of_the_rules_has_its_sentence_in_the_terminal_and_in_the_docs(root: Path) -> None:
    given = {
        found
        for path in (root / "engine").rglob("*.py")
        for found in re.findall(r'"([A-Z]{2,}(?:_[A-Z]+)+)"', path.read_text())
    }
    assert set(REASONS) == given
    page = (root / "docs" / "codes.md").read_text()
    assert [code for code, words in REASONS.items() if f"| `{code}` | {words} |\n" not in page] == []
    words = (root / "service" / "static" / "words.js").read_text()
    assert [code for code in REASONS if f" {code}: " not in words] == []


def test_every_switch_of_the_fake_camera_is_named(root: Path) -> None:
    commands = (root / "docs" / "commands.md").read_text()
    (own,) = re.findall(r"## tallycam fake-camera\n(.*?)\n## ", commands, re.DOTALL)
    running = (root / "docs" / "running.md").read_text()
    names = [field.name for field in fields(Switches)]
    assert [name for name in names if not re.search(rf"\b{name}\b", own) or f"`{name}`" not in running] == []


def test_corners_are_asked_for_in_the_order_in_which_they_are_taken(root: Path) -> None:
    for page in ("mounting.md", "commands.md"):
        text = " ".join((root / "docs" / page).read_text().split())
        assert [game for game, corners in PLACES.items() if ", ".join(corners) not in text] == []


def test_the_lines_that_write_out_what_a_still_carries_do_so(root: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(still=.*?)```", (root / "datasets" / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        lines = block.replace("still=", f"still={root}/").replace("> ", f"> {tmp_path}/").splitlines()
        subprocess.run(["/bin/sh", "-ec", "\n".join(lines[:-1])], check=True)
        assert lines[-1].startswith("tallycam read --setup setup.json")
        assert isinstance(parse_setup(json.loads((tmp_path / "setup.json").read_text())), Setup)
    assert not isinstance(parse_state(json.loads((tmp_path / "state.json").read_text())), Failure)
