"""What the other packages may rely on is there, under the names that the architecture page gives."""

import re
from pathlib import Path

import engine


def test_documented_names_are_exported(root: Path) -> None:
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = (
        page.partition("What the other packages may rely on")[2].partition("```python")[2].partition("```")[0]
    )
    named = set(re.findall(r"^(\w+)(?=[(:])|/ (\w+)(?=\()", section, re.MULTILINE))
    names = {first or second for first, second in named}
    assert len(names) > 10
    assert names <= set(engine.__all__)


def test_every_exported_name_says_what_it_is() -> None:
    assert sorted(engine.__all__) == sorted(set(engine.__all__))
    for name in engine.__all__:
        thing = getattr(engine, name)
        if name not in ("GAMES", "Entry", "Reason"):
            assert thing.__doc__, name
