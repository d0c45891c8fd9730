"""Matches of Astrolabe from lines of its notation, for rule tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from engine.astrolabe import GAME, Action, Config, State

STEP_MS = 1000
NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A match as lines (`186000: >3.1` sets the time, else a second passes) and what the result must hold then."""

    id: str
    lines: str
    holds: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)


def action(state: State, line: str) -> Action:
    """Give the action of a line, by the side on turn."""
    timed = re.fullmatch(r"(\d+): (.*)", line)
    t_ms, words = (int(timed[1]), timed[2]) if timed else (state.t_ms + STEP_MS, line)
    (read,) = GAME.read_notation(state, words, t_ms)
    return read


def play(lines: str, settings: Mapping[str, Any] = NO_SETTINGS) -> State:
    """Give the state after lines, separated by commas, each of which the rules must allow."""
    state = GAME.initial(Config(**settings), 2)
    for line in filter(None, map(str.strip, lines.split(","))):
        state = after(state, action(state, line))
    return state


def after(state: State, *actions: Action) -> State:
    """Give the state after actions, each of which the rules must allow."""
    for one in actions:
        assert GAME.check(state, one) is None, (GAME.check(state, one), GAME.notation(one))
        state = GAME.apply(state, one)
    return state


def standing(state: State) -> dict[str, Any]:
    """Give the result as one flat object; `rows` has a sign a slot, `.` for an empty one."""
    outcome = GAME.outcome(state)
    rows = " ".join("".join("." if ball is None else str(ball) for ball in row) for row in state.board.slots)
    return {
        "turn": GAME.turn(state),
        "scores": list(GAME.scores(state)),
        "over": outcome is not None,
        "winner": None if outcome is None else outcome.winner,
        "rows": rows,
        **GAME.summary(state),
    }


def refusal(lines: str, last: str | Action, settings: Mapping[str, Any] = NO_SETTINGS) -> str | None:
    """Give the code that refuses the last action, after lines that are allowed."""
    state = play(lines, settings)
    return GAME.check(state, action(state, last) if isinstance(last, str) else last)
