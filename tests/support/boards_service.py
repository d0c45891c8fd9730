"""Builders for tests of boards: the application with its boards, a short recording, waiting for an end."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from service.api import create_app
from service.boards.boards import Boards
from service.boards.runtime import PATIENCE, Patience
from service.config import CameraConfig
from service.matches import Matches
from service.store import open_store
from vision.assets import asset
from vision.clips import Stretch, cut_clips

V1 = "/api/v1"
SAMPLE = "datasets/samples"


@dataclass(frozen=True)
class Served:
    """An application, what is behind it, and a client."""

    client: TestClient
    matches: Matches
    boards: Boards

    def ask(self, method: str, path: str, body: object = None, status: int = 200) -> Any:  # noqa: ANN401 - JSON
        """Ask, hold the answer to a status, and give its JSON."""
        answer = self.client.request(method, f"{V1}{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def board(self, game: str, source: Path, *, pace: str = "fast", setup: Mapping[str, Any] | None = None) -> str:
        """Make a board with the setup of the game's sample, or another; gives its id."""
        new = {"name": f"Board of {game}", "game": game, "source": str(source.resolve()), "pace": pace}
        board_id: str = self.ask("POST", "/boards", new, 201)["id"]
        self.ask("POST", f"/boards/{board_id}/setups", {"setup": dict(setup or sample_setup(game))}, 201)
        return board_id

    def begin(self, game: str, board_id: str, **more: object) -> str:
        """Begin a match and have a board watch it; gives the match's id."""
        match_id: str = self.ask("POST", "/matches", {"game": game, "sides": ["Ann", "Ben"], **more}, 201)["id"]
        self.ask("POST", f"/boards/{board_id}/watching", {"match": match_id}, 201)
        return match_id

    def until(self, found: Callable[[], object], within_s: float = 120.0) -> None:
        """Wait until something is so."""
        end = time.monotonic() + within_s
        while not found():
            assert time.monotonic() < end, "it never came to that"
            time.sleep(0.02)

    def ended(self, board_id: str) -> bool:
        """Say whether a board watches nothing any more."""
        return self.ask("GET", f"/boards/{board_id}")["watching"] is None

    def actions(self, match_id: str) -> list[dict[str, Any]]:
        """Give the recorded actions of a match."""
        return [entry["action"] for entry in self.ask("GET", f"/matches/{match_id}")["entries"]]


@contextmanager
def served(
    folder: Path, patience: Patience = PATIENCE, session_bytes: int = 0, named: Sequence[CameraConfig] = ()
) -> Iterator[Served]:
    """Give the application of a store in a folder; all its processes are ended with it."""
    with open_store(folder) as store:
        matches = Matches(store)
        boards = Boards(matches, patience, lambda: session_bytes, lambda: named)
        try:
            boards.resume()
            with TestClient(create_app(matches, boards=boards), base_url="http://localhost") as client:
                yield Served(client, matches, boards)
        finally:
            boards.close()


def sample_setup(game: str) -> dict[str, Any]:
    """Give the setup of a bundled recording."""
    setup: dict[str, Any] = json.loads((asset(f"{SAMPLE}/{game}") / "setup.json").read_text(encoding="utf-8"))
    return setup


def sample_clip(game: str) -> Path:
    """Give a bundled recording."""
    return asset(f"{SAMPLE}/{game}") / "clip.mp4"


def cut(game: str, to_ms: int, folder: Path) -> Path:
    """Give the beginning of a bundled recording: its own packets."""
    clips = cut_clips(sample_clip(game), [Stretch(name=game, from_ms=0, to_ms=to_ms)], folder)
    assert isinstance(clips, dict)
    return clips[game]
