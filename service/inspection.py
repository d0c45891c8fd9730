"""What a board saw, looked at closer: a clip picture by picture, and a match kept as a regression test.

`Inspection` holds the pictures of the last clips, for stepping to and fro asks for them again and again.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from service.boards.boards import Boards, CannotNow, NotOfTheForm, NotSeen, stretch_ms
from service.reviews import Reviews
from service.store import SightingRow, WatchingRow

HELD: Final = 2
"""Clips whose pictures are in memory, 25 MB each: the one that is looked at, and the one before."""

SETTLED_MS: Final = 1500
"""A camera's rate is told after that time: the first pictures come in bursts."""

NO_SESSION: Final = (
    "no whole session of this camera was kept: set sessions_gb under [media] in the settings file, and the next "
    "match can be kept as a regression test"
)

KEPT_IN: Final = "regression"
"""Folder of the regression tests, beside the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """The pictures of a clip: times in ms of the clip, JPEGs, when the event began and had settled."""

    times: tuple[int, ...]
    pictures: tuple[bytes, ...]
    event_ms: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A regression test that was written: where, and how many actions it holds the camera to."""

    folder: Path
    actions: int


class Inspection:
    """Looks into what the boards of a store saw. Methods may be called from any thread."""

    def __init__(self, boards: Boards, reviews: Reviews) -> None:
        self._boards, self._reviews = boards, reviews
        self._held: OrderedDict[str, Clip] = OrderedDict()
        self._turn = threading.Lock()

    def clip(self, row: SightingRow) -> Clip:
        """Give the pictures of the clip of a sighting; raises `NotSeen`."""
        path = self._boards.clip(row)
        with self._turn:
            found = self._held.pop(path.stem, None)
            if found is None:
                found = self._look(path, row.event)
            self._held[path.stem] = found
            while len(self._held) > HELD:
                self._held.popitem(last=False)
            return found

    def _look(self, path: Path, event: Mapping[str, int]) -> Clip:
        begins_ms, ends_ms = stretch_ms(event)
        answer = self._boards.ask({"ask": "frames", "source": str(path), "length_ms": ends_ms - begins_ms})
        began, settled = answer.head["event_ms"]
        return Clip(
            times=tuple(int(t_ms) for t_ms in answer.parts),
            pictures=tuple(answer.parts.values()),
            event_ms=(began, settled),
        )

    def checks(
        self, board_id: str, picture: str, setup: Mapping[str, Any] | None
    ) -> tuple[Mapping[str, Any], ...]:
        """Say whether a picture is good enough to play by; raises `NoSuchBoard`, `NotOfTheForm`, `NotSeen`."""
        boards = self._boards
        board = boards.table.get(board_id)
        path = boards.media.find(picture)
        if path is None or path.suffix != ".jpg":
            raise NotOfTheForm("NO_SUCH_PICTURE", f"there is no picture {picture!r}")
        live = boards.runtime.is_live(board.source)
        state = boards.runtime.state(board_id)
        head = {
            "ask": "checks",
            "game": board.game,
            "setup": None if setup is None else dict(setup),
            "recording": board.source if not live and Path(board.source).is_file() else None,
            "fps": 1000 * state.frames / state.t_ms if live and state.t_ms > SETTLED_MS else None,
        }
        found: list[Mapping[str, Any]] = boards.ask(head, {"picture": path.read_bytes()}).head["checks"]
        return tuple(found)

    def keep(self, watching: WatchingRow) -> Regression:
        """Write a recording with its corrected scoresheet into a folder that `tallycam check` takes.

        Raises
        ------
        CannotNow
            The recording still runs, it was not all of the match, or something is still to be decided.
        NotSeen
            There is no recording any more, or it cannot be written.
        """
        boards, match_id = self._boards, watching.match_id
        live = boards.runtime.is_live(watching.source)
        source = boards.runtime.session(watching.id) if live else Path(watching.source)
        if watching.ended_at is None:
            raise CannotNow("NOT_POSSIBLE", "the board still watches the match: wait until it has ended")
        if not source.exists():
            raise NotSeen("NO_RECORDING", NO_SESSION if live else "the recording is no longer where it was")
        if watching.zero_ms or len(boards.table.watchings(match_id=match_id)) > 1:
            raise CannotNow(
                "NOT_POSSIBLE", "this recording is only a part of its match: a replay would miss the rest"
            )
        if waiting := len(self._reviews.queue(match_id)):
            raise CannotNow("NOT_POSSIBLE", f"{waiting} of the match are still to be checked: decide them first")
        row = boards.table.setup(watching.board_id, watching.setup_version)
        assert row is not None, "none is ever taken away"
        image = row.setup.get("colours_image")
        colours = None if image is None else boards.media.find(image)
        folder = boards.media.folder.parent / KEPT_IN / f"{match_id}-{watching.id}"
        recorded = {
            "setup": dict(row.setup),
            "colours": None if colours is None else str(colours),
            "lying": None if watching.lying is None else dict(watching.lying),
        }
        boards.ask(
            {
                "ask": "regression",
                "folder": str(folder),
                "match": boards.matches.text(match_id),
                "source": str(source),
                "recorded": recorded,
            }
        )
        return Regression(folder=folder, actions=len(boards.matches.steps(match_id)["steps"]))
