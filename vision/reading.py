"""Reads pictures by their SETUP, one or many: what `tallycam read` prints."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.json_text import parse_json, read_json, why
from vision.pictures import load_picture
from vision.setup import Setup, load_setup, parse_setup

if TYPE_CHECKING:
    from vision.darts.reading import DartsReading

Picture = NDArray[np.uint8]
Answer = dict[str, Any]

_KEYS = {"setup", "image", "before", "state", "views"}
_VIEW_KEYS = {"setup", "image", "before"}


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
            JSON: `{"setup", "image", "before", "state"}`; setup and state are files or the objects themselves. Or
            `{"views": [{"setup", "image", "before"}, …]}`: one throw at a dartboard as several cameras saw it.
        base
            Folder that the files are looked for in where they are not found as they stand.

        Returns
        -------
        dict
            As `read` gives it; `READER_FAULT` where the reader itself breaks down. Of several views those that
            cannot be read are left out, and named in the answer's `views`.
        """
        try:
            task = parse_json(line)
        except ValueError as error:
            return _error(Failure("BAD_LINE", f"This line of the list is no JSON ({error})."))
        fault = _task_fault(task)
        if fault is not None:
            return _error(fault)
        try:
            return self._read_views(task["views"], base) if "views" in task else self._read_task(task, base)
        except Exception as error:  # a fault of ours with one picture is no reason to leave the others unread
            name = task.get("image", "views")
            return _error(Failure("READER_FAULT", f"{name}: the reader failed ({error!r}); please report it."))

    def _read_task(self, task: Mapping[str, Any], base: Path) -> Answer:
        state, before = task.get("state"), task.get("before")
        known = _load_state(_locate(state, base)) if isinstance(state, str) else state or {}
        setup = self._setup_of(task["setup"], base)
        return _answer(setup, _locate(task["image"], base), before and _locate(before, base), known)

    def _read_views(self, views: Sequence[Mapping[str, Any]], base: Path) -> Answer:
        from vision.darts.fusion import fuse  # noqa: PLC0415 - only where darts are played

        fused = fuse([self._read_view(view, base) for view in views])
        return _error(fused) if isinstance(fused, Failure) else fused.to_json()

    def _read_view(self, view: Mapping[str, Any], base: Path) -> "DartsReading | Failure":
        from vision.darts.reading import read_darts  # noqa: PLC0415

        setup, before = self._setup_of(view["setup"], base), view.get("before")
        if isinstance(setup, Failure):
            return setup
        picture = load_picture(_locate(view["image"], base))
        earlier = load_picture(_locate(before, base)) if before else None
        for loaded in (picture, earlier):
            if isinstance(loaded, Failure):
                return loaded
        assert isinstance(picture, np.ndarray)
        return read_darts(setup, picture, earlier if isinstance(earlier, np.ndarray) else None)

    def _setup_of(self, setup: object, base: Path) -> Setup | Failure:
        if not isinstance(setup, str):
            return parse_setup(setup)
        path = _locate(setup, base)
        if path not in self._setups:
            self._setups[path] = load_setup(path)
        return self._setups[path]


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
        return Failure("BAD_STATE", f"{path}: no STATE that can be read ({why(error)}).")
    return value if isinstance(value, dict) else Failure("BAD_STATE", f"{path}: a STATE is a JSON object.")


def _task_fault(task: object) -> Failure | None:
    if not isinstance(task, dict):
        return Failure("BAD_LINE", 'A line of the list is an object: {"setup", "image", "before", "state"}.')
    unknown = sorted(set(task) - _KEYS)
    if unknown:
        return Failure("BAD_LINE", f"The list knows no {unknown[0]!r}; it has setup, image, before, state, views.")
    if "views" in task:
        return _views_fault(task)
    if not isinstance(task.get("state"), str | dict | None):
        return Failure("BAD_LINE", "'state' in the list names a file or is a STATE.")
    return _files_fault(task)


def _files_fault(task: Mapping[str, object]) -> Failure | None:
    for key, kinds in (("setup", (str, dict)), ("image", str), ("before", (str, type(None)))):
        if key != "before" and key not in task:
            return Failure("BAD_LINE", f"This line of the list lacks {key!r}.")
        if not isinstance(task.get(key), kinds):
            return Failure("BAD_LINE", f"{key!r} in the list names a file, it cannot be {task.get(key)!r}.")
    return None


def _views_fault(task: Mapping[str, object]) -> Failure | None:
    """Say what is wrong with a line that has several pictures of one throw."""
    views = task["views"]
    if len(task) > 1:
        return Failure("BAD_LINE", "'views' stands alone: each view has its own setup, image and before.")
    if not isinstance(views, list) or not views:
        return Failure("BAD_LINE", '\'views\' is a list of at least one view: {"setup", "image", "before"}.')
    for number, view in enumerate(views):
        if not isinstance(view, dict) or set(view) - _VIEW_KEYS:
            return Failure("BAD_LINE", f"View {number} is not an object with setup, image and before.")
        fault = _files_fault(view)
        if fault is not None:
            return Failure("BAD_LINE", f"View {number}: {fault.message}")
    return None


def _locate(name: str, base: Path) -> Path:
    path = Path(name)
    try:
        stands = path.is_absolute() or path.exists()
    except (OSError, ValueError):  # no name that a file can have; who opens it says so
        stands = True
    return path if stands else base / path
