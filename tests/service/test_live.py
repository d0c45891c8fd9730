"""A recording watched beside a match: what it writes, and that people always have the last word."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from support.service import amend, opened, played, record, throw

from service.evidence import SHOWN_PX, close_up
from service.live import Reader, Scribbled, Watcher
from service.matches import Matches
from service.media import Media
from service.store import Beside, Once, Seen
from vision.events import Event
from vision.failure import Failure
from vision.frames import Frame

Values: TypeAlias = Sequence[tuple[Mapping[str, Any], Seen | None]]


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    with opened(tmp_path) as found:
        yield found


def frame(t_ms: int = 0) -> Frame:
    """Draw a picture whose left half is white."""
    picture = np.zeros((360, 640, 3), np.uint8)
    picture[:, :320] = 255
    return Frame(0, t_ms, bgr=picture)


def thrown(segment: str, t_ms: int, *codes: str, pictures: bool = False) -> Event:
    """Give a throw as it is seen."""
    data = {
        "segment": segment,
        "xy_mm": [1.0, 103.0],
        "confidence": 0.9,
        "alternatives": ["S20"],
        "tip_px": [320.0, 180.0],
        "review": [{"code": code} for code in codes],
    }
    shown = {"before": frame(t_ms), "after": frame(t_ms)} if pictures else {}
    return Event(kind="throw", t_ms=t_ms, frame=t_ms // 40, end_frame=t_ms // 40 + 5, data=data, **shown)


def takeout(t_ms: int, darts: int = 3) -> Event:
    """Give the end of a visit as it is seen."""
    data = {"darts": darts, "bounced_out": 0, "pulled": darts, "review": []}
    return Event(kind="takeout", t_ms=t_ms, frame=1, end_frame=2, data=data)


def reads(events: Sequence[Event | Failure]) -> Reader:
    """Give a reader that sees these, whatever the frames."""

    def read(frames: Iterator[Frame | Failure]) -> Iterator[Event | Failure]:
        list(frames)
        yield from events

    return read


def watch(
    matches: Matches, match_id: str, *events: Event | Failure, wrote: Callable[[Scribbled], None] | None = None
) -> Watcher:
    """Watch to the end."""
    watcher = Watcher(matches, match_id, [frame()], reads(events), source="a test", realtime=False, wrote=wrote)
    watcher.run()
    return watcher


VISIT = (thrown("T20", 1000), thrown("S20", 2000, "NEAR_WIRE"), thrown("S5", 3000))


def test_a_visit_becomes_entries_with_what_was_seen_of_each(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])
    watch(matches, match_id, *VISIT, takeout(4000))
    view = matches.view(match_id)
    assert [entry["action"]["kind"] for entry in view["entries"]] == ["throw"] * 3 + ["end_turn"]
    assert (view["result"]["scores"], view["result"]["turn"]) == ([20, 0], 1)
    assert [bool(step["seen"]["review"]) for step in view["history"]] == [False, True, False, False]
    assert view["history"][0]["seen"]["xy_mm"] == [1.0, 103.0]
    assert all(entry["by"] == "camera" for entry in view["entries"])
    assert view["live"] == {"source": "a test", "phase": "ended", "t_ms": 4000, "done": True}


def test_darts_nobody_saw_are_misses_that_ask_for_a_look(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])
    watch(matches, match_id, thrown("T20", 1000), takeout(4000, darts=1))
    steps = matches.view(match_id)["history"]
    assert [step["action"].get("segment") for step in steps] == ["T20", "MISS", "MISS", None]
    codes = [[item["code"] for item in step["seen"]["review"]] for step in steps]
    assert codes == [[], ["FILLED_WITH_MISS"], ["FILLED_WITH_MISS"], []]


def test_the_match_is_the_truth_not_the_watcher(matches: Matches) -> None:
    match_id = played(matches, "T20 S20 S5", "T19")
    watch(matches, match_id, thrown("S19", 9000), thrown("S3", 9500), takeout(9900))
    view = matches.view(match_id)
    assert [entry["action"]["side"] for entry in view["entries"][5:]] == [1, 1, 1]
    assert (view["result"]["scores"], view["result"]["turn"]) == ([20, 19], 0)


def test_a_dart_that_a_person_added_meanwhile_counts_among_the_three(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])

    def add(written: Scribbled) -> None:
        if written.ids == (1,):
            matches.append(match_id, 1, [(record(throw(0, "S1", 1500), "player"), None)])

    watch(matches, match_id, thrown("T20", 1000), thrown("S20", 2000), takeout(4000, darts=2), wrote=add)
    darts = [entry["action"].get("segment") for entry in matches.view(match_id)["entries"]]
    assert darts == ["T20", "S1", "S20", None]


def test_a_correction_in_between_stands(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])

    def fix(written: Scribbled) -> None:
        if written.ids == (2,):
            matches.append(match_id, 2, [(amend(2, throw(0, "T20", 2000)), None)])

    watch(matches, match_id, *VISIT, takeout(4000), wrote=fix)
    view = matches.view(match_id)
    assert view["result"]["scores"] == [60, 0]
    assert view["result"]["conflict"] is None


class Crowded(Matches):
    """Matches where somebody is quicker than the first to write."""

    quicker: bool = True

    def append(
        self,
        match_id: str,
        expected_seq: int,
        values: Values,
        once: Once | None = None,
        beside: Beside | None = None,
    ) -> tuple[int, ...]:
        """Let the other one go first."""
        if self.quicker:
            self.quicker = False
            super().append(match_id, expected_seq, [(record(throw(0, "S1", 500), "player"), None)])
        return super().append(match_id, expected_seq, values, once, beside)


def test_someone_who_writes_at_the_same_moment_is_waited_for(tmp_path: Path) -> None:
    with opened(tmp_path) as found:
        matches = Crowded(found.store)
        match_id = matches.create("cricket", ["Ann", "Ben"])
        watch(matches, match_id, *VISIT[:2], takeout(4000, darts=2))
        darts = [entry["action"].get("segment") for entry in matches.view(match_id)["entries"]]
    assert darts == ["S1", "T20", "S20", None]


def test_after_the_end_nothing_is_written(matches: Matches) -> None:
    sheet = ["T20 T19 T18", "T20 T19 T18", "T17 T16 T15", "T17 T16 T15", "T14 T13 T12", "T14 T13 T12"]
    match_id = played(matches, *sheet, "T11 MISS MISS", "T11 MISS MISS")
    assert matches.view(match_id)["result"]["over"]
    before = matches.view(match_id)["seq"]
    watch(matches, match_id, thrown("T20", 99000))
    assert matches.view(match_id)["seq"] == before


def test_a_broken_source_is_told_and_the_match_stays(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])
    watcher = watch(matches, match_id, thrown("T20", 1000), Failure("BROKEN_OFF", "The file breaks off at 0:07."))
    live = matches.view(match_id)["live"]
    assert (live["phase"], live["done"], live["message"]) == ("BROKEN_OFF", True, "The file breaks off at 0:07.")
    assert watcher.failure == Failure("BROKEN_OFF", "The file breaks off at 0:07.")
    assert matches.view(match_id)["seq"] == 1


def test_a_fault_in_the_eyes_leaves_the_service_alone(matches: Matches, caplog: pytest.LogCaptureFixture) -> None:
    def blind(frames: Iterator[Frame | Failure]) -> Iterator[Event | Failure]:
        list(frames)
        yield thrown("T20", 1)
        raise ZeroDivisionError

    match_id = matches.create("cricket", ["Ann", "Ben"])
    Watcher(matches, match_id, [frame()], blind, source="a test", realtime=False).run()
    live = matches.view(match_id)["live"]
    assert (live["phase"], live["done"]) == ("FAULT", True)
    matches.append(match_id, 1, [(record(throw(0, "T20", 1)), None)])
    assert "fault" in caplog.text


def test_pictures_of_the_tip_are_kept_and_named_by_the_entry(matches: Matches) -> None:
    match_id = matches.create("cricket", ["Ann", "Ben"])
    watch(matches, match_id, thrown("T20", 1000, pictures=True))
    view = matches.view(match_id)
    names = view["history"][0]["seen"]["pictures"]
    assert view["entries"][0]["evidence"] == list(names.values())
    path = Media(matches.store.media).find(names["after"])
    assert path is not None
    assert path.read_bytes()[:3] == b"\xff\xd8\xff"


def test_a_close_up_has_the_tip_in_its_middle() -> None:
    import cv2  # noqa: PLC0415

    square = cv2.imdecode(np.frombuffer(close_up(frame(), (320.0, 180.0)), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert square is not None
    assert square.shape == (SHOWN_PX, SHOWN_PX)
    middle = SHOWN_PX // 2
    assert square[middle, middle - 12] > 240
    assert square[middle, middle + 12] < 15


def test_at_real_speed_frames_wait_for_their_time_and_a_stop_is_heard(matches: Matches) -> None:
    seen: list[int] = []

    def read(frames: Iterator[Frame | Failure]) -> Iterator[Event | Failure]:
        seen.extend(one.t_ms for one in frames if isinstance(one, Frame))
        yield from ()

    match_id = matches.create("cricket", ["Ann", "Ben"])
    build = partial(Watcher, matches, match_id, source="a test", realtime=True)
    watcher = build([frame(0), frame(60_000)], read)
    watcher.start()
    watcher.stop(5)
    assert seen in ([], [0])


def test_media_names_are_no_paths(tmp_path: Path) -> None:
    media = Media(tmp_path / "media")
    (tmp_path / "secret.jpg").write_bytes(b"x")
    name = media.keep(b"picture")
    assert media.keep(b"picture") == name
    assert media.find("../secret") is None
    assert media.find("0" * 64) is None
    assert len(list((tmp_path / "media").rglob("*.jpg"))) == 1
    assert not list((tmp_path / "media").rglob("*.part*"))


def test_what_is_made_lasting_later_is_there_at_once_and_put_right_if_it_broke(tmp_path: Path) -> None:
    media = Media(tmp_path / "media")
    name = media.keep(b"picture", lasting=False)
    path = media.find(name)
    assert path is not None
    assert path.read_bytes() == b"picture"
    media.make_lasting([name, "0" * 64])
    path.write_bytes(b"")
    assert media.keep(b"picture") == name
    assert path.read_bytes() == b"picture"
