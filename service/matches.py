"""What a person or a camera does to a match: begin it, record, correct, look ahead, take back.

Everything that changes a match goes through here: the scoresheet's rules of form are checked before anything is
written, it is on disk before anyone is told, and listeners are told in the order in which it was written.

    MatchError
    ├── Malformed    an entry or header that makes no scoresheet
    └── Refused      something that cannot be done now, as an undo with nothing to take back
        └── AgainstRules    an action that the rules refuse in the state of the match
"""

import json
import logging
import secrets
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

from sqlalchemy import Connection

from engine import (
    GAMES,
    Entry,
    Record,
    Replay,
    Scoresheet,
    ScoresheetError,
    Strike,
    action_from_json,
    append,
    effective,
    format_entry,
    format_header,
    format_sheet,
    new_sheet,
    parse_entry,
    parse_sheet,
    replay,
    result,
    result_of,
)
from engine.cricket import EndTurn, Throw, Undo
from service.alternatives import alternatives
from service.changes import Hub, Message
from service.history import corrected, corrections, entries, history, sentence
from service.remedies import remedies
from service.store import Beside, ChangeRow, NoSuchMatch, Once, Seen, Stale, Store
from service.store.store import write_decisions, write_mark

JSON: TypeAlias = Any

log = logging.getLogger("tallycam.matches")

_KINDS = {
    "record": "entry.recorded",
    "amend": "entry.amended",
    "strike": "entry.struck",
    "insert": "entry.inserted",
}
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 10

LATEST_MS = 2**53 - 1
"""Times beyond are no longer whole numbers to the programs that read them."""


class MatchError(Exception):
    """Root of what a match may refuse; its text is one sentence for people."""


class Malformed(MatchError):  # noqa: N818 - the tree in the module's docstring names it
    """What was handed in makes no scoresheet."""


class Refused(MatchError):  # noqa: N818
    """It cannot be done now."""


class AgainstRules(Refused):
    """The rules refuse the action."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"the rules refuse it: {reason}{f', {detail}' if detail else ''}")
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What a camera or recording is doing for a match right now; not kept.

    Attributes
    ----------
    source
        A name for people.
    phase
        What is going on: `still`, `motion`, `hand`, `takeout`, `ended`, or a failure's code.
    t_ms
        Time of the recording.
    done
        Whether it has come to its end.
    message
        A sentence, where there is something to say of it.
    """

    source: str
    phase: str
    t_ms: int = 0
    done: bool = False
    message: str | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """A match in memory, as the store has it."""

    sheet: Scoresheet
    created_at: str
    change: int


def now() -> str:
    """Give the time of day as the scoresheet writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_id() -> str:
    """Give an id that nobody can guess and anybody can read out."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))


class Matches:
    """The matches of a store. Methods may be called from any thread."""

    def __init__(self, store: Store, hub: Hub | None = None, clock: Callable[[], str] = now) -> None:
        self.store = store
        self.hub = hub or Hub()
        self._clock = clock
        self._turn = threading.RLock()
        self._held: dict[str, _Held] = {}
        self._live: dict[str, Live] = {}

    # Looking

    def sheet(self, match_id: str) -> Scoresheet:
        """Give the scoresheet; raises `NoSuchMatch`."""
        return self._hold(match_id).sheet

    def text(self, match_id: str) -> str:
        """Give the scoresheet as the file that `tallycam score` reads."""
        return format_sheet(self.sheet(match_id))

    def summaries(self) -> list[dict[str, JSON]]:
        """Give every match in short, the newest first."""
        found = []
        for match_id in self.store.ids():
            try:
                found.append(self._summary(match_id))
            except ScoresheetError:
                log.exception("match %s cannot be read and is left out of the list", match_id)
        return found

    def _summary(self, match_id: str) -> dict[str, JSON]:
        held = self._hold(match_id)
        sheet = held.sheet
        found = result(sheet)
        return {
            "id": match_id,
            "created_at": held.created_at,
            "game": sheet.game,
            "sides": list(sheet.sides),
            "seq": len(sheet.entries),
            "change": held.change,
            "result": {key: found[key] for key in ("turn", "scores", "over", "winner", "conflict")},
            "live": self._live_json(match_id),
        }

    def view(self, match_id: str) -> dict[str, JSON]:
        """Give all there is to know of a match: result, entries, the explained history, corrections."""
        with self._turn:
            held = self._hold(match_id)
            seen = {number: {**one.data, "model": one.model} for number, one in self.store.seen(match_id).items()}
            decided = self.store.decisions(match_id)
        sheet = held.sheet
        header = format_header(sheet)
        return {
            "id": match_id,
            "created_at": held.created_at,
            **{key: header[key] for key in ("game", "rules", "sides", "config")},
            "seq": len(sheet.entries),
            "change": held.change,
            "result": result(sheet),
            "entries": entries(sheet),
            "history": history(sheet, seen, decided),
            "corrections": corrections(sheet),
            "live": self._live_json(match_id),
        }

    def steps(self, match_id: str) -> dict[str, JSON]:
        """Give how the match stood after each action that counts, in order. Raises `NoSuchMatch`."""
        sheet = self.sheet(match_id)
        return {
            "seq": len(sheet.entries),
            "steps": [
                {"id": step.id, "result": result_of(sheet.rules, step.state)} for step in replay(sheet).steps
            ],
        }

    def preview(
        self, match_id: str, values: Iterable[Mapping[str, JSON]], *, together: bool = False
    ) -> list[dict[str, JSON]]:
        """Give what each of these entries would do, by itself or after those before it; nothing is written.

        Raises
        ------
        NoSuchMatch, Malformed
        """
        sheet, found = self.sheet(match_id), []
        for value in values:
            entry = self._entry(sheet, value)
            found.append(self._ahead(sheet, entry))
            sheet = append(sheet, entry) if together else sheet
        return found

    def alternatives(self, match_id: str, number: int) -> list[dict[str, JSON]]:
        """Give what an entry may have been instead, likeliest first, each with what amending it would come to."""
        sheet = self.sheet(match_id)
        acting = dict(effective(sheet.entries))
        if number not in acting:
            raise Refused(f"entry {number} is no action that counts")
        seen = self.store.seen(match_id).get(number)
        offers = []
        for action in alternatives(acting[number], dict(seen.data) if seen else None):
            form = sheet.rules.format_action(action)
            amend = {
                "entry": "amend",
                "target": number,
                "action": form,
                "by": "umpire:preview",
                "reason": "preview",
            }
            ahead = self._ahead(sheet, self._entry(sheet, amend))
            conflict = ahead["result"]["conflict"]
            if conflict is not None and conflict["id"] == number:
                continue  # the rules refuse it where it would stand, as a slot that is not there
            offers.append({"action": form, "notation": sheet.rules.notation(action), "preview": ahead})
        return offers

    def alternatives_of(
        self, match_id: str, action: Mapping[str, JSON], seen: Mapping[str, JSON]
    ) -> list[dict[str, JSON]]:
        """Give what an action not yet written may be instead, each with what recording it would come to."""
        sheet = self.sheet(match_id)
        offers = []
        for other in alternatives(action_from_json(sheet.game, action, len(sheet.sides)), dict(seen)):
            form = sheet.rules.format_action(other)
            ahead = self._ahead(sheet, self._entry(sheet, {"entry": "record", "action": form, "by": "camera"}))
            conflict = ahead["result"]["conflict"]
            if conflict is None or conflict["id"] <= len(sheet.entries):
                offers.append({"action": form, "notation": sheet.rules.notation(other), "preview": ahead})
        return offers

    def _ahead(self, sheet: Scoresheet, entry: Entry, *, advise: bool = True) -> dict[str, JSON]:
        """Give what an entry comes to; where the score stops at it, also what keeps the match going instead."""
        changed = append(sheet, entry)
        conflict = replay(changed).conflict
        instead = []
        if advise and conflict is not None:
            for remedy in remedies(sheet, entry):
                ahead = self._ahead(sheet, self._entry(sheet, remedy.entry), advise=False)
                instead.append({"text": remedy.text, "entry": remedy.entry, "result": ahead["result"]})
        detail = conflict.detail if conflict else None
        return {"result": result(changed), "conflict_detail": detail, "instead": instead}

    # Changing

    def create(
        self,
        game: str,
        sides: Sequence[str],
        config: Mapping[str, JSON] | None = None,
        once: Once | None = None,
        *,
        on_doubt: str = "mark",
    ) -> str:
        """Begin a match and give its id; raises `Malformed`, `KeyUsed`.

        `on_doubt` says what is done about what a camera doubts: `mark` it and go on, or `wait` for a person.
        """
        try:
            sheet = new_sheet(game, sides, config)
        except ScoresheetError as fault:
            raise Malformed(fault.message) from fault
        if len({_shown(name) for name in sides}) < len(sides):
            raise Malformed("two sides have the same name: nobody could tell them apart")
        match_id, at = new_id(), self._clock()
        with self._turn:
            if (before := self.store.done(once)) is not None and before.match_id is not None:
                return before.match_id
            change = self.store.create(match_id, _dump(format_header(sheet)), at, once, on_doubt=on_doubt)
            self._held[match_id] = _Held(sheet, at, change.id)
            self._tell(change, sheet)
        return match_id

    def append(
        self,
        match_id: str,
        expected_seq: int,
        values: Sequence[tuple[Mapping[str, JSON], Seen | None]],
        once: Once | None = None,
        beside: Beside | None = None,
    ) -> tuple[int, ...]:
        """Write entries after the first `expected_seq`, all or none, and give their ids; none if `once` was done.

        What `beside` writes to the database stands with them or not at all; its changes are told after theirs.

        What a player keys in must be allowed by the rules. What a camera saw and what an umpire rules is kept even
        where the score then stops at it: it happened, and a person has to look.

        Raises
        ------
        NoSuchMatch, Stale, Malformed, AgainstRules, KeyUsed
        """
        with self._turn:
            if self.store.done(once) is not None:
                return ()
            held = self._hold(match_id)
            if len(held.sheet.entries) != expected_seq:
                raise Stale(expected_seq, len(held.sheet.entries))
            at = self._clock()
            sheets, lines, kinds = [held.sheet], [], []
            for value, seen in values:
                entry = self._entry(sheets[-1], {"at": at, **value})
                sheets.append(append(sheets[-1], entry))
                _hold_to_rules(sheets[-1], entry)
                lines.append((_dump(format_entry(sheets[-1], entry)), seen))
                kinds.append(_KINDS[entry.entry])
            changes = self.store.append(match_id, expected_seq, lines, kinds, at=at, once=once, beside=beside)
            for change in changes:
                sheet = sheets[change.seq - expected_seq]
                self._held[match_id] = _Held(sheet, held.created_at, change.id)
                self._tell(change, sheet)
            return tuple(entry.id for entry in sheets[-1].entries[expected_seq:])

    def undo(
        self, match_id: str, expected_seq: int, by: str, target: int | None = None, *, once: Once | None = None
    ) -> tuple[int, ...]:
        """Take something back: a correction by striking it, a dart of the running turn as the rules undo it.

        Without a target it is the newest entry that still counts for something. Both stay in the log.

        Raises
        ------
        NoSuchMatch, Stale, Malformed, Refused, KeyUsed
        """
        with self._turn:
            if self.store.done(once) is not None:
                return ()
            sheet = self.sheet(match_id)
            number = target if target is not None else _newest(sheet)
            if number is None or not 1 <= number <= len(sheet.entries):
                raise Refused("there is nothing to take back")
            return self.append(match_id, expected_seq, [(_taking_back(sheet, number, by), None)], once)

    def decide(self, match_id: str, number: int, decision: str, by: str, *, once: Once | None = None) -> None:
        """Keep a person's decision that an entry was read right; raises `NoSuchMatch`, `Refused`, `KeyUsed`."""
        with self._turn:
            if not 1 <= number <= len(self.sheet(match_id).entries) and self.store.done(once) is None:
                raise Refused(f"there is no entry {number}")
            kept = {"decision": decision, "by": by, "at": self._clock()}
            self.keep(match_id, lambda db: write_decisions(db, match_id, [number], kept), once)

    def mark(self, match_id: str, kind: str, sighting_id: int, beside: Beside | None = None) -> None:
        """Keep and tell a change that is about a sighting, and what is written beside it; raises `NoSuchMatch`."""

        def both(db: Connection) -> list[ChangeRow]:
            told = () if beside is None else beside(db) or ()
            return [*told, write_mark(db, match_id, kind, self._clock(), sighting_id)]

        self.keep(match_id, both)

    def keep(self, match_id: str, beside: Beside, once: Once | None = None) -> None:
        """Keep what is about a match and no entry of it, and tell its changes; nothing if `once` was done.

        Raises
        ------
        NoSuchMatch, KeyUsed
        """
        with self._turn:
            if self.store.done(once) is not None:
                return
            held = self._hold(match_id)
            for change in self.store.keep(match_id, beside, once):
                self._held[match_id] = replace(held, change=change.id)
                self._tell(change, held.sheet)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let nobody else write meanwhile."""
        with self._turn:
            yield

    def playing(self) -> str | None:
        """Give the id of the match that is watched live, else of the one that changed last; None without one."""
        live = [match_id for match_id, one in list(self._live.items()) if not one.done]
        return max(live, key=self.store.last_change) if live else self.store.changed_last()

    def watch(self, match_id: str, live: Live) -> None:
        """Say what a camera is doing for the match; listeners hear it, nothing is kept."""
        self._live[match_id] = live
        data = _dump({"match": match_id, **(self._live_json(match_id) or {})})
        told = Message(
            event="status", match_id=match_id, number=None, kind="watch.status", at=self._clock(), data=data
        )
        self.hub.publish(told)

    # Telling

    def changes(self, after: int, match_id: str | None = None, limit: int = 1000) -> list[Message]:
        """Give again what happened after change `after`, as it was told when it happened; at most `limit`."""
        found = self.store.changes(after, match_id, limit)
        return [self._message(change, self._as_of(change)) for change in found]

    def last_change(self, match_id: str | None = None) -> int:
        """Give the newest change's number."""
        return self.store.last_change(match_id)

    def _as_of(self, change: ChangeRow) -> Scoresheet:
        sheet = self.sheet(change.match_id)
        return replace(sheet, entries=sheet.entries[: change.seq])

    def _tell(self, change: ChangeRow, sheet: Scoresheet) -> None:
        self.hub.publish(self._message(change, sheet))

    def _message(self, change: ChangeRow, sheet: Scoresheet) -> Message:
        told: dict[str, JSON] = {
            "change": change.id,
            "match": change.match_id,
            "kind": change.kind,
            "at": change.at,
            "seq": len(sheet.entries),
            "result": result(sheet),
        }
        if change.kind.startswith("entry."):
            told |= self._entry_told(change, sheet)
        elif change.entry_seq is not None:
            told["id"] = change.entry_seq
        if change.sighting_id is not None:
            told["review"] = change.sighting_id
        data = _dump(told)
        return Message(
            event="change",
            match_id=change.match_id,
            number=change.id,
            kind=change.kind,
            at=change.at,
            data=data,
        )

    def _entry_told(self, change: ChangeRow, sheet: Scoresheet) -> dict[str, JSON]:
        entry = sheet.entries[-1]
        before = replace(sheet, entries=sheet.entries[:-1])
        seen = self.store.seen(change.match_id).get(entry.id)
        steps = {step["id"]: step for step in history(sheet, {}, {})}
        about = entry.id if entry.id in steps else getattr(entry, "target", 0)
        step = steps.get(about)
        told: dict[str, JSON] = {
            "entry": format_entry(sheet, entry),
            "scores_before": result(before)["scores"],
            "corrects": corrected(before, sheet),
            "explanation": step["explanation"] if step else "",
            "seen": {**seen.data, "model": seen.model} if seen else None,
        }
        if step is not None:
            scores = result(sheet)["scores"]
            told["say"] = sentence(sheet, scores, step["notation"], step["explanation"], step["side"])
        return told

    def _live_json(self, match_id: str) -> dict[str, JSON] | None:
        live = self._live.get(match_id)
        if live is None:
            return None
        shown = {"source": live.source, "phase": live.phase, "t_ms": live.t_ms, "done": live.done}
        return shown | ({"message": live.message} if live.message else {})

    def _hold(self, match_id: str) -> _Held:
        with self._turn:
            held = self._held.get(match_id)
            if held is None:
                row = self.store.read(match_id)
                sheet = parse_sheet("\n".join((row.header, *row.lines)))
                held = _Held(sheet, row.created_at, self.store.last_change(match_id))
                self._held[match_id] = held
            return held

    def _entry(self, sheet: Scoresheet, value: Mapping[str, JSON]) -> Entry:
        hold_to_time(value.get("action"))
        try:
            return parse_entry(sheet, {"id": len(sheet.entries) + 1, **value})
        except ScoresheetError as fault:
            raise Malformed(fault.message) from fault


def hold_to_time(action: JSON) -> None:
    """Refuse an action whose time not every reader takes for the same; raises `Malformed`."""
    t_ms = action.get("t_ms") if isinstance(action, Mapping) else None
    if isinstance(t_ms, int) and t_ms > LATEST_MS:
        raise Malformed(f'"t_ms" is {t_ms}; takes up to {LATEST_MS}')


def _shown(name: str) -> str:
    """Give a name as people tell it from others: without what does not show, large and small letters alike."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(one for one in plain if unicodedata.category(one) != "Cf").strip()


UNDONE = "undone"
"""The reason of a strike by which something was taken back: that is not taken back in its turn."""


def _newest(sheet: Scoresheet) -> int | None:
    """Give the newest entry that still counts for something: what was taken back stays so."""
    acting = set(dict(effective(sheet.entries)))
    undone = {entry.id for entry in sheet.entries if isinstance(entry, Strike) and entry.reason == UNDONE}
    holding = {one["id"] for one in corrections(sheet) if one["holds"]}
    return max(acting | (holding - undone), default=None)


def _hold_to_rules(sheet: Scoresheet, entry: Entry) -> None:
    if isinstance(entry, Record) and entry.by == "player":
        conflict = replay(sheet).conflict
        if conflict is not None:
            raise AgainstRules(conflict.reason, conflict.detail)


def _taking_back(sheet: Scoresheet, number: int, by: str) -> dict[str, JSON]:
    if by == "player" and sheet.game == "cricket":
        played = replay(sheet)
        darts = _darts(played)
        if number not in (_newest(sheet), *darts[-1:]):
            raise Refused("a player takes back the newest dart only; earlier ones are an umpire's (FC-30, FC-33)")
        action = {"kind": "undo", "side": sheet.rules.turn(played.state) or 0, "t_ms": played.state.t_ms}
        return {"entry": "record", "action": action, "by": by}
    return {"entry": "strike", "target": number, "by": by, "reason": UNDONE}


def _darts(played: Replay) -> list[int]:
    """Give the entries of the darts that stand in the running turn."""
    darts: list[int] = []
    for step in played.steps:
        match step.action:
            case Throw():
                darts.append(step.id)
            case Undo():
                darts.pop()
            case EndTurn():
                darts.clear()
    return darts


def _dump(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)


__all__ = [
    "GAMES",
    "AgainstRules",
    "Live",
    "Malformed",
    "MatchError",
    "Matches",
    "NoSuchMatch",
    "Refused",
    "Seen",
    "Stale",
    "new_id",
    "now",
]
