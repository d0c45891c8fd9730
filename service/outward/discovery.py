"""What Home Assistant is told about a board: one retained message of device discovery."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

JSON: TypeAlias = Any

COMMON: Final = "homeassistant"
"""Prefix that Home Assistant listens to unless told otherwise."""


def device_id(board: str) -> str:
    """Give the id that names a board's device."""
    return f"tallycam_{board}"


def discovery_topic(board: str, prefix: str = COMMON) -> str:
    """Give the topic of the discovery message."""
    return f"{prefix}/device/{device_id(board)}/config"


def discovery(board: str, base: str, version: str, sides: Sequence[str]) -> dict[str, JSON]:
    """Give the discovery message.

    Parameters
    ----------
    board
        The board's id: letters, digits, `-` and `_`.
    base
        Topic under which the board tells, without a slash at the end.
    version
        Of the program.
    sides
        Names of the sides of the match that is played now.
    """
    unique = device_id(board)

    def sensor(key: str, name: str, template: str, icon: str, **more: JSON) -> dict[str, Mapping[str, JSON]]:
        told = {"p": "sensor", "unique_id": f"{unique}_{key}", "name": name, "value_template": template}
        return {key: {**told, "icon": f"mdi:{icon}", **more}}

    scores: dict[str, Mapping[str, JSON]] = {}
    for number, side in enumerate(sides):
        template = f"{{{{ value_json.scores[{number}] if value_json.scores else None }}}}"
        scores |= sensor(f"score_{number}", side, template, "counter", state_class="measurement")
    over = {
        "p": "binary_sensor",
        "unique_id": f"{unique}_over",
        "name": "Match over",
        "value_template": "{{ 'ON' if value_json.over else 'OFF' }}",
        "icon": "mdi:flag-checkered",
    }
    return {
        "dev": {"ids": [unique], "name": f"Board {board}", "mf": "tallycam", "sw": version},
        "o": {"name": "tallycam", "sw": version},
        "cmps": {
            **scores,
            **sensor("turn", "On turn", "{{ value_json.turn }}", "account-arrow-right"),
            **sensor("last", "Last shot", "{{ value_json.last }}", "bullseye-arrow"),
            **sensor("winner", "Winner", "{{ value_json.winner }}", "trophy"),
            "over": over,
        },
        "state_topic": f"{base}/state",
        "availability_topic": f"{base}/availability",
        "qos": 1,
    }
