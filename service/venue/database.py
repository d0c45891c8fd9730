"""The club's PostgreSQL: opening it, bringing it to this program's form, keeping what boards handed over."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, create_engine, inspect, make_url, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import ArgumentError

from service.venue import schema
from service.venue.wire import Body, Handed, Have

CONNECT_S: Final = 5
TURN: Final = 7_301_946_211
"""Number of the lock that lets one program at a time bring the tables to its form."""


class ClubRefused(Exception):  # noqa: N818 - it says what is the case
    """The database cannot be the club's; the text is one sentence."""


def connect(url: str) -> Engine:
    """Give an engine; nothing is connected yet. Raises `ClubRefused` for an address that is none of PostgreSQL."""
    try:
        found = make_url(url)
    except ArgumentError as error:
        raise ClubRefused("the database's address cannot be read; takes postgresql://USER@HOST/NAME") from error
    if found.get_backend_name() != "postgresql":
        raise ClubRefused(
            f"the club needs PostgreSQL, not {found.get_backend_name()}; takes postgresql://USER@HOST/NAME"
        )
    try:
        return create_engine(
            found.set(drivername="postgresql+psycopg"),
            pool_size=4,
            max_overflow=2,
            pool_pre_ping=True,
            connect_args={"connect_timeout": CONNECT_S, "application_name": "tallycam", **_ALIVE},
        )
    except ImportError as error:
        raise ClubRefused('the club needs one more package: pip install "tallycam[venue]"') from error


_ALIVE: Final = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""A database that vanishes without a word is noticed within half a minute."""


def upgrade(engine: Engine) -> None:
    """Bring the database to this program's form.

    Raises
    ------
    ClubRefused
        If it holds another program's tables or was written by a newer program.
    """
    from alembic import command  # noqa: PLC0415 - loaded once, at the start
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    place = str(Path(__file__).parent / "migrations").replace("%", "%%")
    config.set_main_option("script_location", place)
    with engine.begin() as db:
        db.execute(text("SELECT pg_advisory_xact_lock(:turn)"), {"turn": TURN})
        tables = set(inspect(db).get_table_names())
        at = db.scalar(text("SELECT version_num FROM alembic_version")) if "alembic_version" in tables else None
        if at == schema.HEAD:
            return
        if at is None and tables - {"alembic_version"}:
            raise ClubRefused("the database holds another program's tables; make one for the club alone")
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if at is not None and at not in known:
            raise ClubRefused(f"the database was written by a newer tallycam (form {at}); update the program")
        config.attributes["connection"] = db
        command.upgrade(config, schema.HEAD)


def kept_of_all(engine: Engine) -> dict[str, Have]:
    """Give what is kept of every board."""
    table = schema.board
    with engine.connect() as db:
        return {row.id: Have(number=row.have, mark=row.mark) for row in db.execute(select(table))}


def keep(engine: Engine, batch: Mapping[str, Sequence[Handed]], at: str) -> dict[str, Have]:
    """Keep what follows of each board, all in one transaction, and give what is kept of these boards then.

    What is kept already is passed over, and what does not follow: the database alone says where a log goes on.
    So nothing comes twice, whoever else keeps the same, and if nobody knows whether the last try was taken.
    """
    with engine.begin() as db:
        known = _locked(db, sorted(batch), at)
        bodies: dict[str, list[Body]] = {}
        for name, changes in batch.items():
            have = known[name]
            bodies[name] = []
            for handed in changes:
                if (handed.after, handed.after_mark) == (have.number, have.mark):
                    bodies[name].append(handed.content)
                    have = Have(number=handed.number, mark=handed.mark)
            known[name] = have
        _write(db, bodies, at)
        moved = [
            {"key": name, "have": known[name].number, "mark": known[name].mark} for name in bodies if bodies[name]
        ]
        if moved:
            db.execute(text("UPDATE board SET have = :have, mark = :mark WHERE id = :key"), moved)
    return known


def _locked(db: Connection, names: Sequence[str], at: str) -> dict[str, Have]:
    """Give what is kept of boards, new ones among them, which nobody else changes until this is done."""
    table = schema.board
    for_update = select(table).where(table.c.id.in_(names)).order_by(table.c.id).with_for_update()
    rows = db.execute(for_update).all()
    if len(rows) < len(names):
        new = [{"id": name, "have": 0, "mark": "", "first_at": at} for name in names]
        db.execute(insert(table).on_conflict_do_nothing(), new)
        rows = db.execute(for_update).all()
    return {row.id: Have(number=row.have, mark=row.mark) for row in rows}


def _write(db: Connection, bodies: Mapping[str, Sequence[Body]], at: str) -> None:
    every = [(name, body) for name, of_board in bodies.items() for body in of_board]
    if not every:
        return
    matches = {
        (name, body.match): {"id": body.match, "header": body.header, "created_at": body.created_at}
        for name, body in every
    }
    _add(db, schema.match, ({"board_id": name, **row} for (name, _), row in matches.items()))
    _add(
        db,
        schema.entry,
        (
            {"board_id": name, "match_id": body.match, "seq": body.entry, "line": body.line}
            for name, body in every
            if body.line is not None
        ),
    )
    _add(
        db,
        schema.detection,
        (
            {
                "board_id": name,
                "match_id": body.match,
                "entry_seq": body.entry,
                "seen": body.seen.data,
                "model": body.seen.model,
            }
            for name, body in every
            if body.line is not None and body.seen is not None
        ),
    )
    _add(
        db,
        schema.change,
        (
            {
                "board_id": name,
                "id": body.number,
                "match_id": body.match,
                "kind": body.kind,
                "entry_seq": body.entry,
                "seq": body.seq,
                "at": body.at,
                "sighting_id": body.sighting,
                "kept_at": at,
            }
            for name, body in every
        ),
    )
    _add(
        db,
        schema.review,
        (
            {
                "board_id": name,
                "change_id": body.number,
                "match_id": body.match,
                "entry_seq": body.entry,
                "decision": body.decided.decision,
                "by": body.decided.by,
                "at": body.at,
            }
            for name, body in every
            if body.decided is not None and body.entry is not None
        ),
    )
    _standings(db, every)


def _standings(db: Connection, every: Iterable[tuple[str, Body]]) -> None:
    """Note which matches went on: `tally` computes what they come to."""
    newest = {
        (name, body.match): {
            "board_id": name,
            "match_id": body.match,
            "change_id": body.number,
            "seq": body.seq,
            "at": body.at,
        }
        for name, body in every
    }
    statement = insert(schema.standing)
    moved = {column: statement.excluded[column] for column in ("change_id", "seq", "at")}
    db.execute(
        statement.on_conflict_do_update(index_elements=["board_id", "match_id"], set_=moved), list(newest.values())
    )


def _add(db: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows.

    A match comes with each of its changes and stays as it came first. Of all else a second one is a contradiction
    that must not be passed over: `board` has said that it was not here yet.
    """
    new = list(rows)
    if new:
        statement = insert(table)
        db.execute(statement.on_conflict_do_nothing() if table is schema.match else statement, new)


def sides_of(header: str) -> tuple[str | None, list[str]]:
    """Give game and sides of a match's header; nothing of one that cannot be read."""
    try:
        found = json.loads(header)
        return str(found["game"]), [str(side) for side in found["sides"]]
    except (ValueError, KeyError, TypeError):
        return None, []
