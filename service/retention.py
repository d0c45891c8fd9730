"""What of the pictures and clips may go: what is older than people want it, the oldest while all take too much.

The scores never go: they stand in the log. What a person has still to look at stays, however old it is and however
little room there is. Of the rest goes first what nobody misses (`ORDER`), in each rank the oldest.
"""

import logging
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from engine import ScoresheetError
from service.config import Config
from service.labels.labels import Label, Wanted, labels_of
from service.matches import Matches
from service.media import SESSIONS, Media
from service.reviews import is_open, settled_of
from service.store import BoardTables, SightingRow, SightingTable
from service.store.boards import forget_pictures

log = logging.getLogger("tallycam.retention")

FIRST_S: Final = 30.0
"""The first look is after the start, which others wait for."""
LOOK_S: Final = 600.0
"""How often it is looked how much there is. A match adds some hundred megabytes meanwhile."""
SWEEP_S: Final = 6 * 3600.0
"""How often everything is looked through for what is too old, which takes seconds where there are many matches."""
ROOM: Final = 0.95
"""Share of the budget that is left after making room, so that the next look has nothing to do."""
LOOSE_S: Final = 24 * 3600.0
"""What no sighting and no setup names was brought to calibrate on, or will be named soon: it stays a day."""

ORDER: Final = (
    ("clip", "undoubted"),
    ("clip", "confirmed"),
    ("picture", "undoubted"),
    ("picture", "confirmed"),
    ("clip", "corrected"),
    ("picture", "corrected"),
    ("picture", "example"),
)
"""What goes first: a clip takes twenty times the room of a picture, and what was corrected teaches most.
`example`: what the settings let teach (`labels`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of the media folder: its name, its size, when it was written (seconds of the epoch)."""

    name: str
    path: Path
    size: int
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What a name is for: a rank of `ORDER`, or None where it has to stay; since when, seconds of the epoch.

    Until `keep_s` it stays however old it is, if there is room.
    """

    rank: int | None
    at_s: float
    keep_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What pictures and clips take and may take, in bytes, when it was last looked; before that None."""

    bytes: int | None = None
    budget: int = 0


def leaving(
    files: Sequence[File], uses: Mapping[str, Use], *, now_s: float, budget: int, days: float | None
) -> list[File]:
    """Give the files that go.

    Parameters
    ----------
    files
        All there are.
    uses
        Of each name, its most important use.
    now_s
        The time, seconds of the epoch.
    budget
        Bytes that all may take together.
    days
        What is older goes in any case; None: as long as there is room.
    """
    oldest_s = 0.0 if days is None else now_s - days * 24 * 3600
    gone: list[File] = []
    ranked: list[tuple[int, float, File]] = []
    for file in files:
        use = uses.get(file.name)
        if use is None:
            if file.at_s < now_s - LOOSE_S:
                gone.append(file)
        elif use.rank is not None and use.at_s < oldest_s and use.keep_s < now_s:
            gone.append(file)
        elif use.rank is not None:
            ranked.append((use.rank, use.at_s, file))
    total = sum(file.size for file in files) - sum(file.size for file in gone)
    if total > budget:
        for _, _, file in sorted(ranked, key=lambda one: one[:2]):
            gone.append(file)
            total -= file.size
            if total <= ROOM * budget:
                break
    return gone


class Retention:
    """Looks now and then what may go, in a thread of its own."""

    def __init__(self, matches: Matches, config: Config) -> None:
        self.stored = Stored()
        self._matches, self._config = matches, config
        self._media = Media(matches.store.media)
        self._boards, self._sightings = BoardTables(matches.store), SightingTable(matches.store)
        self._end, self._turn = threading.Event(), threading.Lock()
        self._swept_s = 0.0
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)

    def set(self, config: Config) -> None:
        """Take other settings; they hold from the next look on."""
        self._config = config

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def look(self, now_s: float | None = None) -> list[str]:
        """Let go what may go, and give the names."""
        with self._turn:
            now_s = time.time() if now_s is None else now_s
            media = self._config.media
            budget = round(media.budget_gb * 1e9)
            files = list(_files(self._media))
            total = sum(file.size for file in files)
            gone: list[File] = []
            if total > budget or now_s - self._swept_s >= SWEEP_S:
                self._swept_s = now_s
                gone = leaving(files, self._uses(), now_s=now_s, budget=budget, days=media.days or None)
            self._forget({file.name for file in gone})
            left = [*self._left_behind(now_s), *self._sessions(now_s)]
            for path in [*(file.path for file in gone), *left]:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            self.stored = Stored(bytes=total - sum(file.size for file in gone), budget=budget)
            if gone:
                log.info("%d pictures and clips went, %.1f GB are left", len(gone), (self.stored.bytes or 0) / 1e9)
            if (self.stored.bytes or 0) > budget:
                log.warning(
                    "pictures and clips take %.1f GB, more than the %g GB of the settings: a person has still to "
                    "look at all of them",
                    (self.stored.bytes or 0) / 1e9,
                    media.budget_gb,
                )
            return [file.name for file in gone]

    def _run(self) -> None:
        wait_s = FIRST_S
        while not self._end.wait(wait_s):
            wait_s = LOOK_S
            try:
                self.look()
            except Exception:
                log.exception("what of the pictures and clips may go could not be looked at")

    def _uses(self) -> dict[str, Use]:
        """Give the most important use of each name: one dart's picture after it is the next one's before it."""
        found: dict[str, Use] = {}
        for match_id in self._matches.store.ids():
            try:
                settled = settled_of(self._matches, match_id)
                teaching = {one.id for one in self._labels(match_id)}
            except ScoresheetError:  # nobody can look at it now, so nothing of it goes
                settled, teaching = None, set()
            for row in self._sightings.of(match_id=match_id):
                state = "open" if settled is None else state_of(row, settled)
                for word, name in row.pictures.items():
                    kind = "clip" if word == "clip" else "picture"
                    use = _use(kind, state, row.at)
                    if row.id in teaching and kind == "picture" and use.rank is not None:
                        days = self._config.labels.days
                        use = replace(_use(kind, "example", row.at), keep_s=use.at_s + days * 24 * 3600)
                    found[name] = _more(found.get(name), use)
        for name in self._boards.named_pictures():
            found[name] = Use(rank=None, at_s=0.0)
        return found

    def _labels(self, match_id: str) -> list[Label]:
        return labels_of(self._matches, self._config.labels, Wanted(match=match_id))

    def _left_behind(self, now_s: float) -> list[Path]:
        """Give what processes that were killed had begun to write."""
        found = []
        for path in self._media.unfinished():
            with suppress(OSError):
                found += [path] if path.stat().st_mtime < now_s - LOOSE_S else []
        return found

    def _sessions(self, now_s: float) -> list[Path]:
        """Give the whole sessions of cameras that go: those too old, the oldest while all take too much."""
        media = self._config.media
        running = {str(one.id) for one in self._boards.watchings(running=True)}
        oldest_s = now_s - media.days * 24 * 3600 if media.days else 0.0
        files = sorted(_found(self._matches.store.folder.joinpath(SESSIONS).glob("*")), key=lambda one: one.at_s)
        total, gone = sum(file.size for file in files), []
        for file in files:
            if file.name not in running and (file.at_s < oldest_s or total > media.session_bytes):
                gone.append(file.path)
                total -= file.size
        return gone

    def _forget(self, names: Collection[str]) -> None:
        """Take names out of the sightings that show them, before the files go."""
        if names:
            with self._matches.store.writing() as db:
                forget_pictures(db, names)


def state_of(row: SightingRow, settled: set[int]) -> str:
    """Say how a sighting stands with people: `open`, `undoubted`, `confirmed` or `corrected`."""
    if is_open(row, settled) and (row.codes or row.state in ("waiting", "held")):
        return "open"
    match row.decision:
        case "correct" | "strike":
            return "corrected"
        case "accept":
            return "confirmed"
    return "confirmed" if row.codes else "undoubted"


def _more(one: Use | None, other: Use) -> Use:
    """Give the use that keeps a name longer."""
    if one is None:
        return other
    if one.rank is None or other.rank is None:
        return Use(rank=None, at_s=max(one.at_s, other.at_s))
    return Use(
        rank=max(one.rank, other.rank), at_s=max(one.at_s, other.at_s), keep_s=max(one.keep_s, other.keep_s)
    )


def _use(kind: str, state: str, at: str) -> Use:
    return Use(rank=None if state == "open" else ORDER.index((kind, state)), at_s=_seconds(at))


def _files(media: Media) -> Iterator[File]:
    return _found(media.all())


def _found(paths: Iterable[Path]) -> Iterator[File]:
    for path in paths:
        with suppress(OSError):
            state = path.stat()
            yield File(name=path.stem, path=path, size=state.st_size, at_s=state.st_mtime)


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0
