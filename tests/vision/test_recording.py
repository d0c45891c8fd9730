import os
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from support.dart_scenes import Moment, frames, held, setup, visit
from support.video_files import cut_to, write_frames

from engine import result
from vision.clips import Stretch, cut_clips
from vision.failure import Failure
from vision.frames import Frame, FrameSource, open_frames
from vision.recording import Kept, Source, folder_written_whole, keep, read_events, read_match, read_source

TIPS = ((10.0, 103.0), (-40.0, -60.0), (80.0, 20.0))
SIDES = ("Ann", "Ben")
FPS = 10


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A visit, as H.264 with a key frame every second."""
    folder = tmp_path_factory.mktemp("video")
    return write_frames(folder / "visit.mp4", frames(visit(TIPS, FPS), fps=FPS), fps=FPS)


def kept(video: Path, folder: Path, *, media: bool = True, keep_good: bool = False) -> Kept | Failure:
    source = open_frames(video)
    assert isinstance(source, FrameSource)
    folder.mkdir(parents=True)
    return keep(source, Source(path=video, setup=setup()), folder, SIDES, media=media, keep_good=keep_good)


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_a_recording_is_kept_with_all_that_shows_it(video: Path, tmp_path: Path) -> None:
    written = kept(video, tmp_path / "out")
    assert isinstance(written, Kept)
    assert not written.warnings
    names = set(contents(tmp_path / "out"))
    assert {"match.jsonl", "events.jsonl", "recording.json"} < names
    stems = ["0000-throw", "0001-throw", "0002-throw", "0003-takeout"]
    assert names >= {f"clips/{stem}.mp4" for stem in stems}
    assert names >= {f"frames/{stem}-{word}.jpg" for stem in stems for word in ("before", "after")}
    assert read_events(tmp_path / "out") == written.events
    assert read_match(tmp_path / "out") == written.sheet
    assert result(written.sheet)["state"]["hits"][0]["20"] == 3
    assert written.sheet.entries[0].evidence is not None
    assert all((tmp_path / "out" / str(name)).is_file() for name in written.sheet.entries[0].evidence)


def test_the_same_video_gives_the_same_files_byte_for_byte(video: Path, tmp_path: Path) -> None:
    for name in ("one", "deeper/two"):
        assert kept(video, tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "deeper/two")


def test_without_media_there_are_only_the_sheets(video: Path, tmp_path: Path) -> None:
    assert kept(video, tmp_path / "out", media=False)
    assert set(contents(tmp_path / "out")) == {"match.jsonl", "events.jsonl", "recording.json"}


def test_a_kept_recording_says_how_it_was_replayed(video: Path, tmp_path: Path) -> None:
    assert kept(video, tmp_path / "out", media=False)
    assert read_source(tmp_path / "out", video) == Source(path=video, setup=setup())
    (tmp_path / "out/recording.json").write_text("{}")
    assert isinstance(read_source(tmp_path / "out", video), Failure)


def test_a_damaged_video_is_a_failure_unless_its_good_part_is_wanted(tmp_path: Path) -> None:
    whole = write_frames(tmp_path / "whole.mkv", frames(visit(TIPS, FPS), fps=FPS), fps=FPS)
    cut = cut_to(whole, 0.5, tmp_path / "cut.mkv")
    failure = kept(cut, tmp_path / "refused")
    assert isinstance(failure, Failure)
    assert failure.code == "DAMAGED_VIDEO"
    written = kept(cut, tmp_path / "good", keep_good=True)
    assert isinstance(written, Kept)
    assert len(written.warnings) == 1
    assert "damaged" in written.warnings[0]
    assert [event.kind for event in written.events][:1] == ["throw"]


def test_clips_hold_the_very_frames_of_the_video(video: Path, tmp_path: Path) -> None:
    whole = [frame.luma().tobytes() for frame in opened(video)]
    stretches = [Stretch(name="a", from_ms=2100, to_ms=2400), Stretch(name="b", from_ms=2300, to_ms=4000)]
    clips = cut_clips(video, stretches, tmp_path / "clips")
    assert isinstance(clips, dict)
    for stretch in stretches:
        shown = [frame.luma().tobytes() for frame in opened(clips[stretch.name])]
        start = whole.index(shown[0])
        assert whole[start : start + len(shown)] == shown
        assert start * 100 <= stretch.from_ms - 1000 < (start + 10) * 100
        assert (start + len(shown) - 1) * 100 >= stretch.to_ms
        assert (start + len(shown) - 1) * 100 <= stretch.to_ms + 1300


def test_a_clip_up_to_the_end_of_the_video_is_finished(video: Path, tmp_path: Path) -> None:
    clips = cut_clips(video, [Stretch(name="end", from_ms=6000, to_ms=60_000)], tmp_path / "clips")
    assert isinstance(clips, dict)
    assert opened(clips["end"])[-1].luma().tobytes() == opened(video)[-1].luma().tobytes()


@pytest.mark.long
def test_clips_do_not_grow_without_bound(tmp_path: Path) -> None:
    still = write_frames(tmp_path / "still.mp4", frames(held(Moment(), 50, 4), fps=4), fps=4)
    clips = cut_clips(still, [Stretch(name="long", from_ms=2000, to_ms=49_000)], tmp_path / "clips")
    assert isinstance(clips, dict)
    assert opened(clips["long"])[-1].t_ms < 34_000


@pytest.mark.parametrize(
    ("name", "codec", "pixels"), [("a.avi", "mjpeg", "yuvj420p"), ("a.avi", "mpeg4", "yuv420p")]
)
def test_clips_of_other_codecs_can_be_decoded(tmp_path: Path, name: str, codec: str, pixels: str) -> None:
    from support.video_files import pictures, write_video  # noqa: PLC0415

    path = write_video(tmp_path / name, pictures(20), codec=codec, pixels=pixels)
    clips = cut_clips(path, [Stretch(name="c", from_ms=1100, to_ms=1200)], tmp_path / "clips")
    assert isinstance(clips, dict)
    assert len(opened(clips["c"])) > 3
    with av.open(str(clips["c"])) as container:
        assert container.streams.video[0].codec_context.name == codec


def opened(path: Path) -> list[Frame]:
    source = open_frames(path)
    assert isinstance(source, FrameSource)
    found = list(source)
    assert all(isinstance(frame, Frame) for frame in found), found[-1]
    return [frame for frame in found if isinstance(frame, Frame)]


def written_in(target: Path, names: Iterator[str]) -> None:
    with folder_written_whole(target) as folder:
        for name in names:
            (folder / name).write_text("x")


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    written_in(tmp_path / "new/out", iter(["a", "b"]))
    assert set(contents(tmp_path / "new/out")) == {"a", "b"}
    assert (tmp_path / "new/out").stat().st_mode & 0o777 == 0o777 & ~mask()
    assert os.listdir(tmp_path / "new") == ["out"]  # noqa: PTH208 - hidden ones count


def test_an_empty_folder_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    written_in(tmp_path / "out", iter(["a"]))
    assert set(contents(tmp_path / "out")) == {"a"}


def test_nothing_is_left_of_a_folder_that_was_not_finished(tmp_path: Path) -> None:
    def names() -> Iterator[str]:
        yield "a"
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        written_in(tmp_path / "out", names())
    assert not os.listdir(tmp_path)  # noqa: PTH208


@pytest.mark.parametrize("there", ["file", "folder"])
def test_what_is_there_already_is_never_touched(tmp_path: Path, there: str) -> None:
    target = tmp_path / "out"
    if there == "folder":
        target.mkdir()
    mine = target / "mine" if there == "folder" else target
    mine.write_text("mine")
    with pytest.raises(FileExistsError, match="not empty"):
        written_in(target, iter(["a"]))
    assert mine.read_text() == "mine"


def mask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def test_pictures_are_those_that_were_read(video: Path, tmp_path: Path) -> None:
    import cv2  # noqa: PLC0415

    assert kept(video, tmp_path / "out")
    before, after = (
        cv2.imread(str(tmp_path / f"out/frames/0000-throw-{word}.jpg")) for word in ("before", "after")
    )
    assert before is not None
    assert after is not None
    assert np.abs(before.astype(int) - after).max() > 60
    assert before.shape == (480, 640, 3)
