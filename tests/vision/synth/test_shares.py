"""What shots come to is named as the rules name it, and counted over a set."""

import pytest

pytest.importorskip("mujoco")

from vision.synth.astrolabe.shares import happened
from vision.synth.shares import shares


@pytest.mark.parametrize(
    ("starts", "ends", "sides", "names"),
    [
        ([], [(0, 1)], [0], {"score"}),
        ([], ["gutter"], [0], {"AS-30 gutter"}),
        (["grouped"], ["hand", "hand"], [1, 0], {"AS-32 returned", "AS-34 grouped ball came back"}),
        (["grouped"], [(2, 0), "grouped"], [1, 0], {"AS-33 grouped", "AS-36 opponent's ball into a slot"}),
        ([(1, 1)], [(1, 2), (0, 0)], [0, 0], {"score", "own ball into a slot"}),
        ([(1, 1)], [(1, 1), (0, 0)], [1, 0], {"score"}),
    ],
)
def test_what_a_shot_did(starts: list[object], ends: list[object], sides: list[int], names: set[str]) -> None:
    assert happened(starts, ends, sides) == names  # type: ignore[arg-type]


def test_every_dart_is_counted_once() -> None:
    found = shares("cricket", "stills", range(60), 1)
    assert found["shots"] > 60
    assert sum(found["percent"].values()) == pytest.approx(100, abs=3)


def test_shots_of_the_table_are_counted_by_all_that_happened() -> None:
    found = shares("finn", "stills", range(3), 1)
    assert found["shots"] == 3
    percent = found["percent"]
    assert sum(v for k, v in percent.items() if k.startswith("fallen")) == pytest.approx(100, abs=0.5)
    assert sum(v for k, v in percent.items() if k.startswith("cushions")) == pytest.approx(100, abs=0.5)
