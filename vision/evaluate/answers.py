"""What two readings of the same pictures come to, and which of them was right; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

JSON: TypeAlias = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one reader said.

    Attributes
    ----------
    read
        What counts of it: the segments of new darts; pins that do not stand; moves of balls. None: it refused.
    confidence
        That all of it is right.
    codes
        What a person should look at; of a refusal its code.
    """

    read: JSON
    confidence: float | None
    codes: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether it would count without a look."""
        return self.read is not None and not self.codes

    def to_json(self) -> dict[str, JSON]:
        """Give it as the log has it."""
        return {"read": self.read, "confidence": self.confidence, "review": list(self.codes)}


def said(game: str, answer: Mapping[str, JSON]) -> Said:
    """Give what an answer of `tallycam read` says."""
    if "error" in answer:
        return Said(read=None, confidence=None, codes=(answer["error"],))
    codes = tuple(sorted({item["code"] for item in answer["review"]}))
    return Said(read=_read(game, answer), confidence=answer["confidence"], codes=codes)


def _read(game: str, answer: Mapping[str, JSON]) -> JSON:
    match game:
        case "cricket":
            return sorted(dart["segment"] for dart in answer["darts"])
        case "finn":
            return dict(sorted(answer["action"]["pins"].items()))
        case _:
            return None if answer["action"] is None else _moves(answer["action"])


def _moves(action: Mapping[str, JSON]) -> JSON:
    moves = [{"ball": one["ball"], "from": one["from"], "to": one["to"]} for one in action.get("moves", ())]
    return [*moves[:1], *sorted(moves[1:], key=str)]


def differ(now: Said, candidate: Said) -> bool:
    """Say whether two readers differ in what would count, or in whether it would count without a look."""
    return now.read != candidate.read or now.accepted != candidate.accepted


def true_of(game: str, truth: Mapping[str, JSON] | None) -> JSON:
    """Give what is true in the form of `Said.read`; `truth`: the action that counts, None for nothing."""
    match game:
        case "cricket":
            return [] if truth is None else [truth["segment"]]
        case "finn":
            return {} if truth is None else dict(sorted(truth.get("pins", {}).items()))
        case _:
            return None if truth is None else _moves(truth)


def right_of(game: str, line: Mapping[str, JSON], truth: Mapping[str, JSON] | None) -> str:
    """Say which of a line of the log was right: `now`, `candidate`, `both` or `neither`."""
    known = true_of(game, truth)
    now, new = line["now"]["read"] == known, line["candidate"]["read"] == known
    return "both" if now and new else "now" if now else "candidate" if new else "neither"
