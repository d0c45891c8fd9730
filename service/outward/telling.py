"""What a change is, in the words by which lights and callers choose: pure functions of the change's JSON."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

JSON: TypeAlias = Any

Word: TypeAlias = Literal[
    "entry", "scored", "lost", "correction", "turn", "won",
    "single", "double", "treble", "bull", "miss",
    "pins", "air", "slot", "gutter", "foul",
]  # fmt: skip

WORDS: Final[Mapping[Word, str]] = {
    "entry": "anything that is written into a match",
    "scored": "a side has more points than before",
    "lost": "a side has fewer points than before",
    "correction": "an umpire amends, strikes or inserts",
    "turn": "the other side is on turn",
    "won": "the match is over",
    "single": "a dart in a single",
    "double": "a dart in a double",
    "treble": "a dart in a treble",
    "bull": "a dart in either bull",
    "miss": "a dart beside",
    "pins": "a shot that knocked pins over",
    "air": "a shot that touched nothing",
    "slot": "a ball came to rest in a slot",
    "gutter": "a ball went into a gutter",
    "foul": "a shot with a foul",
}
"""Words for `when` in the settings, and what each is."""


def words_of(change: Mapping[str, JSON], turn_before: int | None) -> frozenset[str]:
    """Give the words that fit a change.

    Parameters
    ----------
    change
        Its JSON, as listeners are told it.
    turn_before
        Whose turn it was before it; None where that is not known, or the match was over.
    """
    if not str(change.get("kind", "")).startswith("entry."):
        return frozenset()
    found = {"entry"}
    entry, result = change["entry"], change["result"]
    before, after = change["scores_before"], result["scores"]
    if any(now > then for now, then in zip(after, before, strict=True)):
        found.add("scored")
    if any(now < then for now, then in zip(after, before, strict=True)):
        found.add("lost")
    if entry["entry"] != "record":
        found.add("correction")
    if turn_before is not None and result["turn"] is not None and result["turn"] != turn_before:
        found.add("turn")
    if result["over"]:
        found.add("won")
    if entry["entry"] == "record":
        found |= _of_action(entry["action"])
    return frozenset(found)


def _of_action(action: Mapping[str, JSON]) -> set[str]:
    if action["kind"] == "throw":
        segment = action["segment"]
        if segment in ("SB", "DB"):
            return {"bull"}
        return {{"S": "single", "D": "double", "T": "treble"}.get(segment[0], "miss")}
    if action["kind"] != "shot":
        return set()
    found = {"foul"} if action.get("foul") else set()
    if "pins" in action:
        found.add("pins" if action["pins"] else "air")
    places = [move["to"] for move in action.get("moves", ())]
    if any(isinstance(place, list) for place in places):
        found.add("slot")
    if "gutter" in places:
        found.add("gutter")
    return found
