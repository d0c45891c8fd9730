"""Actions as JSON and back: their form, exactly as the scoresheet's description gives it.

A slot that does not exist is no fault of form; the rules have a code for it (`UNKNOWN_SLOT`).
"""

from collections.abc import Callable
from typing import Any, cast

from engine import forms
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


def parse_action(value: object, sides: int) -> Action:
    """Give the action that a JSON value stands for.

    Raises
    ------
    engine.forms.FormError
        A key that is unknown or missing, a wrong type, a word or a range that the description does not know.
    """
    if not isinstance(value, dict):
        raise forms.wrong("action", value, "an object")
    kind = forms.word(value.get("kind"), "kind", tuple(_KINDS))
    return _KINDS[kind](value, sides)


def format_action(action: Action) -> dict[str, Any]:
    """Give an action as JSON, keys in the documented order, defaults left out."""
    match action:
        case Shot():
            moves = {"moves": [_move_json(move) for move in action.moves]}
            rest: dict[str, Any] = moves | ({} if action.foul is None else {"foul": action.foul})
        case TableMoved():
            rest = {"moves": [_move_json(move) for move in action.moves]}
        case Choose():
            rest = {"option": action.option}
        case Returned() | StartRound() | RoundOver():
            rest = {}
        case _:
            return {"kind": action.kind, "t_ms": action.t_ms, "ruling": action.ruling} | _ruling_json(action)
    start: dict[str, Any] = {"kind": action.kind}
    if not isinstance(action, StartRound | RoundOver):
        start["side"] = action.side
    return start | {"t_ms": action.t_ms} | rest


def _ruling_json(action: Ruling) -> dict[str, Any]:
    match action:
        case AddTime():
            return {"ms": action.ms}
        case RemoveBall():
            return {"ball": action.ball, "from": _place_json(action.from_)}
        case ConvertBall():
            return {"slot": list(action.slot), "ball": action.ball}
        case Warn() | FreeShot():
            return {"side": action.side}


def _move_json(move: Move) -> dict[str, Any]:
    return {"ball": move.ball, "from": _place_json(move.from_), "to": _place_json(move.to)}


def _place_json(place: Place) -> str | list[int]:
    return list(place) if isinstance(place, tuple) else place


def _place(value: object, where: str) -> Place:
    if type(value) is list:
        return _slot(value, where)
    if type(value) is not str or value not in SPOTS:
        raise forms.wrong(where, value, f"{', '.join(SPOTS)} or [position, slot]")
    return value


def _slot(value: object, where: str) -> Slot:
    if type(value) is not list or len(value) != 2:
        raise forms.wrong(where, value, "[position, slot]")
    position, slot = value
    if type(position) is not int or type(slot) is not int:
        raise forms.wrong(where, value, "two whole numbers, [position, slot]")
    return position, slot


def _move(value: object, sides: int) -> Move:
    given = forms.fields(value, ("ball", "from", "to"))
    return Move(
        ball=forms.side(given["ball"], sides, "ball"),
        from_=_place(given["from"], "from"),
        to=_place(given["to"], "to"),
    )


def _moves(value: object, sides: int) -> tuple[Move, ...]:
    def read(item: object, where: str) -> Move:
        try:
            return _move(item, sides)
        except forms.FormError as fault:
            raise fault.inside(where) from None

    return forms.items(value, "moves", read)


def _t_ms(given: dict[str, Any]) -> int:
    return forms.whole(given["t_ms"], "t_ms")


def _start_round(value: object, _sides: int) -> StartRound:
    return StartRound(t_ms=_t_ms(forms.fields(value, ("kind", "t_ms"))))


def _shot(value: object, sides: int) -> Shot:
    given = forms.fields(value, ("kind", "side", "t_ms", "moves"), ("foul",))
    foul = given.get("foul")
    if foul is not None:
        forms.word(foul, "foul", FOULS)
    return Shot(
        side=forms.side(given["side"], sides),
        t_ms=_t_ms(given),
        moves=_moves(given["moves"], sides),
        foul=cast(Foul | None, foul),
    )


def _returned(value: object, sides: int) -> Returned:
    given = forms.fields(value, ("kind", "side", "t_ms"))
    return Returned(side=forms.side(given["side"], sides), t_ms=_t_ms(given))


def _table_moved(value: object, sides: int) -> TableMoved:
    given = forms.fields(value, ("kind", "side", "t_ms", "moves"))
    side = forms.side(given["side"], sides)
    return TableMoved(side=side, t_ms=_t_ms(given), moves=_moves(given["moves"], sides))


def _choose(value: object, sides: int) -> Choose:
    given = forms.fields(value, ("kind", "side", "t_ms", "option"))
    option = cast(Option, forms.word(given["option"], "option", OPTIONS))
    return Choose(side=forms.side(given["side"], sides), t_ms=_t_ms(given), option=option)


def _round_over(value: object, _sides: int) -> RoundOver:
    return RoundOver(t_ms=_t_ms(forms.fields(value, ("kind", "t_ms"))))


def _ruling(value: object, sides: int) -> Ruling:
    given = cast(dict[str, Any], value)
    ruling = forms.word(given.get("ruling"), "ruling", tuple(_RULINGS))
    keys, read = _RULINGS[ruling]
    return read(forms.fields(value, ("kind", "t_ms", "ruling", *keys)), sides)


def _warn(given: dict[str, Any], sides: int) -> Warn:
    return Warn(t_ms=_t_ms(given), side=forms.side(given["side"], sides))


def _add_time(given: dict[str, Any], _sides: int) -> AddTime:
    return AddTime(t_ms=_t_ms(given), ms=forms.whole(given["ms"], "ms", None))


def _free_shot(given: dict[str, Any], sides: int) -> FreeShot:
    return FreeShot(t_ms=_t_ms(given), side=forms.side(given["side"], sides))


def _remove_ball(given: dict[str, Any], sides: int) -> RemoveBall:
    ball = forms.side(given["ball"], sides, "ball")
    return RemoveBall(t_ms=_t_ms(given), ball=ball, from_=_place(given["from"], "from"))


def _convert_ball(given: dict[str, Any], sides: int) -> ConvertBall:
    ball = forms.side(given["ball"], sides, "ball")
    return ConvertBall(t_ms=_t_ms(given), slot=_slot(given["slot"], "slot"), ball=ball)


_KINDS: dict[str, Callable[[object, int], Action]] = {
    "start_round": _start_round,
    "shot": _shot,
    "returned": _returned,
    "table_moved": _table_moved,
    "choose": _choose,
    "round_over": _round_over,
    "umpire": _ruling,
}
_RULINGS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any], int], Ruling]]] = {
    "warning": (("side",), _warn),
    "add_time": (("ms",), _add_time),
    "free_shot": (("side",), _free_shot),
    "remove_ball": (("ball", "from"), _remove_ball),
    "convert_ball": (("slot", "ball"), _convert_ball),
}
