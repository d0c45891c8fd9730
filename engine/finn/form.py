"""Configs and shots of Finn Billiards as JSON."""

from dataclasses import fields as dataclass_fields
from typing import Any, Final, cast

from engine.finn.rules import Action, Config, PinState, Shot, by_pin
from engine.finn.zone import Point, is_simple
from engine.forms import (
    FormError,
    Number,
    fields,
    items,
    named,
    number,
    side,
    tagged,
    truth,
    whole,
    word,
    written,
    wrong,
)

_SWITCHES: Final = ("ride_the_rails", "good_offense", "leaning_only_is_air_shot", "defense_after_off_board")
_LENGTHS: Final = ("disc_cm", "pin_cm")
_SETTINGS: Final = tuple(field.name for field in dataclass_fields(Config))
_DEFAULTS: Final = Config()
_KINDS: Final = {"shot": (("kind", "side", "t_ms", "pins"), ("cushions", "take", "placements"))}
_PIN_STATES: Final = ("fallen", "leaning", "off_board", "line")
_TAKES: Final = ("points", "defense")


def parse_config(value: object) -> Config:
    """Give the config of a JSON object that holds what differs from the defaults."""
    found = fields(value, (), _SETTINGS)
    settings: dict[str, Any] = {key: _setting(key, got) for key, got in found.items()}
    return Config(**settings)


def _setting(key: str, value: object) -> bool | Number | tuple[Point, ...]:
    if key in _SWITCHES:
        return truth(value, key)
    if key in _LENGTHS:
        return number(value, key, above=0)
    if key == "target":
        return whole(value, key, low=1)
    zone = items(value, key, _point)
    if not is_simple(zone):
        raise FormError(f"{key}: got a list of {len(zone)}, takes the corners of a simple polygon, 3 or more")
    return zone


def _point(value: object, where: str) -> Point:
    x, y = items(value, where, number, 2)
    return x, y


def format_config(config: Config) -> dict[str, Any]:
    """Give what differs from the defaults."""
    changed = {key: getattr(config, key) for key in _SETTINGS if getattr(config, key) != getattr(_DEFAULTS, key)}
    for key in changed.keys() & {*_LENGTHS}:
        changed[key] = written(changed[key])
    if "defense_zone_cm" in changed:
        changed["defense_zone_cm"] = [_written(point) for point in config.defense_zone_cm]
    return changed


def _written(point: Point) -> list[Number]:
    return [written(point[0]), written(point[1])]


def parse_action(value: object, sides: int) -> Action:
    """Give the shot of a JSON value; a pin that does not exist is no fault of form."""
    _, found = tagged(value, _KINDS)
    return Shot(
        side=side(found["side"], sides),
        t_ms=whole(found["t_ms"], "t_ms"),
        pins=_pins(found["pins"]),
        cushions=whole(found["cushions"], "cushions") if "cushions" in found else 0,
        placements=_placements(found),
    )


def _pins(value: object) -> tuple[tuple[str, PinState], ...]:
    if not isinstance(value, dict):
        raise wrong("pins", value, "an object of pins and how they are")
    for pin, how in value.items():
        word(how, f"pins: {named(pin)}", _PIN_STATES)
    return cast("tuple[tuple[str, PinState], ...]", by_pin(value))


def _placements(found: dict[str, Any]) -> tuple[tuple[str, Point], ...] | None:
    """Give where a defense puts the pins; the key belongs to a defense and to nothing else."""
    if word(found.get("take", "points"), "take", _TAKES) == "points":
        if "placements" in found:
            raise FormError('unknown key "placements", takes it with "take": "defense" only')
        return None
    if "placements" not in found:
        raise FormError('the key "placements" is missing')
    value = found["placements"]
    if not isinstance(value, dict):
        raise wrong("placements", value, "an object of pins and where they stand")
    return by_pin({pin: _point(place, f"placements: {named(pin)}") for pin, place in value.items()})


def format_action(action: Action) -> dict[str, Any]:
    """Give the shot as JSON, defaults left out."""
    form: dict[str, Any] = {
        "kind": action.kind,
        "side": action.side,
        "t_ms": action.t_ms,
        "pins": dict(action.pins),
    }
    if action.cushions:
        form["cushions"] = action.cushions
    if action.placements is not None:
        form["take"] = "defense"
        form["placements"] = {pin: _written(place) for pin, place in action.placements}
    return form
