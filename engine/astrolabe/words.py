"""Astrolabe for people: the notation `>3.1 1@1.2>gutter`, written and read."""

import re
from collections.abc import Collection, Sequence
from typing import Final, assert_never

from engine.astrolabe.actions import (
    FOULS,
    SPOTS,
    Action,
    AddTime,
    Choose,
    ConvertBall,
    FreeShot,
    Move,
    Place,
    RemoveBall,
    Returned,
    RoundOver,
    Ruling,
    Shot,
    StartRound,
    TableMoved,
    Warn,
)
from engine.astrolabe.config import Slot
from engine.astrolabe.state import State, scores
from engine.forms import NotationError, listed

COMMANDS: Final = (
    "start", "over", "back", "tilt", "bank", "final", "warn", "time", "free", "remove", "convert",
)  # fmt: skip
_SLOT: Final = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)
_SECONDS: Final = re.compile(r"([+-]?)(\d{1,300})(?:\.(\d{1,3}))?s?", re.ASCII)
HELP: Final = (
    ">3.1 a shot into position 3, slot 1 (>hand, >grouped, >gutter, >out), then what it moved, 1@1.2>gutter, "
    "and a foul, !play_line; or " + listed(COMMANDS)
)


def notation(action: Action) -> str:
    """Give the action in one line: a ball is its side's number, a slot `position.slot`, a move `1@1.2>hand`."""
    match action:
        case StartRound():
            line = "start"
        case Shot():
            line = _shot(action)
        case Returned():
            line = f"back {action.side}"
        case TableMoved():
            line = " ".join(
                [f"tilt {action.side}", *(f"{move.ball}@{place(move.from_)}" for move in action.moves)]
            )
        case Choose():
            line = "bank" if action.option == "bank" else "final"
        case RoundOver():
            line = "over"
        case _:
            line = _ruling(action)
    return line


def _shot(shot: Shot) -> str:
    """Give a shot; where it begins with no ball from its side's hand, which is refused, a bare `>` leads."""
    own = shot.moves[:1] if shot.moves and (shot.moves[0].ball, shot.moves[0].from_) == (shot.side, "hand") else ()
    ball = "".join(place(move.to) for move in own)
    foul = [] if shot.foul is None else [f"!{shot.foul}"]
    return " ".join([f">{ball}", *map(_move, shot.moves[len(own) :]), *foul])


def _ruling(ruling: Ruling) -> str:
    match ruling:
        case Warn():
            return f"warn {ruling.side}"
        case AddTime():
            return f"time {'-' if ruling.ms < 0 else '+'}{seconds(abs(ruling.ms))}s"
        case FreeShot():
            return f"free {ruling.side}"
        case RemoveBall():
            return f"remove {ruling.ball}@{place(ruling.from_)}"
        case ConvertBall():
            return f"convert {place(ruling.slot)} {ruling.ball}"
        case _:
            assert_never(ruling)


def place(where: Place) -> str:
    """Give a place: a word or `position.slot`."""
    return where if isinstance(where, str) else f"{where[0]}.{where[1]}"


def seconds(ms: int) -> str:
    """Give milliseconds as seconds, exactly."""
    whole, rest = divmod(ms, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


def _move(move: Move) -> str:
    return f"{move.ball}@{place(move.from_)}>{place(move.to)}"


def state_notation(state: State) -> str:
    """Give points, Round and who is to act, the slots (a dead ball with a star), the balls elsewhere."""
    board, course = state.board, state.course
    games = f"game {course.game} {_pair(course.games)}" if state.config.best_of > 1 else ""
    rows = " ".join(_row(state, position) for position in range(1, len(board.slots) + 1))
    elsewhere = " ".join(f"{spot} {_pair(getattr(board, spot))}" for spot in SPOTS)
    parts = (_pair(scores(state)), games, f"round {course.round} {_who(state)}", rows, elsewhere)
    return " | ".join(part for part in parts if part)


def _who(state: State) -> str:
    if state.course.winner is not None:
        return "over"
    if state.turn is None:
        return "-"
    doing = "" if state.final_sequence is None else " final"
    return f">{state.turn}{doing if state.choice is None else ' bank or final?'}"


def _row(state: State, position: int) -> str:
    return "".join(
        "." if ball is None else f"{ball}*" if (position, slot) in state.board.dead else str(ball)
        for slot, ball in enumerate(state.board.slots[position - 1], 1)
    )


def _pair(pair: Sequence[int]) -> str:
    return f"{pair[0]}:{pair[1]}"


def read_notation(state: State, line: str, t_ms: int) -> tuple[Action, ...]:
    """Give the one action of a line; a word may be cut short as far as it stays clear."""
    first, *rest = line.lower().split() or [""]
    if first.startswith(">"):
        return (_read_shot(state.turn or 0, first, rest, t_ms),)
    command = _word(first, COMMANDS, HELP)
    needs = {"start": 0, "over": 0, "bank": 0, "final": 0, "tilt": None, "convert": 2}.get(command, 1)
    if needs is not None and len(rest) != needs:
        raise NotationError(f"{command!r} takes {('nothing', 'one word', 'two words')[needs]} after it")
    return (_read_command(state.turn or 0, command, rest, t_ms),)


def _read_shot(side: int, first: str, rest: list[str], t_ms: int) -> Shot:
    fouls = [_word(token[1:], FOULS) for token in rest if token.startswith("!")]
    if len(fouls) > 1:
        raise NotationError("a shot has one foul at most")
    moves = [Move(ball=side, from_="hand", to=_read_place(first[1:]))]
    moves += [_read_move(token) for token in rest if not token.startswith("!")]
    foul = next((known for known in FOULS if known in fouls), None)
    return Shot(side=side, t_ms=t_ms, moves=tuple(moves), foul=foul)


def _read_command(side: int, command: str, rest: list[str], t_ms: int) -> Action:
    match command:
        case "start":
            action: Action = StartRound(t_ms=t_ms)
        case "over":
            action = RoundOver(t_ms=t_ms)
        case "bank":
            action = Choose(side=side, t_ms=t_ms, option="bank")
        case "final":
            action = Choose(side=side, t_ms=t_ms, option="final_sequence")
        case "back":
            action = Returned(side=_read_side(rest[0]), t_ms=t_ms)
        case "tilt":
            action = _read_tilt(rest, t_ms)
        case _:
            action = _read_ruling(command, rest, t_ms)
    return action


def _read_ruling(command: str, rest: list[str], t_ms: int) -> Ruling:
    match command:
        case "warn":
            return Warn(t_ms=t_ms, side=_read_side(rest[0]))
        case "time":
            return AddTime(t_ms=t_ms, ms=_read_ms(rest[0]))
        case "free":
            return FreeShot(t_ms=t_ms, side=_read_side(rest[0]))
        case "remove":
            ball, where = _read_ball(rest[0])
            return RemoveBall(t_ms=t_ms, ball=ball, from_=where)
        case _:
            return ConvertBall(t_ms=t_ms, slot=_read_slot(rest[0]), ball=_read_side(rest[1]))


def _read_tilt(rest: list[str], t_ms: int) -> TableMoved:
    if not rest:
        raise NotationError("'tilt' takes the side that moved the table, then its balls and the other's, 0@1.2")
    side = _read_side(rest[0])
    balls = [_read_ball(token) for token in rest[1:]]
    moves = (Move(ball=ball, from_=where, to="out" if ball == side else "hand") for ball, where in balls)
    return TableMoved(side=side, t_ms=t_ms, moves=tuple(moves))


def _read_move(token: str) -> Move:
    origin, arrow, target = token.partition(">")
    if not arrow:
        raise NotationError(f"{token!r} is no move; takes ball, place and place, 1@1.2>gutter")
    ball, where = _read_ball(origin)
    return Move(ball=ball, from_=where, to=_read_place(target))


def _read_ball(token: str) -> tuple[int, Place]:
    side, at, where = token.partition("@")
    if not at:
        raise NotationError(f"{token!r} is no ball; takes its side and its place, 1@1.2 or 1@grouped")
    return _read_side(side), _read_place(where)


def _read_side(token: str) -> int:
    if token not in ("0", "1"):
        raise NotationError(f"{token!r} is no side; takes 0 or 1")
    return int(token)


def _read_place(token: str) -> Place:
    if _SLOT.fullmatch(token):
        return _read_slot(token)
    word = _word(token, SPOTS, f"{token!r} is no place; takes {listed(SPOTS)}, or position.slot, 3.1")
    return next(spot for spot in SPOTS if spot == word)


def _read_slot(token: str) -> Slot:
    found = _SLOT.fullmatch(token)
    if not found:
        raise NotationError(f"{token!r} is no slot; takes position.slot, 3.1")
    return int(found[1]), int(found[2])


def _read_ms(token: str) -> int:
    found = _SECONDS.fullmatch(token)
    if not found:
        raise NotationError(f"{token!r} is no time; takes seconds, +20s or -1.5s")
    ms = int(found[2]) * 1000 + int((found[3] or "").ljust(3, "0"))
    return -ms if found[1] == "-" else ms


def _word(token: str, words: Collection[str], otherwise: str = "") -> str:
    """Give the one word that begins with the token."""
    fits = [word for word in words if word.startswith(token)] if token else []
    if len(fits) != 1:
        raise NotationError(otherwise or f"{token!r} is not clear; takes {listed(words)}")
    return fits[0]
