"""What was seen, written to a match: once each, in order, doubts marked or kept waiting for a person.

The match is the truth, not the watcher: before each entry it is looked where the match stands, so what a person
corrected, added or took back meanwhile counts. What the rules would refuse is never written by itself: it waits
for a person, and what was seen after it waits behind it, so that nothing is written out of its order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection

from engine import (
    GAMES,
    FormError,
    Scoresheet,
    action_from_json,
    action_to_json,
    astrolabe,
    effective,
    finn,
    result,
)
from engine import replay as play
from engine.cricket import EndTurn, Throw
from service.matches import AgainstRules, Malformed, Matches, Refused, hold_to_time, now
from service.media import Media
from service.store import Beside, BoardTables, ChangeRow, Done, Once, Seen, SightingRow, SightingTable
from service.store.boards import add_picture, insert_sighting, update_seen, update_sighting
from service.store.store import write_done
from vision.events import Event
from vision.scribe import Visit, scribe

JSON: TypeAlias = Any
Value: TypeAlias = tuple[dict[str, JSON], Seen | None]

OPEN: Final = ("waiting", "held")
"""States of what is not yet written."""

ADDED: Final = "FILLED_WITH_MISS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an event comes to where the match stands now.

    Attributes
    ----------
    seq
        Entries of the match then.
    values
        Entries to write with what was seen of each.
    codes
        What a person should look at.
    refused
        The code of the rules' refusal; then it has to wait.
    actions
        The actions, for people.
    visit
        Where a visit of darts stands for the scribe after it.
    """

    seq: int
    values: tuple[Value, ...] = ()
    codes: tuple[Mapping[str, JSON], ...] = ()
    refused: str | None = None
    actions: tuple[JSON, ...] = ()
    visit: Visit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of an event: the id of its sighting, its state, the entries that were written for it."""

    sighting_id: int
    state: str
    ids: tuple[int, ...] = ()
    actions: tuple[JSON, ...] = ()


class Sightings:
    """What was seen for the matches of a store. Methods may be called from any thread."""

    def __init__(self, matches: Matches) -> None:
        self.matches = matches
        self.table = SightingTable(matches.store)
        self._boards = BoardTables(matches.store)
        self._media = Media(matches.store.media)
        self._visits: dict[str, Visit] = {}

    def take(
        self,
        match_id: str,
        number: int,
        event: Event,
        pictures: Mapping[str, str],
        *,
        watching_id: int | None = None,
        zero_ms: int = 0,
        model: str = "",
        once: Once | None = None,
    ) -> Taken | None:
        """Write what an event stands for, or keep it for a person; None for one that was taken before.

        Parameters
        ----------
        match_id
            The match.
        number
            The how manieth of all events of its watching, from 1.
        event
            As it was seen, in the time of its source.
        pictures
            Names of what shows it.
        watching_id
            Who saw it, if it is known to the store.
        zero_ms
            The match's time at the source's first frame.
        model
            Hash of what read it.
        once
            The key of the request that tells it, if one does.

        Raises
        ------
        NoSuchMatch, StoreError
        """
        line = {"event": event.kind, "t_ms": event.t_ms, "frame": event.frame, "end_frame": event.end_frame}
        values = {
            "match_id": match_id,
            "watching_id": watching_id,
            "number": number,
            "event": {**line, **event.data},
            "pictures": dict(pictures),
            "codes": list(event.data.get("review", ())),
            "at": now(),
            "model": model or None,
        }
        with self.matches.turn():
            if watching_id is not None and number <= self.table.last_number(watching_id):
                return None
            if self.matches.store.done(once) is not None:
                return None
            if event.kind == "shot_revised":
                return self._revise(values, event, model)
            if self.table.of(match_id=match_id, states=OPEN, limit=1):
                return self._keep(values, "held", once)
            return self._settle(values, replace(event, t_ms=event.t_ms + zero_ms), model, once)

    def propose(
        self,
        match_id: str,
        action: Mapping[str, JSON],
        codes: Sequence[Mapping[str, JSON]] = (),
        *,
        pictures: Mapping[str, str] | None = None,
        model: str = "",
        once: Once | None = None,
        **seen: JSON,
    ) -> SightingRow:
        """Take what another program saw: it goes the way of what a board sees, and doubts are asked about.

        Raises
        ------
        NoSuchMatch, Malformed, Refused, KeyUsed, StoreError
        """
        with self.matches.turn():
            if (before := self.matches.store.done(once)) is not None:
                return self._proposed(match_id, before)
            waits = self.table.of(match_id=match_id, states=OPEN, limit=1)
            kind, data = _as_event(self.matches.sheet(match_id), action, waits=bool(waits))
            t_ms = action["t_ms"]
            number = 1 + max((row.number for row in self.table.of(match_id=match_id)), default=0)
            event = Event(
                kind=kind, t_ms=t_ms, frame=number, end_frame=number, data={**data, **seen, "review": list(codes)}
            )
            taken = self.take(match_id, number, event, pictures or {}, model=model, once=once)
            assert taken is not None
            row = self.table.get(taken.sighting_id)
            assert row is not None
            return row

    def _proposed(self, match_id: str, done: Done) -> SightingRow:
        """Give the sighting that was made under a key."""
        for row in self.table.of(match_id=match_id, newest_first=True):
            if done.made == str(row.id) or (done.entry is not None and row.last_entry == done.entry):
                return row
        raise Refused("what was proposed under this key is not there any more")

    def _settle(self, values: dict[str, JSON], event: Event, model: str, once: Once | None) -> Taken:
        """Write an event that nothing waits before."""
        match_id = values["match_id"]
        plan = self._plan(match_id, event, values["pictures"], model)
        values["codes"] = list(plan.codes)
        if plan.refused or (plan.values and plan.codes and self.table.way(match_id) == "wait"):
            return self._keep(values, "waiting", once)
        self._go_on(match_id, plan)
        if not plan.values:
            return self._keep(values, "written", once)
        return self._write(plan, values, once)

    def _go_on(self, match_id: str, plan: Plan) -> None:
        if plan.visit is not None:
            self._visits[match_id] = plan.visit

    def _keep(self, values: dict[str, JSON], state: str, once: Once | None = None) -> Taken:
        """Keep a sighting for which nothing is written."""
        found: list[int] = []

        def beside(db: Connection) -> None:
            found.append(insert_sighting(db, {**values, "state": state}))

        with self.matches.store.writing() as db:
            beside(db)
            write_done(db, once, made=str(found[0]))
        if values["codes"] and state != "held":
            self.matches.mark(values["match_id"], "review.opened", found[0])
        return Taken(sighting_id=found[0], state=state)

    def _write(self, plan: Plan, values: dict[str, JSON], once: Once | None) -> Taken:
        match_id, found = values["match_id"], list[int]()
        span = {"first_entry": plan.seq + 1, "last_entry": plan.seq + len(plan.values)}

        def beside(db: Connection) -> None:
            found.append(insert_sighting(db, {**values, **span, "state": "written"}))

        ids = self.matches.append(match_id, plan.seq, plan.values, once, beside=beside)
        if values["codes"]:
            self.matches.mark(match_id, "review.opened", found[0])
        return Taken(sighting_id=found[0], state="written", ids=ids, actions=plan.actions)

    # Revising

    def _revise(self, values: dict[str, JSON], event: Event, model: str) -> Taken:
        """Take a later look at a shot: it changes what was seen, and the entry if no person has touched it."""
        match_id, action = values["match_id"], event.data["action"]
        codes = list(event.data.get("review", ()))
        shot = self._revised(values, event)
        values["codes"] = []
        if shot is None:
            return self._keep(values, "written")
        change = {"codes": codes, "action": action}
        if shot.state in OPEN:
            return self._revise_waiting(shot, values, change)
        sheet = self.matches.sheet(match_id)
        entry = shot.last_entry
        if entry is None or shot.decision is not None or entry in _touched(self.matches, match_id, sheet):
            differs = entry is not None and _unlike(sheet, entry, action)
            values["codes"] = [{"code": "REVISED_LATER"}] if differs else []
            return self._keep(values, "written")
        seen = self.matches.store.seen(match_id).get(entry)
        data = {**(seen.data if seen else {}), **event.data, "review": codes, "pictures": dict(shot.pictures)}
        own = _action_of(sheet, entry)
        assert own is not None
        action = _as_written(sheet, own, action)
        if action == own:
            found: list[int] = []

            def beside(db: Connection) -> None:
                update_sighting(db, shot.id, change)
                update_seen(db, match_id, entry, data)
                found.append(insert_sighting(db, {**values, "state": "written"}))

            self.matches.mark(match_id, "review.changed", shot.id, beside)
            return Taken(sighting_id=found[0], state="written")
        return self._amend(shot, values, change, {**data, "action": action}, model)

    def _amend(
        self,
        shot: SightingRow,
        values: dict[str, JSON],
        change: dict[str, JSON],
        data: dict[str, JSON],
        model: str,
    ) -> Taken:
        match_id, entry = shot.match_id, shot.last_entry
        assert entry is not None
        seq = len(self.matches.sheet(match_id).entries)
        amend = {
            "entry": "amend",
            "target": entry,
            "action": data["action"],
            "by": "camera",
            "reason": "seen when the pins were set up",
        }
        conflict = self.matches.preview(match_id, [amend])[0]["result"]["conflict"]
        if conflict is not None and conflict != result(self.matches.sheet(match_id))["conflict"]:
            values["codes"] = [{"code": "RULES_REFUSE", "reason": conflict["reason"]}]
            return self._keep(values, "written")
        found: list[int] = []

        def beside(db: Connection) -> None:
            update_sighting(db, shot.id, change)
            update_seen(db, match_id, entry, data)
            span = {"first_entry": seq + 1, "last_entry": seq + 1}
            found.append(insert_sighting(db, {**values, **span, "state": "written"}))

        ids = self.matches.append(match_id, seq, [(amend, Seen(data=data, model=model))], beside=beside)
        return Taken(sighting_id=found[0], state="written", ids=ids)

    def _revise_waiting(self, shot: SightingRow, values: dict[str, JSON], change: dict[str, JSON]) -> Taken:
        """Put the later look in the place of what waits; without a doubt left it waits no longer."""
        found: list[int] = []

        def beside(db: Connection) -> None:
            update_sighting(db, shot.id, {**change, "state": "held"})
            found.append(insert_sighting(db, {**values, "state": "written"}))

        self.matches.mark(shot.match_id, "review.changed", shot.id, beside)
        self.flush(shot.match_id)
        return Taken(sighting_id=found[0], state="written")

    def _revised(self, values: Mapping[str, JSON], event: Event) -> SightingRow | None:
        """Give the shot that an event revises: the newest of its watching that began in that frame."""
        for row in self.table.of(match_id=values["match_id"], newest_first=True, limit=200):
            if (
                row.event["event"] == "shot"
                and row.watching_id == values["watching_id"]
                and row.event["frame"] == event.data["shot_frame"]
            ):
                return row
        return None

    # Going on

    def flush(self, match_id: str) -> None:
        """Write what waits no longer: all up to the next that is for a person. Raises `NoSuchMatch`."""
        with self.matches.turn():
            for row in self.table.of(match_id=match_id, states=OPEN):
                if not self._flushed(row):
                    return

    def _flushed(self, row: SightingRow) -> bool:
        """Write one that waits, if nothing is against it."""
        plan = self.plan(row)
        codes = [dict(code) for code in plan.codes]
        held = bool(plan.refused) or (
            bool(plan.values) and bool(codes) and self.table.way(row.match_id) == "wait" and row.decision is None
        )
        if held:
            if row.state != "waiting" or codes != [dict(code) for code in row.codes]:
                self.matches.mark(
                    row.match_id,
                    "review.opened",
                    row.id,
                    lambda db: update_sighting(db, row.id, {"state": "waiting", "codes": codes}),
                )
            return False
        self.write_waiting(row, plan)
        return True

    def write_waiting(
        self, row: SightingRow, plan: Plan, decided: Beside | None = None, once: Once | None = None
    ) -> None:
        """Write one that waits as planned, and what keeps a person's word on it."""
        change: dict[str, JSON] = {"state": "written", "codes": list(plan.codes)}
        if plan.values:
            change |= {"first_entry": plan.seq + 1, "last_entry": plan.seq + len(plan.values)}

        def beside(db: Connection) -> Sequence[ChangeRow]:
            update_sighting(db, row.id, change)
            return () if decided is None else decided(db) or ()

        if plan.values:
            self.matches.append(row.match_id, plan.seq, plan.values, once, beside=beside)
        else:
            self.matches.keep(row.match_id, beside, once)
        self._go_on(row.match_id, plan)

    def keep_clip(self, watching_id: int, number: int, name: str) -> None:
        """Keep the name of the clip of what a watching saw beside its pictures."""
        with self.matches.store.writing() as db:
            add_picture(db, watching_id, number, "clip", name)

    def has_clip(self, row: SightingRow) -> bool:
        """Say whether there is a clip of a sighting, or a recording that it can be cut from."""
        if "clip" in row.pictures and self._media.find(row.pictures["clip"]) is not None:
            return True
        watching = None if row.watching_id is None else self._boards.watching(row.watching_id)
        return watching is not None and Path(watching.source).is_file()

    # Planning

    def plan(self, row: SightingRow) -> Plan:
        """Say what a kept sighting comes to where the match stands now."""
        data = {key: value for key, value in row.event.items() if key not in _HEAD}
        if row.action is not None:
            data |= {"action": row.action}
        data["review"] = [code for code in row.codes if code.get("code") not in ("RULES_REFUSE", ADDED)]
        kind, t_ms, frame, end = (row.event[key] for key in _HEAD)
        event = Event(kind=kind, t_ms=t_ms + self._zero_ms(row), frame=frame, end_frame=end, data=data)
        return self._plan(row.match_id, event, row.pictures, row.model or "")

    def _zero_ms(self, row: SightingRow) -> int:
        watching = None if row.watching_id is None else self._boards.watching(row.watching_id)
        return 0 if watching is None else watching.zero_ms

    def _plan(self, match_id: str, event: Event, pictures: Mapping[str, str], model: str) -> Plan:
        sheet = self.matches.sheet(match_id)
        played = play(sheet)
        plan = Plan(seq=len(sheet.entries), codes=tuple(event.data.get("review", ())))
        if sheet.rules.outcome(played.state) is not None:
            return replace(plan, codes=())
        if sheet.game == "cricket":
            return self._plan_darts(match_id, event, pictures, plan, model)
        if event.kind != "shot" or event.data.get("action") is None:
            return plan
        return _plan_shot(sheet, event, pictures, plan, model)

    def _plan_darts(
        self, match_id: str, event: Event, pictures: Mapping[str, str], plan: Plan, model: str
    ) -> Plan:
        visit = self._visit(match_id)
        after, actions = scribe(visit, event)
        plan = replace(plan, visit=after)
        if not actions:
            codes = plan.codes
            if event.kind == "throw" and not any(code.get("code") == "FOURTH_DART" for code in codes):
                codes = (*codes, {"code": "FOURTH_DART"})
            return replace(plan, codes=codes)
        seen = _seen_of_darts(event, pictures, len(actions))
        values = []
        for action, one in zip(actions, seen, strict=True):
            entry = {"entry": "record", "action": action_to_json("cricket", action), "by": "camera"}
            names = list((one or {}).get("pictures", {}).values())
            values.append(
                (entry | ({"evidence": names} if names else {}), Seen(data=one, model=model) if one else None)
            )
        filled = event.kind == "takeout" and len(actions) > 1
        others = tuple(code for code in plan.codes if code.get("code") != ADDED)
        codes = (*others, {"code": ADDED}) if filled else plan.codes
        return replace(plan, values=tuple(values), codes=codes, actions=actions)

    def _visit(self, match_id: str) -> Visit:
        """Say where the match stands for the scribe.

        Past a conflict the rules do not know: then it goes on from what was seen.
        """
        sheet = self.matches.sheet(match_id)
        played = play(sheet)
        was = self._visits.get(match_id) or Visit()
        if played.conflict is not None:
            return was
        side = GAMES[sheet.game].turn(played.state) or 0
        return Visit(
            side=side,
            darts=tuple(played.state.darts),
            bounced=self._bounced(match_id),
            t_ms=max(played.state.t_ms, was.t_ms),
        )

    def _bounced(self, match_id: str) -> int:
        """Count what bounced out since the last takeout."""
        count = 0
        for row in self.table.of(match_id=match_id, newest_first=True, limit=20):
            if row.event["event"] == "takeout":
                break
            count += row.event["event"] == "bounce_out" and row.state == "written"
        return count


def _as_event(sheet: Scoresheet, action: Mapping[str, JSON], *, waits: bool) -> tuple[str, dict[str, JSON]]:
    """Give the kind and data of the event that an action stands for. Raises `Malformed`, `Refused`."""
    state = play(sheet).state
    turn = sheet.rules.turn(state) or 0
    try:
        parsed = action_from_json(sheet.game, {"side": turn, **action}, len(sheet.sides))
    except FormError as error:
        raise Malformed(f"action: {error}") from error
    hold_to_time(action)
    match parsed:
        case Throw() | EndTurn() if not waits and parsed.side != turn:
            raise AgainstRules("WRONG_SIDE", f"it is the turn of side {turn}")
        case Throw() if sheet.rules.check(state, parsed) == "UNKNOWN_SEGMENT":
            raise AgainstRules("UNKNOWN_SEGMENT", parsed.segment)
        case Throw():
            return "throw", {"segment": parsed.segment}
        case EndTurn():
            return "takeout", {}
        case finn.Shot() | astrolabe.Shot():
            return "shot", {"action": action_to_json(sheet.game, parsed)}
    raise Refused("a throw, the end of a turn or a shot can be proposed; anything else is for a person to record")


_HEAD: Final = ("event", "t_ms", "frame", "end_frame")


def _plan_shot(sheet: Scoresheet, event: Event, pictures: Mapping[str, str], plan: Plan, model: str) -> Plan:
    """Say what a shot of Finn Billiards or Astrolabe comes to; the first one of Astrolabe starts the clock."""
    rules, state = sheet.rules, play(sheet).state
    t_ms = max(event.t_ms, state.t_ms)
    actions: list[dict[str, JSON]] = []
    if sheet.game == "astrolabe" and state.course.round == 0:
        actions.append({"kind": "start_round", "t_ms": t_ms})
    shot = {**event.data["action"], "t_ms": t_ms}
    if sheet.game == "finn":
        shot["side"] = rules.turn(state) or 0
    actions.append(shot)
    head = {"event": event.kind, "t_ms": event.t_ms, "frame": event.frame, "end_frame": event.end_frame}
    seen = Seen(data={**event.data, **head, "pictures": dict(pictures)}, model=model)
    values: list[Value] = []
    for action in actions:
        last = action is shot
        evidence = {"evidence": list(pictures.values())} if last and pictures else {}
        values.append(({"entry": "record", "action": action, "by": "camera", **evidence}, seen if last else None))
    refused = _refusal(sheet, actions)
    codes = (*plan.codes, {"code": "RULES_REFUSE", "reason": refused}) if refused else plan.codes
    return replace(plan, values=tuple(values), refused=refused, codes=codes, actions=tuple(actions))


def _refusal(sheet: Scoresheet, actions: Sequence[Mapping[str, JSON]]) -> str | None:
    """Give the rules' word against actions, one after the other, or None. Past a conflict they have none."""
    played = play(sheet)
    state = played.state
    if played.conflict is not None:
        return "CONFLICT"
    for action in actions:
        value = action_from_json(sheet.game, action, len(sheet.sides))
        reason = sheet.rules.check(state, value)
        if reason is not None:
            return str(reason)
        state = sheet.rules.apply(state, value)
    return None


def _seen_of_darts(event: Event, pictures: Mapping[str, str], count: int) -> list[dict[str, JSON] | None]:
    """Give what was seen of each action: a throw its dart, a filled-in miss that nobody saw it."""
    when = {"event": event.kind, "t_ms": event.t_ms, "frame": event.frame, "end_frame": event.end_frame}
    data = {**event.data, **when}
    if event.kind == "throw":
        return [{**data, "pictures": dict(pictures)}, *[None] * (count - 1)]
    if event.kind == "takeout":
        unseen = {**when, "segment": "MISS", "confidence": 0.0, "review": [{"code": ADDED}]}
        codes = [item for item in event.data.get("review", ()) if item.get("code") != ADDED]
        return [*[unseen] * (count - 1), {**data, "review": codes}]
    return [data] * count


def _touched(matches: Matches, match_id: str, sheet: Scoresheet) -> set[int]:
    """Give the entries that a person confirmed, amended or struck."""
    touched = set(matches.store.decisions(match_id))
    for entry in sheet.entries:
        target = getattr(entry, "target", None)
        if target is not None and entry.by != "camera":
            touched.add(target)
    return touched


def _action_of(sheet: Scoresheet, entry: int) -> dict[str, JSON] | None:
    """Give the action that counts for an entry, None where it is struck."""
    action = dict(effective(sheet.entries)).get(entry)
    return None if action is None else action_to_json(sheet.game, action)


def _unlike(sheet: Scoresheet, entry: int, action: Mapping[str, JSON]) -> bool:
    own = _action_of(sheet, entry)
    return own is None or _as_written(sheet, own, action) != own


def _as_written(sheet: Scoresheet, own: Mapping[str, JSON], action: Mapping[str, JSON]) -> dict[str, JSON]:
    """Give an action in the place of an entry's own, in the one form that the scoresheet has for it."""
    kept = {key: own[key] for key in ("side", "t_ms") if key in own}
    return action_to_json(sheet.game, action_from_json(sheet.game, {**action, **kept}, len(sheet.sides)))
