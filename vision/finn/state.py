"""STATE: where each numbered pin stood before the shot."""

from collections.abc import Mapping
from typing import Any, Final

from vision.failure import Failure

Place = tuple[float, float]
BOARD_CM: Final = (117.0, 49.0)
PINS: Final = tuple(str(number) for number in range(1, 13))

_ROWS: Final = ((95.0, "7 9 8"), (90.0, "5 11 12 6"), (85.0, "3 10 4"), (80.0, "1 2"))
START_CM: Final[Mapping[str, Place]] = {
    name: (x_cm, 24.5 + 5.5 * ((len(row.split()) - 1) / 2 - place))
    for x_cm, row in _ROWS
    for place, name in enumerate(row.split())
}
"""FB-02."""

FARTHEST_CM: Final = 200
"""Farther from the origin is a slip of units: the board is 117 cm long; no camera sees so much of its table."""


def parse_state(value: object) -> dict[str, Place] | Failure:
    """Read `{"pins": {"1": [x_cm, y_cm], …}}`; `BAD_STATE` with what is wrong."""
    wrong = Failure("BAD_STATE", 'A STATE for finn is {"pins": {"1": [x_cm, y_cm], …}} with pins 1 to 12.')
    pins: Any = value.get("pins") if isinstance(value, dict) else None
    if not isinstance(pins, dict) or not pins or not set(pins) <= set(PINS):
        return wrong
    places: dict[str, Place] = {}
    for name in PINS:
        if name not in pins:
            continue
        place = pins[name]
        if not isinstance(place, list) or len(place) != 2 or not all(_is_number(part) for part in place):
            return Failure(
                "BAD_STATE", f"Pin {name} of the STATE stands at [x_cm, y_cm] near the board, not {place!r}."
            )
        places[name] = (float(place[0]), float(place[1]))
    return places


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= FARTHEST_CM
