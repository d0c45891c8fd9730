"""The games that there are."""

from collections.abc import Mapping
from typing import Final

from engine import astrolabe, cricket, finn
from engine.game import AnyGame

GAMES: Final[Mapping[str, AnyGame]] = {game.name: game for game in (finn.GAME, cricket.GAME, astrolabe.GAME)}
"""Every game by the name that a scoresheet's header has."""
