"""Expected failure as a value."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Failure:
    """What could not be done and why; falsy, so `if not board: …` reads as it should.

    Attributes
    ----------
    code
        A word in capitals, for programs (`NO_BOARD`, `BLACK_PICTURE`, `HAND_IN_VIEW`, …).
    message
        One sentence for people: what, where, what would be right.
    """

    code: str
    message: str

    def __bool__(self) -> Literal[False]:
        return False
