"""FinCricket: two players, three darts a turn, sectors 11 to 20 opened by three hits and closed at End Turn."""

from engine.cricket import form, rules, words
from engine.cricket.rules import Action, Config, EndTurn, State, Throw, Undo
from engine.game import Game

__all__ = ["GAME", "Action", "Config", "EndTurn", "State", "Throw", "Undo"]

GAME: Game[Config, State, Action] = Game(
    name="cricket",
    rules="cricket/1",
    fewest_sides=2,
    most_sides=2,
    umpire_corrects=True,
    parse_config=form.parse_config,
    format_config=form.format_config,
    parse_action=form.parse_action,
    format_action=form.format_action,
    initial=rules.initial,
    check=rules.check,
    apply=rules.apply,
    legal=rules.legal,
    outcome=rules.outcome,
    turn=rules.turn,
    scores=rules.scores,
    summary=rules.summary,
    ends_turn=rules.ends_turn,
    notation=words.notation,
    notation_help=words.HELP,
    read_notation=words.read_notation,
    state_notation=words.state_notation,
    describe=words.describe,
)
"""The game as the rest of the program knows it."""
