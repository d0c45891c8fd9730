"""Codes that a person can type on a phone: short, good once, gone after ten minutes."""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.access.roles import Role

ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without signs that look alike."""
LENGTH: Final = 8
"""Of a code: 39 bits, which the limit on guesses makes hopeless in ten minutes."""
GOOD_S: Final = 600
MOST: Final = 16
"""Codes that are open at once; the oldest makes room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """An open code: what to type, what it gives, until when (monotonic seconds)."""

    text: str
    role: Role
    until_s: float


class Pairing:
    """The open codes of a running service; they do not outlive it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = threading.Lock()
        self._open: list[Code] = []

    def open(self, role: Role) -> Code:
        """Open a code."""
        text = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        code = Code(text=text, role=role, until_s=self._clock() + GOOD_S)
        with self._turn:
            self._open = [*self._open, code][-MOST:]
        return code

    def redeem(self, typed: str) -> Role | None:
        """Give the role of a code and close it; None where it is none that is open."""
        tidy = "".join(sign for sign in typed.upper() if sign.isalnum())
        with self._turn:
            self._open = [code for code in self._open if code.until_s > self._clock()]
            found = [code for code in self._open if secrets.compare_digest(code.text.encode(), tidy.encode())]
            self._open = [code for code in self._open if code not in found]
        return found[0].role if found else None
