"""What can happen in Astrolabe: a closed union of actions, each with the word of the scoresheet as `kind`.

A move is a ball's way from a place to a place; a place is a word or a slot, `(position, slot)` counted from 1.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.astrolabe.config import Slot

Spot: TypeAlias = Literal["hand", "grouped", "gutter", "out"]
Place: TypeAlias = Spot | Slot
Foul: TypeAlias = Literal["play_line", "interference", "touched_moving_ball"]
Option: TypeAlias = Literal["bank", "final_sequence"]

SPOTS: tuple[Spot, ...] = ("hand", "grouped", "gutter", "out")
FOULS: tuple[Foul, ...] = ("play_line", "interference", "touched_moving_ball")
OPTIONS: tuple[Option, ...] = ("bank", "final_sequence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Where a ball lay before and where it came to rest; the same place: it has not moved."""

    ball: int
    from_: Place
    to: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRound:
    """The clock of the next Round starts (AS-10); after a Game it opens the next one (AS-51)."""

    kind: ClassVar[Literal["start_round"]] = "start_round"
    t_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A shot, released at `t_ms`: the shot ball's move first, then what it moved; void with a foul."""

    kind: ClassVar[Literal["shot"]] = "shot"
    side: int
    t_ms: int
    moves: tuple[Move, ...]
    foul: Foul | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A grouped ball of `side` comes back by itself (AS-34)."""

    kind: ClassVar[Literal["returned"]] = "returned"
    side: int
    t_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMoved:
    """`side` moved the table on purpose (AS-35): its balls go out, the other's to hand."""

    kind: ClassVar[Literal["table_moved"]] = "table_moved"
    side: int
    t_ms: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose:
    """The side that was asked banks or plays the Final Sequence (AS-40)."""

    kind: ClassVar[Literal["choose"]] = "choose"
    side: int
    t_ms: int
    option: Option


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOver:
    """The Round's time is up and nothing rolls any more."""

    kind: ClassVar[Literal["round_over"]] = "round_over"
    t_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Warn:
    """The umpire warns a side (AS-70)."""

    kind: ClassVar[Literal["umpire"]] = "umpire"
    ruling: ClassVar[Literal["warning"]] = "warning"
    t_ms: int
    side: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTime:
    """The umpire moves the end of the running Round by `ms`, which may be negative (AS-70)."""

    kind: ClassVar[Literal["umpire"]] = "umpire"
    ruling: ClassVar[Literal["add_time"]] = "add_time"
    t_ms: int
    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeShot:
    """The umpire gives a side the turn (AS-37)."""

    kind: ClassVar[Literal["umpire"]] = "umpire"
    ruling: ClassVar[Literal["free_shot"]] = "free_shot"
    t_ms: int
    side: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveBall:
    """The umpire takes a ball out (AS-70)."""

    kind: ClassVar[Literal["umpire"]] = "umpire"
    ruling: ClassVar[Literal["remove_ball"]] = "remove_ball"
    t_ms: int
    ball: int
    from_: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertBall:
    """The umpire gives the ball in a slot to side `ball` (AS-64)."""

    kind: ClassVar[Literal["umpire"]] = "umpire"
    ruling: ClassVar[Literal["convert_ball"]] = "convert_ball"
    t_ms: int
    slot: Slot
    ball: int


Ruling: TypeAlias = Warn | AddTime | FreeShot | RemoveBall | ConvertBall
Action: TypeAlias = StartRound | Shot | Returned | TableMoved | Choose | RoundOver | Ruling
