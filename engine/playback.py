"""A scoresheet played through the rules: soft, up to the first action that they refuse."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.entries import AnyAction, Entry, Scoresheet
from engine.game import Reason
from engine.journal import append
from engine.results import AnyState, result_of
from engine.timeline import effective


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The record or insert whose action the rules refuse, the code, and more to say of it where there is more."""

    id: int
    reason: Reason
    detail: str


class Step(NamedTuple):
    """An effective action and the state after it."""

    id: int
    action: AnyAction
    state: AnyState


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Where a match stands: the state at the start and after each step, and the conflict where it stopped."""

    initial: AnyState
    steps: tuple[Step, ...]
    conflict: Conflict | None

    @property
    def state(self) -> AnyState:
        """The state so far."""
        return self.steps[-1].state if self.steps else self.initial


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What an entry would do: the result without and with it, and the first conflict with it."""

    before: dict[str, Any]
    after: dict[str, Any]
    conflict: Conflict | None


def replay(sheet: Scoresheet) -> Replay:
    """Play the effective actions, in order, from nothing; stop at the first that is refused."""
    steps: list[Step] = []
    first = sheet.rules.initial(sheet.config, len(sheet.sides))
    _, conflict = _fold(sheet, first, steps)
    return Replay(initial=first, steps=tuple(steps), conflict=conflict)


def _fold(sheet: Scoresheet, state: AnyState, steps: list[Step] | None = None) -> tuple[AnyState, Conflict | None]:
    """Give the state after the effective actions and the conflict; the steps are kept where there is a list."""
    rules = sheet.rules
    check, apply = rules.check, rules.apply
    for number, action in effective(sheet.entries):
        reason = check(state, action)
        if reason is not None:
            return state, Conflict(id=number, reason=reason, detail=rules.detail(state, action))
        state = apply(state, action)
        if steps is not None:
            steps.append(Step(number, action, state))
    return state, None


def result(sheet: Scoresheet) -> dict[str, Any]:
    """Give the result object of a scoresheet, JSON-ready, keys in the order of the file's description."""
    state, conflict = _fold(sheet, sheet.rules.initial(sheet.config, len(sheet.sides)))
    return result_of(sheet.rules, state, None if conflict is None else _named(conflict))


def preview(sheet: Scoresheet, entry: Entry) -> Preview:
    """Give what one more entry would do; nothing is written. Raises `ScoresheetError` as `append` does."""
    changed = append(sheet, entry)
    return Preview(before=result(sheet), after=result(changed), conflict=replay(changed).conflict)


def _named(conflict: Conflict) -> dict[str, Any]:
    return {"id": conflict.id, "reason": conflict.reason}
