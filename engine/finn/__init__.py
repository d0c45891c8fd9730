"""Finn Billiards: twelve numbered pins, one disc, one shot a turn, exactly 70 wins."""

from engine.finn import form, rules, words
from engine.finn.rules import PINS, Action, Config, PinState, Shot, State, shot
from engine.finn.sample import legal
from engine.game import Game

__all__ = ["GAME", "PINS", "Action", "Config", "PinState", "Shot", "State", "shot"]

GAME: Game[Config, State, Action] = Game(
    name="finn",
    rules="finn/1",
    fewest_sides=1,
    most_sides=None,
    umpire_corrects=False,
    parse_config=form.parse_config,
    format_config=form.format_config,
    parse_action=form.parse_action,
    format_action=form.format_action,
    initial=rules.initial,
    check=rules.check,
    apply=rules.apply,
    legal=legal,
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
    detail=words.detail,
)
"""The game as the rest of the program knows it."""
