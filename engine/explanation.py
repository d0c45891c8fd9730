"""What a scoreboard would say of a whole match, entry by entry, and the points of each side as they grew."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.entries import Amend, AnyAction, Insert, Record, Scoresheet, Strike
from engine.playback import Replay, replay
from engine.timeline import placed, standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One entry and what became of it.

    `effect` of a record or insert: `played`, `struck`, `refused`, `unreached` (after a refused one); of an amend
    or strike: `holds`, `struck`, and for an amend `replaced` by a newer one. `depth` is 0 for records and inserts,
    and one more than its target's for a correction. `scores` are those after a played action.
    """

    id: int
    entry: str
    depth: int
    effect: str
    by: str
    side: int | None
    notation: str
    text: str
    scores: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The points of all sides after a turn: `side` had the turn, `id` is the entry that ended it."""

    turn: int
    side: int | None
    id: int
    t_ms: int
    scores: tuple[int, ...]


def explain(sheet: Scoresheet) -> list[Explained]:
    """Give every entry in the order of play, each followed by its corrections in id order."""
    match = _Match(sheet)
    about: dict[int, list[Amend | Strike]] = {}
    for entry in sheet.entries:
        if isinstance(entry, Amend | Strike):
            about.setdefault(entry.target, []).append(entry)
    lines: list[Explained] = []
    for root in placed(sheet.entries):
        lines.append(match.played(root))
        waiting: list[tuple[int, Amend | Strike]] = [(1, entry) for entry in reversed(about.get(root.id, []))]
        while waiting:
            depth, correction = waiting.pop()
            lines.append(match.corrected(correction, depth))
            waiting.extend((depth + 1, entry) for entry in reversed(about.get(correction.id, [])))
    return lines


class _Match:
    """A scoresheet with its replay, looked up by entry."""

    def __init__(self, sheet: Scoresheet) -> None:
        replayed = replay(sheet)
        states = [replayed.initial, *(step.state for step in replayed.steps)]
        self.rules = sheet.rules
        self.conflict = replayed.conflict
        self.stands = standing(sheet.entries)
        self.steps = {step.id: (before, step) for before, step in zip(states, replayed.steps, strict=False)}

    def played(self, entry: Record | Insert) -> Explained:
        """Explain a record or insert by the action that counts for it."""
        action: AnyAction = self.stands.amended.get(entry.id, entry).action
        scores = self.rules.scores(self.steps[entry.id][1].state) if entry.id in self.steps else None
        effect, text = self._effect(entry.id, action)
        return Explained(
            id=entry.id,
            entry=entry.entry,
            depth=0,
            effect=effect,
            by=entry.by,
            side=getattr(action, "side", None),
            notation=self.rules.notation(action),
            text=text if isinstance(entry, Record) else f"{text} [inserted: {entry.reason}]",
            scores=scores,
        )

    def _effect(self, number: int, action: AnyAction) -> tuple[str, str]:
        if number in self.steps:
            return "played", self.rules.describe(self.steps[number][0], action)
        if number in self.stands.struck:
            return "struck", "does not count"
        if self.conflict is not None and self.conflict.id == number:
            detail = self.conflict.detail
            return "refused", f"{self.conflict.reason}: {detail}" if detail else self.conflict.reason
        return "unreached", "comes after the conflict"

    def corrected(self, entry: Amend | Strike, depth: int) -> Explained:
        """Explain a correction: whether it holds."""
        effect = "struck" if entry.id in self.stands.struck else "holds"
        side, notation, does = None, "", "strikes"
        if isinstance(entry, Amend):
            if effect == "holds" and self.stands.amended[entry.target] is not entry:
                effect = "replaced"
            side, notation, does = getattr(entry.action, "side", None), self.rules.notation(entry.action), "amends"
        return Explained(
            id=entry.id,
            entry=entry.entry,
            depth=depth,
            effect=effect,
            by=entry.by,
            side=side,
            notation=notation,
            text=f"{entry.reason} [{does} {entry.target}]",
            scores=None,
        )


def running_totals(sheet: Scoresheet) -> list[Total]:
    """Give the points of all sides after each turn, for a chart."""
    return list(_totals(sheet, replay(sheet)))


def _totals(sheet: Scoresheet, played: Replay) -> Iterator[Total]:
    rules, before, turns = sheet.rules, played.initial, 0
    for step in played.steps:
        if rules.ends_turn(before, step.action, step.state):
            turns += 1
            yield Total(
                turn=turns,
                side=rules.turn(before),
                id=step.id,
                t_ms=step.action.t_ms,
                scores=rules.scores(step.state),
            )
        before = step.state
