"""What is agreed before a match: table, clock, format, optional rules (AS-02, AS-50, AS-51, AS-60 to AS-64)."""

from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from engine import forms

Trio: TypeAlias = tuple[int, int, int]
"""A number for each position, the nearest first."""
Slot: TypeAlias = tuple[int, int]
"""Position and slot, counted from 1, slots from the left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a match; times in milliseconds of match time."""

    slots: Trio = (5, 5, 5)
    balls: int = 10
    base: Trio = (1, 2, 5)
    chain: Trio = (1, 2, 5)
    round_ms: int = 360_000
    extra_ms: int = 180_000
    rounds: int = 2
    live_scoring: bool = False
    target: int | None = None
    best_of: int = 1
    grand_slam_finish: bool = False
    blocking: bool = False
    multipliers: Trio = (1, 1, 1)
    dead_slots: tuple[Slot, ...] = ()
    ball_conversion: bool = False


DEFAULT = Config()
KEYS = tuple(field.name for field in fields(Config))
TRUTHS = ("live_scoring", "grand_slam_finish", "blocking", "ball_conversion")
COUNTS = ("balls", "round_ms", "extra_ms", "rounds")

MOST_SLOTS = 10_000
"""More than any table has: a board is kept slot by slot, and a slip of the keyboard must not fill the memory."""


def parse_config(value: object) -> Config:
    """Give the settings from their JSON value; what is left out has its default.

    Raises
    ------
    engine.forms.FormError
        An unknown key, a wrong type or a value that the rules refuse (AS-02, AS-50, AS-51).
    """
    given = forms.fields(value, (), KEYS)
    read: dict[str, Any] = {key: forms.truth(given[key], key) for key in TRUTHS if key in given}
    read |= {key: forms.whole(given[key], key, 1) for key in COUNTS if key in given}
    if "slots" in given:
        read["slots"] = _combs(given["slots"])
    if "chain" in given:
        read["chain"] = _trio(given["chain"], "chain", 0)
    if "base" in given:
        read["base"] = _rising(given["base"])
    if given.get("target") is not None:
        read["target"] = forms.whole(given["target"], "target", 1)
    if "best_of" in given:
        read["best_of"] = _odd(given["best_of"])
    if "multipliers" in given:
        read["multipliers"] = _multipliers(given["multipliers"])
    if "dead_slots" in given:
        read["dead_slots"] = _existing(given["dead_slots"], read.get("slots", DEFAULT.slots))
    return Config(**read)


def format_config(config: Config) -> dict[str, Any]:
    """Give the settings as JSON: what differs from the defaults, in the documented order."""
    differs = {key: getattr(config, key) for key in KEYS if getattr(config, key) != getattr(DEFAULT, key)}
    return {key: _listed(value) if isinstance(value, tuple) else value for key, value in differs.items()}


def _listed(value: tuple[Any, ...]) -> list[Any]:
    return [list(item) if isinstance(item, tuple) else item for item in value]


def _trio(value: object, where: str, low: int) -> Trio:
    first, second, third = forms.items(value, where, lambda item, at: forms.whole(item, at, low), 3)
    return first, second, third


def _combs(value: object) -> Trio:
    trio = _trio(value, "slots", 1)
    if max(trio) > MOST_SLOTS:
        raise forms.FormError(f"slots: got {value}, takes three whole numbers from 1 to {MOST_SLOTS}")
    return trio


def _rising(value: object) -> Trio:
    """Give bases of which the furthest position has the highest and the nearest the lowest (AS-02)."""
    nearest, middle, furthest = _trio(value, "base", 1)
    if not nearest < middle < furthest:
        raise forms.FormError(f"base: got {value}, takes three whole numbers, each above the one before (AS-02)")
    return nearest, middle, furthest


def _odd(value: object) -> int:
    games = forms.whole(value, "best_of", 1)
    if games % 2 == 0:
        raise forms.wrong("best_of", value, "an odd number (AS-51)")
    return games


def _multipliers(value: object) -> Trio:
    trio = _trio(value, "multipliers", 1)
    if max(trio) > 3:
        raise forms.FormError(f"multipliers: got {value}, takes three whole numbers from 1 to 3 (AS-62)")
    return trio


def _existing(value: object, slots: Trio) -> tuple[Slot, ...]:
    def read(item: object, where: str) -> Slot:
        position, slot = forms.items(item, where, forms.whole, 2)
        if not (1 <= position <= 3 and 1 <= slot <= slots[position - 1]):
            raise forms.FormError(
                f"{where}: got {item}, takes an existing [position, slot], counted from 1 (AS-63)"
            )
        return position, slot

    return forms.items(value, "dead_slots", read)
