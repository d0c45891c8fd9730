"""What a board shows of the match that is played now, for those who ask about the board and not about a match."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JSON: TypeAlias = Any


def board_state(view: Mapping[str, JSON] | None) -> dict[str, JSON]:
    """Give what a board shows, in short; all null where no match is played."""
    if view is None:
        return dict.fromkeys(("match", "game", "sides", "scores", "turn", "over", "winner", "last"))
    result, sides = view["result"], view["sides"]
    counted = [step for step in view["history"] if step["counted"] and step["action"]["kind"] != "end_turn"]
    winner = result["winner"]
    return {
        "match": view["id"],
        "game": view["game"],
        "sides": sides,
        "scores": result["scores"],
        "turn": None if result["turn"] is None else sides[result["turn"]],
        "over": result["over"],
        "winner": sides[winner] if isinstance(winner, int) else winner,
        "last": counted[-1]["notation"] if counted else None,
    }
