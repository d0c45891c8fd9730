"""The networks in use: shipped, or promoted on this machine; none whose hash is not that of its card.

A promoted network lies with its card in a folder of the store, named by its hash, and `active.json` says which is
in use; the one before stays, so going back is one line. Old matches keep the hash of what read them.
"""

import hashlib
import json
import os
import secrets
import shutil
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import onnxruntime

from vision.assets import asset

JSON: TypeAlias = Any

FOLDER: Final = "TALLYCAM_MODELS"
"""Names the folder of the store; without it there is none, and the shipped networks are used."""


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
    chosen = _active(store).get(name) if store is not None else None
    if chosen is None or store is None:
        return shipped(name)
    return read_model(store / name / chosen[-1], name, shipped=False)


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
    active = _active(store)
    _write(store, active | {candidate.name: [*active.get(candidate.name, []), mark]})
    return place


def go_back(name: str) -> Model:
    """Use again what was used before the last promotion; raises `ModelRefused` where nothing was promoted."""
    store = _store()
    active = {} if store is None else _active(store)
    if store is None or not active.get(name):
        raise ModelRefused(f"nothing was promoted for {name}: the shipped network is in use")
    left = active[name][:-1]
    _write(
        store, {**{key: marks for key, marks in active.items() if key != name}, **({name: left} if left else {})}
    )
    return in_use(name)


@cache
def network(name: str) -> onnxruntime.InferenceSession:
    """Open the network that is in use for a purpose; raises `ModelRefused`."""
    return opened(in_use(name).path)


def opened(path: Path) -> onnxruntime.InferenceSession:
    """Open weights on one thread: a board reads beside others, and what it costs has to be known."""
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


def _active(store: Path) -> dict[str, list[str]]:
    path = store / "active.json"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelRefused(f"{path.name} of the store of networks cannot be read") from error
    if not isinstance(values, dict) or not all(isinstance(marks, list) and marks for marks in values.values()):
        raise ModelRefused(f"{path.name} of the store of networks is of another form")
    return values


def _write(store: Path, active: dict[str, list[str]]) -> None:
    store.mkdir(parents=True, exist_ok=True)
    draft = store / f"active.{secrets.token_hex(4)}.part"
    draft.write_text(json.dumps(active, indent=1) + "\n", encoding="utf-8")
    draft.replace(store / "active.json")


@lru_cache(maxsize=32)
def _hash(path: Path, _changed_ns: int) -> str:
    """Give the SHA-256 of a file; once for each state of it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
