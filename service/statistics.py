"""What a match comes to by side: turns, points, the best turn, what was hit. Pure, of the scoresheet alone."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from engine import Scoresheet
from service.history import history

JSON: TypeAlias = Any


@dataclass(slots=True)
class _Side:
    """One side so far."""

    turns: set[int] = field(default_factory=set)
    points: Counter[int] = field(default_factory=Counter)
    """Points by turn, those that other sides' turns brought too."""
    counts: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)


def statistics(sheet: Scoresheet) -> dict[str, JSON]:
    """Give what each side did, of all that counts.

    `counts` are the game's own: darts, misses, triples; shots, fallen pins, air shots; balls that came to rest in
    slots, fouls. `hits` says how often each segment, pin or position was hit.
    """
    sides = [_Side() for _ in sheet.sides]
    steps = [step for step in history(sheet, {}, {}) if step["counted"]]
    for step in steps:
        for side, gain in zip(sides, step["gain"], strict=True):
            if gain:
                side.points[step["turn"]] += gain
        if step["side"] is not None and step["action"]["kind"] in ("throw", "shot", "end_turn"):
            sides[step["side"]].turns.add(step["turn"])
        if step["side"] is not None:
            _count(sides[step["side"]], step["action"])
    return {
        "actions": len(steps),
        "turns": max((step["turn"] for step in steps), default=0),
        "sides": [_told(name, side) for name, side in zip(sheet.sides, sides, strict=True)],
    }


def _count(side: _Side, action: dict[str, JSON]) -> None:
    match action:
        case {"kind": "throw", "segment": str(segment)}:
            side.counts.update(["darts", *(["misses"] if segment == "MISS" else [])])
            side.counts.update(["triples"] if segment[0] == "T" else [])
            side.counts.update(["doubles"] if segment[0] == "D" else [])
            side.hits[segment] += 1
        case {"kind": "undo"}:
            side.counts["taken_back"] += 1
        case {"kind": "shot", "pins": dict(pins)}:
            fallen = [name for name, how in pins.items() if how == "fallen"]
            side.counts.update({"shots": 1, "fallen": len(fallen), "air_shots": int(not fallen)})
            side.counts["cushions"] += int(action.get("cushions", 0))
            side.hits.update(fallen)
        case {"kind": "shot", "moves": list(moves)}:
            slots = [move["to"] for move in moves if isinstance(move["to"], list) and move["to"] != move["from"]]
            side.counts.update({"shots": 1, "in_slots": len(slots), "fouls": int(bool(action.get("foul")))})
            side.hits.update(str(place[0]) for place in slots)


def _told(name: str, side: _Side) -> dict[str, JSON]:
    points, turns = sum(side.points.values()), len(side.turns)
    return {
        "name": name,
        "turns": turns,
        "points": points,
        "points_per_turn": round(points / turns, 2) if turns else 0.0,
        "best_turn": max(side.points.values(), default=0),
        "counts": {key: count for key, count in sorted(side.counts.items()) if count},
        "hits": dict(side.hits.most_common()),
    }
