"""The scoresheet as values: who plays what, and the entries, only ever appended to.

Entries say what happened on the board and what officials ruled, never what follows from that.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from engine.game import AnyGame
from engine.games import GAMES

AnyAction: TypeAlias = Any
"""An action of any of the games; the game of the scoresheet knows its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An action that was seen or keyed in."""

    entry: ClassVar[Literal["record"]] = "record"
    id: int
    action: AnyAction
    by: str
    at: str | None = None
    evidence: tuple[str | int, ...] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend:
    """Another action in the place of an earlier record or insert."""

    entry: ClassVar[Literal["amend"]] = "amend"
    id: int
    target: int
    action: AnyAction
    by: str
    reason: str
    at: str | None = None
    evidence: tuple[str | int, ...] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """An earlier entry's effect is taken away."""

    entry: ClassVar[Literal["strike"]] = "strike"
    id: int
    target: int
    by: str
    reason: str
    at: str | None = None
    evidence: tuple[str | int, ...] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """An action right after an earlier record or insert, or at the start (`after` 0)."""

    entry: ClassVar[Literal["insert"]] = "insert"
    id: int
    after: int
    action: AnyAction
    by: str
    reason: str
    at: str | None = None
    evidence: tuple[str | int, ...] | None = None
    model: str | None = None


Entry: TypeAlias = Record | Amend | Strike | Insert


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoresheet:
    """A match: the header and its entries, with ids 1, 2, 3 … in order."""

    game: str
    sides: tuple[str, ...]
    config: Any
    entries: tuple[Entry, ...] = ()

    @property
    def rules(self) -> AnyGame:
        """The rules of its game."""
        return GAMES[self.game]
