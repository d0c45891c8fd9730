"""A recording kept: `match.jsonl`, `events.jsonl`, pictures and clips of each event; whole or not at all.

Everything is written into a folder beside the one asked for, which is renamed when it is complete. The same video
gives the same files, byte for byte: pictures are encoded with fixed settings, clips are the video's own packets.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2

from engine import Scoresheet, format_sheet, parse_sheet
from vision.clips import Stretch, cut_clips
from vision.events import Event, event_from_line, event_line
from vision.failure import Failure
from vision.frames import Frame
from vision.json_text import read_json
from vision.replay import replay
from vision.scribe import sheet_of
from vision.setup import Setup, format_setup, parse_setup

JPEG_QUALITY: Final = 92
"""Nothing that a person needs to judge a tip is lost; half the size of 98."""

MATCH, EVENTS, SOURCE = "match.jsonl", "events.jsonl", "recording.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was written.

    Attributes
    ----------
    events
        All of them, without pictures.
    sheet
        The scoresheet.
    warnings
        Sentences: what could not be kept, where a damaged video ended.
    """

    events: tuple[Event, ...]
    sheet: Scoresheet
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a recording came from; enough to replay it.

    Attributes
    ----------
    path
        The video or folder of pictures.
    setup
        Camera and board.
    fps
        Rate of a folder of pictures.
    lying
        What lay on the board at the start.
    """

    path: Path
    setup: Setup
    fps: float | None = None
    lying: Mapping[str, Any] | None = None


@contextmanager
def folder_written_whole(target: Path) -> Iterator[Path]:
    """Give an empty folder that becomes `target` when the block ends well, and vanishes when it does not.

    Raises
    ------
    FileExistsError
        If `target` is a file or a folder with something in it.
    OSError
        If nothing can be written there.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileExistsError(f"{target} is there already and not empty")
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield work
        work.chmod(0o777 & ~_umask())
        os.replace(work, target)  # noqa: PTH105 - Path.replace refuses an empty folder on some systems
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def keep(
    frames: Iterable[Frame | Failure],
    source: Source,
    folder: Path,
    sides: Sequence[str],
    config: Mapping[str, Any] | None = None,
    *,
    media: bool = True,
    keep_good: bool = False,
) -> Kept | Failure:
    """Replay frames and write what was seen into an empty folder.

    Parameters
    ----------
    frames
        Of `source.path`.
    source
        Where they come from.
    folder
        Exists and is empty.
    sides, config
        For the scoresheet's header.
    media
        Write pictures and clips too.
    keep_good
        A video that breaks off is kept up to there; otherwise it is a failure.

    Raises
    ------
    engine.ScoresheetError
        For sides or config that the game refuses.
    """
    events: list[Event] = []
    evidence: dict[int, tuple[str, ...]] = {}
    stretches: list[Stretch] = []
    warnings: list[str] = []
    for event in replay(frames, source.setup, lying=source.lying):
        if isinstance(event, Failure):
            if not (keep_good and event.code == "DAMAGED_VIDEO"):
                return event
            warnings.append(event.message)
            continue
        if media:
            evidence[len(events)] = _pictures(event, len(events), folder)
            stretches.append(_stretch(event, len(events)))
        events.append(without_pictures(event))
    if media and source.path.is_file():
        clips = cut_clips(source.path, stretches, folder / "clips")
        if isinstance(clips, Failure):
            warnings.append(clips.message)
        else:
            for place, stretch in enumerate(stretches):
                if stretch.name in clips:
                    shown = clips[stretch.name].relative_to(folder).as_posix()
                    evidence[place] = (*evidence[place], shown)
    sheet = sheet_of(events, sides, config, evidence, game=source.setup.game)
    (folder / EVENTS).write_text("".join(event_line(event) + "\n" for event in events), encoding="utf-8")
    (folder / MATCH).write_text(format_sheet(sheet), encoding="utf-8")
    (folder / SOURCE).write_text(source_text(source), encoding="utf-8")
    return Kept(events=tuple(events), sheet=sheet, warnings=tuple(warnings))


def without_pictures(event: Event) -> Event:
    """Give the event alone, so that its frames can be forgotten."""
    return Event(kind=event.kind, t_ms=event.t_ms, frame=event.frame, end_frame=event.end_frame, data=event.data)


def read_match(folder: Path) -> Scoresheet:
    """Read `match.jsonl` of a kept recording. Raises `OSError` or `engine.ScoresheetError`."""
    return parse_sheet((folder / MATCH).read_text(encoding="utf-8"))


def read_events(folder: Path) -> tuple[Event, ...]:
    """Read `events.jsonl` of a kept recording. Raises `OSError` or `ValueError`."""
    text = (folder / EVENTS).read_text(encoding="utf-8")
    return tuple(event_from_line(line) for line in text.splitlines())


def read_source(folder: Path, path: Path) -> Source | Failure:
    """Read how a recording was replayed; `path` is its video or folder of pictures."""
    try:
        value = read_json(folder / SOURCE)
        setup = parse_setup(value["setup"])
        fps, lying = value["fps"], value["lying"]
    except (OSError, ValueError, KeyError, TypeError):
        return Failure("NO_RECORDING", f"{folder / SOURCE}: this is not what `tallycam replay` writes.")
    if isinstance(setup, Failure):
        return setup
    if setup.astrolabe and setup.astrolabe.colours_image:  # a name within the folder, or a path of its own
        image = folder / setup.astrolabe.colours_image
        setup = replace(setup, astrolabe=replace(setup.astrolabe, colours_image=image))
    return Source(path=path, setup=setup, fps=fps, lying=lying)


def fingerprint(path: Path) -> str:
    """Give the SHA-256 of a video, or of the pictures of a folder in the order of their names."""
    total = hashlib.sha256()
    for file in [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file()):
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                total.update(block)
    return total.hexdigest()


def source_text(source: Source) -> str:
    """Give `recording.json`: enough to replay a video or folder of pictures, and to know it again."""
    value = {
        "recording": 1,
        "video_sha256": fingerprint(source.path),
        "fps": source.fps,
        "lying": source.lying,
        "setup": format_setup(source.setup),
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _name(event: Event, place: int) -> str:
    return f"{place:04d}-{event.kind}"


def _pictures(event: Event, place: int, folder: Path) -> tuple[str, ...]:
    """Write the pictures that show it; give their names within the folder."""
    written = []
    for word, frame in (("before", event.before), ("after", event.after), ("shown", event.shown)):
        if frame is None:
            continue
        path = folder / "frames" / f"{_name(event, place)}-{word}.jpg"
        path.parent.mkdir(exist_ok=True)
        good, data = cv2.imencode(".jpg", frame.bgr(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        if not good:
            raise OSError(f"{path} could not be encoded")
        path.write_bytes(data.tobytes())
        written.append(path.relative_to(folder).as_posix())
    return tuple(written)


def _stretch(event: Event, place: int) -> Stretch:
    end_ms = event.t_ms if event.after is None else event.after.t_ms
    return Stretch(name=_name(event, place), from_ms=event.t_ms, to_ms=max(event.t_ms, end_ms))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
