"""Pictures of a board whose truth a person told, and how many of them are read right by a SETUP.

    lessons.json: {"lessons": [{"image", "before", "state", "truth", "check"}, …]}

`image` and `before` are files, seen from that file; `state` a STATE of pins, left out for the start layout.
`truth` is `{"pins": {"7": "fallen", …}}` with every pin that does not stand, `{"segments": ["T20"]}` with the new
darts, or `{"slots": [[null, 0, …], …]}`. Lessons with `check` are not learnt from: they say whether it has helped.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from vision.failure import Failure
from vision.json_text import read_json, why
from vision.pictures import load_picture
from vision.reading import Reader

JSON: TypeAlias = Any

MOST: Final = 40
"""Lessons of one teaching: each is read a dozen times."""
PICTURES: Final = ("image", "before")
KEYS: Final = {"image", "before", "state", "truth", "check"}
TRUTHS: Final = {"finn": "pins", "cricket": "segments", "astrolabe": "slots"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One picture of known truth; `task` is a line of `tallycam read --batch` without its setup."""

    task: Mapping[str, JSON]
    truth: JSON
    check: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How lessons were read: how many, right, asked about, and wrong without a question."""

    lessons: int
    right: int
    asked: int
    silent: int

    def to_json(self) -> dict[str, int]:
        """Give the counts by name."""
        return {"lessons": self.lessons, "right": self.right, "asked": self.asked, "silent": self.silent}


def load_lessons(path: Path, game: str) -> tuple[Lesson, ...] | Failure:
    """Read a file of lessons; `BAD_LESSONS` with one sentence that says what is wrong, or what a picture has."""
    try:
        value = read_json(path)
    except (OSError, ValueError) as error:
        return Failure("BAD_LESSONS", f"{path}: no lessons that can be read ({why(error)}).")
    found = parse_lessons(value, game, path.parent)
    if isinstance(found, Failure):
        return found
    # Told before anything is tried: a lesson without its picture would only count as one that nothing helps.
    named = {one.task[key]: number for number, one in enumerate(found) for key in PICTURES if key in one.task}
    for file, number in named.items():
        picture = load_picture(file)
        if isinstance(picture, Failure):
            return Failure(picture.code, f"Lesson {number}: {picture.message}")
    return found


def parse_lessons(value: object, game: str, folder: Path) -> tuple[Lesson, ...] | Failure:
    """Make lessons of parsed JSON; `BAD_LESSONS` with one sentence that says what is wrong."""
    listed = value.get("lessons") if isinstance(value, dict) else None
    if not isinstance(listed, list) or not 2 <= len(listed) <= MOST:
        return Failure("BAD_LESSONS", f'Lessons are {{"lessons": [...]}}, 2 to {MOST} of them.')
    found = []
    for number, one in enumerate(listed):
        fault = _fault(one, game)
        if fault is not None:
            return Failure("BAD_LESSONS", f"Lesson {number}: {fault}.")
        files = {key: str((folder / one[key]).resolve()) for key in PICTURES if one.get(key)}
        task = {**files, **({"state": one["state"]} if one.get("state") else {})}
        found.append(Lesson(task=task, truth=one["truth"][TRUTHS[game]], check=bool(one.get("check", False))))
    if all(one.check for one in found) or not any(one.check for one in found):
        return Failure("BAD_LESSONS", 'Some lessons are to learn from and some, with "check": true, to check by.')
    return tuple(found)


def _fault(one: object, game: str) -> str | None:
    if not isinstance(one, dict) or set(one) - KEYS or not isinstance(one.get("image"), str):
        return f"it has {', '.join(sorted(KEYS))}, and the image is a file"
    truth, wanted = one.get("truth"), TRUTHS[game]
    if not isinstance(truth, dict) or set(truth) != {wanted}:
        return f'its truth for {game} is {{"{wanted}": …}}'
    if not isinstance(truth[wanted], dict if game == "finn" else list):
        return f"its truth {wanted!r} is of another form"
    if game != "astrolabe" and not isinstance(one.get("before"), str):
        return "it needs the picture from before too"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """How one lesson was read: right, asked about, and how sure."""

    right: bool
    asked: bool
    sure: float


def read_all(setup: Mapping[str, JSON], game: str, lessons: Sequence[Lesson]) -> list[Read]:
    """Read lessons by a SETUP."""
    reader = Reader()
    answers = [reader.read_line(json.dumps({**one.task, "setup": dict(setup)}), Path()) for one in lessons]
    return [_held(game, answer, one.truth) for answer, one in zip(answers, lessons, strict=True)]


def _held(game: str, answer: Mapping[str, JSON], truth: JSON) -> Read:
    if "error" in answer:
        return Read(right=False, asked=True, sure=0.0)
    codes = {item["code"] for item in answer["review"]} - {"NO_BEFORE"}
    return Read(right=_seen(game, answer) == _true(game, truth), asked=bool(codes), sure=answer["confidence"])


def _seen(game: str, answer: Mapping[str, JSON]) -> JSON:
    match game:
        case "finn":
            return answer["action"]["pins"]
        case "cricket":
            return sorted(dart["segment"] for dart in answer["darts"])
        case _:
            return answer["slots"]


def _true(game: str, truth: JSON) -> JSON:
    return sorted(truth) if game == "cricket" else truth


def score(found: Sequence[Read]) -> Score:
    """Add up how lessons were read."""
    return Score(
        lessons=len(found),
        right=sum(one.right for one in found),
        asked=sum(one.asked for one in found),
        silent=sum(not one.right and not one.asked for one in found),
    )
