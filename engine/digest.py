"""A short fingerprint of a state: equal states have the same, on any machine, in any process, in any run."""

import json
from dataclasses import fields, is_dataclass
from hashlib import sha256


def digest(state: object) -> str:
    """Give 64 hexadecimal digits for a config, state or action, or any tuple, mapping or set of them."""
    return sha256(json.dumps(_plain(state), ensure_ascii=False).encode()).hexdigest()


def _plain(value: object) -> object:
    """Give a value as JSON with one way to write it: sets and mappings sorted, whole floats as whole numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(_plain(getattr(value, field.name)) for field in fields(value))]
    if isinstance(value, dict):
        return {"": sorted(([_plain(key), _plain(item)] for key, item in value.items()), key=json.dumps)}
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=json.dumps)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
