"""Astrolabe: glass balls on a tilted table, three combs of slots, two sides."""

from engine.astrolabe import form, state, words
from engine.astrolabe.actions import (
    Action,
    AddTime,
    Choose,
    ConvertBall,
    FreeShot,
    Move,
    RemoveBall,
    Returned,
    RoundOver,
    Shot,
    StartRound,
    TableMoved,
    Warn,
)
from engine.astrolabe.apply import apply
from engine.astrolabe.check import check
from engine.astrolabe.config import Config, format_config, parse_config
from engine.astrolabe.describe import describe
from engine.astrolabe.sample import legal
from engine.astrolabe.state import State
from engine.game import Game

__all__ = [
    "GAME",
    "Action",
    "AddTime",
    "Choose",
    "Config",
    "ConvertBall",
    "FreeShot",
    "Move",
    "RemoveBall",
    "Returned",
    "RoundOver",
    "Shot",
    "StartRound",
    "State",
    "TableMoved",
    "Warn",
]

GAME: Game[Config, State, Action] = Game(
    name="astrolabe",
    rules="astrolabe/1",
    fewest_sides=form.SIDES,
    most_sides=form.SIDES,
    umpire_corrects=False,
    parse_config=parse_config,
    format_config=format_config,
    parse_action=form.parse_action,
    format_action=form.format_action,
    initial=state.initial,
    check=check,
    apply=apply,
    legal=legal,
    outcome=state.outcome,
    turn=state.turn,
    scores=state.scores,
    summary=state.summary,
    ends_turn=state.ends_turn,
    notation=words.notation,
    notation_help=words.HELP,
    read_notation=words.read_notation,
    state_notation=words.state_notation,
    describe=describe,
)
"""The game as the rest of the program knows it."""
