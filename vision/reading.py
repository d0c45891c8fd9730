"""Reads pictures by their SETUP, one or many: what `tallycam read` prints."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.json_text import parse_json, read_json
from vision.pictures import load_picture
from vision.setup import Setup, load_setup, parse_setup

Picture = NDArray[np.uint8]
Answer = dict[str, Any]

_KEYS = {"setup", "image", "before", "state"}


class Reading(Protocol):
    """What a game's reader gives."""

    def to_json(self) -> Answer:
        """Give what `tallycam read` prints."""
        ...


class Reader:
    """Reads picture after picture; a SETUP is parsed once."""

    def __init__(self) -> None:
        self._setups: dict[Path, Setup | Failure] = {}

    def read(self, *, setup: Path, image: Path, before: Path | None = None, state: Path | None = None) -> Answer:
        """Read one picture.

        Parameters
        ----------
        setup, image, before, state
            Files; `before` and `state` may be left out.

        Returns
        -------
        dict
            The answer of the game, or `{"error", "message"}`.
        """
        if setup not in self._setups:
            self._setups[setup] = load_setup(setup)
        known = _load_state(state) if state is not None else {}
        return _answer(self._setups[setup], image, before, known)

    def read_line(self, line: str, base: Path) -> Answer:
        """Read what one line of a list asks for.

        Parameters
        ----------
        line
            JSON: `{"setup", "image", "before", "state"}`; setup and state are files or the objects themselves.
        base
            Folder that the files are looked for in where they are not found as they stand.

        Returns
        -------
        dict
            As `read` gives it; `READER_FAULT` where the reader itself breaks down.
        """
        try:
            task = parse_json(line)
        except ValueError as error:
            return _error(Failure("BAD_LINE", f"This line of the list is no JSON ({error})."))
        fault = _task_fault(task)
        if fault is not None:
            return _error(fault)
        before = task.get("before")
        try:
            return self._read_task(task, _locate(task["image"], base), before and _locate(before, base), base)
        except Exception as error:  # a fault of ours with one picture is no reason to leave the others unread
            return _error(
                Failure("READER_FAULT", f"{task['image']}: the reader failed ({error!r}); please report it.")
            )

    def _read_task(self, task: Mapping[str, Any], image: Path, before: Path | None, base: Path) -> Answer:
        setup, state = task["setup"], task.get("state")
        known = _load_state(_locate(state, base)) if isinstance(state, str) else state or {}
        if isinstance(setup, str):
            path = _locate(setup, base)
            if path not in self._setups:
                self._setups[path] = load_setup(path)
            return _answer(self._setups[path], image, before, known)
        return _answer(parse_setup(setup), image, before, known)


def _answer(
    setup: Setup | Failure, image: Path, before: Path | None, state: Mapping[str, Any] | Failure
) -> Answer:
    for part in (setup, state):
        if isinstance(part, Failure):
            return _error(part)
    picture = load_picture(image)
    earlier = load_picture(before) if before is not None else None
    for loaded in (picture, earlier):
        if isinstance(loaded, Failure):
            return _error(loaded)
    assert isinstance(setup, Setup)
    assert isinstance(picture, np.ndarray)
    assert not isinstance(state, Failure)
    return _read_game(setup, picture, earlier if isinstance(earlier, np.ndarray) else None, state)


def _read_game(setup: Setup, picture: Picture, before: Picture | None, state: Mapping[str, Any]) -> Answer:
    """Hand the pictures to the game's reader; its code is loaded when it is played."""
    reading: Reading | Failure
    match setup.game:
        case "cricket":
            from vision.darts.reading import read_darts  # noqa: PLC0415

            reading = read_darts(setup, picture, before)
        case "astrolabe":
            from vision.astrolabe.reading import read_astrolabe  # noqa: PLC0415

            reading = read_astrolabe(setup, picture, before)
        case "finn":
            from vision.finn.reading import read_pins  # noqa: PLC0415

            reading = read_pins(setup, picture, before, state)
    return _error(reading) if isinstance(reading, Failure) else reading.to_json()


def _error(failure: Failure) -> Answer:
    return {"error": failure.code, "message": failure.message}


def _load_state(path: Path) -> Mapping[str, Any] | Failure:
    try:
        value = read_json(path)
    except (OSError, ValueError) as error:
        return Failure("BAD_STATE", f"{path}: no STATE that can be read ({error}).")
    return value if isinstance(value, dict) else Failure("BAD_STATE", f"{path}: a STATE is a JSON object.")


def _task_fault(task: object) -> Failure | None:
    if not isinstance(task, dict):
        return Failure("BAD_LINE", 'A line of the list is an object: {"setup", "image", "before", "state"}.')
    unknown = sorted(set(task) - _KEYS)
    if unknown:
        return Failure("BAD_LINE", f"The list knows no {unknown[0]!r}; it has setup, image, before, state.")
    for key, kinds in (("setup", (str, dict)), ("image", str), ("before", (str, type(None)))):
        if key != "before" and key not in task:
            return Failure("BAD_LINE", f"This line of the list lacks {key!r}.")
        if not isinstance(task.get(key), kinds):
            return Failure("BAD_LINE", f"{key!r} in the list names a file, it cannot be {task.get(key)!r}.")
    if not isinstance(task.get("state"), str | dict | None):
        return Failure("BAD_LINE", "'state' in the list names a file or is a STATE.")
    return None


def _locate(name: str, base: Path) -> Path:
    path = Path(name)
    try:
        stands = path.is_absolute() or path.exists()
    except (OSError, ValueError):  # no name that a file can have; who opens it says so
        stands = True
    return path if stands else base / path
