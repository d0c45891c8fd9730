"""What of pictures and clips goes: never what is still to be looked at, of the rest what nobody misses first."""

import logging
import os
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.service import UMPIRE, opened

from service.api import create_app
from service.config import Config, parse_config
from service.matches import Matches
from service.media import Media
from service.retention import LOOSE_S, ORDER, SWEEP_S, File, Retention, Use, leaving
from service.reviews import Reviews
from service.sightings import Sightings
from service.store import SightingTable
from vision.events import Event

DAY_S = 24 * 3600.0
NOW_S = 1e9


def file(name: str, size: int = 10, days_ago: float = 2.0) -> File:
    """Give a file of the folder."""
    return File(name=name, path=Path(name), size=size, at_s=NOW_S - days_ago * DAY_S)


def use(kind: str, state: str, days_ago: float = 2.0) -> Use:
    """Give a use of a file."""
    rank = None if state == "open" else ORDER.index((kind, state))
    return Use(rank=rank, at_s=NOW_S - days_ago * DAY_S)


def names(files: list[File]) -> list[str]:
    return [one.name for one in files]


USES = {
    "open clip": use("clip", "open", 900),
    "open picture": use("picture", "open", 900),
    "corrected picture": use("picture", "corrected", 800),
    "corrected clip": use("clip", "corrected", 700),
    "confirmed picture": use("picture", "confirmed", 600),
    "plain picture": use("picture", "undoubted", 500),
    "confirmed clip": use("clip", "confirmed", 400),
    "plain clip": use("clip", "undoubted", 300),
    "older plain clip": use("clip", "undoubted", 301),
}


@pytest.mark.parametrize(
    ("budget", "gone"),
    [
        (90, []),
        (89, ["older plain clip"]),
        (70, ["older plain clip", "plain clip", "confirmed clip"]),
        (60, ["older plain clip", "plain clip", "confirmed clip", "plain picture"]),
        (
            1,
            [
                "older plain clip",
                "plain clip",
                "confirmed clip",
                "plain picture",
                "confirmed picture",
                "corrected clip",
                "corrected picture",
            ],
        ),
    ],
)
def test_what_nobody_misses_goes_first_and_what_is_to_be_looked_at_never(budget: int, gone: list[str]) -> None:
    files = [file(name) for name in USES]
    assert names(leaving(files, USES, now_s=NOW_S, budget=budget, days=None)) == gone


def test_what_is_older_than_people_want_goes_whatever_room_there_is() -> None:
    files = [file(name) for name in USES]
    gone = leaving(files, USES, now_s=NOW_S, budget=1000, days=450)
    assert set(names(gone)) == {"plain picture", "confirmed picture", "corrected clip", "corrected picture"}


def test_what_nothing_names_goes_after_a_day() -> None:
    fresh = file("fresh", days_ago=0.9 * LOOSE_S / DAY_S)
    old = file("old", days_ago=1.1 * LOOSE_S / DAY_S)
    assert leaving([fresh, old], {}, now_s=NOW_S, budget=1000, days=None) == [old]


# With a store


class Seen:
    """A match whose doubtful and clear darts have pictures and clips of a kilobyte each."""

    def __init__(self, matches: Matches) -> None:
        self.matches, self.media = matches, Media(matches.store.media)
        self.sightings = Sightings(matches)
        self.match_id = matches.create("cricket", ["Ann", "Ben"])
        self.number = 0

    def throws(self, *codes: str, shared: str | None = None) -> dict[str, str]:
        """See a dart; `shared` is the name of a picture that the one before had too."""
        self.number += 1
        pictures = {
            "before_whole": shared or self.media.keep(os.urandom(1000)),
            "after_whole": self.media.keep(os.urandom(1000)),
            "clip": self.media.keep(os.urandom(1000), ".mkv"),
        }
        data = {"segment": "S5", "xy_mm": [1.0, 2.0], "review": [{"code": code} for code in codes]}
        event = Event(kind="throw", t_ms=self.number * 1000, frame=self.number, end_frame=self.number, data=data)
        self.sightings.take(self.match_id, self.number, event, pictures)
        return pictures

    def there(self, pictures: dict[str, str]) -> set[str]:
        """Give the words of those that are still there."""
        return {word for word, name in pictures.items() if self.media.find(name) is not None}


def config(text: str) -> Config:
    return parse_config(f"[media]\n{text}\n")


def budget(*, of: float) -> Config:
    """Give settings that leave room for so many files of a kilobyte."""
    settings = Config()
    media = settings.media.model_copy(update={"budget_gb": of * 1000 / 1e9})
    return settings.model_copy(update={"media": media})


ALL = {"before_whole", "after_whole", "clip"}


def test_a_clip_goes_before_a_picture_and_the_sightings_say_what_is_left(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        seen = Seen(matches)
        clear, doubted = seen.throws(), seen.throws("ON_A_WIRE")
        retention = Retention(matches, budget(of=5.4))
        assert retention.look() == [clear["clip"]]
        assert (seen.there(clear), seen.there(doubted)) == (ALL - {"clip"}, ALL)
        first, second = SightingTable(matches.store).of(match_id=seen.match_id)
        assert set(first.pictures) == ALL - {"clip"}
        assert set(second.pictures) == ALL
        assert not seen.sightings.has_clip(first)
        assert retention.stored.bytes == 5000
        assert retention.look() == []


def test_a_picture_that_a_doubt_needs_stays_though_another_dart_shows_it_too(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        seen = Seen(matches)
        clear = seen.throws()
        doubted = seen.throws("ON_A_WIRE", shared=clear["after_whole"])
        Retention(matches, budget(of=1)).look()
        assert seen.there(clear) == {"after_whole"}
        assert seen.there(doubted) == ALL


def test_a_doubt_that_was_decided_may_go_and_a_correction_goes_last(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        seen = Seen(matches)
        confirmed, corrected = seen.throws("ON_A_WIRE"), seen.throws("ON_A_WIRE")
        reviews = Reviews(matches, seen.sightings)
        retention = Retention(matches, budget(of=1))
        assert retention.look() == [], "both are still to be looked at"
        reviews.decide(1, "accept", UMPIRE)
        reviews.decide(2, "correct", UMPIRE, [{"kind": "throw", "segment": "S20"}])
        retention.set(budget(of=3))
        retention.look()
        assert (seen.there(confirmed), seen.there(corrected)) == (set(), ALL - {"clip"})


def test_too_much_that_is_still_to_be_looked_at_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with opened(tmp_path) as matches:
        Seen(matches).throws("ON_A_WIRE")
        with caplog.at_level(logging.WARNING):
            assert Retention(matches, budget(of=1)).look() == []
    assert "still to look at" in caplog.text


def test_days_hold_without_any_want_of_room_and_are_looked_at_now_and_then(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        seen = Seen(matches)
        clear, doubted = seen.throws(), seen.throws("ON_A_WIRE")
        retention = Retention(matches, config("days = 30"))
        begun_s = tmp_path.stat().st_mtime
        assert retention.look(begun_s) == []
        later_s = begun_s + 31 * DAY_S
        assert set(retention.look(later_s)) == set(clear.values())
        assert seen.there(doubted) == ALL
        assert retention.look(later_s + SWEEP_S / 2) == []


def test_what_a_killed_process_left_half_goes_after_a_day(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        folder = matches.store.media / "ab"
        folder.mkdir()
        half = folder / f"{'ab' * 32}.part77"
        half.write_bytes(b"half a pict")
        retention, now_s = Retention(matches, Config()), half.stat().st_mtime
        retention.look(now_s + 60)
        assert half.exists(), "another process may be writing it"
        retention.look(now_s + LOOSE_S + 60)
        assert not half.exists()


def test_the_scores_never_go(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        seen = Seen(matches)
        for _ in range(3):
            seen.throws()
        before = matches.text(seen.match_id)
        Retention(matches, budget(of=1)).look()
        assert matches.text(seen.match_id) == before
        view = matches.view(seen.match_id)
        assert view["result"]["scores"] == [0, 0]


def test_figures_say_how_much_there_was_when_it_was_last_looked(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        Seen(matches).throws()
        retention = Retention(matches, Config())
        client = TestClient(create_app(matches, retention=retention), base_url="http://127.0.0.1")
        assert "storage_media" not in client.get("/api/v1/metrics").text
        retention.look()
        lines = client.get("/api/v1/metrics").text.splitlines()
        assert "tallycam_storage_media_bytes 3000" in lines
        assert "tallycam_storage_media_budget_bytes 20000000000" in lines
