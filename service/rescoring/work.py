"""One recording through the pipeline: a pure function of (video, pipeline, networks, SETUP), each by its hash.

So a result can be kept under those hashes for good, whichever process or machine it comes from, and a worker that
is lost costs its own recording alone.
"""

import hashlib
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import cv2

import engine
import vision
from vision.assets import asset
from vision.events import event_line
from vision.failure import Failure
from vision.frames import open_frames
from vision.models import in_use, names
from vision.recording import Source, fingerprint
from vision.replay import replay
from vision.setup import Setup, format_setup

ASIDE: Final = frozenset({"synth", "train", "teach", "evaluate", "export"})
"""Parts of `vision` that no recording passes through."""
LIBRARIES: Final = ("av", "numpy", "onnxruntime", "opencv-python")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What reads: the pipeline (version, code, libraries) and the hash of each network in use, by name."""

    pipeline: str
    networks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A recording's files, for a worker that cannot see them: its video, or its folder's pictures, by name."""

    video: tuple[tuple[str, bytes], ...]
    folder: bool
    colours: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be read.

    Attributes
    ----------
    source
        Video, SETUP, rate, what lay on the board.
    video_sha256, colours_sha256
        Of the video, and of the picture in which colours were taught.
    marks
        What is to read it.
    parcel
        The files themselves.
    """

    source: Source
    video_sha256: str
    colours_sha256: str | None
    marks: Marks
    parcel: Parcel | None = None

    @property
    def inputs(self) -> dict[str, Any]:
        """All that the result depends on."""
        setup = format_setup(self.source.setup)
        if self.colours_sha256 is not None:
            setup["colours_image"] = self.colours_sha256
        return {
            "video": self.video_sha256,
            "pipeline": self.marks.pipeline,
            "networks": dict(self.marks.networks),
            "setup": _digest(setup),
            "fps": self.source.fps,
            "lying": self.source.lying,
        }

    @property
    def key(self) -> str:
        """The SHA-256 of `inputs`."""
        return _digest(self.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen: the lines of `events.jsonl`, and why there are no more of them, if that is so."""

    lines: tuple[str, ...]
    failure: Failure | None = None

    def to_json(self) -> dict[str, Any]:
        """Give it as it is kept."""
        broken = None if self.failure is None else [self.failure.code, self.failure.message]
        return {"events": list(self.lines), "failure": broken}

    @property
    def digest(self) -> str:
        """The SHA-256 of all of it."""
        return _digest(self.to_json())


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The worker does not see the recording, or sees another under its name."""


def task_of(source: Source, marks: Marks) -> Task:
    """Give the task of a recording; raises `OSError` where a file of it cannot be read."""
    colours = _colours(source.setup)
    return Task(
        source=source,
        video_sha256=fingerprint(source.path),
        colours_sha256=None if colours is None else fingerprint(colours),
        marks=marks,
    )


def with_parcel(task: Task) -> Task:
    """Give the task with its files; raises `OSError`."""
    path, colours = task.source.path, _colours(task.source.setup)
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    parcel = Parcel(
        video=tuple((file.name, file.read_bytes()) for file in files),
        folder=path.is_dir(),
        colours=None if colours is None else colours.read_bytes(),
    )
    return replace(task, parcel=parcel)


def seen(task: Task) -> Seen | Elsewhere:
    """Read a recording.

    Raises
    ------
    RuntimeError
        Where this process has another pipeline or other networks than the task was made for.
    """
    if marks() != task.marks:
        raise RuntimeError(
            f"the worker on {socket.gethostname()} has another version of tallycam, of a library or of a network;"
            " install the same there"
        )
    cv2.setNumThreads(1)  # as many recordings at once as there are cores: more threads would only get in the way
    with _at_hand(task) as source:
        return Elsewhere() if source is None else _events(source)


def _events(source: Source) -> Seen:
    frames = open_frames(source.path, source.fps)
    if isinstance(frames, Failure):
        return Seen(lines=(), failure=_pure(frames, source.path))
    lines: list[str] = []
    for event in replay(frames, source.setup, lying=source.lying):
        if isinstance(event, Failure):
            return Seen(lines=tuple(lines), failure=_pure(event, source.path))
        lines.append(event_line(event))
    return Seen(lines=tuple(lines))


def _pure(failure: Failure, path: Path) -> Failure:
    """Give a failure that does not tell where the video lay."""
    return Failure(failure.code, failure.message.replace(str(path), "the video"))


@contextmanager
def _at_hand(task: Task) -> Iterator[Source | None]:
    """Give the recording as this machine sees it, held to its hashes; None where it does not."""
    if task.parcel is None:
        yield task.source if _is_that(task.source, task) else None
        return
    with TemporaryDirectory(prefix="tallycam-rescore-") as name:
        source = _unpacked(task.source, task.parcel, Path(name))
        yield source if _is_that(source, task) else None


def _unpacked(source: Source, parcel: Parcel, folder: Path) -> Source:
    setup = source.setup
    if parcel.colours is not None and setup.astrolabe is not None:
        (folder / "colours").write_bytes(parcel.colours)
        setup = replace(setup, astrolabe=replace(setup.astrolabe, colours_image=folder / "colours"))
    pictures = folder / "video"
    pictures.mkdir()
    for file, data in parcel.video:
        (pictures / file).write_bytes(data)
    path = pictures if parcel.folder else pictures / parcel.video[0][0]
    return replace(source, path=path, setup=setup)


def _is_that(source: Source, task: Task) -> bool:
    try:
        there = task_of(source, task.marks)
    except OSError:
        return False
    return (there.video_sha256, there.colours_sha256) == (task.video_sha256, task.colours_sha256)


def _colours(setup: Setup) -> Path | None:
    return None if setup.astrolabe is None else setup.astrolabe.colours_image


@lru_cache(maxsize=1)
def marks() -> Marks:
    """Give what reads in this process."""
    return Marks(pipeline=_pipeline(), networks=tuple(sorted(_networks().items())))


def _pipeline() -> str:
    total = hashlib.sha256()
    for package in (engine, vision):
        top = Path(str(package.__file__)).parent
        for path in sorted(top.rglob("*.py")):
            if path.relative_to(top).parts[0] not in ASIDE:
                total.update(path.relative_to(top).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for library in LIBRARIES:
        total.update(f"{library} {version(library)}\0".encode())
    return f"{version('tallycam')}+{total.hexdigest()[:16]}"


def _networks() -> dict[str, str]:
    found = {path.stem: fingerprint(path) for path in asset("models").glob("*.npz")}
    return found | {name: in_use(name).sha256 for name in names()}


def _digest(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
