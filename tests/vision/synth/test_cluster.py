"""A cluster makes the same files as one machine, a killed worker or not."""

import os
import signal
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("distributed")

from distributed import LocalCluster

from vision.synth.fast import FastEngine, open_fast
from vision.synth.order import Order
from vision.synth.work import make

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def order(folder: Path) -> Order:
    return Order(game="astrolabe", kind="stills", quality="fast", seed=20, count=4, folder=folder)


def test_a_killed_worker_costs_only_its_scene(tmp_path: Path) -> None:
    found = open_fast()
    if not isinstance(found, FastEngine):
        pytest.skip(found.message)
    alone = make(order(tmp_path / "alone"), workers=1)
    calls: list[int] = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def done() -> None:
            calls.append(1)
            if len(calls) == 1:
                os.kill(next(iter(cluster.workers.values())).process.pid, signal.SIGKILL)

        spread = make(order(tmp_path / "spread"), done=done, scheduler=cluster.scheduler_address)
    assert spread == alone
    assert len(calls) == 4
    for row in spread:
        for name in row["files"]:
            assert (tmp_path / "spread" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
