"""`tallycam bench rescore`, as typed: every run sees the same, one of whose workers was killed too."""

import json

import pytest
from support.program import tallycam


@pytest.mark.slow
def test_every_run_sees_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    ran = tallycam(capsys, "bench", "rescore", "--clips", "3", "--json")
    assert ran.status == 0
    found = json.loads(ran.out)
    assert found["clips"] == 3
    assert found["events"] > 3
    assert found["video_s"] > 3 * 5
    assert [one["same"] for one in found["runs"].values()] == [True] * 4
    assert found["speedup"] > 0
    plain, one = (found["runs"][name]["cpu_s"] for name in ("plain pipeline", "one worker"))
    assert found["overhead_percent"] == pytest.approx(100 * (one / plain - 1), abs=1)
