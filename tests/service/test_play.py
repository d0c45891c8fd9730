"""`tallycam play`: keeping score by hand, with undo and corrections."""

import errno
import json
import os
from pathlib import Path

import pytest
from support.program import Ran, tallycam, type_in

from engine import parse_sheet, result


class Terminal:
    """Types lines at the program."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def play(self, *args: str, lines: str) -> Ran:
        type_in(self.monkeypatch, lines.replace("; ", "\n"))
        return tallycam(self.capsys, "play", *args)


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)


def test_a_visit_is_typed_and_told(terminal: Terminal) -> None:
    ran = terminal.play("cricket", "--sides", "Ann, Ben", lines="T20 S5 -; ; DB")
    assert ran.status == 0
    assert ran.out.splitlines() == [
        "T20: 20 opened (FC-10)",
        "S5: counts as a miss (FC-04)",
        "MISS: no score (FC-03)",
        "end of turn (FC-03)",
        "DB: +50 (FC-13)",
    ]
    assert "0:50 | >1 DB | 20=3/0  Ben> " in ran.err


def test_json_at_the_end_and_nothing_else_on_stdout(terminal: Terminal) -> None:
    ran = terminal.play("finn", "--json", "--config", '{"target": 20}', lines="12; 7; 8; 5; quit; 9")
    found = json.loads(ran.out)
    assert (found["scores"], found["winner"]) == ([20, 7], 0)
    assert "MATCH_OVER" in ran.err


def test_what_the_rules_refuse_changes_nothing(terminal: Terminal) -> None:
    ran = terminal.play(
        "finn", "--json", lines="7@60,10; 6@61,10; 6 6; foo; ; strike 9; fix 9 7; insert 9 7; fix x 7"
    )
    assert json.loads(ran.out)["state"] == {"defense": {"7": [60, 10]}}
    for said in ("TOO_CLOSE, pins 6 and 7 are 1.00 cm apart", "named twice", "'foo' is no pin", "an empty line",
                 "takes the id of an earlier", "entry 9 is no action that counts", "'x' is no id"):  # fmt: skip
        assert said in ran.err


def test_undo_in_finn_strikes_the_newest_action(terminal: Terminal) -> None:
    ran = terminal.play("finn", lines="7; 6; undo; undo; undo")
    assert ran.out.splitlines()[2:] == ["7:6 is now 7:0", "7:0 is now 0:0", "nothing to undo"]


def test_undo_in_cricket_takes_back_darts_of_the_turn(terminal: Terminal) -> None:
    ran = terminal.play("cricket", lines="T20 S5; undo; undo; undo")
    assert ran.out.splitlines()[2:] == [
        "S5 taken back (FC-30)",
        "T20 taken back (FC-30)",
        "<: NOTHING_TO_UNDO, this turn has no dart to take back",
    ]


def test_a_correction_shows_scores_before_and_after(terminal: Terminal) -> None:
    ran = terminal.play("finn", lines="7; 6; fix 1 9; strike 3; insert 2 5; list; totals")
    assert ran.out.splitlines()[2:5] == ["7:6 is now 9:6", "9:6 is now 7:6", "7:6 is now 12:6"]
    assert "   4        by hand [strikes 3]" in ran.out
    assert "   5  5↓  pin 5: +5 (FB-20) [inserted: by hand]" in ran.out
    assert "   3    9↓  by hand [amends 1] (struck)" in ran.out
    assert "   3  A  12:6" in ran.out


def test_a_correction_may_leave_a_conflict_to_be_put_right(terminal: Terminal) -> None:
    ran = terminal.play("finn", lines="7; 6; strike 1; 5; fix 2 6; strike 3; 5; insert 0 9")
    assert ran.out.splitlines()[2:] == [
        "7:6 is now 0:0",
        "entry 2 is now in conflict: WRONG_SIDE, another side is on turn; fix or strike it",
        "entry 2 is in conflict (WRONG_SIDE, another side is on turn): fix or strike it first",
        "0:0 is now 6:0",
        "6:0 is now 7:0",
        "entry 2 is now in conflict: WRONG_SIDE, another side is on turn; fix or strike it",
        "entry 2 is in conflict (WRONG_SIDE, another side is on turn): fix or strike it first",
        "7:0 is now 9:0",
        "entry 1 is now in conflict: WRONG_SIDE, another side is on turn; fix or strike it",
    ]


def test_in_cricket_an_umpire_corrects(terminal: Terminal) -> None:
    for line in ("fix 1 T19", "strike 1", "insert 0 T19"):
        out = terminal.play("cricket", lines=f"T20; {line}").out
        assert "an umpire corrects (FC-33); `tallycam play` takes the name as --umpire NAME" in out
    ran = terminal.play("cricket", "--umpire", "Cho", "--json", lines="T20; fix 1 T19; fix 1 T19 T18")
    assert json.loads(ran.out)["state"]["darts"] == ["T19"]
    assert "one action in the place of one" in ran.err


def test_a_match_that_is_not_kept_is_said_at_the_start(terminal: Terminal, tmp_path: Path) -> None:
    said = "This match is not kept: --sheet FILE keeps it."
    assert terminal.play("finn", lines="7").err.startswith(said)
    assert said not in terminal.play("finn", "--sheet", str(tmp_path / "kept"), lines="7").err


def test_help_and_an_unknown_game(terminal: Terminal) -> None:
    for game in ("finn", "cricket", "astrolabe"):
        out = terminal.play(game, lines="help; ?").out
        assert out.count("fix ID NOTATION") == 2
        assert out.count(f"{game}:") == 2
        assert out.count("The prompt, such as ") == 2
    ran = terminal.play("darts", lines="")
    assert (ran.status, ran.err) == (2, "tallycam: there is no game 'darts'; takes finn, cricket, astrolabe\n")


def test_a_kept_sheet_is_written_after_each_line_and_gone_on_with(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    terminal.play("finn", "--sides", "Ann,Ben", "--sheet", str(path), lines="7; list")
    first = parse_sheet(path.read_bytes())
    assert first.sides == ("Ann", "Ben")
    terminal.play("finn", "--sheet", str(path), lines="6")
    second = parse_sheet(path.read_bytes())
    assert second.entries[:1] == first.entries
    assert result(second)["scores"] == [7, 6]
    assert sorted(path.parent.iterdir()) == [path]
    told = f"{path} stays a match of Ann, Ben; --sides has no say."
    assert told in terminal.play("finn", "--sheet", str(path), "--sides", "Cy,Di", lines="").err
    assert "has no say" not in terminal.play("finn", "--sheet", str(path), "--sides", "Ann, Ben", lines="").err
    assert parse_sheet(path.read_bytes()) == second
    assert "is a match of finn, not cricket" in terminal.play("cricket", "--sheet", str(path), lines="").err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["finn", "--config", "{"], "--config is no JSON"),
        (["finn", "--config", "[]"], "--config takes a JSON object"),
        (["finn", "--config", '{"target": 0}'], "config: target: got 0"),
        (["cricket", "--sides", "Ann"], "sides: got 1, takes 2 in cricket"),
        (["finn", "--sides", "Ann,,Ben"], "sides[1]"),
    ],
)
def test_mistakes_of_the_call(terminal: Terminal, args: list[str], says: str) -> None:
    ran = terminal.play(*args, lines="")
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err


def test_files_that_cannot_be_used(terminal: Terminal, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("{")
    assert f"{bad}: line 1" in terminal.play("finn", "--sheet", str(bad), lines="").err
    ran = terminal.play("finn", "--sheet", str(tmp_path / "no" / "match"), lines="7")
    assert ran.status == 2
    assert "cannot be written" in ran.err


def test_a_full_disk_is_said_and_nothing_half_written_stays(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "match.jsonl"
    assert terminal.play("cricket", "--sheet", str(kept), lines="T20").status == 0
    before = kept.read_bytes()

    def full(path: Path, *_args: object, **_kwargs: object) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    ran = terminal.play("cricket", "--sheet", str(kept), lines="T19")
    assert ran.status == 2
    assert "match.jsonl: cannot be written (No space left on device)" in ran.err
    assert kept.read_bytes() == before
    assert list(tmp_path.iterdir()) == [kept]
