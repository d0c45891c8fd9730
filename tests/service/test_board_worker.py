"""A board's process on drawn scenes: what it says, and how it goes on where another one ended."""

import io
import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import av
from support.dart_scenes import RATE, Moment, frames, held, setup, visit

from service.boards.filming import Film, film
from service.boards.framing import Ended, Said, receive, send
from service.boards.lying import lying_now
from service.boards.worker import Job, Opener, Source, Worker
from vision.failure import Failure
from vision.frames import Frame
from vision.sources.grab import Grab, as_jpeg
from vision.sources.live import Kept

TIPS = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))
JOB = Job(
    source="a drawing",
    pace="fast",
    setup=setup(),
    lying=None,
    done=0,
    at_ms=0,
    resume=(0, 0, 0),
    rest=None,
)


@dataclass(frozen=True)
class Drawn:
    """A source of drawn frames."""

    shown: Sequence[Moment]
    live: bool = False
    trouble: Failure | None = None
    note: Failure | None = None
    kept: Kept | None = None

    def __iter__(self) -> Iterator[Frame | Failure]:
        """Give the frames."""
        for frame in frames(self.shown):
            if self.kept is not None:
                self.kept(as_jpeg(Grab(at_ns=0, bgr=frame.bgr())), frame)
            yield frame


def opener(source: Drawn | Failure) -> Opener:
    """Give what opens a source that is there already."""

    def opened(_text: str, *, kept: Kept | None) -> Source | Failure:
        return source if isinstance(source, Failure) else replace(source, kept=kept)

    return opened


def says(job: Job, source: Drawn | Failure, asks: Iterable[str] = ()) -> list[Said]:
    """Give all that a worker says of a job, beats aside."""
    asked, to = os.pipe()
    coming, out = os.pipe()
    heard: list[Said] = []

    def hear() -> None:
        try:
            while True:
                heard.append(receive(coming))
        except Ended:
            pass

    for ask in asks:
        send(to, {"ask": ask})
    listener = threading.Thread(target=hear)
    listener.start()
    Worker(asked, out, job, opener(source), gone=lambda: None).run()
    os.close(to)
    os.close(out)
    listener.join()
    os.close(coming)
    os.close(asked)
    return [said for said in heard if said.head["say"] != "beat"]


def events(said: Iterable[Said]) -> list[dict[str, Any]]:
    return [json.loads(one.head["line"]) for one in said if one.head["say"] == "event"]


def test_each_event_comes_whole_with_the_pictures_that_show_it() -> None:
    said = says(JOB, Drawn(visit(TIPS)))
    assert [one.head["say"] for one in said] == ["opened", *["event"] * 4, "ended"]
    assert [event["event"] for event in events(said)] == ["throw"] * 3 + ["takeout"]
    assert [one.head["number"] for one in said[1:-1]] == [1, 2, 3, 4]
    assert set(said[1].parts) == {"before", "after", "before_whole", "after_whole"}
    assert all(data.startswith(b"\xff\xd8\xff") for data in said[1].parts.values())


def test_of_a_recording_that_was_watched_before_only_the_rest_is_told() -> None:
    whole = says(JOB, Drawn(visit(TIPS)))
    later = says(replace(JOB, done=2), Drawn(visit(TIPS)))
    assert events(later) == events(whole)[2:]
    assert [one.head["number"] for one in later[1:-1]] == [3, 4]


def test_a_camera_goes_on_from_the_picture_at_rest_and_asks_about_what_came_meanwhile() -> None:
    one, two, three = (Moment(darts_mm=TIPS[:count]) for count in (1, 2, 3))
    first = says(JOB, Drawn([*held(Moment(), 1), *held(one, 1)], live=True))
    (thrown,) = events(first)
    rest = first[1].parts["rest"]
    assert rest.startswith(b"BM")
    again = replace(
        JOB,
        done=1,
        lying=lying_now("cricket", None, [thrown]),
        resume=(thrown["end_frame"], 1500, 4000),
        rest=rest,
    )
    said = says(again, Drawn([*held(two, 1), *held(three, 1)], live=True))
    numbers = [one.head["number"] for one in said if one.head["say"] == "event"]
    assert numbers == list(range(2, 2 + len(numbers)))
    throws = [event for event in events(said) if event["event"] == "throw"]
    assert [event["segment"] for event in throws] == ["S7", "S13"]
    meanwhile, seen = throws
    assert {"code": "AFTER_A_GAP"} in meanwhile["review"]
    assert {"code": "AFTER_A_GAP"} not in seen["review"]
    assert seen["t_ms"] == 4000 + 1000
    assert seen["frame"] == thrown["end_frame"] + 1 + RATE


def test_a_board_that_is_as_it_was_asks_nobody() -> None:
    one = Moment(darts_mm=TIPS[:1])
    first = says(JOB, Drawn([*held(Moment(), 1), *held(one, 1)], live=True))
    (thrown,) = events(first)
    again = replace(
        JOB,
        done=1,
        lying=lying_now("cricket", None, [thrown]),
        resume=(thrown["end_frame"], 1500, 1800),
        rest=first[1].parts["rest"],
    )
    said = says(again, Drawn(held(one, 2), live=True))
    assert [event for event in events(said) if event["event"] != "camera_stalled"] == []


def test_the_clip_of_each_event_of_a_camera_follows_it_in_the_camera_s_own_pictures(tmp_path: Path) -> None:
    job = replace(JOB, clips=tmp_path / "cutting", resume=(0, 0, 4000))
    said = says(job, Drawn([*visit(TIPS), *held(Moment(), 1)], live=True))
    told = [one.head["number"] for one in said if one.head["say"] == "event"]
    clips = {one.head["number"]: one for one in said if one.head["say"] == "clip"}
    assert (told, sorted(clips)) == ([1, 2, 3, 4], [1, 2, 3, 4])
    first = events(said)[0]
    assert first["t_ms"] > 4000, "a camera that was watched before goes on in the time of the match"
    for number, one in clips.items():
        assert one.head["suffix"] == ".mkv"
        at = said.index(one)
        assert any(other.head.get("number") == number for other in said[:at]), "the event first"
    shown = film(clips[1].parts["clip"])
    assert isinstance(shown, Film)
    with av.open(io.BytesIO(shown.data), "r") as video:
        assert video.streams.video[0].codec_context.name in ("h264", "vp8")
        times = [frame.time for frame in video.decode(video=0)]
    assert times[0] == 0
    assert times[-1] is not None
    assert 1.0 < times[-1] < 4.0
    assert list((tmp_path / "cutting").iterdir()) == []


def test_a_recording_and_a_board_that_is_only_looked_at_make_no_clips(tmp_path: Path) -> None:
    for job, source in (
        (replace(JOB, clips=None), Drawn(visit(TIPS), live=True)),
        (replace(JOB, clips=tmp_path / "cutting", setup=None), Drawn(visit(TIPS), live=True)),
    ):
        assert [one for one in says(job, source) if one.head["say"] == "clip"] == []
    assert not (tmp_path / "cutting").exists()


def test_what_cannot_be_shown_is_no_film() -> None:
    found = film(b"no film at all")
    assert isinstance(found, Failure)
    assert found.code == "NO_CLIPS"


def test_what_is_settled_after_the_last_picture_is_reading_and_no_waiting_for_a_camera() -> None:
    coming, out = os.pipe()
    asked, to = os.pipe()
    worker = Worker(asked, out, JOB, opener(Drawn(held(Moment(), 1))), gone=lambda: None)
    list(worker._frames(Drawn(held(Moment(), 1))))
    assert worker._doing.what == "reading"
    for end in (coming, out, asked, to):
        os.close(end)


def test_a_source_that_cannot_be_opened_is_said() -> None:
    (said,) = says(JOB, Failure("NO_CAMERA", "There is none."))
    assert said.head == {"say": "failed", "code": "NO_CAMERA", "message": "There is none."}


def test_without_a_setup_it_only_looks() -> None:
    said = says(replace(JOB, setup=None), Drawn(visit(TIPS)), asks=["picture"])
    kinds = [one.head["say"] for one in said]
    assert kinds.count("picture") == 1
    assert "event" not in kinds


def test_what_lies_is_what_was_thrown_since_the_last_takeout() -> None:
    throw = {"event": "throw", "xy_mm": [1.0, 2.0]}
    other = {"event": "throw", "xy_mm": [3.0, 4.0]}
    takeout = {"event": "takeout"}
    assert lying_now("cricket", None, []) is None
    assert lying_now("cricket", None, [throw, takeout, other]) == {"darts": [{"xy_mm": [3.0, 4.0]}]}
    fell = {"event": "dart_fell", "dart": 0}
    assert lying_now("cricket", None, [throw, other, fell]) == {"darts": [{"xy_mm": [3.0, 4.0]}]}
    assert lying_now("cricket", {"darts": [{"tip_px": [5, 6]}]}, [throw]) == {
        "darts": [{"tip_px": [5, 6]}, {"xy_mm": [1.0, 2.0]}]
    }


def test_pins_stand_where_they_stood_or_fell() -> None:
    shot = {"event": "shot", "pins": {"7": {"xy_cm": [96.0, 20.0]}, "9": {"xy_cm": None}}}
    start = {"pins": {"7": [95.0, 30.0], "9": [95.0, 24.5]}}
    assert lying_now("finn", start, [shot]) == {"pins": {"7": [96.0, 20.0], "9": [95.0, 24.5]}}
    assert lying_now("finn", None, []) is None
    assert lying_now("astrolabe", {"x": 1}, [shot]) is None
