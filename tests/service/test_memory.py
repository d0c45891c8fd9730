"""Memory that pictures took is kept for the next ones."""

import platform
import resource

import numpy as np
import pytest

from service.memory import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that is told")
def test_pages_of_dropped_pictures_are_not_fetched_again() -> None:
    assert keep_freed_memory()
    np.ones(3_000_000, np.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(3_000_000, np.uint8)
    fetched = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert fetched < 5 * 3_000_000 / resource.getpagesize()
