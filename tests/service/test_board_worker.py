"""A board's process on drawn scenes: what it says, and how it goes on where another one ended."""

import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from support.dart_scenes import RATE, Moment, frames, held, setup, visit

from service.boards.framing import Ended, Said, receive, send
from service.boards.lying import lying_now
from service.boards.worker import Job, Worker
from vision.failure import Failure
from vision.frames import Frame

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

    def __iter__(self) -> Iterator[Frame | Failure]:
        """Give the frames."""
        return iter(frames(self.shown))


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
    Worker(asked, out, job, lambda _text: source, gone=lambda: None).run()
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


def test_what_is_settled_after_the_last_picture_is_reading_and_no_waiting_for_a_camera() -> None:
    coming, out = os.pipe()
    asked, to = os.pipe()
    worker = Worker(asked, out, JOB, lambda _text: Drawn(held(Moment(), 1)), gone=lambda: None)
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
