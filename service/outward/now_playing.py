"""The match that is played now, for those who ask about the board and not about a match."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

JSON: TypeAlias = Any


def now_playing(summaries: Sequence[Mapping[str, JSON]]) -> str | None:
    """Give the id of the match that is watched live, else of the one that changed last; None without a match."""
    if not summaries:
        return None

    def rank(match: Mapping[str, JSON]) -> tuple[bool, int]:
        live = match["live"]
        return live is not None and not live["done"], match["change"]

    newest: str = max(summaries, key=rank)["id"]
    return newest


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
