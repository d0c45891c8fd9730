"""A pool gives every answer once, whatever becomes of its workers."""

import multiprocessing
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from support.tasks import fatal, fatal_once, refusing, slowly, squared

from vision import pool
from vision.pool import TRIES, Lost, spread

SQUARES = {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("apart", [False, True])
def test_every_task_is_answered_once(workers: int, apart: bool) -> None:
    answers = list(spread(squared, range(5), workers=workers, apart=apart))
    assert len(answers) == 5
    assert dict(answers) == SQUARES


def test_nothing_to_do_starts_nothing() -> None:
    assert list(spread(squared, [], apart=True)) == []


def test_a_worker_that_dies_over_a_task_costs_it_alone(tmp_path: Path) -> None:
    assert dict(spread(partial(fatal_once, tmp_path), range(5), workers=2)) == SQUARES


def test_a_task_that_kills_every_worker_is_told_and_the_others_go_on() -> None:
    assert dict(spread(fatal, range(5), workers=2)) == SQUARES | {2: Lost(TRIES)}


def test_a_worker_killed_from_outside_is_replaced() -> None:
    def kill_one() -> None:
        while not multiprocessing.active_children():
            time.sleep(0.01)
        os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    assert dict(spread(slowly, range(5), workers=2)) == SQUARES
    killer.join()


def test_what_a_task_raises_ends_all_and_leaves_no_process() -> None:
    with pytest.raises(ValueError, match="two is no good"):
        list(spread(refusing, range(5), workers=2))
    assert multiprocessing.active_children() == []


def test_whoever_stops_asking_leaves_no_process() -> None:
    answers = spread(slowly, range(5), workers=2)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_machines_answer_as_processes_do_and_a_fatal_task_is_told() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert dict(spread(squared, range(5), scheduler=address)) == SQUARES
        assert dict(spread(fatal, range(3), scheduler=address)) == {0: 0, 1: 1, 2: Lost(TRIES)}


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(pool, "ANSWER_S", 0.5)
    with pytest.raises(RuntimeError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9$"):
        list(spread(squared, range(2), scheduler="tcp://127.0.0.1:9"))
