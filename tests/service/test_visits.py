"""A match as lines of turns, whichever way a turn ends."""

import json
from typing import Any

import pytest

from engine import parse_sheet
from service.visits import visit_lines

DARTS = [
    {"kind": "throw", "side": 0, "t_ms": 1, "segment": "T20"},
    {"kind": "throw", "side": 0, "t_ms": 2, "segment": "MISS"},
    {"kind": "throw", "side": 0, "t_ms": 3, "segment": "S5"},
    {"kind": "end_turn", "side": 0, "t_ms": 4},
    {"kind": "throw", "side": 1, "t_ms": 5, "segment": "D16"},
]
SHOTS = [
    {"kind": "shot", "side": 0, "t_ms": 1, "pins": {"7": "fallen"}},
    {"kind": "shot", "side": 1, "t_ms": 2, "pins": {"1": "fallen", "2": "fallen"}},
]


@pytest.mark.parametrize(
    ("game", "actions", "lines"),
    [
        ("cricket", DARTS, ["Ann T20 - S5 0 : 0", "Ben D16 … 0 : 0"]),
        ("finn", SHOTS, ["Ann 7↓ 7 : 0", "Ben 1↓ 2↓ 7 : 2"]),
    ],
)
def test_each_turn_says_what_was_played_in_it(game: str, actions: list[dict[str, Any]], lines: list[str]) -> None:
    header = {"scoresheet": 1, "game": game, "rules": f"{game}/1", "sides": ["Ann", "Ben"], "config": {}}
    entries = [
        {"id": k, "entry": "record", "action": action, "by": "player"} for k, action in enumerate(actions, 1)
    ]
    sheet = parse_sheet("\n".join(json.dumps(one) for one in (header, *entries)))
    assert [" ".join(line.split()) for line in visit_lines(sheet)] == lines
