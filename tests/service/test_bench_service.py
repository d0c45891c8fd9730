"""The service measured: figures come out, and what a kill must not lose is looked for."""

import asyncio
import json

import pytest
from support.program import tallycam

from service.bench.service import killed, loaded


@pytest.mark.long
def test_changes_reach_every_reader() -> None:
    found = asyncio.run(loaded(listeners=5, rate=20.0, seconds=0.5, to_the_end=False))
    assert 0 < found["p50_ms"] <= found["p99_ms"] <= found["worst_ms"]
    assert found["after_mb"] > 20


@pytest.mark.long
def test_killed_at_random_nothing_is_lost_and_nothing_is_there_twice() -> None:
    found = killed(3, seed=5)
    assert (found["rounds"], found["lost"], found["twice"]) == (3, 0, 0)
    assert found["acknowledged"] > 10
    assert found["resent"] > 0


@pytest.mark.long
def test_the_program_tells_it_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    told = tallycam(capsys, "bench", "service", "--kill", "1", "--only-kill", "--json")
    assert told.status == 0
    assert json.loads(told.out)["lost"] == 0
