"""The logs of all boards, and what their matches come to."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _board() -> sa.Column[str]:
    return sa.Column("board_id", sa.Text, sa.ForeignKey("board.id"), nullable=False)


def _of_match() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["board_id", "match_id"], ["match.board_id", "match.id"])


def upgrade() -> None:
    op.create_table(
        "board",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("have", sa.Integer, nullable=False),
        sa.Column("mark", sa.Text, nullable=False),
        sa.Column("first_at", sa.Text, nullable=False),
    )
    op.create_table(
        "match",
        _board(),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("header", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "id"),
    )
    op.create_table(
        "entry",
        _board(),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "match_id", "seq"),
        _of_match(),
    )
    op.create_table(
        "detection",
        _board(),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("entry_seq", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("seen", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "match_id", "entry_seq"),
        sa.ForeignKeyConstraint(
            ["board_id", "match_id", "entry_seq"], ["entry.board_id", "entry.match_id", "entry.seq"]
        ),
    )
    op.create_table(
        "change",
        _board(),
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry_seq", sa.Integer),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("sighting_id", sa.Integer),
        sa.Column("kept_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "id"),
        _of_match(),
    )
    op.create_index("change_of_match", "change", ["board_id", "match_id", "id"])
    op.create_table(
        "review",
        _board(),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("entry_seq", sa.Integer, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("change_id", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("board_id", "change_id"),
        sa.ForeignKeyConstraint(["board_id", "change_id"], ["change.board_id", "change.id"]),
    )
    op.create_table(
        "standing",
        _board(),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("change_id", sa.Integer, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "match_id"),
        _of_match(),
    )
    op.create_index("standing_newest", "standing", ["board_id", "change_id"])
    op.create_table(
        "total",
        _board(),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("result_seq", sa.Integer, nullable=False),
        sa.Column("statistics_seq", sa.Integer, nullable=False),
        sa.Column("game", sa.Text),
        sa.Column("sides", sa.Text),
        sa.Column("result", sa.Text),
        sa.Column("statistics", sa.Text),
        sa.PrimaryKeyConstraint("board_id", "match_id"),
        _of_match(),
    )
