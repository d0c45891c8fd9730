"""Many tasks over processes of this machine, or over the workers of a dask scheduler.

    for place, answer in spread(work, tasks, workers=2):
        …

`work` is a pure function that can be imported by name, so a lost worker costs its own task alone: that is given
out again. A task whose worker is lost each time comes back as `Lost`, and the others go on.
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, TypeAlias, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

TRIES: Final = 3
"""How often a task is given out: a machine that is short of memory kills workers that did nothing wrong."""
ANSWER_S: Final = 10.0
"""How long a scheduler may take to answer at first."""
END_S: Final = 2.0
"""How long a process that has nothing more to do may take to end."""


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer: every worker that had the task was gone before it had done it (`tries` of them)."""

    tries: int


def spread(
    work: Callable[[Task], Answer],
    tasks: Sequence[Task],
    *,
    workers: int = 0,
    scheduler: str | None = None,
    apart: bool = False,
) -> Iterator[tuple[int, Answer | Lost]]:
    """Do tasks, several at a time; gives each answer, with its task's place, as it comes.

    Parameters
    ----------
    work
        Of a module, or a `partial` of such a one; what it takes and gives can be pickled.
    tasks
        Given out in this order: long ones first leave no worker alone at the end.
    workers
        Processes; 0: one a core.
    scheduler
        Address of a dask scheduler (`tcp://HOST:8786`) whose workers are to do it in place of processes here.
    apart
        Never in this process, so that a task that kills its process does no harm here.

    Raises
    ------
    RuntimeError
        With one sentence, where dask is not installed or the scheduler does not answer. What `work` raises is
        raised here, and ends all.
    """
    count = min(workers or os.cpu_count() or 1, len(tasks))
    if scheduler:
        yield from _over_machines(work, tasks, scheduler)
    elif count > 1 or (apart and tasks):
        yield from _over_processes(work, tasks, count)
    else:
        yield from ((place, work(task)) for place, task in enumerate(tasks))


def answers(
    work: Callable[[Task], Answer], tasks: Sequence[Task], *, workers: int = 1, scheduler: str | None = None
) -> list[Answer]:
    """Do tasks and give all answers in the order of their tasks.

    Raises
    ------
    RuntimeError
        As `spread` does, and where a task has no answer: every worker that had it was lost.
    """
    found: dict[int, Answer] = {}
    for place, answer in spread(work, tasks, workers=workers, scheduler=scheduler):
        if isinstance(answer, Lost):
            raise RuntimeError(f"{answer.tries} workers in turn were lost over {tasks[place]!r:.200}")
        found[place] = answer
    return [found[place] for place in range(len(tasks))]


# Machines


def _over_machines(
    work: Callable[[Task], Answer], tasks: Sequence[Task], scheduler: str
) -> Iterator[tuple[int, Answer | Lost]]:
    try:
        from distributed import Client, as_completed  # noqa: PLC0415 - the extra `venue` may be missing
        from distributed.scheduler import KilledWorker  # noqa: PLC0415
    except ImportError as error:
        raise RuntimeError("--scheduler needs dask: pip install 'tallycam[venue]'") from error
    try:
        client = Client(scheduler, timeout=ANSWER_S)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"no dask scheduler answers at {scheduler}") from error
    with client:
        futures = client.map(work, tasks, pure=False, retries=TRIES)
        places = {future.key: place for place, future in enumerate(futures)}
        for future in as_completed(futures):
            try:
                answer = future.result()
            except KilledWorker:
                answer = Lost(TRIES)
            yield places[future.key], answer
            future.release()


# Processes


@dataclass(slots=True)
class _Worker(Generic[Task, Answer]):
    """A process, this end of its pipe, and the place of the task it has."""

    process: BaseProcess
    pipe: "_Pipe"
    place: int


_Pipe: TypeAlias = "Connection[Any, Any]"


def _over_processes(
    work: Callable[[Task], Answer], tasks: Sequence[Task], count: int
) -> Iterator[tuple[int, Answer | Lost]]:
    waiting, tries = deque(range(len(tasks))), [0] * len(tasks)
    at_work: dict[_Pipe, _Worker[Task, Answer]] = {}

    def give(worker: _Worker[Task, Answer]) -> None:
        worker.place = waiting.popleft()
        tries[worker.place] += 1
        with suppress(OSError):  # it is gone already: that shows when its answer is waited for
            worker.pipe.send(tasks[worker.place])

    try:
        while waiting or at_work:
            while waiting and len(at_work) < count:
                worker = _started(work)
                at_work[worker.pipe] = worker
                give(worker)
            for pipe in wait(list(at_work)):
                assert isinstance(pipe, Connection)
                worker = at_work[pipe]
                place = worker.place
                try:
                    good, answer = pipe.recv()
                except (EOFError, OSError):
                    _ended(at_work.pop(pipe))
                    if tries[place] < TRIES:
                        waiting.appendleft(place)
                    else:
                        yield place, Lost(tries[place])
                    continue
                if not good:
                    raise answer
                if waiting:
                    give(worker)
                else:
                    _ended(at_work.pop(pipe))
                yield place, answer
    finally:
        for worker in at_work.values():
            worker.process.kill()
            _ended(worker)


def _started(work: Callable[[Task], Answer]) -> _Worker[Task, Answer]:
    context = get_context("spawn")  # a fork would take over the threads of libraries in whatever state they are
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, work), daemon=True)
    process.start()
    there.close()
    return _Worker(process=process, pipe=here, place=-1)


def _ended(worker: _Worker[Task, Answer]) -> None:
    worker.pipe.close()
    worker.process.join(END_S)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def _serve(pipe: _Pipe, work: Callable[[Task], Answer]) -> None:
    """Do one task after another in this process, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever began this
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_done(work, pipe.recv()))


def _done(work: Callable[[Task], Answer], task: Task) -> tuple[bool, Any]:
    try:
        return True, work(task)
    except Exception as error:  # it is raised where the answer is waited for
        return False, error
