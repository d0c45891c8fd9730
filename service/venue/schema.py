"""The club's tables: those of a board's log with the board's name in front, and what the club makes of them.

`match`, `entry`, `detection`, `review` and `change` have the columns of the embedded store, taken from its very
tables. `board` says how much of each board's log is kept, `standing` how far each match is, `total` what it comes
to: both can be made anew from the rest. They are two tables, so that the threads that write them never wait for
each other.
"""

from typing import Final

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from service.store import schema as embedded

metadata = MetaData()

board = Table(
    "board",
    metadata,
    Column("id", Text, primary_key=True),
    Column("have", Integer, nullable=False),
    Column("mark", Text, nullable=False),
    Column("first_at", Text, nullable=False),
)


def _columns(name: str, *left: str) -> list[Column[object]]:
    """Give a table's columns as the embedded store has them, without what hangs on them."""
    table: Table = getattr(embedded, name)
    return [
        Column(column.name, column.type, nullable=column.nullable, autoincrement=False)
        for column in table.columns
        if column.name not in left
    ]


def _board() -> Column[str]:
    return Column("board_id", Text, ForeignKey("board.id"), nullable=False)


match = Table("match", metadata, _board(), *_columns("match"), PrimaryKeyConstraint("board_id", "id"))

entry = Table(
    "entry",
    metadata,
    _board(),
    *_columns("entry"),
    PrimaryKeyConstraint("board_id", "match_id", "seq"),
    ForeignKeyConstraint(["board_id", "match_id"], ["match.board_id", "match.id"]),
)

detection = Table(
    "detection",
    metadata,
    _board(),
    *_columns("detection"),
    PrimaryKeyConstraint("board_id", "match_id", "entry_seq"),
    ForeignKeyConstraint(["board_id", "match_id", "entry_seq"], ["entry.board_id", "entry.match_id", "entry.seq"]),
)

change = Table(
    "change",
    metadata,
    _board(),
    *_columns("change"),
    Column("kept_at", Text, nullable=False),
    PrimaryKeyConstraint("board_id", "id"),
    ForeignKeyConstraint(["board_id", "match_id"], ["match.board_id", "match.id"]),
    Index("change_of_match", "board_id", "match_id", "id"),
)

review = Table(
    "review",
    metadata,
    _board(),
    *_columns("review", "id"),
    Column("change_id", Integer, nullable=False, autoincrement=False),
    PrimaryKeyConstraint("board_id", "change_id"),
    ForeignKeyConstraint(["board_id", "change_id"], ["change.board_id", "change.id"]),
)

standing = Table(
    "standing",
    metadata,
    _board(),
    Column("match_id", Text, nullable=False),
    Column("change_id", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Text, nullable=False),
    PrimaryKeyConstraint("board_id", "match_id"),
    ForeignKeyConstraint(["board_id", "match_id"], ["match.board_id", "match.id"]),
    Index("standing_newest", "board_id", "change_id"),
)

total = Table(
    "total",
    metadata,
    _board(),
    Column("match_id", Text, nullable=False),
    Column("result_seq", Integer, nullable=False),
    Column("statistics_seq", Integer, nullable=False),
    Column("game", Text),
    Column("sides", Text),
    Column("result", Text),
    Column("statistics", Text),
    PrimaryKeyConstraint("board_id", "match_id"),
    ForeignKeyConstraint(["board_id", "match_id"], ["match.board_id", "match.id"]),
)

HEAD: Final = "0001"
"""The newest migration of the club's tables."""
