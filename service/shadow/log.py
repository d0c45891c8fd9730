"""Where readings differed: a file of JSON lines beside the store, and how far the comparison has come."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

JSON: TypeAlias = Any

LINES, STATE = "shadow.jsonl", "shadow.json"
MOST: Final = 5_000
"""Lines that are kept: the newest. A candidate that differs so often has been judged long before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far a comparison has come.

    Attributes
    ----------
    candidates
        Name to hash of the networks in shadow.
    since
        When it began.
    seen
        The newest sighting that was looked at.
    compared, differed
        How many readings were, and did.
    """

    candidates: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    seen: int = 0
    compared: int = 0
    differed: int = 0


def read_state(folder: Path) -> State:
    """Give how far it has come; from nothing where there is no such file, or none that can be read."""
    try:
        value = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return State(**value)
    except (OSError, ValueError, TypeError):
        return State()


def write_state(folder: Path, state: State) -> None:
    """Keep how far it has come, whole or not at all; raises `OSError`."""
    part = folder / f"{STATE}.{os.getpid()}.part"
    part.write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
    part.replace(folder / STATE)


def add_line(folder: Path, line: Mapping[str, JSON]) -> None:
    """Add a difference, and let the oldest go where there are too many; raises `OSError`."""
    path = folder / LINES
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(dict(line), ensure_ascii=False) + "\n")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if len(lines) > MOST:
        part = folder / f"{LINES}.{os.getpid()}.part"
        part.write_text("".join(lines[-MOST:]), encoding="utf-8")
        part.replace(path)


def lines_of(folder: Path) -> list[dict[str, JSON]]:
    """Give all differences, the oldest first; a line that broke off is none."""
    try:
        text = (folder / LINES).read_text(encoding="utf-8")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
