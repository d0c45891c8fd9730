"""Many boards and one club: a real broker and a real PostgreSQL that go away, a club that is killed."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError
from starlette.testclient import TestClient
from support.service import free_port
from support.venue import ClubProgram, PlayingBoard, needs_broker, needs_database

from engine import parse_sheet, result
from service.bench.servers import Mosquitto, Postgres, postgres, until
from service.cli.errors import CommandError
from service.cli.venue import broker_of
from service.venue import schema
from service.venue.app import club_app
from service.venue.club import Club, open_club
from service.venue.database import ClubRefused, connect, keep, kept_of_all, upgrade
from service.venue.intake import Intake, Look
from service.venue.keeping import Keeper
from service.venue.link import Address, Link
from service.venue.questions import match, matches, players, results, results_csv
from service.venue.tally import Tally
from service.venue.wire import Handed, Have, log_topic, mark_of, write_body, write_handed

pytestmark = [needs_database]
NAMES = count()
NOTHING = Look(have=0, behind=0, coming=0, heard_s=None, lag_s=None, problem=None)


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres() as made:
        yield made


@pytest.fixture(scope="module")
def club_database(server: Postgres) -> Iterator[Engine]:
    made = connect(server.new("club"))
    upgrade(made)
    yield made
    made.dispose()


@pytest.fixture
def engine(club_database: Engine) -> Engine:
    """The club's database, empty."""
    with club_database.begin() as db:
        db.execute(text("TRUNCATE board CASCADE"))
    return club_database


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    yield made
    made.end()


def chain(*bodies: dict[str, Any], after: Have | None = None) -> list[Handed]:
    """Give changes that follow each other."""
    have, found = after or Have(), []
    for number, values in enumerate(bodies, have.number + 1):
        body = write_body({"number": number, "at": "2026-11-30T12:00:00.000Z", "created_at": "c", **values})
        found.append(
            Handed(number=number, after=have.number, after_mark=have.mark, newest=number, waited_ms=0, body=body)
        )
        have = Have(number=number, mark=mark_of(body))
    return found


HEADER = json.dumps(
    {"scoresheet": 1, "game": "cricket", "rules": "cricket/1", "sides": ["Ann", "Ben"], "config": {}}
)


def created(match_id: str = "m", header: str = HEADER) -> dict[str, Any]:
    return {"match": match_id, "header": header, "kind": "match.created", "seq": 0}


def thrown(seq: int, segment: str = "T20", match_id: str = "m", side: int = 0) -> dict[str, Any]:
    action = {"kind": "throw", "side": side, "t_ms": seq * 1000, "segment": segment}
    line = json.dumps({"id": seq, "entry": "record", "action": action, "by": "camera"})
    return {"match": match_id, "header": HEADER, "kind": "entry.recorded", "seq": seq, "entry": seq, "line": line}


# ---------------------------------------------------------------- the database


def test_migrations_lead_to_the_tables_that_the_code_knows(engine: Engine) -> None:
    with engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), schema.metadata) == []


def test_the_clubs_tables_have_every_column_of_the_embedded_ones() -> None:
    from service.store import schema as embedded  # noqa: PLC0415

    for name in ("match", "entry", "detection", "change", "review"):
        ours = set(schema.metadata.tables[name].columns.keys())
        assert {"board_id", *embedded.metadata.tables[name].columns.keys()} - {"id"} <= ours, name


def test_a_database_of_a_newer_program_or_another_one_is_refused(server: Postgres) -> None:
    other = connect(server.new(f"other{next(NAMES)}"))
    with other.begin() as db:
        db.execute(text("CREATE TABLE theirs (id int)"))
    with pytest.raises(ClubRefused, match="another program"):
        upgrade(other)
    with other.begin() as db:
        db.execute(text("DROP TABLE theirs"))
    upgrade(other)
    with other.begin() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ClubRefused, match="newer tallycam"):
        upgrade(other)
    other.dispose()


@pytest.mark.parametrize("url", ["sqlite:///club.db", "no address", "mysql://a@b/c"])
def test_only_postgresql_will_do(url: str) -> None:
    with pytest.raises(ClubRefused, match="postgresql://"):
        connect(url)


def test_what_comes_twice_or_overlaps_is_kept_once(engine: Engine) -> None:
    sent = chain(created(), thrown(1), thrown(2), thrown(3))
    keep(engine, {"den": sent[:3]}, "now")
    assert keep(engine, {"den": sent[:3]}, "now")["den"] == Have(number=3, mark=sent[2].mark)
    assert keep(engine, {"den": sent}, "now")["den"].number == 4
    assert kept_of_all(engine) == {"den": Have(number=4, mark=sent[3].mark)}
    with engine.connect() as db:
        assert list(db.scalars(select(schema.entry.c.seq).order_by(schema.entry.c.seq))) == [1, 2, 3]


def test_a_gap_and_another_log_of_the_same_name_are_not_kept(engine: Engine) -> None:
    sent = chain(created(), thrown(1), thrown(2), thrown(3))
    assert keep(engine, {"den": [*sent[:2], sent[3]]}, "now")["den"].number == 2
    foreign = chain(created("x"), thrown(1, match_id="x"), thrown(2, "S1", match_id="x"))
    assert keep(engine, {"den": foreign[2:]}, "now")["den"].number == 2


def test_one_contradicting_board_takes_nothing_of_the_batch_with_it(engine: Engine) -> None:
    sent = chain(created(), thrown(1), thrown(1, "S5"))
    with pytest.raises(Exception, match="entry_pkey"):
        keep(engine, {"den": sent, "bar": chain(created())}, "now")
    assert kept_of_all(engine) == {}


def test_players_matches_and_results_are_told_across_boards(engine: Engine) -> None:
    first = chain(created(), thrown(1, "T20"), thrown(2, "S20"), thrown(3, "S19"))
    other = json.dumps({**json.loads(HEADER), "sides": ["ann ", "=Eve"]})
    second = chain(created("n", other), {**thrown(1, "T19", "n"), "header": other})
    keep(engine, {"den": first, "bar": second}, "now")
    tally = Tally(engine)
    assert tally.look(0.0) == 2
    tally.look(10.0)
    assert tally.look(20.0) == 0, "nothing is left to do"
    ann = next(one for one in players(engine) if one["name"].lower() == "ann")
    assert (ann["matches"], ann["counts"]["darts"], ann["counts"]["triples"]) == (2, 4, 2)
    assert {(one["board"], one["id"]) for one in matches(engine, player="ANN")} == {("den", "m"), ("bar", "n")}
    assert [one["id"] for one in matches(engine, board="bar")] == ["n"]
    whole = match(engine, "den", "m")
    assert whole is not None
    assert whole["result"] == result(
        parse_sheet("\n".join([HEADER, *(json.loads(c.body)["line"] for c in first[1:])]))
    )
    table = "".join(results_csv(results(engine)))
    assert table.count("\r\n") == 5
    assert ",'=Eve," in table, "no spreadsheet runs a name"
    keep(engine, {"den": chain(thrown(4, "T18"), after=Have(number=4, mark=first[3].mark))}, "now")
    tally.moved({("den", "m"): 4}, 30.0)
    tally.look(30.0)
    assert matches(engine, board="den")[0]["result"]["scores"] == match(engine, "den", "m")["result"]["scores"]  # type: ignore[index]


def test_a_match_that_cannot_be_read_is_told_and_holds_up_no_other(engine: Engine) -> None:
    keep(engine, {"den": chain(created("bad", "no header"), created("m"), thrown(1))}, "now")
    tally = Tally(engine)
    tally.look(0.0)
    tally.look(10.0)
    assert tally.look(20.0) == 0
    assert {one["id"]: one["result"] is None for one in matches(engine)} == {"bad": True, "m": False}
    bad = match(engine, "den", "bad")
    assert bad is not None
    assert "problem" in bad


# ---------------------------------------------------------------- the whole way


def look_the_same(engine: Engine, boards: list[PlayingBoard]) -> None:
    """Hold what the club has against each board's own: entries, their order, changes, totals."""
    with engine.connect() as db:
        for board in boards:
            kept: dict[str, list[str]] = {}
            match_, entry, change = schema.match.c, schema.entry.c, schema.change.c
            for row in db.execute(select(match_.id, match_.header).where(match_.board_id == board.name)):
                kept[row.id] = [row.header]
            for row in db.execute(
                select(entry.match_id, entry.line).where(entry.board_id == board.name).order_by(entry.seq)
            ):
                kept[row.match_id].append(row.line)
            assert kept == board.lines()
            told = db.execute(
                select(change.id, change.match_id, change.seq)
                .where(change.board_id == board.name)
                .order_by(change.id)
            ).all()
            assert [tuple(row) for row in told] == [
                (row.id, row.match_id, row.seq) for row in board.store.changes(0, limit=10**6)
            ]
            assert {name: result(parse_sheet("\n".join(lines))) for name, lines in kept.items()} == board.totals()


def kept_by(engine: Engine) -> dict[str, int]:
    """Give the newest change kept of each board; nothing while the database is away."""
    try:
        return {name: have.number for name, have in kept_of_all(engine).items()}
    except DBAPIError:
        return {}


def through_faults(
    server: Postgres,
    broker: Mosquitto,
    folder: Path,
    *,
    boards: int,
    entries: int,
    faults: list[str],
    away_s: float,
) -> None:
    """Play on all boards while the broker and the database go away and the club is killed; all comes through."""
    url = server.new(f"club{next(NAMES)}")
    engine, club = connect(url), ClubProgram(broker.port, url)
    playing = [PlayingBoard(folder, f"board{number}", broker.port) for number in range(boards)]
    portion = entries // (len(faults) + 1)

    def play(count: int) -> None:
        for _ in range(count):
            for board in playing:
                board.play(1)

    def fails(fault: str) -> None:
        match fault:
            case "broker":
                broker.end()
                time.sleep(away_s)
                broker.start()
            case "database":
                server.end()
                time.sleep(away_s)
                server.start()
            case _:
                club.kill()
                club.start()

    try:
        for fault in faults:
            before = sum(kept_by(engine).values())
            writing = threading.Thread(target=play, args=(portion,))
            writing.start()
            until(lambda before=before: sum(kept_by(engine).values()) > before, 120)  # type: ignore[misc]
            fails(fault)
            writing.join()
        play(entries - portion * len(faults))
        wanted = {board.name: board.store.last_change() for board in playing}
        until(lambda: kept_by(engine) == wanted, 240)
        look_the_same(engine, playing)
        until(lambda: [board.outbox.sent.waiting for board in playing] == [0] * boards)
        club.ready()
        shown = club.ask("/api/v1/wall")["boards"]
        assert [one["behind"] for one in shown] == [0] * boards
        until(
            lambda: all(
                one["match"]["told_seq"] == one["match"]["seq"] for one in club.ask("/api/v1/wall")["boards"]
            )
        )
        own = {board.name: board.totals() for board in playing}
        for one in club.ask("/api/v1/wall")["boards"]:
            assert one["match"]["result"]["scores"] == own[one["board"]][one["match"]["id"]]["scores"]
        assert "tallycam_venue_board_behind" in club.text("/api/v1/metrics")
        assert club.end() == 0
    finally:
        for board in playing:
            board.close()
        engine.dispose()
        club.kill()


@needs_broker
@pytest.mark.long
def test_nothing_is_lost_or_twice_while_broker_database_and_club_go_away(
    server: Postgres, broker: Mosquitto, tmp_path: Path
) -> None:
    faults = ["club", "broker", "database", "club"]
    through_faults(server, broker, tmp_path, boards=4, entries=150, faults=faults, away_s=0.5)


@pytest.fixture
def club(engine: Engine, broker: Mosquitto) -> Iterator[Club]:
    """A club in this process."""
    with open_club(
        engine.url.render_as_string(hide_password=False), Address(host="127.0.0.1", port=broker.port)
    ) as made:
        yield made


def have_of(club: Club, board: str) -> int:
    return club.intake.have(board).number


@needs_broker
def test_a_second_board_of_the_same_name_is_told_so_and_harms_nobody(
    club: Club, broker: Mosquitto, tmp_path: Path
) -> None:
    with closing(PlayingBoard(tmp_path / "a", "den", broker.port)) as first:
        first.play(5)
        until(lambda: have_of(club, "den") == 6)
        with closing(PlayingBoard(tmp_path / "b", "den", broker.port)) as second:
            second.play(9)
            until(lambda: "another log" in str(second.outbox.sent.problem))
            first.play(3)
            until(lambda: have_of(club, "den") == 9)
            assert second.outbox.sent.waiting == 10
            look_the_same(club.engine, [first])


@needs_broker
def test_a_lost_database_fills_itself_again_from_the_boards(club: Club, broker: Mosquitto, tmp_path: Path) -> None:
    with closing(PlayingBoard(tmp_path, "den", broker.port)) as board:
        board.play(60)
        until(lambda: have_of(club, "den") == 62)
        with club.engine.begin() as db:
            db.execute(text("TRUNCATE board CASCADE"))
        club.link.close()
        url = club.engine.url.render_as_string(hide_password=False)
        with open_club(url, Address(host="127.0.0.1", port=broker.port)) as another:
            until(lambda: have_of(another, "den") == 62)
            look_the_same(another.engine, [board])


@needs_broker
def test_what_cannot_be_kept_is_told_and_holds_up_no_other_board(
    club: Club, broker: Mosquitto, tmp_path: Path
) -> None:
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    with closing(PlayingBoard(tmp_path, "den", broker.port)) as board:
        board.play(2)
        until(lambda: have_of(club, "den") == 3)  # from here on it listens: these two hand over once
        for change in chain(created(), thrown(1), thrown(1, "S5")):  # one entry twice
            client.publish(log_topic("odd"), write_handed(change), qos=1)
        client.publish(log_topic("worse"), b"\xff", qos=1)
        board.play(3)
        until(lambda: have_of(club, "den") == 6)
        until(lambda: all(club.intake.look().get(name, NOTHING).problem for name in ("odd", "worse")))
    assert "cannot be kept" in str(club.intake.look()["odd"].problem)
    assert "cannot be read" in str(club.intake.look()["worse"].problem)
    client.disconnect()
    client.loop_stop()


@needs_broker
def test_the_club_tells_all_and_lets_nobody_change_anything(club: Club, broker: Mosquitto, tmp_path: Path) -> None:
    app = club_app(club)
    with (
        TestClient(app, base_url="http://127.0.0.1") as client,
        closing(PlayingBoard(tmp_path, "den", broker.port)) as board,
    ):
        board.play(7)
        until(lambda: have_of(club, "den") == 8)
        club.tally.look(time.monotonic())
        until(lambda: client.get("/api/v1/wall").json()["boards"][0]["match"]["result"])
        shown, first = client.get("/api/v1/wall").json()["boards"][0], next(iter(board.sheets))
        assert shown["match"]["result"]["scores"] == board.totals()[first]["scores"]
        assert client.get(f"/api/v1/matches/den/{first}/scoresheet").text.splitlines() == board.lines()[first]
        assert client.get("/api/v1/matches/den/nothing").json()["code"] == "NO_SUCH_MATCH"
        assert client.get("/api/v1/results.csv").text.count("\r\n") == 3
        assert client.get("/api/v1/results.json").json()["results"][0]["board"] == "den"
        assert client.get("/api/v1/health").json()["status"] == "ok"
        assert 'tallycam_venue_board_behind{board="den"} 0' in client.get("/api/v1/metrics").text
        assert client.get("/api/v1/wall", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/").headers["content-security-policy"]
        for route in app.routes:
            assert getattr(route, "methods", None) in (None, {"GET", "HEAD"})
        assert client.post("/api/v1/players").status_code == 405


def test_a_database_that_is_away_is_said_and_the_wall_stays() -> None:
    url = f"postgresql://club@127.0.0.1:{free_port()}/club"
    intake = Intake({"den": Have(number=3, mark="m")})
    link, made = Link(intake, Address(host="127.0.0.1")), connect(url)
    tally = Tally(made)
    keeper = Keeper(made, intake, link.announce, tally.moved)
    away = Club(engine=made, intake=intake, link=link, keeper=keeper, tally=tally)
    with TestClient(club_app(away), base_url="http://127.0.0.1") as client:
        assert client.get("/api/v1/players").json()["code"] == "DATABASE_AWAY"
        wall = client.get("/api/v1/wall").json()
        assert (wall["database"], wall["boards"][0]["have"]) == ("the database is away", 3)
        assert client.get("/api/v1/health").status_code == 503


@pytest.mark.parametrize(
    ("said", "meant"), [("club", ("club", 1883)), ("club:1", ("club", 1)), ("[::1]:9", ("::1", 9))]
)
def test_a_broker_is_named_by_host_and_port(said: str, meant: tuple[str, int]) -> None:
    assert broker_of(said, tls=False) == meant
    with pytest.raises(CommandError):
        broker_of(f"{said}:x", tls=False)


@pytest.mark.slow
@needs_broker
def test_nothing_is_lost_or_twice_of_forty_thousand_entries(
    server: Postgres, broker: Mosquitto, tmp_path: Path
) -> None:
    faults = ["club", "broker", "club", "database", "club", "broker", "club", "club"]
    through_faults(server, broker, tmp_path, boards=20, entries=2000, faults=faults, away_s=5.0)
