"""What every game keeps, whatever its rules: one suite over all that are registered."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from support.matches import SETTINGS, Setting, random_play, sheet_text

from engine import GAMES, FormError, digest, format_sheet, parse_sheet, replay, result
from engine.cricket import EndTurn, Throw, Undo
from engine.cricket.rules import SEGMENTS
from engine.sampling import numbers

SEED = 20261129
LONGEST = 6000
pytestmark = pytest.mark.parametrize("setting", SETTINGS, ids=str)
Step = tuple[Any, Any, Any]


def steps(setting: Setting, seed: int = SEED, most: int = LONGEST) -> Iterator[Step]:
    return random_play(setting.game, seed, config=setting.config, sides=setting.sides, most=most)


def test_random_legal_play_ends(setting: Setting) -> None:
    rules = GAMES[setting.game]
    for seed in (1, 2):
        played = list(steps(setting, seed))
        assert len(played) < LONGEST
        last = played[-1][2]
        assert rules.outcome(last) is not None
        assert rules.turn(last) is None


def test_check_agrees_with_legal(setting: Setting) -> None:
    rules, chance = GAMES[setting.game], numbers(SEED)
    for state, action, after in islice(steps(setting), 150):
        offered = list(rules.legal(state, next(chance)))
        assert offered
        assert len(set(offered)) == len(offered)
        assert [rules.check(state, one) for one in offered] == [None] * len(offered)
        assert rules.check(state, action) is None
        assert after.t_ms == action.t_ms >= state.t_ms


def test_a_sample_is_fixed_by_its_seed(setting: Setting) -> None:
    rules = GAMES[setting.game]
    for state, _, _ in islice(steps(setting), 20):
        assert list(rules.legal(state, 5)) == list(rules.legal(state, 5))


def test_replay_equals_the_incremental_fold(setting: Setting) -> None:
    played = list(islice(steps(setting), 400))
    text = sheet_text(
        setting.game, [action for _, action, _ in played], config=setting.config, sides=setting.sides
    )
    replayed = replay(parse_sheet(text))
    assert replayed.conflict is None
    assert [step.state for step in replayed.steps] == [after for _, _, after in played]
    assert format_sheet(parse_sheet(text)) == format_sheet(parse_sheet(format_sheet(parse_sheet(text))))


def test_refused_actions_leave_the_state_untouched(setting: Setting) -> None:
    rules = GAMES[setting.game]
    played = list(steps(setting))
    actions = [action for _, action, _ in (*played[:15], *played[-15:])]
    for state in (*[state for state, _, _ in islice(played, 30)], played[-1][2]):
        before = digest(state)
        for action in actions:
            if rules.check(state, action) is not None:
                rules.detail(state, action)
        assert digest(state) == before
    assert {rules.check(played[-1][2], action) for action in actions} == {"MATCH_OVER"}


def test_form_round_trip(setting: Setting) -> None:
    rules = GAMES[setting.game]
    config = rules.parse_config(setting.config)
    assert rules.format_config(config) == setting.config
    assert rules.parse_config(json.loads(json.dumps(rules.format_config(config)))) == config
    for _, action, _ in islice(steps(setting), 300):
        form = json.loads(json.dumps(rules.format_action(action)))
        assert rules.parse_action(form, setting.sides) == action
        with pytest.raises(FormError):
            rules.parse_action({**form, "extra": 1}, setting.sides)


def test_notation_round_trip(setting: Setting) -> None:
    rules = GAMES[setting.game]
    for state, action, _ in islice(steps(setting), 300):
        line = rules.notation(action)
        assert line == line.strip()
        assert line.isprintable()
        assert rules.read_notation(state, line, action.t_ms) == (action,)


def test_sentences_name_a_clause_and_states_have_one_line(setting: Setting) -> None:
    rules = GAMES[setting.game]
    for state, action, after in islice(steps(setting), 300):
        assert re.search(r"\((?:FB|FC|AS)-\d\d", rules.describe(state, action))
        assert "\n" not in rules.describe(state, action)
        assert "\n" not in rules.state_notation(after)


def test_results_are_plain_json(setting: Setting) -> None:
    played = list(islice(steps(setting), 100))
    text = sheet_text(
        setting.game, [action for _, action, _ in played], config=setting.config, sides=setting.sides
    )
    found = result(parse_sheet(text))
    assert list(found) == ["game", "turn", "scores", "over", "winner", "conflict", "state"]
    assert json.loads(json.dumps(found)) == found
    assert len(found["scores"]) == setting.sides
    assert all(type(points) is int for points in found["scores"])


def test_where_actions_are_few_legal_gives_all_of_them(setting: Setting) -> None:
    if setting.game != "cricket":
        return
    rules = GAMES["cricket"]
    for state, _, _ in islice(steps(setting), 150):
        at = {"side": state.turn, "t_ms": state.t_ms}
        every = [*(Throw(segment=segment, **at) for segment in SEGMENTS), EndTurn(**at), Undo(**at)]
        assert set(rules.legal(state, 0)) == {action for action in every if rules.check(state, action) is None}
