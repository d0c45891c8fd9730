"""Configs and actions of FinCricket as JSON."""

from typing import Any, Final

from engine.cricket.rules import Action, Config, EndTurn, Throw, Undo
from engine.forms import fields, side, tagged, whole, wrong

_KINDS: Final = {
    "throw": (("kind", "side", "t_ms", "segment"), ()),
    "undo": (("kind", "side", "t_ms"), ()),
    "end_turn": (("kind", "side", "t_ms"), ()),
}


def parse_config(value: object) -> Config:
    """Give the config: an empty object."""
    fields(value, ())
    return Config()


def format_config(_config: Config) -> dict[str, Any]:
    """Give the config as JSON."""
    return {}


def parse_action(value: object, sides: int) -> Action:
    """Give the action of a JSON value; a segment that does not exist is no fault of form."""
    kind, found = tagged(value, _KINDS)
    by, t_ms = side(found["side"], sides), whole(found["t_ms"], "t_ms")
    if kind == "throw":
        segment = found["segment"]
        if type(segment) is not str:
            raise wrong("segment", segment, "a text such as T20, DB or MISS")
        return Throw(side=by, t_ms=t_ms, segment=segment)
    return Undo(side=by, t_ms=t_ms) if kind == "undo" else EndTurn(side=by, t_ms=t_ms)


def format_action(action: Action) -> dict[str, Any]:
    """Give the action as JSON."""
    head = {"kind": action.kind, "side": action.side, "t_ms": action.t_ms}
    return {**head, "segment": action.segment} if isinstance(action, Throw) else head
