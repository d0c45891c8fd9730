"""The local protocol that score callers, lights and overlays for darts speak: its state, made from a match.

A reader gets the throws of the running visit, all of them each time; it has to tell by itself which are new. A
correction in that visit shows as the same number of throws, one of them other than before (and `corrected`); one
in an earlier visit cannot be said here.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

JSON: TypeAlias = Any

DOUBLE_MM: Final = 170.0
"""Radius of the outer wire of the doubles: the unit of the protocol's coordinates."""

ORDER: Final = (20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5)
INNER_MM: Final = 103.0
"""Radius in the treble: a single nearer the bull is the inner one."""

FULL: Final = 3


def segment_of(segment: str, xy_mm: Sequence[float] | None) -> dict[str, JSON]:
    """Give a segment in the protocol's words."""
    if segment == "SB":
        return {"name": "25", "number": 25, "bed": "Single", "multiplier": 1}
    if segment == "DB":
        return {"name": "Bull", "number": 25, "bed": "Double", "multiplier": 2}
    if segment == "MISS":
        number = 0 if xy_mm is None else _beside(*xy_mm)
        return {"name": f"M{number}", "number": number, "bed": "Outside", "multiplier": 0}
    ring, number = segment[0], int(segment[1:])
    inner = xy_mm is not None and math.hypot(*xy_mm) < INNER_MM
    bed = {"D": "Double", "T": "Triple"}.get(ring) or ("SingleInner" if inner else "SingleOuter")
    return {"name": segment, "number": number, "bed": bed, "multiplier": {"S": 1, "D": 2, "T": 3}[ring]}


def _beside(x_mm: float, y_mm: float) -> int:
    """Give the number that a dart outside the doubles is beside."""
    turn = math.atan2(x_mm, y_mm) / (2 * math.pi)
    return ORDER[round(turn * 20) % 20]


def throws_of(view: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    """Give the throws of the running visit of a match of cricket as the protocol has them."""
    darts: list[Mapping[str, JSON]] = []
    for step in view["history"]:
        if not step["counted"]:
            continue
        match step["action"]["kind"]:
            case "throw":
                darts.append(step)
            case "undo" if darts:
                darts.pop()
            case "end_turn":
                darts.clear()
    return [_throw(step) for step in darts]


def _throw(step: Mapping[str, JSON]) -> dict[str, JSON]:
    segment = step["action"]["segment"]
    seen = step["seen"] or {}
    # Where the camera saw the tip, as long as that is the segment that stands.
    xy_mm = seen.get("xy_mm") if seen.get("segment", segment) == segment else None
    told: dict[str, JSON] = {"segment": segment_of(segment, xy_mm)}
    if xy_mm is not None:
        told["coords"] = {"x": round(xy_mm[0] / DOUBLE_MM, 4), "y": round(xy_mm[1] / DOUBLE_MM, 4)}
    if step["correction"] is not None:
        told["corrected"] = True
    return told


def state_of(view: Mapping[str, JSON] | None, event: str, *, hands: bool = False) -> dict[str, JSON]:
    """Give the protocol's state.

    Parameters
    ----------
    view
        The match as the API tells it; None, or one of another game: a board at rest.
    event
        What happened last: `Started`, `Throw detected`, `Takeout started`, `Takeout finished`.
    hands
        Whether hands are at the board.
    """
    cricket = view is not None and view["game"] == "cricket"
    throws = throws_of(view) if cricket and view is not None else []
    taking = hands and bool(throws)
    status = "Takeout in progress" if taking else "Takeout" if len(throws) >= FULL else "Throw"
    return {
        "connected": True,
        "running": True,
        "status": status,
        "event": event,
        "numThrows": len(throws),
        "throws": throws,
    }


def news(before: Mapping[str, JSON], view: Mapping[str, JSON] | None, *, hands: bool) -> list[dict[str, JSON]]:
    """Give the states to tell after something changed, none where a reader would see no difference.

    A visit that ends is told as hands that come and go, also where nobody saw them.
    """
    after = state_of(view, "Throw detected", hands=hands)
    was, now = before["throws"], after["throws"]
    if was and not now:
        begun = {**before, "event": "Takeout started", "status": "Takeout in progress"}
        ended = {**after, "event": "Takeout finished"}
        return [ended] if before["event"] == "Takeout started" else [begun, ended]
    if now != was:
        return [after]
    if after["status"] != before["status"]:
        event = "Takeout started" if after["status"] == "Takeout in progress" else "Takeout finished"
        return [{**after, "event": event}]
    return []
