"""The networks in use: shipped, or promoted on this machine; none whose hash is not that of its card.

A promoted network lies with its card in a folder of the store, named by its hash, and `active.json` says which is
in use; the one before stays, so going back is one line. Old matches keep the hash of what read them.
"""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from vision.assets import asset

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

JSON: TypeAlias = Any

FOLDER: Final = "TALLYCAM_MODELS"
"""Names the folder of the store; without it there is none, and the shipped networks are used."""

SHADOWED: Final = "TALLYCAM_SHADOW"
"""Set for a process that reads by the networks in shadow where there are any. No process that scores has it."""

ACTIVE, SHADOW = "active.json", "shadow.json"


class ModelRefused(Exception):  # noqa: N818 - it says what is the case
    """A network cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A network that may be used.

    Attributes
    ----------
    name
        What it is for, as `pin-numbers`.
    path
        Its weights.
    sha256
        Of the weights, as the card has it.
    card
        The card.
    shipped
        Whether it came with the program.
    """

    name: str
    path: Path
    sha256: str
    card: JSON
    shipped: bool


def in_use(name: str) -> Model:
    """Give the network that is in use for a purpose; raises `ModelRefused`."""
    store = _store()
    if store is None:
        return shipped(name)
    chosen = _marks(store, SHADOW).get(name) if os.environ.get(SHADOWED) else None
    chosen = chosen or _marks(store, ACTIVE).get(name)
    return shipped(name) if chosen is None else read_model(store / name / chosen[-1], name, shipped=False)


def shipped(name: str) -> Model:
    """Give the network that came with the program; raises `ModelRefused`."""
    try:
        folder = asset("models")
    except FileNotFoundError as error:
        raise ModelRefused(str(error)) from error
    return read_model(folder, name, shipped=True)


def read_model(folder: Path, name: str, *, shipped: bool = False) -> Model:
    """Give the network `name` of a folder, held to its card; raises `ModelRefused`."""
    card_path = folder / f"{name}.json"
    try:
        card = json.loads(card_path.read_text(encoding="utf-8"))
        path, wanted = folder / card["file"], card["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelRefused(f"{card_path.name} is no card of a network in {folder.name}") from error
    if path.parent != folder:
        raise ModelRefused(f"{card_path.name} names weights outside its folder")
    try:
        found = _hash(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ModelRefused(f"the weights {path.name} cannot be read") from error
    if found != wanted:
        raise ModelRefused(f"the weights {path.name} are not those of their card: their hash is another")
    return Model(name=name, path=path, sha256=found, card=card, shipped=shipped)


def promote(candidate: Model) -> Path:
    """Put a network into the store and into use; gives where it lies. Raises `ModelRefused`."""
    store, place = _kept(candidate)
    active = _marks(store, ACTIVE)
    _write(store, ACTIVE, active | {candidate.name: [*active.get(candidate.name, []), place.name]})
    if _marks(store, SHADOW).get(candidate.name) == [place.name]:
        end_shadow(candidate.name)
    return place


def shadow(candidate: Model) -> Path:
    """Put a network into the store and beside the one in use, to be compared with it alone.

    Gives where it lies; raises `ModelRefused`.
    """
    store, place = _kept(candidate)
    if place.name == in_use(candidate.name).sha256[: len(place.name)]:
        raise ModelRefused(f"this is the network that is in use for {candidate.name}")
    _write(store, SHADOW, _marks(store, SHADOW) | {candidate.name: [place.name]})
    return place


def in_shadow() -> tuple[Model, ...]:
    """Give the networks that run in shadow; raises `ModelRefused`."""
    store = _store()
    marks = {} if store is None else _marks(store, SHADOW)
    return tuple(read_model(_stored(name, mark[-1]), name) for name, mark in sorted(marks.items()))


def end_shadow(name: str) -> None:
    """Compare a network no longer; raises `ModelRefused` where none runs in shadow for this purpose."""
    store = _store()
    marks = {} if store is None else _marks(store, SHADOW)
    if store is None or name not in marks:
        raise ModelRefused(f"no network runs in shadow for {name}")
    _write(store, SHADOW, {key: mark for key, mark in marks.items() if key != name})


def _kept(candidate: Model) -> tuple[Path, Path]:
    """Copy a network into the store; gives the store, and where the network lies in it."""
    store = _store()
    if store is None:
        raise ModelRefused(f"there is no store of networks: name its folder in {FOLDER}")
    mark = candidate.sha256[:16]
    place = store / candidate.name / mark
    if not place.exists():
        draft = place.with_name(f"{mark}.{secrets.token_hex(4)}.part")
        draft.mkdir(parents=True)
        shutil.copyfile(candidate.path, draft / candidate.path.name)
        text = json.dumps(candidate.card, ensure_ascii=False, indent=1) + "\n"
        (draft / f"{candidate.name}.json").write_text(text, encoding="utf-8")
        draft.replace(place)
    return store, place


def _stored(name: str, mark: str) -> Path:
    store = _store()
    assert store is not None
    return store / name / mark


def go_back(name: str) -> Model:
    """Use again what was used before the last promotion; raises `ModelRefused` where nothing was promoted."""
    store = _store()
    active = {} if store is None else _marks(store, ACTIVE)
    if store is None or not active.get(name):
        raise ModelRefused(f"nothing was promoted for {name}: the shipped network is in use")
    left, others = active[name][:-1], {key: marks for key, marks in active.items() if key != name}
    _write(store, ACTIVE, {**others, **({name: left} if left else {})})
    return in_use(name)


@cache
def network(name: str) -> "InferenceSession":
    """Open the network that is in use for a purpose; raises `ModelRefused`.

    It is the same as long as the process lives: no match is read by two, whatever is promoted meanwhile.
    """
    return opened(_INSTEAD.get(name) or in_use(name).path)


_INSTEAD: Final[dict[str, Path]] = {}


@contextmanager
def instead(name: str, path: Path) -> Iterator[None]:
    """Have this process read by other weights for a purpose, to judge them; nothing that scores runs beside it."""
    before = _INSTEAD.get(name)
    _INSTEAD[name] = path
    network.cache_clear()
    try:
        yield
    finally:
        del _INSTEAD[name]
        if before is not None:
            _INSTEAD[name] = before
        network.cache_clear()


def opened(path: Path) -> "InferenceSession":
    """Open weights on one thread: a board reads beside others, and what it costs has to be known."""
    import onnxruntime  # noqa: PLC0415 - who only names networks needs none of it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def names() -> list[str]:
    """Give the names of all shipped networks."""
    found = []
    for card in sorted(asset("models").glob("*.json")):
        told = json.loads(card.read_text(encoding="utf-8"))
        if str(told.get("file", "")).endswith(".onnx"):
            found.append(card.stem)
    return found


def _store() -> Path | None:
    named = os.environ.get(FOLDER)
    return Path(named) if named else None


def _marks(store: Path, file: str) -> dict[str, list[str]]:
    """Give which networks a file of the store names, the newest last."""
    path = store / file
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelRefused(f"{path.name} of the store of networks cannot be read") from error
    if not isinstance(values, dict) or not all(isinstance(marks, list) and marks for marks in values.values()):
        raise ModelRefused(f"{path.name} of the store of networks is of another form")
    return values


def _write(store: Path, file: str, marks: dict[str, list[str]]) -> None:
    store.mkdir(parents=True, exist_ok=True)
    draft = store / f"{file}.{secrets.token_hex(4)}.part"
    draft.write_text(json.dumps(marks, indent=1) + "\n", encoding="utf-8")
    draft.replace(store / file)


@lru_cache(maxsize=32)
def _hash(path: Path, _changed_ns: int) -> str:
    """Give the SHA-256 of a file; once for each state of it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
