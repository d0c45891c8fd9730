"""Whatever is read or typed: a scoresheet or `ScoresheetError`, an action or `NotationError`, nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    GAMES,
    NotationError,
    Scoresheet,
    ScoresheetError,
    explain,
    format_sheet,
    parse_sheet,
    replay,
    result,
    running_totals,
)

FOLDER = Path(__file__).parent / "golden"
LINES = {game: (FOLDER / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()[:25] for game in GAMES}
CALM = settings(max_examples=150, deadline=None, derandomize=True)

WORDS = ["7", "fallen", "T20", "hand", "umpire:Cho", "defense", "shot", "", "\x9b2J", "é"]
KEYS = st.sampled_from(WORDS)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 5),
        st.sampled_from([10**301, -(10**301), 1.0, 0.5, 1e308, -1e308]),
        KEYS,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)


def read(source: str | bytes) -> Scoresheet | ScoresheetError:
    try:
        return parse_sheet(source)
    except ScoresheetError as error:
        return error


def use(source: str | bytes) -> None:
    """Read and do all that is done with a scoresheet."""
    sheet = read(source)
    if isinstance(sheet, ScoresheetError):
        assert sheet.line >= 1
        assert sheet.message.isprintable()
        assert len(sheet.message) < 600
        return
    assert parse_sheet(format_sheet(sheet)) == sheet
    assert json.dumps(result(sheet))
    assert len(explain(sheet)) == len(sheet.entries)
    assert len(running_totals(sheet)) <= len(replay(sheet).steps)


@CALM
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    use(data)
    use(LINES["finn"][0].encode() + b"\n" + data)


@CALM
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    use(text)
    use(f"{LINES['finn'][0]}\n{text}")


def paths(value: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give every place in a JSON value."""
    found = [at]
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in inner:
            found += paths(item, (*at, key))
    return found


def put(value: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> None:  # noqa: ANN401
    """Change the container at a path."""
    *way, last = path
    for key in way:
        value = value[key]
    change(value, last)


@pytest.mark.parametrize("game", GAMES)
@CALM
@given(data=st.data())
def test_a_scoresheet_with_one_thing_changed(game: str, data: st.DataObject) -> None:
    lines = list(LINES[game])
    at = data.draw(st.integers(0, len(lines) - 1))
    value = json.loads(lines[at])
    path = data.draw(st.sampled_from(paths(value)[1:]))
    new = data.draw(VALUES)
    how = data.draw(st.sampled_from(["replace", "remove", "rename"]))

    def change(around: Any, key: Any) -> None:  # noqa: ANN401
        if how == "replace":
            around[key] = new
        elif how == "remove":
            del around[key]
        elif isinstance(around, dict):
            around[f"{key}\x9b"] = around.pop(key)

    put(value, path, change)
    lines[at] = json.dumps(value)
    use("\n".join(lines))


@pytest.mark.parametrize("game", GAMES)
@CALM
@given(line=st.text(st.sampled_from("0123 .,@|<>-+/x_↓TSDB!ahndgroupestilr"), max_size=24))
def test_any_typed_line(game: str, line: str) -> None:
    rules = GAMES[game]
    state = rules.initial(rules.parse_config({}), 2)
    try:
        actions = rules.read_notation(state, line, 5)
    except NotationError:
        return
    for action in actions:
        assert rules.parse_action(rules.format_action(action), 2) == action
        rules.check(state, action)
        rules.detail(state, action)
        rules.notation(action)
