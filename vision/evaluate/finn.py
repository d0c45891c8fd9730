"""Measures the reader of Finn Billiards on shots of known truth: states, names, places, and what is accepted.

A shot is a folder with `truth.json`, `before.jpg` and `after.jpg`, as `tallycam synth finn` writes them.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from vision.failure import Failure
from vision.finn.naming import Named, named
from vision.finn.reading import PinsReading, read_pins
from vision.pictures import load_picture
from vision.pool import answers
from vision.setup import Setup, parse_setup

Json = Mapping[str, Any]

DISC_HIGH_CM: Final = 2.0
"""Height of the disc in truths that do not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A shot of known truth: its folder, and what `truth.json` says."""

    folder: Path
    truth: Json

    @property
    def name(self) -> str:
        """What it is called."""
        return self.folder.name

    @property
    def states(self) -> dict[str, str]:
        """Pin to state."""
        return {name: pin["state"] for name, pin in self.truth["after"].items()}

    @property
    def decidable(self) -> bool:
        """Whether the two pictures tell every state."""
        return bool(self.truth["decidable"])

    def setup(self) -> Setup:
        """Give the SETUP: its own, else made of the truth."""
        truth = self.truth
        made = truth.get("setup") or {
            "game": "finn",
            "image_size": truth["size"],
            "board_px": truth["corners_px"],
            "board_cm": truth["corners_cm"],
            "lens": None,
            "pins": {f"{name}_cm": value for name, value in truth["pin_cm"].items()},
            "disc": {"diameter_cm": truth["disc_cm"], "height_cm": DISC_HIGH_CM},
        }
        setup = parse_setup(made)
        if isinstance(setup, Failure):
            raise ValueError(f"{self.folder}: {setup.message}")
        return setup


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One shot, read and judged.

    Attributes
    ----------
    shot, read
        What was read, and the answer.
    seconds
        How long that took.
    pins_right
        Names whose state is right.
    right
        Every state is, or, where nobody can tell names, every state's count.
    errors_mm
        How far pins with the right state, not off the board, are from where they truly are.
    """

    shot: Shot
    read: PinsReading | Failure
    seconds: float
    pins_right: tuple[str, ...] = ()
    right: bool = False
    errors_mm: tuple[float, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether nobody would have been asked."""
        return isinstance(self.read, PinsReading) and not self.read.review

    @property
    def exact(self) -> bool:
        """Whether every pin's state is right by name."""
        return len(self.pins_right) == len(self.shot.states)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotScore:
    """Figures of a set.

    Attributes
    ----------
    shots, decidable
        How many, and how many whose pictures tell all.
    exact
        Decidable ones with every pin right.
    counts
        Others with the right count of every state; `in_review` of them ask, as they have to.
    pins, pins_right
        Of decidable ones.
    confusion
        True state to what was read, all shots, by name.
    mm_median, mm_90
        Errors of places.
    accepted
        Decidable ones that ask nothing.
    wrong_accepted
        Names of shots that ask nothing and are not exact: the worst fault there is.
    wrong
        Names of decidable ones that are not exact.
    refused
        Names of those with no answer.
    seconds
        Median time a pair takes.
    """

    shots: int
    decidable: int
    exact: int
    others: int
    counts: int
    in_review: int
    pins: int
    pins_right: int
    confusion: Mapping[str, Mapping[str, int]]
    mm_median: float | None
    mm_90: float | None
    accepted: int
    wrong_accepted: tuple[str, ...]
    wrong: tuple[str, ...]
    refused: tuple[str, ...]
    seconds: float | None


Read = Callable[[Shot], PinsReading | Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameScore:
    """Names read from pictures before shots alone.

    Attributes
    ----------
    seen
        Pins whose number faces the camera.
    right
        Of these, given the name of the pin that stands there (within `NAMED_CM`).
    sure
        Pins whose name asks nothing, whether their number faces the camera or not.
    wrong_sure
        Of these, shot and name of those that another pin has.
    unread
        Shots with no answer.
    """

    seen: int
    right: int
    sure: int
    wrong_sure: tuple[str, ...]
    unread: tuple[str, ...]

    def text(self) -> str:
        """Give the figures as lines."""
        wrong = f", wrong: {', '.join(self.wrong_sure)}" if self.wrong_sure else ", none of them wrong"
        lines = [f"names {_of(self.right, self.seen)} of the numbers seen; sure of {self.sure}{wrong}"]
        return "\n".join([*lines, *(f"not named: {name}" for name in self.unread)])


NAMED_CM: Final = 1.5
"""A pin is named right where that pin stands no farther away: half the distance between two that touch."""


def names_read(shots: Iterable[Shot]) -> NameScore:
    """Name the pins of each picture before a shot and hold the names against the truth."""
    seen = right = sure = 0
    wrong: list[str] = []
    unread: list[str] = []
    for shot in shots:
        before = load_picture(shot.folder / "before.jpg")
        found = before if isinstance(before, Failure) else named(shot.setup(), before)
        facing = [str(number) for number in shot.truth["numbers_seen_before"]]
        seen += len(facing)
        if isinstance(found, Named):
            there = {name for name in found.view.places if _is_there(shot, found, name)}
            certain = set(found.view.places) - set(found.unsure)
            right += len(there & set(facing))
            sure += len(certain)
            wrong += [f"{shot.name} pin {name}" for name in sorted(certain - there, key=int)]
        else:
            unread.append(f"{shot.name} {found.code}")
    return NameScore(seen=seen, right=right, sure=sure, wrong_sure=tuple(wrong), unread=tuple(unread))


def _is_there(shot: Shot, found: Named, name: str) -> bool:
    (x, y), (true_x, true_y) = found.view.places[name], shot.truth["before"][name]
    return bool(np.hypot(x - true_x, y - true_y) <= NAMED_CM)


def load_shots(data: Path) -> tuple[Shot, ...] | Failure:
    """Find the shots of a folder, by name; `NO_LABELS` if there is none or a truth is not as it should be."""
    shots = []
    for path in sorted(data.glob("*/truth.json")):
        try:
            truth = json.loads(path.read_text(encoding="utf-8"))
            shot = Shot(folder=path.parent, truth=truth)
            if not shot.states:
                raise ValueError("no pins")
            shot.setup()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            return Failure("NO_LABELS", f"{path}: the truth is not as it should be ({error!r}).")
        shots.append(shot)
    return tuple(shots) or Failure("NO_LABELS", f"{data}: no folder in it holds a truth.json.")


def with_state(shot: Shot) -> PinsReading | Failure:
    """Read a shot as `tallycam read --before --state` does."""
    return _read(shot, {"pins": shot.truth["before"]})


def without_state(shot: Shot) -> PinsReading | Failure:
    """Read a shot as `tallycam read --before` does: numbers alone name the pins."""
    return _read(shot, None)


def _read(shot: Shot, state: Json | None) -> PinsReading | Failure:
    before, after = (load_picture(shot.folder / f"{name}.jpg") for name in ("before", "after"))
    if isinstance(before, Failure):
        return before
    if isinstance(after, Failure):
        return after
    return read_pins(shot.setup(), after, before, state)


def judge_all(
    shots: Sequence[Shot], read: Read = with_state, *, workers: int = 1, scheduler: str | None = None
) -> list[Verdict]:
    """Read each shot and judge the answer; several at a time as `vision.pool` has it, `RuntimeError` as there."""
    found = answers(partial(_timed, read), shots, workers=workers, scheduler=scheduler)
    return [judge(shot, answer, seconds) for shot, (answer, seconds) in zip(shots, found, strict=True)]


def _timed(read: Read, shot: Shot) -> tuple[PinsReading | Failure, float]:
    began = time.perf_counter()
    return read(shot), time.perf_counter() - began


def judge(shot: Shot, read: PinsReading | Failure, seconds: float = 0.0) -> Verdict:
    """Hold an answer against the truth."""
    if isinstance(read, Failure):
        return Verdict(shot=shot, read=read, seconds=seconds)
    states = shot.states
    found = {name: _state(read, name) for name in states}
    same = tuple(name for name, state in states.items() if found[name] == state)
    counts = Counter(found.values()) == Counter(states.values())
    return Verdict(
        shot=shot,
        read=read,
        seconds=seconds,
        pins_right=same,
        right=len(same) == len(states) or (not shot.decidable and counts),
        errors_mm=tuple(_errors(shot, read, same)),
    )


def _state(read: PinsReading, name: str) -> str:
    return read.pins[name].state if name in read.pins else "unknown"


def _errors(shot: Shot, read: PinsReading, names: Sequence[str]) -> Iterator[float]:
    for name in names:
        place, truth = read.pins[name].xy_cm, shot.truth["after"][name]
        if place is not None and truth["state"] != "off_board":
            yield 10 * float(np.hypot(place[0] - truth["xy_cm"][0], place[1] - truth["xy_cm"][1]))


def score(verdicts: Iterable[Verdict]) -> ShotScore:
    """Add up a set's verdicts."""
    every = list(verdicts)
    told = [v for v in every if v.shot.decidable]
    others = [v for v in every if not v.shot.decidable]
    confusion: dict[str, Counter[str]] = {}
    for verdict in every:
        if isinstance(verdict.read, PinsReading):
            for name, state in verdict.shot.states.items():
                confusion.setdefault(state, Counter())[_state(verdict.read, name)] += 1
    errors = [error for v in every for error in v.errors_mm]
    return ShotScore(
        shots=len(every),
        decidable=len(told),
        exact=sum(v.exact for v in told),
        others=len(others),
        counts=sum(v.right for v in others),
        in_review=sum(not v.accepted for v in others),
        pins=sum(len(v.shot.states) for v in told),
        pins_right=sum(len(v.pins_right) for v in told),
        confusion={state: dict(read) for state, read in sorted(confusion.items())},
        mm_median=float(np.median(errors)) if errors else None,
        mm_90=float(np.quantile(errors, 0.9)) if errors else None,
        accepted=sum(v.accepted for v in told),
        wrong_accepted=tuple(v.shot.name for v in every if v.accepted and not v.exact),
        wrong=tuple(v.shot.name for v in told if not v.exact),
        refused=tuple(v.shot.name for v in every if isinstance(v.read, Failure)),
        seconds=float(np.median([v.seconds for v in every])) if every else None,
    )


def text_of(figures: ShotScore) -> str:
    """Give the figures as lines."""
    place = "-" if figures.mm_median is None else f"{figures.mm_median:.1f} mm, 90 % {figures.mm_90:.1f} mm"
    lines = [
        f"shots {figures.shots}, {figures.decidable} of them decidable",
        f"exact {_of(figures.exact, figures.decidable)}, pins right {_of(figures.pins_right, figures.pins)}",
        f"others with the right counts {_of(figures.counts, figures.others)}, in review {figures.in_review}",
        f"accepted {_of(figures.accepted, figures.decidable)}, wrong and accepted {len(figures.wrong_accepted)}",
        f"place {place}; {figures.seconds or 0:.2f} s a pair",
        *(
            f"  {true}: " + ", ".join(f"{k} {n}" for k, n in read.items())
            for true, read in figures.confusion.items()
        ),
        *(f"wrong and accepted: {name}" for name in figures.wrong_accepted),
        *(f"wrong: {name}" for name in figures.wrong),
        *(f"refused: {name}" for name in figures.refused),
    ]
    return "\n".join(lines)


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "-"
