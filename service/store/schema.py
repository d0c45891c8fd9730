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
    Column("change_id", Integer, ForeignKey("change.id"), nullable=False),
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
    Index("change_of_match", "match_id", "id"),
    sqlite_strict=True,
    sqlite_autoincrement=True,
)
