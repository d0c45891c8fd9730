"""No clause without a test: every id of the three digests stands in the id of some test."""

import re
import subprocess
import sys
from pathlib import Path

DIGESTS = ("fincricket", "finn-billiards", "astrolabe")
CLAUSE = re.compile(r"(?<![a-z])(fb|fc|as)[-_](\d\d)(?!\d)", re.IGNORECASE)


def named(text: str) -> set[str]:
    """Give the clauses that a text names, `FB-21` or `fb_21`."""
    return {f"{game.upper()}-{number}" for game, number in CLAUSE.findall(text)}


def clauses(root: Path) -> set[str]:
    """Give the clauses that the digests define."""
    lines = [line for name in DIGESTS for line in (root / "seeds" / f"{name}.md").read_text().splitlines()]
    return {clause for line in lines if line.startswith("- ") for clause in named(line[:8])}


def test_ids(root: Path) -> None:
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/engine",
         "--ignore", "tests/engine/test_examples.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    ids = "\n".join(line.partition("::")[2] for line in collected.stdout.splitlines())
    wanted = clauses(root)
    assert len(wanted) == 73
    untested = sorted(wanted - named(ids))
    assert not untested, f"no test names {', '.join(untested)}"


def test_a_clause_is_found_in_a_name_or_a_row() -> None:
    assert named("test_fb_21_several") == {"FB-21"}
    assert named("test_scores[AS-13 AS-42 both]") == {"AS-13", "AS-42"}
    assert named("test_fb_211 has_as") == set()
