"""Which pictures to take for a teaching, what to do with the pieces, and what is then true."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from vision.failure import Failure

JSON: TypeAlias = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A picture to take.

    Attributes
    ----------
    do
        What to do with the pieces before it is taken.
    truth
        What it shows then, as lessons have it; None where the person has to say.
    check
        Whether it is kept for checking.
    """

    do: str
    truth: JSON
    check: bool = False

    def to_json(self) -> dict[str, JSON]:
        """Give it as the command line and the API do."""
        return {"do": self.do, "truth": self.truth, "check": self.check}

    def __str__(self) -> str:
        """Give the sentence, and what it is for."""
        return f"{self.do}{' (to check by)' if self.check else ''}"


def _lying(pins: Mapping[str, str], where: str, *, check: bool = False) -> Step:
    names = ", ".join(pins)
    return Step(
        do=f"Lay {names} {where}; the others stand as at the start.", truth={"pins": dict(pins)}, check=check
    )


STEPS: Final[Mapping[str, tuple[Step, ...]]] = {
    "finn": (
        Step(
            do="Set all twelve pins up for the start; every other picture is compared with this one.",
            truth={"pins": {}},
        ),
        _lying({"1": "fallen", "2": "fallen", "3": "fallen"}, "flat on the board before the others"),
        _lying({"5": "fallen", "6": "fallen", "9": "fallen"}, "flat on the board, each another way round"),
        _lying(
            {"4": "fallen", "8": "fallen", "10": "fallen"}, "flat on the board, between the others", check=True
        ),
        _lying({"7": "fallen", "11": "fallen", "12": "fallen"}, "flat where the board is brightest"),
        _lying({"1": "fallen", "4": "fallen", "7": "off_board"}, "flat where it is darkest, 7 beside the board"),
        _lying({"2": "fallen", "6": "leaning", "8": "fallen"}, "flat, 6 against a rail", check=True),
        _lying({"3": "leaning", "5": "fallen", "12": "fallen"}, "flat, 3 against a rail"),
        _lying({"9": "fallen", "10": "fallen", "11": "off_board"}, "flat, 11 beside the board", check=True),
    ),
    "astrolabe": (
        Step(do="Fill the first row with balls of side 0, the second with those of side 1.", truth=None),
        Step(do="Fill the first row with balls of side 1, the second with those of side 0.", truth=None),
        Step(do="Lay balls of both sides in turn into every second slot.", truth=None, check=True),
        Step(do="Take away all but one ball of each side, in the corners of the combs.", truth=None, check=True),
    ),
}


def steps(game: str) -> tuple[Step, ...] | Failure:
    """Give the pictures to take for a game; `NOTHING_TO_TEACH` where lessons choose nothing."""
    if game not in STEPS:
        return Failure(
            "NOTHING_TO_TEACH", f"{game}: nothing of its SETUP is chosen by lessons; takes finn, astrolabe."
        )
    return STEPS[game]
