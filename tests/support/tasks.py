"""Tasks for tests of the pool: functions of a module, so that other processes find them."""

import os
import signal
import time
from pathlib import Path


def squared(number: int) -> int:
    """Give the square."""
    return number * number


def slowly(number: int) -> int:
    """Give the square after a while."""
    time.sleep(0.2)
    return number * number


def fatal_once(folder: Path, number: int) -> int:
    """Give the square; the first process that has task 2 is killed over it."""
    if number == 2:
        try:
            (folder / "killed").mkdir()
        except FileExistsError:
            return 4
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def fatal(number: int) -> int:
    """Give the square; whatever process has task 2 is killed over it."""
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def refusing(number: int) -> int:
    """Raise over task 2."""
    if number == 2:
        raise ValueError("two is no good")
    return number * number
