"""Why the rules refuse an action, in words: a clause of a sentence for each code of the engine.

`docs/codes.md` has the same table; a test holds both against the codes that the engine gives.
"""

from collections.abc import Mapping
from typing import Final

REASONS: Final[Mapping[str, str]] = {
    "MATCH_OVER": "the match is over",
    "TIME_RUNS_BACK": "its time is before that of the action before it",
    "WRONG_SIDE": "another side is on turn",
    "TURN_FULL": "a turn has three darts; end it first",
    "TURN_NOT_FULL": "a turn ends after three darts; record what missed as a miss",
    "NOTHING_TO_UNDO": "this turn has no dart to take back",
    "UNKNOWN_SEGMENT": "there is no such segment on the board",
    "UNKNOWN_PIN": "there is no such pin",
    "DEFENSE_NOT_OPEN": "this shot gives no right to a defense",
    "PLACEMENTS_INCOMPLETE": "a defense puts all pins that counted, and no others",
    "OUTSIDE_DEFENSE_ZONE": "a pin is put outside the defense zone",
    "TOO_CLOSE": "two pins are put too close to each other",
    "NO_ROUND": "no Round runs; start one first",
    "ROUND_RUNNING": "a Round runs already",
    "ROUND_RUNNING_ON": "the Round's time is not up yet",
    "TIME_UP": "the Round's time was up before it",
    "NO_SUCH_BALL": "no such ball lies there",
    "SLOT_TAKEN": "that slot holds a ball already",
    "UNKNOWN_SLOT": "there is no such slot",
    "BAD_MOVE": "a ball cannot move that way",
    "NO_CHOICE": "there is nothing to choose",
    "CHOICE_PENDING": "the choice that is open has to be made first",
    "FINAL_SEQUENCE": "a Final Sequence is played",
    "CONVERSION_OFF": "this match is played without ball conversion",
}


def said(reason: str, detail: str = "") -> str:
    """Give a code with what stands behind it: the detail where the rules give one, else its sentence."""
    words = detail or REASONS.get(reason)
    return f"{reason}, {words}" if words else reason
