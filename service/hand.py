"""Keeping score by hand: what each typed line does to a scoresheet. The terminal is `service.cli.play`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine import (
    FormError,
    NotationError,
    Scoresheet,
    ScoresheetError,
    amend,
    explain,
    insert,
    record,
    replay,
    running_totals,
    strike,
)
from engine.playback import Replay
from service.reasons import said as reason_said

HELP: Final = """\
Type what happened, in the game's notation; an entry is refused with a code where the rules do.
  undo                 take back the last entry (in cricket a dart of the active turn)
  fix ID NOTATION      entry ID was something else: shows what changes
  strike ID            entry ID does not count (a struck correction gives back what it replaced)
  insert ID NOTATION   something was missed after entry ID (0: at the start)
  list                 every entry with its sentence
  totals               points after each turn
  help, quit"""
PROMPTS: Final = {
    "finn": "`0:7 | >1 | 6@60,10  Ben>`: points, who is to shoot (the first side is 0), pins in defense",
    "cricket": "`0:50 | >1 DB | 20=3/0 | closed 19  Ben>`: points, who throws (the first side is 0) and the "
    "turn's darts so far, hits of both sides on a sector, closed sectors",
    "astrolabe": "`3:0 | round 1 >0 | 0..1. ..... ..... | hand 9:10 …  Ann>`: points, Round and who is to act "
    "(the first side is 0), the slots of each position (0 or 1: a ball of that side, *: dead), balls elsewhere",
}
"""What stands before the place to type."""


class RefusedError(Exception):
    """A line that does nothing; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A scoresheet that is kept by hand: the present sheet, who corrects, and the clock of the match."""

    sheet: Scoresheet
    umpire: str | None
    clock_ms: Callable[[], int]

    @property
    def corrector(self) -> str:
        """Who a correction is by. In cricket it has to be an umpire (FC-33)."""
        return "player" if self.umpire is None else f"umpire:{self.umpire}"


def typed(session: Session, line: str) -> tuple[Scoresheet, list[str]]:
    """Give the scoresheet after a typed line and what to say of it. Raises `RefusedError`: nothing has changed."""
    word, _, rest = line.strip().partition(" ")
    try:
        if (shown := _SHOWN.get(word.lower())) is not None:
            return session.sheet, shown(session.sheet)
        if word.lower() == "undo":
            return _undone(session)
        if (correct := _CORRECTIONS.get(word.lower())) is not None:
            if session.umpire is None and session.sheet.rules.umpire_corrects:
                raise RefusedError(
                    f"{word.lower()}: in {session.sheet.game} an umpire corrects (FC-33); "
                    "`tallycam play` takes the name as --umpire NAME"
                )
            return correct(session, *_number(rest))
        return _recorded(session, line)
    except (NotationError, FormError) as error:
        raise RefusedError(f"{error} (`help` says more)") from None
    except ScoresheetError as error:
        raise RefusedError(error.message) from None


def prompt(sheet: Scoresheet) -> str:
    """Give the state in one line, with the name of who is to act."""
    rules, state = sheet.rules, replay(sheet).state
    turn = rules.turn(state)
    return f"{rules.state_notation(state)}  {'' if turn is None else sheet.sides[turn]}> "


def _now(session: Session, played: Replay) -> int:
    """Give the time of a new action: never before the last."""
    return max(session.clock_ms(), played.steps[-1].action.t_ms if played.steps else 0)


def _recorded(session: Session, line: str) -> tuple[Scoresheet, list[str]]:
    sheet, rules = session.sheet, session.sheet.rules
    if not line.strip() and sheet.game == "cricket":
        line = "."
    played = replay(sheet)
    if played.conflict:
        raise RefusedError(
            f"entry {played.conflict.id} is in conflict ({reason_said(played.conflict.reason)}): "
            "fix or strike it first"
        )
    state, said = played.state, []
    for action in rules.read_notation(state, line, _now(session, played)):
        if reason := rules.check(state, action):
            raise RefusedError(f"{rules.notation(action)}: {reason_said(reason, rules.detail(state, action))}")
        said.append(rules.describe(state, action))
        state = rules.apply(state, action)
        sheet = record(sheet, action, by="player")
    return sheet, said


def _undone(session: Session) -> tuple[Scoresheet, list[str]]:
    sheet, played = session.sheet, replay(session.sheet)
    if sheet.game == "cricket":
        return _recorded(session, "<")
    if not played.steps:
        raise RefusedError("nothing to undo")
    return _struck(session, played.steps[-1].id, "")


def _struck(session: Session, number: int, _rest: str) -> tuple[Scoresheet, list[str]]:
    return _corrected(session, strike(session.sheet, number, by=session.corrector, reason="by hand"))


def _fixed(session: Session, number: int, line: str) -> tuple[Scoresheet, list[str]]:
    sheet, played = session.sheet, replay(session.sheet)
    at = next((at for at, step in enumerate(played.steps) if step.id == number), None)
    if at is not None:
        old, state = played.steps[at].action, played.steps[at - 1].state if at else played.initial
        t_ms = old.t_ms
    elif played.conflict and played.conflict.id == number:
        state, t_ms = played.state, _now(session, played)
    else:
        raise RefusedError(f"entry {number} is no action that counts; `list` shows them")
    actions = sheet.rules.read_notation(state, line, t_ms)
    if len(actions) != 1:
        raise RefusedError("fix puts one action in the place of one")
    return _corrected(session, amend(sheet, number, actions[0], by=session.corrector, reason="by hand"))


def _inserted(session: Session, number: int, line: str) -> tuple[Scoresheet, list[str]]:
    sheet, played = session.sheet, replay(session.sheet)
    at = next((at for at, step in enumerate(played.steps, 1) if step.id == number), 0)
    if number and not at:
        raise RefusedError(f"entry {number} is no action that counts; `list` shows them")
    state = played.steps[at - 1].state if at else played.initial
    t_ms = played.steps[at - 1].action.t_ms if at else 0
    for action in reversed(sheet.rules.read_notation(state, line, t_ms)):
        sheet = insert(sheet, number, action, by=session.corrector, reason="by hand")
    return _corrected(session, sheet)


def _corrected(session: Session, sheet: Scoresheet) -> tuple[Scoresheet, list[str]]:
    """Give the corrected scoresheet and the scores before and after."""
    before, after = replay(session.sheet), replay(sheet)
    rules = sheet.rules
    scores = [":".join(map(str, rules.scores(played.state))) for played in (before, after)]
    said = [f"{scores[0]} is now {scores[1]}"]
    if after.conflict:
        why = reason_said(after.conflict.reason)
        said.append(f"entry {after.conflict.id} is now in conflict: {why}; fix or strike it")
    return sheet, said


def _listed(sheet: Scoresheet) -> list[str]:
    return [
        f"{line.id:>4}  {'  ' * line.depth}{line.notation}  {line.text}"
        + ("" if line.effect in ("played", "holds") else f" ({line.effect})")
        for line in explain(sheet)
    ]


def _totals(sheet: Scoresheet) -> list[str]:
    names = sheet.sides
    return [
        f"{total.turn:>4}  {'' if total.side is None else names[total.side]}  {':'.join(map(str, total.scores))}"
        for total in running_totals(sheet)
    ]


def _number(rest: str) -> tuple[int, str]:
    """Give the id and the rest of a line such as `3 T20`."""
    digits, _, notation = rest.strip().partition(" ")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise RefusedError(f"{digits!r} is no id of an entry; `list` shows them")
    return int(digits), notation


def _helped(sheet: Scoresheet) -> list[str]:
    return [HELP, f"{sheet.game}: {sheet.rules.notation_help}", f"The prompt, such as {PROMPTS[sheet.game]}."]


_SHOWN: Final = {"help": _helped, "?": _helped, "list": _listed, "totals": _totals}
_CORRECTIONS: Final = {"fix": _fixed, "strike": _struck, "insert": _inserted}
