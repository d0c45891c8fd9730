"""What comes in and goes out, for checking and for OpenAPI.

Bodies are strict: no unknown key, no `"0"` for 0. Actions are the engine's to check, so they are objects here.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

STRICT = ConfigDict(extra="forbid")
"""Unknown keys are refused; strictness stands at the fields, for at the class it would refuse every object."""

PLAIN = (
    r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*"
    r"[^\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
    r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$"
)
"""Text of one line with something in it that shows: no control characters, none that turn what follows around."""

Name = Annotated[str, Field(strict=True, min_length=1, max_length=80, pattern=PLAIN)]
Sequence = Annotated[int, Field(strict=True, ge=0, le=2**31)]
Number = Annotated[int, Field(strict=True, ge=1, le=2**31)]
Who = Annotated[
    str,
    Field(
        strict=True,
        max_length=80,
        pattern=r"^(camera|player|umpire:.*\S.*)$",
        description="`camera`, `player` or `umpire:NAME`",
    ),
]
Person = Annotated[
    str,
    Field(
        strict=True, max_length=80, pattern=r"^(player|umpire:.*\S.*)$", description="`player` or `umpire:NAME`"
    ),
]
Reason = Annotated[str, Field(strict=True, min_length=1, max_length=500)]
Moment = Annotated[
    str, Field(strict=True, max_length=40, description="wall-clock time, RFC 3339; the service's own if left out")
]
Object = dict[str, Any]


@dataclass(kw_only=True)
class NewMatch:
    """A match to begin; `config` holds what differs from the game's defaults.

    `on_doubt`: what a camera sees and doubts is marked and counts (`mark`), or waits for a person (`wait`).
    `board`: on which it is played; what that decides, as the slots of its combs, is set as its setup says.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    game: Literal["cricket", "finn", "astrolabe"]
    sides: Annotated[list[Name], Field(min_length=1, max_length=16)]
    config: Object = field(default_factory=dict)
    on_doubt: Literal["mark", "wait"] = "mark"
    board: Annotated[str, Field(strict=True, pattern="^[0-9a-z]{1,32}$")] | None = None


@dataclass(kw_only=True)
class Record:
    """An action that was seen or keyed in."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    entry: Literal["record"]
    action: Object
    by: Who
    at: Moment | None = None


@dataclass(kw_only=True)
class Amend:
    """Another action in the place of an earlier record or insert."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    entry: Literal["amend"]
    target: Number
    action: Object
    by: Who
    reason: Reason
    at: Moment | None = None


@dataclass(kw_only=True)
class Strike:
    """The effect of an earlier entry taken away."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    entry: Literal["strike"]
    target: Number
    by: Who
    reason: Reason
    at: Moment | None = None


@dataclass(kw_only=True)
class Insert:
    """An action right after an earlier record or insert, or at the start (0)."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    entry: Literal["insert"]
    after: Sequence
    action: Object
    by: Who
    reason: Reason
    at: Moment | None = None


Entry = Annotated[Record | Amend | Strike | Insert, Field(discriminator="entry")]


@dataclass(kw_only=True)
class NewEntry:
    """An entry to write, and how many entries the match had when its writer last looked."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    expected_seq: Sequence
    entry: Entry


@dataclass(kw_only=True)
class Question:
    """Entries to look ahead at, each by itself, or `together`: each after those before it."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    entries: Annotated[list[Entry], Field(min_length=1, max_length=64)]
    together: bool = False


@dataclass(kw_only=True)
class UndoRequest:
    """What to take back: entry `target`, or the newest that counts."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    expected_seq: Sequence
    by: Person
    target: Number | None = None


@dataclass(kw_only=True)
class Decision:
    """A person's word on what was seen of an entry."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    entry: Number
    decision: Literal["confirmed"]
    by: Person


# Answers


@dataclass(kw_only=True)
class Conflict:
    """Where the score stops: the record or insert that the rules refuse, and their code."""

    id: int
    reason: str


@dataclass(kw_only=True)
class Standing:
    """How a match stands, in short."""

    turn: int | None
    scores: list[int]
    over: bool
    winner: int | Literal["draw"] | None
    conflict: Conflict | None


@dataclass(kw_only=True)
class Result(Standing):
    """What `tallycam score` prints."""

    game: str
    state: Object


@dataclass(kw_only=True)
class LiveState:
    """What a camera or recording is doing for a match right now."""

    source: str
    phase: str
    t_ms: int
    done: bool
    message: str | None = None


@dataclass(kw_only=True)
class Summary:
    """A match in short."""

    id: str
    created_at: str
    game: str
    sides: list[str]
    seq: int
    change: int
    result: Standing
    live: LiveState | None


@dataclass(kw_only=True)
class Summaries:
    """All matches, the newest first."""

    matches: list[Summary]


@dataclass(kw_only=True)
class Corrected:
    """The correction that holds for a step; `replaces` is what it was before, null for an added one."""

    id: int
    entry: Literal["amend", "insert"]
    by: str
    reason: str
    replaces: str | None


@dataclass(kw_only=True)
class Step:
    """One action that counts: what, why, what it brought, who saw it, who put it right."""

    id: int
    turn: int
    side: int | None
    action: Object
    notation: str
    explanation: str
    scores: list[int] | None
    gain: list[int] | None
    counted: bool
    refused: str | None
    by: str
    at: str | None
    seen: Object | None
    decision: Object | None
    correction: Corrected | None


@dataclass(kw_only=True)
class Correction:
    """An amend, strike or insert in short, and whether it still holds."""

    id: int
    entry: Literal["amend", "strike", "insert"]
    text: str
    by: str
    reason: str
    at: str | None
    holds: bool


@dataclass(kw_only=True)
class Match:
    """All there is to know of a match. `seq` counts entries, `change` numbers the newest change."""

    id: str
    created_at: str
    game: str
    rules: str
    sides: list[str]
    config: Object
    seq: int
    change: int
    result: Result
    entries: list[Object]
    history: list[Step]
    corrections: list[Correction]
    live: LiveState | None


@dataclass(kw_only=True)
class Instead:
    """An entry that keeps the match going where another would stop it, what it does, and what it comes to."""

    text: str
    entry: Object
    result: Result


@dataclass(kw_only=True)
class Ahead:
    """The result as it would be. `instead`: where the score would stop at it, what may be meant and goes on."""

    result: Result
    conflict_detail: str | None
    instead: list[Instead]


@dataclass(kw_only=True)
class Answer:
    """What each of the entries asked about would come to, in order, and the entries the match had then."""

    seq: int
    previews: list[Ahead]


@dataclass(kw_only=True)
class Alternative:
    """Another action in the place of one, and what amending it would come to."""

    action: Object
    notation: str
    preview: Ahead


@dataclass(kw_only=True)
class Alternatives:
    """What an entry may have been instead, likeliest first."""

    alternatives: list[Alternative]


@dataclass(kw_only=True)
class Health:
    """That the service is there, which it is, and what it holds."""

    status: Literal["ok"]
    version: str
    build: str
    matches: int
    change: int
    listeners: int
