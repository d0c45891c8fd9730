"""Sampled play: what may always be relied on, whatever happens on the table."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from engine.astrolabe import GAME, Action, Config, Shot, State
from engine.astrolabe.actions import SPOTS
from engine.sampling import numbers, pick

SETTINGS: dict[str, dict[str, Any]] = {
    "AS-13 defaults": {},
    "AS-40 few balls": {"balls": 2, "slots": (2, 3, 4)},
    "AS-24 live": {"live_scoring": True, "balls": 4},
    "AS-50 AS-51 target, best of 3": {"target": 12, "best_of": 3, "balls": 3},
    "AS-50 AS-24 target, live": {"target": 12, "live_scoring": True, "ball_conversion": True, "balls": 4},
    "AS-60 to AS-64 every option": {
        "slots": (1, 3, 2),
        "balls": 3,
        "grand_slam_finish": True,
        "blocking": True,
        "multipliers": (3, 2, 1),
        "dead_slots": ((2, 2), (3, 1)),
        "ball_conversion": True,
    },
}


def walk(settings: dict[str, Any], seed: int) -> Iterator[tuple[State, Action, State]]:
    """Yield a match of sampled play, step by step, to its end."""
    state = GAME.initial(Config(**settings), 2)
    chance = numbers(seed)
    while choices := tuple(GAME.legal(state, next(chance))):
        action = pick(chance, choices)
        after = GAME.apply(state, action)
        yield state, action, after
        state = after
    assert GAME.outcome(state) is not None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_play_keeps_what_always_holds(settings: dict[str, Any], seed: int) -> None:
    for before, action, after in walk(settings, seed):
        board, course = after.board, after.course
        lying = [ball for row in board.slots for ball in row if ball is not None]
        assert sum(sum(getattr(board, spot)) for spot in SPOTS) + len(lying) == 2 * after.config.balls
        assert min(min(getattr(board, spot)) for spot in SPOTS) >= 0
        assert all(board.slots[position - 1][slot - 1] is not None for position, slot in board.dead)
        assert (after.turn is None) == (course.ends_ms is None)
        assert after.choice in (None, after.turn)
        assert after.final_sequence in (None, after.turn)
        assert after.t_ms == action.t_ms >= before.t_ms
        if not after.config.live_scoring:
            same_game = course.game == before.course.game
            assert not same_game or all(map(int.__le__, GAME.scores(before), GAME.scores(after)))


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_samples_are_allowed_different_and_fixed_by_the_seed(settings: dict[str, Any]) -> None:
    for state, _, _ in walk(settings, 99):
        sample = list(GAME.legal(state, 5))
        assert sample == list(GAME.legal(state, 5))
        assert len(sample) == len(set(sample)) > 0
        assert all(GAME.check(state, action) is None for action in sample)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_line_and_object_reads_back(settings: dict[str, Any]) -> None:
    for state, action, after in walk(settings, 7):
        assert GAME.read_notation(state, GAME.notation(action), action.t_ms) == (action,)
        assert GAME.parse_action(GAME.format_action(action), 2) == action
        assert GAME.describe(state, action)
        assert GAME.state_notation(after)


def test_turns_end_where_the_side_to_act_changes() -> None:
    steps = list(walk({}, 1))
    ended = [GAME.ends_turn(*step) for step in steps]
    assert ended == [before.turn is not None and GAME.turn(after) != before.turn for before, _, after in steps]
    assert any(ended)
    assert not all(ended)


@pytest.mark.parametrize("seed", range(3))
def test_a_shot_is_applied_within_a_fraction_of_a_millisecond(seed: int) -> None:
    steps = [step for step in walk({"balls": 10}, seed) if isinstance(step[1], Shot)]
    best_s = min(_timed(steps) for _ in range(5))
    assert best_s / len(steps) < 200e-6


def _timed(steps: list[tuple[State, Action, State]]) -> float:
    begun = time.perf_counter()
    for before, action, after in steps:
        assert GAME.check(before, action) is None
        assert GAME.apply(before, action) == after
    return time.perf_counter() - begun
