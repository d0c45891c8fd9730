"""The table of what each address needs: an address that no rule names is closed to everybody.

One table for HTTP and WebSocket alike, checked against every route by a test, so that a new route cannot be open
by being forgotten.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Role(IntEnum):
    """What somebody may do; each may do what those below it may."""

    NOBODY = 0
    """No key at all: sees the empty page and where to type a code."""
    DISPLAY = 1
    """Sees matches as they are played."""
    SCORER = 2
    """Begins matches and keys in what happened."""
    UMPIRE = 3
    """Corrects and decides."""
    ADMIN = 4
    """Sets up boards and cameras, and says who else may."""

    @classmethod
    def named(cls, word: str) -> "Role":
        """Give the role of a lower-case word; raises `KeyError`."""
        return cls[word.upper()]

    @property
    def word(self) -> str:
        """Its name as people and files write it."""
        return self.name.lower()


GRANTED: Final = (Role.DISPLAY, Role.SCORER, Role.UMPIRE, Role.ADMIN)
"""Roles that a key can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a method at an address needs.

    Attributes
    ----------
    method
        Of HTTP in capitals (`HEAD` counts as `GET`), or `WS` for a WebSocket.
    path
        Pattern of the whole path.
    role
        The least role that may.
    """

    method: str
    path: re.Pattern[str]
    role: Role


_ID = r"[0-9a-z]{1,64}"
_API = "/api/v1"
_MATCH = rf"{_API}/matches/{_ID}"


def _rule(methods: str, path: str, role: Role) -> tuple[Rule, ...]:
    return tuple(Rule(method=method, path=re.compile(path), role=role) for method in methods.split())


RULES: Final[tuple[Rule, ...]] = (
    *_rule(
        "GET", r"/(tv|overlay|pair|devices|boards|review|labels|shadow)?|/board/[^/]+/(setup|teach)", Role.NOBODY
    ),
    *_rule("GET", r"/match/[^/]+(/[a-z]+)?|/static/.+", Role.NOBODY),
    *_rule("GET", rf"{_API}/(openapi|asyncapi)\.json|{_API}/config/schema", Role.NOBODY),
    *_rule("GET", rf"{_API}/access/me", Role.NOBODY),
    *_rule("POST", rf"{_API}/access/(pair|leave)", Role.NOBODY),
    *_rule("GET", rf"{_API}/health|{_API}/metrics|{_API}/matches|{_API}/media/[0-9a-f]+", Role.DISPLAY),
    *_rule("GET", rf"{_MATCH}(/scoresheet|/steps|/entries/\d+/alternatives)?", Role.DISPLAY),
    *_rule("GET WS", rf"{_API}/changes|{_MATCH}/changes", Role.DISPLAY),
    # A scorer writes records and takes back a dart; corrections among the entries ask for an umpire in the route.
    *_rule("POST", rf"{_API}/matches|{_MATCH}/(entries|preview|undo|proposals)", Role.SCORER),
    *_rule("POST", rf"{_MATCH}/reviews", Role.UMPIRE),
    *_rule("GET", rf"{_API}/boards|{_API}/boards/{_ID}|{_API}/reviews|{_API}/reviews/\d+", Role.DISPLAY),
    *_rule("GET", rf"{_MATCH}/(settings|export|statistics|entries/\d+/clip)", Role.DISPLAY),
    *_rule("GET", rf"{_API}/reviews/\d+/(clip|frames(/\d+)?)", Role.DISPLAY),
    *_rule("GET", rf"{_API}/recordings|{_API}/recordings/\d+(/events)?", Role.DISPLAY),
    *_rule("GET", rf"{_API}/boards/{_ID}/picture", Role.SCORER),
    *_rule("POST DELETE", rf"{_API}/boards/{_ID}/watching", Role.SCORER),
    *_rule("POST", rf"{_API}/reviews/\d+/decision", Role.UMPIRE),
    *_rule("POST", rf"{_API}/recordings/\d+/regression", Role.UMPIRE),
    *_rule("PUT", rf"{_MATCH}/settings", Role.UMPIRE),
    *_rule("POST", rf"{_API}/boards|{_API}/pictures|{_API}/boards/{_ID}/(calibrations|checks)", Role.ADMIN),
    *_rule("PATCH DELETE", rf"{_API}/boards/{_ID}", Role.ADMIN),
    *_rule("GET POST", rf"{_API}/boards/{_ID}/setups", Role.ADMIN),
    *_rule("GET", rf"{_API}/cameras(/picture)?|{_API}/teaching/{_ID}", Role.ADMIN),
    *_rule("POST", rf"{_API}/boards/{_ID}/teaching", Role.ADMIN),
    *_rule("GET", rf"{_API}/boards/{_ID}/setups/\d+", Role.ADMIN),
    *_rule("GET", rf"{_API}/config", Role.ADMIN),
    *_rule("GET", rf"{_API}/labels|{_API}/shadow|{_API}/models", Role.UMPIRE),
    *_rule("GET POST", rf"{_API}/access/keys", Role.ADMIN),
    *_rule("DELETE", rf"{_API}/access/keys/{_ID}", Role.ADMIN),
    *_rule("POST", rf"{_API}/access/codes|{_API}/outlets/actions/\d+/test", Role.ADMIN),
    *_rule("GET", rf"{_API}/outlets", Role.ADMIN),
)


def needed(method: str, path: str) -> Role | None:
    """Give the least role that may do this, or None where no rule speaks of it: then nobody may."""
    asked = "GET" if method == "HEAD" else method
    for rule in RULES:
        if rule.method == asked and rule.path.fullmatch(path):
            return rule.role
    return None
