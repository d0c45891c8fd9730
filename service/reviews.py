"""What a person should look at: the queue, what shows each, what it may have been instead, and deciding.

ReviewError
├── NoSuchReview
├── Decided       somebody has decided already, or another has to be decided first
└── NotPossible   what is asked for does not fit what was seen
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine import Amend, Scoresheet, Strike, effective
from service.matches import Matches, now
from service.sightings import OPEN, Sightings
from service.store import SightingRow
from service.store.boards import update_sighting

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
        }

    def decide(
        self,
        number: int,
        decision: str,
        by: str,
        actions: Sequence[Mapping[str, JSON]] = (),
        reason: str | None = None,
    ) -> None:
        """Keep what a person decided and do it: accept as seen, correct to other actions, or strike.

        Raises
        ------
        NoSuchReview, Decided, NotPossible, engine's and the match's refusals (`service.matches.MatchError`)
        """
        with self.matches.turn():
            row = self._row(number)
            if not is_open(row, settled_of(self.matches, row.match_id)):
                raise Decided("that has been decided")
            if row.state == "held":
                raise Decided("something that was seen before it has to be decided first")
            if (decision == "correct") != bool(actions):
                raise NotPossible("to correct takes actions; to accept or strike takes none")
            said = reason or {"accept": "seen so", "correct": "seen otherwise", "strike": "it was none"}[decision]
            kept = {"decision": decision, "by": by, "decided_at": now()}
            if row.state == "waiting":
                self._decide_waiting(row, decision, by, actions, kept)
            else:
                self._decide_written(row, decision, by, actions, said)
            self.matches.mark(row.match_id, "review.decided", row.id, lambda db: update_sighting(db, row.id, kept))
            self.sightings.flush(row.match_id)

    # Deciding

    def _decide_waiting(
        self,
        row: SightingRow,
        decision: str,
        by: str,
        actions: Sequence[Mapping[str, JSON]],
        kept: Mapping[str, JSON],
    ) -> None:
        """Write what waited, as it was seen or as a person says; or drop it."""
        if decision == "strike":
            with self.matches.store.writing() as db:
                update_sighting(db, row.id, {"state": "dropped"})
            return
        plan = self.sightings.plan(row)
        if decision == "accept":
            if plan.refused:
                raise NotPossible(
                    f"the rules refuse it as it was seen ({plan.refused}): correct it, strike it, or put the match"
                    " right first"
                )
            ids = self.sightings.write_waiting(row, plan, kept)
            for entry in ids:
                self.matches.decide(row.match_id, entry, "confirmed", by)
            return
        sheet = self.matches.sheet(row.match_id)
        t_ms = row.event["t_ms"]
        evidence = {"evidence": list(row.pictures.values())} if row.pictures else {}
        values = [
            ({"entry": "record", "action": {"t_ms": t_ms, **action}, "by": by, **evidence}, None)
            for action in actions
        ]
        span = {"first_entry": len(sheet.entries) + 1, "last_entry": len(sheet.entries) + len(values)}
        change = {"state": "written", **span, **kept}
        self.matches.append(
            row.match_id,
            len(sheet.entries),
            values,
            beside=lambda db: update_sighting(db, row.id, change),
        )

    def _decide_written(
        self,
        row: SightingRow,
        decision: str,
        by: str,
        actions: Sequence[Mapping[str, JSON]],
        reason: str,
    ) -> None:
        sheet = self.matches.sheet(row.match_id)
        standing = [number for number, _ in effective(sheet.entries) if number in row.entries]
        if decision == "accept":
            for entry in row.entries:
                self.matches.decide(row.match_id, entry, "confirmed", by)
            return
        if not row.entries:
            if decision == "correct":
                self._add(row, sheet, by, actions, reason)
            return
        if not standing:
            raise NotPossible("nothing of it counts any more")
        seq = len(sheet.entries)
        if decision == "strike":
            strikes = [
                ({"entry": "strike", "target": entry, "by": by, "reason": reason}, None) for entry in standing
            ]
            self.matches.append(row.match_id, seq, strikes)
            return
        if len(actions) != 1:
            raise NotPossible("one action stands in the place of one")
        target = standing[-1] if row.event["event"] != "takeout" else standing[0]
        own: dict[str, JSON] = sheet.rules.format_action(dict(effective(sheet.entries))[target])
        action: dict[str, JSON] = {key: own[key] for key in ("side", "t_ms") if key in own}
        action |= actions[0]
        amend = {"entry": "amend", "target": target, "action": action, "by": by, "reason": reason}
        self.matches.append(row.match_id, seq, [(amend, None)])

    def _add(
        self, row: SightingRow, sheet: Scoresheet, by: str, actions: Sequence[Mapping[str, JSON]], reason: str
    ) -> None:
        """Put what a person saw where it happened: after what was written before it."""
        earlier = self.sightings.table.of(match_id=row.match_id)
        after = max((one.last_entry or 0 for one in earlier if one.id < row.id), default=0)
        values = []
        for action in reversed(actions):
            form = {"t_ms": row.event["t_ms"], **action}
            values.append(({"entry": "insert", "after": after, "action": form, "by": by, "reason": reason}, None))
        self.matches.append(row.match_id, len(sheet.entries), values)

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
