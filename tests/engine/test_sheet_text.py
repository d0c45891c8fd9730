"""The scoresheet as text: what is read, what is none and in which line, and that writing gives it back."""

import json
from typing import Any

import pytest
from support.matches import sheet, sheet_text

from engine import (
    FormError,
    Record,
    ScoresheetError,
    Strike,
    action_from_json,
    action_to_json,
    amend,
    append,
    format_header,
    format_sheet,
    insert,
    new_sheet,
    parse_entry,
    parse_sheet,
    record,
    result,
    strike,
)
from engine.cricket import Throw
from engine.finn import shot
from engine.moments import is_moment
from engine.upgrade import Step, Upgrades

HEADER = '{"scoresheet": 1, "game": "finn", "rules": "finn/1", "sides": ["Ann", "Ben"], "config": {}}'
ENTRY = (
    '{"id": 1, "entry": "record", "action": {"kind": "shot", "side": 0, "t_ms": 5, "pins": {}}, "by": "camera"}'
)
BY: Any = {"by": "player", "reason": "x"}
ACTION: dict[str, Any] = {"kind": "shot", "side": 1, "t_ms": 9, "pins": {}}


def header(**changes: object) -> str:
    return json.dumps({**json.loads(HEADER), **changes})


def without(line: str, key: str) -> str:
    value = json.loads(line)
    del value[key]
    return json.dumps(value)


def entry(**fields: object) -> str:
    return json.dumps(fields)


def record_line(**changes: object) -> str:
    return json.dumps({**json.loads(ENTRY), **changes})


HEADERS = [
    ("", "a blank line"),
    ("\ufeff" + HEADER, "no JSON"),
    ("[]", "got a list of 0, takes an object"),
    ("1", "got 1, takes an object"),
    ("{", "no JSON, column 2"),
    (HEADER + " x", "no JSON"),
    ("[" * 100_000, "nested too deep"),
    ("9" * 5000, "a number with thousands of digits"),
    ('{"scoresheet": NaN}', "NaN is no number"),
    ('{"scoresheet": 1, "scoresheet": 1}', 'the key "scoresheet" stands twice'),
    ("x" * 1_000_001, "1000001 characters, takes up to 1000000"),
    (without(HEADER, "config"), 'the key "config" is missing'),
    (header(more=1), 'unknown key "more", takes scoresheet, game, rules, sides, config'),
    (header(scoresheet=2), "scoresheet: got 2, takes 1"),
    (header(scoresheet=True), "scoresheet: got true"),
    (header(scoresheet=1.0), "scoresheet: got 1.0"),
    (header(game="darts"), 'game: got "darts", takes finn, cricket or astrolabe'),
    (header(game=["finn"]), "game: got a list of 1"),
    (header(rules="cricket/1"), 'rules: got "cricket/1", takes finn/1'),
    (header(sides="Ann"), 'sides: got "Ann", takes a list'),
    (header(sides=[]), "sides: got 0, takes 1 or more in finn"),
    (header(sides=["Ann", " "]), 'sides[1]: got " ", takes a text'),
    (header(sides=["Ann", None]), "sides[1]: got null"),
    (header(sides=["Ann", "\ud800"]), "half of a surrogate pair"),
    (header(config={"targets": 1}), 'config: unknown key "targets"'),
    (header(config={"target": "x" * 99}), 'config: target: got "xxxxx'),
    (header(config=[]), "config: got a list of 0, takes an object"),
]


@pytest.mark.parametrize(("line", "says"), HEADERS, ids=range(len(HEADERS)))
def test_faults_of_the_header(line: str, says: str) -> None:
    with pytest.raises(ScoresheetError) as caught:
        parse_sheet(line)
    assert (caught.value.line, says in caught.value.message) == (1, True), caught.value
    assert len(str(caught.value)) < 250


LINES = [
    ("", "a blank line"),
    (" \t\r", "a blank line"),
    ('{"id": 2, "entry": "rec', "no JSON"),
    ("null", "got null, takes an object"),
    (entry(id=2), 'the key "entry" is missing'),
    (record_line(id=2, entry="note"), 'entry: got "note", takes record, amend, strike or insert'),
    (record_line(id=3), "id: got 3, takes 2, one more than the entry before"),
    (record_line(id=1), "id: got 1, takes 2"),
    (record_line(id=2.0), "id: got 2.0"),
    (record_line(id="2"), 'id: got "2"'),
    (record_line(id=2, reason="why"), 'unknown key "reason"'),
    (record_line(id=2, by="referee"), 'by: got "referee", takes camera, player or umpire:NAME'),
    (record_line(id=2, by="umpire:"), 'by: got "umpire:"'),
    (record_line(id=2, by="umpire: "), 'by: got "umpire: "'),
    (record_line(id=2, by=1), "by: got 1"),
    (record_line(id=2, at="yesterday"), 'at: got "yesterday", takes a time'),
    (record_line(id=2, at=5), "at: got 5"),
    (record_line(id=2, evidence="f1"), 'evidence: got "f1", takes a list'),
    (record_line(id=2, evidence=[1.5]), "evidence[0]: got 1.5"),
    (record_line(id=2, evidence=["ok", ""]), 'evidence[1]: got ""'),
    (record_line(id=2, model=None), "model: got null"),
    (record_line(id=2, action=None), "action: got null"),
    (record_line(id=2, action={**ACTION, "kind": "throw"}), 'action: kind: got "throw", takes shot'),
    (record_line(id=2, action={**ACTION, "side": 2}), "action: side: got 2, takes a side, 0 to 1"),
    (entry(id=2, entry="amend", target=1, action=ACTION, by="player"), 'the key "reason" is missing'),
    (entry(id=2, entry="amend", target=1, action=ACTION, by="player", reason=""), 'reason: got ""'),
    (
        entry(id=2, entry="amend", target=2, action=ACTION, **BY),
        "target: got 2, takes the id of an",
    ),
    (entry(id=2, entry="amend", target=0, action=ACTION, **BY), "earlier record or insert"),
    (entry(id=2, entry="amend", target=True, action=ACTION, **BY), "target: got true"),
    (
        entry(id=2, entry="amend", target=1, action={}, **BY),
        'action: the key "kind" is missing',
    ),
    (entry(id=2, entry="strike", target=2, **BY), "earlier record, amend, strike or insert"),
    (entry(id=2, entry="strike", target=-1, **BY), "target: got -1"),
    (entry(id=2, entry="insert", after=2, action=ACTION, **BY), "record or insert, or 0"),
    (entry(id=2, entry="insert", after="0", action=ACTION, **BY), 'after: got "0"'),
]


@pytest.mark.parametrize(("line", "says"), LINES, ids=range(len(LINES)))
def test_faults_of_an_entry(line: str, says: str) -> None:
    with pytest.raises(ScoresheetError) as caught:
        parse_sheet(f"{HEADER}\n{ENTRY}\n{line}\n")
    assert (caught.value.line, says in caught.value.message) == (3, True), caught.value


@pytest.mark.parametrize("pointed", ["amend", "insert"])
def test_amend_and_insert_point_at_no_correction(pointed: str) -> None:
    struck = strike(parse_sheet(f"{HEADER}\n{ENTRY}\n"), 1, **BY)
    with pytest.raises(ScoresheetError, match="line 4"):
        (amend if pointed == "amend" else insert)(struck, 2, shot(side=0, t_ms=1), **BY)


def test_the_first_fault_is_told_though_the_entry_is_struck() -> None:
    bad = record_line(id=2, action={**ACTION, "pins": {"7": "flat"}})
    with pytest.raises(ScoresheetError, match="line 3: action: pins: 7"):
        parse_sheet("\n".join([HEADER, ENTRY, bad, entry(id=3, entry="strike", target=2, **BY)]))


def test_pins_segments_and_slots_that_do_not_exist_are_no_fault_of_form() -> None:
    assert parse_sheet(f"{HEADER}\n{record_line(action={**ACTION, 'pins': {'99': 'fallen'}})}\n").entries


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (HEADER.encode() + b"\n\xff", 2, "0xff is not UTF-8"),
        (b"\x89PNG", 1, "0x89 is not UTF-8"),
        (HEADER.encode("utf-16"), 1, "is not UTF-8"),
        (b"", 1, "a blank line"),
        (b"{" + b"x" * 100_000_000, 1, "100000001 characters"),
    ],
    ids=["second line", "picture", "UTF-16", "empty", "100 MB of one line"],
)
def test_bytes_that_are_no_scoresheet(data: bytes, line: int, says: str) -> None:
    with pytest.raises(ScoresheetError) as caught:
        parse_sheet(data)
    assert (caught.value.line, says in caught.value.message) == (line, True), caught.value


def test_the_first_fault_of_the_file_is_told_though_a_later_line_is_not_utf_8() -> None:
    with pytest.raises(ScoresheetError, match='line 1: game: got "darts"'):
        parse_sheet(header(game="darts").encode() + b"\n\xff")


def test_text_with_half_a_surrogate_pair() -> None:
    with pytest.raises(ScoresheetError, match="line 2: half of a surrogate"):
        parse_sheet(HEADER + "\n\ud800")


def test_lines_end_with_a_line_feed_and_with_nothing_else() -> None:
    named = header(sides=["A\u2028B", "C\x85D"])
    spread = json.dumps(json.loads(named), ensure_ascii=False)
    assert parse_sheet(spread).sides == ("A\u2028B", "C\x85D")
    assert parse_sheet(f"{spread}\n{ENTRY}").entries == parse_sheet(f"{named}\n{ENTRY}\n").entries
    with pytest.raises(ScoresheetError, match="line 3: a blank line"):
        parse_sheet(f"{HEADER}\n{ENTRY}\n\n")


def test_keys_are_read_in_any_order_and_written_in_one() -> None:
    mixed = json.dumps(dict(reversed(json.loads(ENTRY).items())))
    turned = json.dumps(dict(reversed(json.loads(HEADER).items())))
    assert format_sheet(parse_sheet(f"{turned}\n{mixed}")) == f"{HEADER}\n{ENTRY}\n"


FULL = "\n".join(
    [
        '{"scoresheet": 1, "game": "finn", "rules": "finn/1", "sides": ["Ann", "Jörg"], "config": {"target": 9}}',
        '{"id": 1, "entry": "record", "action": {"kind": "shot", "side": 0, "t_ms": 5200, "pins": '
        '{"7": "fallen"}, "cushions": 2}, "by": "camera", "at": "2026-11-29T20:15:00Z", '
        '"evidence": ["clip-1", 12], "model": "ab12"}',
        '{"id": 2, "entry": "amend", "target": 1, "action": {"kind": "shot", "side": 0, "t_ms": 5200, "pins": '
        '{"9": "fallen"}, "take": "defense", "placements": {"9": [60, 10.5]}}, "by": "umpire:Cho", "reason": "9"}',
        '{"id": 3, "entry": "strike", "target": 2, "by": "player", "reason": "it was 7", '
        '"at": "2026-11-29T20:15:00Z"}',
        '{"id": 4, "entry": "insert", "after": 0, "action": {"kind": "shot", "side": 1, "t_ms": 0, "pins": {}}, '
        '"by": "umpire:Cho", "reason": "missed"}',
        "",
    ]
)


def test_canonical_text_is_given_back() -> None:
    assert format_sheet(parse_sheet(FULL)) == FULL
    assert parse_sheet(FULL) == parse_sheet(FULL.encode())


def test_a_number_that_a_person_gave_is_written_as_given() -> None:
    assert '"9": [60, 10.5]' in format_sheet(parse_sheet(FULL))


def test_no_float_is_written_where_an_integer_does() -> None:
    settings = {"disc_cm": 5.0, "pin_cm": 2.5, "defense_zone_cm": [[0.0, -0.0], [90.0, 0], [1e1, 9.25]]}
    begun = new_sheet("finn", ["Ann"], settings)
    kept = record(begun, shot(side=0, t_ms=0, pins={"9": "fallen"}, placements={"9": (40.0, 0.5)}))
    written = format_sheet(kept)
    assert '{"disc_cm": 5, "pin_cm": 2.5, "defense_zone_cm": [[0, 0], [90, 0], [10, 9.25]]}' in written
    assert '"placements": {"9": [40, 0.5]}' in written
    assert parse_sheet(written) == kept


def test_the_result_shows_a_number_as_it_was_given() -> None:
    action = {"kind": "shot", "side": 0, "t_ms": 1, "pins": {"9": "fallen"}, "take": "defense"}
    given = parse_sheet(f"{HEADER}\n{record_line(action={**action, 'placements': {'9': [60.0, 10]}})}\n")
    assert json.dumps(result(given)["state"]) == '{"defense": {"9": [60.0, 10]}}'


def test_the_helpers_append_what_the_file_would_say() -> None:
    begun = new_sheet("finn", ["Ann", "Jörg"], {"target": 9})
    read = parse_sheet(FULL)
    built = record(
        begun,
        shot(side=0, t_ms=5200, pins={"7": "fallen"}, cushions=2),
        at="2026-11-29T20:15:00Z",
        evidence=("clip-1", 12),
        model="ab12",
    )
    nine = shot(side=0, t_ms=5200, pins={"9": "fallen"}, placements={"9": (60, 10.5)})
    built = amend(built, 1, nine, by="umpire:Cho", reason="9")
    built = strike(built, 2, by="player", reason="it was 7", at="2026-11-29T20:15:00Z")
    built = insert(built, 0, shot(side=1, t_ms=0), by="umpire:Cho", reason="missed")
    assert built == read
    assert format_header(built) == json.loads(FULL.split("\n")[0])
    assert begun.entries == ()


def test_append_refuses_what_a_reader_would() -> None:
    begun = new_sheet("cricket", ["Ann", "Ben"])
    with pytest.raises(ScoresheetError, match="line 2: action: side: got 2"):
        record(begun, Throw(side=2, t_ms=0, segment="S20"))
    with pytest.raises(ScoresheetError, match="line 2: id: got 7"):
        append(begun, Record(id=7, action=Throw(side=0, t_ms=0, segment="S20"), by="camera"))
    with pytest.raises(ScoresheetError, match="line 2: half of a surrogate"):
        record(begun, Throw(side=0, t_ms=0, segment="\ud800"))
    with pytest.raises(ScoresheetError, match="line 2: target"):
        append(begun, Strike(id=1, target=1, by="umpire:Cho", reason="x"))


def test_parse_entry_gives_the_next_of_a_sheet() -> None:
    begun = new_sheet("finn", ["Ann", "Ben"])
    assert append(begun, parse_entry(begun, json.loads(ENTRY))) == parse_sheet(f"{HEADER}\n{ENTRY}")
    with pytest.raises(ScoresheetError, match="line 2: id"):
        parse_entry(begun, {**json.loads(ENTRY), "id": 2})


def test_new_sheet_takes_known_games() -> None:
    with pytest.raises(ScoresheetError, match="game"):
        new_sheet("darts", ["Ann", "Ben"])


def test_actions_alone() -> None:
    value = {"kind": "shot", "side": 6, "t_ms": 1, "pins": {"7": "fallen"}}
    assert action_to_json("finn", action_from_json("finn", value)) == value
    with pytest.raises(FormError, match="side: got 6"):
        action_from_json("finn", value, 3)
    with pytest.raises(FormError, match="side: got 6"):
        action_from_json("cricket", {"kind": "undo", "side": 6, "t_ms": 1})


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-29T20:15:00Z",
        "2026-11-29T20:15:00.123456+02:00",
        "2024-02-29t00:00:00z",
        "2000-02-29T23:59:60-00:00",
    ],
)
def test_moments(text: str) -> None:
    assert is_moment(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-29",
        "2026-11-29T20:15:00",
        "2026-11-29 20:15:00Z",
        "2026-11-29T20:15Z",
        "2026-13-29T20:15:00Z",
        "2026-00-29T20:15:00Z",
        "2026-11-31T20:15:00Z",
        "2026-02-29T20:15:00Z",
        "1900-02-29T20:15:00Z",
        "2026-11-00T20:15:00Z",
        "2026-11-29T24:15:00Z",
        "2026-11-29T20:60:00Z",
        "2026-11-29T20:15:61Z",
        "2026-11-29T20:15:00+24:00",
        "2026-11-29T20:15:00+02:60",
        "2026-11-29T20:15:00Z\n",
        "２026-11-29T20:15:00Z",
    ],
)
def test_no_moments(text: str) -> None:
    assert not is_moment(text)


def test_older_versions_are_lifted_step_by_step() -> None:
    def renamed(value: dict[str, Any], old: str, new: str) -> dict[str, Any]:
        return {new if key == old else key: item for key, item in value.items()}

    upgrades = Upgrades(
        sheet={
            -1: Step(
                header=lambda old: {**renamed(old, "names", "players"), "scoresheet": 0},
                entry=lambda old, value: renamed(value, "n", "number") if "names" in old else {},
            ),
            0: Step(
                header=lambda old: {**renamed(old, "players", "sides"), "scoresheet": 1},
                entry=lambda old, value: renamed(value, "number", "id") if "players" in old else {},
            ),
        },
        rules={"finn/0": Step(header=lambda old: {**old, "rules": "finn/1"}, entry=lambda _old, value: value)},
    )
    old_header = '{"scoresheet": -1, "game": "finn", "rules": "finn/0", "names": ["Ann", "Ben"], "config": {}}'
    old = f"{old_header}\n{ENTRY.replace('id', 'n', 1)}\n"
    assert parse_sheet(old, upgrades=upgrades) == parse_sheet(f"{HEADER}\n{ENTRY}\n")
    assert parse_sheet(FULL, upgrades=upgrades) == parse_sheet(FULL)
    with pytest.raises(ScoresheetError, match="unknown key"):
        parse_sheet(old)


def test_a_long_sheet_is_the_same_by_helpers_and_by_text() -> None:
    built = sheet("cricket", "T20 S5 - .", "DB - - .")
    again = new_sheet("cricket", ["Ann", "Ben"])
    for line in built.entries:
        assert isinstance(line, Record)
        again = record(again, line.action)
    assert again == built
    assert sheet_text("cricket", [line.action for line in built.entries if isinstance(line, Record)]) == (
        format_sheet(built)
    )
