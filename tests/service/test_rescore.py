"""Recordings scored again: the same whoever does it, done once, and what changed is said with its clip."""

import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

import av
import pytest
from support.dart_scenes import Moment, frames, held, setup
from support.program import tallycam
from support.video_files import write_frames

from engine import amend, format_sheet, insert, parse_sheet
from engine.cricket import Throw
from service.boards.regression import write_regression
from service.rescoring import run
from service.rescoring.found import Recording, Unusable, found_in
from service.rescoring.kept import Results
from service.rescoring.run import Outcome, Pool, rescore
from service.rescoring.work import Elsewhere, Seen, Task, marks, seen, task_of, with_parcel
from vision.failure import Failure
from vision.frames import open_frames
from vision.recording import Source, folder_written_whole, keep
from vision.setup import format_setup

FPS = 15
TIPS = ((10.0, 103.0), (-10.0, -103.0))


def recorded(folder: Path, tip: tuple[float, float]) -> Path:
    """Keep a recording of one dart, as `tallycam replay` does, with its video."""
    shown = [*held(Moment(), 1.2, FPS), *held(Moment(darts_mm=(tip,)), 3, FPS)]
    video = write_frames(folder.parent / f"{folder.name}.mp4", frames(shown, fps=FPS), fps=FPS)
    source = open_frames(video)
    assert not isinstance(source, Failure)
    with folder_written_whole(folder) as work:
        kept = keep(source, Source(path=video, setup=setup()), work, ["Ann", "Ben"])
    assert not isinstance(kept, Failure)
    video.rename(folder / "video.mp4")
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two recordings of a dart each; not to be changed."""
    top = tmp_path_factory.mktemp("kept")
    for number, tip in enumerate(TIPS):
        recorded(top / f"{number}", tip)
    return top


@pytest.fixture(scope="module")
def done(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their results, by one worker; not to be changed."""
    cache = tmp_path_factory.mktemp("done")
    outcomes = rescore(list(found_in(kept)), Results(cache), Pool(workers=1)).outcomes
    assert [type(one) for one in outcomes.values()] == [Seen, Seen]
    return cache


@pytest.fixture
def top(kept: Path, done: Path, tmp_path: Path) -> Path:
    """The recordings, free to be changed; their results lie beside in `cache`."""
    shutil.copytree(done, tmp_path / "cache")
    shutil.copytree(kept, tmp_path / "top")
    return tmp_path / "top"


def written(cache: Path) -> dict[str, bytes]:
    return {path.relative_to(cache).as_posix(): path.read_bytes() for path in cache.rglob("*.json")}


def accepted(folder: Path, *segments: str, by: str = "umpire:Cho") -> None:
    """Let a person have put the dart right, or added darts."""
    sheet = parse_sheet((folder / "match.jsonl").read_bytes())
    first, *more = segments
    t_ms = sheet.entries[0].action.t_ms  # type: ignore[union-attr]
    sheet = amend(sheet, 1, Throw(side=0, t_ms=t_ms, segment=first), by=by, reason="misread")
    for segment in more:
        sheet = insert(sheet, 1, Throw(side=0, t_ms=t_ms, segment=segment), by=by, reason="missed")
    (folder / "match.jsonl").write_text(format_sheet(sheet), encoding="utf-8")


# ---------------------------------------------------------------- who does it


@pytest.mark.long
def test_two_workers_and_one_killed_midway_give_the_results_of_one(kept: Path, done: Path, tmp_path: Path) -> None:
    killed: list[BaseProcess] = []

    def kill() -> None:
        if not killed:
            killed.append(multiprocessing.active_children()[0])
            os.kill(killed[0].pid or 0, signal.SIGKILL)

    again = rescore([*found_in(kept), *found_in(kept)], Results(tmp_path), Pool(workers=2), kill)
    assert killed
    assert again.taken == 0
    assert written(tmp_path) == written(done)


@pytest.mark.filterwarnings("default")
@pytest.mark.long
def test_workers_of_a_scheduler_that_see_no_file_are_sent_it(
    kept: Path, done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        monkeypatch.chdir(kept)  # the worker stays where it is
        (first, *_) = found_in(Path())
        rescore([first], Results(tmp_path / "cache"), Pool(scheduler=cluster.scheduler_address))
    (name,) = written(tmp_path / "cache")
    assert written(tmp_path / "cache")[name] == written(done)[name]


def test_a_worker_of_another_version_is_refused(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (first, *_) = found_in(kept)
    assert isinstance(first, Recording)
    task = task_of(first.source, marks())
    monkeypatch.setattr("service.rescoring.work._pipeline", lambda: "0.0+other")
    marks.cache_clear()
    with pytest.raises(RuntimeError, match="another version"):
        seen(task)
    marks.cache_clear()


def test_what_is_not_there_or_another_is_said_and_a_parcel_is_enough(top: Path) -> None:
    (first, *_) = found_in(top)
    assert isinstance(first, Recording)
    task = task_of(first.source, marks())
    sent, result = with_parcel(task), Results(top.parent / "cache").find(task.key)
    (top / "0" / "video.mp4").write_bytes(b"another")
    assert seen(task) == Elsewhere()
    (top / "0" / "video.mp4").unlink()
    assert seen(task) == Elsewhere()
    assert seen(sent) == result
    assert sent.key == task.key


# ---------------------------------------------------------------- done once


def test_what_was_done_is_taken_and_what_is_not_whole_is_done_again(top: Path) -> None:
    results = Results(top.parent / "cache")
    before = written(results.folder)
    first, _ = sorted(results.folder.rglob("*.json"))
    first.write_text(first.read_text(encoding="utf-8").replace("T20", "T19").replace("T3", "T2"), encoding="utf-8")
    again = rescore(list(found_in(top)), results, Pool(workers=1))
    assert again.taken == 1
    assert written(results.folder) == before


def test_a_result_hangs_on_all_that_it_comes_from(kept: Path) -> None:
    (first, *_) = found_in(kept)
    assert isinstance(first, Recording)
    task = task_of(first.source, marks())
    lying = task_of(Source(path=first.source.path, setup=first.source.setup, lying={"darts": []}), marks())
    paced = task_of(Source(path=first.source.path, setup=first.source.setup, fps=5.0), marks())
    assert len({task.key, lying.key, paced.key}) == 3
    assert set(task.inputs) == {"video", "pipeline", "networks", "setup", "fps", "lying"}
    assert set(task.inputs["networks"]) >= {"pin-numbers", "board-numbers"}


def test_the_same_recording_twice_is_done_once(top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(top / "0", top / "1", dirs_exist_ok=True)
    read = run._read
    given: list[int] = []

    def counted(tasks: Sequence[Task], pool: Pool) -> Iterator[tuple[Task, Outcome]]:
        given.append(len(tasks))
        return read(tasks, pool)

    monkeypatch.setattr(run, "_read", counted)
    assert len(rescore(list(found_in(top)), Results(tmp_path / "other"), Pool()).outcomes) == 2
    assert given == [1]


# ---------------------------------------------------------------- what changed


def test_nothing_changed_is_said(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "rescore", str(top), "--cache", str(top.parent / "cache"))
    assert ran.status == 0
    assert ran.out.startswith("2 recordings, 2 actions: 0 are not as they were accepted")


def test_what_changed_is_told_with_its_clip(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accepted(top / "0", "S5", "S1")
    arguments = ["--cache", str(top.parent / "cache"), "--out", str(top.parent / "report"), "--json"]
    ran = tallycam(capsys, "rescore", str(top), *arguments)
    assert ran.status == 1
    told = json.loads(ran.out)
    assert [one["status"] for one in told["recordings"]] == ["changed", "same"]
    other, missed = told["recordings"][0]["changes"]
    assert (other["difference"], other["expected"]["segment"], other["seen"]["segment"]) == ("other", "S5", "T20")
    assert (missed["difference"], missed["expected"]["segment"], missed["seen"]) == ("missed", "S1", None)
    assert (other["at_ms"], missed["at_ms"]) == (1200, 1200)
    assert (other["by"], missed["by"]) == ("umpire:Cho", "umpire:Cho")
    assert told["totals"]["changes_of_what_a_person_said"] == 2
    assert told["recordings"][0]["scores"] != [None, None]
    report = json.loads((top.parent / "report" / "report.json").read_text(encoding="utf-8"))
    page = (top.parent / "report" / "index.html").read_text(encoding="utf-8")
    for change in report["recordings"][0]["changes"]:
        with av.open(str(top.parent / "report" / change["clip"])) as clip:
            assert len(list(clip.decode(video=0))) > FPS
        assert f'href="{change["clip"]}"' in page
    lines = tallycam(capsys, "rescore", str(top), "--cache", str(top.parent / "cache")).out.splitlines()
    assert "Ann S5, as umpire:Cho had said, is Ann T20 now" in lines[0] + lines[1]
    assert str(top / "0" / other["clip"]) in lines[0] + lines[1]


def test_what_cannot_be_used_is_told_and_holds_up_no_other(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("no video", "two videos", "another video", "no sheet", "torn sheet"):
        shutil.copytree(top / "0", top / name)
    (top / "no video" / "video.mp4").unlink()
    shutil.copy(top / "1" / "video.mp4", top / "two videos" / "video.mkv")
    shutil.copy(top / "1" / "video.mp4", top / "another video" / "video.mp4")
    (top / "no sheet" / "match.jsonl").unlink()
    (top / "torn sheet" / "match.jsonl").write_text("{", encoding="utf-8")
    ran = tallycam(capsys, "rescore", str(top), "--cache", str(top.parent / "cache"), "--json")
    assert ran.status == 1
    told = {one["recording"]: one for one in json.loads(ran.out)["recordings"]}
    assert {name: one["status"] for name, one in told.items()} == {
        "0": "same",
        "1": "same",
        "no video": "unusable",
        "two videos": "unusable",
        "another video": "unusable",
        "no sheet": "new",
        "torn sheet": "unusable",
    }
    assert "there is no video" in told["no video"]["message"]
    assert "video.mkv, video.mp4" in told["two videos"]["message"]
    assert "its hash is another" in told["another video"]["message"]


def test_a_video_beside_its_setup_and_scoresheet_will_do(kept: Path, tmp_path: Path) -> None:
    shutil.copy(kept / "0" / "video.mp4", tmp_path / "friday.mp4")
    shutil.copy(kept / "0" / "match.jsonl", tmp_path / "friday.match.jsonl")
    (tmp_path / "friday.setup.json").write_text(json.dumps(format_setup(setup())), encoding="utf-8")
    (tmp_path / "gone.setup.json").write_text("{}", encoding="utf-8")
    friday, gone = found_in(tmp_path)
    assert isinstance(friday, Recording)
    assert (friday.name, friday.accepted is not None) == ("friday", True)
    assert isinstance(gone, Unusable)


def test_a_recording_without_its_video_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rep").mkdir()
    (tmp_path / "rep" / "recording.json").write_text("{}", encoding="utf-8")
    ran = tallycam(capsys, "rescore", str(tmp_path / "rep"), "--cache", str(tmp_path / "cache"))
    first, second, *_ = ran.out.splitlines()
    assert first == "rep: there is no video; put it there as video.*"
    assert second.startswith("1 recording, 0 actions: ")


def test_a_match_that_the_service_kept_for_check_is_a_recording(kept: Path, tmp_path: Path) -> None:
    match = (kept / "0" / "match.jsonl").read_text(encoding="utf-8")
    recorded = {"setup": format_setup(setup()), "colours": None, "lying": None}
    assert write_regression(tmp_path / "one", match, kept / "0" / "video.mp4", recorded) is None
    (own,), (first, _) = found_in(tmp_path), found_in(kept)
    assert isinstance(own, Recording)
    assert isinstance(first, Recording)
    assert task_of(own.source, marks()).key == task_of(first.source, marks()).key


@pytest.mark.parametrize(("name", "said"), [("none", "no such folder"), ("", "no recording in it")])
def test_a_folder_without_recordings_is_one_sentence(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tallycam(capsys, "rescore", str(tmp_path / name))
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert said in ran.err
