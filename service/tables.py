"""What of a match's settings its board decides: where the defense zone is, how many slots there are.

A camera reads by the board's setup and the rules judge by the match's settings. Where both speak of one thing they
have to say the same, or a shot that was seen well is refused, or counts for what it is not.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from engine import GAMES, FormError

JSON: TypeAlias = Any

_POSITIONS: Final = 3
_NAMES: Final = {"defense_zone_cm": "the defense zone", "slots": "the slots"}


def decided(game: str, setup: Mapping[str, JSON] | None) -> dict[str, JSON]:
    """Give the settings of a match that a board's SETUP decides, none where it has none or leaves them open."""
    if setup is None:
        return {}
    zone = (setup.get("zones_cm") or {}).get("defense")
    slots = [row["slots"] for row in setup.get("positions") or ()]
    match game:
        case "finn" if zone is not None:
            return {"defense_zone_cm": zone}
        case "astrolabe" if len(slots) == _POSITIONS:
            return {"slots": slots}
    return {}


def differing(game: str, config: Mapping[str, JSON], setup: Mapping[str, JSON] | None) -> str | None:
    """Say in one sentence which setting of a match its board has otherwise; None where nothing differs."""
    rules, given = GAMES[game], decided(game, setup)
    try:
        ours, theirs = rules.parse_config(dict(config)), rules.parse_config({**config, **given})
    except FormError as fault:
        return f"the match cannot be played on this board: {fault}"
    for key in given:
        here, there = getattr(ours, key), getattr(theirs, key)
        if here != there:
            return f"{_NAMES[key]} of the match and of the board differ: {_said(here)}, and {_said(there)}"
    return None


def _said(value: tuple[JSON, ...]) -> str:
    """Give a tuple as people write it: `6, 5, 5`, or points as `55 0, 80 0`."""
    return ", ".join(
        " ".join(f"{part:g}" for part in one) if isinstance(one, tuple) else str(one) for one in value
    )
