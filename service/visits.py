"""A match as a person reads it: one line a turn, in the game's own notation."""

from collections.abc import Iterator

from engine import Scoresheet, replay
from engine.cricket import EndTurn


def visit_lines(sheet: Scoresheet, *, ended: bool = False) -> Iterator[str]:
    """Give each turn of a match as `Ann  T20 S5 -   20 : 0`; the last one may still be open (it ends in `…`).

    With `ended` those alone that have ended.
    """
    rules = sheet.rules
    width = max(map(len, sheet.sides), default=0)
    words: list[str] = []
    side: int | None = 0
    scores = ""
    match = replay(sheet)
    before = match.initial
    for step in match.steps:
        side = getattr(step.action, "side", side)
        scores = " : ".join(map(str, rules.scores(step.state)))
        if not isinstance(step.action, EndTurn):  # a shot of pins may end its turn itself
            words.append(rules.notation(step.action))
        if rules.ends_turn(before, step.action, step.state):
            yield _line(sheet, side, width, words, scores)
            words = []
        before = step.state
    if words and not ended:
        yield _line(sheet, side, width, [*words, "…"], scores)


def _line(sheet: Scoresheet, side: int | None, width: int, words: list[str], scores: str) -> str:
    name = "" if side is None else sheet.sides[side]
    return f"{name:<{width}}  {' '.join(words):<16} {scores}"
