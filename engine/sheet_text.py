"""The scoresheet as text: JSON lines, a header and entries. Every fault of form is found here, with its line.

ValueError
└── ScoresheetError    what is read or appended makes no scoresheet; has `line` and `message`
"""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from engine.entries import Amend, AnyAction, Entry, Insert, Record, Scoresheet, Strike
from engine.forms import FormError, fields, items, listed, tagged, text, whole, word, wrong
from engine.game import AnyGame
from engine.games import GAMES
from engine.moments import is_moment
from engine.strict_json import DECODER
from engine.upgrade import SHEET_VERSION, UPGRADES, Upgrades, steps

LONGEST_LINE: Final = 1_000_000
"""Characters in a line; an entry that describes a shot has some hundreds."""

_HEADER: Final = ("scoresheet", "game", "rules", "sides", "config")
_OPTIONAL: Final = ("at", "evidence", "model")
_KINDS: Final = {
    "record": (("id", "entry", "action", "by"), _OPTIONAL),
    "amend": (("id", "entry", "target", "action", "by", "reason"), _OPTIONAL),
    "strike": (("id", "entry", "target", "by", "reason"), _OPTIONAL),
    "insert": (("id", "entry", "after", "action", "by", "reason"), _OPTIONAL),
}
_ANY: Final[tuple[type[Entry], ...]] = (Record, Amend, Strike, Insert)
_ACTIONS: Final[tuple[type[Entry], ...]] = (Record, Insert)
_UMPIRE: Final = "umpire:"
Json: TypeAlias = Any
Object: TypeAlias = dict[str, Any]


class ScoresheetError(ValueError):
    """No scoresheet: the number of the line (the header is line 1) and what is wrong in it."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


# Reading


def parse_sheet(source: str | bytes, *, upgrades: Upgrades = UPGRADES) -> Scoresheet:
    """Give the scoresheet of a text (bytes are taken as UTF-8); older versions are lifted to the present one.

    Raises
    ------
    ScoresheetError
        For the first fault of form, whatever it is; a conflict with the rules is none.
    """
    lines, broken = _lines(source)
    if broken is not None and not lines:
        raise broken
    line = 1
    try:
        header = _decode(lines[0])
        lifts = list(steps(header, upgrades))
        sheet = _header(lifts[-1][0].header(lifts[-1][1]) if lifts else header)
        entries: list[Entry] = []
        rules, sides = sheet.rules, len(sheet.sides)
        for line, text_of_line in enumerate(lines[1:], 2):  # noqa: B007 the number is for the message
            value = _decode(text_of_line)
            for step, before in lifts:
                value = step.entry(before, value)
            entries.append(_entry(value, rules, sides, entries))
    except FormError as fault:
        raise ScoresheetError(line, str(fault)) from None
    if broken is not None:
        raise broken
    return Scoresheet(game=sheet.game, sides=sheet.sides, config=sheet.config, entries=tuple(entries))


def _lines(source: str | bytes) -> tuple[list[str], ScoresheetError | None]:
    """Give the lines, and the fault of the one after them where that cannot be UTF-8.

    The last line may or may not end with a line feed.
    """
    try:
        if isinstance(source, bytes):
            source = source.decode()
        else:
            source.encode()
    except UnicodeDecodeError as error:
        before = error.object[: error.object.rfind(b"\n", 0, error.start) + 1].decode()
        broken = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
    except UnicodeEncodeError as error:
        before = error.object[: error.object.rfind("\n", 0, error.start) + 1]
        broken = "half of a surrogate pair cannot be UTF-8"
    else:
        return source.removesuffix("\n").split("\n"), None
    lines = before.split("\n")[:-1]
    return lines, ScoresheetError(len(lines) + 1, broken)


def _decode(line: str) -> Json:
    if len(line) > LONGEST_LINE:
        raise FormError(f"{len(line)} characters, takes up to {LONGEST_LINE}")
    try:
        value, end = DECODER.raw_decode(line) if line[:1] == "{" else (None, -1)
        if end != len(line):
            value = DECODER.decode(line)  # allows blanks around it, or says what is wrong
        if "\\u" in line:
            _refuse_half_pairs(_dump(value))
    except FormError:
        raise
    except json.JSONDecodeError as error:
        if not line.strip(" \t\r"):
            raise FormError("a blank line, takes a JSON object") from None
        raise FormError(f"no JSON, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise FormError("no JSON that can be read: nested too deep") from None
    except ValueError:
        raise FormError("no JSON that can be read: a number with thousands of digits") from None
    return value


def _refuse_half_pairs(text_of_value: str) -> None:
    """Refuse half of a surrogate pair, which an escape can name and UTF-8 cannot hold."""
    try:
        text_of_value.encode()
    except UnicodeEncodeError:
        raise FormError("half of a surrogate pair cannot be UTF-8") from None


def _header(value: object) -> Scoresheet:
    found = fields(value, _HEADER)
    if type(found["scoresheet"]) is not int or found["scoresheet"] != SHEET_VERSION:
        raise wrong("scoresheet", found["scoresheet"], str(SHEET_VERSION))
    rules = GAMES[word(found["game"], "game", GAMES)]
    word(found["rules"], "rules", (rules.rules,))
    sides = items(found["sides"], "sides", text)
    check_sides(rules, sides)
    try:
        config = rules.parse_config(found["config"])
    except FormError as fault:
        raise fault.inside("config") from None
    return Scoresheet(game=rules.name, sides=sides, config=config)


def check_sides(rules: AnyGame, sides: Sequence[str]) -> None:
    """Refuse a number of sides that the game is not for (FB-10, FC-01)."""
    fewest, most = rules.fewest_sides, rules.most_sides
    if len(sides) < fewest or (most is not None and len(sides) > most):
        takes = f"{fewest} or more" if most is None else f"{fewest}"
        raise FormError(f"sides: got {len(sides)}, takes {takes} in {rules.name}")


def parse_entry(sheet: Scoresheet, value: object) -> Entry:
    """Give the entry of a JSON value as the next of a scoresheet. Raises `ScoresheetError` with its line."""
    try:
        return _entry(_recoded(value), sheet.rules, len(sheet.sides), sheet.entries)
    except FormError as fault:
        raise ScoresheetError(len(sheet.entries) + 2, str(fault)) from None


def _recoded(value: object) -> Json:
    """Give a JSON value as a reader of its line would find it; what no line can hold is refused."""
    line = _dump(value)
    _refuse_half_pairs(line)
    return _decode(line)


def _entry(value: object, rules: AnyGame, sides: int, earlier: Sequence[Entry]) -> Entry:
    kind, found = tagged(value, _KINDS, "entry")
    number = found["id"]
    if type(number) is not int or number != len(earlier) + 1:
        raise wrong("id", number, f"{len(earlier) + 1}, one more than the entry before")
    by = _by(found["by"], umpire=rules.umpire_corrects and kind != "record")
    optional = {} if len(found) == len(_KINDS[kind][0]) else _optional(found)
    if kind == "record":
        return Record(id=number, action=_action(found, rules, sides), by=by, **optional)
    reason = text(found["reason"], "reason")
    if kind == "strike":
        target = _pointed(found, "target", earlier, _ANY)
        return Strike(id=number, target=target, by=by, reason=reason, **optional)
    if kind == "amend":
        target = _pointed(found, "target", earlier, _ACTIONS)
        return Amend(
            id=number, target=target, action=_action(found, rules, sides), by=by, reason=reason, **optional
        )
    after = _pointed(found, "after", earlier, _ACTIONS, lowest=0)
    return Insert(id=number, after=after, action=_action(found, rules, sides), by=by, reason=reason, **optional)


def _action(found: Object, rules: AnyGame, sides: int) -> AnyAction:
    try:
        return rules.parse_action(found["action"], sides)
    except FormError as fault:
        raise fault.inside("action") from None


def _by(value: object, *, umpire: bool) -> str:
    if isinstance(value, str):
        if value.startswith(_UMPIRE) and value[len(_UMPIRE) :].strip():
            return value
        if not umpire and value in ("camera", "player"):
            return value
    raise wrong("by", value, "umpire:NAME (FC-33)" if umpire else "camera, player or umpire:NAME")


def _pointed(
    found: Object, key: str, earlier: Sequence[Entry], kinds: tuple[type[Entry], ...], lowest: int = 1
) -> int:
    """Give the id of an earlier entry of one of the kinds."""
    number = whole(found[key], key)
    if number == 0 and lowest == 0:
        return number
    if not 1 <= number <= len(earlier) or not isinstance(earlier[number - 1], kinds):
        words = listed(kind.entry for kind in kinds)
        raise wrong(key, number, f"the id of an earlier {words}" + (", or 0" if lowest == 0 else ""))
    return number


def _optional(found: Object) -> Object:
    optional: Object = {}
    if "at" in found:
        at = text(found["at"], "at", _MOMENT)
        if not is_moment(at):
            raise wrong("at", at, _MOMENT)
        optional["at"] = at
    if "evidence" in found:
        optional["evidence"] = items(found["evidence"], "evidence", _evidence)
    if "model" in found:
        optional["model"] = text(found["model"], "model", "a hash")
    return optional


_MOMENT: Final = "a time as in 2026-11-29T20:15:00Z (RFC 3339)"


def _evidence(value: object, where: str) -> str | int:
    """Give the id of a frame (a whole number) or a clip."""
    return text(value, where) if isinstance(value, str) else whole(value, where)


# Writing


def format_sheet(sheet: Scoresheet) -> str:
    """Give the canonical text, with a line feed after each line; `parse_sheet(format_sheet(x)) == x`."""
    lines = [_dump(format_header(sheet)), *(_dump(format_entry(sheet, entry)) for entry in sheet.entries)]
    return "".join(f"{line}\n" for line in lines)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def format_header(sheet: Scoresheet) -> Object:
    """Give the header as JSON."""
    return {
        "scoresheet": SHEET_VERSION,
        "game": sheet.game,
        "rules": sheet.rules.rules,
        "sides": list(sheet.sides),
        "config": sheet.rules.format_config(sheet.config),
    }


def format_entry(sheet: Scoresheet, entry: Entry) -> Object:
    """Give an entry of the scoresheet as JSON, keys in the order of the file's description."""
    form: Object = {"id": entry.id, "entry": entry.entry}
    if isinstance(entry, Amend | Strike):
        form["target"] = entry.target
    if isinstance(entry, Insert):
        form["after"] = entry.after
    if not isinstance(entry, Strike):
        form["action"] = sheet.rules.format_action(entry.action)
    form["by"] = entry.by
    if not isinstance(entry, Record):
        form["reason"] = entry.reason
    if entry.at is not None:
        form["at"] = entry.at
    if entry.evidence is not None:
        form["evidence"] = list(entry.evidence)
    if entry.model is not None:
        form["model"] = entry.model
    return form
