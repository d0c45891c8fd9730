"""What a recording says today, held against the scoresheet accepted at the time; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from engine import Insert, Record, Scoresheet, action_from_json, effective, format_header, result
from engine.timeline import standing
from service.rescoring.found import Recording
from service.rescoring.run import Outcome
from vision.comparing import Difference, differences
from vision.events import Event, event_from_line
from vision.failure import Failure
from vision.scribe import sheet_of

NEAR_MS: Final = 3000
"""What is missing today counts as asked about if something so near in time asks: a takeout, the dart beside it."""

Status: TypeAlias = Literal["same", "changed", "broken", "unusable", "new"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One action that is not as it was accepted.

    Attributes
    ----------
    difference
        What was accepted, what is seen.
    was, now
        Both in the game's notation with the side's name, empty where there is none.
    by
        Who had accepted it: `camera`, `player`, …; None for an action that is only seen now.
    asks
        Whether a person would be asked about it today. A change that asks nobody is the worst there is.
    at_ms, from_ms, to_ms
        When it happens in the recording, and what of it has to be looked at to tell.
    clip
        A clip kept with the recording, from its folder; None where there is none.
    """

    difference: Difference
    was: str
    now: str
    by: str | None
    asks: bool
    at_ms: int
    from_ms: int
    to_ms: int
    clip: str | None

    def to_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            **self.difference.to_json(),
            "by": self.by,
            "asks": self.asks,
            "at_ms": self.at_ms,
            "from_ms": self.from_ms,
            "to_ms": self.to_ms,
            "clip": self.clip,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One recording, then and now.

    Attributes
    ----------
    name
        Of the recording.
    status
        `same`; `changed`; `broken`: it cannot be read to its end; `unusable`; `new`: nothing was accepted.
    actions
        That were accepted.
    changes
        Where both differ, in order.
    asked_then, asked_now
        How many things a person is asked about; None where it is not known.
    scores_then, scores_now
        Of each side at the end.
    message
        Why, where it is broken or unusable.
    """

    name: str
    status: Status
    actions: int = 0
    changes: tuple[Change, ...] = ()
    asked_then: int | None = None
    asked_now: int | None = None
    scores_then: tuple[int, ...] | None = None
    scores_now: tuple[int, ...] | None = None
    message: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "recording": self.name,
            "status": self.status,
            "actions": self.actions,
            "changes": [change.to_json() for change in self.changes],
            "asked": [self.asked_then, self.asked_now],
            "scores": [_listed(self.scores_then), _listed(self.scores_now)],
            "message": self.message,
        }


def compared(name: str, recording: Recording | None, outcome: Outcome) -> Compared:
    """Hold a recording's outcome against what was accepted; `recording` is None for one that is unusable."""
    if isinstance(outcome, Failure) or recording is None:
        return Compared(name=name, status="unusable", message=getattr(outcome, "message", None))
    events = [event_from_line(line) for line in outcome.lines]
    asked = sum(_asks(event) for event in events)
    broken = None if outcome.failure is None else outcome.failure.message
    if recording.accepted is None:
        status: Status = "new" if broken is None else "broken"
        return Compared(name=name, status=status, asked_now=asked, message=broken)
    then, now = recording.accepted, _sheet(recording.accepted, events)
    changes = tuple(_change(recording, then, now, one, events) for one in differences(then, now))
    return Compared(
        name=name,
        status="broken" if broken else "changed" if changes else "same",
        actions=len(effective(then.entries)),
        changes=changes,
        asked_then=recording.asked,
        asked_now=asked,
        scores_then=tuple(result(then)["scores"]),
        scores_now=tuple(result(now)["scores"]),
        message=broken,
    )


def _sheet(accepted: Scoresheet, events: Sequence[Event]) -> Scoresheet:
    """Write today's scoresheet of the same match; each record's evidence is the place of its event."""
    config = format_header(accepted)["config"]
    places: dict[int, tuple[str | int, ...]] = {place: (place,) for place in range(len(events))}
    return sheet_of(events, accepted.sides, config, places, game=accepted.game)


def _change(
    recording: Recording, then: Scoresheet, now: Scoresheet, difference: Difference, events: Sequence[Event]
) -> Change:
    old, new = _origin(then, difference.expected_id), _origin(now, difference.seen_id)
    event = None if new is None else events[int((new.evidence or (0,))[0])]
    at_ms = event.t_ms if event is not None else int((difference.expected or {})["t_ms"])
    from_ms, to_ms = _span(event) if event is not None else (max(0, at_ms - NEAR_MS), at_ms + NEAR_MS)
    return Change(
        difference=difference,
        was=_words(then, difference.expected),
        now=_words(then, difference.seen),
        by=None if old is None else _accepted_by(then, old),
        asks=_asks(event) if event is not None else _asks_between(events, from_ms, to_ms),
        at_ms=at_ms,
        from_ms=from_ms,
        to_ms=to_ms,
        clip=None if old is None else _clip(recording, old),
    )


def _span(event: Event) -> tuple[int, int]:
    """Give when an event happened; how long its frames took is reckoned from those before it."""
    each_ms = event.t_ms / event.frame if event.frame else 0.0
    return event.t_ms, event.t_ms + round(each_ms * (event.end_frame - event.frame))


def _origin(sheet: Scoresheet, record_id: int | None) -> Record | Insert | None:
    entry = None if record_id is None else sheet.entries[record_id - 1]
    return entry if isinstance(entry, Record | Insert) else None


def _accepted_by(sheet: Scoresheet, entry: Record | Insert) -> str:
    amended = standing(sheet.entries).amended.get(entry.id)
    return entry.by if amended is None else amended.by


def _clip(recording: Recording, entry: Record | Insert) -> str | None:
    names = [name for name in entry.evidence or () if isinstance(name, str)]
    clips = (name for name in names if name.rpartition(".")[2] in {"mp4", "webm", "mkv"})
    return next((name for name in clips if _within(recording, name)), None)


def _within(recording: Recording, name: str) -> bool:
    """Say whether a name of a scoresheet is a file of the recording's folder: it may come from anywhere."""
    path = (recording.folder / name).resolve()
    return path.is_relative_to(recording.folder.resolve()) and path.is_file()


def _words(sheet: Scoresheet, action: dict[str, Any] | None) -> str:
    if action is None:
        return ""
    known = action_from_json(sheet.game, action, len(sheet.sides))
    side = action.get("side")
    name = sheet.sides[side] if isinstance(side, int) and side < len(sheet.sides) else ""
    return f"{name} {sheet.rules.notation(known)}".strip()


def _asks(event: Event) -> bool:
    return bool(event.data.get("review"))


def _asks_between(events: Sequence[Event], from_ms: int, to_ms: int) -> bool:
    return any(_asks(event) and from_ms <= event.t_ms <= to_ms for event in events)


def _listed(scores: tuple[int, ...] | None) -> list[int] | None:
    return None if scores is None else list(scores)
