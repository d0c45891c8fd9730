"""All recordings of a folder: what is kept is taken, the rest is done over processes or machines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from service.rescoring.found import Recording, Unusable
from service.rescoring.kept import Results
from service.rescoring.work import Elsewhere, Marks, Seen, Task, marks, seen, task_of, with_parcel
from vision.failure import Failure
from vision.pool import Lost, spread

AT_ONCE: Final = 8
"""Recordings sent along with their tasks at a time: each is held in memory here until it is done."""

Outcome: TypeAlias = Seen | Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Who does it: so many processes (0: one a core), or the workers of a dask scheduler."""

    workers: int = 0
    scheduler: str | None = None


@dataclass(slots=True)
class Done:
    """What recordings came to, by name; `taken` of them were kept from before, `other` gives what reads."""

    marks: Marks
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    taken: int = 0


def rescore(
    recordings: Sequence[Recording | Unusable],
    results: Results,
    pool: Pool,
    done: Callable[[], None] = lambda: None,
) -> Done:
    """Read all recordings.

    Parameters
    ----------
    recordings
        As `found_in` gives them.
    results
        What is kept, and where results are kept as they come: a run that was broken off goes on where it was.
    pool
        Who does it.
    done
        Called after each recording.

    Raises
    ------
    RuntimeError
        With one sentence: the scheduler does not answer, a worker has another pipeline.
    OSError
        Where a result cannot be kept.
    """
    whole = Done(marks=marks())
    tasks: dict[str, Task] = {}
    waiting: dict[str, list[str]] = {}

    def take(name: str, outcome: Outcome) -> None:
        whole.outcomes[name] = outcome
        done()

    for recording in recordings:
        task = _task(recording, whole.marks)
        if isinstance(task, Failure):
            take(recording.name, task)
            continue
        kept = results.find(task.key)
        if kept is not None:
            whole.taken += 1
            take(recording.name, kept)
            continue
        tasks[task.key] = task
        waiting.setdefault(task.key, []).append(recording.name)
    for task, outcome in _read(sorted(tasks.values(), key=_size, reverse=True), pool):
        if isinstance(outcome, Seen):
            results.keep(task, outcome)
        for name in waiting[task.key]:
            take(name, outcome)
    return whole


def _task(recording: Recording | Unusable, reads: Marks) -> Task | Failure:
    if isinstance(recording, Unusable):
        return Failure("UNUSABLE", recording.message)
    try:
        task = task_of(recording.source, reads)
    except OSError as error:
        return Failure("UNUSABLE", f"{error.filename or recording.folder}: {error.strerror or error}")
    if recording.promised not in (None, task.video_sha256):
        said = f"{recording.source.path} is not the video that was recorded: its hash is another"
        return Failure("OTHER_VIDEO", said)
    return task


def _read(tasks: Sequence[Task], pool: Pool) -> Iterator[tuple[Task, Outcome]]:
    """Do tasks; what workers cannot see is sent to them."""
    unseen: list[Task] = []
    for place, answer in spread(seen, tasks, workers=pool.workers, scheduler=pool.scheduler, apart=True):
        if isinstance(answer, Elsewhere):
            unseen.append(tasks[place])
        else:
            yield tasks[place], _outcome(answer)
    for begin in range(0, len(unseen), AT_ONCE):
        some = unseen[begin : begin + AT_ONCE]
        parcels = [with_parcel(task) for task in some]
        for place, answer in spread(seen, parcels, workers=pool.workers, scheduler=pool.scheduler, apart=True):
            yield some[place], _outcome(answer)


def _outcome(answer: Seen | Elsewhere | Lost) -> Outcome:
    match answer:
        case Seen():
            return answer
        case Lost(tries):
            return Failure("LOST", f"{tries} workers in turn were lost over it")
        case Elsewhere():
            return Failure("OTHER_VIDEO", "it was changed while it was being read")


def _size(task: Task) -> int:
    path = task.source.path
    return path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in path.iterdir())
