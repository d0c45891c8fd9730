"""How scoresheets of older versions are read: lifted, step by step, to the present version; then form is checked.

A step rewrites JSON objects: the header, and each entry with the header as it was. Steps are found by the version
of the file (`"scoresheet": 1`) and by that of the rules (`"rules": "finn/1"`), and lead to the next version each.
There is one version of both so far, so the tables are empty; the version that replaces one adds its step here.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Object: TypeAlias = dict[str, Any]

SHEET_VERSION: Final = 1
"""The version of the file that is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One version to the next: the header rewritten, and each entry given the old header."""

    header: Callable[[Object], Object]
    entry: Callable[[Object, Object], Object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrades:
    """The steps there are, by the version that each lifts."""

    sheet: Mapping[int, Step] = field(default_factory=dict)
    rules: Mapping[str, Step] = field(default_factory=dict)


UPGRADES: Final = Upgrades()
"""What the program knows to read besides the present version."""


def steps(header: object, upgrades: Upgrades) -> Iterator[tuple[Step, Object]]:
    """Yield the steps that a header needs, each with the header that it starts from."""
    while isinstance(header, dict):
        step = _find(header.get("scoresheet"), upgrades.sheet) or _find(header.get("rules"), upgrades.rules)
        if step is None:
            return
        yield step, header
        header = step.header(header)


def _find(version: object, known: Mapping[Any, Step]) -> Step | None:
    """Give the step of a version; truth values and floats are no versions, though they may equal one."""
    return known.get(version) if type(version) in (int, str) else None
