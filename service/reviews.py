"""What a person should look at: the queue, what shows each, what it may have been instead, and deciding.

ReviewError
├── NoSuchReview
├── Decided       somebody has decided already, or another has to be decided first
└── NotPossible   what is asked for does not fit what was seen
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection

from engine import Amend, Scoresheet, Strike, effective
from service.matches import Matches, now
from service.sightings import OPEN, Plan, Sightings
from service.store import Beside, ChangeRow, Once, SightingRow
from service.store.boards import update_sighting
from service.store.store import write_decisions, write_mark

JSON: TypeAlias = Any

WAITS_FIRST: Final = {"waiting": 0, "held": 1}


class ReviewError(Exception):
    """Root of what deciding may refuse; its text is one sentence for people."""


class NoSuchReview(ReviewError):  # noqa: N818 - the tree in the module's docstring names it
    """There is nothing of that number to look at."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no review {number}")


class Decided(ReviewError):  # noqa: N818
    """It is no longer, or not yet, to be decided."""


class NotPossible(ReviewError):  # noqa: N818
    """It does not fit."""


class Reviews:
    """The reviews of a store. Methods may be called from any thread."""

    def __init__(self, matches: Matches, sightings: Sightings) -> None:
        self.matches, self.sightings = matches, sightings

    def queue(self, match_id: str | None = None, *, decided: bool = False) -> list[dict[str, JSON]]:
        """Give what is to be looked at, what the match waits for first; or what was decided, the newest first."""
        rows = self.sightings.table.of(match_id=match_id, asking=True)
        settled: dict[str, set[int]] = {}
        found = []
        for row in rows:
            if row.match_id not in settled:
                settled[row.match_id] = settled_of(self.matches, row.match_id)
            still_open = is_open(row, settled[row.match_id])
            if still_open != decided:
                found.append(self._short(row, still_open))
        if decided:
            return found[::-1]
        return sorted(found, key=lambda one: (WAITS_FIRST.get(one["state"], 2), one["id"]))

    def view(self, number: int) -> dict[str, JSON]:
        """Give all there is to one: what was seen, what shows it, what would be written, what it may have been.

        Raises
        ------
        NoSuchReview
        """
        row = self._row(number)
        still_open = is_open(row, settled_of(self.matches, row.match_id))
        sheet = self.matches.sheet(row.match_id)
        return {
            **self._short(row, still_open),
            "event": dict(row.event),
            "actions": self._actions(row, sheet),
            "alternatives": self._alternatives(row, sheet) if still_open else [],
            "strike": self._struck(row, sheet) if still_open else None,
        }

    def decide(
        self,
        number: int,
        decision: str,
        by: str,
        actions: Sequence[Mapping[str, JSON]] = (),
        reason: str | None = None,
        *,
        once: Once | None = None,
    ) -> None:
        """Keep what a person decided and do it, both or neither: accept as seen, correct, or strike.

        Raises
        ------
        NoSuchReview, Decided, NotPossible, KeyUsed, the match's refusals (`service.matches.MatchError`)
        """
        with self.matches.turn():
            row = self._row(number)
            if self.matches.store.done(once) is not None:
                self.sightings.flush(row.match_id)
                return
            if not is_open(row, settled_of(self.matches, row.match_id)):
                raise Decided("that has been decided")
            if row.state == "held":
                raise Decided("something that was seen before it has to be decided first")
            if (decision == "correct") != bool(actions):
                raise NotPossible("to correct takes actions; to accept or strike takes none")
            said = reason or {"accept": "seen so", "correct": "seen otherwise", "strike": "it was none"}[decision]
            word = _Word(row=row, decision=decision, by=by, at=now(), once=once)
            if row.state == "waiting":
                self._decide_waiting(word, actions)
            else:
                self._decide_written(word, actions, said)
            self.sightings.flush(row.match_id)

    # Deciding

    def _decide_waiting(self, word: "_Word", actions: Sequence[Mapping[str, JSON]]) -> None:
        """Write what waited, as it was seen or as a person says; or drop it."""
        row, match_id = word.row, word.row.match_id
        if word.decision == "strike":
            self.matches.keep(match_id, word.kept(state="dropped"), word.once)
            return
        if word.decision == "accept":
            plan = self.sightings.plan(row)
            if plan.refused:
                raise NotPossible(
                    f"the rules refuse it as it was seen ({plan.refused}): correct it, strike it, or put the match"
                    " right first"
                )
            self.sightings.write_waiting(row, plan, word.confirming(plan), word.once)
            return
        seq = len(self.matches.sheet(match_id).entries)
        evidence = {"evidence": list(row.pictures.values())} if row.pictures else {}
        values = [
            ({"entry": "record", "action": {"t_ms": row.event["t_ms"], **action}, "by": word.by, **evidence}, None)
            for action in actions
        ]
        kept = word.kept(state="written", first_entry=seq + 1, last_entry=seq + len(values))
        self.matches.append(match_id, seq, values, word.once, beside=kept)

    def _decide_written(self, word: "_Word", actions: Sequence[Mapping[str, JSON]], reason: str) -> None:
        row, match_id = word.row, word.row.match_id
        sheet = self.matches.sheet(match_id)
        standing = [number for number, _ in effective(sheet.entries) if number in row.entries]
        by: dict[str, JSON] = {"by": word.by, "reason": reason}
        if word.decision == "accept":
            self.matches.keep(match_id, word.kept(confirmed=row.entries), word.once)
            return
        if not row.entries:
            values = self._added(row, actions, by) if word.decision == "correct" else []
        elif not standing:
            raise NotPossible("nothing of it counts any more")
        elif word.decision == "strike":
            values = [{"entry": "strike", "target": entry, **by} for entry in standing]
        else:
            values = [self._amended(row, sheet, standing, actions, by)]
        if not values:
            self.matches.keep(match_id, word.kept(), word.once)
            return
        kept = word.kept()
        self.matches.append(
            match_id, len(sheet.entries), [(value, None) for value in values], word.once, beside=kept
        )

    @staticmethod
    def _amended(
        row: SightingRow,
        sheet: Scoresheet,
        standing: Sequence[int],
        actions: Sequence[Mapping[str, JSON]],
        by: Mapping[str, JSON],
    ) -> dict[str, JSON]:
        if len(actions) != 1:
            raise NotPossible("one action stands in the place of one")
        target = standing[-1] if row.event["event"] != "takeout" else standing[0]
        own: dict[str, JSON] = sheet.rules.format_action(dict(effective(sheet.entries))[target])
        action: dict[str, JSON] = {key: own[key] for key in ("side", "t_ms") if key in own}
        return {"entry": "amend", "target": target, "action": {**action, **actions[0]}, **by}

    def _added(
        self, row: SightingRow, actions: Sequence[Mapping[str, JSON]], by: Mapping[str, JSON]
    ) -> list[dict[str, JSON]]:
        """Put what a person saw where it happened: after what was written before it."""
        earlier = self.sightings.table.of(match_id=row.match_id)
        after = max((one.last_entry or 0 for one in earlier if one.id < row.id), default=0)
        t_ms = row.event["t_ms"]
        return [
            {"entry": "insert", "after": after, "action": {"t_ms": t_ms, **action}, **by}
            for action in reversed(actions)
        ]

    # Showing

    def _row(self, number: int) -> SightingRow:
        row = self.sightings.table.get(number)
        if row is None or not _asks(row):
            raise NoSuchReview(number)
        return row

    def _short(self, row: SightingRow, still_open: bool) -> dict[str, JSON]:
        return {
            "id": row.id,
            "match": row.match_id,
            "watching": row.watching_id,
            "state": row.state,
            "open": still_open,
            "event_kind": row.event["event"],
            "t_ms": row.event["t_ms"],
            "at": row.at,
            "codes": [dict(code) for code in row.codes],
            "confidence": row.event.get("confidence"),
            "pictures": {name: picture for name, picture in row.pictures.items() if name != "clip"},
            "clip": f"/api/v1/reviews/{row.id}/clip" if self.sightings.has_clip(row) else None,
            "entries": list(row.entries),
            "decision": row.decision,
            "by": row.by,
            "decided_at": row.decided_at,
        }

    def _actions(self, row: SightingRow, sheet: Scoresheet) -> list[dict[str, JSON]]:
        """Give the actions that stand for it, or would be written."""
        if row.state in OPEN:
            plan = self.sightings.plan(row)
            return [value["action"] for value, _ in plan.values]
        standing = dict(effective(sheet.entries))
        return [sheet.rules.format_action(standing[entry]) for entry in row.entries if entry in standing]

    def _struck(self, row: SightingRow, sheet: Scoresheet) -> dict[str, JSON] | None:
        """Give what striking it comes to, None where nothing of it counts; a visit may then lack a dart."""
        standing = [number for number, _ in effective(sheet.entries) if number in row.entries]
        values = [
            {"entry": "strike", "target": number, "by": "umpire:preview", "reason": "preview"}
            for number in standing
        ]
        ahead = self.matches.preview(row.match_id, values, together=True)
        return ahead[-1] if ahead else None

    def _alternatives(self, row: SightingRow, sheet: Scoresheet) -> list[dict[str, JSON]]:
        """Give what it may have been instead, likeliest first, with what that would come to."""
        standing = dict(effective(sheet.entries))
        numbers = [entry for entry in row.entries if entry in standing]
        if row.state not in OPEN:
            return self.matches.alternatives(row.match_id, numbers[-1]) if numbers else []
        plan = self.sightings.plan(row)
        if not plan.values or row.event["event"] == "takeout":
            return []
        return self.matches.alternatives_of(row.match_id, plan.values[-1][0]["action"], row.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A person's word on a review; it is kept in the transaction that does what it says."""

    row: SightingRow
    decision: str
    by: str
    at: str
    once: Once | None

    def kept(self, confirmed: Iterable[int] = (), **change: JSON) -> Beside:
        """Give what keeps it, with `change` of the sighting and entries that are confirmed by it."""
        row = self.row

        def beside(db: Connection) -> list[ChangeRow]:
            decided = {"decision": self.decision, "by": self.by, "decided_at": self.at}
            update_sighting(db, row.id, {**change, **decided})
            said = {"decision": "confirmed", "by": self.by, "at": self.at}
            told = write_decisions(db, row.match_id, confirmed, said)
            return [*told, write_mark(db, row.match_id, "review.decided", self.at, row.id)]

        return beside

    def confirming(self, plan: Plan) -> Beside:
        """Give what keeps it once what was planned is written."""
        return self.kept(confirmed=range(plan.seq + 1, plan.seq + len(plan.values) + 1))


def _asks(row: SightingRow) -> bool:
    return bool(row.codes) or row.state in OPEN or row.decision is not None


def is_open(row: SightingRow, settled: set[int]) -> bool:
    """Tell whether somebody still has to look: nobody decided, here or at its entries."""
    if row.decision is not None or row.state == "dropped":
        return False
    return row.state in OPEN or not row.entries or not all(entry in settled for entry in row.entries)


def settled_of(matches: Matches, match_id: str) -> set[int]:
    """Give the entries that a person confirmed, corrected or struck, and those on which there was no doubt."""
    sheet = matches.sheet(match_id)
    seen = matches.store.seen(match_id)
    settled = set(matches.store.decisions(match_id))
    for entry in sheet.entries:
        if isinstance(entry, Amend | Strike) and entry.by != "camera":
            settled.add(entry.target)
        one = seen.get(entry.id)
        if one is None or not one.data.get("review"):
            settled.add(entry.id)
    return settled
