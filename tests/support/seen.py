"""Builders of what boards saw, without watching: matches with doubts, pictures and a recording behind them."""

from collections.abc import Mapping
from typing import Any

from support.boards_service import sample_setup

from service.boards.boards import Boards
from service.matches import Matches
from service.media import Media
from vision.assets import asset
from vision.events import Event

SAMPLES = "datasets/samples"
AT = "2026-11-30T12:00:00.000Z"


class Watched:
    """A match of a bundled recording, or of another source, as if a board had watched it: `take` adds to it."""

    def __init__(
        self,
        matches: Matches,
        game: str,
        sides: tuple[str, str],
        on_doubt: str = "wait",
        source: str | None = None,
    ) -> None:
        self.matches, self.game = matches, game
        self.boards = Boards(matches)
        self.media = Media(matches.store.media)
        self.match_id = matches.create(game, sides, on_doubt=on_doubt)
        watched = source or str(asset(f"{SAMPLES}/{game}") / "clip.mp4")
        board = self.boards.create(f"Board of {game}", game, watched, "fast")
        row = self.boards.table.add_setup(board.id, sample_setup(game), "player", AT)
        self.board_id = board.id
        self.watching = self.boards.table.begin(board, self.match_id, row.version, lying=None, zero_ms=0, at=AT)
        self._number = 0

    def still(self, name: str) -> dict[str, str]:
        """Keep the two pictures of a bundled still and give their names as evidence has them."""
        folder = asset(f"{SAMPLES}/{self.game}/stills/{name}")
        return {
            f"{word}_whole": self.media.keep((folder / f"{word}.jpg").read_bytes()) for word in ("before", "after")
        }

    def take(
        self, kind: str, t_ms: int, data: Mapping[str, Any], pictures: Mapping[str, str] | None = None
    ) -> int:
        """Take an event and give the id of its sighting."""
        self._number += 1
        frame = max(1, t_ms // 33)
        event = Event(kind=kind, t_ms=t_ms, frame=frame, end_frame=frame + 20, data=dict(data))
        taken = self.boards.sightings.take(
            self.match_id, self._number, event, dict(pictures or {}), watching_id=self.watching.id
        )
        assert taken is not None
        return taken.sighting_id

    def end(self) -> None:
        """The recording has ended."""
        self.boards.table.end(self.watching.id, "ended", AT)
        self.boards.close()
