"""Numbers that look random and are fixed by a seed: how `legal` samples what it cannot list.

The engine has no source of chance; the caller brings the integer.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


def numbers(seed: int) -> Iterator[int]:
    """Yield whole numbers below 2**64 without end (the splitmix64 sequence of Steele, Lea and Flood, 2014)."""
    state = seed & _MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)


def pick(chance: Iterator[int], choices: Sequence[T]) -> T:
    """Give one of the choices, by the next number."""
    return choices[next(chance) % len(choices)]
