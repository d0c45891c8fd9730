"""The result object that `tallycam score` prints."""

from typing import Any, TypeAlias

from engine.game import AnyGame

AnyState: TypeAlias = Any


def result_of(rules: AnyGame, state: AnyState, conflict: dict[str, Any] | None = None) -> dict[str, Any]:
    """Give the result of a state, JSON-ready, keys in the order of the file's description."""
    ended = rules.outcome(state)
    return {
        "game": rules.name,
        "turn": rules.turn(state),
        "scores": list(rules.scores(state)),
        "over": ended is not None,
        "winner": None if ended is None else "draw" if ended.winner is None else ended.winner,
        "conflict": conflict,
        "state": rules.summary(state),
    }
