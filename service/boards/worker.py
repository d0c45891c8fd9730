"""A process that watches one board: pictures in, what was seen out; or only looks, for the newest picture.

It knows no match and no store. Each event goes out numbered, with the pictures that show it, in one message: a
process that is killed has said it whole or not at all. It ends by itself when the service is gone.

    the job that comes first: source, pace, setup (null: only look), lying, done, at_ms, resume, clips, session;
    part `rest`
    asked:  {"ask": "picture"}, {"ask": "stop"}
    said:   {"say": "opened" | "beat" | "event" | "clip" | "picture" | "failed" | "ended", …}

The clip of an event follows it when what comes after has come: the camera's own pictures, as they came.
"""

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np

from service.boards.framing import Ended, Said, receive, send
from service.evidence import evidence, is_shown, jpeg
from vision.assets import asset
from vision.clips import Stretch
from vision.events import Event, event_line
from vision.failure import Failure
from vision.frames import Frame
from vision.models import ModelRefused, in_use, names
from vision.recording import fingerprint
from vision.replay import replay
from vision.setup import Setup, parse_setup
from vision.sources import open_source
from vision.sources.live import Kept
from vision.sources.recorder import Recorder

BEAT_S: Final = 0.5
"""How often it says that it is alive and what it is doing."""

GAP: Final = "AFTER_A_GAP"
"""Review of what happened while nobody looked: it is seen by what lay before and lies after."""


class Source(Protocol):
    """Where pictures come from, as `vision.sources` has it.

    `live`: a camera; else a recording that can be watched again. `trouble`: what is wrong right now, or None.
    """

    @property
    def live(self) -> bool:
        """Whether it is a camera."""
        ...

    @property
    def trouble(self) -> Failure | None:
        """What is wrong right now."""
        ...

    @property
    def note(self) -> Failure | None:
        """What people should know of it although it is watched."""
        ...

    def __iter__(self) -> Iterator[Frame | Failure]: ...


class Opener(Protocol):
    """Opens a source; of a camera `kept` gets each picture that is handed out."""

    def __call__(self, text: str, /, *, kept: Kept | None) -> Source | Failure:
        """Open it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to watch.

    Attributes
    ----------
    source
        A file, a folder, an address or a device.
    pace
        `real`: a recording waits for its own time; `fast`: it does not. A camera sets its own pace.
    setup
        The board; None: only look.
    lying
        What lies on the board in the first picture.
    done
        Events that have been taken: they are passed over in a recording, which is watched again from the start.
    at_ms
        Time up to which a recording does not wait: it has been watched before.
    resume
        Of a camera that had been watched before: the index that its pictures go on from, the time of `rest` and of
        its next picture, ms.
    rest
        The last picture at rest before that.
    clips
        Folder for clips of a camera until they are handed over; None: none are made.
    session
        File for the whole session of a camera, and the bytes that it may take; None: none is kept.
    """

    source: str
    pace: str
    setup: Setup | None
    lying: Mapping[str, Any] | None
    done: int
    at_ms: int
    resume: tuple[int, int, int]
    rest: bytes | None
    clips: Path | None = None
    session: tuple[Path, int] | None = None


@dataclass(slots=True)
class Doing:
    """What goes on right now, for the beat."""

    what: str = "waiting"
    since: float = field(default_factory=time.monotonic)
    frames: int = 0
    t_ms: int = 0

    def now(self, what: str) -> None:
        """Begin something."""
        self.what, self.since = what, time.monotonic()


def main() -> None:
    """Do the job that comes on standard input."""
    out = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints is no message
    cv2.setNumThreads(1)
    with suppress(Ended):
        Worker(0, out, _job(receive(0)), open_source, gone=lambda: os._exit(0)).run()
    os._exit(0)  # a driver that hangs keeps nobody waiting


class Worker:
    """Does one job; the loop runs in the caller's thread, questions and the beat have theirs.

    Parameters
    ----------
    asked, out
        File descriptors of the messages that come and go.
    job
        What to watch.
    opener
        Opens its source, and says whether that is live.
    gone
        Called when the service is gone.
    """

    def __init__(self, asked: int, out: int, job: Job, opener: Opener, gone: Callable[[], object]) -> None:
        self._asked, self._out, self._job, self._opener, self._gone = asked, out, job, opener, gone
        self._turn = threading.Lock()
        self._stop, self._over = threading.Event(), threading.Event()
        self._newest: Frame | None = None
        self._primed: Frame | None = None
        self._wanted = False
        self._doing = Doing()
        self._source: Source | None = None
        self._live = False
        wanted = job.clips is not None and job.setup is not None
        session = None if job.session is None else job.session[0]
        self._recorder = Recorder(job.clips, session=session) if wanted and job.clips is not None else None

    def run(self) -> None:
        """Watch to the end, or until asked to stop."""
        threading.Thread(target=self._answer, name="questions", daemon=True).start()
        beat = threading.Thread(target=self._beat, name="beat", daemon=True)
        beat.start()
        try:
            self._do()
        finally:
            self._over.set()
            beat.join(BEAT_S)

    def _do(self) -> None:
        source = self._opener(self._job.source, kept=None if self._recorder is None else self._recorder.take)
        if isinstance(source, Failure):
            self._fail(source)
            return
        self._source, self._live = source, source.live
        self._say({"say": "opened", "live": self._live, "model": models_mark()})
        if self._job.setup is None:
            for frame in self._frames(source):
                if isinstance(frame, Failure):
                    self._fail(frame)
                    return
        elif not self._watch(source, self._job.setup):
            return
        self._say({"say": "ended"})

    def _watch(self, source: Source, setup: Setup) -> bool:
        number = self._job.done if self._live else 0
        for event in replay(self._frames(source), setup, lying=self._job.lying, eager=self._live):
            if self._stop.is_set():
                break
            if isinstance(event, Failure):
                self._fail(event)
                return False
            number += 1
            if number > self._job.done:
                self._tell(number, self._after_gap(event))
                self._want_clip(number, event)
        if self._recorder is not None:  # the last dart's clip may lack some of what came after
            self._recorder.close()
            self._hand_over_clips(self._recorder)
        return True

    def _after_gap(self, event: Event) -> Event:
        """Ask about what happened while nobody looked."""
        codes = list(event.data.get("review", ()))
        if self._primed is None or event.before is not self._primed or {"code": GAP} in codes:
            return event
        return replace(event, data={**event.data, "review": [*codes, {"code": GAP}]})

    def _tell(self, number: int, event: Event) -> None:
        parts = evidence(event)
        if self._live and event.after is not None:
            parts["rest"] = _whole(event.after)
        self._say({"say": "event", "number": number, "line": event_line(event)}, parts)

    def _want_clip(self, number: int, event: Event) -> None:
        """Have the clip of an event cut, in the time that the camera's pictures had before they were shifted."""
        if self._recorder is None or not self._live or not is_shown(event):
            return
        zero_ms = self._job.resume[2]
        until_ms = event.t_ms if event.after is None else event.after.t_ms
        stretch = Stretch(name=str(number), from_ms=event.t_ms - zero_ms, to_ms=until_ms - zero_ms)
        self._recorder.want(stretch)

    def _hold_session(self, recorder: Recorder) -> None:
        """Drop a session that takes too much, or of which something is missing."""
        if self._job.session is None:
            return
        path, most_bytes = self._job.session
        if path.exists() and (recorder.stopped is not None or path.stat().st_size > most_bytes):
            recorder.drop_session()
            path.unlink(missing_ok=True)

    def _hand_over_clips(self, recorder: Recorder) -> None:
        while recorder.clips:
            name, path = recorder.clips.popitem()
            data = path.read_bytes()
            path.unlink()
            self._say({"say": "clip", "number": int(name), "suffix": path.suffix}, {"clip": data})

    # Frames

    def _frames(self, source: Source) -> Iterator[Frame | Failure]:
        """Give the frames at their pace, and take note of each."""
        first, rest_ms, begins_ms = self._job.resume
        if self._live and self._job.rest is not None:
            self._primed = _primed(self._job.rest, first, rest_ms)
            yield from filter(None, [self._primed])
        begun: float | None = None
        self._doing.now("waiting")
        for frame in source:
            if self._stop.is_set():
                return
            if isinstance(frame, Failure):
                yield frame
                continue
            if self._live:
                frame.index, frame.t_ms = frame.index + first + 1, frame.t_ms + begins_ms
            elif self._job.pace == "real" and frame.t_ms >= self._job.at_ms:
                begun = time.monotonic() - frame.t_ms / 1000 if begun is None else begun
                if self._stop.wait(max(0.0, begun + frame.t_ms / 1000 - time.monotonic())):
                    return
            self._take(frame)
            if self._recorder is not None:
                self._hand_over_clips(self._recorder)
                self._hold_session(self._recorder)
            self._doing.now("reading")
            yield frame
            self._doing.now("waiting")
        self._doing.now("reading")  # what was still open is settled now

    def _take(self, frame: Frame) -> None:
        self._newest = frame
        self._doing.frames += 1
        self._doing.t_ms = frame.t_ms
        if self._wanted:
            self._wanted = False
            self._show(frame)

    # Questions

    def _answer(self) -> None:
        try:
            while True:
                asked = receive(self._asked).head["ask"]
                if asked == "stop":
                    self._stop.set()
                elif asked == "picture":
                    frame = self._newest
                    self._wanted = frame is None
                    if frame is not None:
                        self._show(frame)
        except Ended:
            self._gone()

    def _show(self, frame: Frame) -> None:
        self._say({"say": "picture", "t_ms": frame.t_ms, "size": list(frame.size)}, {"picture": jpeg(frame.bgr())})

    def _beat(self) -> None:
        while not self._over.is_set():
            doing = self._doing
            told = {"doing": doing.what, "since_s": round(time.monotonic() - doing.since, 2)}
            trouble = None if self._source is None else self._source.trouble
            note = None if self._recorder is None else self._recorder.stopped
            note = note or (None if self._source is None else self._source.note)
            more = {"trouble": _said(trouble), "note": _said(note)}
            self._say({"say": "beat", **told, "frames": doing.frames, "t_ms": doing.t_ms, **more})
            self._over.wait(BEAT_S)

    def _fail(self, failure: Failure) -> None:
        self._say({"say": "failed", "code": failure.code, "message": failure.message})

    def _say(self, head: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> None:
        try:
            with self._turn:
                send(self._out, head, parts)
        except Ended:
            self._over.set()
            self._gone()


def _said(failure: Failure | None) -> dict[str, str] | None:
    return None if failure is None else {"code": failure.code, "message": failure.message}


def models_mark() -> str:
    """Give a hash of the networks that read the pictures, promoted ones included; empty where none may be used."""
    try:
        weights = {path.stem: fingerprint(path) for path in asset("models").glob("*.npz")}
        weights |= {name: in_use(name).sha256 for name in names()}
    except (FileNotFoundError, ModelRefused):
        return ""
    return hashlib.sha256(json.dumps(sorted(weights.items())).encode()).hexdigest()[:16]


def _job(said: Said) -> Job:
    head = said.head
    setup = None if head["setup"] is None else parse_setup(head["setup"])
    if isinstance(setup, Failure):
        raise ValueError(setup.message)  # it was checked when it was stored
    first, rest_ms, begins_ms = head["resume"]
    return Job(
        source=head["source"],
        pace=head["pace"],
        setup=setup,
        lying=head["lying"],
        done=head["done"],
        at_ms=head["at_ms"],
        resume=(first, rest_ms, begins_ms),
        rest=said.parts.get("rest"),
        clips=None if head["clips"] is None else Path(head["clips"]),
        session=None if head["session"] is None else (Path(head["session"][0]), head["session"][1]),
    )


def _whole(frame: Frame) -> bytes:
    """Encode a picture without loss, in no time, for an event waits: the next look at the board begins with it."""
    good, data = cv2.imencode(".bmp", frame.bgr())
    if not good:
        raise ValueError("a picture could not be encoded")
    return data.tobytes()


def _primed(rest: bytes, index: int, t_ms: int) -> Frame | None:
    bgr = cv2.imdecode(np.frombuffer(rest, np.uint8), cv2.IMREAD_COLOR)
    return None if bgr is None else Frame(index, t_ms, bgr=bgr.astype(np.uint8, copy=False))


if __name__ == "__main__":
    main()
    sys.exit(0)
