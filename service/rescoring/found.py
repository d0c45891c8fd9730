"""Recordings in a folder: a video or folder of pictures, its SETUP, and the scoresheet accepted at the time."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine import Scoresheet, ScoresheetError, parse_sheet
from vision.failure import Failure
from vision.json_text import read_json, why
from vision.recording import EVENTS, MATCH, SOURCE, Source, read_events, read_source
from vision.setup import load_setup

VIDEOS: Final = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts"})
SETUP: Final = "setup.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording.

    Attributes
    ----------
    name
        Where it is, seen from the folder that was searched.
    folder
        Where its files are.
    source
        Video, SETUP, what lay on the board.
    accepted
        The scoresheet as it was accepted, None where none is kept.
    asked
        How many things a person was asked about at the time, None where that is not kept.
    promised
        The SHA-256 that the video had then, None where that is not kept.
    """

    name: str
    folder: Path
    source: Source
    accepted: Scoresheet | None = None
    asked: int | None = None
    promised: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """What looks like a recording and cannot be used: its name, and why in one sentence."""

    name: str
    message: str


def found_in(top: Path) -> Iterator[Recording | Unusable]:
    """Find all recordings in a folder and the folders in it, in the order of their names.

    A recording is a folder with `recording.json` (as `tallycam replay`, `tallycam watch` and the service keep
    them) or `setup.json`, and one video; `match.jsonl` is what was accepted, `events.jsonl` what was seen then.
    Or it is a video NAME.mp4 beside NAME.setup.json and NAME.match.jsonl.
    """
    for place, folders, files in os.walk(top):
        folder = Path(place)
        folders.sort()
        folders[:] = [name for name in folders if not name.startswith(".")]
        name = folder.relative_to(top).as_posix() if folder != top else folder.resolve().name
        if SOURCE in files or (SETUP in files and _videos(folder)):
            folders.clear()
            yield _kept(name, folder)
            continue
        for file in sorted(files):
            stem = file.removesuffix(f".{SETUP}")
            if stem != file:
                yield _loose(stem if folder == top else f"{name}/{stem}", folder, stem)


def _kept(name: str, folder: Path) -> Recording | Unusable:
    video = _one(_videos(folder))
    if isinstance(video, Failure):
        return Unusable(name=name, message=video.message)
    if not (folder / SOURCE).exists():
        return _with_setup(name, folder, video, folder / SETUP, folder / MATCH)
    source = read_source(folder, video)
    if isinstance(source, Failure):
        return Unusable(name=name, message=source.message)
    try:
        promised = read_json(folder / SOURCE).get("video_sha256")
        asked = _asked(folder)
    except (OSError, ValueError) as error:
        return Unusable(name=name, message=f"what was seen then cannot be read ({why(error)})")
    return _accepted(name, folder, source, folder / MATCH, asked=asked, promised=promised)


def _loose(name: str, folder: Path, stem: str) -> Recording | Unusable:
    own = [path for path in _videos(folder) if path.stem == stem]
    video = _one(own)
    if isinstance(video, Failure):
        return Unusable(name=name, message=video.message)
    return _with_setup(name, folder, video, folder / f"{stem}.{SETUP}", folder / f"{stem}.{MATCH}")


def _with_setup(name: str, folder: Path, video: Path, setup: Path, match: Path) -> Recording | Unusable:
    loaded = load_setup(setup)
    if isinstance(loaded, Failure):
        return Unusable(name=name, message=loaded.message)
    return _accepted(name, folder, Source(path=video, setup=loaded), match)


def _accepted(
    name: str, folder: Path, source: Source, match: Path, *, asked: int | None = None, promised: str | None = None
) -> Recording | Unusable:
    """Add the scoresheet, if there is one."""
    try:
        sheet = parse_sheet(match.read_bytes()) if match.exists() else None
    except ScoresheetError as error:
        return Unusable(name=name, message=f"{match}: {error}")
    except OSError as error:
        return Unusable(name=name, message=f"{match}: {(error.strerror or 'cannot be read').lower()}")
    if sheet is not None and sheet.game != source.setup.game:
        said = f"a match of {sheet.game}, but the recording is of {source.setup.game}"
        return Unusable(name=name, message=f"{match}: {said}")
    return Recording(name=name, folder=folder, source=source, accepted=sheet, asked=asked, promised=promised)


def _asked(folder: Path) -> int | None:
    if not (folder / EVENTS).exists():
        return None
    return sum(bool(event.data.get("review")) for event in read_events(folder))


def _videos(folder: Path) -> list[Path]:
    """Give what may be the video: what is called so before all others."""
    named = [*sorted(folder.glob("video.*")), *(path for path in [folder / "video"] if path.is_dir())]
    return named or sorted(path for path in folder.iterdir() if path.suffix.lower() in VIDEOS and path.is_file())


def _one(videos: Sequence[Path]) -> Path | Failure:
    match videos:
        case [video]:
            return video
        case []:
            return Failure("NO_VIDEO", "there is no video; put it there as video.*")
        case _:
            names = ", ".join(path.name for path in videos)
            return Failure("NO_VIDEO", f"there are several videos ({names}); call the one that counts video.*")
