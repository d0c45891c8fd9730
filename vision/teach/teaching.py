"""Searches what of a SETUP reads a board's own lessons better: no network is trained, a few numbers are chosen.

What is tried is the game's (`ways`): one group of choices after the other, each kept only if more of the lessons
to learn from are read right and none more wrong that nobody would be asked about; fewer questions alone are no
reason. Whether it has helped, the lessons to check by say, which were not looked at before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from vision.failure import Failure
from vision.setup import Setup, format_setup, parse_setup
from vision.teach import astrolabe, finn
from vision.teach.lessons import Lesson, Read, Score, read_all, score

JSON: TypeAlias = Any
Way: TypeAlias = tuple[str, Mapping[str, JSON]]
Ways: TypeAlias = Callable[[Setup, Sequence[Lesson]], Iterator[Iterator[Way]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What teaching came to.

    Attributes
    ----------
    before, after
        How the lessons to check by are read by the SETUP as it was, and by the new one.
    learnt
        How the lessons to learn from are, before and after.
    setup
        The new SETUP, as JSON; None: nothing that was tried helps, the SETUP stays.
    changed
        What was changed, in words.
    """

    before: Score
    after: Score
    learnt: tuple[Score, Score]
    setup: JSON
    changed: tuple[str, ...]

    def to_json(self) -> dict[str, JSON]:
        """Give it as the command line and the API do."""
        return {
            "helped": self.setup is not None,
            "changed": list(self.changed),
            "check": {"before": self.before.to_json(), "after": self.after.to_json()},
            "lessons": {"before": self.learnt[0].to_json(), "after": self.learnt[1].to_json()},
            "setup": self.setup,
        }


WAYS: Mapping[str, Ways] = {"finn": finn.ways, "astrolabe": astrolabe.ways}
"""What can be taught, by game."""


def teach(setup: Setup, lessons: Sequence[Lesson]) -> Taught | Failure:
    """Teach a SETUP by lessons.

    Returns
    -------
    Taught or Failure
        `NOTHING_TO_TEACH` for a game whose SETUP has no numbers to choose.
    """
    if setup.game not in WAYS:
        return Failure("NOTHING_TO_TEACH", f"{setup.game}: nothing of its SETUP is chosen by lessons.")
    learn, check = ([one for one in lessons if one.check == which] for which in (False, True))
    first: Mapping[str, JSON] = format_setup(setup)
    best, changed = first, list[str]()
    reads = read_all(first, setup.game, learn)
    begun = score(reads)
    for group in WAYS[setup.game](setup, learn):
        kept, words = reads, ""
        for said, part in group:
            tried = {**best, **part}
            found = read_all(tried, setup.game, learn)
            if score(found).right > score(reads).right and _better(found, kept):
                kept, words, chosen = found, said, tried
        if words:
            best, reads = chosen, kept
            changed.append(words)
    return _judged(setup.game, (first, best), check, (begun, score(reads)), changed)


def _judged(
    game: str,
    both: tuple[Mapping[str, JSON], Mapping[str, JSON]],
    check: Sequence[Lesson],
    learnt: tuple[Score, Score],
    changed: Sequence[str],
) -> Taught:
    """Say whether it helped, by the lessons that were kept back."""
    then = read_all(both[0], game, check)
    now = read_all(both[1], game, check) if changed else then
    before, after = score(then), score(now)
    worse = after.right < before.right or after.silent > before.silent
    helped = bool(changed) and not worse and not isinstance(parse_setup(both[1]), Failure)
    return Taught(
        before=before,
        after=after,
        learnt=learnt,
        setup=dict(both[1]) if helped else None,
        changed=tuple(changed),
    )


def _better(one: Sequence[Read], other: Sequence[Read]) -> bool:
    """Say whether lessons are read better: more right, or as many with fewer doubts; never more wrong silently."""
    first, second = score(one), score(other)
    if first.silent > second.silent or first.right < second.right:
        return False
    return (first.right, -first.asked) > (second.right, -second.asked)
