"""Memory that pictures took is kept for the next ones."""

import platform
import resource
from pathlib import Path

import numpy as np
import pytest

from service.boards.child import Child
from service.memory import keep_freed_memory

PICTURE = 3_000_000
ENOUGH = 5 * PICTURE / resource.getpagesize()
"""Pages of five pictures: twenty fetch them all anew where nothing is kept."""

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that is told")


def fetched_for_twenty_pictures() -> int:
    np.ones(PICTURE, np.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(PICTURE, np.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@glibc
def test_pages_of_dropped_pictures_are_not_fetched_again() -> None:
    assert keep_freed_memory()
    assert fetched_for_twenty_pictures() < ENOUGH


@glibc
def test_nor_are_they_in_a_process_that_watches_a_board(tmp_path: Path) -> None:
    here = Path(__file__)
    (tmp_path / "watching.py").write_text(
        "from service.boards.framing import send\n"
        f"from {here.stem} import fetched_for_twenty_pictures\n"
        "def main(): send(1, {'pages': fetched_for_twenty_pictures()})\n"
    )
    child = Child("watching", {"PYTHONPATH": f"{tmp_path}:{here.parent}:{here.parents[2]}"})
    try:
        assert child.receive(60).head["pages"] < ENOUGH
    finally:
        child.kill()
