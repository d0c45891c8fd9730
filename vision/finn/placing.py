"""Where pins belong after a shot, and what of that is not so: the guide for setting up again (FB-11 to FB-31).

Everything here is arithmetic on places. `wanted` says where each pin belongs, `differences` what a board that was
set up has wrong, and `placements` whether the pins were put in defense instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import cv2
import numpy as np

from vision.finn.state import BOARD_CM, Place
from vision.setup import FinnTable


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingLimits:
    """How exactly pins are set.

    Attributes
    ----------
    kept_cm
        A pin that stood through the shot has to stand there still: moved by hands it is set back.
    set_cm
        A pin that fell is set up by eye: the board's rules want it where it fell, people hit that to 2 cm.
    line_cm
        The same along the board for pins that go to the first line.
    seen_cm
        Places are seen about so exactly; zones and gaps are forgiven as much.
    edge_cm
        Nearer than this to the side of the board nothing stands: a pin that lay there is set as near as it can be.
    """

    kept_cm: float = 1.5
    set_cm: float = 3.0
    line_cm: float = 1.5
    seen_cm: float = 0.4
    edge_cm: float = 1.7


LIMITS: Final = PlacingLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Where a pin belongs.

    Attributes
    ----------
    rule
        The clause that says so.
    xy_cm
        The place, or None: anywhere in the zone.
    zone
        `back`, or None.
    within_cm
        How far from there it may stand, along and across the board.
    """

    rule: str
    xy_cm: Place | None
    zone: str | None = None
    within_cm: tuple[float, float] = (LIMITS.set_cm, LIMITS.set_cm)

    def to_json(self) -> dict[str, Any]:
        """Give it as the page shows it."""
        where = {"zone": self.zone} if self.xy_cm is None else {"xy_cm": [round(v, 1) for v in self.xy_cm]}
        return {"rule": self.rule, **where}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What is wrong with a board that was set up.

    Attributes
    ----------
    code
        `NOT_STANDING`, `MOVED`, `NOT_WHERE_IT_FELL`, `NOT_IN_BACK_ZONE`, `NOT_ON_LINE`, `OUTSIDE_DEFENSE_ZONE`,
        `TOO_CLOSE`.
    pin
        Which.
    rule
        The clause.
    off_cm
        By how much, or None.
    other
        The pin that it is too close to.
    """

    code: str
    pin: str
    rule: str
    off_cm: float | None = None
    other: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the code, the pin and by how much."""
        more = {} if self.off_cm is None else {"off_cm": round(self.off_cm, 1)}
        return {
            "code": self.code,
            "pin": self.pin,
            "rule": self.rule,
            **more,
            **({} if self.other is None else {"other": self.other}),
        }


def wanted(states: Mapping[str, str], places: Mapping[str, Place | None], table: FinnTable) -> dict[str, Wanted]:
    """Say where each pin belongs after a shot whose points are taken.

    Parameters
    ----------
    states
        Pin to state after the shot; `unknown` ones belong nowhere.
    places
        Pin to where it stood or lay then, cm; None where that is not known.
    table
        Zones and sizes.
    """
    found = {}
    for pin, state in states.items():
        place = places.get(pin)
        if state == "off_board":
            found[pin] = Wanted(rule="FB-23", xy_cm=None, zone="back")
        elif place is None:
            continue
        elif state == "upright":
            found[pin] = Wanted(rule="FB-31", xy_cm=place, within_cm=(LIMITS.kept_cm, LIMITS.kept_cm))
        elif state == "line":
            line = _on_board((table.first_line_x_cm, place[1]))
            found[pin] = Wanted(rule="FB-24", xy_cm=line, within_cm=(LIMITS.line_cm, LIMITS.set_cm))
        elif state in ("fallen", "leaning"):
            found[pin] = Wanted(rule="FB-11" if state == "fallen" else "FB-22", xy_cm=_on_board(place))
    return found


def _on_board(place: Place) -> Place:
    """Give the nearest place where a pin can stand."""
    edge = LIMITS.edge_cm
    x, y = (min(max(v, edge), size - edge) for v, size in zip(place, BOARD_CM, strict=True))
    return x, y


def differences(
    belongs: Mapping[str, Wanted], stand: Mapping[str, Place], table: FinnTable
) -> tuple[Difference, ...]:
    """Say what is wrong with a board that was set up; nothing: the next shot may come.

    Parameters
    ----------
    belongs
        As `wanted` gives it; pins in defense are left out and go to `defense_differences`.
    stand
        Pins that are seen standing, and where, cm.
    table
        Zones.
    """
    return tuple(one for pin, goal in belongs.items() for one in _difference(pin, goal, stand.get(pin), table))


_CODES: Final = {"FB-31": "MOVED", "FB-24": "NOT_ON_LINE"}


def _difference(pin: str, goal: Wanted, place: Place | None, table: FinnTable) -> Iterable[Difference]:
    if place is None:
        yield Difference(code="NOT_STANDING", pin=pin, rule=goal.rule)
        return
    if goal.xy_cm is None:
        out = -inside_cm(place, table.zones_cm[str(goal.zone)])
        if out > LIMITS.seen_cm:
            yield Difference(code="NOT_IN_BACK_ZONE", pin=pin, rule=goal.rule, off_cm=out)
        return
    along, across = place[0] - goal.xy_cm[0], place[1] - goal.xy_cm[1]
    if (along / goal.within_cm[0]) ** 2 + (across / goal.within_cm[1]) ** 2 > 1:
        code = _CODES.get(goal.rule, "NOT_WHERE_IT_FELL")
        yield Difference(code=code, pin=pin, rule=goal.rule, off_cm=float(np.hypot(along, across)))


def placements(
    states: Mapping[str, str], belongs: Mapping[str, Wanted], stand: Mapping[str, Place], table: FinnTable
) -> dict[str, Place] | None:
    """Give where the pins were put in defense (FB-30), or None: they stand where they fell, or not all do.

    It is a defense when every fallen pin stands in the defense zone, not all of them where they fell, and no pin
    left the board (FB-33). One that fell in the zone and stands there still may be either, so one pin elsewhere
    decides.
    """
    fallen = [pin for pin, state in states.items() if state == "fallen"]
    if not fallen or "off_board" in states.values() or any(pin not in stand for pin in fallen):
        return None
    zone = table.zones_cm["defense"]
    if any(inside_cm(stand[pin], zone) < -LIMITS.seen_cm for pin in fallen):
        return None
    there = {pin: belongs[pin] for pin in fallen if pin in belongs}
    if len(there) < len(fallen) or not differences(there, stand, table):
        return None
    return {pin: _into(stand[pin], zone) for pin in fallen}


def defense_differences(
    placed: Mapping[str, Place], already: Mapping[str, Place], table: FinnTable
) -> tuple[Difference, ...]:
    """Say what is wrong with a defense (FB-31): pins outside the zone, or nearer than a disc from edge to edge.

    Parameters
    ----------
    placed
        Pins that were put into the zone now, cm.
    already
        Pins that an earlier defense put there and that have stood since.
    table
        Zones and sizes.
    """
    zone = table.zones_cm["defense"]
    out = [(pin, -inside_cm(place, zone)) for pin, place in placed.items()]
    wrong = [
        Difference(code="OUTSIDE_DEFENSE_ZONE", pin=pin, rule="FB-31", off_cm=far)
        for pin, far in out
        if far > LIMITS.seen_cm
    ]
    least = table.disc_diameter_cm + table.pin_diameter_cm
    return (*wrong, *_too_close([*placed.items()], [*already.items()], least))


def _too_close(
    placed: Sequence[tuple[str, Place]], already: Sequence[tuple[str, Place]], least_cm: float
) -> Iterable[Difference]:
    pairs = [*combinations(placed, 2), *((new, old) for new in placed for old in already)]
    for (pin, a), (other, b) in pairs:
        short = least_cm - float(np.hypot(a[0] - b[0], a[1] - b[1]))
        if short > LIMITS.seen_cm:
            yield Difference(code="TOO_CLOSE", pin=pin, rule="FB-31", off_cm=short, other=other)


def inside_cm(place: Place, zone: Sequence[Place]) -> float:
    """Give how far inside a polygon a place is, cm; negative outside."""
    return float(cv2.pointPolygonTest(np.array(zone, np.float32), (float(place[0]), float(place[1])), True))


def _into(place: Place, zone: Sequence[Place]) -> Place:
    """Move a place that is seen a hair outside a zone to its edge: it counts as in it."""
    if inside_cm(place, zone) >= 0:
        return place
    corners = np.array(zone, np.float64)
    sides = np.roll(corners, -1, axis=0) - corners
    part = np.clip(np.sum((np.array(place) - corners) * sides, axis=1) / np.sum(sides**2, axis=1), 0, 1)
    nearest = corners + sides * part[:, None]
    x, y = nearest[int(np.argmin(np.linalg.norm(nearest - place, axis=1)))]
    return float(x), float(y)
