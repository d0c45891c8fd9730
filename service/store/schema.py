"""The tables. Migrations under `service/migrations` lead to exactly this; a test compares the two."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)

metadata = MetaData()

match = Table(
    "match",
    metadata,
    Column("id", Text, primary_key=True),
    Column("header", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    sqlite_strict=True,
)

entry = Table(
    "entry",
    metadata,
    Column("match_id", Text, ForeignKey("match.id"), primary_key=True),
    Column("seq", Integer, CheckConstraint("seq > 0"), primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    sqlite_strict=True,
)

detection = Table(
    "detection",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("entry_seq", Integer, primary_key=True, autoincrement=False),
    Column("seen", Text, nullable=False),
    Column("model", Text, nullable=False),
    ForeignKeyConstraint(["match_id", "entry_seq"], ["entry.match_id", "entry.seq"]),
    sqlite_strict=True,
)

review = Table(
    "review",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Text, nullable=False),
    Column("entry_seq", Integer, nullable=False),
    Column("decision", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Text, nullable=False),
    ForeignKeyConstraint(["match_id", "entry_seq"], ["entry.match_id", "entry.seq"]),
    Index("review_of_entry", "match_id", "entry_seq"),
    sqlite_strict=True,
)

done = Table(
    "done",
    metadata,
    Column("key", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("change_id", Integer, ForeignKey("change.id")),
    Column("made", Text),
    sqlite_strict=True,
)

change = Table(
    "change",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Text, ForeignKey("match.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("entry_seq", Integer),
    Column("seq", Integer, nullable=False),
    Column("at", Text, nullable=False),
    Column("sighting_id", Integer),
    Index("change_of_match", "match_id", "id"),
    sqlite_strict=True,
    sqlite_autoincrement=True,
)

doubts = Table(
    "doubts",
    metadata,
    Column("match_id", Text, ForeignKey("match.id"), primary_key=True),
    Column("way", Text, CheckConstraint("way IN ('mark', 'wait')"), nullable=False),
    sqlite_strict=True,
)

board = Table(
    "board",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("pace", Text, CheckConstraint("pace IN ('real', 'fast')"), nullable=False),
    Column("created_at", Text, nullable=False),
    Column("removed_at", Text),
    sqlite_strict=True,
)

setup = Table(
    "setup",
    metadata,
    Column("board_id", Text, ForeignKey("board.id"), primary_key=True),
    Column("version", Integer, CheckConstraint("version > 0"), primary_key=True, autoincrement=False),
    Column("setup", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Text, nullable=False),
    sqlite_strict=True,
)

watching = Table(
    "watching",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("board_id", Text, ForeignKey("board.id"), nullable=False),
    Column("match_id", Text, ForeignKey("match.id"), nullable=False),
    Column("setup_version", Integer, nullable=False),
    Column("source", Text, nullable=False),
    Column("pace", Text, nullable=False),
    Column("lying", Text),
    Column("zero_ms", Integer, nullable=False),
    Column("begun_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("outcome", Text),
    ForeignKeyConstraint(["board_id", "setup_version"], ["setup.board_id", "setup.version"]),
    Index("watching_of_board", "board_id", unique=True, sqlite_where=text("ended_at IS NULL")),
    Index("watching_of_match", "match_id", unique=True, sqlite_where=text("ended_at IS NULL")),
    sqlite_strict=True,
)

sighting = Table(
    "sighting",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Text, ForeignKey("match.id"), nullable=False),
    Column("watching_id", Integer, ForeignKey("watching.id")),
    Column("number", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("pictures", Text, nullable=False),
    Column("codes", Text, nullable=False),
    Column("action", Text),
    Column("state", Text, nullable=False),
    Column("first_entry", Integer),
    Column("last_entry", Integer),
    Column("at", Text, nullable=False),
    Column("decision", Text),
    Column("by", Text),
    Column("decided_at", Text),
    Column("model", Text),
    Index("sighting_of_match", "match_id", "id"),
    Index("sighting_of_watching", "watching_id", "number", unique=True),
    sqlite_strict=True,
)
