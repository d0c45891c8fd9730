"""What lessons can choose of a SETUP for Finn Billiards: how little pins stand out from the board.

Pins of the board's own wood that lie on it differ from it by a shade. The usual limits take such a shade for one
of the light; where the lessons say that it is a pin, the limits of a board of less contrast are taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from vision.setup import CONTRASTS, Setup
from vision.teach.lessons import Lesson

JSON: TypeAlias = Any


def ways(setup: Setup, _lessons: Sequence[Lesson]) -> Iterator[Iterator[tuple[str, Mapping[str, JSON]]]]:
    """Give the one group of choices: the steps of contrast that the SETUP has not yet."""
    now = 0 if setup.finn is None else setup.finn.contrast
    steps = [step for step in range(CONTRASTS + 1) if step != now]
    yield ((f"contrast {step} of {CONTRASTS}", {"taught": {"contrast": step}}) for step in steps)
