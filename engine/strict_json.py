"""JSON that says one thing: a key that stands twice and a number that is none are refused."""

import json
from typing import Any, Final, NoReturn

from engine.forms import FormError, shown


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FormError(f"the key {shown(twice)} stands twice")
    return found


def _constant(name: str) -> NoReturn:
    raise FormError(f"no JSON: {name} is no number")


DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
"""Raises `FormError` for these, what `json` raises for all else."""
