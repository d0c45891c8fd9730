"""The boards at work: a process for each, begun again with back-off when it breaks down or is stuck.

What a process saw is written to its match before the next message is read. When it is killed, or the whole
service is, the next one goes on where that ended: a recording is watched again from its beginning and what was
taken is passed over; a camera goes on from the last picture at rest, with what lay on the board then, so that the
loop itself sees what happened meanwhile and a person is asked about it.
"""

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from service.boards.child import Child
from service.boards.framing import Ended, Said, TooSlow
from service.boards.lying import lying_now
from service.changes import Message
from service.matches import Live, Matches, now
from service.media import SESSIONS, Media
from service.sightings import Sightings
from service.store import BoardRow, BoardTables, StoreError, StoreRefused, WatchingRow
from vision.events import event_from_line

JSON: TypeAlias = Any

log = logging.getLogger("tallycam.boards")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """When a process is taken for stuck, and when another is begun.

    Attributes
    ----------
    start_s
        It has begun within this time: a second or two, on a small and busy machine ten.
    silent_s
        Then it says twice a second that it is alive; silent for so long it is stopped or starved.
    frame_s
        A source that gives no picture for so long and knows of no trouble is wedged.
    reading_s
        The slowest reading takes seconds, on a small and busy machine half a minute.
    first_s, longest_s
        Wait before the first new start; it doubles up to the longest.
    well_s
        Whoever has worked for so long has recovered: the next wait is the first again.
    look_s
        A process that only looks ends when nobody has asked for a picture for so long.
    tell_s
        How often listeners are told how it goes.
    leave_s
        A process that is asked to stop has so long for its last words.
    """

    start_s: float = 60.0
    silent_s: float = 15.0
    frame_s: float = 30.0
    reading_s: float = 120.0
    first_s: float = 0.5
    longest_s: float = 30.0
    well_s: float = 60.0
    look_s: float = 20.0
    tell_s: float = 1.0
    leave_s: float = 0.3


PATIENCE: Final = Patience()

SUFFIX: Final = ".mkv"
"""Of sessions, as the recorder writes them."""

_PHASES: Final = {
    "throw": "still",
    "takeout": "still",
    "shot": "still",
    "hand": "hand",
    "board_hidden": "hidden",
    "camera_stalled": "stalled",
    "camera_frozen": "frozen",
    "view_lost": "hidden",
    "view_back": "still",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The newest picture of a board: a JPEG, its time, its width and height."""

    jpeg: bytes
    t_ms: int
    size: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a board is.

    Attributes
    ----------
    phase
        `off`, `starting`, `watching`, `looking`, `restarting`, `ended`, `stopped`, or `failed`.
    seen
        What its loop last saw: `still`, `hand`, `hidden`, …
    t_ms, frames
        Time of its source, and pictures since it was last begun.
    restarts
        How often it had to be begun again.
    code, message
        Why it failed or is begun again.
    pid
        Its process, None while there is none.
    """

    phase: str = "off"
    seen: str = "still"
    t_ms: int = 0
    frames: int = 0
    restarts: int = 0
    code: str | None = None
    message: str | None = None
    pid: int | None = field(default=None, repr=False)

    def to_json(self) -> dict[str, JSON]:
        """Give it as the API has it."""
        names = ("phase", "seen", "t_ms", "frames", "restarts", "code", "message")
        return {name: getattr(self, name) for name in names}


class _Again(Exception):  # noqa: N818 - it never leaves this module
    """The source cannot be had now: try again later."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class Watched:
    """One board at work, for a match or only to be looked at, in a thread of its own."""

    def __init__(
        self,
        runtime: "Runtime",
        board: BoardRow,
        watching: WatchingRow | None,
        told: Callable[[State], None],
        patience: Patience | None = None,
    ) -> None:
        self.state = State(phase="starting")
        self.watching = watching
        self._runtime, self._board, self._told = runtime, board, told
        self._patience = patience or runtime.patience
        self._stop = threading.Event()
        self._child: Child | None = None
        self._shown: Shown | None = None
        self._fresh = threading.Condition()
        self._asked_at = time.monotonic()
        self._told_at = 0.0
        self._model = ""
        self._live = runtime.is_live(board.source if watching is None else watching.source)
        self._thread = threading.Thread(target=self._run, name=f"board-{board.id}", daemon=True)

    @property
    def running(self) -> bool:
        """Whether it is at work."""
        return self._thread.is_alive() and not self._stop.is_set()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, wait_s: float = 3.0) -> None:
        """End the process and the thread."""
        self._stop.set()
        child = self._child
        if child is not None:
            with suppress(Ended):
                child.send({"ask": "stop"})
        self._thread.join(self._patience.leave_s)
        child = self._child
        if child is not None:
            child.process.kill()
        self._thread.join(wait_s)

    def picture(self, within_s: float) -> Shown | None:
        """Give the newest picture; None if none comes in time, or a camera that is only looked at is not there."""
        self._asked_at = begun = time.monotonic()
        until = begun + within_s
        over = ("ended", "failed", "restarting") if self.watching is None else ("ended", "failed")
        with self._fresh:
            was = self._shown
            while self._shown is was and not self._stop.is_set():
                child = self._child
                if child is not None:
                    with suppress(Ended):
                        child.send({"ask": "picture"})
                if time.monotonic() >= until or self.state.phase in over:
                    break
                self._fresh.wait(min(0.5, max(0.01, until - time.monotonic())))
                self._asked_at = time.monotonic()  # whoever waits is still there
            return self._shown

    # The thread

    def _run(self) -> None:
        wait_s = self._patience.first_s
        try:
            while not self._stop.is_set():
                begun = time.monotonic()
                if self._once() or self._stop.is_set():
                    return
                if time.monotonic() - begun > self._patience.well_s:
                    wait_s = self._patience.first_s
                self._set(replace(self.state, phase="restarting", restarts=self.state.restarts + 1, pid=None))
                with self._fresh:
                    self._fresh.notify_all()
                self._stop.wait(wait_s)
                if self._over():
                    return
                wait_s = min(2 * wait_s, self._patience.longest_s)
        except StoreError:
            log.exception("board %s ended: the store refused", self._board.id)
        except Exception:
            log.exception("board %s ended by a fault", self._board.id)
            self._finish("failed", "FAULT", "The board's keeper broke off; the match goes on by hand.")

    def _once(self) -> bool:
        """Run one process to its end; true if nothing is to be done any more."""
        job, parts = self._job()
        child = self._child = Child("service.boards.worker")
        self._set(replace(self.state, pid=child.process.pid))
        try:
            child.send(job, parts)
            within_s = self._patience.start_s
            while True:
                said = child.receive(within_s)
                within_s = self._patience.silent_s
                if self._stop.is_set() and said.head["say"] not in ("event", "clip", "ended", "failed"):
                    continue  # what was seen before it was asked to stop is still taken
                if self._heard(said):
                    return True
        except Ended:
            if self._stop.is_set():
                return True
            log.warning("the process of board %s is gone; it is begun again", self._board.id)
            self.state = replace(self.state, code="BROKE_DOWN", message="The board's reader broke down.")
        except TooSlow as error:
            log.warning(
                "the process of board %s is stuck (%s); it is begun again", self._board.id, str(error) or "silent"
            )
            self.state = replace(self.state, code="STUCK", message="The board's camera or reader was stuck.")
        except _Again as again:
            self.state = replace(self.state, code=again.code, message=again.message)
        except (StoreRefused, OSError) as error:
            # There may be room again by and by: what was seen and not kept is seen again, or asked about.
            log.error("what board %s sees cannot be kept (%s); it is tried again", self._board.id, error)
            full = "What the board sees cannot be kept: look at the disk."
            self.state = replace(self.state, code="NOT_KEPT", message=full)
        finally:
            self._child = None
            child.kill()
        return False

    def _heard(self, said: Said) -> bool:
        """Take what the process said; true if it was the last."""
        head = said.head
        match head["say"]:
            case "opened":
                self._model = head["model"]
                self._set(replace(self.state, phase="looking" if self.watching is None else "watching"))
            case "beat":
                self._beat(head)
                return self._over()
            case "event":
                self._event(said)
            case "picture":
                width, height = head["size"]
                with self._fresh:
                    self._shown = Shown(jpeg=said.parts["picture"], t_ms=head["t_ms"], size=(width, height))
                    self._fresh.notify_all()
            case "clip":
                self._clip(head, said.parts["clip"])
            case "ended":
                # One that was asked to stop has not seen the end: the next service goes on with it.
                if not self._stop.is_set():
                    self._finish("ended", None, None)
                return True
            case "failed" if self._live:
                # A camera may come back: what it lacks may be put right while it is tried again.
                raise _Again(head["code"], head["message"])
            case "failed":
                self._finish("failed", head["code"], head["message"])
                return True
        return False

    def _beat(self, head: Mapping[str, JSON]) -> None:
        waiting, trouble = head["doing"] == "waiting", head["trouble"]
        said = trouble or head["note"]  # that nothing is recorded does not excuse a camera from giving pictures
        limit = self._patience.frame_s if waiting else self._patience.reading_s
        if head["since_s"] > limit and not (waiting and trouble):
            raise TooSlow(f"{head['doing']} for {head['since_s']} s")
        state = replace(self.state, t_ms=head["t_ms"], frames=head["frames"])
        was = state.code
        if said is not None:
            state = replace(state, code=said["code"], message=said["message"])
        elif head["frames"]:
            state = replace(state, code=None, message=None)
        if state.code != was or time.monotonic() - self._told_at >= self._patience.tell_s:
            self._set(state)
        else:
            self.state = state

    def _over(self) -> bool:
        """Let go of a camera that was only looked at, and by nobody any more; say whether that is so."""
        if self.watching is None and time.monotonic() - self._asked_at > self._patience.look_s:
            self._stop.set()
            return True
        return False

    def _event(self, said: Said) -> None:
        assert self.watching is not None
        event = event_from_line(said.head["line"])
        media = self._runtime.media
        parts = {name: data for name, data in said.parts.items() if name != "rest"}
        pictures = {name: media.keep(data, lasting=False) for name, data in parts.items()}
        number = said.head["number"]
        if "rest" in said.parts:
            self._runtime.keep_rest(self.watching.id, number, said.parts["rest"])
        self._runtime.sightings.take(
            self.watching.match_id,
            number,
            event,
            pictures,
            watching_id=self.watching.id,
            zero_ms=self.watching.zero_ms,
            model=self._model,
        )
        media.make_lasting(pictures.values())
        if "rest" in said.parts:
            self._runtime.drop_rests(self.watching.id, number)
        self._set(replace(self.state, seen=_PHASES.get(event.kind, self.state.seen)))

    def _clip(self, head: Mapping[str, JSON], clip: bytes) -> None:
        """Keep the clip of an event that was taken before."""
        assert self.watching is not None
        name = self._runtime.media.keep(clip, head["suffix"], lasting=False)
        self._runtime.sightings.keep_clip(self.watching.id, head["number"], name)

    def _job(self) -> tuple[dict[str, JSON], dict[str, bytes]]:
        board, watching = self._board, self.watching
        if watching is None:
            look = {"source": board.source, "pace": "real", "setup": None, "lying": None}
            return {**look, "done": 0, "at_ms": 0, "resume": [0, 0, 0], "clips": None, "session": None}, {}
        runtime = self._runtime
        rows = runtime.sightings.table.of(watching_id=watching.id)
        done = max((row.number for row in rows), default=0)
        at_ms = max((row.event["t_ms"] for row in rows), default=0)
        index = max((row.event["end_frame"] for row in rows), default=0)
        elapsed_ms = max(_since_ms(watching.begun_at), at_ms) if rows or self.state.restarts else 0
        rest = runtime.rest(watching.id, done) if rows else None
        game = board.game
        lying = lying_now(game, watching.lying, [row.event for row in rows])
        setup = runtime.setup_of(board.id, watching.setup_version)
        job = {
            "source": watching.source,
            "pace": watching.pace,
            "setup": setup,
            "lying": lying if self._live else watching.lying,
            "done": done,
            "at_ms": at_ms,
            "resume": [index, at_ms, elapsed_ms],
            "clips": str(runtime.cutting(watching.id)) if self._live else None,
            "session": runtime.filming(watching.id, begun=bool(rows)) if self._live else None,
        }
        return job, {"rest": rest} if rest and game != "finn" else {}

    def _finish(self, phase: str, code: str | None, message: str | None) -> None:
        if self.watching is not None:
            self._runtime.end(self.watching.id, code or phase)
        self._set(replace(self.state, phase=phase, code=code, message=message, pid=None))
        with self._fresh:
            self._fresh.notify_all()

    def _set(self, state: State) -> None:
        self.state = state
        self._told_at = time.monotonic()
        self._told(state)


class Runtime:
    """All boards at work. Methods may be called from any thread."""

    def __init__(
        self,
        matches: Matches,
        sightings: Sightings,
        patience: Patience = PATIENCE,
        session_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        self.matches, self.sightings, self.patience = matches, sightings, patience
        self._session_bytes = session_bytes
        self.boards = BoardTables(matches.store)
        self.media = Media(matches.store.media)
        self._watched: dict[str, Watched] = {}
        self._turn = threading.RLock()
        self._closed = False

    def resume(self) -> None:
        """Go on with every board that watched a match when the service ended."""
        for watching in self.boards.watchings(running=True):
            try:
                board = self.boards.get(watching.board_id)
            except StoreError:
                self.boards.end(watching.id, "stopped", now())
                continue
            self._begin(board, watching)

    def watch(self, board: BoardRow, watching: WatchingRow) -> None:
        """Have a board watch a match from now on."""
        self._begin(board, watching)

    def stop(self, board_id: str) -> None:
        """Have a board watch nothing any more."""
        with self._turn:
            watched = self._watched.pop(board_id, None)
        if watched is None:
            return
        watched.stop()
        if watched.watching is not None:
            self.end(watched.watching.id, "stopped")
            self._tell(watched.watching, self._name(board_id), State(phase="stopped"))
            self._tell_board(board_id, watched.watching, State(phase="stopped"))

    def look(self, board: BoardRow, within_s: float) -> Shown | None:
        """Give the newest picture of a board; one that watches nothing begins to look for a while."""
        with self._turn:
            watched = self._watched.get(board.id)
            if watched is None or watched.state.phase in ("ended", "failed", "stopped") or not watched.running:
                watched = self._start(board, None)
        return watched.picture(within_s)

    def end(self, watching_id: int, outcome: str) -> None:
        """Keep that a watching has ended; nothing goes on from its picture at rest any more."""
        self.boards.end(watching_id, outcome, now())
        self.drop_rests(watching_id, None)
        shutil.rmtree(self._cutting / str(watching_id), ignore_errors=True)

    def state(self, board_id: str) -> State:
        """Say how a board is."""
        watched = self._watched.get(board_id)
        if watched is None:
            return State()
        if watched.watching is None and not watched.running:
            return State()
        return watched.state

    def close(self) -> None:
        """End all processes; what watches a match goes on when the service begins again."""
        with self._turn:
            self._closed = True
            running = list(self._watched.values())
        threads = [threading.Thread(target=one.stop) for one in running]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)

    def _begin(self, board: BoardRow, watching: WatchingRow) -> None:
        with self._turn:
            before = self._watched.pop(board.id, None)
            if before is not None:
                before.stop()
            self._start(board, watching)

    def _start(self, board: BoardRow, watching: WatchingRow | None) -> Watched:
        def told(state: State) -> None:
            if watching is not None:
                self._tell(watching, board.name, state)
            self._tell_board(board.id, watching, state)

        watched = Watched(self, board, watching, told)
        if not self._closed:
            self._watched[board.id] = watched
            watched.start()
        return watched

    def _tell(self, watching: WatchingRow, name: str, state: State) -> None:
        phase = state.code or (state.seen if state.phase == "watching" else state.phase)
        live = Live(
            source=name,
            phase=phase,
            t_ms=state.t_ms + watching.zero_ms,
            done=state.phase in ("ended", "failed", "stopped"),
            message=state.message,
        )
        self.matches.watch(watching.match_id, live)

    def _tell_board(self, board_id: str, watching: WatchingRow | None, state: State) -> None:
        """Tell whoever follows all matches how a board is; nothing is kept."""
        match_id = None if watching is None else watching.match_id
        data = json.dumps({"board": board_id, "match": match_id, **state.to_json()}, ensure_ascii=False)
        told = Message(event="board", match_id="", number=None, kind="board.status", at=now(), data=data)
        self.matches.hub.publish(told)

    def _name(self, board_id: str) -> str:
        try:
            return self.boards.get(board_id).name
        except StoreError:
            return board_id

    # What processes need

    def setup_of(self, board_id: str, version: int) -> dict[str, JSON]:
        """Give a setup for a process, which knows pictures by their paths."""
        row = self.boards.setup(board_id, version)
        assert row is not None
        setup = dict(row.setup)
        name = setup.get("colours_image")
        if name:
            path = self.media.find(name)
            setup["colours_image"] = None if path is None else str(path.resolve())
        return setup

    @staticmethod
    def is_live(source: str) -> bool:
        """Say whether a source is a camera: what is no file or folder, there or not."""
        path = Path(source)
        if path.is_file() or path.is_dir():
            return False
        return path.is_relative_to("/dev") or not (path.is_absolute() and "://" not in source)

    def keep_rest(self, watching_id: int, number: int, picture: bytes) -> None:
        """Keep the picture at rest after a sighting, before the sighting itself is kept."""
        self._resting.mkdir(exist_ok=True)
        part = self._resting / f"{watching_id}-{number}.part"
        part.write_bytes(picture)
        part.replace(part.with_suffix(".bmp"))

    def drop_rests(self, watching_id: int, number: int | None) -> None:
        """Forget the pictures at rest from before a sighting, or all of them."""
        for path in self._resting.glob(f"{watching_id}-*.bmp"):
            if number is None or _number(path) < number:
                path.unlink(missing_ok=True)

    def rest(self, watching_id: int, done: int) -> bytes | None:
        """Give the last picture at rest up to a sighting, None where there is none."""
        found = [path for path in self._resting.glob(f"{watching_id}-*.bmp") if _number(path) <= done]
        return max(found, key=_number).read_bytes() if found else None

    @property
    def _resting(self) -> Path:
        return self.matches.store.folder / "resting"

    def cutting(self, watching_id: int) -> Path:
        """Give the folder in which clips of a watching are cut, without what a killed process left there."""
        folder = self._cutting / str(watching_id)
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def filming(self, watching_id: int, *, begun: bool) -> tuple[str, int] | None:
        """Give the file for a camera's whole session and what it may take; None: none is kept.

        One that was `begun` and broke off goes: what was not seen cannot be seen again.
        """
        path, room = self.session(watching_id), self._session_bytes()
        if room and not begun:
            return str(path), room
        path.unlink(missing_ok=True)
        return None

    def session(self, watching_id: int) -> Path:
        """Give the file of a camera's whole session, there or not."""
        return self.matches.store.folder / SESSIONS / f"{watching_id}{SUFFIX}"

    @property
    def _cutting(self) -> Path:
        return self.matches.store.folder / "cutting"


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _since_ms(at: str) -> int:
    begun = datetime.fromisoformat(at)
    return round((datetime.now(begun.tzinfo) - begun).total_seconds() * 1000)
