"""`tallycam watch`: a camera, or anything else that gives pictures, watched as it happens."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.errors import CommandError

if TYPE_CHECKING:
    from vision.failure import Failure
    from vision.frames import Frame
    from vision.setup import Setup
    from vision.sources import Source

SESSION = "session.mkv"
NAMES = " A camera is camera:0, camera:1, …, or as `tallycam cameras` lists it."


def command(
    *,
    source: Annotated[
        str, typer.Argument(help="A camera (`tallycam cameras`), an http:// or rtsp:// address, a video.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write; new, or empty.")],
    setup: Annotated[
        Path | None,
        typer.Option("--setup", metavar="SETUP", help="Camera and board; without it a dartboard is looked for."),
    ] = None,
    sides: Annotated[str, typer.Option(metavar="A,B", help="Names; the first one begins.")] = "Player 1,Player 2",
    seconds: Annotated[float | None, typer.Option(min=0.1, help="How long; without it until Ctrl-C.")] = None,
    session: Annotated[bool, typer.Option(help="Keep the whole session too, not only clips.")] = True,
) -> None:
    """Watch a camera: print each event as it happens; keep events, clips, session and scoresheet in DIR."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")  # before it is loaded: it warns of what is said below
    from engine import ScoresheetError, format_sheet, new_sheet  # noqa: PLC0415 - a subcommand loads what it needs
    from vision.clips import Stretch  # noqa: PLC0415
    from vision.events import Event, event_line  # noqa: PLC0415
    from vision.failure import Failure  # noqa: PLC0415
    from vision.recording import EVENTS, MATCH, SOURCE, source_text, without_pictures  # noqa: PLC0415
    from vision.recording import Source as Recorded  # noqa: PLC0415
    from vision.replay import replay  # noqa: PLC0415
    from vision.scribe import sheet_of  # noqa: PLC0415
    from vision.sources import open_source  # noqa: PLC0415
    from vision.sources.recorder import Recorder  # noqa: PLC0415

    names = [name.strip() for name in sides.split(",")]
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CommandError(f"{out}: a file, or a folder that is not empty, is there already; name a new one")
    recorder = Recorder(out / "clips", session=out / SESSION if session else None)
    opened = open_source(source, kept=recorder.take)
    if isinstance(opened, Failure):
        raise CommandError(opened.message + (NAMES if opened.code == "NO_FILE" else ""))
    camera = _setup(setup, opened)
    try:
        new_sheet(camera.game, names)
    except ScoresheetError as error:
        opened.close()
        raise CommandError(f"--sides: {error.message}") from None
    out.mkdir(parents=True, exist_ok=True)
    events: list[Event] = []
    with suppress(ValueError):  # in another thread than the main one nobody presses Ctrl-C
        signal.signal(signal.SIGINT, lambda *_: opened.close())
    try:
        with (out / EVENTS).open("w", encoding="utf-8") as lines:
            for event in replay(_until(opened, seconds), camera, eager=opened.live):
                if isinstance(event, Failure):
                    raise CommandError(event.message)
                line = event_line(event)
                lines.write(line + "\n")
                lines.flush()
                print(line, flush=True)
                name = f"{len(events):04d}-{event.kind}"
                recorder.want(
                    Stretch(name=name, from_ms=event.t_ms, to_ms=event.after.t_ms if event.after else event.t_ms)
                )
                events.append(without_pictures(event))
    finally:
        opened.close()
        recorder.close()
    (out / MATCH).write_text(format_sheet(sheet_of(events, names, game=camera.game)), encoding="utf-8")
    if (out / SESSION).exists():
        text = source_text(Recorded(path=out / SESSION, setup=camera))
        (out / SOURCE).write_text(text, encoding="utf-8")
    for said in (recorder.stopped, opened.note):
        if said is not None:
            typer.echo(f"tallycam: {said.message}", err=True)


def _until(source: "Source", seconds: float | None) -> "Iterator[Frame | Failure]":
    """Give the frames for so long."""
    begun = time.monotonic()
    for frame in source:
        yield frame
        if seconds is not None and time.monotonic() - begun > seconds:
            return


def _setup(path: Path | None, source: "Source") -> "Setup":
    from vision.failure import Failure  # noqa: PLC0415
    from vision.setup import Setup, load_setup  # noqa: PLC0415

    if path is None:
        return Setup(game="cricket", image_size=source.size or (1280, 720))
    setup = load_setup(path)
    if isinstance(setup, Failure):
        source.close()
        raise CommandError(setup.message)
    return setup
