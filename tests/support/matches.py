"""Matches built for tests from the notation that people type."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine import GAMES, Reason, Scoresheet, format_sheet, new_sheet, parse_sheet
from engine.sampling import numbers, pick

NAMES = ("Ann", "Ben", "Cho", "Dee")
STEP_MS = 1000


@dataclass(frozen=True)
class Setting:
    """What a match may be played with."""

    game: str
    sides: int = 2
    config: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.game} {self.sides} {json.dumps(self.config)}"


SETTINGS = [
    Setting("cricket"),
    Setting("finn"),
    Setting("finn", 1, {"ride_the_rails": True, "target": 20}),
    Setting("finn", 4, {"good_offense": True, "leaning_only_is_air_shot": True, "defense_after_off_board": True}),
    Setting("finn", 2, {"defense_zone_cm": [[0, 0], [9, 0], [0.5, 30]], "disc_cm": 2}),
    Setting("astrolabe"),
    Setting("astrolabe", 2, {"balls": 3, "live_scoring": True, "blocking": True, "grand_slam_finish": True}),
    Setting("astrolabe", 2, {"balls": 4, "target": 15, "best_of": 3, "multipliers": [1, 2, 3]}),
    Setting("astrolabe", 2, {"slots": [2, 2, 2], "balls": 5, "dead_slots": [[1, 1]], "ball_conversion": True}),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Where typed lines led: the state, the actions so far, and the refusal where they stopped."""

    state: Any
    actions: tuple[Any, ...]
    refused: Reason | None


def play(game: str, *lines: str, config: Mapping[str, Any] | None = None, sides: int = 2) -> Played:
    """Play lines of notation, a second apart, by whoever is on turn, up to the first refusal."""
    rules = GAMES[game]
    state = rules.initial(rules.parse_config(dict(config or {})), sides)
    actions: list[Any] = []
    for t_ms, line in enumerate(lines, 1):
        for action in rules.read_notation(state, line, t_ms * STEP_MS):
            if reason := rules.check(state, action):
                return Played(state=state, actions=tuple(actions), refused=reason)
            state = rules.apply(state, action)
            actions.append(action)
    return Played(state=state, actions=tuple(actions), refused=None)


def sheet_text(
    game: str, actions: Sequence[Any], *, config: Mapping[str, Any] | None = None, sides: int = 2
) -> str:
    """Give the text of a scoresheet that records the actions."""
    head = format_sheet(new_sheet(game, NAMES[:sides], config))
    form = GAMES[game].format_action
    return head + "".join(
        json.dumps({"id": at, "entry": "record", "action": form(action), "by": "camera"}) + "\n"
        for at, action in enumerate(actions, 1)
    )


def sheet(game: str, *lines: str, config: Mapping[str, Any] | None = None, sides: int = 2) -> Scoresheet:
    """Give a scoresheet that records lines of notation, all of them allowed."""
    played = play(game, *lines, config=config, sides=sides)
    assert played.refused is None
    return parse_sheet(sheet_text(game, played.actions, config=config, sides=sides))


def random_play(
    game: str, seed: int, *, config: Mapping[str, Any] | None = None, sides: int = 2, most: int = 5000
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (state before, action, state after) of sampled legal actions, to the match's end or `most` of them."""
    rules, chance = GAMES[game], numbers(seed)
    state = rules.initial(rules.parse_config(dict(config or {})), sides)
    for _ in range(most):
        choices = tuple(rules.legal(state, next(chance)))
        if not choices:
            return
        action = pick(chance, choices)
        after = rules.apply(state, action)
        yield state, action, after
        state = after
