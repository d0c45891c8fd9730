"""What lies on a board after what was seen, as a STATE has it: where a new process goes on. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

JSON: TypeAlias = Any

UPRIGHT: Final = "upright"


def lying_now(
    game: str, lying: Mapping[str, JSON] | None, events: Sequence[Mapping[str, JSON]]
) -> Mapping[str, JSON] | None:
    """Give what lies on the board now.

    Parameters
    ----------
    game
        Whose board.
    lying
        What lay there at the start; None: nothing is known.
    events
        Lines of `events.jsonl` since, in order.
    """
    match game:
        case "cricket":
            return _darts(lying, events)
        case "finn":
            return _pins(lying, events)
        case _:
            return None  # what lies on a table of Astrolabe is seen


def _darts(lying: Mapping[str, JSON] | None, events: Sequence[Mapping[str, JSON]]) -> Mapping[str, JSON] | None:
    """Give the darts of the running visit; what a takeout left behind is not known."""
    darts: list[dict[str, JSON]] = [dict(dart) for dart in (lying or {}).get("darts", ())]
    known = lying is not None or bool(events)
    for event in events:
        match event["event"]:
            case "throw":
                darts.append({"xy_mm": event["xy_mm"]})
            case "takeout":
                darts.clear()
            case "dart_fell":
                place = event.get("dart")
                if place is not None and 0 <= place < len(darts):
                    del darts[place]
    return {"darts": darts} if known else None


def _pins(lying: Mapping[str, JSON] | None, events: Sequence[Mapping[str, JSON]]) -> Mapping[str, JSON] | None:
    """Give where the pins will stand for the next shot: what stood stays, what fell is set up where it fell."""
    places: dict[str, JSON] = dict((lying or {}).get("pins", {}))
    for event in events:
        if event["event"] != "shot":
            continue
        for name, pin in event.get("pins", {}).items():
            place = pin.get("xy_cm")
            if place is not None:
                places[name] = place
    return {"pins": places} if places else None
