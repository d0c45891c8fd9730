"""`tallycam check`: replays a recording kept with its corrected scoresheet and says what differs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.recording import Source

DIFFERS = 1


def command(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="As `tallycam replay` wrote it, its match.jsonl corrected, the video in it."
        ),
    ],
    video: Annotated[
        Path | None, typer.Option(metavar="VIDEO", help="The recording, if it is not in DIR as video.*.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: each difference, the counts.")] = False,
) -> None:
    """Replay a recording and compare it with its corrected scoresheet: what counts there is taken for true.

    Exit status: 0 nothing differs, 1 something does, 2 a folder or video that cannot be used.
    """
    from engine import ScoresheetError, effective  # noqa: PLC0415 - a subcommand loads what it needs
    from vision.comparing import differences  # noqa: PLC0415
    from vision.events import Event  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415
    from vision.frames import open_frames  # noqa: PLC0415
    from vision.recording import read_match  # noqa: PLC0415
    from vision.replay import replay  # noqa: PLC0415
    from vision.scribe import sheet_of  # noqa: PLC0415

    source = _source(folder, video)
    try:
        corrected = read_match(folder)
    except ScoresheetError as error:
        raise CommandError(f"{folder}/match.jsonl: {error}") from None
    except OSError as error:
        raise CommandError(f"{folder}/match.jsonl: {(error.strerror or 'cannot be read').lower()}") from None
    if corrected.rules.name != source.setup.game:
        raise CommandError(
            f"{folder}/match.jsonl: a match of {corrected.rules.name}, but the recording is of {source.setup.game}"
        )
    frames = open_frames(source.path, source.fps)
    if isinstance(frames, Failure):
        raise CommandError(frames.message)
    events: list[Event] = []
    for event in replay(frames, source.setup, lying=source.lying):
        if isinstance(event, Failure):
            raise CommandError(event.message)
        events.append(event)
    found = differences(corrected, sheet_of(events, corrected.sides, game=corrected.rules.name))
    actions = sum(1 for _ in effective(corrected.entries))
    if as_json:
        answer = {"actions": actions, "differences": [one.to_json() for one in found]}
        print(json.dumps(answer, ensure_ascii=False))
    else:
        for one in found:
            print(f"{one.kind}: expected {_words(one.expected)}, seen {_words(one.seen)}")
        print(f"{actions} actions, {len(found)} differences")
    raise typer.Exit(DIFFERS if found else 0)


def _source(folder: Path, video: Path | None) -> "Source":
    from vision.failure import Failure  # noqa: PLC0415
    from vision.recording import read_source  # noqa: PLC0415

    if not folder.is_dir():
        raise CommandError(f"{folder}: there is no such folder")
    kept = [video] if video else sorted(folder.glob("video.*")) + sorted(folder.glob("video"))
    if not kept:
        raise CommandError(f"{folder}: there is no video.* in it; put the recording there or name it with --video")
    source = read_source(folder, kept[0])
    if isinstance(source, Failure):
        raise CommandError(source.message)
    return source


def _words(action: dict[str, Any] | None) -> str:
    if action is None:
        return "nothing"
    what = action.get("segment") or action["kind"]
    return f"{what} of side {action.get('side')} at {action['t_ms']} ms"
