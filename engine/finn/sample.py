"""Shots that the rules allow: the plain ones, and a sample of the rest."""

from collections.abc import Iterator

from engine.finn.rules import PINS, Action, PinState, Shot, State, check, shot, verdict, won
from engine.finn.zone import Point
from engine.sampling import numbers, pick


def legal(state: State, seed: int) -> Iterator[Action]:
    """Give an air shot, every pin alone, and a sample of other shots and defenses that the seed fixes."""
    if won(state):
        return
    chance = numbers(seed)
    shots = [shot(side=state.turn, t_ms=state.t_ms)]
    shots += [shot(side=state.turn, t_ms=state.t_ms, pins={pin: "fallen"}) for pin in PINS]
    shots += [_sampled(state, chance) for _ in range(len(PINS))]
    shots += [_as_defense(state, some, chance) for some in shots[1:]]
    for some in dict.fromkeys(shots):
        if check(state, some) is None:
            yield some


def _sampled(state: State, chance: Iterator[int]) -> Shot:
    states: tuple[PinState, ...] = ("fallen", "fallen", "fallen", "leaning", "off_board", "line")
    some = {pick(chance, tuple(PINS)): pick(chance, states) for _ in range(1 + next(chance) % 4)}
    return shot(side=state.turn, t_ms=state.t_ms, pins=some, cushions=next(chance) % 4)


def _as_defense(state: State, points: Shot, chance: Iterator[int]) -> Shot:
    """Give the shot as a defense somewhere in the box around the zone; it may well be refused."""
    low_x, low_y, high_x, high_y = _box(state.config.defense_zone_cm)

    def somewhere(low: float, high: float) -> float:
        return round(low + next(chance) % 1000 / 999 * (high - low), 1)

    return shot(
        side=points.side,
        t_ms=points.t_ms,
        pins=dict(points.pins),
        cushions=points.cushions,
        placements={
            pin: (somewhere(low_x, high_x), somewhere(low_y, high_y)) for pin in verdict(state, points).counted
        },
    )


def _box(polygon: tuple[Point, ...]) -> tuple[float, float, float, float]:
    across, along = zip(*polygon, strict=True)
    return float(min(across)), float(min(along)), float(max(across)), float(max(along))
