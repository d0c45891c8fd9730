"""What boards and the club say to each other: marks, forms, the window, what came in which order."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.service import opened, played

from service.config import ConfigError, parse_config
from service.store import Seen
from service.venue.intake import MOST, Came, Intake
from service.venue.log import StoreLog
from service.venue.window import FIRST_WAIT_S, LAST_WAIT_S, WINDOW, Window
from service.venue.wire import (
    Handed,
    Have,
    NotOfTheForm,
    board_of_log,
    have_topic,
    log_topic,
    mark_of,
    read_handed,
    read_have,
    write_body,
    write_handed,
    write_have,
)


def log_of(length: int, word: str = "a") -> list[Handed]:
    """Give a log whose changes follow each other."""
    have, found = Have(), []
    for number in range(1, length + 1):
        about = {"match": "m", "header": "{}", "created_at": "c", "kind": word, "seq": 0, "at": "a"}
        body = write_body({"number": number, **about})
        found.append(
            Handed(number=number, after=have.number, after_mark=have.mark, newest=length, waited_ms=7, body=body)
        )
        have = Have(number=number, mark=mark_of(body))
    return found


# ---------------------------------------------------------------- the form


def test_a_change_is_the_same_after_its_way() -> None:
    sent = log_of(2)[1]
    assert read_handed(write_handed(sent)) == sent
    assert read_handed(write_handed(sent)).mark == sent.mark
    assert sent.content.kind == "a"
    assert read_have(write_have(Have(number=4, mark="x", gap=True))).gap


FORM = {"v": 1, "number": 2, "after": 1, "after_mark": "", "newest": 2, "waited_ms": 0, "body": "{}"}


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"number": 0},
        {"number": "2"},
        {"number": 2**31},
        {"after": 2},
        {"after": -1},
        {"body": None},
        {"body": "\0"},
        {"waited_ms": 1.5},
    ],
)
def test_what_is_not_of_the_form_is_refused(change: dict[str, Any]) -> None:
    read_handed(json.dumps(FORM).encode())
    with pytest.raises(NotOfTheForm):
        read_handed(json.dumps({**FORM, **change}).encode())


BODY = {"number": 2, "match": "m", "header": "{}", "created_at": "c", "kind": "k", "seq": 1, "at": "a"}


@pytest.mark.parametrize(
    "change",
    [
        {"number": 3},
        {"match": ""},
        {"match": "m\0"},
        {"header": "\ud800"},
        {"line": "x"},
        {"entry": 0},
        {"seq": -1},
    ],
)
def test_a_body_that_no_table_could_hold_is_refused(change: dict[str, Any]) -> None:
    def handed(values: dict[str, Any]) -> Handed:
        return Handed(number=2, after=1, after_mark="", newest=2, waited_ms=0, body=json.dumps(values))

    assert handed(BODY).content.match == "m"
    with pytest.raises(NotOfTheForm):
        _ = handed({**BODY, **change}).content


@given(st.binary(max_size=80))
def test_no_message_fails_otherwise(payload: bytes) -> None:
    for read in (read_handed, read_have):
        try:
            read(payload)
        except NotOfTheForm:
            continue


def test_topics_name_boards_and_nothing_else() -> None:
    assert board_of_log(log_topic("board-7")) == "board-7"
    assert board_of_log(have_topic("board-7")) is None
    assert board_of_log("tallycam/venue/a/b/log") is None


def test_the_settings_ask_for_a_name() -> None:
    good = parse_config('[venue]\nhost = "club.local"\nboard = "board-7"\npassword = "canary-9"')
    assert good.venue is not None
    assert "canary-9" not in repr(good)
    with pytest.raises(ConfigError, match=r"line 1: venue\.board"):
        parse_config('[venue]\nhost = "club.local"')


# ---------------------------------------------------------------- the window


def test_a_window_goes_on_as_the_club_does_and_back_when_it_stands() -> None:
    window = Window(room=3)
    for number in (1, 2, 3):
        window.send(number, 0.0)
    assert window.room == 0
    window.told(2, 1.0)
    assert (window.have, window.sent, window.room) == (2, 3, 2)
    assert not window.look(1.0 + FIRST_WAIT_S - 0.1)
    assert window.look(1.0 + FIRST_WAIT_S)
    assert (window.sent, window.room) == (2, 3)


def test_waits_grow_while_the_club_stands_and_begin_anew_when_it_moves() -> None:
    window, now_s, waits = Window(), 0.0, []
    for _ in range(6):
        window.send(1, now_s)
        begun = now_s
        while not window.look(now_s):
            now_s += 0.5
        waits.append(now_s - begun)
    assert waits == [3.0, 6.0, 12.0, 24.0, LAST_WAIT_S, LAST_WAIT_S]
    window.send(1, now_s)
    window.told(1, now_s)
    window.send(2, now_s)
    assert window.look(now_s + FIRST_WAIT_S)


def test_a_new_database_begins_again_and_a_club_that_is_ahead_is_believed() -> None:
    window = Window()
    window.send(1, 0.0)
    window.told(5, 0.0)
    assert (window.have, window.sent) == (5, 5)
    window.told(0, 0.0)
    assert (window.have, window.sent, window.room) == (0, 0, WINDOW)


@settings(deadline=None, max_examples=40)
@given(st.data())
@pytest.mark.long
def test_whatever_is_lost_or_doubled_on_the_way_all_is_kept_once_in_order(data: st.DataObject) -> None:
    """A board, a way that loses and doubles, a club that forgets what is not kept: all comes through in order."""
    log, kept, now_s = log_of(12), list[int](), 0.0
    intake, window = Intake({}), Window(room=4)
    for _ in range(400):
        if len(kept) == len(log):
            break
        now_s += 1.0
        window.look(now_s)
        for change in log[window.sent : window.sent + window.room]:
            window.send(change.number, now_s)
            for _ in range(data.draw(st.sampled_from([1, 1, 1, 0, 2]), label="copies")):
                intake.offer("den", change)
        batch = intake.take(data.draw(st.integers(1, 5), label="batch")).get("den", [])
        if data.draw(st.booleans(), label="killed"):
            last = log[kept[-1] - 1] if kept else None
            intake = Intake({"den": Have(number=last.number, mark=last.mark) if last else Have()})
            continue
        kept += [change.number for change in batch]
        if batch:
            intake.kept({"den": Have(number=batch[-1].number, mark=batch[-1].mark)}, now_s)
        if data.draw(st.booleans(), label="heard"):
            window.told(intake.have("den").number, now_s)
    assert kept == list(range(1, len(kept) + 1)), "in order, each once"
    if len(kept) < len(log):  # chance lost everything: without loss the rest comes
        window.told(intake.have("den").number, now_s)
        for change in log[intake.have("den").number :]:
            intake.offer("den", change)
        assert [one.number for one in intake.take(100)["den"]] == list(range(len(kept) + 1, 13))


# ---------------------------------------------------------------- what came


def test_what_came_is_told_by_number_and_mark() -> None:
    intake, sent, other = Intake({}), log_of(5), log_of(5, "b")
    assert intake.offer("den", sent[1]) is Came.GAP
    assert [intake.offer("den", one) for one in sent[:3]] == [Came.NEXT] * 3
    assert intake.offer("den", sent[0]) is Came.KNOWN
    assert intake.offer("den", sent[2]) is Came.KNOWN
    assert intake.offer("den", sent[4]) is Came.GAP
    assert intake.offer("den", other[3]) is Came.FOREIGN
    assert "two logs" in str(intake.look()["den"].problem)
    assert intake.offer("bar", other[0]) is Came.NEXT, "another board is another log"
    assert intake.look()["den"].behind == 5


def test_boards_take_turns_however_much_one_sends() -> None:
    intake = Intake({})
    for one in log_of(200):
        intake.offer("loud", one)
    for name in ("a", "b", "c"):
        intake.offer(name, log_of(1)[0])
    taken = intake.take(40)
    assert {name: len(changes) for name, changes in taken.items()} == {"loud": 10, "a": 1, "b": 1, "c": 1}
    firsts = {next(iter(intake.take(2))) for _ in range(8)}
    assert firsts == {"loud", "a", "b", "c"}


def test_a_board_that_sends_on_regardless_is_not_held_in_memory() -> None:
    intake = Intake({})
    came = [intake.offer("den", one) for one in log_of(MOST + 5)]
    assert came == [Came.NEXT] * MOST + [Came.REFUSED] + [Came.GAP] * 4


def test_what_another_club_kept_meanwhile_is_let_go_of() -> None:
    intake, sent = Intake({}), log_of(4)
    for one in sent:
        intake.offer("den", one)
    intake.kept({"den": Have(number=2, mark=sent[1].mark)}, 0.0)
    assert [one.number for one in intake.take(9)["den"]] == [3, 4]
    intake.kept({"den": Have(number=2, mark="another")}, 0.0)
    assert intake.take(9) == {}


# ---------------------------------------------------------------- the log


def test_a_log_is_a_chain_whose_marks_are_the_same_however_it_is_read(tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        match_id = played(matches, "T20 S20 S5", "T19")
        matches.append(
            match_id,
            5,
            [
                (
                    {
                        "entry": "record",
                        "action": {"kind": "throw", "side": 1, "t_ms": 9000, "segment": "S1"},
                        "by": "camera",
                    },
                    Seen(data={"segment": "S1"}, model="a"),
                )
            ],
        )
        matches.decide(match_id, 1, "accept", "umpire:Cho")
        log = StoreLog(matches.store)
        whole = log.after(0, 100)
        assert [one.number for one in whole] == list(range(1, log.newest() + 1))
        assert [one.after for one in whole] == list(range(log.newest()))
        assert [one.after_mark for one in whole] == ["", *(one.mark for one in whole[:-1])]
        assert [log.mark(one.number) for one in whole] == [one.mark for one in whole]
        part = log.after(4, 2)
        assert [(one.mark, one.after_mark) for one in part] == [(one.mark, one.after_mark) for one in whole[4:6]]
        assert log.mark(0) == ""
        assert log.mark(99) is None
        lines = [one.content.line for one in whole if one.content.line is not None]
        assert lines == list(matches.store.read(match_id).lines)
        assert whole[-1].content.decided is not None
        assert whole[-1].content.decided.by == "umpire:Cho"
        assert whole[6].content.seen is not None
        assert log.after(log.newest(), 5) == []
