"""What people do with boards: name them, set them up, have them watch a match, look through them.

BoardError
├── CannotNow     something that cannot be done as things are: no setup yet, a match of another game, in use
├── NotOfTheForm  a setup or source that is none
├── NoSuchCamera  not one of the cameras that are listed
└── NotSeen       no picture, no board in it, or the reader broke down; it has the code and the picture
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from engine import ScoresheetError, format_header, replay
from service.boards.child import Eyes, EyesFailed
from service.boards.framing import Said
from service.boards.places import HIDDEN, masked
from service.boards.previews import Previews
from service.boards.runtime import PATIENCE, Patience, Runtime, Shown
from service.config import CameraConfig
from service.matches import Matches, new_id, now
from service.media import Media
from service.sightings import OPEN, Sightings
from service.store import BoardRow, BoardTables, InUse, Once, SetupRow, SightingRow
from service.tables import decided, differing
from vision.failure import Failure

JSON: TypeAlias = Any

log = logging.getLogger("tallycam.boards")

LOOK_S: Final = 12.0
"""The first picture of a camera comes within seconds of opening it; of a network camera in ten."""

SCHEMES: Final = ("http", "https", "rtsp")
"""Addresses that a source may have. Nothing in it is ever run."""


AS_IT_CAME: Final = ".mkv"
"""Of clips that hold a camera's own JPEGs, which no browser plays."""
_NUMBERED: Final = re.compile(r"camera:[0-9]{1,3}")
_DEVICE: Final = re.compile(r"/dev/(video[0-9]{1,3}|v4l/by-(id|path)/[^/]+)")
"""No other device is opened: to look at some is to set them off."""


class BoardError(Exception):
    """Root of what a board may refuse; its text is one sentence for people."""

    def __init__(self, code: str, message: str, picture: str | None = None) -> None:
        super().__init__(message)
        self.code, self.picture = code, picture


class CannotNow(BoardError):  # noqa: N818 - the tree in the module's docstring names it
    """It cannot be done as things are."""


class NotOfTheForm(BoardError):  # noqa: N818
    """What was handed in is no setup or source."""


class NoSuchCamera(BoardError):  # noqa: N818
    """It is not one of the cameras."""


class NotSeen(BoardError):  # noqa: N818
    """There is nothing to see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A SETUP to look at before it is kept; the pictures are names in the media folder."""

    setup: Mapping[str, JSON]
    to_check: Sequence[str]
    picture: str
    overlay: str


class Boards:
    """The boards of a store. Methods may be called from any thread.

    `session_bytes` says what the whole session of a camera may take; 0: none is kept. `named` gives the cameras
    that the settings name.
    """

    def __init__(
        self,
        matches: Matches,
        patience: Patience = PATIENCE,
        session_bytes: Callable[[], int] = lambda: 0,
        named: Callable[[], Sequence[CameraConfig]] = tuple,
    ) -> None:
        self.matches = matches
        self.table = BoardTables(matches.store)
        self.media = Media(matches.store.media)
        self.sightings = Sightings(matches)
        self.runtime = Runtime(matches, self.sightings, patience, session_bytes)
        self.eyes = Eyes()
        self.previews = Previews(self.runtime, self.table.all, self._plugged_in, named)

    def resume(self) -> None:
        """Go on after a start: with what was seen and waits for nobody, and with the boards that watched."""
        open_ = self.sightings.table.of(states=OPEN)
        for match_id in dict.fromkeys(row.match_id for row in open_):
            try:
                self.sightings.flush(match_id)
            except ScoresheetError:
                log.exception("what was seen for match %s cannot go on", match_id)
        self.runtime.resume()

    def close(self) -> None:
        """End every process; boards that watch go on at the next start."""
        self.previews.close()
        self.runtime.close()
        self.eyes.close()

    # Boards

    def create(self, name: str, game: str, source: str, pace: str, once: Once | None = None) -> BoardRow:
        """Keep a new board, or give the one that was made under this key.

        Raises
        ------
        NotOfTheForm, KeyUsed; NoSuchBoard if that one was taken away
        """
        if (before := self.matches.store.done(once)) is not None:
            return self.table.get(str(before.made))
        place = placed(self.previews.whole(source))
        board = BoardRow(id=new_id(), name=name.strip(), game=game, source=place, pace=pace, created_at=now())
        return self.table.get(self.table.add(board, once))

    def change(self, board_id: str, values: Mapping[str, str]) -> None:
        """Change name, source or pace; what it watches now it goes on watching as before.

        Raises
        ------
        NoSuchBoard, NotOfTheForm
        """
        if "source" in values:
            values = {**values, "source": placed(self.previews.whole(values["source"]))}
        self.table.change(board_id, values)
        if self.runtime.state(board_id).phase == "looking":
            self.runtime.stop(board_id)

    def remove(self, board_id: str) -> None:
        """Take a board away; raises `NoSuchBoard`, `InUse`."""
        self.table.remove(board_id, now())
        self.runtime.stop(board_id)

    def views(self) -> list[dict[str, JSON]]:
        """Give all boards."""
        return [self._view(board) for board in self.table.all()]

    def view(self, board_id: str) -> dict[str, JSON]:
        """Give a board: what it is, its setup, how it is now, what it watches. Raises `NoSuchBoard`."""
        return self._view(self.table.get(board_id))

    def _view(self, board: BoardRow) -> dict[str, JSON]:
        setup = self.table.setup(board.id)
        running = [one for one in self.table.watchings(running=True) if one.board_id == board.id]
        watching = None
        if running:
            one = running[0]
            watching = {
                "id": one.id,
                "match": one.match_id,
                "setup_version": one.setup_version,
                "begun_at": one.begun_at,
            }
        return {
            "id": board.id,
            "name": board.name,
            "game": board.game,
            "source": masked(board.source),
            "pace": board.pace,
            "created_at": board.created_at,
            "setup_version": None if setup is None else setup.version,
            "decides": decided(board.game, None if setup is None else setup.setup),
            "state": self.runtime.state(board.id).to_json(),
            "watching": watching,
        }

    # Setups

    def setups(self, board_id: str) -> tuple[SetupRow, ...]:
        """Give every version of a board's setup, the newest first; raises `NoSuchBoard`."""
        return self.table.setups(board_id)

    def add_setup(self, board_id: str, setup: Mapping[str, JSON], by: str, once: Once | None = None) -> SetupRow:
        """Keep a setup as the newest of a board; what it watches now goes on with the one before.

        Raises
        ------
        NoSuchBoard, NotOfTheForm, NotSeen, KeyUsed
        """
        board = self.table.get(board_id)
        self._hold_image(setup)
        answer = self._ask({"ask": "setup", "setup": dict(setup)})
        if (failure := answer.head.get("failure")) is not None:
            raise NotOfTheForm(failure["code"], failure["message"])
        if answer.head["game"] != board.game:
            raise NotOfTheForm(
                "WRONG_GAME", f"this is a board of {board.game}, the setup is for {answer.head['game']}"
            )
        return self.table.add_setup(board_id, answer.head["setup"], by, now(), once)

    def calibrate(self, board_id: str, asked: Mapping[str, JSON], picture: str | None) -> Calibration:
        """Find the board in a picture or the newest of its camera, or see what points or a setup come to.

        Nothing is kept but the pictures: `add_setup` keeps a setup.

        Raises
        ------
        NoSuchBoard, NotOfTheForm, NotSeen
        """
        board = self.table.get(board_id)
        if asked.get("setup") is not None:
            self._hold_image(asked["setup"])
        if picture is None:
            data = self.look(board_id).jpeg
            picture = self.media.keep(data)
        else:
            path = self.media.find(picture)
            if path is None or path.suffix != ".jpg":
                raise NotOfTheForm("NO_SUCH_PICTURE", f"there is no picture {picture!r}")
            data = path.read_bytes()
        base = self.table.setup(board_id)
        head = {**asked, "ask": "calibrate", "game": board.game, "base": None if base is None else base.setup}
        answer = self._ask(head, {"picture": data})
        if (failure := answer.head.get("failure")) is not None:
            raise NotSeen(failure["code"], failure["message"], picture)
        overlay = self.media.keep(answer.parts["overlay"])
        return Calibration(
            setup=answer.head["setup"], to_check=answer.head["to_check"], picture=picture, overlay=overlay
        )

    def add_picture(self, data: bytes) -> tuple[str, tuple[int, int]]:
        """Keep a picture that somebody brought, encoded anew; gives its name and size. Raises `NotSeen`."""
        answer = self._ask({"ask": "picture"}, {"picture": data})
        if (failure := answer.head.get("failure")) is not None:
            raise NotOfTheForm(failure["code"], failure["message"])
        width, height = answer.head["size"]
        return self.media.keep(answer.parts["picture"]), (width, height)

    def look(self, board_id: str, t_ms: int | None = None) -> Shown:
        """Give the newest picture of a board, or that of a recording at a time.

        Raises
        ------
        NoSuchBoard, NotSeen
        """
        board = self.table.get(board_id)
        watching = self.runtime.state(board_id).phase in ("watching", "restarting", "starting")
        if not self.runtime.is_live(board.source) and (t_ms is not None or not watching):
            answer = self.ask({"ask": "frame", "source": board.source, "t_ms": t_ms or 0})
            width, height = answer.head["size"]
            return Shown(jpeg=answer.parts["picture"], t_ms=answer.head["t_ms"], size=(width, height))
        self.previews.let_go(board.source)
        shown = self.runtime.look(board, LOOK_S)
        if shown is None:
            state = self.runtime.state(board_id)
            raise NotSeen(state.code or "NO_PICTURE", state.message or "the camera gives no picture")
        return shown

    # Watching

    def watch(
        self, board_id: str, match_id: str, lying: Mapping[str, JSON] | None, once: Once | None = None
    ) -> None:
        """Have a board watch a match from now on.

        Raises
        ------
        NoSuchBoard, NoSuchMatch, CannotNow, InUse, KeyUsed
        """
        board = self.table.get(board_id)
        if self.matches.store.done(once) is not None:
            return
        sheet = self.matches.sheet(match_id)
        setup = self.table.setup(board_id)
        if setup is None:
            raise CannotNow("NO_SETUP", "the board has no setup yet: calibrate it first")
        if sheet.game != board.game:
            raise CannotNow("WRONG_GAME", f"this is a board of {board.game}, the match is of {sheet.game}")
        if (differs := differing(sheet.game, format_header(sheet)["config"], setup.setup)) is not None:
            raise CannotNow("OTHER_TABLE", differs)
        state = replay(sheet).state
        if sheet.rules.outcome(state) is not None:
            raise CannotNow("MATCH_OVER", "the match is over")
        zero_ms = state.t_ms if sheet.entries else 0
        watching = self.table.begin(
            board, match_id, setup.version, lying=lying, zero_ms=zero_ms, at=now(), once=once
        )
        self.previews.let_go(board.source)
        self.runtime.watch(board, watching)

    def stop(self, board_id: str) -> None:
        """Have a board watch nothing any more; raises `NoSuchBoard`."""
        self.table.get(board_id)
        self.runtime.stop(board_id)
        for watching in self.table.watchings(running=True):
            if watching.board_id == board_id:
                self.runtime.end(watching.id, "stopped")

    # Cameras

    def cameras(self) -> list[dict[str, JSON]]:
        """Give the cameras of the settings and of this machine; raises `NotSeen`."""
        return self.previews.cameras()

    def see(self, source: str) -> Shown:
        """Give what one of the cameras sees right now; it is closed again when nobody asks any more.

        Raises
        ------
        NoSuchCamera, NotSeen
        """
        if not self.previews.knows(source):
            raise NoSuchCamera(
                "NO_SUCH_CAMERA", "there is no such camera: it was unplugged, or is not in the settings"
            )
        seen = self.previews.picture(source, LOOK_S)
        if isinstance(seen, Failure):
            raise NotSeen(seen.code, seen.message)
        return seen

    def _plugged_in(self) -> list[dict[str, JSON]]:
        found: list[dict[str, JSON]] = self._ask({"ask": "cameras"}).head.get("cameras", [])
        return found

    # What was seen

    def clip(self, row: SightingRow) -> Path:
        """Give the clip of a sighting as a browser plays it, made when it is first asked for.

        Of a recording it is cut from its own packets; of a camera it was kept as the pictures came.

        Raises
        ------
        NotSeen
        """
        kept = self.media.find(row.pictures.get("clip", ""))
        if kept is not None and kept.suffix != AS_IT_CAME:
            return kept
        watching = None if row.watching_id is None else self.table.watching(row.watching_id)
        if watching is None or (kept is None and not Path(watching.source).is_file()):
            raise NotSeen(
                "NO_CLIPS", "there is no recording that it could be cut from, or its clip is kept no longer"
            )
        if kept is not None:
            answer = self._ask({"ask": "film"}, {"clip": kept.read_bytes()})
        else:
            begins_ms, ends_ms = stretch_ms(row.event)
            answer = self._ask({"ask": "clip", "source": watching.source, "from_ms": begins_ms, "to_ms": ends_ms})
        if (failure := answer.head.get("failure")) is not None:
            raise NotSeen(failure["code"], failure["message"])
        name = self.media.keep(answer.parts["clip"], answer.head["suffix"])
        self.sightings.keep_clip(watching.id, row.number, name)
        found = self.media.find(name)
        assert found is not None
        return found

    # What looks

    def ask(self, head: Mapping[str, JSON], parts: Mapping[str, bytes] | None = None) -> Said:
        """Ask what looks at pictures for something; raises `NotSeen` with whatever it could not do."""
        answer = self._ask(head, parts)
        if (failure := answer.head.get("failure")) is not None:
            raise NotSeen(failure["code"], failure["message"])
        return answer

    def _ask(self, head: Mapping[str, JSON], parts: Mapping[str, bytes] | None = None) -> Said:
        try:
            return self.eyes.ask(head, parts)
        except EyesFailed as error:
            raise NotSeen("READER_FAULT", str(error)) from error

    def _hold_image(self, setup: Mapping[str, JSON]) -> None:
        """Hold a setup to naming a picture that is here, for over the network it may name no path."""
        name = setup.get("colours_image")
        if name is not None and (not isinstance(name, str) or self.media.find(name) is None):
            raise NotOfTheForm("NO_SUCH_PICTURE", '"colours_image" is the name of a picture that was brought here')


def stretch_ms(event: Mapping[str, JSON]) -> tuple[int, int]:
    """Give when an event began and about when it had settled, by the mean time of a frame up to it."""
    t_ms, frame, end = event["t_ms"], event["frame"], event["end_frame"]
    return t_ms, t_ms + (round((end - frame) * t_ms / frame) if frame else 0)


def placed(source: str) -> str:
    """Give a source as it is kept: a file or folder by its whole path; raises `NotOfTheForm` for what is none."""
    if HIDDEN in source:
        raise NotOfTheForm("BAD_SOURCE", "the source has its password hidden: give it whole")
    scheme, colon, _ = source.partition("://")
    if colon:
        if scheme.lower() not in SCHEMES:
            raise NotOfTheForm("BAD_SOURCE", f"an address of a camera begins with {', '.join(SCHEMES)}")
        if not _is_address(source):
            raise NotOfTheForm("BAD_SOURCE", "the address of a camera has no host, or one or a port that is none")
        return source
    if _NUMBERED.fullmatch(source) or _DEVICE.fullmatch(source):
        return source
    try:
        path = Path(source).expanduser().resolve()
        there = (path.is_file() or path.is_dir()) and not path.is_relative_to("/dev")
    except (OSError, RuntimeError, ValueError):  # a name too long, the home of nobody
        there = False
    if not there:
        said = source if len(source) <= 200 else f"{source[:200]}…"
        raise NotOfTheForm("BAD_SOURCE", f"there is no file or folder {said}; a camera is camera:0, camera:1 …")
    return str(path)


def _is_address(source: str) -> bool:
    """Say whether an address names a host, and a port that there is, if any."""
    try:
        parts = urlsplit(source)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


__all__ = ["BoardError", "Boards", "Calibration", "CannotNow", "InUse", "NotOfTheForm", "NotSeen", "replace"]
