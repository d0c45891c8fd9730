"""Finn Billiards: twelve numbered pins, one disc, one shot a turn, exactly 70 wins.

Clauses FB-01 to FB-52 are in `seeds/finn-billiards.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from engine.finn.zone import FORGIVEN_CM, Point, contains, distance
from engine.forms import Number
from engine.game import Outcome, Reason

PINS: Final = {str(number): number for number in range(1, 13)}
"""The pins as the scoresheet names them, and their numbers (FB-01)."""
AIR_SHOT: Final = 5
"""What an air shot costs (FB-25)."""
HALF_WAY: Final = 35
"""Where good offense puts a side that had more (FB-51)."""

PinState: TypeAlias = Literal["fallen", "leaning", "off_board", "line"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Variants, house rules and sizes, with their defaults; lengths in centimetres."""

    ride_the_rails: bool = False
    good_offense: bool = False
    leaning_only_is_air_shot: bool = False
    defense_after_off_board: bool = False
    target: int = 70
    disc_cm: Number = 4.0
    pin_cm: Number = 3.0
    defense_zone_cm: tuple[Point, ...] = ((55, 0), (80, 0), (80, 49), (55, 49))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One shot: what it did to each pin that no longer stands as before; `shot()` builds one.

    `pins` and `placements` are sorted by pin. `placements` is None where the points are taken.
    """

    kind: ClassVar[Literal["shot"]] = "shot"
    side: int
    t_ms: int
    pins: tuple[tuple[str, PinState], ...] = ()
    cushions: int = 0
    placements: tuple[tuple[str, Point], ...] | None = None


def shot(
    *,
    side: int,
    t_ms: int,
    pins: Mapping[str, PinState] | None = None,
    cushions: int = 0,
    placements: Mapping[str, Point] | None = None,
) -> Shot:
    """Give the shot of a mapping of pins; with placements it is a defense (FB-30)."""
    return Shot(
        side=side,
        t_ms=t_ms,
        pins=by_pin(pins or {}),
        cushions=cushions,
        placements=None if placements is None else by_pin(placements),
    )


def by_pin(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Give the items sorted by pin number; what is no pin comes last."""
    if len(mapping) < 2:
        return tuple(mapping.items())
    return tuple(sorted(mapping.items(), key=_place))


def _place(item: tuple[str, Any]) -> tuple[int, str]:
    return PINS.get(item[0], 99), item[0]


Action: TypeAlias = Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Points by side, whose turn, and the pins that stand where a defense put them."""

    config: Config
    t_ms: int = 0
    turn: int = 0
    points: tuple[int, ...]
    defense: tuple[tuple[str, Point], ...] = ()


class Verdict(NamedTuple):
    """What a shot comes to: the clause that decides, the pins that count, the points, the shooter's new score."""

    clause: str
    counted: tuple[str, ...]
    points: int
    score: int


def initial(config: Config, sides: int) -> State:
    """Give the state before the first shot: nobody has points, side 0 begins (FB-10)."""
    return State(config=config, points=(0,) * sides)


def check(state: State, action: Action) -> Reason | None:
    """Give the first code that refuses the shot, or None."""
    if won(state):
        return "MATCH_OVER"
    if action.t_ms < state.t_ms:
        return "TIME_RUNS_BACK"
    if action.side != state.turn:
        return "WRONG_SIDE"
    for pin, _ in action.pins:
        if pin not in PINS:
            return "UNKNOWN_PIN"
    return None if action.placements is None else _check_defense(state, action, action.placements)


def _check_defense(state: State, action: Shot, placements: tuple[tuple[str, Point], ...]) -> Reason | None:
    points = verdict(state, action)
    if not _defense_open(state.config, points):
        return "DEFENSE_NOT_OPEN"
    if {pin for pin, _ in placements} != set(points.counted):
        return "PLACEMENTS_INCOMPLETE"
    if outside(state, action):
        return "OUTSIDE_DEFENSE_ZONE"
    return "TOO_CLOSE" if too_close(state, action) else None


def _defense_open(config: Config, points: Verdict) -> bool:
    """Tell whether defense is offered (FB-32, FB-33)."""
    if points.clause == "FB-23":
        return config.defense_after_off_board and bool(points.counted)
    return points.clause in ("FB-20", "FB-21")


def outside(state: State, action: Shot) -> tuple[str, ...]:
    """Give the pins that are placed outside the defense zone (FB-31)."""
    return tuple(
        pin for pin, place in action.placements or () if not contains(state.config.defense_zone_cm, place)
    )


def too_close(state: State, action: Shot) -> tuple[str, str, float] | None:
    """Give a pair of pins that a defense would bring too near each other, and how far apart they are (FB-31)."""
    placed = action.placements or ()
    least = float(state.config.disc_cm) + float(state.config.pin_cm) - FORGIVEN_CM
    others = _untouched(state, action)
    pairs = [*combinations(placed, 2), *((new, old) for new in placed for old in others)]
    for (first, a), (second, b) in pairs:
        if (apart := distance(a, b)) < least:
            return first, second, apart
    return None


def _untouched(state: State, action: Shot) -> tuple[tuple[str, Point], ...]:
    """Give the pins that a defense put where they are and that the shot does not name."""
    if not state.defense:
        return ()
    named = {pin for pin, _ in action.pins}
    return tuple(item for item in state.defense if item[0] not in named)


def verdict(state: State, action: Shot) -> Verdict:
    """Give what the points of a shot are, as if they were taken (FB-20 to FB-26, FB-41, FB-50)."""
    config, had = state.config, state.points[action.side]
    fallen = tuple([pin for pin, how in action.pins if how == "fallen"])
    clause = _clause(config, action, fallen)
    if clause == "FB-25":
        return Verdict(clause=clause, counted=(), points=-AIR_SHOT, score=max(0, had - AIR_SHOT))
    if clause not in ("FB-20", "FB-21"):
        return Verdict(clause=clause, counted=fallen, points=0, score=had)
    points = PINS[fallen[0]] if len(fallen) == 1 else len(fallen)
    if config.ride_the_rails:
        points += action.cushions
    if had + points <= config.target:
        return Verdict(clause=clause, counted=fallen, points=points, score=had + points)
    off = sum(PINS[pin] for pin in fallen)
    return Verdict(clause="FB-41", counted=fallen, points=-off, score=max(0, had - off))


def _clause(config: Config, action: Shot, fallen: tuple[str, ...]) -> str:
    """Give the clause by which a shot is counted, the target left aside."""
    how = [how for _, how in action.pins]
    if "off_board" in how:
        return "FB-23"
    if fallen:
        return "FB-20" if len(fallen) == 1 else "FB-21"
    if not how or (config.leaning_only_is_air_shot and "line" not in how):
        return "FB-25"
    return "FB-26"


def apply(state: State, action: Action) -> State:
    """Give the state after an allowed shot."""
    points, defense = state.points, _untouched(state, action)
    if action.placements is None:
        points = scored(state, action.side, verdict(state, action).score)
    else:
        defense = by_pin(dict((*defense, *action.placements)))
    return State(
        config=state.config,
        t_ms=action.t_ms,
        turn=(state.turn + 1) % len(points),
        points=points,
        defense=defense,
    )


def scored(state: State, side: int, score: int) -> tuple[int, ...]:
    """Give all points once the side has its new score, opponents on the same score thrown back (FB-51)."""
    points = list(state.points)
    changed = points[side] != score
    points[side] = score
    if state.config.good_offense and changed and score > 0:
        back = HALF_WAY if score > HALF_WAY else 0
        points = [back if had == score and at != side else had for at, had in enumerate(points)]
    return tuple(points)


def won(state: State) -> bool:
    """Tell whether a side has exactly the target (FB-40)."""
    return state.config.target in state.points


def outcome(state: State) -> Outcome | None:
    """Give the winner once a side has exactly the target (FB-40)."""
    return Outcome(winner=state.points.index(state.config.target)) if won(state) else None


def turn(state: State) -> int | None:
    """Give the side whose shot is next."""
    return None if won(state) else state.turn


def scores(state: State) -> tuple[int, ...]:
    """Give points by side."""
    return state.points


def summary(state: State) -> dict[str, Any]:
    """Give the pins that stand where a defense put them."""
    return {"defense": {pin: list(place) for pin, place in state.defense}}


def ends_turn(_before: State, _action: Action, _after: State) -> bool:
    """Tell whether a turn ended: every shot is one."""
    return True
