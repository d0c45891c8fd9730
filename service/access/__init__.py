"""Who may do what when the service answers to other machines: roles, keys, pairing, limits.

`roles` is the table of what each address needs; `keys` the keys that devices hold; `pairing` the short codes that
give one; `limits` keeps guessing slow. `service.api.gate` asks them all before any route is reached.
"""

from dataclasses import dataclass, field

from service.access.keys import Key, KeyRing, KeysDamaged
from service.access.limits import Tries
from service.access.pairing import Code, Pairing
from service.access.roles import GRANTED, RULES, Role, needed

__all__ = [
    "GRANTED",
    "RULES",
    "Access",
    "Code",
    "Key",
    "KeyRing",
    "KeysDamaged",
    "Pairing",
    "Role",
    "Tries",
    "needed",
]


@dataclass(frozen=True, kw_only=True)
class Access:
    """What a service that answers to other machines knows of who may."""

    keys: KeyRing
    pairing: Pairing = field(default_factory=Pairing)
    tries: Tries = field(default_factory=Tries)
