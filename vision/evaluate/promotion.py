"""Whether a new network has earned its place: judged example by example beside the one in use, slice by slice.

It must be right more often over all than chance would have it, must accept no more wrong answers without a look,
and no slice may be worse than its noise (McNemar's exact test on the examples about which the two differ).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

NOISE: Final = 0.05
"""Chance below which a difference is none of noise, one-sided."""

ALL: Final = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One example as both networks answered it.

    Attributes
    ----------
    slices
        What it belongs to, as `leaning`, `low light`; every example belongs to `all`.
    right
        Whether the one in use, and the candidate, were right.
    accepted
        Whether each would have been accepted without a look.
    """

    slices: tuple[str, ...]
    right: tuple[bool, bool]
    accepted: tuple[bool, bool] = (True, True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A slice: how many examples, errors of each, errors accepted, whether the candidate is worse or better."""

    slice: str
    count: int
    errors: tuple[int, int]
    silent: tuple[int, int]
    better: bool
    worse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the candidate is promoted, why, and the table."""

    promoted: bool
    reason: str
    rows: tuple[Row, ...]


def verdict(examples: Sequence[Judged]) -> Verdict:
    """Judge a candidate against the network in use.

    Parameters
    ----------
    examples
        Held-back examples and the frozen regression set, none of which either was trained on.
    """
    slices = [ALL, *sorted({name for one in examples for name in one.slices})]
    rows = tuple(_row(name, [one for one in examples if name == ALL or name in one.slices]) for name in slices)
    everything = rows[0]
    worse = [row.slice for row in rows[1:] if row.worse]
    if everything.silent[1] > everything.silent[0]:
        was, would = everything.silent
        reason = f"it accepts {would} wrong answers without a look, the one in use {was}"
    elif worse:
        reason = f"it is worse on {', '.join(worse)}"
    elif not everything.better:
        reason = f"it is not better beyond noise: {everything.errors[1]} errors against {everything.errors[0]}"
    else:
        return Verdict(
            promoted=True, reason=f"{everything.errors[1]} errors against {everything.errors[0]}", rows=rows
        )
    return Verdict(promoted=False, reason=reason, rows=rows)


def text_of(found: Verdict) -> str:
    """Give the table for people."""
    head = f"{'slice':<24} {'n':>6} {'errors now':>11} {'new':>6} {'silent now':>11} {'new':>6}"
    lines = [
        f"{row.slice:<24} {row.count:>6} {row.errors[0]:>11} {row.errors[1]:>6}"
        f" {row.silent[0]:>11} {row.silent[1]:>6}" + ("  worse" if row.worse else "  better" if row.better else "")
        for row in found.rows
    ]
    return "\n".join([head, *lines, f"{'promoted' if found.promoted else 'refused'}: {found.reason}"])


def _row(name: str, examples: Sequence[Judged]) -> Row:
    lost = sum(one.right[0] and not one.right[1] for one in examples)
    won = sum(one.right[1] and not one.right[0] for one in examples)
    return Row(
        slice=name,
        count=len(examples),
        errors=(_count(not one.right[0] for one in examples), _count(not one.right[1] for one in examples)),
        silent=(
            _count(one.accepted[0] and not one.right[0] for one in examples),
            _count(one.accepted[1] and not one.right[1] for one in examples),
        ),
        better=won > lost and _at_least(won, won + lost) < NOISE,
        worse=lost > won and _at_least(lost, won + lost) < NOISE,
    )


def _count(of: Iterable[bool]) -> int:
    return sum(of)


def _at_least(successes: int, trials: int) -> float:
    """Give the chance of at least so many successes in fair trials."""
    return float(sum(comb(trials, k) for k in range(successes, trials + 1)) / 2**trials)
