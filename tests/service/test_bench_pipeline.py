"""`tallycam bench pipeline`: what it measures is there and possible; how fast is for a quiet machine."""

from pathlib import Path

import pytest
from support.dart_scenes import Moment, frames, held, setup
from support.video_files import write_frames

from service.bench.pipeline import delays, idle
from service.bench.replay import film, measure


def test_an_event_is_as_late_as_it_takes_to_settle(tmp_path: Path) -> None:
    shown = [*held(Moment(), 1, 30), *held(Moment(darts_mm=((10.0, 103.0),)), 1, 30)]
    found = delays(write_frames(tmp_path / "a.mp4", frames(shown, fps=30), fps=30), setup())
    assert found["events"] == 1
    assert 150 < found["p50_ms"] < 5000
    assert found["p50_ms"] == found["p95_ms"]


@pytest.mark.parametrize(("every_s", "events"), [(None, 0), (1, 1)])
@pytest.mark.long
def test_a_made_clip_has_the_events_it_was_made_for(tmp_path: Path, every_s: int | None, events: int) -> None:
    path, camera = film(tmp_path / "a.mp4", 2, every_s)
    found = measure(path, camera, 1)
    assert (found["frames"], found["events"]) == (60, events)


@pytest.mark.slow
def test_an_idle_camera_is_watched_at_its_rate(tmp_path: Path) -> None:
    found = idle(*film(tmp_path / "a.mp4", 4, None, 2.0))
    assert found["frames"] > 60
    assert 0 < found["cpu_ms_a_frame"] < 30
    assert found["age_p50_ms"] < 200
