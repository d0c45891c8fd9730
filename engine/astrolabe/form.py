"""Actions as JSON and back: their form, exactly as the scoresheet's description gives it.

A slot that does not exist is no fault of form; the rules have a code for it (`UNKNOWN_SLOT`).
"""

from typing import Any, Final, assert_never, cast

from engine.astrolabe.actions import (
    FOULS,
    OPTIONS,
    SPOTS,
    Action,
    AddTime,
    Choose,
    ConvertBall,
    Foul,
    FreeShot,
    Move,
    Option,
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
from engine.forms import FormError, fields, items, side, tagged, whole, word, wrong

SIDES: Final = 2
"""There are always two (AS-01)."""
_MOVE: Final = ("ball", "from", "to")
_KINDS: Final = {
    "start_round": (("kind", "t_ms"), ()),
    "shot": (("kind", "side", "t_ms", "moves"), ("foul",)),
    "returned": (("kind", "side", "t_ms"), ()),
    "table_moved": (("kind", "side", "t_ms", "moves"), ()),
    "choose": (("kind", "side", "t_ms", "option"), ()),
    "round_over": (("kind", "t_ms"), ()),
    "umpire": (("kind", "t_ms", "ruling"), ("side", "ms", "ball", "from", "slot")),
}
_RULINGS: Final = {
    "warning": (("kind", "side", "t_ms", "ruling"), ()),
    "add_time": (("kind", "t_ms", "ruling", "ms"), ()),
    "free_shot": (("kind", "side", "t_ms", "ruling"), ()),
    "remove_ball": (("kind", "t_ms", "ruling", "ball", "from"), ()),
    "convert_ball": (("kind", "t_ms", "ruling", "slot", "ball"), ()),
}


def parse_action(value: object, sides: int) -> Action:
    """Give the action that a JSON value stands for.

    Raises
    ------
    engine.FormError
        A key that is unknown or missing, a wrong type, a word or a range that the description does not know.
    """
    kind, found = tagged(value, _KINDS)
    t_ms = whole(found["t_ms"], "t_ms")
    match kind:
        case "start_round":
            return StartRound(t_ms=t_ms)
        case "round_over":
            return RoundOver(t_ms=t_ms)
        case "umpire":
            return _ruling(value, sides, t_ms)
        case _:
            return _of_side(kind, found, side(found["side"], sides), t_ms)


def _of_side(kind: str, found: dict[str, Any], by: int, t_ms: int) -> Action:
    match kind:
        case "shot":
            foul = found.get("foul")
            if foul is not None:
                word(foul, "foul", FOULS)
            return Shot(side=by, t_ms=t_ms, moves=_moves(found["moves"]), foul=cast("Foul | None", foul))
        case "table_moved":
            return TableMoved(side=by, t_ms=t_ms, moves=_moves(found["moves"]))
        case "choose":
            option = cast(Option, word(found["option"], "option", OPTIONS))
            return Choose(side=by, t_ms=t_ms, option=option)
        case _:
            return Returned(side=by, t_ms=t_ms)


def _ruling(value: object, sides: int, t_ms: int) -> Ruling:
    ruling, found = tagged(value, _RULINGS, "ruling")
    match ruling:
        case "warning":
            return Warn(t_ms=t_ms, side=side(found["side"], sides))
        case "add_time":
            return AddTime(t_ms=t_ms, ms=whole(found["ms"], "ms", None))
        case "free_shot":
            return FreeShot(t_ms=t_ms, side=side(found["side"], sides))
        case "remove_ball":
            return RemoveBall(
                t_ms=t_ms, ball=side(found["ball"], sides, "ball"), from_=_place(found["from"], "from")
            )
        case _:
            return ConvertBall(
                t_ms=t_ms, slot=_slot(found["slot"], "slot"), ball=side(found["ball"], sides, "ball")
            )


def format_action(action: Action) -> dict[str, Any]:
    """Give an action as JSON, keys in the documented order, defaults left out."""
    head: dict[str, Any] = {"kind": action.kind}
    if not isinstance(action, StartRound | RoundOver | AddTime | RemoveBall | ConvertBall):
        head["side"] = action.side
    head["t_ms"] = action.t_ms
    match action:
        case Shot() | TableMoved():
            head["moves"] = [_move_json(move) for move in action.moves]
            foul = action.foul if isinstance(action, Shot) else None
            head |= {} if foul is None else {"foul": foul}
        case Choose():
            head["option"] = action.option
        case Warn() | AddTime() | FreeShot() | RemoveBall() | ConvertBall():
            head |= {"ruling": action.ruling} | _ruling_json(action)
        case Returned() | StartRound() | RoundOver():
            pass
        case _:
            assert_never(action)
    return head


def _ruling_json(ruling: Ruling) -> dict[str, Any]:
    match ruling:
        case AddTime():
            return {"ms": ruling.ms}
        case RemoveBall():
            return {"ball": ruling.ball, "from": _place_json(ruling.from_)}
        case ConvertBall():
            return {"slot": list(ruling.slot), "ball": ruling.ball}
        case _:
            return {}


def _move_json(move: Move) -> dict[str, Any]:
    return {"ball": move.ball, "from": _place_json(move.from_), "to": _place_json(move.to)}


def _place_json(place: Place) -> str | list[int]:
    return list(place) if isinstance(place, tuple) else place


def _place(value: object, where: str) -> Place:
    if type(value) is list:
        return _slot(value, where)
    if type(value) is not str or value not in SPOTS:
        raise wrong(where, value, f"{', '.join(SPOTS)} or [position, slot]")
    return value


def _slot(value: object, where: str) -> Slot:
    if type(value) is not list or len(value) != 2:
        raise wrong(where, value, "[position, slot]")
    position, slot = value
    if type(position) is not int or type(slot) is not int:
        raise wrong(where, value, "two whole numbers, [position, slot]")
    return position, slot


def _moves(value: object) -> tuple[Move, ...]:
    return items(value, "moves", _move)


def _move(value: object, where: str) -> Move:
    try:
        found = fields(value, _MOVE)
        return Move(
            ball=side(found["ball"], SIDES, "ball"),
            from_=_place(found["from"], "from"),
            to=_place(found["to"], "to"),
        )
    except FormError as fault:
        raise fault.inside(where) from None
