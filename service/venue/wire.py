"""What boards and the club say to each other over MQTT: topics and forms, the same on both sides.

A board's log is a chain: each message names the change before it and that change's mark, a hash of its content. So
the club knows by itself whether something is missing, came before, or belongs to another log under the same name.
"""

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

ROOT: Final = "tallycam/venue"
CLUB: Final = f"{ROOT}/club"
"""Topic of the club's own state, retained: `online`, or `offline` (by last will too)."""
LARGEST: Final = 256 * 1024
"""Bytes of a message; an entry with all that was seen of it has some thousand."""
WHOLE: Final = 2**31 - 1
"""The largest number that the tables take."""

_LOG: Final = re.compile(rf"{ROOT}/([A-Za-z0-9_-]{{1,40}})/log")
_HAVE: Final = re.compile(rf"{ROOT}/([A-Za-z0-9_-]{{1,40}})/have")


class NotOfTheForm(ValueError):  # noqa: N818 - it says what is the case
    """A message that no board or club of this version sends; the text says what is wrong with it."""


def log_topic(board: str) -> str:
    """Give the topic on which a board hands over its log."""
    return f"{ROOT}/{board}/log"


def have_topic(board: str) -> str:
    """Give the topic on which the club says, retained, what it has of a board."""
    return f"{ROOT}/{board}/have"


def board_of_log(topic: str) -> str | None:
    """Give the board that hands over on a topic."""
    found = _LOG.fullmatch(topic)
    return found and found[1]


def board_of_have(topic: str) -> str | None:
    """Give the board of which the club says on a topic what it has."""
    found = _HAVE.fullmatch(topic)
    return found and found[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Have:
    """The newest change that the club has kept of a board, 0 for none, and its mark.

    `gap` says that changes came which do not follow: something was lost on the way.
    """

    number: int = 0
    mark: str = ""
    gap: bool = field(default=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Handed:
    """One change on its way.

    Attributes
    ----------
    number, after
        The change, and the one before it in the board's log (0: none).
    after_mark
        The mark of the one before it.
    newest
        The newest change of the board's log when this was sent.
    waited_ms
        How long the change had been in the log by then, by the board's own clock.
    body
        A `Body` as JSON text; the mark is made of these very characters.
    came_s
        When it came, by the receiver's clock that only goes forward; no part of the message.
    """

    number: int
    after: int
    after_mark: str
    newest: int
    waited_ms: int
    body: str
    came_s: float = 0.0

    @cached_property
    def mark(self) -> str:
        """Give the mark of this change."""
        return mark_of(self.body)

    @cached_property
    def content(self) -> "Body":
        """Give what the change is; raises `NotOfTheForm`."""
        return read_body(self)


def _storable(text: str) -> str:
    """Refuse what PostgreSQL cannot hold as text."""
    if "\0" in text:
        raise ValueError("holds a zero character")
    text.encode()  # half of a pair raises UnicodeEncodeError, a ValueError
    return text


Text = Annotated[str, AfterValidator(_storable)]
Count = Annotated[int, Field(ge=0, le=WHOLE)]
_FORM = ConfigDict(extra="ignore", strict=True, frozen=True)


class Seen(BaseModel):
    """What a camera saw of the entry."""

    model_config = _FORM
    data: Text
    model: Text


class Decided(BaseModel):
    """What a person said of the entry."""

    model_config = _FORM
    decision: Text
    by: Text


class Body(BaseModel):
    """What a change is: its row, the match's header, the entry's line where it wrote one."""

    model_config = _FORM
    number: Annotated[int, Field(ge=1, le=WHOLE)]
    match: Annotated[Text, Field(min_length=1, max_length=64)]
    header: Text
    created_at: Text
    kind: Text
    entry: Count | None = None
    seq: Count
    at: Text
    sighting: Count | None = None
    line: Text | None = None
    seen: Seen | None = None
    decided: Decided | None = None


class _Message(BaseModel):
    model_config = _FORM
    v: Literal[1]
    number: Annotated[int, Field(ge=1, le=WHOLE)]
    after: Count
    after_mark: Annotated[str, Field(max_length=64)]
    newest: Count
    waited_ms: Annotated[int, Field(ge=0)]
    body: Text


class _Have(BaseModel):
    model_config = _FORM
    number: Count
    mark: Annotated[str, Field(max_length=64)]
    gap: bool = False


_MESSAGE: Final = TypeAdapter(_Message)
_BODY: Final = TypeAdapter(Body)


def mark_of(body: str) -> str:
    """Give the mark of a change's body."""
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def write_body(values: dict[str, Any]) -> str:
    """Give a body's values as the one text that they have: the mark must be the same each time."""
    held = {key: value for key, value in values.items() if value is not None}
    return json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def write_handed(handed: Handed) -> bytes:
    """Give a change as its message."""
    names = ("number", "after", "after_mark", "newest", "waited_ms", "body")
    told = {"v": 1, **{name: getattr(handed, name) for name in names}}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def read_handed(payload: bytes, came_s: float = 0.0) -> Handed:
    """Give a message's change; raises `NotOfTheForm`."""
    if len(payload) > LARGEST:
        raise NotOfTheForm(f"a message of more than {LARGEST} bytes")
    try:
        found = _MESSAGE.validate_json(payload)
    except ValidationError as error:
        raise NotOfTheForm(_fault(error)) from error
    if found.after >= found.number:
        raise NotOfTheForm(f"change {found.number} comes after {found.after}")
    return Handed(**{name: value for name, value in found if name != "v"}, came_s=came_s)


def read_body(handed: Handed) -> Body:
    """Give the content of a change; raises `NotOfTheForm`."""
    try:
        found = _BODY.validate_json(handed.body)
    except ValidationError as error:
        raise NotOfTheForm(_fault(error)) from error
    if found.number != handed.number:
        raise NotOfTheForm(f"change {handed.number} holds change {found.number}")
    if (found.line is not None and found.entry is None) or found.entry == 0:
        raise NotOfTheForm("an entry's line without its number")
    return found


def write_have(have: Have) -> bytes:
    """Give what the club has as its message."""
    return json.dumps({"number": have.number, "mark": have.mark, **({"gap": True} if have.gap else {})}).encode()


def read_have(payload: bytes) -> Have:
    """Give what a message says that the club has; raises `NotOfTheForm`."""
    try:
        found = _Have.model_validate_json(payload[:LARGEST])
    except ValidationError as error:
        raise NotOfTheForm(_fault(error)) from error
    return Have(number=found.number, mark=found.mark, gap=found.gap)


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}".lstrip(": ")
